"""A run that is being made, or was stopped while it was: a folder of finished shards with its design.

<run>.partial/
  design.json         what is being played
  job.json            who is at it; locked for as long as that process lives
  cancel              asks the process to stop, if there
  shards/000000/      finished shards: games, seats, parts, plies and sums over plies as Parquet
  writing/            shards that are not finished
"""

from __future__ import annotations

import fcntl
import itertools
import os
import platform
import shutil
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

import duckdb
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine.errors import InvalidError
from pipelines.design.design import Design
from pipelines.design.own_strategies import BUILT_IN_ONLY, OwnStrategies
from pipelines.runs.plies_view import plies_view_sql

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

UNFINISHED_SUFFIX: Final = ".partial"
SHARD_TABLES: Final = ("games", "seats", "parts", "plies")


Seconds: TypeAlias = Annotated[float, Field(ge=0, lt=1e10)]


class Attempt(BaseModel):
    """Who is or was at an unfinished run."""

    model_config = ConfigDict(frozen=True)

    pid: int
    host: str
    started: Seconds
    """Since 1970."""
    seconds_before: Seconds = 0.0
    """Spent by earlier attempts."""
    games_before: Annotated[int, Field(ge=0)] = 0
    """In shards that earlier ones finished."""


@dataclass(frozen=True)
class UnfinishedRun:
    """The folder of an unfinished run."""

    folder: Path
    own: OwnStrategies = BUILT_IN_ONLY
    """What a person has named, now, to play its design."""

    @property
    def name(self) -> str:
        return self.folder.name.removesuffix(UNFINISHED_SUFFIX)

    @property
    def target(self) -> Path:
        """The run file that it becomes."""
        return self.folder.with_name(f"{self.name}.duckdb")

    @property
    def shards_folder(self) -> Path:
        return self.folder / "shards"

    @cached_property
    def design(self) -> Design:
        """Raises InvalidError if the folder is no unfinished run."""
        path = self.folder / "design.json"
        self._check_links()
        try:
            document = path.read_bytes()
        except OSError as error:
            raise InvalidError(f"{self.folder}: no unfinished run: {path.name}: {error.strerror}") from None
        found = Design.from_document(document, str(path))
        return found if self.own == BUILT_IN_ONLY else found.with_own_strategies(self.own, self.name)

    def _check_links(self) -> None:
        """Raise InvalidError if anything that is written here lies elsewhere: the folder may come from anybody."""
        for path in (self.folder, *self.folder.glob("*"), *self.shards_folder.glob("*")):
            if path.is_symlink():
                raise InvalidError(f"{path}: no unfinished run: it is a link to another place")

    @property
    def finished_shards(self) -> set[int]:
        """Numbers of the finished shards; those beyond the end of a run that was shortened do not count."""
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
        """Who is or was at it; None if nobody was, or the file that says so is none."""
        try:
            return Attempt.model_validate_json((self.folder / "job.json").read_bytes())
        except (OSError, ValidationError):
            return None

    @property
    def is_running(self) -> bool:
        """Say whether a living process is at it."""
        try:
            with (self.folder / "job.json").open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:
            return False
        return False

    @property
    def seconds_left(self) -> float | None:
        """Estimate from the time since the process began; None as long as there is nothing to go by."""
        attempt, done = self.attempt, self.games_done
        if attempt is None or not self.is_running or done <= attempt.games_before:
            return None
        return (time.time() - attempt.started) / (done - attempt.games_before) * (self.games - done)

    @property
    def seconds(self) -> float:
        """Seconds spent so far: those of earlier attempts as far as shards tell."""
        attempt = self.attempt
        if attempt is None:
            return 0.0
        newest = max((path.stat().st_mtime for path in self.shards_folder.glob("*")), default=attempt.started)
        return attempt.seconds_before + max(0.0, newest - attempt.started)

    def connect(self) -> duckdb.DuckDBPyConnection:
        """Return a connection with the tables games, seats, parts and plies of the shards finished by now."""
        connection = duckdb.connect(config={"autoload_known_extensions": "false", "threads": "2"})
        shards = sorted(self.finished_shards)
        if not shards:
            raise InvalidError(f"run {self.name} has no finished games yet")
        for table in SHARD_TABLES:
            name = "ply_rows" if table == "plies" else table
            connection.execute(f"CREATE VIEW {name} AS FROM {self.shard_rows_sql(table, shards)}")
        counted = self.shard_rows_sql("actions", shards)
        actions = connection.execute(f"SELECT DISTINCT action FROM {counted}").fetchall()
        kinds = {action: self.design.rules.action(action).kind for (action,) in actions}
        connection.execute(plies_view_sql(kinds))
        return connection

    def shard_rows_sql(self, table: str, numbers: Iterable[int] | None = None) -> str:
        """Return the source, in SQL, of the rows of one table in some or all finished shards, in their order."""
        names = [f"{number:06}" for number in (sorted(self.finished_shards) if numbers is None else numbers)]
        paths = [(self.shards_folder / name / f"{table}.parquet").absolute() for name in names]
        listed = ", ".join("'" + str(path).replace("'", "''") + "'" for path in paths)
        return f"read_parquet([{listed}])"

    def cancel(self) -> None:
        """Ask the process to stop; it keeps the finished shards."""
        (self.folder / "cancel").touch()

    @property
    def is_cancelled(self) -> bool:
        return (self.folder / "cancel").exists()

    @contextmanager
    def stop_workers(self) -> Iterator[None]:
        """Stop the workers for other reasons than somebody's wish: the request is gone again afterwards."""
        wished = self.is_cancelled
        self.cancel()
        try:
            yield
        finally:
            if not wished:
                (self.folder / "cancel").unlink(missing_ok=True)

    def shorten(self, blocks: int) -> UnfinishedRun:
        """End the run after so many blocks, which has to be the end of a shard; return what it is now.

        Whatever happens meanwhile, it is afterwards the longer run or the shorter one: shards beyond the end are of
        no meaning as soon as the new design is there.
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
        """Delete the folder; raise InvalidError if a process is at it."""
        if self.is_running:
            raise InvalidError(f"{self.name} is running; stop it first")
        self.discard()

    def discard(self) -> None:
        """Delete the folder in one step for whoever looks at the library."""
        hidden = Path(tempfile.mkdtemp(prefix=".removed-", dir=self.folder.parent))
        self.folder.rename(hidden / self.folder.name)
        shutil.rmtree(hidden, ignore_errors=True)

    @contextmanager
    def claim(self) -> Iterator[None]:
        """Be the one process at it; raise InvalidError if another one is."""
        self._check_links()
        before: dict[str, Any] = {"seconds_before": self.seconds, "games_before": self.games_done}
        with (self.folder / "job.json").open("a+b") as file:
            _lock_file(file.fileno(), self.name)
            (self.folder / "cancel").unlink(missing_ok=True)
            shutil.rmtree(self.folder / "writing", ignore_errors=True)
            attempt = Attempt(pid=os.getpid(), host=platform.node(), started=time.time(), **before)
            file.truncate(0)
            file.write(attempt.model_dump_json().encode())
            file.flush()
            yield


def _lock_file(descriptor: int, name: str) -> None:
    """Lock the job file. Who only asks whether it is locked holds it for an instant, so one try is not enough."""
    for _ in range(20):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(0.02)
        else:
            return
    raise InvalidError(f"{name} is running already")


def begin_run(target: Path, design: Design, *, free_name: bool) -> UnfinishedRun:
    """Make the folder of a new run in one step, so that nobody ever sees half of it.

    With `free_name` a number is added to the name until neither a run nor an unfinished one has it; without it an
    existing one raises InvalidError. Raises OSError if the folder cannot be written.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=".new-", dir=target.parent))
    try:
        fresh.chmod(0o755)
        (fresh / "shards").mkdir()
        (fresh / "design.json").write_text(design.model_dump_json(indent=1), encoding="utf-8")
        sync_to_disk(fresh / "design.json")
        return UnfinishedRun(_move_to_free_name(fresh, target, free_name=free_name), design.own_strategies)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _move_to_free_name(fresh: Path, target: Path, *, free_name: bool) -> Path:
    """Give the new folder its name, or the next free one."""
    for number in itertools.count(1):
        run = target if number == 1 else target.with_name(f"{target.stem}-{number}.duckdb")
        folder = run.with_name(f"{run.stem}{UNFINISHED_SUFFIX}")
        if _try_move(fresh, folder, run):
            return folder
        if not free_name:
            break
    there = target if target.exists() else target.with_name(f"{target.stem}{UNFINISHED_SUFFIX}")
    raise InvalidError(
        f"{there} exists already; choose another name or remove it with: reroll rm {target.stem}"
    )


def _try_move(fresh: Path, folder: Path, run: Path) -> bool:
    """Move the new folder to its place unless the name is taken, by a run or by another unfinished one."""
    if run.exists() or folder.exists():
        return False
    try:
        fresh.rename(folder)
    except OSError:
        if folder.exists():
            return False
        raise
    if run.exists():  # the run of this name was sealed between the two lines above
        folder.rename(fresh)
        return False
    return True


def sync_to_disk(path: Path) -> None:
    """Wait until a file or folder is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
