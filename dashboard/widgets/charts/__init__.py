"""Charts on pages: Plotly draws the values of `pipelines.report.charts`."""

from dashboard.widgets.charts.figures import build_figure, show_chart

__all__ = ["build_figure", "show_chart"]
