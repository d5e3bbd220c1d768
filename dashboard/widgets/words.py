"""Numbers, times and sizes in words."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pipelines.design.short_names import shorten_names

if TYPE_CHECKING:
    from pipelines.runs.summary import RunSummary

_TIME_UNITS = ((60, "second"), (60, "minute"), (24, "hour"), (7, "day"), (52 / 12, "week"), (12, "month"))


def format_time_ago(when: datetime, now: datetime | None = None) -> str:
    """Return how long ago a moment was. Times are naive UTC.

    >>> format_time_ago(datetime(2026, 1, 1, 12, 0), datetime(2026, 1, 1, 15, 10))
    '3 hours ago'
    """
    now = now or datetime.now(tz=UTC).replace(tzinfo=None)
    span = max(0.0, (now - when).total_seconds())
    if span < 10:
        return "just now"
    for most, unit in _TIME_UNITS:
        if span < most:
            return f"{format_count(int(span), unit)} ago"
        span /= most
    return f"{format_count(int(span), 'year')} ago"


def format_count(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> format_count(1, "game"), format_count(3000, "game")
    ('1 game', '3,000 games')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def format_action(kind: str, notation: str) -> str:
    """Return what people call an action: its notation, or its kind if nothing is placed.

    >>> format_action("place", "A:a3,b3o"), format_action("forfeit", "-"), format_action("keep", "0")
    ('A:a3,b3o', 'forfeit', 'keep nothing')
    """
    if kind == "keep":
        return f"keep {'nothing' if notation == '0' else notation}"
    return kind if kind in {"out", "forfeit", "discard"} else notation


def format_player(seat: int) -> str:
    """Return what people call a seat; seats are counted from 0.

    >>> format_player(0)
    'player 1'
    """
    return f"player {seat + 1}"


def format_duration(seconds: float) -> str:
    """Return a number of seconds in words.

    >>> format_duration(4.2), format_duration(75), format_duration(7300)
    ('4 s', '1 min 15 s', '2 h 1 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def format_time_left(seconds: float) -> str:
    """Return a roughly estimated number of seconds in words.

    >>> [format_time_left(seconds) for seconds in (3, 34, 58, 100, 4000)]
    ['a few seconds left', 'about 40 s left', 'about 1 min left', 'about 2 min left', 'about 67 min left']
    """
    if seconds < 10:
        return "a few seconds left"
    tens = 10 * math.ceil(seconds / 10)
    return f"about {tens} s left" if tens < 60 else f"about {math.ceil(seconds / 60)} min left"


def format_file_size(number: int) -> str:
    """Return a number of bytes in words.

    >>> format_file_size(900), format_file_size(5_517_312)
    ('900 B', '5.5 MB')
    """
    amount = float(number)
    for unit in ("B", "kB", "MB", "GB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" or amount >= 100 else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} TB"


def format_line_up(strategies: tuple[str, ...]) -> str:
    """Return the names of strategies that play each other.

    >>> format_line_up(("greedy", "random"))
    'greedy · random'
    """
    return " · ".join(strategies)


def count_from_one(text: str) -> str:
    """Return a sentence about seats and plies, which are counted from 0, as one about players and moves.

    >>> count_from_one("What if seat 1 played greedy? Game 3 of demo from ply 20")
    'What if player 2 played greedy? Game 3 of demo from move 21'
    """
    words = {"seat": "player", "ply": "move"}
    return re.sub(
        r"\b(seat|ply) (\d{1,6})\b", lambda found: f"{words[found[1]]} {int(found[2]) + 1}", text
    ).replace("the ply was", "the move was")


def format_run_title(summary: RunSummary) -> str:
    """Return the title of a run with the short names of its strategies; that of a what-if counts from 1."""
    title = shorten_names(summary.title, summary.strategies)
    return count_from_one(title) if summary.is_whatif else title
