"""The chart of a calibration: what happened over what was predicted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.widgets.charts.chart import Chart
from pipelines.viewer.chart_look import MARK_COLOUR

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.records.calibration import CalibrationCase
    from pipelines.viewer.palette import SeriesLook


def draw_calibration(cases: Sequence[tuple[str, CalibrationCase, SeriesLook]]) -> Chart:
    """Draw the calibration of cases, each with its name and its look; right predictions lie on the dashed line."""
    chart = Chart([], "predicted wins of 100", "wins of 100 that happened")
    ends = [0, 100]
    chart.add_trace(
        "scatter",
        x=ends,
        y=ends,
        mode="lines",
        line={"color": MARK_COLOUR, "dash": "dash", "width": 1.5},
        hoverinfo="skip",
        **chart.legend_options("right predictions"),
    )
    for name, case, look in cases:
        deciles = case.deciles
        chart.add_trace(
            "scatter",
            x=[100 * decile.predicted for decile in deciles],
            y=[100 * decile.happened.estimate for decile in deciles],
            error_y={
                "type": "data",
                "array": [100 * (decile.happened.high - decile.happened.estimate) for decile in deciles],
                "arrayminus": [100 * (decile.happened.estimate - decile.happened.low) for decile in deciles],
                "color": look.colour,
                "thickness": 2,
            },
            mode="lines+markers",
            marker={"size": 9, "color": look.colour, "symbol": look.symbol},
            line={"color": look.colour, "dash": look.dash, "width": 1.5},
            customdata=[[decile.predictions, decile.blocks] for decile in deciles],
            hovertemplate="predicted %{x:.1f}, happened %{y:.1f} (%{customdata[0]:,} predictions in "
            "%{customdata[1]:,} games)<extra></extra>",
            **chart.legend_options(name),
        )
    chart.set_shared_axis(range=[-2, 102], dtick=20)
    chart.set_upright_axis(range=[-2, 102], dtick=20)
    chart.reserve_label_room(["100"])
    return chart
