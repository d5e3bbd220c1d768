"""An unfinished run: the folder of a run that is being played, or that was stopped. `pipelines.runs.seal` completes it.

<run>.partial/
  design.json         the design
  format              the format number of the shards and of the run file that they become
  versions.json       the versions of the software that began it
  job.json            the process that plays it; locked while that process lives
  cancel              exists if the process is asked to stop
  shards/000000/      finished shards: games, seats, parts, plies and sums over plies as Parquet
  writing/            shards that are not finished
"""

from __future__ import annotations

import fcntl
import json
import os
import platform
import re
import shlex
import shutil
import stat
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

import duckdb
from pydantic import BaseModel, Field, ValidationError

from engine.errors import InvalidError, unknown_name_error
from engine.file_limits import check_regular_file, is_locked, read_regular_file
from pipelines.design.designs import read_design
from pipelines.design.limits import is_unicode
from pipelines.design.own_strategies import BUILT_IN_ONLY, OwnStrategies
from pipelines.runs.clock import check_clock
from pipelines.runs.names import (
    UNFINISHED_SUFFIX,
    claim_free_name,
    duckdb_log_path,
    is_name_free,
    run_path,
    unfinished_path,
)
from pipelines.runs.run import report_damage
from pipelines.runs.schema import SHARD_TABLES, kind_spans, plies_query, schema_columns
from pipelines.runs.tables import query_pandas
from pipelines.runs.versions import RULES_KEY, describe_other_strategies, software_versions

if TYPE_CHECKING:
    import pandas as pd

    from pipelines.design.design import Design

FORMAT_FILE: Final = "format"
VERSIONS_FILE: Final = "versions.json"
SHARD_FORMAT: Final = 4
"""The format number of unfinished runs. It is increased when the shards of older ones cannot be sealed any more."""

Seconds: TypeAlias = Annotated[float, Field(ge=0, lt=1e10)]

MAX_DESIGN_BYTES: Final = 16 << 20
MAX_ATTEMPT_BYTES: Final = 1 << 16
MAX_FORMAT_BYTES: Final = 20
MAX_VERSIONS_BYTES: Final = 10_000

_WILDCARD_PATTERN: Final = re.compile(r"[*?\[]")
_UNWRITABLE_CHARACTERS: Final = "?\\"
"""DuckDB puts the name of its log before a `?` in a path, and takes a backslash for a slash."""


class Attempt(BaseModel, frozen=True):
    """The process that plays an unfinished run, or the last one that did."""

    pid: int
    host: str
    started: Seconds
    """Seconds since 1970."""
    seconds_before: Seconds = 0.0
    """Seconds that earlier attempts took."""
    games_before: Annotated[int, Field(ge=0)] = 0
    """Games in shards that earlier attempts finished."""


