"""Tests of every clause of Blokus, with positions written in notation."""

from __future__ import annotations

from collections import Counter
from functools import partial
from itertools import pairwise
from typing import Any

import pytest

from engine.errors import IllegalError
from engine.games.blokus.rules import BlokusState, start_state
from engine.games.blokus.ruleset import BlokusRuleset
from engine.luck import Luck
from engine.play import play_out, replay_actions
from engine.polyomino import SHAPES, make_shape, rotations_and_reflections
from tests.engine.playing import find_shipped, play_notations

every_number_of_players = pytest.mark.parametrize("players", [2, 3, 4])


blokus_ruleset = partial(find_shipped, BlokusRuleset)


def small_ruleset(
    *cells: str,
    side: int = 5,
    pieces: tuple[str, ...] = ("I1", "I2"),
    players: int = 2,
    corners: str = "fixed",
) -> BlokusRuleset:
    """Return a ruleset with a small board, on which a game is short."""
    document: dict[str, Any] = blokus_ruleset("blokus-fixed-2p").document
    tables = {"board": {"side": side, "start": list(cells)}, "pieces": list(pieces)}
    options = {**document["options"], "corners": corners}
    changes = {"name": "small", "players": players, "tables": tables, "options": options}
    return BlokusRuleset.from_document({**document, **changes}, "small")


def play_from_start(ruleset: BlokusRuleset, notations: str = "") -> BlokusState:
    return play_notations(start_state(ruleset), *notations.split())


def legal_notations(state: BlokusState) -> set[str]:
    return {state.ruleset.action(action).notation for action in state.actions}


def notation_squares(notation: str) -> set[str]:
    return set(notation[2:].split(","))


def random_game(ruleset: BlokusRuleset, seed: int) -> list[BlokusState]:
    decide = [lambda state, source: source.choice(state.actions)] * ruleset.players
    _, plies = play_out(start_state(ruleset), decide, Luck(seed, 0))
    return list(replay_actions(start_state(ruleset), [ply.action for ply in plies]))


# Four pieces in the corners: no colour blocks another one yet.
CORNER_OPENING = "b:a19,a20 y:t19,t20 r:t1,t2 g:a1,a2"


