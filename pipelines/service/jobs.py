"""Background jobs: simulations and comparisons in processes that the dashboard starts and that outlive it.

A job is the command `reroll simulate`, `compare` or `resume`, or `demo`, which ends with the dashboard. Its output goes to a log file in the library, which the
process keeps locked; so any process can see by the name of the run whether the job is alive.
"""

from __future__ import annotations

import fcntl
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from engine.errors import InvalidError
from engine.file_limits import check_regular_file, is_locked, open_regular_file, read_regular_file
from pipelines.interrupts import defer_interrupts, end_with_process
from pipelines.runs import names
from pipelines.runs.run import Run
from pipelines.runs.unfinished_run import UnfinishedRun

if TYPE_CHECKING:
    from io import BufferedWriter

    from pipelines.design.designs import ComparisonDesign
    from pipelines.runs.library import Library

TERMINATE_TIMEOUT_SECONDS: Final = 2.0
"""Seconds that a process has to end after SIGTERM; then it is killed."""
FAILED_JOB_LISTED_SECONDS: Final = 86_400.0
"""Age up to which a failed job is listed, in seconds."""
LOG_TAIL_BYTES: Final = 1 << 16
"""Bytes at the end of a log that are read for its last line."""
MAX_PID_BYTES: Final = 32
"""Bytes of the file with the id of a process at most."""
POLL_INTERVAL_SECONDS: Final = 0.02
"""Seconds between two checks whether a process has ended."""
MAX_COMMAND_BYTES: Final = 1 << 16
"""Bytes of the command that a spare process carries out, at most."""

_ERROR_PREFIX: Final = "reroll: "
"""How commands begin the line that says why they failed."""
DEMO_JOB_NAME: Final = "demo"
"""Name of the job that makes the demo library."""

JobState: TypeAlias = Literal["starting", "running", "finished", "stopped", "failed"]


@dataclass(frozen=True)
class Job:
    """A run that is made in the background. Its state is read from the library, so any number of objects may describe it."""

    library: Library
    name: str
    """The name of the run that the job makes."""

    def __post_init__(self) -> None:
        if not names.is_file_name(self.name):
            raise InvalidError(f"{self.name!r} cannot be the name of a run")

    @property
    def partial(self) -> UnfinishedRun:
        """The unfinished run, while it exists."""
        return UnfinishedRun(names.unfinished_path(self.library.runs_folder, self.name))

    @property
    def run(self) -> Run:
        """The run; it exists when the state is `finished`."""
        return Run(names.run_path(self.library.runs_folder, self.name))

    @property
    def log(self) -> Path:
        """The file with the output of the process. The process keeps it locked."""
        return self.library.folder / "jobs" / f"{self.name}.log"

    @property
    def _pid_path(self) -> Path:
        """The file with the id of the process."""
        return self.log.with_suffix(".pid")

    @property
    def started_at(self) -> float | None:
        """When the process was started, in seconds since 1970; None if it was not."""
        try:
            return self._pid_path.stat().st_mtime
        except OSError:
            return None

    @property
    def is_alive(self) -> bool:
        """Whether the process is alive: it holds the lock on its log, and the system releases the lock when it ends."""
        return is_locked(self.log)

    @property
    def state(self) -> JobState:
        """The state of the job. A `stopped` run can be resumed; the `last_line` of a `failed` one says why it failed."""
        alive = (
            self.is_alive
        )  # before the look for results: a process that ends in between has left its results
        if self.run.path.exists():
            return "finished"
        if alive:
            return "running" if self.partial.is_running else "starting"
        return "stopped" if self.partial.folder.is_dir() and not self.failure else "failed"

    @property
    def last_line(self) -> str:
        """The last line that the process wrote: the error message if it failed. Empty before the first line."""
        try:
            with open_regular_file(self.log) as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - LOG_TAIL_BYTES))
                lines = file.read(LOG_TAIL_BYTES).decode(errors="replace").splitlines()
        except OSError:
            return ""
        return next((line.strip() for line in reversed(lines) if line.strip()), "")

    @property
    def failure(self) -> str:
        """Why the process failed; empty if it has not."""
        return self.last_line.removeprefix(_ERROR_PREFIX) if self.last_line.startswith(_ERROR_PREFIX) else ""

    def cancel(self) -> None:
        """Stop the job. Finished games stay on disk; a job that has not begun to play is ended and forgotten."""
        if self.partial.is_running:
            self.partial.cancel()
        elif self.is_alive:
            self._terminate_process()
            if self.partial.folder.is_dir() and not self.partial.finished_shards:
                self.partial.discard()
            if not self.partial.folder.is_dir():
                self.forget()

    def _terminate_process(self) -> None:
        """End the process and its children, which form a process group.

        While a process of the group holds the lock, the system cannot give the id of the group to another process.
        """
        try:
            pid = int(read_regular_file(self._pid_path, MAX_PID_BYTES))
        except (OSError, ValueError):
            return
        for signal_number in (signal.SIGTERM, signal.SIGKILL):
            with suppress(ProcessLookupError):
                os.killpg(pid, signal_number)
            end = time.monotonic() + TERMINATE_TIMEOUT_SECONDS
            while self.is_alive and time.monotonic() < end:
                time.sleep(POLL_INTERVAL_SECONDS)

    def forget(self) -> None:
        """Delete the log, so that a failed job is no longer listed."""
        self.log.unlink(missing_ok=True)
        self._pid_path.unlink(missing_ok=True)


