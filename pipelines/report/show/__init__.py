"""Renderers of charts: SVG for files and notebooks, Plotly figures for pages and notebooks."""
