"""The command whatif: questions about one game and about many, and continuations that are saved."""

from __future__ import annotations

import json
import shlex
import shutil
from typing import TYPE_CHECKING

import pytest

from pipelines.runs.library import Library
from tests.command_line import run_reroll

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.runs.library import Run


WHATIF_OPTIONS = ("--move", 21, "--player", 2, "--strategy", "random", "--continuations", 60, "--seed", 3)


@pytest.mark.slow
def test_what_if_answers_and_keeps_the_continuations(small_run: Run, tmp_path: Path) -> None:
    """The command stored in a saved run creates the same run again."""
    (tmp_path / "runs").mkdir()
    shutil.copyfile(small_run.path, tmp_path / "runs" / "made.duckdb")
    result = run_reroll(
        "whatif",
        "made",
        "--game",
        2,
        *WHATIF_OPTIONS,
        "--name",
        "kept",
        "--data",
        tmp_path,
        "--quiet",
        "--json",
    )
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    assert document["n"] == 60
    assert document["seats"][1]["score"]["high"] < 0
    saved = Library(tmp_path).run("kept")
    assert saved.summary.kind == "whatif"
    assert saved.summary.games == 120
    assert run_reroll("verify", "kept", "--data", tmp_path).exit_code == 0
    assert run_reroll("show", "kept", "--game", 2, "--move", 21, "--data", tmp_path).exit_code == 0
    words = shlex.split(saved.summary.command)[1:]
    again = run_reroll(
        *(word if word != "kept" else "again" for word in words), "--data", tmp_path, "--quiet"
    )
    assert again.exit_code == 0
    for game in (0, 1, 119):
        assert Library(tmp_path).run("again").actions(game) == saved.actions(game)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--game", 2, *WHATIF_OPTIONS, "--name", "made"), "there is a run made already"),
        (("--game", 2, *WHATIF_OPTIONS, "--name", "../made"), "cannot be the name of a run"),
        (
            ("--many", "lost:1", *WHATIF_OPTIONS, "--name", "kept"),
            "--name saves the continuations of one game",
        ),
        (("--game", 2, "--move", 21, "--option", "gap_penalty=2", "--name", "kept"), "a run has one ruleset"),
        (("--game", 2, "--move", 21), "name the change"),
        (("--game", 2, "--move", 9999, "--luck"), "cannot fork before move 9999"),
        (("--game", 2, *WHATIF_OPTIONS, "--margin", 0), "margin: expected a difference above 0, not 0"),
        (
            ("--many", "all", *WHATIF_OPTIONS, "--until-decided"),
            "--until-decided and --margin ask about one game",
        ),
        (
            ("--many", "all", *WHATIF_OPTIONS, "--margin", 2),
            "--until-decided and --margin ask about one game",
        ),
    ],
)
def test_what_if_refuses_bad_input_in_a_line(
    library_folder: Path, words: tuple[object, ...], message: str
) -> None:
    result = run_reroll("whatif", "made", *words, "--data", library_folder)
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.strip().splitlines()) <= 2


def test_what_if_forks_many_games(library_folder: Path) -> None:
    words = (
        "--move",
        "last-roll",
        "--player",
        1,
        "--strategy",
        "random",
        "--continuations",
        10,
        "--json",
        "--quiet",
    )
    document = json.loads(
        run_reroll("whatif", "made", "--many", "all", *words, "--data", library_folder).stdout
    )
    assert (document["positions"], document["blocks"]) == (10, 10)
    assert len(document["skipped"]) == 10, "the games in which random plays for player 1 anyway"
    assert document["sentence"].startswith(
        "if random played on for player 1 from just before the last roll on in 10 games of BLOXX!, "
        "the score of player 1 (greedy) does not clearly change (95 % interval "
    )
    assert document["score"]["low"] <= document["score"]["estimate"] <= document["score"]["high"]


@pytest.mark.parametrize(("given", "expected"), [((), 100), (("--continuations", 1000), 1000)])
def test_what_if_of_many_games_plays_the_given_continuations(
    library_folder: Path, given: tuple[object, ...], expected: int
) -> None:
    words = ("--move", "last-roll", "--luck", "--limit", 2, *given, "--json", "--quiet")
    document = json.loads(
        run_reroll("whatif", "made", "--many", "all", *words, "--data", library_folder).stdout
    )
    assert document["continuations"] == expected
