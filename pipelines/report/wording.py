"""Counts, times, sizes and names in words, for all front ends. Loads nothing slow: the command line needs it at once."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from engine.wording import format_count, name_amount
from pipelines.design.short_names import shorten_names

if TYPE_CHECKING:
    from pipelines.runs.summary import RunSummary

__all__ = [
    "bind_percent_signs",
    "count_results",
    "describe_finishing",
    "describe_progress",
    "format_bytes",
    "format_count",
    "format_duration",
    "format_player",
    "format_run_title",
    "format_thinking_time",
    "format_time_ago",
    "format_time_left",
    "hide_folders",
    "join_words",
    "name_amount",
]

_TIME_UNITS: Final = (
    (60, "second"),
    (60, "minute"),
    (24, "hour"),
    (7, "day"),
    (52 / 12, "week"),
    (12, "month"),
)
_SEAT_PATTERN: Final = re.compile(r"\bseat (\d{1,2})\b")
_OLDER_WHATIF_TITLE: Final = re.compile(
    r"(?P<change>.+\? )Game (?P<game>\d{1,10}) of (?P<run>.+) from (?P<unit>ply|move) (?P<number>\d{1,6})"
)
_OLDER_HAND_TITLE: Final = re.compile(
    r"(?P<who>.+), from move (?P<move>\d{1,6}) of game (?P<game>\d{1,10}) of (?P<run>.+)"
)
_FOLDER_PATTERN: Final = re.compile(
    r"""(?<![\w:/\\.])(?:~|[A-Za-z]:)?[/\\](?:[^\s/\\'"<>|,;]+[/\\])+(?=[^\s/\\'"<>|,;])"""
)
"""The folders before the name of a file; an address such as https://host/page has a colon before its slashes."""


def format_duration(seconds: float) -> str:
    """Return a time in words.

    >>> format_duration(0.42), format_duration(34), format_duration(75), format_duration(480), format_duration(7300)
    ('0.4 s', '34 s', '1 min 15 s', '8 min', '2 h 1 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{seconds:.1f} s" if seconds < 9.95 else f"{whole} s"
    larger, smaller = ((whole // 60, "min"), (whole % 60, "s"))
    if whole >= 3600:
        larger, smaller = ((whole // 3600, "h"), (whole % 3600 // 60, "min"))
    return " ".join(f"{count} {unit}" for count, unit in (larger, smaller) if count)


def count_results(counts: Sequence[int]) -> str:
    """Return the numbers of results behind one or several means.

    >>> count_results([1200]), count_results([1200, 1200]), count_results([360, 180])
    ('1,200 results', '1,200 results each', '360 and 180 results')
    """
    last = format_count(counts[-1], "result")
    if len(set(counts)) == 1:
        return f"{last} each" if len(counts) > 1 else last
    return join_words([*(f"{count:,}" for count in counts[:-1]), last])


def format_thinking_time(seconds: float) -> str:
    """Return the time of a decision with two digits.

    >>> format_thinking_time(0.0000559), format_thinking_time(0.00453), format_thinking_time(0.98)
    ('56 µs', '4.5 ms', '0.98 s')
    """
    for limit, scale, unit in ((1e-3, 1e6, "µs"), (0.95, 1e3, "ms")):
        if seconds < limit:
            return f"{float(f'{seconds * scale:.2g}'):g} {unit}"
    return f"{float(f'{seconds:.2g}'):g} s"


def format_time_left(seconds: float) -> str:
    """Return a roughly estimated time in words.

    >>> [format_time_left(seconds) for seconds in (3, 34, 58, 100, 4000)]
    ['a few seconds left', 'about 40 s left', 'about 1 min left', 'about 2 min left', 'about 67 min left']
    """
    if seconds < 10:
        return "a few seconds left"
    tens = 10 * math.ceil(seconds / 10)
    return f"about {tens} s left" if tens < 60 else f"about {math.ceil(seconds / 60)} min left"


def describe_progress(done: int, total: int, unit: str, left: float | None = None) -> str:
    """Return how much of some work is done, and how long the rest takes if that is known, in seconds.

    >>> describe_progress(28, 1200, "position", 100), describe_progress(0, 1, "block")
    ('28 of 1,200 positions, about 2 min left', '0 of 1 block')
    """
    text = f"{done:,} of {format_count(total, unit)}"
    return text if left is None else f"{text}, {format_time_left(left)}"


def format_time_ago(when: datetime, now: datetime | None = None) -> str:
    """Return how long ago a moment was. Times are naive UTC.

    >>> format_time_ago(datetime(2026, 1, 1, 12, 0), datetime(2026, 1, 1, 15, 10))
    '3 hours ago'
    """
    now = now or datetime.now(tz=UTC).replace(tzinfo=None)
    span = max(0.0, (now - when).total_seconds())
    if span < 10:
        return "just now"
    for length, unit in _TIME_UNITS:
        if span < length:
            return f"{format_count(int(span), unit)} ago"
        span /= length
    return f"{format_count(int(span), 'year')} ago"


def format_bytes(number: int) -> str:
    """Return a number of bytes in words.

    >>> format_bytes(900), format_bytes(5_517_312)
    ('900 B', '5.5 MB')
    """
    amount = float(number)
    for unit in ("B", "kB", "MB", "GB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" or amount >= 100 else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} TB"


def format_player(seat: int) -> str:
    """Return what people call a seat; seats are counted from 0.

    >>> format_player(0)
    'player 1'
    """
    return f"player {seat + 1}"


def describe_finishing(games: int) -> str:
    """Return what a run does when all of its games are played."""
    return f"{format_count(games, 'game')}. Finishing: writing the file and the report …"


def format_run_title(summary: RunSummary) -> str:
    """Return the title of a run with the short names of its strategies. The titles of older runs are made to count from 1."""
    title = shorten_names(summary.title, summary.strategies)
    return _count_title_from_one(title) if summary.is_whatif or summary.is_by_hand else title


def _count_title_from_one(title: str) -> str:
    """Return the title that a what-if or a game by hand has today; older ones count games, and still older ones plies, from 0.

    >>> _count_title_from_one("What if seat 1 played greedy? Game 3 of demo from ply 20")
    'What if player 2 played greedy? Move 21 of game 4 of demo'
    >>> _count_title_from_one("What if player 2 played greedy? Game 3 of demo from move 21")
    'What if player 2 played greedy? Move 21 of game 4 of demo'
    >>> _count_title_from_one("By hand: BLOXX!, 2 players: me and greedy, from move 10 of game 3 of demo")
    'By hand: BLOXX!, 2 players: me and greedy, from game 4 of demo, move 10'
    """
    if matched := _OLDER_WHATIF_TITLE.fullmatch(title):
        move = int(matched["number"]) + (matched["unit"] == "ply")
        change = _SEAT_PATTERN.sub(lambda match: f"player {int(match[1]) + 1}", matched["change"])
        return f"{change}Move {move} of game {int(matched['game']) + 1} of {matched['run']}"
    if matched := _OLDER_HAND_TITLE.fullmatch(title):
        return f"{matched['who']}, from game {int(matched['game']) + 1} of {matched['run']}, move {matched['move']}"
    return title


def bind_percent_signs(text: str) -> str:
    r"""Return a text for a page, in which no line begins with a per cent sign.

    >>> bind_percent_signs("20 of 100 (95 % interval 14 to 26 %)")
    '20 of 100 (95\xa0% interval 14 to 26\xa0%)'
    """
    return text.replace(" %", "\N{NO-BREAK SPACE}%")


def hide_folders(value: Any) -> Any:  # noqa: ANN401 - a text or JSON data
    """Return a text, or JSON data, in which paths have only the name of the file.

    >>> hide_folders("reroll simulate bloxx-2p -s eager,random --code /home/anna/games/eager.py")
    'reroll simulate bloxx-2p -s eager,random --code eager.py'
    >>> hide_folders(["https://example.org/a/b", "1/2 and 3/4"])
    ['https://example.org/a/b', '1/2 and 3/4']
    """
    if isinstance(value, str):
        return _FOLDER_PATTERN.sub("", value)
    if isinstance(value, dict):
        return {key: hide_folders(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [hide_folders(item) for item in value]
    return value


def join_words(parts: Sequence[str]) -> str:
    """Return a list in words.

    >>> join_words(["one", "two", "three"])
    'one, two and three'
    """
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def name_some(names: Sequence[str]) -> str:
    """Return at most two names: titles have no room for more."""
    rest = len(names) - 1
    return join_words(names if rest < 2 else [names[0], f"{rest} others"])
