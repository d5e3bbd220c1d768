"""A sheet as HTML with charts as SVG: in studies, sites and notebooks, on the board, and as pictures. Templates escape every value.

A chart fills the width of its column: marks stand at percentages of it and texts keep their size, so the same file can be
read on a phone and on paper. Colour is never the only sign: lines have dashes and dots have shapes.
"""

from __future__ import annotations

import re
import textwrap
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from pipelines.report.charts import Chart, Histogram, Scales
from pipelines.report.estimates import set_sentence
from pipelines.report.show import chart_plan
from pipelines.report.show.chart_plan import Band, Panel, Path, Plan
from pipelines.report.show.plan_charts import plan_chart
from pipelines.report.wording import bind_percent_signs
from pipelines.statistics.rounding import set_minus_signs

if TYPE_CHECKING:
    from engine.scene import SceneBoard
    from pipelines.report.sheet import Sheet


def write_sheet_html(  # noqa: PLR0913 - where it is shown, passed by name
    sheet: Sheet,
    *,
    number: int = 1,
    section: object = None,
    is_only: bool = False,
    is_on_board: bool = False,
    has_pictures: bool = False,
) -> Markup:
    """Return a sheet as a section of a page, on which each sheet has another number.

    `section` holds what a person wrote about it: `text` and `problem`. If the sheet `is_only` one of its page, the page
    shows its title. If it `is_on_board`, buttons with the numbers of continuations stand in place of their games, which the board
    asks for. If it `has_pictures`, each chart has a picture of itself and the
    kind does not stand above the title, for readers that take SVG and styles out of HTML. Raises ValueError for a number that JSON does not have, such as NaN.
    """
    return render_template(
        "pipelines.report.show",
        "sheet.html",
        sheet=sheet,
        number=number,
        section=section,
        is_only=is_only,
        is_on_board=is_on_board,
        has_pictures=has_pictures,
        draw_chart=_draw_with_picture if has_pictures else draw_chart,
        show_map=_add_picture_of_map if has_pictures else lambda drawing, *_: drawing,
        side_panel_px=chart_plan.SIDE_PANEL_PX,
    )


def sheet_style() -> str:
    """Return the style sheet of sheets and of their charts. Everything in it is below the classes `sheet` and `reroll-chart`."""
    return read_template("pipelines.report.show", "sheet.css") + chart_style()


PICTURE_WIDTH_PX: Final = 720
PICTURE_MARGIN_PX: Final = 20
TITLE_LETTER_PX: Final = 8.2
CAPTION_LETTER_PX: Final = 6.6
MAX_ROOM_STEPS: Final = 25


def draw_chart(chart: Chart | Scales, panel_px: int = chart_plan.NARROW_PANEL_PX) -> Markup:
    """Return a chart as HTML with inline SVG, which `chart_style` styles; empty if there is nothing to draw.

    `panel_px` is as in `plan_chart`.
    """
    if isinstance(chart, Scales):
        return draw_scales(chart)
    plan = plan_chart(chart, panel_px)
    return _render("chart.html", plan=plan) if plan else Markup()


def _draw_with_picture(chart: Chart | Scales) -> Markup:
    if isinstance(chart, Scales):
        return draw_scales(chart, has_inline_styles=True)
    return _add_picture(draw_chart(chart), draw_picture([chart], "", is_for_pages=True), chart.title)


def _add_picture_of_map(drawing: Markup, board: SceneBoard, title: str) -> Markup:
    style = Markup(chart_style())  # noqa: S704 - files of this project
    picture = _render("map.svg", drawing=drawing, board=board, title=title, style=style, is_for_pages=True)
    return _add_picture(drawing, picture, title)


def _add_picture(drawing: Markup, picture: str, title: str) -> Markup:
    source = b64encode(picture.encode()).decode()
    return _render("pictured.html", drawing=drawing, title=title, source=source)


def draw_scales(chart: Scales, *, has_inline_styles: bool = False) -> Markup:
    """Return scales as HTML with inline SVG; for pages, which take SVG out of HTML, with styles, which files forbid."""
    return _render("scales.html", title=chart.title, groups=chart.groups, has_inline_styles=has_inline_styles)


