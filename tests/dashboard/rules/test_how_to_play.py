"""How to play: every sentence holds for its ruleset, and its clauses exist."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from dashboard.rules.rulebook import read_how_to_play, write_how_to_play_html
from engine import games
from engine.clauses import read_clauses

if TYPE_CHECKING:
    from engine.catalogue import Catalogue

every_game = pytest.mark.parametrize("game", games.game_names())


@every_game
def test_every_game_says_how_to_play_each_of_its_rulesets(catalogue: Catalogue, game: str) -> None:
    numbers = {clause.number for clause in read_clauses(game).clauses}
    for ruleset in catalogue.rulesets.values():
        if ruleset.game != game:
            continue
        parts = read_how_to_play(ruleset)
        assert [part.heading for part in parts if part.heading != "Scoring"] == [
            "Aim",
            "Your turn",
            "The end",
        ]
        for instruction in (one for part in parts for one in part.instructions):
            assert not re.search(r"[{}\[\]_]|[A-Z]{2}-\d", instruction.text), instruction.text
            assert instruction.clauses, f"no clause for: {instruction.text}"
            assert {*instruction.clauses} <= numbers


def test_the_text_has_the_numbers_and_the_variant_of_the_ruleset(catalogue: Catalogue) -> None:
    def text_of(name: str) -> str:
        return write_how_to_play_html(read_how_to_play(catalogue.find_ruleset(name)), has_numbers=True)

    assert "falls straight down" in text_of("bloxx-2p")
    assert "It may hang." in text_of("bloxx-touch-2p")
    assert "falls straight down" not in text_of("bloxx-touch-2p")
    assert "your 23 cubes" in text_of("spexxx-2p")
    assert "your 10 cubes" in text_of("spexxx-children-4p")
    assert "10 x 10 squares" in text_of("blokus-dice-10-2p")
    assert '<a href="#BX-9">BX-9</a>' in text_of("bloxx-2p")
    plain = write_how_to_play_html(read_how_to_play(catalogue.find_ruleset("bloxx-2p")), has_numbers=False)
    assert "falls straight down" in plain
    assert "BX-" not in plain


def test_the_short_text_of_a_game_holds_for_each_of_its_rulesets(catalogue: Catalogue) -> None:
    duo = catalogue.find_ruleset("blokus-duo").document["tables"]["board"]
    assert len(duo["start"]) == 2, "Blokus Duo has two colours"
    assert not re.search(r"\bfour\b|\b21\b", read_clauses("blokus").short, re.IGNORECASE)
    assert catalogue.find_ruleset("bloxx-touch-2p").document["options"]["contact"] == "touch", (
        "shapes may hang"
    )
    assert "fall" not in read_clauses("bloxx").short
    (squares,) = (clause for clause in read_clauses("blokus").clauses if clause.number == "BK-1")
    assert f"{duo['side']} x {duo['side']}" in squares.text
