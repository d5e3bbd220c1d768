"""Texts for people: a number with its noun, a capital at a start, labels of players, and no control characters."""

from __future__ import annotations

import unicodedata
from typing import Final


def name_amount(number: str, unit: str = "point") -> str:
    """Return a number that is a text already with its unit.

    >>> name_amount("1"), name_amount("6.1"), name_amount("about 1"), name_amount("-1")
    ('1 point', '6.1 points', 'about 1 point', '-1 points')
    """
    return f"{number} {unit}{'' if number.removeprefix('about ') == '1' else 's'}"


def name_units(number: str, units: str) -> str:
    """Return a number that is a text already with its units, which are given as a plural.

    >>> name_units("about 1", "points of gaps"), name_units("1", "plies"), name_units("2", "rounds")
    ('about 1 point of gaps', '1 ply', '2 rounds')
    """
    if number.removeprefix("about ") != "1":
        return f"{number} {units}"
    first, gap, rest = units.partition(" ")
    return f"{number} {'ply' if first == 'plies' else first.removesuffix('s')}{gap}{rest}"


def format_count(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> format_count(1, "game"), format_count(3000, "game"), format_count(2, "strategy"), format_count(0, "ply")
    ('1 game', '3,000 games', '2 strategies', '0 plies')
    >>> format_count(2, "inaccuracy")
    '2 inaccuracies'
    """
    if number == 1:
        return f"1 {noun}"
    return f"{number:,} {noun[:-1]}ies" if noun.endswith(("cy", "gy", "ly")) else f"{number:,} {noun}s"


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


LABEL_KEY: Final = "name"
"""The setting with the label of a player. No strategy may have a parameter of this name."""


def player_label(text: str) -> str:
    """Return what tables and charts call the player of a text: the value of its setting `name`, else the text itself.

    >>> player_label('gtp:command="pentobi-gtp --level 1",name="Pentobi 1"'), player_label("rollout:playouts=64")
    ('Pentobi 1', 'rollout:playouts=64')
    """
    for setting in split_at_commas(text.partition(":")[2]):
        key, _, value = setting.partition("=")
        if key == LABEL_KEY and value:
            return value.strip('"')
    return text


def split_at_commas(text: str) -> list[str]:
    """Split a text at the commas that are outside double quotes.

    >>> split_at_commas('greedy,gtp:command="a, b",seconds=9')
    ['greedy', 'gtp:command="a, b"', 'seconds=9']
    """
    quoted = text.split('"')
    quoted[::2] = [outside.replace(",", "\0") for outside in quoted[::2]]
    return '"'.join(quoted).split("\0")


_CONTROL_CATEGORIES: Final = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Unicode categories of invisible characters with an effect: control characters, text direction, surrogates, line
separators."""


def escape_control_characters(text: str) -> str:
    r"""Return a text with every control character except the newline replaced by its escape sequence.

    >>> print(escape_control_characters("red\x1b[31m\nnext"))
    red\x1b[31m
    next
    """
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    return "".join(map(_escape_character, text))


def _escape_character(character: str) -> str:
    is_command = character != "\n" and unicodedata.category(character) in _CONTROL_CATEGORIES
    return repr(character)[1:-1] if is_command else character
