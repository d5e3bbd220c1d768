"""Full, read-only and missing disks, dead workers, too little memory: finished games stay, and the error is one line."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from typer.testing import CliRunner

from engine.errors import InvalidError
from pipelines.cli import app
from pipelines.design.designs import design_simulation
from pipelines.runs.unfinished_run import UnfinishedRun, begin_run
from pipelines.simulate.errors import PlayError
from pipelines.simulate.shards import play_shard
from pipelines.simulate.simulate import ProgressClock, resume_run
from pipelines.simulate.verify import verify_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from engine.ruleset import Ruleset
    from pipelines.design.design import Design
    from pipelines.runs.library import Library
    from pipelines.runs.run import Run
    from tests.processes import RunProcess, StartProcess

    Contents = dict[str, Any]


def remove_at_once(folder: Path) -> None:
    """Let a folder vanish in one moment. Workers that write into it cannot keep it from being removed."""
    removed = folder.with_name("removed")
    folder.rename(removed)
    shutil.rmtree(removed, ignore_errors=True)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one megabyte. The test is skipped if this process may not mount one."""
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(  # noqa: S603 - a command made here
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)],  # noqa: S607 - mount is on the path
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("this process may not mount a file system")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)  # noqa: S603, S607


@pytest.mark.slow
@pytest.mark.parametrize("filled", [400, 600, 800])
def test_a_full_disk_keeps_what_is_done_and_the_run_goes_on_when_there_is_room(
    small_disk: Path,
    designs: dict[str, Design],
    undisturbed_contents: dict[str, Contents],
    read_contents: Callable[..., Contents],
    filled: int,
) -> None:
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(filled << 10))
    partial = begin_run(small_disk / "runs" / "run.duckdb", designs["simulate"], free_name=False)
    done = CliRunner().invoke(
        app, ["resume", str(partial.folder), "--workers", "1", "--data", str(small_disk)]
    )
    assert isinstance(done.exception, SystemExit), done.exc_info
    assert done.exit_code == 1
    assert "resume with: reroll resume" in done.output
    assert done.stderr.splitlines()[-1] == f"reroll: {partial.folder}: No space left on device"
    assert not partial.target.exists()
    ballast.unlink()
    games_done = partial.games_done
    subprocess.run(  # noqa: S603
        ["mount", "-o", "remount,size=32m", str(small_disk)],  # noqa: S607
        check=True,
    )
    run = resume_run(UnfinishedRun(partial.folder), workers=1)
    assert games_done <= run.summary.games
    assert read_contents(run) == undisturbed_contents["simulate"]


def test_a_full_disk_is_reported_with_the_path_that_was_given_and_leaves_nothing(
    small_disk: Path, small_run: Run
) -> None:
    with suppress(OSError):
        (small_disk / "ballast").write_bytes(bytes(1 << 20))
    before = sorted(small_disk.iterdir())
    export = ("export", small_run.path)
    simulate = ("simulate", "bloxx-2p", "-s", "random,random", "--games", "2")
    for words, name, code in (
        ((*export, "--game", "1"), "game.txt", 2),
        ((*export, "--as", "csv"), "tables", 2),
        ((*export, "--as", "parquet"), "tables", 2),
        ((*export, "--as", "txt"), "texts", 2),
        (simulate, "run.duckdb", 2),
    ):
        done = CliRunner().invoke(app, [*map(str, words), "--out", str(small_disk / name)])
        assert (done.exit_code, done.stdout) == (code, ""), (words, done.output, done.exc_info)
        assert str(small_disk / name) in done.stderr
        assert "No space left on device" in done.stderr
        assert ".new-" not in done.stderr
        assert sorted(small_disk.iterdir()) == before


def test_notes_name_the_disk_that_is_full(small_disk: Path, small_run: Run) -> None:
    with suppress(OSError):
        (small_disk / "ballast").write_bytes(bytes(1 << 20))
    done = CliRunner().invoke(app, ["note", str(small_run.path), "--data", str(small_disk)])
    assert (done.exit_code, done.stdout) == (2, "")
    assert (
        done.stderr == f"reroll: {small_disk / 'notes.sqlite'}: no space is left on the disk {small_disk}\n"
    )


def test_a_read_only_folder_is_told_in_a_line(small_disk: Path) -> None:
    (small_disk / "runs").mkdir()
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)  # noqa: S603, S607
    words = ["simulate", "bloxx-2p", "-s", "random,random", "--games", "2", "--data", str(small_disk)]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 2
    assert "Read-only file system" in done.output
    assert len(done.output.splitlines()) <= 2
    assert CliRunner().invoke(app, ["ls", "--data", str(small_disk)]).exit_code == 0


