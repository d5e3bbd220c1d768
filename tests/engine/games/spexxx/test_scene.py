"""The scene of a game of Spexxx: captions, board, dice and status."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from engine.catalogue import Catalogue
from engine.games.spexxx import GAME

if TYPE_CHECKING:
    from engine.scene import Scene, SceneStep

FIVE_ONES = "1 1 1 1 1"
OTHER_SQUARES = ["x1", "x2", "x4", "r12", "m8", "b1", "d1", "f5", "l10"]


def scene_of_notations(*notations: str, name: str = "spexxx-2p") -> Scene:
    ruleset = Catalogue().find_ruleset(name)
    return GAME.scene(ruleset, [ruleset.read_action(notation) for notation in notations])


def last_placement_step(squares: str) -> SceneStep:
    """Return the step of the last of these cubes of seat 0, while seat 1 places elsewhere."""
    plies = []
    for own, other in zip(squares.split(), OTHER_SQUARES, strict=False):
        plies += [FIVE_ONES, own, FIVE_ONES, other]
    return scene_of_notations(*plies[:-2])["steps"][-1]


def test_captions_describe_a_turn() -> None:
    scene = scene_of_notations("1 2 2 5 6", "2 2", "2 2 3 4 6", "0", "1 1 2 2 2", "h7", "1 2 3 4 5")
    assert [step["caption"] for step in scene["steps"]] == [
        "Player 1 throws 1 2 2 5 6.",
        "Player 1 keeps 2 2.",
        "Player 1 throws 2 2 3 4 6 (throw 2 of 4).",
        "Player 1 keeps nothing.",
        "Player 1 throws 1 1 2 2 2 (throw 3 of 4).",
        "Player 1 places a cube on h7.",
        "Player 2 throws 1 2 3 4 5.",
    ]


@pytest.mark.parametrize(
    ("squares", "caption_end"),
    [
        ("h2 i2 j2", "j2 for 7: a line of 3 (7)"),
        ("h2 i2 j2 k2", "k2 for 2: a longer line of 4 (2)"),
        ("h2 i2 j2 k2 l2", "l2 for 7: a longer line of 5 (2 + 5)"),
        ("g5 h5 i5 k5 l5 m5 j5", "j5 for 7: two lines joined to one of 7 (2 + 5)"),
        (
            "o3 p3 q3 o4 p4 q4 o5 p5 q5",
            "q5 for 60: a line of 3 (13), a line of 3 (13), a line of 3 (9), a block of nine (25)",
        ),
    ],
)
def test_captions_describe_the_points_of_a_cube(squares: str, caption_end: str) -> None:
    assert last_placement_step(squares)["caption"] == f"Player 1 places a cube on {caption_end}."


def test_the_squares_of_a_scored_line_glow() -> None:
    step = last_placement_step("h2 i2 j2")
    assert step["paint"] == [[0, 9 + 24, "0"]]
    assert step["glow"] == [[0, 7 + 24], [0, 8 + 24]]
    assert step["scores"] == [7, 0]


def test_dice_are_shown_as_thrown_and_those_set_aside_are_marked() -> None:
    scene = scene_of_notations("1 2 2 5 6", "2 2", "2 2 2 4 6", "4 6")
    dice = [[(die["pips"], die["state"]) for die in step["dice"]] for step in scene["steps"]]
    assert dice[0] == [(1, "open"), (2, "open"), (2, "open"), (5, "open"), (6, "open")]
    assert dice[1] == [(1, "open"), (2, "kept"), (2, "kept"), (5, "open"), (6, "open")]
    assert dice[2] == [(2, "kept"), (2, "kept"), (2, "open"), (4, "open"), (6, "open")]
    assert dice[3] == [(2, "open"), (2, "open"), (2, "open"), (4, "kept"), (6, "kept")]


def test_a_discard_has_a_caption() -> None:
    stuck = ["1 1 1 1 2", "1 1 1 1"] * 3 + ["1 1 1 1 2"]
    scene = scene_of_notations(
        FIVE_ONES, "b1", FIVE_ONES, "g2", FIVE_ONES, "m2", FIVE_ONES, "s2", *stuck, "-"
    )
    step = scene["steps"][-1]
    assert step["caption"] == "Player 1 has no square to place on and discards a cube."
    assert step["status"] == ["20 cubes left · 1 discard", "21 cubes left"]


def test_status_counts_cubes_lines_and_blocks() -> None:
    assert last_placement_step("h2 i2 j2")["status"][0] == "20 cubes left · 1 line"
    assert (
        last_placement_step("o3 p3 q3 o4 p4 q4 o5 p5 q5")["status"][0] == "14 cubes left · 8 lines · 1 block"
    )


def test_the_board_shows_zones_points_and_the_dice_that_squares_need() -> None:
    (board,) = scene_of_notations()["boards"]
    assert (board["columns"], board["rows"], board["seat"]) == (24, 12, None)
    assert board["fills"][:8] == [None, "orange", "orange", "orange", "orange", "orange", "gold", "green"]
    assert board["fills"][-12:-5] == ["violet", "violet", "violet", "violet", "violet", "silver", None]
    assert board["labels"][:8] == ["", "1", "1", "1", "1", "1", "3*", "2"]
    assert board["labels"][18:20] == ["6#", "12"]
    assert (board["column_labels"][10], board["column_notes"][10]) == ("k", "2x5")
    assert (board["row_labels"][6], board["row_notes"][6]) == ("7", "2x1")


def test_every_seat_has_its_cube() -> None:
    assert scene_of_notations(name="spexxx-4p")["marks"]["3"] == {
        "glyph": "cube",
        "colour": "seat3",
        "letter": "3",
    }
