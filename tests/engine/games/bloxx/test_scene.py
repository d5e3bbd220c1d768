"""The scene of a game of BLOXX!: captions, marks, dice and status."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from engine.catalogue import Catalogue
from engine.games.bloxx import GAME

if TYPE_CHECKING:
    from engine.scene import Scene

OPENING = ["I2 V5", "A:b1o,c1", "A:a1,b1"]


@pytest.fixture
def scene() -> Scene:
    ruleset = Catalogue().find_ruleset("bloxx-2p")
    return GAME.scene(
        ruleset, [ruleset.read_action(notation) for notation in [*OPENING, "I3 I4", "A:a2,b2o,c2"]]
    )


def test_captions_describe_the_plies(scene: Scene) -> None:
    assert [step["caption"] for step in scene["steps"]] == [
        "Player 1 rolls I2 on die A and V5 on die B.",
        "Player 1 draws I2 from die A: circles a 2.",
        "Player 2 draws I2 from die A: a cross in place of the circle.",
        "Player 2 rolls I3 on die A and I4 on die B.",
        "Player 2 draws I3 from die A: 1 gap.",
    ]


def test_marks_are_painted_on_the_own_sheet(scene: Scene) -> None:
    assert scene["steps"][1]["paint"] == [[0, 1, "o"], [0, 2, "x"]]
    assert scene["steps"][4]["paint"] == [[1, 8, "o"], [1, 7, "x"], [1, 9, "x"], [1, 2, "gap"]]


def test_the_note_of_a_taken_die_names_the_seat(scene: Scene) -> None:
    assert [die["state"] for die in scene["steps"][2]["dice"]] == ["taken", "open"]
    assert scene["steps"][2]["dice"][0]["note"] == "Player 1 took it: a cross for the others"
    assert [die["state"] for die in scene["steps"][3]["dice"]] == ["open", "open"]


def test_the_active_seat_is_named(scene: Scene) -> None:
    assert [step["status"] for step in scene["steps"]][1:4] == [
        ["active", ""],
        ["", "active"],
        ["", "active"],
    ]


def test_the_board_is_the_printed_sheet(scene: Scene) -> None:
    board = scene["boards"][0]
    assert (board["columns"], board["rows"]) == (7, 10)
    assert board["labels"][:7] == ["", "2", "", "", "", "2", ""]
    assert board["fills"][7:14] == ["green"] * 7
    assert board["fills"][:7] == ["plain"] * 7
