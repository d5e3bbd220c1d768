"""The table of notes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.notes.places import current_address
from pipelines.questions.address import format_path
from pipelines.report.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pipelines.notes.note import Note

SHOWN_ID_LENGTH: Final = 8
"""Digits of an id that a list shows; any longer or shorter beginning that only one note has will do."""


def tabulate_notes(notes: Sequence[Note], names: Mapping[str, Sequence[str]]) -> Table:
    """Return a row for each note. `names` are the names of the runs by `pipelines.notes.places.names_by_key`."""
    return Table(
        "Notes",
        ("id", "kind", "title", "tags", "changed", "address"),
        tuple(
            (
                note.note_id[:SHOWN_ID_LENGTH],
                note.kind,
                f"{'* ' if note.is_favourite else ''}{note.title}",
                ", ".join(note.tags),
                f"{note.changed_at:%Y-%m-%d %H:%M}",
                "(the run is gone)" if address is None else format_path(note.page, address),
            )
            for note in notes
            for address in [current_address(note, names)]
        ),
    )
