"""Charts: figures from numbers. Knows neither Streamlit nor SQL, and never receives raw samples."""

from dashboard.charts.chart import Chart
from dashboard.charts.means import Estimate, columns, course, dots
from dashboard.charts.simple import MOST_MARKS, simple
from dashboard.charts.spreads import QUANTILES, Series, boxes, cumulative, histograms, lengths

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