@dataclass(frozen=True)
class UnfinishedRun:
    """The folder of an unfinished run."""

    folder: Path
    own: OwnStrategies = BUILT_IN_ONLY
    """Own strategies that a person has allowed for this attempt."""

    def __repr__(self) -> str:
        try:
            return f"Unfinished run {self.name}: {self.games_done:,} of {self.games:,} games"
        except InvalidError as error:
            return f"Unfinished run {self.name}: {error}"

    @property
    def name(self) -> str:
        return self.folder.name.removesuffix(UNFINISHED_SUFFIX)

    @property
    def target(self) -> Path:
        """The run file that this run becomes."""
        return run_path(self.folder.parent, self.name)

    @property
    def shards_folder(self) -> Path:
        return self.folder / "shards"

    @cached_property
    def design(self) -> Design:
        """The design; raises InvalidError if the folder is not an unfinished run."""
        path = self.folder / "design.json"
        self._check_parts()
        try:
            document = read_regular_file(path, MAX_DESIGN_BYTES)
        except OSError as error:
            raise InvalidError(
                f"{self.folder}: not an unfinished run: {path.name}: {error.strerror}"
            ) from None
        design = read_design(document, str(path))
        self._check_format(design)
        return design if self.own == BUILT_IN_ONLY else design.with_own_strategies(self.own, self.name)

    def _check_parts(self) -> None:
        """Raise InvalidError if a part of the folder is a link, a pipe or a device.

        A folder may come from anybody: it must not lead to other files, nor let a reader wait.
        """
        if not is_unicode(str(self.folder)):
            raise InvalidError(f"{self.folder}: its name is not UTF-8 text; rename the folder")
        for path in (self.folder, *self.folder.glob("*"), *self.shards_folder.glob("*")):
            if path.is_symlink():
                raise InvalidError(f"{path}: not an unfinished run: it is a link to another place")
            if path.exists() and not path.is_dir() and not path.is_file():
                raise InvalidError(f"{path}: not an unfinished run: it is not a regular file")

    @property
    def can_be_resumed(self) -> bool:
        """Whether the folder still has its design."""
        return (self.folder / "design.json").is_file()

    def _check_format(self, design: Design) -> None:
        """Raise InvalidError if the shards were written by a Reroll with another format of shards."""
        try:
            text = read_regular_file(self.folder / FORMAT_FILE, MAX_FORMAT_BYTES).decode("ascii").strip()
        except (OSError, ValueError):
            text = "unknown"
        if text != str(SHARD_FORMAT):
            again = f" with: {design.command}" if design.command.isprintable() else ""
            raise InvalidError(
                f"{self.folder}: the run was begun by another Reroll (format {text!r}, this one has {SHARD_FORMAT}); "
                f"delete this folder, and play it again{again}"
            )

    @property
    def versions(self) -> dict[str, Any]:
        """The versions of the software that began the run; empty if Reroll 0.4.0 or an earlier version began it."""
        try:
            versions = json.loads(read_regular_file(self.folder / VERSIONS_FILE, MAX_VERSIONS_BYTES))
        except (OSError, ValueError):
            return {}
        return versions if isinstance(versions, dict) else {}

    def describe_other_versions(self) -> str:
        """Return which rules or strategies have another version now than when the run was begun; nothing if none has."""
        rules, rules_now = self.versions.get(RULES_KEY), self.design.game.rules_version
        if rules not in {None, rules_now}:
            return f"rules {rules!s:.9}, now {rules_now}"
        return describe_other_strategies(self.versions, self.design)

    def check_resumable(self) -> None:
        """Raise InvalidError if nothing can be played on, or if the rules or a strategy have another version than at the start."""
        self.design.check_resumable(self.name)
        if others := self.describe_other_versions():
            raise InvalidError(
                f"{self.name}: other versions began the run ({others}), so its last games might be played otherwise than its "
                f"first; delete it with: reroll rm {shlex.quote(self.name)}, and play it again with: {self.design.command}"
            )

    @property
    def finished_shards(self) -> set[int]:
        """Numbers of the finished shards. Shards beyond the end of a shortened run do not count."""
        numbers = {int(path.name) for path in self.shards_folder.glob("*") if path.name.isdecimal()}
        return {number for number in numbers if number < self._number_of_shards}

    @cached_property
    def _number_of_shards(self) -> int:
        return len(self.design.shards)

    @property
    def games(self) -> int:
        return self.design.games

    @property
    def games_done(self) -> int:
        """Games in finished shards."""
        shards = self.design.shards
        blocks = sum(len(shards[number]) for number in self.finished_shards)
        return blocks * self.design.rotations

    @property
    def attempt(self) -> Attempt | None:
        """The current or last attempt; None if there was none or its file cannot be read."""
        try:
            return Attempt.model_validate_json(read_regular_file(self.folder / "job.json", MAX_ATTEMPT_BYTES))
        except (OSError, ValidationError):
            return None

    @property
    def is_running(self) -> bool:
        """True if a living process plays this run."""
        return is_locked(self.folder / "job.json")

    @property
    def seconds_left(self) -> float | None:
        """Estimate from the time since the process began; None as long as there is nothing to go by."""
        attempt, done = self.attempt, self.games_done
        if attempt is None or not self.is_running or done <= attempt.games_before:
            return None
        return (time.time() - attempt.started) / (done - attempt.games_before) * (self.games - done)

    @property
    def seconds(self) -> float:
        """Seconds spent so far. Earlier attempts count up to their last finished shard."""
        attempt = self.attempt
        if attempt is None:
            return 0.0
        newest = max((path.stat().st_mtime for path in self.shards_folder.glob("*")), default=attempt.started)
        return attempt.seconds_before + max(0.0, newest - attempt.started)

    def connect(self) -> duckdb.DuckDBPyConnection:
        """Return a connection with the tables games, seats, parts and plies of the finished shards.

        Raises InvalidError if no shard is finished.
        """
        connection = duckdb.connect(config={"autoload_known_extensions": "false", "threads": "2"})
        shards = sorted(self.finished_shards)
        if not shards:
            raise InvalidError(f"run {self.name} has no finished games yet")
        for file, table in SHARD_TABLES.items():
            connection.execute(f"CREATE VIEW {table} AS FROM {self.shard_rows_sql(file, shards)}")
        actions_sql = self.shard_rollup_sql("actions", shards)
        actions = connection.execute(f"SELECT DISTINCT action FROM {actions_sql}").fetchall()
        spans = kind_spans((action, self.design.rules.action(action).kind) for (action,) in actions)
        connection.execute(f"CREATE VIEW plies AS {plies_query(spans)}")
        return connection

    def pandas(self, table_or_query: str) -> pd.DataFrame:
        """Return one of the tables games, seats, parts and plies of the finished shards, or the answer to a query, as a data frame."""
        if table_or_query in schema_columns().keys() - SHARD_TABLES.keys():
            raise unknown_name_error("table of an unfinished run", table_or_query, SHARD_TABLES)
        return query_pandas(self.connect(), table_or_query)

    @contextmanager
    def open_tables(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Yield a connection for the time of the context; raise InvalidError, with the path, for an error of DuckDB."""
        with self.connect() as connection, report_damage(str(self.folder)):
            yield connection

    def shard_rows_sql(self, table: str, numbers: Iterable[int] | None = None) -> str:
        """Return the SQL table expression of one table in the given or all finished shards, in their order."""
        names = [f"{number:06}" for number in (sorted(self.finished_shards) if numbers is None else numbers)]
        return read_parquet_sql(self.shards_folder / name / f"{table}.parquet" for name in names)

    def shard_rollup_sql(self, name: str, numbers: Iterable[int] | None = None) -> str:
        """Return the SQL table expression of one roll-up of the given or all finished shards."""
        return f"(FROM {self.shard_rows_sql('rollups', numbers)} WHERE rollup = '{name}')"

    def describe_ways_on(self, word: str = "") -> str:
        """Return how to finish and how to delete the run, which `word` names in commands: its name if left out."""
        word = shlex.quote(word or self.name)
        try:
            can_be_resumed = not self.design.has_finished_games and not self.describe_other_versions()
        except InvalidError:
            return f"delete it with: reroll rm {word}"
        if can_be_resumed:
            return f"finish it with: reroll resume {word}, or delete it with: reroll rm {word}"
        again = "import" if self.design.kind == "import" else "play"
        return f"{again} its games again, after: reroll rm {word}"

    def cancel(self) -> None:
        """Ask the process to stop; the finished shards are not lost."""
        (self.folder / "cancel").touch()

    @property
    def is_cancelled(self) -> bool:
        return (self.folder / "cancel").exists()

    def take_back_cancel(self) -> None:
        """Take back the request to stop."""
        (self.folder / "cancel").unlink(missing_ok=True)

    def shorten(self, blocks: int) -> UnfinishedRun:
        """End the run after `blocks` blocks, which must be the end of a shard; return the shorter run.

        If the process is killed meanwhile, the folder is the longer run or the shorter run: shards beyond the end are
        ignored as soon as the new design is in place.
        """
        fresh = self.folder / "design.json.new"
        design = self.design.model_copy(update={"blocks": blocks})
        fresh.write_text(design.model_dump_json(indent=1), encoding="utf-8")
        sync_to_disk(fresh)
        fresh.replace(self.folder / "design.json")
        sync_to_disk(self.folder)
        shorter = replace(self)
        for path in self.shards_folder.glob("*"):
            if path.name.isdecimal() and int(path.name) not in shorter.finished_shards:
                shutil.rmtree(path)
        return shorter

    def remove(self) -> None:
        """Delete the folder; raise InvalidError if a process plays this run."""
        if self.is_running:
            raise InvalidError(f"{self.name} is running; stop it first")
        self.discard()

    def discard(self) -> None:
        """Delete the folder. It disappears from the library in one step."""
        hidden = Path(tempfile.mkdtemp(prefix=".removed-", dir=self.folder.parent))
        self.folder.rename(hidden / self.folder.name)
        shutil.rmtree(hidden, ignore_errors=True)

    @contextmanager
    def claim(self) -> Iterator[None]:
        """Lock the run for this process while the context lasts; raise InvalidError if another process has it."""
        self._check_parts()
        check_clock()
        before: dict[str, Any] = {"seconds_before": self.seconds, "games_before": self.games_done}
        with (self.folder / "job.json").open("a+b") as file:
            _lock_file(file.fileno(), self.name)
            self.take_back_cancel()
            shutil.rmtree(self.folder / "writing", ignore_errors=True)
            attempt = Attempt(pid=os.getpid(), host=platform.node(), started=time.time(), **before)
            file.truncate(0)
            file.write(attempt.model_dump_json().encode())
            file.flush()
            yield


def read_parquet_sql(paths: Iterable[Path]) -> str:
    """Return the SQL table expression of the rows of some Parquet files.

    The paths are taken literally: they have no wildcards, and a folder `x=y` adds no column `x`. Raises InvalidError if
    one is a link, a pipe or a device.
    """
    paths = list(paths)
    for path in paths:
        check_shard_file(path)
    texts = (_WILDCARD_PATTERN.sub(r"[\g<0>]", str(path.absolute())).replace("'", "''") for path in paths)
    listed = ", ".join(f"'{text}'" for text in texts)
    return f"read_parquet([{listed}], hive_partitioning = false)"


def check_shard_file(path: Path) -> None:
    """Raise InvalidError if a file of a shard is a link, a pipe or a device. A missing file is left to its reader."""
    try:
        check_regular_file(path, follow_links=False)
    except FileNotFoundError:
        return
    except OSError as error:
        raise InvalidError(f"{path}: not part of an unfinished run: {error.strerror}") from None


def _lock_file(descriptor: int, name: str) -> None:
    """Lock the job file. `is_running` of another process locks it for an instant, so several tries are needed."""
    for _ in range(20):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(0.02)
        else:
            return
    raise InvalidError(f"{name} is running already")


def check_name_free(folder: Path, name: str) -> None:
    """Raise InvalidError if a run or an unfinished run in the folder has this name."""
    if not is_name_free(folder, name):
        raise name_taken_error(folder, name)


def name_taken_error(folder: Path, name: str) -> InvalidError:
    """Return the error for a name that a run or an unfinished run in the folder already has."""
    log = duckdb_log_path(run_path(folder, name))
    if log.exists() and not run_path(folder, name).exists() and not unfinished_path(folder, name).exists():
        return InvalidError(f"another program has left {log}; delete it, or choose another name")
    if is_locked(unfinished_path(folder, name) / "job.json"):
        return InvalidError(f"the run {name} is being played; choose another name")
    if run_path(folder, name).exists() or not unfinished_path(folder, name).exists():
        return InvalidError(
            f"there is a run {name} already; choose another name, or delete it with: reroll rm {shlex.quote(name)}"
        )
    return InvalidError(
        f"there is an unfinished run {name} already; {UnfinishedRun(unfinished_path(folder, name)).describe_ways_on()}; or choose another name"
    )


def begin_run(target: Path, design: Design, *, free_name: bool) -> UnfinishedRun:
    """Create the folder of a new run in one step and return it.

    With `free_name` a number is added to the name if a run or an unfinished run has it; without it, a name that is taken
    raises InvalidError. Raises OSError if the folder cannot be written.
    """
    if unwritable := next(
        (character for character in _UNWRITABLE_CHARACTERS if character in str(target)), None
    ):
        raise InvalidError(
            f"{target}: DuckDB cannot write files whose path contains {unwritable}; choose another folder or name"
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        return UnfinishedRun(_create_folder(target, design, free_name=free_name), design.own_strategies)
    except OSError as error:  # it names a temporary folder, or nothing if the disk is full
        raise OSError(error.errno, error.strerror, str(target)) from None


def _create_folder(target: Path, design: Design, *, free_name: bool) -> Path:
    """Create the folder of a new run under a temporary name, move it to its name, and return its path."""
    fresh = Path(tempfile.mkdtemp(prefix=".new-", dir=target.parent))
    try:
        fresh.chmod(0o755)
        (fresh / "shards").mkdir()
        (fresh / FORMAT_FILE).write_text(f"{SHARD_FORMAT}\n", encoding="utf-8")
        (fresh / VERSIONS_FILE).write_text(json.dumps(software_versions(design)), encoding="utf-8")
        (fresh / "design.json").write_text(design.model_dump_json(indent=1), encoding="utf-8")
        sync_to_disk(fresh / "design.json")
        return _move_to_free_name(fresh, target, free_name=free_name)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _move_to_free_name(fresh: Path, target: Path, *, free_name: bool) -> Path:
    """Move the new folder to the name of the target, or with `free_name` to the next free name; return its path."""

    def claim_name(name: str) -> Path | None:
        folder = unfinished_path(target.parent, name)
        return folder if _try_move(fresh, folder, run_path(target.parent, name)) else None

    if free_name:
        return claim_free_name(target.stem, claim_name)
    folder = claim_name(target.stem)
    if folder is None:
        begun = unfinished_path(target.parent, target.stem)
        log = duckdb_log_path(target)
        if log.exists() and not target.exists():
            raise InvalidError(f"another program has left {log}; delete it, or choose another name")
        if target.exists() or not begun.exists():
            raise InvalidError(f"{target} exists already; choose another name or file")
        if is_locked(begun / "job.json"):
            raise InvalidError(f"the run {target.stem} is being played; choose another name")
        raise InvalidError(
            f"{begun} is an unfinished run; {UnfinishedRun(begun).describe_ways_on(str(begun))}; or choose another name"
        )
    return folder


def _try_move(fresh: Path, folder: Path, run: Path) -> bool:
    """Move the new folder to its place; return False if a run or an unfinished run has the name."""
    if run.exists() or folder.exists() or duckdb_log_path(run).exists():
        return False
    try:
        fresh.rename(folder)
    except OSError:
        if folder.exists():
            return False
        raise
    if run.exists():  # another process sealed a run of this name between the two steps above
        folder.rename(fresh)
        return False
    return True


def sync_to_disk(path: Path) -> None:
    """Wait until a file, or the list of files in a folder, is written to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_read_only(path: Path) -> None:
    """Take the permission to write from a file, so that no program changes a run by accident. Some file systems have no permissions."""
    with suppress(OSError):
        path.chmod(stat.S_IMODE(path.stat().st_mode) & ~0o222)
