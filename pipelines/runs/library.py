"""The library: a data folder with run files, unfinished runs, and the user's own rulesets."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from engine.catalogue import SHIPPED_RULESETS_FOLDER, Catalogue
from engine.errors import GameError, InvalidError, unknown_name_error
from engine.wording import format_count
from pipelines.design.limits import check_arguments, normal_form
from pipelines.runs.attach import connect_runs
from pipelines.runs.data_folder import data_folder
from pipelines.runs.names import (
    DUCKDB_LOG_SUFFIX,
    RUN_SUFFIX,
    UNFINISHED_SUFFIX,
    is_file_name,
    run_path,
    unfinished_path,
)
from pipelines.runs.query import asks_for_reviews
from pipelines.runs.run import InaccessibleError, Run, inaccessible_files, known_facts, remember_facts
from pipelines.runs.summary_index import FileState, SummaryIndex
from pipelines.runs.tables import query_arrow, query_pandas, query_polars
from pipelines.runs.unfinished_run import UnfinishedRun

if TYPE_CHECKING:
    import duckdb
    import pandas as pd
    import polars as pl
    import pyarrow as pa


READING_THREADS: Final = 2
MAX_SCANS: Final = 2
"""Data folders whose runs a process holds as long as no file changes."""

_last_scans: Final[dict[tuple[Path, Path], tuple[dict[str, FileState | None], tuple[Run, ...]]]] = {}
"""The states of the files of a folder, named as given and absolute, and its runs, newest first."""

__all__ = ["Library", "Run", "UnfinishedRun", "connect_runs"]


@dataclass(frozen=True, init=False)
class Library:
    """The runs and rulesets of one data folder. Every call sees the current files."""

    folder: Path

    @check_arguments
    def __init__(self, folder: str | Path | None = None) -> None:
        """Open a data folder (`~` is the home folder); without one, the folder that the `reroll` command uses."""
        explicit = None if folder is None else Path(folder).expanduser()
        object.__setattr__(self, "folder", data_folder(explicit))

    @property
    def runs_folder(self) -> Path:
        return self.folder / "runs"

    @property
    def ruleset_folders(self) -> tuple[Path, ...]:
        """The folders of rulesets: the user's own first, if there is one, then the shipped rulesets."""
        own_folder = self.folder / "rulesets"
        return (
            (own_folder, SHIPPED_RULESETS_FOLDER)
            if own_folder.is_dir() and own_folder.resolve() != SHIPPED_RULESETS_FOLDER.resolve()
            else (SHIPPED_RULESETS_FOLDER,)
        )

    @property
    def catalogue(self) -> Catalogue:
        """The rulesets that are on disk now."""
        return Catalogue(self.ruleset_folders)

    def runs(self) -> list[Run]:
        """Return all runs that can be read, newest first; raise InaccessibleError if the folder may not be listed."""
        return self._scan_runs()[0]

    def broken_files(self) -> dict[Path, GameError]:
        """Return the error of each run file and each folder of an unfinished run that cannot be read."""
        return {**self._scan_runs()[1], **self._scan_unfinished_runs()[1]}

    def _scan_runs(self) -> tuple[list[Run], dict[Path, GameError]]:
        states = self._find_file_states()
        key = self.runs_folder, self.runs_folder.absolute()
        if not inaccessible_files and key in _last_scans and _last_scans[key][0] == states:
            return list(_last_scans[key][1]), {}
        runs: list[Run] = []
        broken: dict[Path, GameError] = {}
        with self._use_index(states) as states_by_path:
            errors = dict(_read_unknown(states_by_path))
            for path, state in states_by_path.items():
                run = Run(path)
                if state and (path.absolute(), state) in known_facts:
                    run.remember(known_facts[path.absolute(), state])
                try:
                    if error := errors.get(path):
                        raise error
                    _ = run.summary
                    if path.absolute() in inaccessible_files:
                        run.try_to_open()
                    runs.append(run)
                except GameError as error:
                    if path.exists() or path.is_symlink():  # otherwise another process has just removed it
                        broken[path] = error
        runs.sort(key=lambda run: run.summary.created_at, reverse=True)
        if not broken:  # what is wrong may be beside the file and thus end without a change of its state
            _last_scans[key] = states, tuple(runs)
            for other in list(_last_scans)[:-MAX_SCANS]:
                _last_scans.pop(other, None)
        return runs, broken

    def _find_file_states(self) -> dict[str, FileState | None]:
        """Return the state of each run file in the order of their names; None if it cannot be told."""
        states: dict[str, FileState | None] = {}
        folder = str(self.runs_folder)
        names = self._list_files()
        for name in sorted(name for name in names if name.endswith(RUN_SUFFIX)):
            if f"{name}{DUCKDB_LOG_SUFFIX}" in names:  # whether it counts is a question for each run
                states[name] = None
                continue
            try:
                states[name] = FileState.of_status(os.stat(f"{folder}{os.sep}{name}"))  # noqa: PTH116 - many files
            except OSError:  # another process has just removed it, or it is a link to nothing
                states[name] = None
        return states

    def iter_reading(self) -> Generator[tuple[int, int]]:
        """Read what a list shows of each run file that neither this process nor the index knows, and put it into the index.

        Yields how many of how many files are read.
        """
        with self._use_index(self._find_file_states()) as states:
            unknown = sum((path.absolute(), state) not in known_facts for path, state in states.items())
            for number, _ in enumerate(_read_unknown(states), start=1):
                yield number, unknown

    @contextmanager
    def _use_index(
        self, states_by_name: Mapping[str, FileState | None]
    ) -> Iterator[dict[Path, FileState | None]]:
        """Take what the index knows of the run files before they are read, and put what was read into the index.

        Yields the states by path.
        """
        states = {self.runs_folder / name: state for name, state in states_by_name.items()}
        unknown = {
            path.name: (path, state)
            for path, state in states.items()
            if state and (path.absolute(), state) not in known_facts
        }
        index = SummaryIndex(self.folder)
        indexed = index.read({name: state for name, (_, state) in unknown.items()}) if unknown else {}
        folder = self.runs_folder.absolute()
        remember_facts({(folder / name, unknown[name][1]): facts for name, facts in indexed.items()})
        yield states
        new_facts = {
            name: (state, known_facts[path.absolute(), state])
            for name, (path, state) in unknown.items()
            if name not in indexed and (path.absolute(), state) in known_facts
        }
        if new_facts:
            index.write(new_facts, (path.name for path in states))

    def unfinished_runs(self) -> list[UnfinishedRun]:
        """Return the unfinished runs, running or stopped, in the order of their names."""
        return self._scan_unfinished_runs()[0]

    def _scan_unfinished_runs(self) -> tuple[list[UnfinishedRun], dict[Path, GameError]]:
        unfinished: list[UnfinishedRun] = []
        broken: dict[Path, GameError] = {}
        for folder in sorted(self.runs_folder.glob(f"*{UNFINISHED_SUFFIX}")):
            partial = UnfinishedRun(folder)
            try:
                _ = partial.design  # it is cached, for the folder may become a run file at any time
                unfinished.append(partial)
            except GameError as error:
                if folder.exists() or folder.is_symlink():
                    broken[folder] = error
        return unfinished, broken

    def run(self, name: str | Path) -> Run:
        """Return the run of a name, or of a path to a file; raise InvalidError if it does not exist."""
        run = Run(
            self._find_path(str(name), ".duckdb", "run", (Path(name).stem for name in self._run_file_names()))
        )
        _ = run.summary
        return run

    def unfinished_run(self, name: str | Path) -> UnfinishedRun:
        """Return the unfinished run of a name, or of a path to its folder; raise InvalidError if it does not exist."""
        names = (partial.name for partial in self.unfinished_runs())
        partial = UnfinishedRun(
            self._find_path(str(name).rstrip("/"), UNFINISHED_SUFFIX, "unfinished run", names)
        )
        _ = partial.design
        return partial

    def __getitem__(self, name: str | Path) -> Run:
        """Return the run of a name; raise InvalidError with the nearest names if it does not exist."""
        return self.run(name)

    @check_arguments
    def arrow(self, table_or_query: str) -> pa.Table:
        """Return a table of all runs, with a first column `run`, or the answer to an SQL query over them.

        Raises InvalidError if `table_or_query` is neither a table nor a query.
        """
        return query_arrow(self._connect_readable(table_or_query), table_or_query)

    @check_arguments
    def pandas(self, table_or_query: str) -> pd.DataFrame:
        """Return the same as a data frame of pandas, whose integers have a sign and whose texts that repeat are categoricals.

        The tables are run, rulesets, pieces, strategies, decision_times, games, seats, parts, ply_rows, plies, actions and log. A query
        is one SELECT of DuckDB's SQL: "SELECT strategy, avg(score) FROM seats GROUP BY ALL". Games, seats and plies count from 0.
        """
        return query_pandas(self._connect_readable(table_or_query), table_or_query)

    @check_arguments
    def polars(self, table_or_query: str) -> pl.DataFrame:
        """Return the same as a data frame of Polars; raise InvalidError if Polars is not installed."""
        return query_polars(self._connect_readable(table_or_query), table_or_query)

    def _connect_readable(self, query: str) -> duckdb.DuckDBPyConnection:
        """Return a connection over all runs that can be read; a run that turns out to be open elsewhere is left out."""
        while True:
            runs = self.runs()
            try:
                return connect_runs(runs, reviewed=asks_for_reviews(query))
            except InaccessibleError:
                if len(self.runs()) == len(runs):
                    raise

    def _run_file_names(self) -> list[str]:
        return sorted(name for name in self._list_files() if name.endswith(RUN_SUFFIX))

    def _list_files(self) -> frozenset[str]:
        """Return the names of the files beside the runs. A folder that does not exist has no runs yet."""
        try:
            return frozenset(os.listdir(self.runs_folder))  # noqa: PTH208 - many files
        except FileNotFoundError:
            return frozenset()
        except OSError as error:
            raise InaccessibleError(f"{self.runs_folder}: {error.strerror}") from None

    def _find_path(self, name: str, suffix: str, kind: str, known: Iterable[str]) -> Path:
        """Return the path of a run by its name in the library, its file name in the library, or its path.

        Raises InvalidError if it does not exist, with the nearest of the `known` names.
        """
        by_name = self.runs_folder / f"{name}{suffix}"
        if os.sep not in name and (by_name.exists() or by_name.is_symlink()):
            return by_name
        if os.sep not in name and suffix == RUN_SUFFIX:
            file_name = f"{normal_form(name).removesuffix(suffix)}{suffix}"
            for file in self._run_file_names():
                if normal_form(file) == file_name:
                    return self.runs_folder / file
        if os.sep not in name and not name.endswith(suffix):
            self._raise_unknown(kind, name, list(known))
        for path in (Path(name), self.runs_folder / name):
            if path.exists():
                return path
        raise InvalidError(f"{name}: no such {kind}")

    def has_unfinished_run(self, name: str) -> bool:
        """Return whether a name is that of an unfinished run and of no finished one."""
        return (
            is_file_name(name)
            and not run_path(self.runs_folder, name).exists()
            and unfinished_path(self.runs_folder, name).is_dir()
        )

    def _describe_ways_on(self, partial: UnfinishedRun) -> str:
        return partial.describe_ways_on()

    def _raise_unknown(self, kind: str, name: str, known: Sequence[str]) -> NoReturn:
        if kind == "run" and self.has_unfinished_run(name):
            partial = self.unfinished_run(name)
            done = f"{partial.games_done:,} of {format_count(partial.games, 'game')}"
            if partial.is_running:
                raise InvalidError(f"the run {name} is not finished: it is being played, {done} so far")
            raise InvalidError(
                f"the run {name} is not finished: {done} are saved; {self._describe_ways_on(partial)}"
            )
        if kind == "unfinished run" and is_file_name(name) and run_path(self.runs_folder, name).exists():
            raise InvalidError(f"unknown unfinished run {name!r}: the run of this name is finished")
        if not known:
            raise InvalidError(f"unknown {kind} {name!r}: {self.runs_folder} does not hold it")
        if name.isdecimal():
            raise InvalidError(
                f"unknown {kind} {name!r}: the name of a run is expected, before the number of a game"
            )
        raise unknown_name_error(kind, name, known)


def _read_unknown(states: Mapping[Path, FileState | None]) -> Iterator[tuple[Path, GameError | None]]:
    """Read what a list shows of each file that this process does not know; yield its path and what is wrong with it.

    DuckDB works outside of Python's lock, so two threads read nearly twice as many files as one.
    """
    unknown = [path for path, state in states.items() if (path.absolute(), state) not in known_facts]
    for path in unknown[:1]:  # it opens the DuckDB instance of the folder, which the threads share
        yield path, _find_fault(path)
    if not unknown[1:]:
        return
    executor = ThreadPoolExecutor(READING_THREADS)
    try:
        yield from zip(unknown[1:], executor.map(_find_fault, unknown[1:]), strict=True)
    finally:
        executor.shutdown(cancel_futures=True)  # a list that is no longer wanted


def _find_fault(path: Path) -> GameError | None:
    try:
        Run(path).check()
    except GameError as error:
        return error
    return None
