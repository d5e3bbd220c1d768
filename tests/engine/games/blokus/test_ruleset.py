"""Validation of Blokus rulesets, and the numbers and notation of actions."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from engine.catalogue import Catalogue
from engine.errors import InvalidError
from engine.games.blokus.rules import start_state
from engine.games.blokus.ruleset import BlokusRuleset
from tests.engine.playing import find_shipped

if TYPE_CHECKING:
    from pathlib import Path

BASE_TOML = """
game = "blokus"
title = "Mine"
players = 2
[options]
corners = "fixed"
bonus = 15
bonus_single_last = 20
[tables]
pieces = ["I2", "I1"]
[tables.board]
side = 14
start = ["e10", "j5"]
[provenance]
board = "own"
pieces = "own"
"""


def read_ruleset(folder: Path, text: str) -> BlokusRuleset:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    ruleset = Catalogue((folder,)).find_ruleset("mine")
    assert isinstance(ruleset, BlokusRuleset)
    return ruleset


blokus_ruleset = partial(find_shipped, BlokusRuleset)


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("players = 2", "players = 5", "players: "),
        ("players = 2", "players = 3", "players: expected at most one for each of the 2 start cells, not 3"),
        ('corners = "fixed"', 'corners = "any"', "options.corners: "),
        ("bonus = 15", "bonus = -1", "options.bonus: "),
        ("bonus = 15", "bonus = 15\npass = true", "options.pass: "),
        ("side = 14", "side = 30", "tables.board.side: "),
        ("side = 14", "side = 9", "tables.board: start: 'e10' is not a square of this board (a1 to i9)"),
        ('"j5"', '"e10"', "tables.board: start: expected a different square for each colour"),
        ('"e10", "j5"', '"e10"', "tables.board.start: "),
        ('"j5"', '"J5"', "tables.board.start.1: "),
        ('"I2", "I1"', '"I6"', "tables.pieces: 'I6' is not a polyomino; known: I1, I2"),
        ('"I2", "I1"', '"I1", "I1"', "tables.pieces: expected each piece only once"),
        ('"I2", "I1"', "", "tables.pieces: "),
    ],
)
def test_a_wrong_ruleset_is_refused_in_one_line(tmp_path: Path, right: str, wrong: str, message: str) -> None:
    assert right in BASE_TOML
    with pytest.raises(InvalidError) as refused:
        read_ruleset(tmp_path, BASE_TOML.replace(right, wrong))
    assert str(refused.value).startswith(f"{tmp_path / 'mine.toml'}: {message}")
    assert len(str(refused.value).splitlines()) == 1


def test_an_own_ruleset_is_played(tmp_path: Path) -> None:
    ruleset = read_ruleset(tmp_path, BASE_TOML)
    assert ruleset.pieces == ("I1", "I2")
    assert ruleset.colours == ("blue", "yellow")
    assert [ruleset.action(action).notation for action in start_state(ruleset).actions] == [
        "b:e9,e10",
        "b:d10,e10",
        "b:e10",
        "b:e10,e11",
        "b:e10,f10",
    ]


def test_two_players_with_three_colours_share_one(tmp_path: Path) -> None:
    ruleset = read_ruleset(tmp_path, BASE_TOML.replace('"j5"', '"j5", "a1"'))
    assert ruleset.seat_colours == ((0,), (1,))
    assert ruleset.colour_owners == (0, 1, None)


def test_every_notation_is_read_as_its_action() -> None:
    ruleset = blokus_ruleset("blokus-duo")
    windows = ruleset.windows
    everything = [number for number in range(windows.span) if windows.board >> number & 1]
    assert len(everything) == 13_729
    for colour in range(2):
        for number in everything[colour::7]:
            action = colour * windows.span + number
            assert ruleset.read_action(ruleset.action(action).notation) == action
    assert [ruleset.action(ruleset.read_action(text)).notation for text in ("b:out", "y:out")] == [
        "b:out",
        "y:out",
    ]


def test_actions_are_numbered_by_colour_spot_and_orientation() -> None:
    ruleset = blokus_ruleset("blokus-4p")
    assert ruleset.windows.count == 91
    assert ruleset.windows.span == 91 * 21 * 20
    assert ruleset.read_action("b:a1") == 0
    assert ruleset.read_action("b:b1") == 91
    assert ruleset.read_action("b:a2") == 91 * 21
    assert ruleset.read_action("y:a1") == ruleset.windows.span
    assert ruleset.read_action("b:a1,a2,a3,a4,a5") > 27  # small pieces first, 28 orientations
    assert ruleset.read_action("g:out") == 4 * ruleset.windows.span + 3


def test_an_action_has_its_piece_and_cells() -> None:
    action = blokus_ruleset("blokus-4p").action(blokus_ruleset("blokus-4p").read_action("r:s1,t1,t2"))
    assert (action.kind, action.piece, action.cells) == ("place", "V3", (18, 19, 39))
    assert blokus_ruleset("blokus-4p").action(blokus_ruleset("blokus-4p").read_action("g:out")).kind == "out"


@pytest.mark.parametrize(
    ("notation", "message"),
    [
        ("x:a1", "expected a colour (b, y) and squares, such as 'b:a1,a2', or 'out', such as 'b:out'"),
        ("r:a1", "expected a colour"),
        ("by:a1", "expected a colour"),
        ("a1", "expected a colour"),
        (":a1", "expected a colour"),
        ("b:", "'' is not a square of this board (a1 to n14)"),
        ("b:o1", "'o1' is not a square"),
        ("b:a1,c1", "is not a piece of blokus-duo (squares ascending, row by row from a1)"),
        ("b:a2,a1", "squares ascending"),
        ("b:a1,a1", "squares ascending"),
        ("b:a1,a2,a3,a4,a5,a6", "is not a piece"),
        ("b:Out", "'Out' is not a square"),
    ],
)
def test_invalid_notation_is_refused_with_a_reason(notation: str, message: str) -> None:
    with pytest.raises(InvalidError) as refused:
        blokus_ruleset("blokus-duo").read_action(notation)
    assert message in str(refused.value)


def test_numbers_of_spots_beside_the_board_are_not_actions() -> None:
    ruleset = blokus_ruleset("blokus-duo")
    for number in (-1, 91 * 14, ruleset.first_out_action + 2):
        with pytest.raises(InvalidError, match="there is no action number"):
            ruleset.action(number)
