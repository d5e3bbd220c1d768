"""Addresses of the dashboard as people copy them, and the fields of their queries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs, urlsplit

from engine.errors import InvalidError
from pipelines.notes.note import NotePlace

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.notes.note import Address

MAX_DIGITS: Final = 19


def is_address(text: str) -> bool:
    """Return whether a text is an address of the dashboard, with or without its host.

    >>> is_address("/replay?run=demo&game=3"), is_address("http://127.0.0.1:8600/sql?sql=x"), is_address("demo")
    (True, True, False)
    """
    return "?" in text and text.startswith(("/", "http://", "https://"))


def parse_address(text: str) -> tuple[str, Address]:
    """Return the page and the query of an address of the dashboard; raise InvalidError if it names no page.

    >>> parse_address("http://127.0.0.1:8600/replay?run=demo&game=3")
    ('replay', {'run': ['demo'], 'game': ['3']})
    """
    try:
        parts = urlsplit(text)
        query = parse_qs(parts.query, max_num_fields=100)
    except ValueError as error:
        raise InvalidError(f"{text[:80]!r} is no address: {error}") from None
    page = parts.path.strip("/").rpartition("/")[2] or "library"
    NotePlace("chart", page, query)  # raises InvalidError for what is no page
    return page, query


def first_values(address: Address) -> dict[str, str]:
    """Return the first value of every field."""
    return {key: values[0] for key, values in address.items() if values}


def read_number(fields: Mapping[str, str], name: str, otherwise: int) -> int:
    """Return a whole number of an address, or `otherwise` if it is missing; raise InvalidError if it is none.

    >>> read_number({"n": "12"}, "n", 7), read_number({}, "n", 7)
    (12, 7)
    """
    text = fields.get(name, "")
    if not text:
        return otherwise
    if not (text.isdecimal() and text.isascii() and len(text) <= MAX_DIGITS):
        raise InvalidError(f"{name}={text[:40]!r} is not a whole number")
    return int(text)
