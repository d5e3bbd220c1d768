"""What pages read from the library and keep: runs, answers, looks of strategies, and verdicts of comparisons.

Run files never change, so an answer is cached by the files it came from. A replaced file has another modification time
and thus another key.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar

import duckdb
import streamlit as st

from engine import games
from engine.errors import GameError, InvalidError
from pipelines.design.designs import WhatIfDesign
from pipelines.experiments.background_work import BackgroundWork
from pipelines.questions.address import write_path
from pipelines.questions.comparison import (
    MAX_LISTED_GAMES,
    ComparisonAnswer,
    KnownComparisonQuestion,
    answer_for_list,
)
from pipelines.questions.games import GamesAnswer, GamesQuestion, answer_games
from pipelines.questions.source import QuestionSource
from pipelines.questions.whatif import WhatifQuestion, answer_saved_whatif
from pipelines.report.compose import Answer, compose
from pipelines.runs.attach import RunQuery, find_states, run_pool
from pipelines.runs.library import Library, Run
from pipelines.runs.names import RUN_SUFFIX
from pipelines.runs.pack import MAX_OPEN_RUNS, MAX_UNPACKED_RUNS, look_up_sources, pack_runs
from pipelines.runs.run import REVIEWS_FOLDER
from pipelines.statistics import MIN_BLOCKS
from pipelines.studies.forms import BUSY, BusyError, query_turns
from pipelines.viewer.palette import SeriesLook, assign_strategy_looks

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from engine.scene import Die, Scene
    from pipelines.design.lineups import MetricName
    from pipelines.experiments.comparison import Comparison
    from pipelines.report.sheet import Sheet

P = ParamSpec("P")
R = TypeVar("R")

QUERY_ERRORS: Final = (GameError, duckdb.Error)
"""What a run file from elsewhere may cause that a page cannot show."""
READING_SECONDS: Final = 1.0
"""So long the first page waits for the run files to be read; then the progress takes its place."""

_readings: Final[dict[Path, BackgroundWork[tuple[int, int]]]] = {}
_packings: Final[dict[Path, BackgroundWork[tuple[int, int]]]] = {}
_preparation_lock: Final = threading.Lock()


def dashboard_library() -> Library:
    """Return the library that the dashboard shows: that of `REROLL_DATA`, or the default one."""
    return Library()


def describe_absent_folder() -> str:
    """Return a sentence on the data folder if it does not exist, because its name may be mistyped; else an empty text."""
    folder = dashboard_library().folder
    return "" if folder.exists() else f"The folder {folder} does not exist yet; the first games create it."


def all_runs() -> list[Run]:
    """Return all runs that are on disk now, newest first."""
    return dashboard_library().runs()


def strategy_looks(more: Iterable[str] = ()) -> dict[str, SeriesLook]:
    """Return the look of every strategy of the library and of the strategies `more`: the same on every page."""
    played = [
        (ruleset.game, run.summary.strategies) for run in all_runs() for ruleset in run.summary.rulesets
    ]
    return assign_strategy_looks(played, more)


def compose_sheet(answer: Answer) -> Sheet:
    """Return the sheet of an answer in the looks of the dashboard."""
    return compose(answer, strategy_looks)


class PreparationError(Exception):
    """Run files are being read or packed, and the page needs them. `show_failures` shows the progress of that work."""


def prepare_library() -> None:
    """Read new run files before the first page of this process; raise PreparationError if that takes long."""
    library = dashboard_library()
    with _preparation_lock:
        if library.folder not in _readings:
            _readings[library.folder] = BackgroundWork(lambda _: library.iter_reading(), ends_when_idle=False)
    reading = _readings[library.folder]
    reading.wait(READING_SECONDS)
    if not reading.is_over:
        raise PreparationError


def prepare_runs(runs: Sequence[Run]) -> None:
    """Have runs packed in the background if many of them are in no pack; raise PreparationError if that must come first.

    Work that failed is not started again: asking then tells why.
    """
    sources = look_up_sources(runs)
    if len(sources.unpacked) <= MAX_UNPACKED_RUNS:
        return
    folder = dashboard_library().folder
    with _preparation_lock:
        packing = _packings.get(folder)
        if packing is None or (packing.is_over and not packing.error):
            unpacked = look_up_sources(all_runs()).unpacked
            packing = BackgroundWork(
                lambda _: ((done, len(unpacked)) for done in pack_runs(unpacked)), ends_when_idle=False
            )
            _packings[folder] = packing
    if len(sources.files) > MAX_OPEN_RUNS and not packing.is_over:
        raise PreparationError


def find_preparation() -> BackgroundWork[tuple[int, int]] | None:
    """Return the work that reads or packs run files now and yields how many of how many are done, or None."""
    folder = dashboard_library().folder
    preparations = (_readings.get(folder), _packings.get(folder))
    return next((work for work in preparations if work and not work.is_over), None)


def file_version(run: Run) -> tuple[str, int]:
    """Return the path of a run file and its modification time in nanoseconds: the cache key of the file."""
    return str(run.path), run.path.stat().st_mtime_ns


def hash_file_versions(runs: Iterable[Run]) -> str:
    """Return a cache key of some run files."""
    return hashlib.sha256(repr(find_states(runs)).encode()).hexdigest()


@st.cache_data(max_entries=200, show_spinner=False)
def _cached_answer(
    query_name: str,
    files: str,
    args: tuple[Any, ...],
    options: dict[str, Any],
    _query: Callable[..., Any],
    _runs: Sequence[Run],
) -> Any:  # noqa: ANN401 - the type depends on the query; `query_runs` restores it
    del query_name, files  # part of the cache key, because functions and runs cannot be
    prepare_runs(_runs)
    return run_pool.ask(_query, _runs, *args, **options)


def query_runs(query: RunQuery[P, R], runs: Iterable[Run], *args: P.args, **kwargs: P.kwargs) -> R:
    """Return the answer of a function that asks a connection over some runs, from the cache if it is there."""
    asked_runs = tuple(runs)
    answer: R = _cached_answer(
        query.__name__, hash_file_versions(asked_runs), args, kwargs, query, asked_runs
    )
    return answer


class CachedSource(QuestionSource):
    """The library of the dashboard as the source of questions; answers of queries come from the cache."""

    @cached_property
    def version(self) -> str:
        """A cache key of all runs, as they were when they were first asked for."""
        return hash_file_versions(self.runs)

    def query(self, ask: RunQuery[P, R], runs: Sequence[Run], *args: P.args, **kwargs: P.kwargs) -> R:
        """Return the answer of a function that asks a connection over some runs."""
        return query_runs(ask, runs, *args, **kwargs)

    def prepare(self, runs: Sequence[Run]) -> None:
        """Raise PreparationError if many of the runs are not packed yet."""
        prepare_runs(runs)


def question_source() -> CachedSource:
    """Return the source that the questions of the pages are asked of."""
    return CachedSource(dashboard_library())


@st.cache_data(max_entries=200, show_spinner=False)
def _cached_games(version: str, path: str, _question: GamesQuestion, _source: QuestionSource) -> GamesAnswer:
    del version, path  # part of the cache key, because questions and sources cannot be
    if not _question.typed_sql:
        return answer_games(_question, _source)
    try:
        with query_turns.take():
            return answer_games(_question, _source)
    except BusyError:
        raise InvalidError(BUSY) from None


def list_games(question: GamesQuestion, source: CachedSource) -> GamesAnswer:
    """Return what `answer_games` returns, from the cache if it is there: a page asks for many orders of the same games."""
    reviews = list_review_states(source.library) if question.sort == "luck" else ""
    return _cached_games(source.version, f"{write_path(question)} {reviews}", question, source)


def list_review_states(library: Library) -> str:
    """Return what tells that the reviews of a library are the same as before."""
    folder = library.folder / REVIEWS_FOLDER
    return repr(sorted((path.name, path.stat().st_mtime_ns) for path in folder.glob(f"*{RUN_SUFFIX}")))


@st.cache_data(max_entries=128, show_spinner=False)
def _cached_printed_components(sha256: str, _ruleset: Ruleset) -> tuple[Scene, list[Die]]:
    del sha256  # the cache key
    game = games.find_game(_ruleset.game)
    return game.scene(_ruleset, []), game.dice(_ruleset)


def printed_components(ruleset: Ruleset) -> tuple[Scene, list[Die]]:
    """Return the printed components of a ruleset: a scene without plies, and the faces of the dice."""
    components: tuple[Scene, list[Die]] = _cached_printed_components(ruleset.sha256, ruleset)
    return components


def write_run_verdict(run: Run) -> str:
    """Return the verdict of a comparison or of a what-if in a sentence; empty if the run is too large or has none."""
    if not run.summary.is_whatif:
        return write_comparison_verdict(run)
    whatif = read_run_whatif(run)
    return whatif[0] if whatif else ""


def write_comparison_verdict(run: Run, metric: MetricName | None = None) -> str:
    """Return the verdict of a comparison in a sentence; empty if `read_listed_comparison` returns None."""
    return _cached_verdict(*file_version(run), metric)


def read_run_whatif(run: Run) -> tuple[str, WhatifQuestion] | None:
    """Return the effect of the change of a what-if in a sentence, and the question; None if the run is too large or has none.

    A what-if has none if the run with the game that it forks is not in the library.
    """
    if run.summary.games > MAX_LISTED_GAMES:
        return None
    try:
        parent = dashboard_library().run(_cached_parent_name(*file_version(run)))
        return _cached_whatif_verdict(*file_version(run), *file_version(parent))
    except (GameError, OSError):
        return None


def has_verdict(run: Run) -> bool:
    """Return whether a comparison is not too large for a list, and has enough blocks for a verdict."""
    comparison = read_listed_comparison(run)
    return comparison is not None and comparison.blocks >= MIN_BLOCKS


def read_listed_comparison(run: Run, metric: MetricName | None = None) -> Comparison | None:
    """Return a comparison without its controls; None if the run is too large for a list or cannot be compared.

    Without `metric`, it is measured by what it was played for.
    """
    return _cached_comparison(*file_version(run), metric)


def read_listed_sheet(run: Run, metric: MetricName | None = None) -> Sheet | None:
    """Return the sheet of what `read_listed_comparison` returns."""
    comparison = read_listed_comparison(run, metric)
    if comparison is None:
        return None
    question = KnownComparisonQuestion(run=run.name, metric=metric)
    return compose_sheet(ComparisonAnswer(question, comparison))


@st.cache_data(max_entries=500, show_spinner=False)
def _cached_verdict(path: str, changed: int, metric: MetricName | None) -> str:
    del changed  # part of the key
    sheet = read_listed_sheet(dashboard_library().run(path), metric)
    return sheet.verdict if sheet else ""


@st.cache_data(max_entries=500, show_spinner=False)
def _cached_comparison(path: str, changed: int, metric: MetricName | None) -> Comparison | None:
    del changed  # part of the key
    question = KnownComparisonQuestion(metric=metric)
    answer = answer_for_list(question, dashboard_library().run(path))
    return answer.comparison if answer else None


@st.cache_data(max_entries=500, show_spinner=False)
def _cached_parent_name(path: str, changed: int) -> str:
    """Return the name of the run with the game that a what-if forks; empty if the run has another kind."""
    del changed  # part of the key
    design = dashboard_library().run(path).design
    return design.fork.run if isinstance(design, WhatIfDesign) else ""


@st.cache_data(max_entries=500, show_spinner=False)
def _cached_whatif_verdict(
    path: str, changed: int, parent_path: str, parent_changed: int
) -> tuple[str, WhatifQuestion]:
    """Return the effect of the change of a what-if in a sentence, and the question."""
    del changed, parent_changed  # parts of the key
    library = dashboard_library()
    source = QuestionSource(only=(library.run(parent_path),))
    answer = answer_saved_whatif(library.run(path), source)
    return compose_sheet(answer).verdict, answer.question
