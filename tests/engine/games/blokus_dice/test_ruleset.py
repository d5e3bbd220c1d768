"""Validation of Blokus Dice rulesets, and the notation of actions."""

from __future__ import annotations

import copy
import re
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from engine.catalogue import SHIPPED_RULESETS_FOLDER, Catalogue
from engine.errors import InvalidError
from engine.games.blokus_dice.ruleset import BlokusDiceRuleset
from tests.engine.playing import find_shipped, reason_of_refusal

if TYPE_CHECKING:
    from pathlib import Path


def blokus_dice_ruleset(players: int = 2) -> BlokusDiceRuleset:
    return find_shipped(BlokusDiceRuleset, f"blokus-dice-{players}p")


@pytest.fixture
def document() -> dict[str, Any]:
    return copy.deepcopy(blokus_dice_ruleset().document)


refusal_message = partial(reason_of_refusal, BlokusDiceRuleset)


@pytest.mark.parametrize(
    ("side", "bound"), [(5, "greater than or equal to 6"), (25, "less than or equal to 24")]
)
def test_a_side_has_6_to_24_squares(document: dict[str, Any], side: int, bound: str) -> None:
    document["options"]["side"] = side
    assert refusal_message(document) == f"my.toml: options.side: input should be {bound}, not {side}"


@pytest.mark.parametrize("strikes", [-1, 22, 1.5, "3", True])
def test_strikes_are_a_whole_number_up_to_21(document: dict[str, Any], strikes: object) -> None:
    document["options"]["strikes"] = strikes
    assert "my.toml: options.strikes: input should be" in refusal_message(document)


def test_an_unknown_option_is_refused(document: dict[str, Any]) -> None:
    document["options"]["dice"] = 4
    assert "my.toml: options.dice: unknown key 'dice'; " in refusal_message(document)


def test_the_list_has_six_rows(document: dict[str, Any]) -> None:
    del document["tables"]["rows"]["5"]
    assert (
        refusal_message(document)
        == "my.toml: tables.rows: expected the rows 1 to 6, found only 1, 2, 3, 4, 6"
    )


def test_a_row_is_named_by_a_face_of_a_die(document: dict[str, Any]) -> None:
    document["tables"]["rows"]["7"] = ["I1"]
    assert "my.toml: tables.rows.7" in refusal_message(document)


def test_a_row_has_shapes(document: dict[str, Any]) -> None:
    document["tables"]["rows"]["4"] = []
    assert "my.toml: tables.rows.4" in refusal_message(document)


def test_a_shape_is_one_of_the_21(document: dict[str, Any]) -> None:
    document["tables"]["rows"]["4"] = ["I6"]
    assert "my.toml: tables.rows: row 4: unknown shape 'I6'; did you mean I" in refusal_message(document)


def test_a_shape_is_on_the_list_once(document: dict[str, Any]) -> None:
    document["tables"]["rows"]["4"] = ["I5", "T5"]
    assert refusal_message(document) == "my.toml: tables.rows: row 5: T5 is on the list already"


def test_shapes_may_be_left_out(document: dict[str, Any]) -> None:
    document["tables"]["rows"]["6"] = ["N5"]
    rules = BlokusDiceRuleset.from_document(document, "my.toml")
    assert "X5" not in {placement.shape for placement in rules.play_area.placements}
    with pytest.raises(InvalidError, match="is not a shape X5 on the list"):
        rules.read_action("6rX5:b1,a2,b2,c2,b3")


def test_the_shipped_rulesets_state_which_tables_are_reconstructed() -> None:
    assert blokus_dice_ruleset().provenance == {"side": "reconstructed", "rows": "reconstructed"}
    assert sorted(path.stem for path in SHIPPED_RULESETS_FOLDER.glob("blokus-dice*.toml")) == [
        "blokus-dice",
        "blokus-dice-10",
        "blokus-dice-7",
        "blokus-dice-8",
        "blokus-dice-graded",
        "blokus-dice-mini",
    ]


def test_an_own_file_may_change_one_thing(tmp_path: Path) -> None:
    path = tmp_path / "big.toml"
    path.write_text('extends = "blokus-dice"\nplayers = 2\n[options]\nside = 12\n')
    (rules,) = Catalogue((SHIPPED_RULESETS_FOLDER, tmp_path)).read_ruleset_file(path)
    assert isinstance(rules, BlokusDiceRuleset)
    assert (rules.name, rules.side, rules.options.strikes) == ("big", 12, 3)


def test_every_notation_is_read_as_its_action() -> None:
    rules = blokus_dice_ruleset()
    last = rules.first_action(6, 3, struck=True) + len(rules.play_area.placements) - 1
    read = 0
    for number in range(0, last + 1, 13):
        try:
            notation = rules.action(number).notation
        except InvalidError:  # without a strike, and the shape is not in the row of the die
            continue
        assert rules.read_action(notation) == number
        read += 1
    assert read > last / 13 / 2
    with pytest.raises(InvalidError, match=f"there is no action number {last + 1}"):
        rules.action(last + 1)


@pytest.mark.parametrize(
    ("notation", "message"),
    [
        ("", "expected up to 2 dice, ascending, such as '1 3'"),
        ("-", "expected up to 2 dice"),
        ("2 1", "expected up to 2 dice"),
        ("1 2 3", "expected up to 2 dice"),
        ("0 7", "expected up to 2 dice"),
        ("rI1:a1", "expected up to 2 dice"),
        ("1vI1:a1", "expected up to 2 dice"),
        ("1rI1:", "'' is not a square of this board (a1 to i9)"),
        ("1rI1:j1", "'j1' is not a square of this board (a1 to i9)"),
        ("1rI1:a1,b1", "a1,b1 is not a shape I1 on the list"),
        ("2rI3:a1,b1,b2", "a1,b1,b2 is not a shape I3 on the list"),
        ("2rI9:a1,b1", "a1,b1 is not a shape I9 on the list"),
        ("2rI2:b1,a1", "write it '2rI2:a1,b1'"),
        ("2rI2:a1,a1,b1", "write it '2rI2:a1,b1'"),
        ("4rI1:a1", "I1 is in row 1, so a 4 needs a strike: 4!"),
    ],
)
def test_invalid_notation_is_refused(notation: str, message: str) -> None:
    with pytest.raises(InvalidError, match=re.escape(message)):
        blokus_dice_ruleset().read_action(notation)


def test_an_action_has_its_die_piece_and_squares() -> None:
    rules = blokus_dice_ruleset()
    action = rules.action(rules.read_action("3!yI2:h9,i9"))
    assert (action.kind, action.piece, action.die, action.cells) == ("place", "I2", "3", (79, 80))
    assert rules.action(rules.out_action).kind == rules.action(rules.out_action).notation == "out"
    assert rules.action(rules.read_action("3 5")) == ("roll", "3 5", None, None, (), ("3", "5"))
