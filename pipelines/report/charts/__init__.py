"""Charts as values without pixels: what is drawn, how often it was counted, its axes and its title.

Each type is drawn twice: as SVG by `show.svg` for files and notebooks, and with Plotly by `show.figures` for pages. What both need,
such as bins, numbers of axes and labels, is computed here.
"""

from pipelines.report.charts.calibration import Calibration, CalibrationLine, CalibrationPoint
from pipelines.report.charts.estimates import Columns, Intervals, Lines
from pipelines.report.charts.histogram import QUANTILES, Histogram
from pipelines.report.charts.series import Estimate, Mark, ScoreSeries, make_distribution

Chart = Histogram | Intervals | Lines | Columns | Calibration

__all__ = [
    "QUANTILES",
    "Calibration",
    "CalibrationLine",
    "CalibrationPoint",
    "Chart",
    "Columns",
    "Estimate",
    "Histogram",
    "Intervals",
    "Lines",
    "Mark",
    "ScoreSeries",
    "make_distribution",
]
