"""The scene of a game of Blokus Dice: captions, boards, trays, dice and status."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.games.blokus_dice import GAME
from engine.games.blokus_dice.ruleset import BlokusDiceRuleset
from engine.luck import Luck
from engine.play import play_out
from engine.strategies import read_player
from tests.engine.playing import find_shipped

if TYPE_CHECKING:
    from engine.scene import Scene

OPENING = ["4 6", "4rI5:a1,a2,a3,a4,a5", "6!bI1:i9", "1 4"]


def blokus_dice_ruleset() -> BlokusDiceRuleset:
    return find_shipped(BlokusDiceRuleset, "blokus-dice-2p")


def scene_of_notations(rules: BlokusDiceRuleset, notations: list[str]) -> Scene:
    return GAME.scene(rules, [rules.read_action(notation) for notation in notations])


def awkward_ruleset() -> BlokusDiceRuleset:
    """Return a ruleset without strikes whose row 2 has only X5, which never fits into a corner."""
    rows = {str(row): [name] for row, name in enumerate(("I1", "X5", "I2", "I3", "V3", "I4"), start=1)}
    document = {
        **blokus_dice_ruleset().document,
        "options": {"side": 9, "strikes": 0},
        "tables": {"rows": rows},
    }
    return BlokusDiceRuleset.from_document(document, "awkward")


def test_captions_describe_the_plies() -> None:
    assert [step["caption"] for step in scene_of_notations(blokus_dice_ruleset(), OPENING)["steps"]] == [
        "Player 1 rolls 4 and 6.",
        "Player 1 takes the 4 and draws I5 in red (5 squares).",
        "Player 2 takes the 6 and crosses out a strike to draw I1 in blue (1 square). The markers pass to the left.",
        "Player 2 rolls 1 and 4.",
    ]


def test_captions_state_why_a_seat_is_out_and_what_would_still_fit() -> None:
    steps = scene_of_notations(awkward_ruleset(), ["1 2", "1rI1:a1", "out", "2", "out"])["steps"]
    nothing = "no die left brings a shape that fits in"
    fits = "something would still fit."
    assert steps[2]["caption"] == (
        f"Player 2 is out: {nothing} blue, and no strike is left (81 squares unfilled). "
        f"In red, yellow or green {fits} The markers pass to the left."
    )
    assert steps[4]["caption"] == (
        f"Player 1 is out: {nothing} green, and no strike is left (80 squares unfilled). "
        f"In red, blue or yellow {fits} Nobody is left: the game is over."
    )


def test_a_caption_states_that_nothing_fits() -> None:
    decide = read_player(GAME, "greedy").decide
    _, plies = play_out(GAME.start(blokus_dice_ruleset()), [decide] * 2, Luck(3, 0))
    drawn = GAME.scene(blokus_dice_ruleset(), [ply.action for ply in plies])
    captions = [step["caption"] for step in drawn["steps"] if step["kind"] == "out"]
    assert len(captions) == 2
    assert any("nothing fits in" in caption and "no strike is left" not in caption for caption in captions)
    assert captions[-1].endswith("Nobody is left: the game is over.")


def test_blocks_are_painted_in_the_colour_of_the_marker() -> None:
    drawn = scene_of_notations(blokus_dice_ruleset(), OPENING)
    assert drawn["steps"][1]["paint"] == [[0, cell, "r"] for cell in (0, 9, 18, 27, 36)]
    assert drawn["steps"][2]["paint"] == [[1, 80, "b"]]
    assert drawn["marks"]["b"] == {"glyph": "block", "colour": "blue", "letter": "b"}
    assert list(drawn["marks"]) == ["r", "b", "y", "g"]
    assert [(board["columns"], board["rows"], board["seat"]) for board in drawn["boards"]] == [
        (9, 9, 0),
        (9, 9, 1),
    ]


def test_trays_list_the_shapes_by_row_and_the_strikes() -> None:
    drawn = scene_of_notations(blokus_dice_ruleset(), OPENING)
    pieces = drawn["trays"][1]["pieces"]
    assert [piece["name"] for piece in pieces if piece["group"] == "4"] == ["I5", "F5", "Z5"]
    assert [(piece["name"], piece["cells"], piece["group"]) for piece in pieces[21:]] == [
        ("strike", [], "strikes")
    ] * 3
    assert [tray["seat"] for tray in drawn["trays"]] == [0, 1]


def test_a_drawn_shape_and_a_used_strike_are_crossed_out() -> None:
    drawn = scene_of_notations(blokus_dice_ruleset(), OPENING)
    spent = [
        [(tray, drawn["trays"][tray]["pieces"][piece]["name"]) for tray, piece in step["spend"]]
        for step in drawn["steps"]
    ]
    assert spent == [[], [(0, "I5")], [(1, "I1"), (1, "strike")], []]


def test_the_notes_of_dice_name_the_seats_that_took_them() -> None:
    steps = scene_of_notations(blokus_dice_ruleset(), ["4 4", "4rI5:a1,a2,a3,a4,a5"])["steps"]
    assert [(die["pips"], die["state"], die["note"]) for die in steps[0]["dice"]] == [
        (4, "open", ""),
        (4, "open", ""),
    ]
    assert [(die["pips"], die["state"], die["note"]) for die in steps[1]["dice"]] == [
        (4, "taken", "Player 1 took it"),
        (4, "open", ""),
    ]


def test_a_die_that_nobody_took_is_left_over() -> None:
    steps = scene_of_notations(awkward_ruleset(), ["1 2", "1rI1:a1", "out"])["steps"]
    assert [die["note"] for die in steps[1]["dice"]] == ["Player 1 took it", ""]
    assert [die["note"] for die in steps[2]["dice"]] == ["Player 1 took it", "left over"]


def test_status_names_the_marker_the_strikes_left_and_who_is_out() -> None:
    drawn = scene_of_notations(blokus_dice_ruleset(), OPENING)
    assert drawn["start_status"] == ["holds red · 3 strikes left", "holds blue · 3 strikes left"]
    assert drawn["steps"][2]["status"] == ["holds green · 3 strikes left", "holds red · 2 strikes left"]
    steps = scene_of_notations(awkward_ruleset(), ["1 2", "1rI1:a1", "out"])["steps"]
    assert steps[2]["status"] == ["holds green · no strikes left", "out · no strikes left"]


def test_scores_are_the_unfilled_squares() -> None:
    drawn = scene_of_notations(blokus_dice_ruleset(), OPENING)
    assert drawn["lowest_wins"]
    assert drawn["start_scores"] == [81, 81]
    assert drawn["steps"][-1]["scores"] == [76, 80]