def draw_curve(chart: Histogram) -> Markup:
    """Draw small outlines of distributions without axes, and below them the mean of each as text."""
    plan = plan_chart(chart)
    return _render("curve.html", plan=plan) if plan else Markup()


def draw_thumbnail(chart: Histogram) -> str:
    """Return the marks of a chart without its texts as an SVG file, which fills its frame; empty if the chart has no marks.

    Of several panels the first one is drawn.
    """
    plan = plan_chart(chart)
    return _render("thumbnail.svg", plan=plan) if plan else ""


def draw_picture(
    charts: Sequence[Chart], title: str, caption: str = "", *, is_for_pages: bool = False
) -> str:
    """Return charts below each other as an SVG file of a fixed size, with a title above and a caption below; empty without charts.

    It contains its fonts and is light; a picture that `is_for_pages` takes the fonts of the machine, and is dark on dark pages.
    """
    plans = [plan for plan in map(plan_chart, charts) if plan]
    if not plans:
        return ""
    width = PICTURE_WIDTH_PX - 2 * PICTURE_MARGIN_PX
    lines = _Lines(
        textwrap.wrap(title, int(width / TITLE_LETTER_PX)),
        textwrap.wrap(caption, int(width / CAPTION_LETTER_PX)),
    )
    style = chart_style() + ("" if is_for_pages else chart_plan.font_style())
    picture = _render(
        "picture.svg",
        plans=plans,
        lines=lines,
        title=title,
        style=Markup(style),  # noqa: S704 - files of this project
        width=PICTURE_WIDTH_PX,
        margin=PICTURE_MARGIN_PX,
        is_for_pages=is_for_pages,
    )
    return f"{picture}\n"


def chart_style() -> str:
    """Return the style sheet of charts in HTML and SVG, which take the colours of the page around them."""
    sizes = {
        "text": f"{chart_plan.TEXT_PX}px",
        "heading": f"{chart_plan.HEADING_PX}px",
        "title": f"{chart_plan.TITLE_PX}px",
        "caption": f"{chart_plan.CAPTION_PX}px",
        "line": f"{chart_plan.LINE_PX}px",
        "right": f"{chart_plan.RIGHT_PX}px",
        "ticks": f"{chart_plan.TICKS_PX}px",
        "tilt": f"{chart_plan.TILT_PX}px",
        "top": f"{chart_plan.PANEL_TOP_PX}px",
        "faint": f"{chart_plan.FAINT_OPACITY}",
        "gap": f"{chart_plan.PANEL_GAP_PX}px",
        "grid-colour": chart_plan.GRID_COLOUR,
        "grid": " ".join(map(str, chart_plan.GRID_DASH)),
        "dash": " ".join(map(str, chart_plan.MARK_DASH)),
        "mark": chart_plan.MARK_COLOUR,
        "font": f"var(--st-font, {chart_plan.TEXT_FONT})",
        "head-font": f"var(--st-heading-font, {chart_plan.HEAD_FONT})",
    }
    properties = "; ".join(f"--chart-{name}: {value}" for name, value in sizes.items())
    charts = read_template("pipelines.report.show", "charts.css")
    steps = range(1, MAX_ROOM_STEPS + 1)
    rooms = [
        f".reroll-chart .room-{step} {{ margin-left: {chart_plan.ROOM_STEP_PX * step}px }}" for step in steps
    ]
    return "\n".join([f".reroll-chart {{ {properties} }}", charts, *rooms, ""])


class _Lines(NamedTuple):
    """The lines of the texts around a picture."""

    title: Sequence[str]
    caption: Sequence[str]


def _room_class(plan: Plan) -> str:
    """Return the class of what stands right of the numbers of the upright axis."""
    return f"room-{min(MAX_ROOM_STEPS, plan.room // chart_plan.ROOM_STEP_PX)}"


def _place_x(plan: Plan, value: float) -> float:
    """Return where a value stands, in per cent of the width."""
    return round(100 * plan.across.share(value), 2) + 0.0


def _place_y(plan: Plan, panel: Panel, value: float) -> float:
    """Return where a value stands, in per cent of the height from the top."""
    upright = plan.find_upright(panel)
    share = 1 - upright.share(value) if upright else value / panel.height
    return round(100 * share, 2) + 0.0


