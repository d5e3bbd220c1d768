"""What questions are asked of: a library, whose runs are read once for each answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from engine.errors import InvalidError
from pipelines.design.limits import normal_form
from pipelines.runs.attach import RunQuery, find_states, run_pool
from pipelines.runs.library import Library
from pipelines.runs.names import RUN_SUFFIX
from pipelines.runs.pack import find_sources
from pipelines.runs.reviews import LuckCounts, count_luck
from pipelines.runs.summary_index import SummaryIndex
from pipelines.viewer.palette import SeriesLook, assign_strategy_looks

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from pipelines.runs.run import Run

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class QuestionSource:
    """A library with its runs and rulesets, as they were when they were first asked for."""

    library: Library = field(default_factory=Library)
    only: tuple[Run, ...] | None = None
    """The runs that questions are asked of instead of those of the library, such as a single file."""

    @cached_property
    def runs(self) -> tuple[Run, ...]:
        """All runs that can be read, newest first."""
        return tuple(self.library.runs()) if self.only is None else self.only

    @cached_property
    def unreadable(self) -> tuple[str, ...]:
        """One message for each run file of the library that cannot be read."""
        broken = {} if self.only is not None else self.library.broken_files()
        return tuple(str(error) for path, error in broken.items() if path.suffix == RUN_SUFFIX)

    def query(self, ask: RunQuery[P, R], runs: Sequence[Run], *args: P.args, **kwargs: P.kwargs) -> R:
        """Return the answer of a function that asks a connection over some runs; raise InvalidError if a file is damaged."""
        return run_pool.ask(ask, runs, *args, **kwargs)

    def recall(
        self,
        kind: Callable[..., R],
        ask: RunQuery[P, list[R]],
        runs: Sequence[Run],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> list[R]:
        """Return the rows, made by `kind`, of a function that reads much; the index keeps them until one of the files changes.

        The fields of a row and all arguments must be JSON data.
        """
        if self.only is not None:
            return self.query(ask, runs, *args, **kwargs)
        index = SummaryIndex(self.library.folder)
        key = json.dumps([ask.__name__, args, kwargs, find_states(runs)])
        with suppress(TypeError, ValueError):
            if (rows := index.recall_rows(key)) is not None:
                return [kind(*row) for row in rows]
        answer = self.query(ask, runs, *args, **kwargs)
        index.keep_rows(key, list(answer))
        return answer

    def query_reviews(self, ask: RunQuery[P, R], runs: Sequence[Run], *args: P.args, **kwargs: P.kwargs) -> R:
        """Return the same over some runs and the reviews of their games."""
        return run_pool.ask_reviews(ask, runs, *args, **kwargs)

    def count_luck(self, game: str) -> LuckCounts:
        """Return of how many edges and rolls the largest is picked in all reviewed games of a game, whatever is asked of them."""
        played = [run for run in self.runs if run.summary.rulesets[0].game == game]
        return self.query_reviews(count_luck, [run for run in played if run.review_path.exists()])

    def prepare(self, runs: Sequence[Run]) -> None:
        """Do what takes long before many runs are asked for the first time."""
        find_sources(runs)

    @cached_property
    def rulesets(self) -> Mapping[str, Ruleset]:
        """The rulesets on disk, by name."""
        return self.library.catalogue.rulesets

    def find_run(self, name: str) -> Run:
        """Return a run by its name; raise InvalidError, which names no other run, if it does not exist or the name is empty."""
        if not name:
            raise InvalidError("the address names no run; open something on its page first")
        run = next((run for run in self.runs if run.name == normal_form(name)), None)
        if run is not None:
            return run
        if self.only is None and self.library.has_unfinished_run(name):
            return self.library.run(name)  # it says that the run is not finished
        raise InvalidError(f"there is no run {name[:80]!r} in the library")

    def find_runs(self, names: Iterable[str]) -> tuple[Run, ...]:
        """Return the runs of some names, all runs for no name. Raises InvalidError for a name that no run has."""
        return tuple(self.find_run(name) for name in names) or self.runs

    def find_looks(self, strategies: Iterable[str]) -> Mapping[str, SeriesLook]:
        """Return the looks of strategies, which are the same in all answers of the library."""
        names = tuple(strategies)
        if all(name in self._looks for name in names):
            return self._looks
        return self._assign_looks(names)

    @cached_property
    def _looks(self) -> Mapping[str, SeriesLook]:
        return self._assign_looks()

    def _assign_looks(self, more: tuple[str, ...] = ()) -> Mapping[str, SeriesLook]:
        summaries = [run.summary for run in self.runs]
        played = [(ruleset.game, summary.strategies) for summary in summaries for ruleset in summary.rulesets]
        return assign_strategy_looks(played, more)
