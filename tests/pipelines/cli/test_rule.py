"""The command `reroll rule`: one question for rules that are turned and for two rulesets."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner, Result

from pipelines.cli import app

if TYPE_CHECKING:
    from pathlib import Path


def run_rule(folder: Path, *words: str) -> Result:
    return CliRunner().invoke(app, ["rule", *words, "--data", str(folder), "--quiet"])


def test_a_rule_is_turned(tmp_path: Path) -> None:
    words = ("bloxx-mini", "--vary", "gap_penalty=0..2", "--strategies", "greedy,greedy", "--blocks", "40")
    found = run_rule(tmp_path, *words)
    assert found.exit_code == 0
    assert "What gap penalty changes" in found.stdout
    assert "1 (now)" in found.stdout
    document = json.loads(run_rule(tmp_path, *words, "--json").stdout)
    assert [setting["gap_penalty"] for setting in document["settings"]] == [0, 1, 2]
    assert document["is_finished"]


def test_all_rules_are_turned_if_none_is_named(tmp_path: Path) -> None:
    found = run_rule(
        tmp_path, "blokus-dice-mini", "--strategies", "greedy,greedy", "--blocks", "10", "--json"
    )
    assert [*json.loads(found.stdout)["rules"]] == ["side", "strikes"]


def test_two_rulesets_are_compared_as_in_an_address(tmp_path: Path) -> None:
    words = ("--against", "bloxx-touch-2p", "--strategies", "greedy,random", "--blocks", "10", "--json")
    document = json.loads(run_rule(tmp_path, "bloxx-2p", *words).stdout)
    assert document["rules"] == {
        "ruleset": {"values": ["bloxx-2p", "bloxx-touch-2p"], "base_value": "bloxx-2p"}
    }
    address = "/rules?ruleset=bloxx-2p&against=bloxx-touch-2p&strategies=greedy,random&blocks=10"
    asked = CliRunner().invoke(app, ["ask", address, "--json", "--data", str(tmp_path)])
    assert json.loads(asked.stdout)["means"] == document["means"]


def test_a_ruleset_file_outside_of_the_library_is_turned(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('extends = "bloxx-mini"\ntitle = "Mine"\nplayers = 2\n[options]\ngap_penalty = 3\n')
    words = ("--vary", "gap_penalty=1", "--strategies", "greedy,greedy", "--blocks", "10", "--json")
    document = json.loads(run_rule(tmp_path / "data", str(file), *words).stdout)
    assert document["rules"] == {"gap_penalty": {"values": [1, 3], "base_value": 3}}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--vary", "gap=1"), "unknown rule of bloxx-mini 'gap'"),
        (("--vary", "gap_penalty=0..40"), "from 1 to 32 values"),
        (("--vary", "gap_penalty=0..2", "--target", "fun"), "a target is written as"),
        (("--vary", "gap_penalty=0..2", "--against", "bloxx-mini"), "not both"),
        (("--vary", "gap_penalty=0..2", "--strategies", "greedy"), "2 strategies, not 1"),
    ],
)
def test_what_cannot_be_asked_is_named(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    found = run_rule(tmp_path, "bloxx-mini", *words, "--blocks", "10")
    assert found.exit_code == 2
    assert said in found.output


def test_values_that_no_compiled_game_plays_are_announced(tmp_path: Path) -> None:
    words = ["rule", "spexxx-mini", "--vary", "throws=5", "--strategies", "greedy,greedy", "--blocks", "10"]
    found = CliRunner().invoke(app, [*words, "--data", str(tmp_path)])
    assert found.exit_code == 0
    said = " ".join(found.stderr.split())
    assert re.search(r"This takes about [0-9.]+ m?s; 1 of the 2 rulesets is played by the plain rules", said)
    assert "at most 4 throws in a turn, not 5" in said
