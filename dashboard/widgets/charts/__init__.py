"""Charts: figures from numbers. Knows neither Streamlit nor SQL, and never receives raw samples."""

from dashboard.widgets.charts.chart import Chart
from dashboard.widgets.charts.distributions import QUANTILES, Series, boxes, cumulative, histograms, lengths
from dashboard.widgets.charts.means import Estimate, columns, course, dots
from dashboard.widgets.charts.simple import MOST_MARKS, simple

__all__ = [
    "MOST_MARKS",
    "QUANTILES",
    "Chart",
    "Estimate",
    "Series",
    "boxes",
    "columns",
    "course",
    "cumulative",
    "dots",
    "histograms",
    "lengths",
    "simple",
]
