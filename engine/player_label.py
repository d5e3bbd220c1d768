"""The label of a player, by which tables and charts call it, and the commas that separate the settings of a player."""

from __future__ import annotations

from typing import Final

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
