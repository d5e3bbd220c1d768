"""Texts of studies: sentences, numbers with their intervals, players from 1, and texts without the folders of a machine."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, Final

from pipelines.statistics.rounding import format_interval_numbers, set_minus_signs

if TYPE_CHECKING:
    from pipelines.statistics import Interval

NOT_ENOUGH_GAMES: Final = "not enough games"
_SEAT_PATTERN: Final = re.compile(r"\b([Ss])eat (\d+)\b")
_FOLDER_PATTERN: Final = re.compile(
    r"""(?<![\w:/\\.])(?:~|[A-Za-z]:)?[/\\](?:[^\s/\\'"<>|,;]+[/\\])+(?=[^\s/\\'"<>|,;])"""
)
"""The folders before the name of a file; an address such as https://host/page has a colon before its slashes."""


def set_sentence(text: str) -> str:
    """Return a text with a capital at its start, a full stop at its end, and real minus signs.

    >>> set_sentence("planner is -2 points ahead")
    'Planner is −2 points ahead.'
    """
    return (
        f"{set_minus_signs(text[:1].upper() + text[1:])}{'' if text.endswith('.') else '.'}" if text else ""
    )


def count_players_from_one(text: str) -> str:
    """Return a text in which seats are players that are counted from 1.

    >>> count_players_from_one("Seat 0 played greedy")
    'Player 1 played greedy'
    """
    return _SEAT_PATTERN.sub(
        lambda found: f"{'P' if found[1] == 'S' else 'p'}layer {int(found[2]) + 1}", text
    )


def format_count(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> format_count(1, "game"), format_count(3000, "game")
    ('1 game', '3,000 games')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def format_estimate(interval: Interval | None, *, scale: float = 1.0, is_signed: bool = False) -> str:
    """Return an estimate with its interval, both multiplied by `scale`.

    >>> from pipelines.statistics import Interval
    >>> format_estimate(Interval(-0.05, -0.1, 0.0), scale=100), format_estimate(None)
    ('−5 (−10 to 0)', 'not enough games')
    >>> format_estimate(Interval(2, 2, 2), is_signed=True)
    '+2 every time'
    """
    if interval is None or not all(map(math.isfinite, interval)):
        return NOT_ENOUGH_GAMES
    scaled = type(interval)(*(scale * end for end in interval))
    plus = "+" if is_signed and scaled.estimate > 0 else ""
    if scaled.low == scaled.high:
        return set_minus_signs(f"{plus}{scaled.estimate:g} every time")
    estimate, low, high = format_interval_numbers(scaled)
    return set_minus_signs(f"{plus}{estimate} ({low} to {high})")


def format_p_value(p: float) -> str:
    """Return a p-value with two digits.

    >>> format_p_value(0.0312), format_p_value(2e-81)
    ('0.031', '< 0.0001')
    """
    return "< 0.0001" if p < 0.0001 else f"{p:.2g}"


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
