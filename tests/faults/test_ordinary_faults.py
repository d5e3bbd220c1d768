"""Ordinary faults: folders that may not be read, names that are being played, versions in turn."""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from typing import TYPE_CHECKING

import duckdb
import pytest
from typer.testing import CliRunner

from engine.catalogue import Catalogue
from engine.errors import InvalidError
from pipelines.cli import app
from pipelines.design.designs import design_simulation
from pipelines.exchange.import_games import plan_import
from pipelines.runs import pack
from pipelines.runs.library import Library
from pipelines.runs.pack import PACK_SUFFIX, PACKS_FOLDER, pack_runs
from pipelines.runs.run import Run
from pipelines.runs.unfinished_run import begin_run, check_name_free
from pipelines.simulate.errors import VerificationFailed
from pipelines.simulate.verify import verify_run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from engine.ruleset import Ruleset


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", [["ls"], ["games"], ["sql", "SELECT 1"], ["ask", "/scores?rulesets=bloxx-2p"], ["doctor"]]
)
def test_a_folder_that_may_not_be_read_is_not_an_empty_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    (tmp_path / "runs").mkdir()
    list_folder = os.listdir

    def list_others(path: object) -> list[str]:
        if path == tmp_path / "runs":
            raise PermissionError(13, "Permission denied")
        return list_folder(str(path))

    monkeypatch.setattr(os, "listdir", list_others)
    result = CliRunner().invoke(app, [*words, "--data", str(tmp_path)])
    assert result.exit_code == (1 if words == ["doctor"] else 2)
    assert f"{tmp_path / 'runs'}: Permission denied" in result.output


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    for words in (["ls"], ["games"], ["sql", "SELECT 1"], ["notes"]):
        result = CliRunner().invoke(app, [*words, "--data", str(tmp_path / "gone")])
        assert f"{tmp_path / 'gone'} does not exist yet" in result.output, words


def test_a_name_that_is_being_played_is_not_to_be_resumed(ruleset: Ruleset, tmp_path: Path) -> None:
    design = design_simulation(ruleset, ["random", "random"], blocks=2)
    partial = begin_run(tmp_path / "busy.duckdb", design, free_name=False)
    with (partial.folder / "job.json").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        for claim in (
            lambda: check_name_free(tmp_path, "busy"),
            lambda: begin_run(tmp_path / "busy.duckdb", design, free_name=False),
        ):
            with pytest.raises(InvalidError, match=r"^the run busy is being played; choose another name$"):
                claim()
    with pytest.raises(InvalidError, match="finish it with: reroll resume busy"):
        check_name_free(tmp_path, "busy")


def test_the_packs_of_another_version_stay_for_a_while(
    tmp_path: Path, play_run: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pack, "FEW_RUNS", 0)
    play_run(tmp_path, "first", "bloxx-mini", "random", "random", games=4)
    folder = tmp_path / "runs" / PACKS_FOLDER
    folder.mkdir()
    new, old = (folder / f"1-{name}.1-0.0.1.pack" for name in ("new", "old"))
    for path in (new, old):
        path.write_bytes(b"of another version")
    month_ago = time.time() - 31 * 24 * 3600
    os.utime(old, (month_ago, month_ago))
    list(pack_runs(Library(tmp_path).runs()))
    assert new.exists()
    assert not old.exists()
    assert list(folder.glob(f"*{PACK_SUFFIX}"))


def test_verify_names_a_table_that_somebody_has_added(small_run: Run, tmp_path: Path) -> None:
    run = Run(tmp_path / "changed.duckdb")
    shutil.copyfile(small_run.path, run.path)
    with duckdb.connect(run.path) as connection:
        connection.execute("CREATE TABLE notes AS SELECT 1 AS x")
    with pytest.raises(VerificationFailed, match="its table 'notes' does not belong to a run"):
        verify_run(run, workers=1)


def test_commands_work_in_a_folder_that_has_been_deleted(
    small_run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DuckDB and worker processes ask for the working folder: a sound file was called damaged, and a run lost its last line."""
    data, deleted = tmp_path / "data", tmp_path / "deleted"
    deleted.mkdir()
    monkeypatch.chdir(deleted)
    deleted.rmdir()
    verified = CliRunner().invoke(app, ["verify", str(small_run.path), "--workers", "1"])
    assert (verified.exit_code, verified.stdout) == (0, "made: all 20 games agree with the rules\n")
    words = [
        "simulate",
        "bloxx-2p",
        "-s",
        "random,random",
        "--games",
        "2",
        "--data",
        str(data),
        "--name",
        "new",
    ]
    played = CliRunner().invoke(app, words)
    assert (played.exit_code, played.stdout.splitlines()[0][:12]) == (0, "new: 2 games")
    relative = CliRunner().invoke(app, ["ls", "--data", "here"])
    assert relative.exit_code == 2
    assert relative.stderr == (
        "reroll: the working folder has been deleted; change to another one, or give whole paths\n"
    )


def test_an_import_that_was_killed_is_not_to_be_resumed(small_run: Run, tmp_path: Path) -> None:
    """Its games are not in the design: `reroll resume` refuses it, so nothing says so."""
    log = tmp_path / "game.txt"
    assert (
        CliRunner().invoke(app, ["export", str(small_run.path), "--game", "1", "--out", str(log)]).exit_code
        == 0
    )
    design = plan_import([log], Catalogue()).design
    begin_run(tmp_path / "runs" / "killed.duckdb", design, free_name=False)
    way_on = "import its games again, after: reroll rm killed"
    assert way_on in CliRunner().invoke(app, ["info", "killed", "--data", str(tmp_path)]).stdout
    words = ["import", str(log), "--name", "killed", "--data", str(tmp_path)]
    assert way_on in CliRunner().invoke(app, words).stderr
