"""Making untrusted text safe to print on a terminal."""

from __future__ import annotations

import unicodedata
from typing import Final

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
