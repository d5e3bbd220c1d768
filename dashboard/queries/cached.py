"""Access of the pages to the library and to the answers of queries, with a cache.

Run files never change, so an answer is cached by the files it came from. A replaced file has another modification time
and thus another key.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar

import duckdb
import streamlit as st

from engine import games
from engine.errors import GameError
from pipelines.notes.baseline import BaselineStore
from pipelines.questions.source import QuestionSource
from pipelines.runs.library import Library, Run, connect_runs
from pipelines.viewer import palette
from pipelines.viewer.strategy_looks import assign_strategy_looks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Concatenate

    from engine.ruleset import Ruleset
    from engine.scene import Die, Scene
    from pipelines.notes.baseline import Baseline
    from pipelines.viewer.palette import SeriesLook

P = ParamSpec("P")
R = TypeVar("R")

QUERY_ERRORS: Final = (GameError, duckdb.Error)
"""What a run file from elsewhere may cause that a page cannot show."""


def dashboard_library() -> Library:
    """Return the library that the dashboard shows: that of `REROLL_DATA`, or the default one."""
    return Library()


def all_runs() -> list[Run]:
    """Return all runs that are on disk now, newest first."""
    return dashboard_library().runs()


def independent_runs() -> list[Run]:
    """Return the runs that are samples of whole games."""
    return [run for run in all_runs() if run.summary.is_sample]


def strategy_looks(more: Iterable[str] = ()) -> dict[str, SeriesLook]:
    """Return the look of every strategy of the library and of the strategies `more`: the same on every page.

    The pinned strategy has the look of the baseline.
    """
    played = [
        (ruleset.game, run.summary.strategies) for run in all_runs() for ruleset in run.summary.rulesets
    ]
    looks = assign_strategy_looks(played, more)
    baseline = read_baseline()
    if baseline and baseline.kind == "strategy" and baseline.name in looks:
        looks[baseline.name] = palette.BASELINE_LOOK
    return looks


def read_baseline() -> Baseline | None:
    """Return the pinned baseline. If the file of the notes cannot be read, there is none; the page Notes says why."""
    try:
        return BaselineStore(dashboard_library().folder).read_baseline()
    except GameError:
        return None


def baseline_run() -> Run | None:
    """Return the pinned run; None if a strategy or nothing is pinned, or if the run is gone."""
    baseline = read_baseline()
    return baseline.find_run(all_runs()) if baseline and baseline.kind == "run" else None


def baseline_strategy() -> str | None:
    """Return the name of the pinned strategy; None if a run or nothing is pinned."""
    baseline = read_baseline()
    return baseline.name if baseline and baseline.kind == "strategy" else None


@st.cache_resource(max_entries=16, show_spinner=False, on_release=lambda connection: connection.close())
def _open_connection(files: tuple[tuple[str, int], ...]) -> duckdb.DuckDBPyConnection:
    library = dashboard_library()
    return connect_runs([library.run(path) for path, _ in files])


def file_version(run: Run) -> tuple[str, int]:
    """Return the path of a run file and its modification time in nanoseconds: the cache key of the file."""
    return str(run.path), run.path.stat().st_mtime_ns


def file_versions(runs: Iterable[Run]) -> tuple[tuple[str, int], ...]:
    """Return the cache keys of some run files."""
    return tuple(map(file_version, runs))


@st.cache_data(max_entries=200, show_spinner=False)
def _cached_answer(
    query_name: str,
    files: tuple[tuple[str, int], ...],
    args: tuple[Any, ...],
    options: dict[str, Any],
    _query: Callable[..., Any],
) -> Any:  # noqa: ANN401 - the type depends on the query; `query_runs` restores it
    del query_name  # part of the cache key, because a function cannot be
    cursor = _open_connection(files).cursor()  # a cursor for each query: threads must not share one
    try:
        return _query(cursor, *args, **options)
    finally:
        cursor.close()


def query_runs(
    query: Callable[Concatenate[duckdb.DuckDBPyConnection, P], R],
    runs: Iterable[Run],
    *args: P.args,
    **kwargs: P.kwargs,
) -> R:
    """Return the answer of a function that asks a connection over some runs, from the cache if it is there."""
    answer: R = _cached_answer(query.__name__, file_versions(runs), args, kwargs, query)
    return answer


class CachedSource(QuestionSource):
    """The library of the dashboard as the source of questions; answers of queries come from the cache."""

    def query(
        self,
        ask: Callable[Concatenate[duckdb.DuckDBPyConnection, P], R],
        runs: Sequence[Run],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> R:
        """Return the answer of a function that asks a connection over some runs."""
        return query_runs(ask, runs, *args, **kwargs)


def question_source() -> QuestionSource:
    """Return the source that the questions of the pages are asked of."""
    return CachedSource(dashboard_library())


@st.cache_data(max_entries=128, show_spinner=False)
def _cached_printed_components(sha256: str, _ruleset: Ruleset) -> tuple[Scene, list[Die]]:
    del sha256  # the cache key
    game = games.find_game(_ruleset.game)
    return game.scene(_ruleset, []), game.dice(_ruleset)


def printed_components(ruleset: Ruleset) -> tuple[Scene, list[Die]]:
    """Return the printed components of a ruleset: a scene without plies, and the faces of the dice."""
    components: tuple[Scene, list[Die]] = _cached_printed_components(ruleset.sha256, ruleset)
    return components