def test_a_folder_that_vanishes_is_told_in_a_line(
    memory_library: Library, designs: dict[str, Design]
) -> None:
    partial = begin_run(memory_library.runs_folder / "run.duckdb", designs["simulate"], free_name=False)

    def remove_folder(done: int, _games: int, _left: float | None) -> None:
        if done:
            remove_at_once(partial.folder)

    with pytest.raises((OSError, ValueError)) as caught:
        resume_run(partial, workers=1, progress=remove_folder)
    assert "run.partial" in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.slow
@pytest.mark.usefixtures("plain_rules")
@pytest.mark.parametrize("workers", [1, 2])
def test_nobody_is_told_to_resume_a_folder_that_has_vanished(
    memory_library: Library, designs: dict[str, Design], monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    partial = begin_run(memory_library.runs_folder / "run.duckdb", designs["simulate"], free_name=False)
    advance = ProgressClock.advance

    def remove_folder(clock: ProgressClock, games: int) -> None:
        remove_at_once(partial.folder)
        advance(clock, games)

    monkeypatch.setattr(ProgressClock, "advance", remove_folder)
    words = ["resume", str(partial.folder), "--workers", str(workers), "--quiet"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 1, done.exc_info
    assert done.stderr.startswith(f"reroll: {partial.folder}: ")
    assert "resume with" not in done.stderr
    assert not partial.folder.exists()


def test_a_clock_that_goes_back_changes_nothing(
    memory_library: Library,
    designs: dict[str, Design],
    undisturbed_contents: dict[str, Contents],
    read_contents: Callable[..., Contents],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    partial = begin_run(memory_library.runs_folder / "run.duckdb", designs["simulate"], free_name=False)
    true, calls = time.time, iter(range(10**9))
    monkeypatch.setattr(time, "time", lambda: true() - 1e6 * next(calls))
    run = resume_run(partial, workers=1)
    assert read_contents(run) == undisturbed_contents["simulate"]
    assert run.summary.seconds >= 0


@pytest.mark.parametrize(("now", "when"), [(-5.0, "before 1970"), (9e9, "after 2199"), (None, "after 2199")])
def test_a_clock_that_is_wrong_is_told_in_a_line(
    memory_library: Library,
    designs: dict[str, Design],
    monkeypatch: pytest.MonkeyPatch,
    now: float | None,
    when: str,
) -> None:
    partial = begin_run(memory_library.runs_folder / "run.duckdb", designs["simulate"], free_name=False)

    def show_wrong_time() -> float:
        if now is None:
            raise OverflowError("timestamp too large to convert to C _PyTime_t")
        return now

    monkeypatch.setattr(time, "time", show_wrong_time)
    said = f"the clock of this machine shows a date {when}; set it and try again"
    with pytest.raises(InvalidError, match=said):
        resume_run(partial, workers=1)
    done = CliRunner().invoke(app, ["ls", "--data", str(memory_library.folder)])
    assert (done.exit_code, done.stderr) == (2, f"reroll: {said}\n")


@pytest.mark.slow
@pytest.mark.usefixtures("plain_rules")
def test_a_worker_that_is_killed_is_told_and_the_rest_is_kept(
    memory_library: Library,
    designs: dict[str, Design],
    undisturbed_contents: dict[str, Contents],
    read_contents: Callable[..., Contents],
) -> None:
    partial = begin_run(memory_library.runs_folder / "run.duckdb", designs["simulate"], free_name=False)

    def kill_workers(done: int, _games: int, _left: float | None) -> None:
        if done:
            for child in _worker_pids():
                os.kill(child, signal.SIGKILL)

    with pytest.raises(PlayError, match="a worker process died, perhaps because memory ran out"):
        resume_run(partial, workers=2, progress=kill_workers)
    assert partial.games_done > 0
    assert (
        read_contents(resume_run(UnfinishedRun(partial.folder), workers=1))
        == undisturbed_contents["simulate"]
    )


SHORT_OF_MEMORY_SCRIPT: Final = """
import os, resource, sys
from pathlib import Path
from pipelines.runs.unfinished_run import UnfinishedRun
from pipelines.simulate.errors import DiskError, PlayError
from pipelines.simulate.simulate import resume_run

def tighten(done, games, left):
    if done:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * os.sysconf("SC_PAGE_SIZE") + (int(sys.argv[2]) << 20)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))

try:
    resume_run(UnfinishedRun(Path(sys.argv[1])), workers=int(sys.argv[3]), progress=tighten)
except (PlayError, DiskError) as error:
    print(error)
    sys.exit(3)
"""
"""Resumes a run; after the first progress it may use only this number of further megabytes of memory."""


@pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="only Linux reports the memory of a process"
)
@pytest.mark.parametrize(("megabytes", "workers"), [(4, 2), (0, 1)])
def test_a_process_without_memory_says_so_and_the_rest_is_kept(
    run_process: RunProcess, memory_library: Library, ruleset: Ruleset, megabytes: int, workers: int
) -> None:
    """The first to ask for memory in vain may be NumPy, Arrow, DuckDB, or the system that starts a thread."""
    planned = design_simulation(ruleset, ["random", "random"], blocks=4_010, seed=3)
    planned = planned.model_copy(update={"shard_blocks": 2_000})
    partial = begin_run(memory_library.runs_folder / "run.duckdb", planned, free_name=False)
    play_shard(partial.folder, planned.model_dump_json(), 2)
    done = run_process(
        [sys.executable, "-c", SHORT_OF_MEMORY_SCRIPT, str(partial.folder), str(megabytes), str(workers)],
    )
    assert done.returncode == 3, done.stderr
    assert len(done.stdout.splitlines()) == 1
    assert "memory" in done.stdout.lower()
    assert partial.games_done >= 10
    run = resume_run(UnfinishedRun(partial.folder), workers=1)
    assert run.summary.games == 4_010
    verify_run(run, workers=1, limit=12)


@pytest.mark.parametrize("kernels", ["0", "1"])
def test_a_shard_without_memory_is_told_in_a_line_and_the_rest_is_kept(
    memory_library: Library,
    designs: dict[str, Design],
    undisturbed_contents: dict[str, Contents],
    read_contents: Callable[..., Contents],
    monkeypatch: pytest.MonkeyPatch,
    kernels: str,
) -> None:
    monkeypatch.setenv("REROLL_KERNELS", kernels)
    partial = begin_run(memory_library.runs_folder / "run.duckdb", designs["simulate"], free_name=False)
    play_shard(partial.folder, designs["simulate"].model_dump_json(), 0)

    def raise_memory_error(*_: object, **__: object) -> None:
        raise MemoryError

    with monkeypatch.context() as short:
        short.setattr("pipelines.simulate.compiled_games.play_blocks", raise_memory_error)
        short.setattr("pipelines.simulate.shards.play_out", raise_memory_error)
        done = CliRunner().invoke(
            app, ["resume", str(partial.folder), "--workers", "1", "--data", str(memory_library.folder)]
        )
    assert done.exit_code == 1, done.exc_info
    assert "out of memory; try fewer workers" in done.output
    assert "resume with: reroll resume" in done.output
    assert "random" not in done.output  # the message blames no strategy
    assert partial.games_done > 0
    assert (
        read_contents(resume_run(UnfinishedRun(partial.folder), workers=1))
        == undisturbed_contents["simulate"]
    )


def test_a_command_without_memory_says_so_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def raise_memory_error(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("engine.catalogue.Catalogue.find_ruleset", raise_memory_error)
    done = CliRunner().invoke(app, ["rulesets", "bloxx-2p"])
    assert (done.exit_code, len(done.output.splitlines())) == (1, 1)
    assert "out of memory" in done.output


@pytest.fixture
def plain_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the plain rules play, in worker processes."""
    monkeypatch.setenv("REROLL_KERNELS", "0")


def _worker_pids() -> list[int]:
    """Return the ids of the worker processes of this process."""
    import multiprocessing

    return [child.pid for child in multiprocessing.active_children() if child.pid]


@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_once_or_twice_keeps_what_is_done(
    start_process: StartProcess,
    memory_library: Library,
    designs: dict[str, Design],
    undisturbed_contents: dict[str, Contents],
    read_contents: Callable[..., Contents],
    times: int,
) -> None:
    partial = begin_run(memory_library.runs_folder / "run.duckdb", designs["simulate"], free_name=False)
    with start_process(
        [sys.executable, "-m", "pipelines", "resume", str(partial.folder), "--workers", "2"],
        stderr=subprocess.PIPE,
        env={**os.environ, "REROLL_KERNELS": "0"},
    ) as process:
        end = time.monotonic() + 60
        while not partial.finished_shards and process.poll() is None:
            assert time.monotonic() < end
            time.sleep(0.01)
        for _ in range(times):
            process.send_signal(signal.SIGINT)
            time.sleep(0.05)
        errors = process.communicate(timeout=60)[1]
    assert "Traceback" not in errors
    assert process.returncode == 130
    assert not partial.is_running
    assert (
        read_contents(resume_run(UnfinishedRun(partial.folder), workers=1))
        == undisturbed_contents["simulate"]
    )
