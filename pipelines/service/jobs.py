"""Simulations and comparisons in the background: started by the dashboard, alive without it, found again by their name."""

from __future__ import annotations

import fcntl
import itertools
import os
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from engine.errors import InvalidError
from pipelines.runs.run import Run
from pipelines.runs.unfinished_run import UNFINISHED_SUFFIX, UnfinishedRun

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pipelines.runs.library import Library

TERMINATE_TIMEOUT_SECONDS: Final = 2.0
"""Seconds that a process has to end before it is made to."""
MAX_NAME_BYTES: Final = 200
"""Bytes; an ending comes to them, and file systems take 255."""
FAILED_JOB_LISTED_SECONDS: Final = 86_400.0
"""Seconds for which a failed job is listed."""

JobState: TypeAlias = Literal["starting", "running", "finished", "stopped", "failed"]


def is_run_name(text: str) -> bool:
    """Say whether a run can be called so: one name in its folder, no way to another place.

    >>> is_run_name("bloxx-2p-3"), is_run_name("../other"), is_run_name("/etc/passwd"), is_run_name(".."), is_run_name("")
    (True, False, False, False, False)
    """
    is_short = len(text.encode(errors="surrogateescape")) <= MAX_NAME_BYTES
    return is_short and text.isprintable() and "/" not in text and text not in {"", ".", ".."}


@dataclass(frozen=True)
class Job:
    """A run that is being made in the background. All that is known of it lies in the library, so a new object knows as much."""

    library: Library
    name: str
    """The name of the run that it makes."""

    def __post_init__(self) -> None:
        if not is_run_name(self.name):
            raise InvalidError(f"{self.name!r} is no name of a run")

    @property
    def partial(self) -> UnfinishedRun:
        return UnfinishedRun(self.library.runs_folder / f"{self.name}{UNFINISHED_SUFFIX}")

    @property
    def run(self) -> Run:
        """The run, when the state is `finished`."""
        return Run(self.library.runs_folder / f"{self.name}.duckdb")

    @property
    def log(self) -> Path:
        """What the process wrote."""
        return self.library.folder / "jobs" / f"{self.name}.log"

    @property
    def _pid_path(self) -> Path:
        """Where the number of the process stands."""
        return self.log.with_suffix(".pid")

    @property
    def is_alive(self) -> bool:
        """Say whether the process lives: it holds the lock on its log, which ends with it however it ends."""
        try:
            with self.log.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:
            return False
        return False

    @property
    def state(self) -> JobState:
        """How far it is: `stopped` can be resumed, `failed` has a `last_line` that says why."""
        alive = self.is_alive  # asked first: a process that ends meanwhile has left its result
        if self.run.path.exists():
            return "finished"
        if alive:
            return "running" if self.partial.is_running else "starting"
        complained = self.last_line.startswith("reroll: ")
        return "stopped" if self.partial.folder.is_dir() and not complained else "failed"

    @property
    def last_line(self) -> str:
        """The last line that the process wrote: on failure, what was wrong."""
        try:
            lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return ""
        return next((line.strip() for line in reversed(lines) if line.strip()), "")

    def cancel(self) -> None:
        """Ask the process to stop; finished games are kept. One that has not begun to play is ended and forgotten."""
        if self.partial.is_running:
            self.partial.cancel()
        elif self.is_alive:
            self._terminate_process()
            if self.partial.folder.is_dir() and not self.partial.finished_shards:
                self.partial.discard()
            if not self.partial.folder.is_dir():
                self.forget()

    def _terminate_process(self) -> None:
        """End the process, which leads a group of its own; as long as one of the group holds the lock, the number is its."""
        try:
            number = int(self._pid_path.read_text(encoding="ascii"))
        except (OSError, ValueError):
            return
        for sent in (signal.SIGTERM, signal.SIGKILL):
            with suppress(ProcessLookupError):
                os.killpg(number, sent)
            end = time.monotonic() + TERMINATE_TIMEOUT_SECONDS
            while self.is_alive and time.monotonic() < end:
                time.sleep(0.02)

    def forget(self) -> None:
        """Delete what the process wrote: a job that failed is listed no more."""
        self.log.unlink(missing_ok=True)
        self._pid_path.unlink(missing_ok=True)


def pending_jobs(library: Library) -> list[Job]:
    """Return the jobs that are neither a run nor an unfinished one: those that are starting, and those that failed today.

    They are found in the library, so that whoever opens a page sees what somebody started on another.
    """
    found = []
    for log in sorted((library.folder / "jobs").glob("*.log")):
        job = Job(library, log.stem)
        if job.run.path.exists() or job.partial.folder.is_dir():
            continue
        with suppress(FileNotFoundError):
            is_recent = time.time() - log.stat().st_mtime < FAILED_JOB_LISTED_SECONDS
            if job.is_alive or (is_recent and job.last_line.startswith("reroll: ")):
                found.append(job)
    return found


