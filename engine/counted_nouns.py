"""A number with its noun, in the singular or the plural. All messages and sentences with counts use it."""

from __future__ import annotations


def format_count(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> format_count(1, "game"), format_count(3000, "game"), format_count(2, "strategy"), format_count(0, "ply")
    ('1 game', '3,000 games', '2 strategies', '0 plies')
    """
    if number == 1:
        return f"1 {noun}"
    return f"{number:,} {noun[:-1]}ies" if noun.endswith(("gy", "ly")) else f"{number:,} {noun}s"
