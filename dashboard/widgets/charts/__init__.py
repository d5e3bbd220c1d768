"""Charts: Plotly figures from distributions and means. Imports neither Streamlit nor SQL."""

from dashboard.widgets.charts.calibration import draw_calibration
from dashboard.widgets.charts.chart import Chart
from dashboard.widgets.charts.distributions import (
    QUANTILES,
    draw_boxes,
    draw_cumulative_shares,
    draw_game_lengths,
    draw_histograms,
)
from dashboard.widgets.charts.means import Estimate, draw_columns, draw_dots, draw_score_course
from dashboard.widgets.charts.score_series import ScoreSeries
from dashboard.widgets.charts.simple import MAX_MARKS, draw_simple_chart

__all__ = [
    "MAX_MARKS",
    "QUANTILES",
    "Chart",
    "Estimate",
    "ScoreSeries",
    "draw_boxes",
    "draw_calibration",
    "draw_columns",
    "draw_cumulative_shares",
    "draw_dots",
    "draw_game_lengths",
    "draw_histograms",
    "draw_score_course",
    "draw_simple_chart",
]
