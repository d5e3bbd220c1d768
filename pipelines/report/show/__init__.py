"""The renderers of sheets: HTML, the terminal and JSON. That of the pages stands in `dashboard.widgets.sheet`."""
