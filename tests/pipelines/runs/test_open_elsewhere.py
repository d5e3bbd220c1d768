"""A run that another program has open, or has left its log beside, harms neither itself nor the other runs."""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import duckdb
import pytest
from typer.testing import CliRunner

from pipelines.cli import app
from pipelines.runs import run as run_module
from pipelines.runs.intake import rename_run
from pipelines.runs.library import Library
from pipelines.runs.query import answer_query
from pipelines.runs.run import InaccessibleError
from pipelines.service.doctor import diagnose_runs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pipelines.runs.run import Run
    from tests.processes import StartProcess

COUNT = "SELECT run, count(*) AS n FROM games GROUP BY ALL ORDER BY ALL"


@pytest.fixture
def folder(tmp_path: Path, small_run: Run, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A library with the runs `w` and `other`."""
    monkeypatch.setattr(run_module, "inaccessible_files", run_module.inaccessible_files)
    (tmp_path / "runs").mkdir()
    for name in ("w", "other"):
        shutil.copyfile(small_run.path, tmp_path / "runs" / f"{name}.duckdb")
    yield tmp_path
    run_module.inaccessible_files.clear()


def open_in_another_process(start_process: StartProcess, path: Path, change: str) -> subprocess.Popen[str]:
    script = (
        f"import duckdb, time; c = duckdb.connect({str(path)!r}); c.execute('PRAGMA disable_checkpoint_on_shutdown'); "
        f"{change}; print('open', flush=True); time.sleep(60)"
    )
    process = start_process([sys.executable, "-c", script], stdout=subprocess.PIPE)
    assert process.stdout
    with process.stdout as output:
        assert output.readline() == "open\n"
    return process


def run_reroll(folder: Path, *words: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, [*words, "--data", str(folder)])
    return result.exit_code, result.stdout, result.stderr


CHANGE = "c.execute(\"UPDATE main.run SET title = 'changed'\")"


def test_a_run_that_is_open_for_writing_elsewhere_is_named_with_its_program(
    folder: Path, start_process: StartProcess
) -> None:
    process = open_in_another_process(start_process, folder / "runs" / "w.duckdb", "pass")
    _, listed, errors = run_reroll(folder, "ls")
    assert "other" in listed
    assert f"process {process.pid})" in errors
    assert "open for writing in another program" in errors
    found = next(finding for finding in diagnose_runs(Library(folder)) if not finding.ok)
    assert found.about == "not readable"
    assert "damaged" not in f"{found.says} {found.remedy}"
    process.kill()
    process.wait()
    assert run_reroll(folder, "ls")[2] == ""


def test_other_runs_answer_while_a_known_run_is_open_elsewhere(
    folder: Path, start_process: StartProcess
) -> None:
    runs = Library(folder).runs()  # now its content is known
    assert len(runs) == 2
    process = open_in_another_process(start_process, folder / "runs" / "w.duckdb", "pass")
    answer = answer_query(runs, COUNT)
    assert [row[0] for row in answer.rows] == ["other"]
    assert [f"process {process.pid})" in message for message in answer.left_out] == [True]
    assert Library(folder).pandas(COUNT)["run"].tolist() == ["other"]
    process.kill()
    process.wait()
    assert Library(folder).pandas(COUNT)["run"].tolist() == ["other", "w"]


def test_a_connection_of_this_process_that_only_reads_changes_nothing(folder: Path) -> None:
    with duckdb.connect(folder / "runs" / "w.duckdb", read_only=True) as connection:
        assert connection.execute("SELECT count(*) FROM games").fetchall()[0][0]
        assert Library(folder).pandas(COUNT)["run"].tolist() == ["other", "w"]
        assert len(Library(folder).run("w").pandas("seats"))


@pytest.mark.slow
def test_a_connection_of_this_process_is_named(folder: Path) -> None:
    runs = Library(folder).runs()
    with duckdb.connect(str(folder / "runs" / "w.duckdb")):
        assert Library(folder).pandas(COUNT)["run"].tolist() == ["other"]
        with pytest.raises(InaccessibleError, match=r"in this process; .*read_only=True"):
            Library(folder).run("w").pandas("seats")
        (message,) = answer_query(runs, COUNT).left_out
        assert "in this process" in message
    assert len(Library(folder).run("w").pandas("games"))


@pytest.fixture
def stray_log(folder: Path, start_process: StartProcess) -> Path:
    """The log of a program that has died while it had changed the run `w`."""
    process = open_in_another_process(start_process, folder / "runs" / "w.duckdb", CHANGE)
    process.kill()
    process.wait()
    return folder / "runs" / "w.duckdb.wal"


def test_a_log_beside_a_run_is_named_and_not_applied(folder: Path, stray_log: Path) -> None:
    _, listed, errors = run_reroll(folder, "ls")
    assert stray_log.name in errors
    assert "changed" not in listed
    code, printed, errors = run_reroll(folder, "sql", "SELECT run, title FROM run")
    assert code == 0
    assert "changed" not in printed
    assert stray_log.name in errors
    stray_log.unlink()
    assert {found.name for found in Library(folder).runs()} == {"other", "w"}


def test_a_log_that_comes_later_is_not_applied_either(folder: Path, start_process: StartProcess) -> None:
    run: Run = Library(folder).run("w")
    process = open_in_another_process(start_process, run.path, CHANGE)
    process.kill()
    process.wait()
    with pytest.raises(InaccessibleError, match=r"w\.duckdb\.wal"):
        run.pandas("seats")
    with pytest.raises(InaccessibleError, match=r"w\.duckdb\.wal"):
        rename_run(Library(folder), run, "renamed")
    assert {found.name for found in Library(folder).runs()} == {"other"}


def test_a_new_run_of_the_name_is_not_harmed_by_the_log_of_the_former(folder: Path, stray_log: Path) -> None:
    simulate = ("simulate", "bloxx-mini", "--strategies", "random,random", "--games", "2", "--name", "w")
    log = stray_log.read_bytes()
    assert run_reroll(folder, "rm", "w", "--yes")[0] == 0
    assert not stray_log.exists()
    assert run_reroll(folder, *simulate)[0] == 0
    assert len(Library(folder).run("w").pandas("games"))
    assert run_reroll(folder, "rm", "w", "--yes")[0] == 0
    stray_log.write_bytes(log)
    code, _, errors = run_reroll(folder, *simulate)
    assert code == 2
    assert f"another program has left {stray_log}; delete it, or choose another name" in errors
