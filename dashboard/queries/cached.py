"""Where the pages get their numbers: the library, and queries whose answers are kept for a while.

Run files never change, so an answer is kept under the files it came from; a new file is a new key.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar

import streamlit as st

from dashboard.widgets import palette
from engine import games
from pipelines.runs.library import Library, Run, connect_runs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Concatenate

    import duckdb

    from dashboard.widgets.palette import SeriesLook
    from engine.ruleset import Ruleset
    from engine.scene import Die, Scene

P = ParamSpec("P")
R = TypeVar("R")


def dashboard_library() -> Library:
    """Return the library of this dashboard."""
    return Library()


def all_runs() -> list[Run]:
    """Return all runs, newest first, as they are on disk now."""
    return dashboard_library().runs()


def independent_runs() -> list[Run]:
    """Return the runs whose games can stand for others: those of a what-if all begin alike."""
    return [run for run in all_runs() if run.summary.kind != "whatif"]


def strategy_looks(more: Iterable[str] = ()) -> dict[str, SeriesLook]:
    """Return the look of every strategy of the library and of some more: the same on every page."""
    return palette.assign_looks([*(name for run in all_runs() for name in run.summary.strategies), *more])


@st.cache_resource(max_entries=16, show_spinner=False, on_release=lambda connection: connection.close())
def _open_connection(files: tuple[tuple[str, int], ...]) -> duckdb.DuckDBPyConnection:
    shelf = dashboard_library()
    return connect_runs([shelf.run(name) for name, _ in files])


def file_version(run: Run) -> tuple[str, int]:
    """Name the file behind a run by its path and when it was written (nanoseconds): one that was replaced is another."""
    return str(run.path), run.path.stat().st_mtime_ns


def file_versions(chosen: Iterable[Run]) -> tuple[tuple[str, int], ...]:
    """Name the files behind some runs."""
    return tuple(map(file_version, chosen))


@st.cache_data(max_entries=200, show_spinner=False)
def _cached_answer(
    query_name: str, files: tuple[tuple[str, int], ...], args: tuple[Any, ...], _query: Callable[..., Any]
) -> Any:  # noqa: ANN401 - whatever the query returns; `ask` keeps the type
    del query_name  # part of the key, as the function itself cannot be
    cursor = _open_connection(files).cursor()  # one cursor a query: connections are not for several threads
    try:
        return _query(cursor, *args)
    finally:
        cursor.close()


def query_runs(
    query: Callable[Concatenate[duckdb.DuckDBPyConnection, P], R],
    chosen: Iterable[Run],
    *args: P.args,
    **kwargs: P.kwargs,
) -> R:
    """Ask some runs a question of `dashboard.queries.scores`."""
    found: R = _cached_answer(query.__name__, file_versions(chosen), (*args, *kwargs.values()), query)
    return found


@dataclass(frozen=True)
class RulesetInRuns:
    """A ruleset as it stands in one or more runs."""

    label: str
    """Its name; with the start of its hash where runs of one name hold different rules."""
    sha256: str
    title: str
    game: str
    lowest_wins: bool
    runs: tuple[Run, ...]

    @property
    def strategies(self) -> list[str]:
        """Who played it."""
        return sorted({name for run in self.runs for name in run.summary.strategies})

    @property
    def reconstructed_tables(self) -> list[str]:
        """The tables of it that are our reconstruction."""
        held = self.runs[0].rulesets.values()
        return next(
            (list_reconstructed_tables(ruleset) for ruleset in held if ruleset.sha256 == self.sha256), []
        )


def rulesets_by_label(chosen: Iterable[Run]) -> dict[str, RulesetInRuns]:
    """Return the rulesets of some runs by label, in the order of the runs."""
    found: dict[str, list[Run]] = {}
    summaries = {}
    for run in chosen:
        for ruleset in run.summary.rulesets:
            found.setdefault(ruleset.sha256, []).append(run)
            summaries[ruleset.sha256] = ruleset
    names = [ruleset.name for ruleset in summaries.values()]
    labelled = {}
    for sha256, where in found.items():
        ruleset = summaries[sha256]
        label = ruleset.name if names.count(ruleset.name) == 1 else f"{ruleset.name} ({sha256[:6]})"
        labelled[label] = RulesetInRuns(
            label, sha256, ruleset.title, ruleset.game, ruleset.lowest_wins, tuple(where)
        )
    return labelled


def list_reconstructed_tables(ruleset: Ruleset) -> list[str]:
    """Name the tables of a ruleset that are our reconstruction."""
    return [
        table.replace("_", " ") for table, origin in ruleset.provenance.items() if origin == "reconstructed"
    ]


@st.cache_data(max_entries=128, show_spinner=False)
def _cached_printed_components(sha256: str, _ruleset: Ruleset) -> tuple[Scene, list[Die]]:
    del sha256  # the key
    game = games.find_game(_ruleset.game)
    return game.scene(_ruleset, []), game.dice(_ruleset)


def printed_components(ruleset: Ruleset) -> tuple[Scene, list[Die]]:
    """Return what a ruleset prints: a scene without plies, and the faces of the dice. Some games work long for a board."""
    found: tuple[Scene, list[Die]] = _cached_printed_components(ruleset.sha256, ruleset)
    return found


WORD_JOINER: Final = "\u2060"
_AUTO_MARKUP_PATTERN: Final = re.compile(
    r"https?:(?=//)|www(?=\.)|[\w.+-](?=@)|:(?=[\w+/-]+:)", re.IGNORECASE
)


def escape_markdown(text: str) -> str:
    """Take a text from data as plain text where Streamlit would read Markdown.

    Addresses become links, and words between colons pictures, after the backslashes are gone: a sign without width parts them.
    """
    flat = re.sub(r"\s+", " ", text)  # an empty line, an indent or an underline of signs would be markup
    flat = _AUTO_MARKUP_PATTERN.sub(rf"\g<0>{WORD_JOINER}", flat)
    marked = re.sub(r"([\\`*_{}\[\]()#+!|<>~$:&-])", r"\\\1", flat)
    return re.sub(r"^( ?[0-9]+)\.", r"\1\\.", marked)  # nor is it the first item of a list
