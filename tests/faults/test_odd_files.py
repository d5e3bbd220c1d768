"""Named pipes and devices in the place of files: reading one might never end, so each is refused in a line."""

from __future__ import annotations

import faulthandler
import fcntl
import os
import shutil
import signal
from typing import TYPE_CHECKING, Final

import pytest
from typer.testing import CliRunner, Result

from pipelines.cli import app
from pipelines.design.designs import design_simulation
from pipelines.notes.note import NoteContent, NotePlace
from pipelines.notes.sidecar import NOTES_FILE
from pipelines.notes.store import NoteStore
from pipelines.runs.library import Library
from pipelines.runs.unfinished_run import FORMAT_FILE, UnfinishedRun, begin_run
from pipelines.service.jobs import Job, pending_jobs, resume_job
from pipelines.simulate.shards import play_shard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from types import FrameType

    from engine.ruleset import Ruleset
    from pipelines.runs.run import Run

TIMEOUT_SECONDS: Final = 20


@pytest.fixture(autouse=True)
def limits() -> Iterator[None]:
    """Fail a test that waits for a pipe. If a library waits outside Python, no test can fail, so the process ends."""

    def fail(_number: int, _frame: FrameType | None) -> None:
        raise AssertionError(f"no answer within {TIMEOUT_SECONDS} s")

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(TIMEOUT_SECONDS)
    faulthandler.dump_traceback_later(TIMEOUT_SECONDS + 5, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(params=["pipe", "device"])
def make_odd_file(request: pytest.FixtureRequest) -> Callable[[Path], Path]:
    """Return a function that makes a named pipe, or a link to a device without end, at a path."""

    def make_file(path: Path) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        if request.param == "pipe":
            os.mkfifo(path)
        else:
            path.symlink_to("/dev/zero")
        return path

    return make_file


@pytest.fixture
def half_played_run(ruleset: Ruleset, tmp_path: Path) -> UnfinishedRun:
    """An unfinished run with one of two shards in the library `tmp_path`."""
    design = design_simulation(ruleset, ["greedy", "random"], blocks=4, seed=3)
    design = design.model_copy(update={"shard_blocks": 2})
    partial = begin_run(tmp_path / "runs" / "half.duckdb", design, free_name=False)
    play_shard(partial.folder, design.model_dump_json(), 0)
    return partial


def run_reroll(folder: Path, *words: object) -> Result:
    result = CliRunner().invoke(app, [*map(str, words), "--data", str(folder)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exc_info
    return result


@pytest.mark.parametrize("suffix", ["", ".wal"])
def test_an_odd_file_among_the_runs_hides_no_other_run(
    small_run: Run, tmp_path: Path, make_odd_file: Callable[[Path], Path], suffix: str
) -> None:
    runs = tmp_path / "runs"
    runs.mkdir()
    shutil.copyfile(small_run.path, runs / "good.duckdb")
    shutil.copyfile(small_run.path, runs / "odd.duckdb")
    make_odd_file(runs / f"odd.duckdb{suffix}")
    listed = run_reroll(tmp_path, "ls")
    assert listed.exit_code == 0
    assert listed.stdout.splitlines()[1].startswith("good ")
    assert f"odd.duckdb{suffix}" in listed.stderr
    assert "not a regular file" in listed.stderr
    assert run_reroll(tmp_path, "info", "odd").exit_code == 2
    assert [run.name for run in Library(tmp_path).runs()] == ["good"]


def test_an_odd_file_among_the_rulesets_hides_no_other_ruleset(
    tmp_path: Path, make_odd_file: Callable[[Path], Path]
) -> None:
    path = make_odd_file(tmp_path / "rulesets" / "odd.toml")
    listed = run_reroll(tmp_path, "rulesets")
    assert listed.exit_code == 0
    assert "bloxx-2p" in listed.stdout
    assert listed.stderr.splitlines() == [f"reroll: {path}: not a regular file"]
    assert run_reroll(tmp_path, "rulesets", path).stderr == f"reroll: {path}: not a regular file\n"


@pytest.mark.parametrize(
    "words",
    [
        ("simulate", "bloxx-2p", "-s", "mine,random", "--games", "2", "--code", "odd.py"),
        ("import", "odd.txt"),
        ("import", "odd.json"),
    ],
)
def test_an_odd_file_with_code_or_games_is_refused_in_a_line(
    tmp_path: Path,
    make_odd_file: Callable[[Path], Path],
    words: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    make_odd_file(tmp_path / words[-1])
    result = run_reroll(tmp_path, *words)
    assert result.exit_code == 2
    assert result.stderr == f"reroll: {words[-1]}: not a regular file\n"


@pytest.mark.parametrize("name", ["design.json", "job.json"])
def test_an_odd_file_in_an_unfinished_run_hides_no_run(
    half_played_run: UnfinishedRun, small_run: Run, make_odd_file: Callable[[Path], Path], name: str
) -> None:
    folder = half_played_run.folder
    shutil.copyfile(small_run.path, folder.parent / "good.duckdb")
    make_odd_file(folder / name)
    listed = run_reroll(folder.parents[1], "ls")
    assert listed.exit_code == 0
    assert listed.stdout.splitlines()[1].startswith("good ")
    assert f"{folder / name}: not an unfinished run" in listed.stderr
    assert run_reroll(folder.parents[1], "resume", "half", "--workers", "1").exit_code == 2


@pytest.mark.parametrize("name", ["design.json", "job.json", FORMAT_FILE])
def test_an_endless_file_in_an_unfinished_run_hides_no_run(
    half_played_run: UnfinishedRun, small_run: Run, name: str
) -> None:
    """A file of a terabyte that holds nothing takes no space on the disk, but all memory if it is read."""
    folder = half_played_run.folder
    shutil.copyfile(small_run.path, folder.parent / "good.duckdb")
    (folder / name).touch()
    os.truncate(folder / name, 1 << 40)
    listed = run_reroll(folder.parents[1], "ls")
    assert listed.exit_code == 0
    assert listed.stdout.splitlines()[1].startswith("good ")


@pytest.mark.parametrize("words", [("resume", "half", "--workers", "1"), ("info", "half")])
def test_an_odd_shard_is_refused_in_a_line(
    half_played_run: UnfinishedRun, make_odd_file: Callable[[Path], Path], words: tuple[str, ...]
) -> None:
    path = make_odd_file(half_played_run.shards_folder / "000000" / "seats.parquet")
    result = run_reroll(half_played_run.folder.parents[1], *words)
    assert result.exit_code == 2
    assert result.stderr.splitlines()[0].startswith(f"reroll: {path}: not part of an unfinished run")


def test_an_odd_log_among_the_jobs_is_ignored(tmp_path: Path, make_odd_file: Callable[[Path], Path]) -> None:
    path = make_odd_file(tmp_path / "jobs" / "odd.log")
    assert pending_jobs(Library(tmp_path)) == []
    job = Job(Library(tmp_path), path.stem)
    assert (job.is_alive, job.last_line, job.state) == (False, "", "failed")
    job.cancel()


def test_an_odd_file_in_the_place_of_a_process_id_ends_no_process(
    tmp_path: Path, make_odd_file: Callable[[Path], Path]
) -> None:
    """The log of a job is locked as long as its process lives; only then is the id of the process read."""
    path = make_odd_file(tmp_path / "jobs" / "odd.pid")
    with path.with_suffix(".log").open("wb") as log:
        fcntl.flock(log, fcntl.LOCK_EX)
        job = Job(Library(tmp_path), path.stem)
        assert job.is_alive
        job.cancel()
        assert not path.exists()


def test_a_run_is_not_resumed_with_an_odd_log(
    half_played_run: UnfinishedRun, make_odd_file: Callable[[Path], Path]
) -> None:
    library = Library(half_played_run.folder.parents[1])
    make_odd_file(library.folder / "jobs" / "half.log")
    with pytest.raises(OSError, match="not a regular file"):
        resume_job(library, half_played_run)


@pytest.mark.parametrize("suffix", ["", "-journal", "-wal"])
@pytest.mark.parametrize(
    "words",
    [
        ("notes",),
        ("note", "good"),
        ("ls",),
        ("baseline",),
        ("baseline", "--unpin"),
        ("sql", "--saved", "mine"),
    ],
)
def test_an_odd_file_in_the_place_of_the_notes_is_refused_in_a_line(
    small_run: Run,
    tmp_path: Path,
    make_odd_file: Callable[[Path], Path],
    words: tuple[str, ...],
    suffix: str,
) -> None:
    (tmp_path / "runs").mkdir()
    shutil.copyfile(small_run.path, tmp_path / "runs" / "good.duckdb")
    NoteStore(tmp_path).add(NotePlace("run", "scores"), NoteContent("One"))
    path = make_odd_file(tmp_path / f"{NOTES_FILE}{suffix}")
    result = run_reroll(tmp_path, *words)
    lists_runs = words == ("ls",)
    more = "; no run is marked as pinned" if lists_runs else ""
    assert result.exit_code == (0 if lists_runs else 2)
    assert ("good" in result.stdout) == lists_runs
    assert result.stderr == f"reroll: {path}: not a regular file{more}\n"


@pytest.mark.parametrize("suffix", ["", "-journal", "-wal"])
def test_a_folder_in_the_place_of_the_notes_is_refused_in_a_line(tmp_path: Path, suffix: str) -> None:
    NoteStore(tmp_path).add(NotePlace("run", "scores"), NoteContent("One"))
    path = tmp_path / f"{NOTES_FILE}{suffix}"
    path.unlink(missing_ok=True)
    path.mkdir()
    result = run_reroll(tmp_path, "notes")
    assert (result.exit_code, result.stderr) == (2, f"reroll: {path}: Is a directory\n")
