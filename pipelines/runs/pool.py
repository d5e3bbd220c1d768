"""A bounded pool of connections over sets of runs: the last ones stay open, because pages ask the same few sets again."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final, ParamSpec, TypeAlias, TypeVar

import duckdb

from engine.errors import InvalidError
from pipelines.runs.attach import connect_sources
from pipelines.runs.pack import MAX_OPEN_RUNS, drop_damaged_packs
from pipelines.runs.summary_index import FileState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Concatenate

    from pipelines.runs.pack import RunSources
    from pipelines.runs.run import Run

P = ParamSpec("P")
R = TypeVar("R")
RunsKey: TypeAlias = tuple[tuple[str, FileState], ...]
MAX_CONNECTIONS: Final = 4
"""A connection over packs takes 12 MB and more, and 0.05 s to open."""
MAX_PATHS_CHARACTERS: Final = 500
"""Characters of the list of files in a message."""


class RunPool:
    """Connections over sets of runs, at most `MAX_CONNECTIONS` with `MAX_OPEN_RUNS` files. Threads may share it."""

    def __init__(self) -> None:
        self._held: dict[RunsKey, tuple[duckdb.DuckDBPyConnection, RunSources]] = {}
        self._lock = threading.Lock()

    def ask(
        self,
        ask: Callable[Concatenate[duckdb.DuckDBPyConnection, P], R],
        runs: Sequence[Run],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> R:
        """Return the answer of a function that asks a connection over some runs; raise InvalidError if a file is damaged."""
        key = find_states(runs)
        opened, sources = self._open(key, runs)
        try:
            with opened as cursor:
                return ask(cursor, *args, **kwargs)
        except duckdb.Error as error:
            with self._lock:
                self._held.pop(key, None)
            if drop_damaged_packs(sources.packs):
                return self.ask(ask, runs, *args, **kwargs)
            what = "the file is" if len(runs) == 1 else "one of these files is"
            paths = ", ".join(str(run.path) for run in runs)[:MAX_PATHS_CHARACTERS]
            raise InvalidError(f"{paths}: {what} damaged: {str(error).splitlines()[0]}") from None

    def _open(self, key: RunsKey, runs: Sequence[Run]) -> tuple[duckdb.DuckDBPyConnection, RunSources]:
        """Return a cursor over some runs, and the files that it reads; their connection is then the last to be closed."""
        with self._lock:
            if key in self._held:
                self._held[key] = connection, sources = self._held.pop(key)
                return connection.cursor(), sources
        connection, sources = connect_sources(runs)
        with self._lock:
            self._held[key] = connection, sources
            while len(self._held) > 1 and not self._is_within_limits():
                # The files stay open for the cursors of other threads, until these are closed.
                self._held.pop(next(iter(self._held)))[0].close()
            return connection.cursor(), sources

    def _is_within_limits(self) -> bool:
        files = sum(len(sources.files) + len(sources.packs) for _, sources in self._held.values())
        return len(self._held) <= MAX_CONNECTIONS and files <= MAX_OPEN_RUNS


run_pool: Final = RunPool()
"""The pool of this process."""


def find_states(runs: Iterable[Run]) -> RunsKey:
    """Return what tells that the files of some runs are the same as before; raise InvalidError if one has gone."""
    states = []
    for run in runs:
        try:
            states.append((str(run.path), FileState.of(run.path)))
        except OSError as error:
            raise InvalidError(f"{run.path}: {error.strerror}") from None
    return tuple(states)
