"""The commands ls, info, show, rm and resume, with runs that are finished, unfinished and damaged."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from engine import games
from pipelines.cli.errors import print_resume_hint
from pipelines.runs.library import Library
from pipelines.simulate.shards import play_shard
from tests.command_line import LINE_UP_OPTIONS, run_reroll

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pipelines.runs.library import Run
    from pipelines.runs.unfinished_run import UnfinishedRun


@pytest.mark.usefixtures("library_folder")
def test_show_draws_the_boards_after_a_ply(small_run: Run) -> None:
    start, end = (
        json.loads(run_reroll("show", "made", "--game", "1", "--json", *ply).stdout)
        for ply in (["--move", "0"], [])
    )
    assert start["boards"] == str(games.start_state(small_run.ruleset("bloxx-2p")))
    assert end["boards"] != start["boards"]
    assert [seat["strategy"] for seat in end["seats"]] == ["greedy", "random"]
    assert len(end["log"]) == end["plies"]


def test_a_damaged_run_is_reported_with_its_path_and_nothing_before_it(
    small_run: Run, tmp_path: Path, damage_table: Callable[[Path, str], None]
) -> None:
    path = tmp_path / "damaged.duckdb"
    shutil.copyfile(small_run.path, path)
    damage_table(path, "seats")
    for words in (
        ("info", path),
        ("info", path, "--json"),
        ("show", path, "--game", "1"),
        ("export", path, "--game", "1"),
    ):
        result = run_reroll(*words)
        assert (result.exit_code, result.stdout) == (2, ""), words
        assert result.stderr.startswith(f"reroll: {path}: "), words
        assert len(result.stderr.splitlines()) == 1


def test_info_describes_an_unfinished_run(small_run: Run, tmp_path: Path) -> None:
    library = Library(tmp_path)
    partial = _begin_unfinished_run(library, small_run)
    described = run_reroll("info", "half", "--data", tmp_path).stdout.splitlines()
    assert described[0] == "run      half"
    assert f"folder   {partial.folder}" in described
    assert "state    stopped, 0 of 4 games" in described
    assert "go on    finish it with: reroll resume half, or delete it with: reroll rm half" in described
    assert not any("mean score" in line for line in described)
    play_shard(partial.folder, partial.design.model_dump_json(), 0)
    assert any("mean score" in line for line in run_reroll("info", partial.folder).stdout.splitlines())
    answer = json.loads(run_reroll("info", "half", "--json", "--data", tmp_path).stdout)
    assert (answer["run"], answer["state"], answer["ruleset"]) == ("half", "stopped", "bloxx-2p")


def test_ls_shows_runs_that_are_not_finished_and_files_that_are_none(small_run: Run, tmp_path: Path) -> None:
    library = Library(tmp_path)
    library.runs_folder.mkdir()
    (library.runs_folder / "text.duckdb").write_text("hello")
    begun = _begin_unfinished_run(library, small_run)
    result = run_reroll("ls", "--data", tmp_path)
    assert result.stdout == "half: stopped, 0 of 4 games\n"
    assert result.stderr.startswith(f"reroll: {library.runs_folder / 'text.duckdb'}: not a run file")
    assert run_reroll("rm", "half", "-y", "--data", tmp_path).stdout == "deleted half\n"
    assert not begun.folder.exists()


@pytest.mark.parametrize(
    "words",
    [
        ("verify", "half"),
        ("show", "half", "--game", "1"),
        ("study", "half"),
        ("study", "half#1"),
        ("ask", "/scores?runs=half"),
        ("simulate", "bloxx-2p", *LINE_UP_OPTIONS, "--games", "2", "--name", "half"),
    ],
)
def test_every_hint_at_an_unfinished_run_says_how_to_resume_and_to_remove_it(
    small_run: Run, tmp_path: Path, words: tuple[str, ...]
) -> None:
    begun = _begin_unfinished_run(Library(tmp_path), small_run)
    result = run_reroll(*words, "--data", tmp_path)
    assert result.exit_code == 2
    assert "reroll resume half" in result.stderr
    assert "reroll rm half" in result.stderr
    out = ("--out", begun.target)
    result = run_reroll(
        "simulate", "bloxx-2p", *LINE_UP_OPTIONS, "--games", "2", *out, "--data", tmp_path / "b"
    )
    assert f"reroll resume {begun.folder}" in result.stderr
    assert f"reroll rm {begun.folder}" in result.stderr


def test_rm_without_an_answer_deletes_nothing_and_names_the_option(small_run: Run, tmp_path: Path) -> None:
    begun = _begin_unfinished_run(Library(tmp_path), small_run)
    result = run_reroll("rm", "half", "--data", tmp_path, answer="")
    assert (result.exit_code, result.stdout.strip()) == (2, "")
    assert result.stderr.splitlines()[-1] == (
        "reroll: nothing was deleted, because there was no answer; to delete without a question: reroll rm half --yes"
    )
    assert begun.folder.exists()


def test_resume_finishes_a_run_by_its_name(small_run: Run, tmp_path: Path) -> None:
    library = Library(tmp_path)
    _begin_unfinished_run(library, small_run)
    assert run_reroll("resume", "half", "--workers", "1", "--data", tmp_path).exit_code == 0
    assert library.run("half").summary.games == 4


def _begin_unfinished_run(library: Library, made: Run) -> UnfinishedRun:
    from pipelines.design.designs import design_simulation
    from pipelines.runs.unfinished_run import begin_run

    planned = design_simulation(made.ruleset("bloxx-2p"), ["greedy", "random"], blocks=2)
    return begin_run(library.runs_folder / "half.duckdb", planned, free_name=False)


def test_nobody_is_told_to_resume_a_run_that_is_complete_or_gone(
    small_run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both can happen between the moment in which a run stops and the message about it."""
    partial = _begin_unfinished_run(Library(tmp_path), small_run)
    print_resume_hint(partial, "stopped")
    assert "resume with: reroll resume" in capsys.readouterr().err
    shutil.rmtree(partial.folder)
    print_resume_hint(partial, "stopped")
    assert capsys.readouterr().err == f"stopped: the folder of the run is gone: {partial.folder}\n"
    partial.target.touch()
    print_resume_hint(partial, "stopped")
    assert capsys.readouterr().err == f"stopped: the run is complete: {partial.target}\n"
