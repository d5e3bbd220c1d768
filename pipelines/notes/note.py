"""A note: an address of the dashboard with a title, a text, tags and collections."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, get_args

from engine.errors import InvalidError
from pipelines.design.limits import (
    MAX_LABEL_CHARACTERS,
    MAX_TEXT_CHARACTERS,
    MAX_TITLE_CHARACTERS,
    check_length,
)
from pipelines.questions.address import format_path

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from pipelines.questions.address import Address

NoteKind = Literal[
    "run", "game", "ply", "comparison", "what-if", "chart", "question", "rules", "hand", "simulation"
]
NOTE_KINDS: Final[tuple[NoteKind, ...]] = get_args(NoteKind)

MAX_LABELS: Final = 30
"""Tags of a note, and collections of a note."""
MAX_ADDRESS_CHARACTERS: Final = 20_000
"""A question in SQL is part of its address."""
_PAGE_PATTERN: Final = re.compile(r"[a-z]{1,20}")


@dataclass(frozen=True)
class Note:
    """One thing that somebody has kept. Notes are changed through `pipelines.notes.store.NoteStore` only."""

    note_id: str
    """32 hexadecimal digits."""
    kind: NoteKind
    page: str
    """Name of the page, such as `replay`; `library` is the page at the address `/`."""
    address: Address
    """What the page shows. The key `run` has the name that the run had when the note was made."""
    run_key: str | None
    """What identifies the run whatever its file is called (`pipelines.notes.places.run_key`); None without a run."""
    title: str
    text: str
    tags: tuple[str, ...]
    collections: tuple[str, ...]
    is_favourite: bool
    created_at: datetime
    """UTC, without a time zone; so is the next."""
    changed_at: datetime
    version: int
    """Counts the changes, from 1."""

    @property
    def path(self) -> str:
        """The address with the page, such as `/replay?run=demo&game-number=4`."""
        return format_path(self.page, self.address)

    @property
    def content(self) -> NoteContent:
        """What people write and change."""
        return NoteContent(self.title, self.text, self.tags, self.collections, is_favourite=self.is_favourite)


@dataclass(frozen=True)
class NoteContent:
    """What people write and change of a note. Raises InvalidError if something is too long or empty."""

    title: str
    text: str = ""
    tags: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
    is_favourite: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", " ".join(self.title.split()))
        object.__setattr__(self, "text", self.text.replace("\r\n", "\n").replace("\r", "\n").strip())
        object.__setattr__(self, "tags", clean_labels(self.tags, "tag"))
        object.__setattr__(self, "collections", clean_labels(self.collections, "collection"))
        if not self.title:
            raise InvalidError("a note needs a title")
        check_length(self.title, MAX_TITLE_CHARACTERS, "the title of the note")
        check_length(self.text, MAX_TEXT_CHARACTERS, "the text of the note")


@dataclass(frozen=True)
class NotePlace:
    """What a note is about."""

    kind: NoteKind
    page: str
    address: Address = field(default_factory=dict)
    run_key: str | None = None

    def __post_init__(self) -> None:
        if self.kind not in NOTE_KINDS:
            raise InvalidError(f"unknown kind of note {self.kind!r}; the kinds are {', '.join(NOTE_KINDS)}")
        if not _PAGE_PATTERN.fullmatch(self.page):
            raise InvalidError(f"{self.page!r} is no page")
        if len(format_path(self.page, self.address)) > MAX_ADDRESS_CHARACTERS:
            raise InvalidError(f"the address of a note has more than {MAX_ADDRESS_CHARACTERS:,} characters")


def clean_labels(labels: Iterable[str], what: str) -> tuple[str, ...]:
    """Return tags or collections without surrounding spaces and without repetitions, in alphabetical order.

    Two labels that differ only in upper and lower case are the same; the first one counts.

    >>> clean_labels([" opening ", "Opening", "", "close  finish"], "tag")
    ('close finish', 'opening')

    Raises InvalidError if there are too many, or if one is too long.
    """
    found: dict[str, str] = {}
    for label in labels:
        cleaned = " ".join(label.replace(",", " ").split())
        check_length(cleaned, MAX_LABEL_CHARACTERS, f"the {what}")
        if cleaned:
            found.setdefault(cleaned.casefold(), cleaned)
    if len(found) > MAX_LABELS:
        raise InvalidError(f"a note has at most {MAX_LABELS} {what}s, not {len(found)}")
    return tuple(found[key] for key in sorted(found))


def read_address(value: object) -> dict[str, list[str]]:
    """Return a JSON value as the query of an address; raise InvalidError if it is none."""
    if not isinstance(value, dict):
        raise InvalidError("an address is an object of texts")
    address = {}
    for key, values in value.items():
        listed = [values] if isinstance(values, str) else values
        if not isinstance(listed, list) or not all(isinstance(text, str) for text in listed):
            raise InvalidError(f"the value of {str(key)[:40]!r} in an address is not a text")
        address[str(key)] = list(listed)
    return address
