"""Small pieces of HTML. Every text from data goes through `escape`."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING, Final

from pipelines.experiments.compare.verdict import format_interval_numbers

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pipelines.statistics import Interval

NOT_ENOUGH_GAMES: Final = "not enough games"

_CARD_STYLE: Final = "font-family:system-ui,sans-serif;font-size:13px;line-height:1.45;max-width:860px"
_CELL_BORDER: Final = "border-bottom:1px solid rgba(128,128,128,.3)"


def html_card(title: str, *parts: str) -> str:
    """Return a block with a title; the colours are the notebook's own, light or dark."""
    head = f'<div style="font-size:15px;font-weight:600;margin-bottom:4px">{escape(title)}</div>'
    return f'<div class="reroll" style="{_CARD_STYLE}">{head}{"".join(parts)}</div>'


def html_line(text: str, *, faint: bool = False) -> str:
    """Return a text as a paragraph."""
    return f'<div style="margin:2px 0{";opacity:.7" if faint else ""}">{escape(text)}</div>'


def html_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table; numbers stand to the right."""
    head = "".join(
        _table_cell("th", name, f"{_CELL_BORDER};text-align:left;font-weight:600") for name in columns
    )
    body = "".join(
        f"<tr>{''.join(_table_cell('td', cell, _CELL_BORDER + _alignment_style(cell)) for cell in row)}</tr>"
        for row in rows
    )
    return (
        '<div style="overflow-x:auto"><table style="border-collapse:collapse;margin:6px 0">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _table_cell(tag: str, cell: object, style: str) -> str:
    said = "" if cell is None else escape(str(cell))
    return f'<{tag} style="padding:3px 10px 3px 0;vertical-align:top;background:none;{style}">{said}</{tag}>'


def _alignment_style(cell: object) -> str:
    number = isinstance(cell, int | float)
    return f";text-align:{'right' if number else 'left'};font-variant-numeric:tabular-nums"


def format_interval_cell(interval: Interval | None, scale: float = 1.0) -> str:
    """Write an estimate with its interval, with as many decimals as it deserves.

    >>> from pipelines.statistics import Interval
    >>> format_interval_cell(Interval(3.14159, 2.9, 3.4)), format_interval_cell(None), format_interval_cell(Interval(0.5, 0.4, 0.6), 100)
    ('3.14 (2.90 to 3.40)', 'not enough games', '50 (40 to 60)')
    """
    if interval is None:
        return NOT_ENOUGH_GAMES
    scaled = type(interval)(*(value * scale for value in interval))
    if not all(map(math.isfinite, scaled)):
        return NOT_ENOUGH_GAMES
    return "{} ({} to {})".format(*format_interval_numbers(scaled))


def colour_swatch(label: str, colour: str) -> str:
    """Return a name with the colour that it has in the plot."""
    return (
        f'<span style="display:inline-block;width:10px;height:10px;background:{colour};margin-right:5px"></span>'
        f'<span style="margin-right:14px">{escape(label)}</span>'
    )
