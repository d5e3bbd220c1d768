"""Comments on the moves of a game: what the notes on these moves say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.errors import GameError
from pipelines.notes.note import find_own_title, run_key
from pipelines.notes.store import NoteFilter
from pipelines.questions.address import read_fields
from pipelines.questions.game import START_PLY, GameQuestion

if TYPE_CHECKING:
    from pipelines.notes.store import NoteStore
    from pipelines.runs.run import Run

MAX_NOTES_OF_RUN: Final = 10_000


def read_comments(store: NoteStore, run: Run, game: int, *, only_favourites: bool = False) -> dict[int, str]:
    """Return the comments on the moves of a game by ply; several on one move stand in the order in which they were made.

    If the file of the notes cannot be read, there are none.
    """
    wanted = NoteFilter(page=GameQuestion.page, run_key=run_key(run), only_favourites=only_favourites)
    try:
        found = store.search(wanted, most=MAX_NOTES_OF_RUN).notes
    except GameError:
        return {}
    comments: dict[int, list[str]] = {}
    for note in sorted(found, key=lambda note: (note.created_at, note.note_id)):
        asked, _ = read_fields(GameQuestion, note.address)
        words = [line for line in (find_own_title(note), note.text) if line]
        if words and asked.game == game and asked.ply != START_PLY:
            comments.setdefault(asked.ply, []).extend(words)
    return {ply: "\n".join(words) for ply, words in comments.items()}