def pending_jobs(library: Library) -> list[Job]:
    """Return the jobs without a run and without an unfinished run: jobs that are starting, and recently failed jobs.

    They are read from the library, so every page shows the jobs that any other page started.
    """
    jobs = []
    for log in sorted((library.folder / "jobs").glob("*.log")):
        job = Job(library, log.stem)
        if job.run.path.exists() or job.partial.folder.is_dir():
            continue
        with suppress(FileNotFoundError):
            is_recent = time.time() - log.stat().st_mtime < FAILED_JOB_LISTED_SECONDS
            if job.is_alive or (is_recent and job.failure):
                jobs.append(job)
    return jobs


def start_simulation(  # noqa: PLR0913 - the fields of the form
    library: Library,
    ruleset: str,
    strategies: Sequence[str],
    *,
    games: int,
    seed: int | None = None,
    log: str = "full",
    workers: int | None = None,
) -> Job:
    """Start a simulation in the background and return at once. Invalid input leads to the state `failed`."""
    words = ["simulate", ruleset, "--strategies", ",".join(strategies), "--games", str(games), "--log", log]
    words += ["--seed", str(seed)] if seed is not None else []
    return _start_job(library, names.default_run_name(ruleset), words, workers)


def start_comparison(library: Library, design: ComparisonDesign, *, workers: int | None = None) -> Job:
    """Start a comparison in the background and return at once.

    `compare_live_run(job.partial)` of `pipelines.experiments.comparison` returns the result so far.
    """
    _, *words = shlex.split(design.command)
    return _start_job(library, f"compare-{names.default_run_name(design.rules.name)}", words, workers)


def _start_job(library: Library, name: str, words: Sequence[str], workers: int | None) -> Job:
    """Start a `reroll` command that makes a run called `name`, or `name-2` and so on if the name is taken."""
    library.runs_folder.mkdir(parents=True, exist_ok=True)
    (library.folder / "jobs").mkdir(exist_ok=True)
    job = _claim_free_job(library, name)
    words = [*words, "--data", str(library.folder), "--out", str(job.run.path)]
    words += ["--workers", str(workers)] if workers is not None else []
    _start_process(job, words)
    return job


def resume_job(library: Library, partial: UnfinishedRun) -> Job:
    """Resume a stopped run in the background."""
    job = Job(library, partial.name)
    job.log.parent.mkdir(parents=True, exist_ok=True)
    _start_process(job, ["resume", str(partial.folder), "--data", str(library.folder)])
    return job


def demo_job(library: Library) -> Job:
    """Return the job that makes the demo library; it may not have been started."""
    return Job(library, DEMO_JOB_NAME)


def start_demo(library: Library) -> None:
    """Make the demo library in the background, unless a process does so already. It goes on when this process ends."""
    job = demo_job(library)
    if not job.is_alive:
        job.log.parent.mkdir(parents=True, exist_ok=True)
        _start_process(job, _write_demo_arguments(library))


def _write_demo_arguments(library: Library) -> list[str]:
    return ["demo", "--no-serve", "--data", str(library.folder)]


