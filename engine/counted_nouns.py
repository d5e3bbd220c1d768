"""A number with its noun, in the singular or the plural, and a capital at a start. All messages and sentences use them."""

from __future__ import annotations


def format_count(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> format_count(1, "game"), format_count(3000, "game"), format_count(2, "strategy"), format_count(0, "ply")
    ('1 game', '3,000 games', '2 strategies', '0 plies')
    """
    if number == 1:
        return f"1 {noun}"
    return f"{number:,} {noun[:-1]}ies" if noun.endswith(("gy", "ly")) else f"{number:,} {noun}s"


def count_or_no(number: int, noun: str) -> str:
    """Return the same, but "no" instead of 0.

    >>> count_or_no(0, "square"), count_or_no(5, "square")
    ('no squares', '5 squares')
    """
    return format_count(number, noun) if number else f"no {format_count(0, noun).removeprefix('0 ')}"


def capitalise(text: str) -> str:
    """Return a text with a capital at its start; the rest stays as it is.

    >>> capitalise("the run is gone"), capitalise("")
    ('The run is gone', '')
    """
    return text[:1].upper() + text[1:]
