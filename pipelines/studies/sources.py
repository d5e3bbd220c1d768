"""What sections are made from: a library, the looks of its strategies, and how a run was made."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from pipelines.notes.comments import read_comments
from pipelines.notes.places import run_key
from pipelines.notes.store import NoteStore
from pipelines.questions.source import QuestionSource

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.runs.run import Run


@dataclass(frozen=True)
class StudySource(QuestionSource):
    """The library that a study is about, with the looks of its strategies."""

    only_favourites: bool = False
    """Whether of the comments on moves only those of favourite notes may be shown."""

    @cached_property
    def runs_by_key(self) -> Mapping[str, Run]:
        return {run_key(run): run for run in self.runs}

    def read_comments(self, run: Run, game: int) -> Mapping[int, str]:
        """Return what notes say on the moves of a game, by ply."""
        store = NoteStore(self.library.folder)
        return read_comments(store, run, game, only_favourites=self.only_favourites)
