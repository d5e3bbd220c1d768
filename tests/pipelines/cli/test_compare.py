"""The command compare: its verdict first, its document for programs, and what it refuses."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pipelines.runs.library import Library
from tests.command_line import run_reroll

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.slow
def test_compare_says_the_verdict_first_and_how_to_play_it_again(tmp_path: Path) -> None:
    options = ("--seed", "7", "--workers", "1", "--blocks", "20", "--data", tmp_path)
    result = run_reroll("compare", "bloxx-3p", "greedy", "random", *options)
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0].startswith("Greedy beats random by ")
    assert "120 games" in lines[0]
    (again,) = (line.removeprefix("command: ") for line in lines if line.startswith("command: "))
    assert again.startswith("reroll compare bloxx-3p greedy random --design duel ")
    (run,) = Library(tmp_path).runs()
    assert (run.summary.kind, run.summary.command) == ("compare", again)
    repeated = run_reroll(*again.split()[1:], "--workers", "1", "--data", tmp_path)
    assert repeated.stdout.splitlines()[0] == lines[0]
    reported = run_reroll("compare", "--run", run.name, "--data", tmp_path)
    assert reported.stdout == result.stdout


@pytest.mark.slow
def test_compare_answers_programs_with_everything_and_people_with_which_intervals_allow_for_the_stop(
    tmp_path: Path,
) -> None:
    options = ("--seed", "7", "--workers", "1", "--data", tmp_path, "--out", tmp_path / "mine", "--json")
    words = ("--until-decided", "--blocks", "200", "--metric", "win", "--log", "scores")
    result = run_reroll("compare", "bloxx-2p", "greedy", "random", *words, *options)
    assert result.exit_code == 0, result.stderr
    answer = json.loads(result.stdout)
    assert (answer["run"], answer["path"]) == ("mine", str(tmp_path / "mine.duckdb"))
    assert (answer["is_sequential"], answer["blocks"], answer["pairs"][0]["decision"]) == (True, 100, "more")
    assert [control["holds"] for control in answer["controls"]] == [True, True, None]
    asked = ("compare", "--run", tmp_path / "mine.duckdb", "--metric")
    other = json.loads(run_reroll(*asked, "score", "--json").stdout)
    assert (other["metric"], other["is_sequential"]) == ("score", False)
    said = "Only the intervals of the difference that decides when to stop are valid at every look"
    assert said in run_reroll(*asked, "win").stdout
    said = "Another metric decides when to stop, so no interval allows for the stop"
    assert said in run_reroll(*asked, "score").stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "name what to compare"),
        (("bloxx-2p",), "name what to compare"),
        (("bloxx-2p", "greedy"), "a comparison takes from 2 to"),
        (("bloxx-2p", "greedy", "gredy"), "did you mean greedy?"),
        (("blox-2p", "greedy", "random"), "unknown ruleset"),
        (("bloxx-2p", "greedy", "random", "--design", "cup"), "design: expected rotate or duel"),
        (
            ("bloxx-2p", "greedy", "random", "--metric", "elo"),
            "There is no measure elo; expected score or margin or win",
        ),
        (("bloxx-2p", "greedy", "random", "--margin", "-1"), "margin: expected a difference above 0"),
        (("bloxx-2p", "greedy", "random", "--blocks", "0"), "expected at least 1, not"),
        (("bloxx-2p", "greedy", "random", "--run", "made"), "name either what to compare, or a run"),
        (("--run", "mad"), "unknown run 'mad'"),
        (("--run", "made", "--metric", "elo"), "There is no measure elo; expected score or margin or win"),
    ],
)
@pytest.mark.usefixtures("library_folder")
def test_compare_refuses_bad_input_in_a_line(words: tuple[str, ...], message: str) -> None:
    result = run_reroll("compare", *words)
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert result.stdout == ""


@pytest.mark.slow
def test_compare_takes_strategies_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def last(state, source):\n    return state.actions[-1]\n", encoding="utf-8")
    options = ("--seed", "7", "--workers", "1", "--blocks", "3", "--data", tmp_path)
    refused = run_reroll("compare", "bloxx-2p", "last", "random", *options)
    assert (refused.exit_code, refused.stdout) == (2, "")
    result = run_reroll("compare", "bloxx-2p", "last", "random", "--code", file, *options)
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("Not enough games to compare last with random")
    (run,) = Library(tmp_path).runs()
    assert "--code" in run.summary.command
    assert run_reroll("compare", "--run", run.name, "--data", tmp_path).exit_code == 0
