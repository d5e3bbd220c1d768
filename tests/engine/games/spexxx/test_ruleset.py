"""Validation of Spexxx rulesets, and the notation of actions."""

from __future__ import annotations

import copy
import re
from functools import partial
from typing import Any

import pytest

from engine.catalogue import Catalogue
from engine.errors import InvalidError
from engine.games.spexxx.rules import start_state
from engine.games.spexxx.ruleset import DISCARD_ACTION, FIRST_PLACEMENT, SpexxxRuleset, iter_cells
from engine.games.spexxx.strategies import greedy
from engine.luck import Luck
from engine.play import play_out
from tests.engine.playing import reason_of_refusal


@pytest.fixture
def document() -> dict[str, Any]:
    return copy.deepcopy(Catalogue().find_ruleset("spexxx-2p").document)


refusal_message = partial(reason_of_refusal, SpexxxRuleset)


def redraw_square(document: dict[str, Any], square: str, mark: str) -> dict[str, Any]:
    column, row = "abcdefghijklmnopqrstuvwx".index(square[0]), 12 - int(square[1:])
    line = document["tables"]["board"][row]
    document["tables"]["board"][row] = line[:column] + mark + line[column + 1 :]
    return document


def test_rows_of_the_board_are_equally_long(document: dict[str, Any]) -> None:
    document["tables"]["board"][3] += "."
    assert "tables.board.3" in refusal_message(document)
    document["tables"]["board"][3] = "." * 18
    assert "tables.board: expected rows of equal length" in refusal_message(document)


def test_a_board_is_made_of_whole_zones(document: dict[str, Any]) -> None:
    document["tables"]["board"].pop()
    assert "tables.board: expected whole zones of 6 x 6" in refusal_message(document)


def test_a_board_has_squares(document: dict[str, Any]) -> None:
    document["tables"]["board"] = ["......"] * 6
    assert "tables.board: expected at least one square" in refusal_message(document)


def test_an_unknown_mark_is_refused(document: dict[str, Any]) -> None:
    assert "tables.board.11: string should match pattern" in refusal_message(
        redraw_square(document, "b1", "o")
    )


def test_a_square_that_needs_one_number_twice_is_refused(document: dict[str, Any]) -> None:
    assert "tables.board: a1 needs the number 1 twice" in refusal_message(redraw_square(document, "a1", "O"))


def test_a_square_that_needs_six_dice_is_refused(document: dict[str, Any]) -> None:
    assert "tables.board: t7 needs 4 + 2 dice, but there are only five" in refusal_message(
        redraw_square(document, "t7", "R")
    )


def test_gold_and_silver_may_be_anywhere(document: dict[str, Any]) -> None:
    ruleset = SpexxxRuleset.from_document(redraw_square(document, "a1", "*"), "my.toml")
    assert ruleset.read_action("a1") == FIRST_PLACEMENT


def test_every_zone_has_points(document: dict[str, Any]) -> None:
    del document["tables"]["points"]["gold"]
    assert "tables.points.gold: it is missing" in refusal_message(document)
    document["tables"]["points"]["gold"] = "3"
    assert "tables.points.gold: input should be a valid integer, not '3'" in refusal_message(document)


def test_cubes_are_stated_for_the_number_of_players(document: dict[str, Any]) -> None:
    document["options"]["cubes"] = {"3": 18}
    assert "options.cubes: expected a number of cubes for 2 players" in refusal_message(document)
    document["options"]["cubes"] = {"2": 0}
    assert "options.cubes.2: input should be greater than or equal to 1, not 0" in refusal_message(document)
    document["options"]["cubes"] = {"two": 23}
    assert "options.cubes.two" in refusal_message(document)


@pytest.mark.parametrize("throws", [0, 11, 2.5, True])
def test_a_turn_has_one_to_ten_throws(document: dict[str, Any], throws: float) -> None:
    document["options"]["throws"] = throws
    assert "options.throws" in refusal_message(document)


def test_the_shipped_tables_are_marked_as_reconstructed() -> None:
    assert Catalogue().find_ruleset("spexxx-children-2p").provenance == {
        "board": "reconstructed",
        "points": "reconstructed",
    }


def test_a_small_board_with_more_throws_and_cubes_than_squares_plays(document: dict[str, Any]) -> None:
    """When the board is full, the remaining cubes are discarded."""
    document["tables"]["board"] = [row[:6] for row in document["tables"]["board"][6:]]
    document["options"].update(throws=6, cubes={"2": 9})
    ruleset = SpexxxRuleset.from_document(document, "my.toml")
    end, _ = play_out(start_state(ruleset), [greedy()] * 2, Luck(1, 0))  # type: ignore[list-item]  # the player is for this game only
    assert sum(seat.discards for seat in end.seats) == 3
    assert not end.free


def test_every_notation_is_read_as_its_action() -> None:
    ruleset = Catalogue().find_ruleset("spexxx-2p")
    assert isinstance(ruleset, SpexxxRuleset)
    for number in [
        *range(FIRST_PLACEMENT),
        *(FIRST_PLACEMENT + place for place in iter_cells(ruleset.squares)),
    ]:
        assert ruleset.read_action(ruleset.action(number).notation) == number


def test_numbers_of_places_without_a_square_are_not_actions() -> None:
    ruleset = Catalogue().find_ruleset("spexxx-2p")
    with pytest.raises(InvalidError, match=f"spexxx-2p: there is no action number {FIRST_PLACEMENT}"):
        ruleset.action(FIRST_PLACEMENT)


def test_kinds_of_actions() -> None:
    ruleset = Catalogue().find_ruleset("spexxx-2p")
    actions = {
        text: ruleset.action(ruleset.read_action(text)) for text in ("1 2 2 5 6", "2 2", "0", "k7", "-")
    }
    assert [action.kind for action in actions.values()] == ["throw", "keep", "keep", "place", "discard"]
    assert actions["k7"].cells == (10 + 24 * 6,)
    assert ruleset.read_action("-") == DISCARD_ACTION


@pytest.mark.parametrize(
    ("notation", "message"),
    [
        ("", "is not an action of spexxx-2p: expected dice"),
        ("--", "is not an action of spexxx-2p"),
        ("2 1", "'2 1' is not a hand of dice"),
        ("1 2 3 4 5 6", "is not a hand of dice"),
        ("a1", "'a1' is not a square: the board of spexxx-2p has none at this place"),
        ("k13", "'k13' is not a square of this board (a1 to x12)"),
        ("K7", "'K7' is not a square of this board"),
        ("k07", "'k07' is not a square of this board"),
    ],
)
def test_invalid_notation_is_refused(notation: str, message: str) -> None:
    with pytest.raises(InvalidError, match=re.escape(message)):
        Catalogue().find_ruleset("spexxx-2p").read_action(notation)
