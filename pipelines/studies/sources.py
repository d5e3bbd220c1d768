"""What sections are made from: a library, the looks of its strategies, and how a run was made."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from engine.errors import InvalidError
from pipelines.design.short_names import shorten_names
from pipelines.notes.places import run_key
from pipelines.studies.study import Fact
from pipelines.viewer.strategy_looks import assign_strategy_looks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.ruleset import Ruleset
    from pipelines.runs.library import Library
    from pipelines.runs.run import Run
    from pipelines.viewer.palette import SeriesLook


@dataclass(frozen=True)
class StudySource:
    """The library that a study is about. Its runs are read once."""

    library: Library

    @cached_property
    def runs(self) -> tuple[Run, ...]:
        """All runs that can be read, newest first."""
        return tuple(self.library.runs())

    @cached_property
    def runs_by_key(self) -> Mapping[str, Run]:
        return {run_key(run): run for run in self.runs}

    def find_run(self, name: str) -> Run:
        """Return a run by its name; raise InvalidError, which names no other run, if there is none."""
        found = next((run for run in self.runs if run.name == name), None)
        if found is None:
            raise InvalidError(f"there is no run {name[:80]!r} in the library")
        return found

    @cached_property
    def rulesets(self) -> Mapping[str, Ruleset]:
        """The rulesets on disk, by name."""
        return self.library.catalogue.rulesets

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
    summary = run.summary
    with run.open_tables() as connection:
        versions = json.loads(connection.execute("SELECT versions FROM run").fetchall()[0][0])
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
