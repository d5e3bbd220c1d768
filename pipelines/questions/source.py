"""What questions are asked of: a library, whose runs are read once for each answer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from engine.errors import unknown_name_error

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from engine.ruleset import Ruleset
    from pipelines.runs.library import Library
    from pipelines.runs.run import Run


@dataclass(frozen=True)
class QuestionSource:
    """A library with its runs and rulesets, as they were when they were first asked for."""

    library: Library

    @cached_property
    def runs(self) -> tuple[Run, ...]:
        """All runs that can be read, newest first."""
        return tuple(self.library.runs())

    @cached_property
    def rulesets(self) -> Mapping[str, Ruleset]:
        """The rulesets on disk, by name."""
        return self.library.catalogue.rulesets

    def find_run(self, name: str) -> Run:
        """Return a run by its name; raise InvalidError, which suggests a similar name, if there is none."""
        found = next((run for run in self.runs if run.name == name), None)
        if found is None:
            raise unknown_name_error("run", name[:80], [run.name for run in self.runs])
        return found

    def find_runs(self, names: Iterable[str]) -> tuple[Run, ...]:
        """Return the runs of some names, all runs for no name. Raises InvalidError for a name that no run has."""
        return tuple(self.find_run(name) for name in names) or self.runs
