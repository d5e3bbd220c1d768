"""What sections are made from: a library, the looks of its strategies, and how a run was made."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from pipelines.design.short_names import shorten_names
from pipelines.notes.comments import read_comments
from pipelines.notes.places import run_key
from pipelines.notes.store import NoteStore
from pipelines.questions.source import QuestionSource
from pipelines.studies.study import Fact
from pipelines.viewer.strategy_looks import assign_strategy_looks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.runs.run import Run
    from pipelines.viewer.palette import SeriesLook


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

    @cached_property
    def _looks(self) -> dict[str, SeriesLook]:
        return self._assign_looks()

    def find_looks(self, strategies: tuple[str, ...]) -> Mapping[str, SeriesLook]:
        """Return the looks of strategies, which are those that the dashboard gives them."""
        if all(name in self._looks for name in strategies):
            return self._looks
        return self._assign_looks(strategies)

    def _assign_looks(self, more: tuple[str, ...] = ()) -> dict[str, SeriesLook]:
        summaries = [run.summary for run in self.runs]
        played = [(ruleset.game, one.strategies) for one in summaries for ruleset in one.rulesets]
        return assign_strategy_looks(played, more)


def run_title(run: Run) -> str:
    """Return the title of a run with the short names of its strategies."""
    return shorten_names(run.summary.title, run.summary.strategies)


def run_facts(run: Run) -> tuple[Fact, ...]:
    """Return how a run was made."""
    summary, versions = run.summary, run.versions
    made_with = ", ".join(
        f"{name} {versions[key]}"
        for key, name in (
            ("reroll", "Reroll"),
            ("rules", "rules"),
            ("python", "Python"),
            ("duckdb", "DuckDB"),
        )
        if key in versions
    )
    return (
        Fact("Run", run.name),
        Fact("Made", f"{summary.created_at:%d %B %Y}"),
        *(Fact("Ruleset", f"{ruleset.name}, SHA-256 {ruleset.sha256}") for ruleset in summary.rulesets),
        Fact("Seed", str(summary.seed)),
        Fact("Made with", made_with),
    )