def start_simulation(  # noqa: PLR0913 - the questions of the page
    library: Library,
    ruleset: str,
    strategies: Sequence[str],
    *,
    games: int,
    seed: int | None = None,
    log: str = "full",
    workers: int | None = None,
) -> Job:
    """Start a simulation in the background and return at once; wrong input shows as the state `failed`."""
    arguments = [ruleset, "--strategies", ",".join(strategies), "--games", str(games)]
    return _start_job(
        library, "simulate", default_run_name(ruleset), arguments, seed=seed, log=log, workers=workers
    )


def start_comparison(  # noqa: PLR0913 - the questions of the page
    library: Library,
    ruleset: str,
    strategies: Sequence[str],
    *,
    blocks: int,
    until_decided: bool = False,
    arrangement: str | None = None,
    metric: str = "score",
    margin: float | None = None,
    seed: int | None = None,
    log: str = "full",
    workers: int | None = None,
) -> Job:
    """Start a comparison in the background and return at once; wrong input shows as the state `failed`.

    `blocks` is the budget of one that is played until it is decided. `pipelines.experiments.compare.comparison.compare_live_run(job.partial)` tells how it
    stands.
    """
    arguments = [ruleset, *strategies, "--blocks", str(blocks), "--metric", metric]
    arguments += ["--until-decided"] if until_decided else []
    arguments += ["--design", arrangement] if arrangement is not None else []
    arguments += ["--margin", str(margin)] if margin is not None else []
    name = f"compare-{default_run_name(ruleset)}"
    return _start_job(library, "compare", name, arguments, seed=seed, log=log, workers=workers)


def _start_job(  # noqa: PLR0913 - what all jobs are asked
    library: Library,
    command: str,
    name: str,
    arguments: Sequence[str],
    *,
    seed: int | None,
    log: str,
    workers: int | None,
) -> Job:
    """Start a command that makes a run of a free name like this."""
    library.runs_folder.mkdir(parents=True, exist_ok=True)
    (library.folder / "jobs").mkdir(exist_ok=True)
    job = _claim_free_job(library, name)
    words = [command, *arguments, "--log", log, "--data", str(library.folder), "--out", str(job.run.path)]
    words += ["--seed", str(seed)] if seed is not None else []
    words += ["--workers", str(workers)] if workers is not None else []
    _start_process(job, words)
    return job


def resume_job(library: Library, partial: UnfinishedRun) -> Job:
    """Go on with a stopped run in the background."""
    job = Job(library, partial.name)
    job.log.parent.mkdir(parents=True, exist_ok=True)
    _start_process(job, ["resume", str(partial.folder), "--data", str(library.folder)])
    return job


def _start_process(job: Job, arguments: Sequence[str]) -> None:
    """Start a process that outlives this one, with its output in the job's log."""
    with job.log.open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # the process inherits the open file, and with it the lock
        process = subprocess.Popen(  # noqa: S603 - our own command, as a list
            [sys.executable, "-m", "pipelines", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env={
                **os.environ,
                "PYTHONUNBUFFERED": "1",
                "NO_COLOR": "1",
                "REROLL_OWN": "0",
            },  # no page names code
        )
    job.log.with_suffix(".pid").write_text(str(process.pid), encoding="ascii")
    threading.Thread(target=process.wait, daemon=True).start()  # so that it is not left as a zombie


def _claim_free_job(library: Library, base: str) -> Job:
    """Choose a name that no run, unfinished run or job has; making its log is what claims it."""
    names = itertools.chain([base], (f"{base}-{number}" for number in itertools.count(2)))
    return next(job for job in (Job(library, name) for name in names) if _try_claim_job(job))


def _try_claim_job(job: Job) -> bool:
    if job.run.path.exists() or job.partial.folder.exists():
        return False
    try:
        job.log.open("xb").close()
    except FileExistsError:
        return False
    return True


def default_run_name(ruleset: str) -> str:
    """Return the name of a run that was given none: the ruleset and the time."""
    stem = re.sub(r"[^a-z0-9-]+", "-", ruleset.rsplit(os.sep, 1)[-1].removesuffix(".toml").lower()).strip("-")
    return f"{stem or 'run'}-{datetime.now(tz=UTC):%Y%m%d-%H%M%S}"
