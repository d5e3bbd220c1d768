"""The look that all charts share: type, colours, sizes and marks, for SVG and for Plotly. `palette` has the colours of strategies."""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from pipelines.viewer.palette import SeriesLook

TEXT_FONT: Final = "'Source Sans', 'Source Sans 3', 'Reroll Sans', system-ui, 'Segoe UI', 'Liberation Sans', Arial, sans-serif"
HEAD_FONT: Final = "'Source Serif', 'Source Serif 4', 'Reroll Serif', Georgia, 'Liberation Serif', serif"
"""Font of titles, and of the headings of panels: that of the headings of pages."""
FONT_FILES: Final = {"Reroll Sans": ("sans.woff2", "400 600"), "Reroll Serif": ("serif.woff2", "600")}
"""The files and weights of the fonts that a file contains, by their families; `fonts/LICENSE.txt` says what they are."""

TEXT_PX: Final = 12.5
"""Size of all texts of a chart but its headings."""
HEADING_PX: Final = 14
"""Size of the heading of a panel."""
TITLE_PX: Final = 17
CAPTION_PX: Final = 14
LETTER_PX: Final = 6.6
"""Width of a letter of a text. Most numbers and names are a little narrower."""
LINE_PX: Final = 18
"""Height of a line of headings, labels and legends."""
PANEL_GAP_PX: Final = 12
"""Space between a panel and the heading of the next one."""
PANEL_TOP_PX: Final = 8
"""Space above a panel, below its heading; the name of a mark takes a line more."""
TICKS_PX: Final = 24
"""Height of the numbers below the last panel."""
TILT_PX: Final = 52
"""Height below these numbers for words that are tilted, which have at most `TILTED_CHARACTERS` letters."""
TILTED_CHARACTERS: Final = 18
RIGHT_PX: Final = 14
"""Space right of the panels: room for half of the last number of the axis."""
NARROW_PANEL_PX: Final = 420
"""Width of the panels for which texts are placed: that of a narrow window, because the real width is not known."""
ROOM_STEP_PX: Final = 8
"""The room for numbers left of the panels is a multiple of this."""

LINE_WIDTH: Final = 2.0
"""Width of a line in pixels."""
INTERVAL_WIDTH: Final = 3.0
"""Width of an interval along an axis; an upright one has that of a line, and ends of `CAP_PX` on both sides."""
CAP_PX: Final = 4
MARK_PX: Final = 9
"""Size of a mark."""
MEAN_MARK_PX: Final = 11
"""Size of the mark of a mean of a distribution."""
BOX_PX: Final = 16
"""Height of a box of quantiles."""
FILL_OPACITY: Final = 0.14
"""Opacity of the area under an outline, so that the areas of several outlines can be seen through each other."""
SHADE_OPACITY: Final = 0.18
"""Opacity of an emphasized range."""
RING_WIDTH: Final = 2.0
"""Width of the line of an open mark."""
FAINT_OPACITY: Final = 0.75
"""Opacity of the titles of axes."""
MARK_COLOUR: Final = "#8A8A8A"
"""Colour of axes and of marks that belong to no line, visible on white and on a nearly black background."""
GRID_COLOUR: Final = "rgba(138,138,138,0.45)"
GRID_DASH: Final = (1, 4)
MARK_DASH: Final = (5, 4)


class PageColours(NamedTuple):
    """The colours of texts and lines around a chart: those of pages and files."""

    ink: str
    faint: str
    rule: str
    paper: str


LIGHT: Final = PageColours("#23241f", "#5f6058", "#d9d5c9", "#fdfcf9")
DARK: Final = PageColours("#e9e7e1", "#a9a8a2", "#3c3f43", "#191a1c")

_DASHES: Final = {
    "solid": "none",
    "dash": "7 4",
    "dot": "2 3",
    "dashdot": "7 3 2 3",
    "longdash": "12 4",
    "longdashdot": "12 3 2 3",
}
"""Lengths of the dashes and gaps of the line styles of a `SeriesLook`, in pixels."""
_SHAPES: Final = {
    "circle": "M5 0A5 5 0 1 1 -5 0A5 5 0 1 1 5 0Z",
    "circle-open": "M5 0A5 5 0 1 1 -5 0A5 5 0 1 1 5 0Z",
    "square": "M-5 -5H5V5H-5Z",
    "diamond": "M0 -6.5L6.5 0L0 6.5L-6.5 0Z",
    "triangle-up": "M0 -5L5.8 2.5H-5.8Z",
    "cross": "M-2 -6H2V-2H6V2H2V6H-2V2H-6V-2H-2Z",
    "x": "M0 2.8L2.8 5.6L5.6 2.8L2.8 0L5.6 -2.8L2.8 -5.6L0 -2.8L-2.8 -5.6L-5.6 -2.8L-2.8 0L-5.6 2.8L-2.8 5.6Z",
}
"""Paths of the symbols of a `SeriesLook` around (0, 0), for marks of 10 pixels, as Plotly draws them."""


def find_dash(look: SeriesLook) -> str:
    """Return the lengths of the dashes and gaps of a line, in pixels, as SVG writes them."""
    return _DASHES[look.dash]


def find_plotly_dash(look: SeriesLook) -> str:
    """Return the dashes and gaps of a line as Plotly writes them."""
    dash = find_dash(look)
    return "solid" if dash == "none" else ",".join(f"{length}px" for length in dash.split())


def find_shape(symbol: str) -> str:
    """Return the path of a symbol, 10 pixels wide."""
    return _SHAPES[symbol]


_AXIS_LOOK: Final[dict[str, Any]] = {
    "ticks": "",
    "tickfont": {"size": TEXT_PX, "family": TEXT_FONT},
    "zeroline": False,
    "ticklabelstandoff": 3,
    "showline": False,
    "gridwidth": 1,
    "gridcolor": GRID_COLOUR,
    "griddash": ",".join(f"{length}px" for length in GRID_DASH),
    "fixedrange": True,
    "automargin": False,
    "ticklabeloverflow": "allow",  # otherwise Plotly measures every label
}
PLOTLY_TEMPLATE: Final[dict[str, Any]] = {
    "layout": {
        "font": {"family": TEXT_FONT, "size": TEXT_PX},
        "hoverlabel": {"font": {"family": TEXT_FONT, "size": 13}, "align": "left"},
        "hovermode": "closest",
        "dragmode": False,
        "barmode": "overlay",
        "xaxis": {**_AXIS_LOOK, "showgrid": False},
        "yaxis": {**_AXIS_LOOK, "showgrid": True},
        "annotationdefaults": {
            "font": {"size": TEXT_PX, "family": TEXT_FONT},
            "showarrow": False,
            "xanchor": "left",
            "yanchor": "middle",
            "align": "left",
            "borderpad": 0,
        },
        "legend": {"font": {"size": TEXT_PX, "family": TEXT_FONT}},
    }
}
"""The template of all Plotly figures. It sets no colour of text or background: those follow the page, light or dark."""


@cache
def font_style() -> str:
    """Return the style sheet that contains the fonts."""
    faces = ["/* Parts of Source Sans 3 and Source Serif 4, copyright Adobe, SIL Open Font License 1.1 */"]
    for family, (name, weights) in FONT_FILES.items():
        data = b64encode(files(__package__).joinpath("fonts", name).read_bytes()).decode()
        source = f'url("data:font/woff2;base64,{data}") format("woff2")'
        faces.append(f'@font-face {{ font-family: "{family}"; font-weight: {weights}; src: {source}; }}')
    return "\n".join([*faces, ""])
