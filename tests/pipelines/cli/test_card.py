"""The command `reroll card`, and the page of the documentation about it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from pipelines.cli import app
from pipelines.questions.card import CARD_MEASURES, WORTH_KEYS
from pipelines.report.card import WORTH_TITLE

if TYPE_CHECKING:
    from typer.testing import Result

PAGE = Path(__file__).parents[3] / "docs" / "cards.md"


def run_card(folder: Path, *words: str) -> Result:
    return CliRunner().invoke(app, ["card", "bloxx-mini", *words, "--data", str(folder)])


@pytest.mark.slow
def test_a_card_shows_first_figures_then_the_numbers_and_what_they_rest_on(tmp_path: Path) -> None:
    found = run_card(tmp_path, "--blocks", "30", "--details")
    assert found.exit_code == 0, found.output
    assert found.stderr.startswith("so far, ")
    assert "\nCard of BLOXX! (3 x 5, solved) for 2 players\n" in found.stdout
    assert re.search(
        r"^(Player \d wins [\d.]+ of 100 games (more|fewer) than an equal share .+|No seat has a clear edge \(player 1: .+ wins of 100\))\. The winner is known after ",
        found.stdout,
        re.MULTILINE,
    )
    assert "570 games in 30 blocks" in found.stdout
    assert re.search(
        rf"\n\n{WORTH_TITLE}\n.*\nA player who could draw nothing else forfeits", found.stdout, re.DOTALL
    )
    assert all(titles.title in found.stdout for key, titles in CARD_MEASURES.items() if key not in WORTH_KEYS)
    assert not run_card(tmp_path, "--blocks", "30", "--quiet").stderr


@pytest.mark.slow
def test_a_card_as_json_has_a_definition_and_a_source_for_each_number(tmp_path: Path) -> None:
    words = ("--blocks", "30", "--strategy", "noisy:sigma=5", "--seed", "2", "--json", "--quiet")
    first, again = (run_card(tmp_path, *words).stdout for _ in range(2))
    assert first == again
    found = json.loads(first)
    assert (found["strategy"], found["seed"], found["blocks"]) == ("noisy:sigma=5", 2, 30)
    for row in found["measures"]:
        assert row["low"] <= row["estimate"] <= row["high"]
        assert row["definition"]
        assert row["source"]
    assert (
        json.loads(run_card(tmp_path, *words[:2], "--json", "--quiet").stdout)["measures"]
        != found["measures"]
    )


def test_a_wrong_style_or_seed_is_said_in_one_line(tmp_path: Path) -> None:
    for words, said in (
        (("--strategy", "nope"), "unknown strategy"),
        (("--strategy", "x" * 2_001), "at most 2,000 characters, not 2,001"),
        (("--seed", str(2**64)), "seed"),
        (("--blocks", "3"), "--blocks"),
    ):
        found = run_card(tmp_path, *words)
        assert found.exit_code == 2
        assert said in found.stderr
        assert found.stderr.count("\n") <= 2


def test_the_documentation_explains_every_measure() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for titles in CARD_MEASURES.values():
        name = titles.title.partition(",")[0]
        assert f"**{name[:1].upper()}{name[1:]}.**" in text
