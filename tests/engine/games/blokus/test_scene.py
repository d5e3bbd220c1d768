"""The scene of a game of Blokus."""

from __future__ import annotations

import re
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from engine.games.blokus import GAME
from engine.games.blokus.rules import start_state
from engine.games.blokus.ruleset import BlokusRuleset
from engine.games.blokus.scene import blokus_scene
from engine.luck import Luck
from engine.play import play_out
from engine.strategies import read_player
from tests.engine.playing import find_shipped

if TYPE_CHECKING:
    from engine.scene import Scene

every_ruleset = pytest.mark.parametrize("name", ["blokus-2p", "blokus-3p", "blokus-4p", "blokus-duo"])


blokus_ruleset = partial(find_shipped, BlokusRuleset)


def small_ruleset(**options: object) -> BlokusRuleset:
    document = blokus_ruleset("blokus-duo").document
    tables = {"board": {"side": 5, "start": ["a1", "e5"]}, "pieces": ["I1", "I2"]}
    changed = {**document, "options": {**document["options"], **options}, "tables": tables}
    return BlokusRuleset.from_document(changed, "small")


def scene_of_notations(ruleset: BlokusRuleset, notations: str) -> Scene:
    return blokus_scene(ruleset, [ruleset.read_action(notation) for notation in notations.split()])


def random_scene(name: str) -> Scene:
    ruleset = blokus_ruleset(name)
    decide = read_player(GAME, "random").decide
    _, plies = play_out(start_state(ruleset), [decide] * ruleset.players, Luck(4, 0))
    return blokus_scene(ruleset, [ply.action for ply in plies])


def test_every_ply_has_a_caption() -> None:
    scene = scene_of_notations(small_ruleset(), "b:a1,b1 y:e5 b:c2 y:d3,d4 b:out y:out")
    assert [step["caption"] for step in scene["steps"]] == [
        "Player 1 (blue) places I2, 2 squares, 1 new corner.",
        "Player 2 (yellow) places I1, 1 square, 1 new corner.",
        "Player 1 (blue) places I1, 1 square, 3 new corners. That was its last piece, the single square last: 20 points.",
        "Player 2 (yellow) places I2, 2 squares, 2 new corners. That was its last piece: 15 points.",
        "Blue has placed all its pieces.",
        "Yellow has placed all its pieces. No colour can place any more: the game is over.",
    ]


def test_the_caption_of_an_out_counts_the_squares_left() -> None:
    scene = scene_of_notations(small_ruleset(), "b:a1,b1 y:e5 b:c2 y:d3,d4 b:out y:out")
    assert scene["steps"][-1]["scores"] == [20, 15]
    captions = [step["caption"] for step in random_scene("blokus-4p")["steps"] if step["kind"] == "out"]
    assert len(captions) == 4
    for caption in captions:
        assert re.match(r"(Blue|Yellow|Red|Green) is out: (1 square|\d+ squares) left\.", caption)
    assert captions[-1].endswith("the game is over.")


def test_a_placement_is_painted_in_the_letter_of_its_colour_and_leaves_the_tray() -> None:
    scene = scene_of_notations(blokus_ruleset("blokus-fixed-4p"), "b:a19,a20 y:t20")
    assert scene["steps"][0]["paint"] == [[0, 360, "b"], [0, 380, "b"]]
    assert scene["steps"][1]["paint"] == [[0, 399, "y"]]
    assert [step["spend"] for step in scene["steps"]] == [[[0, 1]], [[1, 0]]]
    assert scene["marks"] == {
        letter: {"glyph": "block", "colour": colour, "letter": letter}
        for letter, colour in zip("byrg", ("blue", "yellow", "red", "green"), strict=True)
    }


def test_one_board_for_all_and_a_tray_for_each_colour() -> None:
    scene = random_scene("blokus-3p")
    assert [board["seat"] for board in scene["boards"]] == [None]
    assert [index for index, label in enumerate(scene["boards"][0]["labels"]) if label] == [0, 19, 380, 399]
    assert [(tray["name"], tray["seat"], len(tray["pieces"])) for tray in scene["trays"]] == [
        ("Blue", 0, 21),
        ("Yellow", 1, 21),
        ("Red", 2, 21),
        ("Green", None, 21),
    ]


@every_ruleset
def test_paint_and_trays_add_up_to_the_squares_left(name: str) -> None:
    """The painted squares and the pieces left in the trays are the 89 squares of each colour."""
    scene = random_scene(name)
    painted = [mark for step in scene["steps"] for _, _, mark in step["paint"]]
    spent = {(tray, piece) for step in scene["steps"] for tray, piece in step["spend"]}
    for number, tray in enumerate(scene["trays"]):
        left = sum(
            len(piece["cells"]) for index, piece in enumerate(tray["pieces"]) if (number, index) not in spent
        )
        assert painted.count(tray["colour"][0]) + left == 89
        if tray["seat"] is not None:
            assert f"{tray['colour']} {left} left, out" in scene["steps"][-1]["status"][tray["seat"]]


def test_with_three_players_the_status_says_who_places_green_next() -> None:
    scene = random_scene("blokus-3p")
    assert scene["start_status"] == [
        "blue 89 left · places green 89 left next",
        "yellow 89 left",
        "red 89 left",
    ]
    greens = [step for step in scene["steps"] if step["notation"].startswith("g:")]
    assert greens[0]["caption"].startswith("Player 1 (shared green) places ")
    assert greens[1]["caption"].startswith("Player 2 (shared green) places ")
    assert re.match(r"Green is out: \d+ squares left, which count for nobody\.", greens[-1]["caption"])
    for green, following in pairwise(greens):
        assert ["green" in words for words in green["status"]].index(True) == following["seat"]
    assert not any("green" in words for words in greens[-1]["status"])


def test_with_two_players_the_status_has_both_colours() -> None:
    scene = scene_of_notations(blokus_ruleset("blokus-fixed-2p"), "b:a20")
    assert scene["steps"][-1]["status"] == ["blue 88 left · red 89 left", "yellow 89 left · green 89 left"]
