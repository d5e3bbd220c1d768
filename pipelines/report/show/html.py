"""A sheet as HTML: in studies, sites and notebooks, and on the board. Charts are drawn as SVG.

Every text is shown as text: none of it can become markup or script.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.report.show.render import read_template, render_template
from pipelines.report.show.svg import chart_style, draw_chart

if TYPE_CHECKING:
    from markupsafe import Markup

    from pipelines.report.sheet import Sheet


def write_sheet_html(
    sheet: Sheet,
    *,
    number: int = 1,
    section: object = None,
    is_only: bool = False,
    is_on_board: bool = False,
) -> Markup:
    """Return a sheet as a section of a page, on which each sheet has another number.

    `section` holds what a person wrote about it: `text`, `tags` and `problem`. If the sheet `is_only` one of its page, the page
    shows its title. If it `is_on_board`, buttons with the numbers of continuations stand in place of their games, which the board
    asks for. Raises ValueError for a number that JSON does not have, such as NaN.
    """
    return render_template(
        "pipelines.report.show",
        "sheet.html",
        sheet=sheet,
        number=number,
        section=section,
        is_only=is_only,
        is_on_board=is_on_board,
        draw_chart=draw_chart,
    )


def sheet_style() -> str:
    """Return the style sheet of sheets and of their charts. Everything in it is below the classes `sheet` and `reroll-chart`."""
    return read_template("pipelines.report.show", "sheet.css") + chart_style()