def _write_corners(plan: Plan, panel: Panel, path: Path | Band) -> str:
    """Return the corners of a line or of an area in a plane of 1000 by 100 units."""
    if isinstance(path, Path):
        corners = _list_corners(path.x, path.y, is_stepped=path.is_stepped)
    else:
        high = _list_corners(path.x, path.high, is_stepped=path.is_stepped)
        low = _list_corners(path.x, path.low, is_stepped=path.is_stepped)
        corners = [*high, *reversed(low)]
    return " ".join(f"{10 * _place_x(plan, x):.1f},{_place_y(plan, panel, y):.2f}" for x, y in corners)


def _list_corners(x: Sequence[float], y: Sequence[float], *, is_stepped: bool) -> list[tuple[float, float]]:
    points = list(zip(x, y, strict=True))
    if not is_stepped:
        return points
    steps = [corner for (_, height), after in pairwise(points) for corner in ((after[0], height), after)]
    return [points[0], *steps]


def _render(name: str, **values: object) -> Markup:
    return render_template(
        "pipelines.report.show",
        name,
        look=chart_plan,
        corners=_write_corners,
        place_x=_place_x,
        place_y=_place_y,
        room_class=_room_class,
        **values,
    )


_NAME_PATTERN: Final = re.compile(r"\b(?<![a-z0-9]-)[a-z0-9]++(?:-[a-z0-9]++)*+(?<=-[0-9]p)\b[.,;:)]*")
"""A name of a ruleset or a run that ends with its number of players, with the punctuation that follows."""


def render_template(package: str, name: str, **values: object) -> Markup:
    """Return a template of the folder `templates` of a package, filled with values.

    Raises ValueError for a number in JSON data that JSON does not have, such as NaN.
    """
    return Markup(_find_environment(package).get_template(name).render(values))  # noqa: S704 - the template has escaped the values


@cache
def read_template(package: str, name: str) -> str:
    """Return the text of a file of the folder `templates` of a package, such as a style sheet."""
    # A checkout may have changed the line ends; they are normalized, because pages contain hashes of these texts.
    return files(package).joinpath("templates", name).read_bytes().decode("utf-8").replace("\r\n", "\n")


@cache
def _find_environment(package: str) -> Environment:
    environment = Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["sentence"] = lambda text: _bind_names(bind_percent_signs(set_sentence(text)))
    environment.filters["bound"] = _bind_names
    environment.filters["cell"] = draw_cell
    environment.filters["minus"] = set_minus_signs
    environment.filters["percent"] = "{:.1%}".format
    environment.policies["json.dumps_kwargs"] = {"allow_nan": False, "separators": (",", ":")}
    return environment


SQUARE_PX: Final = 8
"""Size of the squares of a shape in a table."""
SQUARE_COLOUR: Final = "#7a828a"
"""Their colour, which is seen on light and on dark paper."""


def draw_cell(text: str) -> Markup:
    r"""Return the text of a cell of a table, in which squares of two full blocks each are a drawing, and other lines stay as they are.

    >>> draw_cell("2 < 3"), draw_cell("a\nb")
    (Markup('2 &lt; 3'), Markup('<pre>a\nb</pre>'))
    """
    if not text.strip() or set(text) - set("\N{FULL BLOCK} \n"):
        return Markup("<pre>{}</pre>").format(text) if "\n" in text else escape(text)
    lines = text.split("\n")
    height, width = len(lines), max(map(len, lines)) // 2
    path = "".join(
        f"M{column} {row}h.9v.9h-.9z"
        for row, line in enumerate(lines)
        for column, square in enumerate(line[::2])
        if square != " "
    )
    return Markup(
        '<svg xmlns="http://www.w3.org/2000/svg" aria-hidden="true" fill="{0}" viewBox="0 0 {1} {2}" width="{3}" height="{4}"><path d="{5}"/></svg>'
    ).format(SQUARE_COLOUR, width, height, width * SQUARE_PX, height * SQUARE_PX, path)


def _bind_names(text: str) -> Markup:
    """Return a text in which no line ends inside of a name such as "bloxx-touch-2p", or before its full stop. It can still be copied."""
    return Markup(_NAME_PATTERN.sub(r'<span class="whole">\g<0></span>', str(escape(text))))  # noqa: S704 - the text is escaped
