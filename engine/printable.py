"""Texts that may come from anybody, for a terminal: what they hold is shown, never obeyed."""

from __future__ import annotations

import unicodedata
from typing import Final

_CONTROL_CATEGORIES: Final = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Unicode's categories of what is not shown but does something: control characters, the direction of writing, halves of
pairs, separators of lines."""


def escape_control_characters(text: str) -> str:
    r"""Return a text in which what would command a terminal is written out; ends of lines stay.

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
