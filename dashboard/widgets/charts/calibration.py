"""Draw a calibration: what happened over what was predicted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.widgets.charts.panels import Panels, interval_bars
from pipelines.viewer.chart_look import MARK_COLOUR

if TYPE_CHECKING:
    from pipelines.report.charts import Calibration


def draw_calibration(chart: Calibration) -> Panels:
    """Draw lines with their intervals; right predictions lie on the dashed line."""
    drawn = Panels([], chart.across, chart.upright)
    ends = [0, 100]
    drawn.add_trace(
        "scatter",
        x=ends,
        y=ends,
        mode="lines",
        line={"color": MARK_COLOUR, "dash": "dash", "width": 1.5},
        hoverinfo="skip",
        **drawn.legend_options("right predictions"),
    )
    for name, points, look in chart.lines:
        drawn.add_trace(
            "scatter",
            x=[point.predicted for point in points],
            y=[point.happened.estimate for point in points],
            error_y={
                **interval_bars([point.happened for point in points]),
                "color": look.colour,
                "thickness": 2,
            },
            mode="lines+markers",
            marker={"size": 9, "color": look.colour, "symbol": look.symbol},
            line={"color": look.colour, "dash": look.dash, "width": 1.5},
            customdata=[[point.predictions, point.games] for point in points],
            hovertemplate="predicted %{x:.1f}, happened %{y:.1f} (%{customdata[0]:,} predictions in "
            "%{customdata[1]:,} games)<extra></extra>",
            **drawn.legend_options(name),
        )
    drawn.set_shared_axis(range=[-2, 102], dtick=20)
    drawn.set_upright_axis(range=[-2, 102], dtick=20)
    drawn.reserve_label_room(["100"])
    return drawn