def test_bk_1_colours_play_in_the_order_blue_yellow_red_green() -> None:
    state = start_state(blokus_ruleset("blokus-4p"))
    turns = []
    for _ in range(10):
        turns.append((state.round, state.ruleset.colours[state.turn], state.seat))
        state = state.play(state.actions[0])
    names = ["blue", "yellow", "red", "green"]
    assert turns == [(ply // 4, names[ply % 4], ply % 4) for ply in range(10)]


def test_bk_1_a_placed_piece_never_moves() -> None:
    for before, after in pairwise(random_game(blokus_ruleset("blokus-4p"), 1)):
        for old, new in zip(before.colours, after.colours, strict=True):
            assert old.squares & ~new.squares == 0


def test_bk_1_the_board_has_20_by_20_squares() -> None:
    ruleset = blokus_ruleset("blokus-4p")
    assert ruleset.windows.squares.bit_count() == 400
    assert (
        max(index for action in start_state(ruleset).actions for index in ruleset.action(action).cells) == 399
    )


def test_bk_2_the_first_piece_covers_a_corner() -> None:
    for notation in legal_notations(start_state(blokus_ruleset("blokus-4p"))):
        assert notation_squares(notation) & {"a1", "t1", "a20", "t20"}


def test_bk_3_free_corners_are_those_still_empty() -> None:
    ruleset = blokus_ruleset("blokus-4p")
    assert len(start_state(ruleset).actions) == 4 * 58
    state = play_from_start(ruleset, "b:t1,t2")
    assert len(state.actions) == 3 * 58
    assert not any("t1" in notation_squares(notation) for notation in legal_notations(state))


def test_bk_3_fixed_corners_go_clockwise_from_the_top_left() -> None:
    state = start_state(blokus_ruleset("blokus-fixed-4p"))
    for corner in ("a20", "t20", "t1", "a1"):
        assert len(state.actions) == 58
        assert all(corner in notation_squares(notation) for notation in legal_notations(state))
        state = state.play(state.actions[0])


@pytest.mark.parametrize("corners", ["free", "fixed"])
def test_bk_3_a_colour_that_finds_no_start_cell_is_out(corners: str) -> None:
    state = play_from_start(small_ruleset("a1", "b1", corners=corners), "b:a1,b1")
    assert legal_notations(state) == {"y:out"}
    assert play_from_start(state.ruleset, "b:a1 y:b1").scores == (-2, -2)


def test_bk_4_a_later_piece_touches_its_own_colour_at_a_corner_and_at_no_edge() -> None:
    state = play_from_start(blokus_ruleset("blokus-fixed-4p"), CORNER_OPENING)
    options = legal_notations(state)
    assert {"b:b18", "b:b18,c18,d18", "b:c17,b18,c18"} <= options
    for notation in options:
        assert "b18" in notation_squares(notation)
        assert not notation_squares(notation) & {"a18", "b19", "b20", "a19", "a20"}


def test_bk_4_a_colour_that_has_started_cannot_start_again_elsewhere() -> None:
    state = play_from_start(blokus_ruleset("blokus-4p"), "b:a1")
    for action in state.legal_placements(0):
        assert "b2" in notation_squares(state.ruleset.action(action).notation)


def test_bk_4_no_piece_is_placed_twice() -> None:
    state = play_from_start(blokus_ruleset("blokus-fixed-4p"), CORNER_OPENING)
    assert {len(notation_squares(notation)) for notation in legal_notations(state)} == {1, 3, 4, 5}
    with pytest.raises(IllegalError, match="b:b17,b18"):
        state.play(state.ruleset.read_action("b:b17,b18"))


def test_bk_4_every_corner_point_of_the_colour_will_do() -> None:
    state = play_from_start(small_ruleset("a1", "e5", pieces=("I1", "I2", "V3")), "b:a1,a2,b2 y:e5")
    assert {notation for notation in legal_notations(state) if "," not in notation} == {"b:c1", "b:c3"}


def test_bk_5_other_colours_may_be_touched_along_edges_and_not_be_overlapped() -> None:
    state = play_from_start(small_ruleset("a1", "c1"), "b:a1,b1")
    assert legal_notations(state) == {"y:c1", "y:c1,d1", "y:c1,c2"}
    with pytest.raises(IllegalError, match="y:b1,c1"):
        state.play(state.ruleset.read_action("y:b1,c1"))


def test_bk_5_pieces_may_be_turned_and_mirrored() -> None:
    ruleset = blokus_ruleset("blokus-duo")
    shapes = set()
    for action in start_state(ruleset).actions:
        named = ruleset.action(action)
        if named.piece == "F5":
            shapes.add(make_shape(tuple((index % 14, index // 14) for index in named.cells)))
    assert shapes == {make_shape(image) for image in rotations_and_reflections(SHAPES["F5"])}
    assert len(shapes) == 8


def test_bk_6_a_colour_that_can_place_must_place() -> None:
    state = start_state(blokus_ruleset("blokus-4p"))
    with pytest.raises(IllegalError, match="b:out is not legal"):
        state.play(state.ruleset.read_action("b:out"))


@pytest.mark.parametrize("name", ["blokus-2p", "blokus-3p", "blokus-4p", "blokus-duo"])
def test_bk_6_every_colour_logs_one_out_and_the_last_one_ends_the_game(name: str) -> None:
    ruleset = blokus_ruleset(name)
    states = random_game(ruleset, 3)
    outs: Counter[int] = Counter()
    for before, after in pairwise(states):
        if after.colours[before.turn].is_out:
            assert len(before.legal_placements(before.turn)) == 0
            outs[before.turn] += 1
    assert outs == dict.fromkeys(range(len(ruleset.colours)), 1)
    assert states[-2].actions == (ruleset.read_action(f"{ruleset.colour_letters[states[-2].turn]}:out"),)
    assert states[-1].is_over
    assert all(colour.is_out for colour in states[-1].colours)


def test_bk_6_a_colour_that_has_placed_everything_logs_its_out_too() -> None:
    state = play_from_start(small_ruleset("a1", "e5"), "b:a1 y:e5 b:b2,b3 y:d3,d4")
    assert legal_notations(state) == {"b:out"}
    state = state.play(state.actions[0])
    assert legal_notations(state) == {"y:out"}
    assert state.play(state.actions[0]).is_over


def test_bk_7_a_colour_that_is_out_could_never_have_placed_again() -> None:
    for seed in range(5):
        for state in random_game(blokus_ruleset("blokus-4p"), seed):
            for colour, pieces in enumerate(state.colours):
                assert not (pieces.is_out and len(state.legal_placements(colour)))


def test_bk_7_a_colour_that_is_out_is_skipped_and_rounds_go_on() -> None:
    state = play_from_start(small_ruleset("a1", "b1", pieces=("I1", "I2", "I3")), "b:a1,b1 y:out")
    assert (state.turn, state.round) == (0, 1)
    state = state.play(state.ruleset.read_action("b:c2"))
    assert (state.turn, state.round) == (0, 2)


def test_bk_8_every_square_left_costs_a_point() -> None:
    assert start_state(blokus_ruleset("blokus-4p")).scores == (-89,) * 4
    assert play_from_start(blokus_ruleset("blokus-fixed-4p"), CORNER_OPENING + " b:b18").scores == (
        -86,
        -87,
        -87,
        -87,
    )


def test_bk_8_twenty_for_the_single_square_last_and_fifteen_for_any_other() -> None:
    state = play_from_start(small_ruleset("a1", "e5"), "b:a1,a2 y:e5 b:b3 y:d3,d4")
    assert state.scores == (20, 15)
    assert [[(part.part, part.count, part.points) for part in parts] for parts in state.parts] == [
        [("squares", 0, 0), ("bonus", 1, 20)],
        [("squares", 0, 0), ("bonus", 1, 15)],
    ]


def test_bk_8_without_the_single_square_the_bonus_is_the_smaller() -> None:
    assert play_from_start(small_ruleset("a1", "e5", pieces=("I2",)), "b:a1,a2").scores == (15, -2)
    assert play_from_start(small_ruleset("a1", "e5", pieces=("I1",)), "b:a1").scores == (20, -1)


def test_bk_9_two_players_have_two_colours_each() -> None:
    state = start_state(blokus_ruleset("blokus-fixed-2p"))
    assert state.scores == (-178, -178)
    seats = []
    for notation in CORNER_OPENING.split():
        seats.append(state.seat)
        state = state.play(state.ruleset.read_action(notation))
    assert seats == [0, 1, 0, 1]
    assert play_from_start(state.ruleset, CORNER_OPENING + " b:b18").scores == (-173, -174)


def test_bk_9_the_two_colours_of_a_seat_neither_hinder_nor_help_each_other() -> None:
    ruleset = small_ruleset("a1", "g7", "d1", "a7", side=7)
    state = play_from_start(ruleset, "b:a1,a2 y:g7 r:d1 g:a7 b:b3 y:f5,f6")
    assert state.seat == 0
    assert "r:b2,c2" in legal_notations(state)  # along the edges of blue's a2 and b3
    with pytest.raises(IllegalError):
        state.play(ruleset.read_action("r:c4,d4"))  # at a corner of blue's b3 only


def test_bk_10_three_players_place_green_in_turn() -> None:
    state = start_state(blokus_ruleset("blokus-3p"))
    assert state.scores == (-89, -89, -89)
    seats = []
    for _ in range(20):
        seats.append((state.ruleset.colour_letters[state.turn], state.seat))
        state = state.play(state.actions[0])
    assert seats == [pair for lap in range(5) for pair in (("b", 0), ("y", 1), ("r", 2), ("g", lap % 3))]


def test_bk_10_green_counts_for_nobody_and_is_played_by_seats_that_are_out_themselves() -> None:
    played_when_out = set()
    for seed in range(20):
        states = random_game(blokus_ruleset("blokus-3p"), seed)
        for state in states[:-1]:
            assert state.scores == tuple(colour.points for colour in state.colours[:3])
            if state.turn == 3:
                assert state.seat == state.pieces_placed(3) % 3
                can_place = len(state.legal_placements(3)) > 0
                played_when_out.add((can_place, state.colours[state.seat].is_out))
    assert (True, True) in played_when_out
    assert (False, False) in played_when_out


@every_number_of_players
def test_bk_11_the_highest_score_wins_and_equal_scores_share(players: int) -> None:
    starts = ("a1", "e5", "e1", "a5")[:players]
    equal = play_from_start(
        small_ruleset(*starts, players=players, pieces=("I1",)),
        " ".join(["b:a1", "y:e5", "r:e1", "g:a5"][:players]),
    )
    assert equal.ranks == (1,) * players
    better = play_from_start(equal.ruleset, "b:a1")
    assert better.ranks == (1, *[2] * (players - 1))


def test_there_is_no_chance() -> None:
    state = start_state(blokus_ruleset("blokus-4p"))
    with pytest.raises(IllegalError, match="no chance"):
        state.chance_outcome(Luck(0, 0))
    with pytest.raises(IllegalError, match="no chance"):
        _ = state.probabilities


def test_a_position_is_drawn_with_a_letter_for_each_colour() -> None:
    lines = str(play_from_start(small_ruleset("a1", "e5"), "b:a1,b1 y:e5 b:c2")).splitlines()
    assert lines == [
        " 5 ....y",
        " 4 .....",
        " 3 .....",
        " 2 ..b..",
        " 1 bb...",
        "   abcde",
        "   blue     20",
        "   yellow   -2 on turn",
    ]


@pytest.mark.parametrize(("name", "number"), [("blokus-duo", 2), ("blokus-2p", 8), ("blokus-fixed-4p", 1)])
def test_equal_actions_leave_equally_many_moves(name: str, number: int) -> None:
    """BK-3: the symmetries of the board that keep the start cells of every colour are symmetries of the game."""
    ruleset = find_shipped(BlokusRuleset, name)
    assert len(ruleset.symmetries) == number
    start = start_state(ruleset)
    for action in start.actions[:: max(1, len(start.actions) // 40)]:
        images = ruleset.equal_actions(action)
        assert images[0] == action
        assert {len(start.play(image).actions) for image in images} == {len(start.play(action).actions)}
        assert all(set(ruleset.equal_actions(image)) == set(images) for image in images)
    out = ruleset.first_out_action
    assert ruleset.equal_actions(out) == (out,)
