"""The filters of the page Notes as a value, read from its address."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated, ClassVar, Final

from pydantic import Field

from pipelines.notes.note import NOTE_KINDS
from pipelines.questions.address import Question, describe_unknown
from pipelines.questions.simulation import Switch

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from pipelines.notes.note import NoteKind

KIND_NAMES: Final[Mapping[NoteKind, str]] = {
    **{kind: kind for kind in NOTE_KINDS},
    "ply": "move",
    "hand": "game by hand",
}
"""What people call the kinds of notes."""


class NoteListQuestion(Question):
    """Which notes are listed. Every field that is set must fit."""

    page: ClassVar[str] = "notes"

    words: Annotated[str, Field(title="search")] = ""
    kinds: Annotated[tuple[str, ...], Field(title="kind of note")] = ()
    """Names of `KIND_NAMES`."""
    tags: Annotated[tuple[str, ...], Field(title="tag")] = ()
    collection: Annotated[str, Field(title="collection")] = ""
    favourites: Annotated[Switch, Field(title="value of favourites")] = "false"

    @property
    def title(self) -> str:
        return "Notes"

    @property
    def command(self) -> str:
        words = ["reroll", "notes", *([self.words] if self.words else [])]
        words += [
            word for kind, name in KIND_NAMES.items() if name in self.kinds for word in ("--kind", kind)
        ]
        words += [word for tag in self.tags for word in ("--tag", tag)]
        words += ["--collection", self.collection] if self.collection else []
        return shlex.join([*words, *(["--favourites"] if self.favourites == "true" else [])])

    def find_problems(self, tags: Collection[str], collections: Collection[str]) -> tuple[str, ...]:
        """Return a sentence on each value that no note can have; `tags` and `collections` are those of all notes."""
        known = KIND_NAMES.values()
        problems = [describe_unknown("kind of note", kind) for kind in self.kinds if kind not in known]
        problems += [describe_unknown("tag", tag, "here") for tag in self.tags if tag not in tags]
        if self.collection and self.collection not in collections:
            problems.append(describe_unknown("collection", self.collection))
        return tuple(problems)
