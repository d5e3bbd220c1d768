"""The command review: its document holds every ledger, and its lists say by what moves are judged."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import TYPE_CHECKING

import pytest

from pipelines.experiments import review
from pipelines.experiments.review import start_review
from tests.command_line import run_reroll

if TYPE_CHECKING:
    from pathlib import Path

start_review_once = cache(start_review)
SLIPS = {"inaccuracy", "mistake", "blunder"}


@pytest.fixture
def _reviewed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compute a review once for all commands that print it."""
    monkeypatch.setattr(review, "start_review", start_review_once)


@pytest.mark.usefixtures("_reviewed_once")
def test_review_json_holds_every_ledger(library_folder: Path) -> None:
    result = run_reroll(
        "review", "made", "--game", 2, "--effort", 0.1, "--json", "--quiet", "--data", library_folder
    )
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    assert document["policy"] == "greedy"
    for seat, ledger in enumerate(document["ledgers"]):
        assert ledger["result"] == document["scores"][-1][seat]
    arguments = ("review", "made", "--game", 2, "--effort", 0.1, "--quiet", "--data", library_folder)
    first, whole = run_reroll(*arguments).stdout, run_reroll(*arguments, "--details").stdout
    assert "start + luck + own" in whole
    assert "start + luck + own" not in first
    assert "\n3 more tables: --details\n" in first
    assert "--details" not in whole


@pytest.mark.usefixtures("_reviewed_once")
def test_review_judges_by_win_chance_or_by_points(library_folder: Path) -> None:
    arguments = (
        "review",
        "made",
        "--game",
        2,
        "--effort",
        0.1,
        "--details",
        "--quiet",
        "--data",
        library_folder,
    )
    by_win, by_points = run_reroll(*arguments).stdout, run_reroll(*arguments, "--by", "points").stdout
    assert "lost at least 5, 10 or 20 wins of 100; where the win was nearly decided, at least" in by_win
    assert ("so the move is judged by points." in by_win) == (" of 100  " in by_win)
    assert "two thirds of the spread of the scores" in by_points
    decisions = json.loads(run_reroll(*arguments, "--json").stdout)["decisions"]
    for text, key in ((by_win, "judged"), (by_points, "judged_by_points")):
        lines = text.splitlines()
        first = lines.index("Every decision") + 1
        assert lines[first].split()[:3] == ["move", "player", "class"]
        listed = [line.split()[2] for line in lines[first + 1 : first + 1 + len(decisions)]]
        assert listed == [decision[key] for decision in decisions]
    wrong = run_reroll(*arguments, "--by", "luck")
    assert wrong.exit_code == 2
    assert "'points'" in wrong.stderr


@pytest.mark.usefixtures("_reviewed_once")
def test_review_begins_with_the_account_of_both_sides_and_lists_the_slips_of_one(
    library_folder: Path,
) -> None:
    arguments = ("review", "made", "--game", 4, "--effort", 0.2, "--quiet", "--data", library_folder)
    text = run_reroll(*arguments).stdout
    first, *rest = text.splitlines()
    line = re.fullmatch(
        r"Random lost ([\d.]+) wins of 100 a move: (.+) · Greedy lost ([\d.]+): (.+)\.", first
    )
    assert line, first
    decisions = json.loads(run_reroll(*arguments, "--json").stdout)["decisions"]
    for seat, (lost, said) in enumerate([line.group(1, 2), line.group(3, 4)]):
        own = [decision for decision in decisions if decision["seat"] == seat]
        slips = [decision for decision in own if decision["judged"] in SLIPS]
        late = sum(slip["win_nearly_decided"] for slip in slips)
        assert re.findall(r"\((\d+) with the win nearly decided\)", said) == [str(late)] * (late > 0)
        assert sum(map(int, re.findall(r"\d+", said.partition("(")[0]))) == len(slips)
        losses = [
            one["lost_wins"]["estimate"] for one in own if one["best"]["action"] != one["chosen"]["action"]
        ]
        assert float(lost) == pytest.approx(max(0, 100 * sum(losses) / len(own)), abs=0.06)
    assert "The account of both sides" in rest
    assert " times by quick players (greedy)" in " ".join(rest)
    listed = run_reroll(*arguments, "--only-player", 2).stdout
    (table,) = re.findall(r"Inaccuracies, mistakes and blunders of player 2\n(.+?)\n\n", listed, re.DOTALL)
    slips = [line.split() for line in table.splitlines() if line.split()[0].isdecimal()]
    assert {slip[1] for slip in slips} == {"2"}
    assert len(slips) == sum(decision["seat"] == 1 and decision["judged"] in SLIPS for decision in decisions)
    assert "no player 3, only 2" in run_reroll(*arguments, "--only-player", 3).stderr


@pytest.mark.usefixtures("_reviewed_once")
def test_review_says_what_its_signs_mean_where_the_lowest_score_wins(tmp_path: Path) -> None:
    design = ("blokus-dice-2p", "--strategies", "random,random", "--games", 1, "--seed", 3, "--workers", 1)
    run_reroll("simulate", *design, "--name", "low", "--quiet", "--data", tmp_path)
    arguments = ("review", "low", "--game", 1, "--effort", 0.1, "--quiet", "--data", tmp_path)
    text = run_reroll(*arguments, "--details").stdout
    assert (
        "start \N{MINUS SIGN} luck \N{MINUS SIGN} own decisions \N{MINUS SIGN} others' decisions = result, in points. The lowest score wins"
        in text
    )
    for ledger in json.loads(run_reroll(*arguments, "--json").stdout)["ledgers"]:
        gains = ledger["luck"] + ledger["own"] + ledger["others"]
        assert ledger["start"] - gains == pytest.approx(ledger["result"], abs=0.01)