@contextmanager
def make_demo_meanwhile(library: Library, tell_ready: Callable[[], None]) -> Iterator[Job]:
    """While this context lasts, make the demo library in the background, unless a process does so already.

    A thread calls `tell_ready` as soon as it is complete.
    """
    job = demo_job(library)
    job.log.parent.mkdir(parents=True, exist_ok=True)
    if job.is_alive:
        yield job
        return
    with ExitStack() as stack:
        with defer_interrupts():
            process = _start_process(job, _write_demo_arguments(library))
            stack.enter_context(end_with_process(process))  # its workers end with it
            stack.callback(job.cancel)
        threading.Thread(target=_tell_success, args=(process, tell_ready), daemon=True).start()
        yield job


def _tell_success(process: subprocess.Popen[bytes], tell_ready: Callable[[], None]) -> None:
    if process.wait() == 0:
        tell_ready()


def _job_environment() -> dict[str, str]:
    """Return the environment of jobs. A web page must not be able to run files with code (REROLL_OWN)."""
    return {**os.environ, "PYTHONUNBUFFERED": "1", "NO_COLOR": "1", "REROLL_OWN": "0"}


class SpareProcess:
    """A process that has played a game and waits for its command."""

    def __init__(self, game: str) -> None:
        self._game = game
        self._socket, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(  # noqa: S603 - a command made here, as a list
                [sys.executable, "-P", "-m", "pipelines", "--wait", str(theirs.fileno()), game],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                env=_job_environment(),
            )
        _collect_exit_code(self.process)

    def is_ready_for(self, game: str) -> bool:
        """Return whether the process lives and has played this game, or soon will have."""
        return self.process.poll() is None and self._game == game

    def hand_over(self, arguments: Sequence[str], output: BufferedWriter) -> bool:
        """Let the process carry out `reroll` with these arguments and write to an open file; return False if it has ended."""
        command = json.dumps(list(arguments)).encode()
        with self._socket, suppress(OSError):
            if self.process.poll() is None and len(command) <= MAX_COMMAND_BYTES:
                socket.send_fds(self._socket, [command], [output.fileno()])
                return True
        return False

    def end(self) -> None:
        """Let the process end: it gets no command."""
        self._socket.close()


_spare: Final[list[SpareProcess]] = []
"""The process that waits for the next job of this server, if there is one."""
_spare_lock: Final = threading.Lock()


def prepare_job(game: str) -> None:
    """Have a process ready for a run of a game, so that the next job starts at once. Call it when somebody may soon start one."""
    with _spare_lock:
        if _spare and _spare[0].is_ready_for(game):
            return
        while _spare:
            _spare.pop().end()
        with suppress(OSError):  # the job will start a process by itself
            _spare.append(SpareProcess(game))


def _start_process(job: Job, arguments: Sequence[str]) -> subprocess.Popen[bytes]:
    """Let a `reroll` command that outlives this process write to the log of the job: in the spare process if there is one."""
    with suppress(FileNotFoundError):
        check_regular_file(job.log)
    with _spare_lock:
        spare = _spare.pop() if _spare else None
    with job.log.open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # the process gets the open file and its lock
        if spare and spare.hand_over(arguments, file):
            process = spare.process
        else:
            process = subprocess.Popen(  # noqa: S603 - a command made here, as a list
                [sys.executable, "-P", "-m", "pipelines", *arguments],
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                env=_job_environment(),
            )
            _collect_exit_code(process)
    job.log.with_suffix(".pid").write_text(str(process.pid), encoding="ascii")
    return process


def _collect_exit_code(process: subprocess.Popen[bytes]) -> None:
    """Wait for the end of a process in a thread, so that none is left as a zombie."""
    threading.Thread(target=process.wait, daemon=True).start()


def _claim_free_job(library: Library, base: str) -> Job:
    """Choose a name that no run, unfinished run or job has, and claim it by creating the log of the job."""

    def claim_job(name: str) -> Job | None:
        job = Job(library, name)
        return job if names.is_name_free(library.runs_folder, name) and _create_log(job) else None

    return names.claim_free_name(base, claim_job)


def _create_log(job: Job) -> bool:
    """Create the log of a job; return False if it exists already."""
    try:
        job.log.open("xb").close()
    except FileExistsError:
        return False
    return True
