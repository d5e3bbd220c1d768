"""Validation of BLOXX! rulesets, and the notation of actions."""

from __future__ import annotations

import copy
import re
from functools import partial
from typing import Any

import pytest

from engine.catalogue import Catalogue
from engine.errors import InvalidError
from engine.games.bloxx.ruleset import BloxxRuleset
from tests.engine.playing import reason_of_refusal


@pytest.fixture
def document() -> dict[str, Any]:
    return copy.deepcopy(Catalogue().find_ruleset("bloxx-2p").document)


refusal_message = partial(reason_of_refusal, BloxxRuleset)


def test_rows_of_the_sheet_are_equally_long(document: dict[str, Any]) -> None:
    document["tables"]["numbers"][3] += "."
    assert refusal_message(document) == "my.toml: tables.numbers: expected rows of equal length"


def test_a_coloured_row_lies_on_the_sheet(document: dict[str, Any]) -> None:
    document["tables"]["coloured_rows"]["green"] = 11
    assert "tables.coloured_rows: expected different rows from 1 to 10" in refusal_message(document)


def test_two_colours_need_two_rows(document: dict[str, Any]) -> None:
    document["tables"]["coloured_rows"]["green"] = 4
    assert "tables.coloured_rows: expected different rows" in refusal_message(document)


def test_a_number_is_a_digit(document: dict[str, Any]) -> None:
    document["tables"]["numbers"][0] = "4..?..."
    assert "tables.numbers.0" in refusal_message(document)


def test_the_squares_of_a_face_are_connected(document: dict[str, Any]) -> None:
    document["tables"]["dice"]["B"]["I4"] = "xx.o"
    assert "face I4: the squares of 'xx.o' are not connected" in refusal_message(document)


def test_a_die_has_faces(document: dict[str, Any]) -> None:
    document["tables"]["dice"]["B"] = {}
    assert "tables.dice.B" in refusal_message(document)


def test_dice_with_other_numbers_of_faces_can_be_played(document: dict[str, Any]) -> None:
    document["tables"]["dice"]["A"]["I1"] = "o"
    assert len(BloxxRuleset.from_document(document, "my.toml").roll_actions) == 42


def test_faces_of_equal_squares_share_their_crossed_placements(document: dict[str, Any]) -> None:
    document["tables"]["dice"]["A"]["I3b"] = "oxx"
    ruleset = BloxxRuleset.from_document(document, "my.toml")
    notations = [
        ruleset.action(number).notation
        for number in range(ruleset.forfeit_action + 1, _last_action(ruleset) + 1)
    ]
    assert len(notations) == len(set(notations))


def _last_action(ruleset: BloxxRuleset) -> int:
    number = ruleset.forfeit_action
    while True:
        try:
            ruleset.action(number + 1)
        except InvalidError:
            return number
        number += 1


def test_every_notation_is_read_as_its_action() -> None:
    ruleset = Catalogue().find_ruleset("bloxx-2p")
    assert isinstance(ruleset, BloxxRuleset)
    for number in range(_last_action(ruleset) + 1):
        assert ruleset.read_action(ruleset.action(number).notation) == number


@pytest.mark.parametrize(
    ("notation", "message"),
    [
        ("", "expected a roll"),
        ("--", "expected a roll"),
        ("I4 I3", "expected a roll"),
        ("I3", "expected a roll"),
        ("C:a1,a2o", "expected a roll"),
        ("a:a1,b1o", "expected a roll"),
        ("A:", "'' is not a square of this board (a1 to g10)"),
        ("A:h1,h2o", "'h1' is not a square of this board (a1 to g10)"),
        ("A:a01,b1o", "'a01' is not a square of this board (a1 to g10)"),
        ("A:a1,b1o ", "'b1o ' is not a square of this board (a1 to g10)"),
        ("A:a1", "is not a shape of die A"),
        ("A:a2o,a1", "is not a shape of die A"),
        ("A:a1o,b1o", "is not a shape of die A"),
    ],
)
def test_invalid_notation_is_refused(notation: str, message: str) -> None:
    with pytest.raises(InvalidError, match=re.escape(message)):
        Catalogue().find_ruleset("bloxx-2p").read_action(notation)


def test_an_action_has_its_die_piece_and_squares() -> None:
    ruleset = Catalogue().find_ruleset("bloxx-2p")
    action = ruleset.action(ruleset.read_action("B:a1,b1o,c1,d1"))
    assert (action.kind, action.piece, action.die, action.cells) == ("place", "I4", "B", (0, 1, 2, 3))
