"""The look that all charts share, on pages and in notebooks: widths, fills and type. The colours are in `palette`."""

from __future__ import annotations

from typing import Any, Final

LINE_WIDTH: Final = 2.0
"""Width of a line in pixels."""
FILL_OPACITY: Final = 0.14
"""Opacity of the area under an outline, so that the areas of several outlines can be seen through each other."""
TEXT_FONT: Final = (
    "'Source Sans', 'Source Sans 3', system-ui, 'Segoe UI', 'Liberation Sans', Arial, sans-serif"
)
HEAD_FONT: Final = "'Source Serif', 'Source Serif 4', Georgia, 'Liberation Serif', serif"
"""Font of the heading of a panel, that of the headings of pages."""
MARK_COLOUR: Final = "#8A8A8A"
"""Colour of marks that belong to no line, visible on white and on a nearly black background."""

_AXIS_LOOK: Final[dict[str, Any]] = {
    "ticks": "",
    "tickfont": {"size": 12, "family": TEXT_FONT},
    "title": {"font": {"size": 12, "family": TEXT_FONT}, "standoff": 8},
    "zeroline": False,
}
PLOTLY_TEMPLATE: Final[dict[str, Any]] = {
    "layout": {
        "font": {"family": TEXT_FONT, "size": 13},
        "hoverlabel": {"font": {"family": TEXT_FONT, "size": 13}, "align": "left"},
        "hovermode": "closest",
        "xaxis": {
            **_AXIS_LOOK,
            "showgrid": False,
            "showline": True,
            "linewidth": 1,
            "linecolor": MARK_COLOUR,
        },
        "yaxis": {**_AXIS_LOOK, "showgrid": True, "gridwidth": 1, "griddash": "dot"},
        "legend": {"font": {"size": 12, "family": TEXT_FONT}},
    }
}
"""The template of all Plotly figures. It sets no colour of text or background: those follow the page, light or dark."""
