"""Tests of every clause of Blokus Dice, with positions written in notation."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest

from engine.actions import CHANCE, ScorePart
from engine.errors import IllegalError, InvalidError
from engine.games.blokus_dice import GAME
from engine.games.blokus_dice.rules import BlokusDiceState, SeatBoard, draw_placement, start_state
from engine.games.blokus_dice.ruleset import COLOUR_LETTERS, COLOUR_NAMES, BlokusDiceRuleset
from engine.luck import PURPOSE_DICE, Luck
from engine.play import play_out, replay_actions
from engine.polyomino import SHAPES
from engine.strategies import read_player
from tests.engine.playing import find_shipped, legal_notations, play_notations


def blokus_dice_ruleset(players: int = 4, stem: str = "blokus-dice") -> BlokusDiceRuleset:
    return find_shipped(BlokusDiceRuleset, f"{stem}-{players}p")


@cache
def awkward_ruleset(players: int, strikes: int = 0) -> BlokusDiceRuleset:
    """Return a ruleset whose row 2 has only X5, which never fits into a corner."""
    document = dict(blokus_dice_ruleset(players).document)
    names = ("I1", "X5", "I2", "I3", "V3", "I4")
    document["options"] = {"side": 9, "strikes": strikes}
    document["tables"] = {"rows": {str(row): [name] for row, name in enumerate(names, start=1)}}
    return BlokusDiceRuleset.from_document(document, "awkward")


def play_from_start(rules: BlokusDiceRuleset, *notations: str) -> BlokusDiceState:
    return play_notations(start_state(rules), *notations)


def make_board(rules: BlokusDiceRuleset, *notations: str) -> SeatBoard:
    """Return a board with these placements, whether they are legal or not."""
    drawn = start_state(rules).boards[0]
    for notation in notations:
        draft = rules.find_draft(rules.read_action(notation))
        assert draft
        drawn = draw_placement(rules.play_area, drawn, draft.placement, draft.colour, struck=draft.struck)
    return drawn


def state_after_roll(
    rules: BlokusDiceRuleset, roll: str, *boards: SeatBoard, round_: int = 0, gone: tuple[int, ...] = ()
) -> BlokusDiceState:
    """Return the position after a roll with these boards; the other boards are empty, and seat 0 starts."""
    first = start_state(rules)
    state = replace(
        first,
        boards=(*boards, *first.boards[len(boards) :]),
        round=round_,
        waiting=tuple(seat for seat in first.waiting if seat not in gone),
        gone=gone,
    )
    return state.play(rules.read_action(roll))


def stuck_board(rules: BlokusDiceRuleset) -> SeatBoard:
    """Return a board on which nothing fits in any colour."""
    return start_state(rules).boards[0]._replace(free=0)


def legal_dice(state: BlokusDiceState) -> set[str]:
    """Return the dice of the legal notations, with `!` for a strike: the text before the colour letter."""
    return {
        notation[: notation.index(COLOUR_LETTERS[state.held_colour(state.seat)])]
        for notation in legal_notations(state)
    }


def legal_shapes(state: BlokusDiceState, *, struck: bool = False) -> set[str | None]:
    actions = map(state.ruleset.action, state.actions)
    return {action.piece for action in actions if ("!" in action.notation) == struck}


@pytest.mark.parametrize("players", [2, 3, 4])
def test_bd_1_everybody_starts_with_an_empty_board_all_shapes_and_three_strikes(players: int) -> None:
    rules = blokus_dice_ruleset(players)
    state = start_state(rules)
    assert len(state.boards) == players
    assert len({number for names in rules.shapes_by_row.values() for number in names}) == 21
    assert list(rules.shapes_by_row) == [1, 2, 3, 4, 5, 6]
    assert rules.options.strikes == 3
    assert COLOUR_NAMES == ("red", "blue", "yellow", "green")
    for empty in state.boards:
        assert empty.filled == (0, 0, 0, 0)
        assert empty.strikes == 0


@pytest.mark.parametrize("players", [1, 5])
def test_bd_1_two_to_four_play(players: int) -> None:
    document = {**blokus_dice_ruleset().document, "players": players}
    with pytest.raises(InvalidError, match="players: input should be"):
        BlokusDiceRuleset.from_document(document, "document")


@pytest.mark.parametrize(("players", "outcomes"), [(2, 21), (3, 56), (4, 126)])
def test_bd_2_one_die_per_seat_is_rolled(players: int, outcomes: int) -> None:
    state = start_state(blokus_dice_ruleset(players))
    assert state.seat == CHANCE
    assert len(state.actions) == outcomes
    chances = dict(zip(legal_notations(state), state.probabilities, strict=True))
    assert chances[" ".join("6" * players)] == pytest.approx(Fraction(1, 6**players))
    assert chances["1 2 3 4"[: 2 * players - 1]] == pytest.approx(
        Fraction({2: 2, 3: 6, 4: 24}[players], 6**players)
    )


def test_bd_2_every_die_has_its_own_luck() -> None:
    state, luck = start_state(blokus_dice_ruleset()), Luck(7, 1)
    dice = sorted(luck.below(6, PURPOSE_DICE, 0, CHANCE, die) + 1 for die in range(4))
    assert state.ruleset.action(state.chance_outcome(luck)).notation == " ".join(map(str, dice))


def test_bd_2_each_seat_takes_one_of_the_dice_left_clockwise_from_the_starter() -> None:
    state = play_from_start(blokus_dice_ruleset(3), "1 4 4")
    assert (state.seat, state.free_dice) == (0, (1, 4, 4))
    state = state.play(state.ruleset.read_action("4rI5:a1,b1,c1,d1,e1"))
    assert (state.seat, state.free_dice) == (1, (1, 4))
    state = state.play(state.ruleset.read_action("4bI5:a1,b1,c1,d1,e1"))
    assert (state.seat, state.free_dice) == (2, (1,))
    assert legal_dice(state) == {"1", "1!"}
    assert state.takers == (None, 0, 1)


def test_bd_2_equal_dice_are_one_choice() -> None:
    notations = legal_notations(play_from_start(blokus_dice_ruleset(2), "3 3"))
    assert len(notations) == len(set(notations)) == 52 + 232


def test_bd_3_the_die_names_the_row() -> None:
    state = play_from_start(blokus_dice_ruleset(2), "3 6")
    assert legal_shapes(state) == {"V3", "L4", "S4", "T4", "I4", "N5"}
    with pytest.raises(InvalidError, match="V3 is in row 3, so a 6 needs a strike"):
        state.ruleset.read_action("6rV3:a1,b1,a2")


def test_bd_3_a_shape_may_be_rotated_and_mirrored() -> None:
    state = play_from_start(blokus_dice_ruleset(2), "2 2")
    drawn = {
        squares
        for squares in legal_notations(state)
        if squares.startswith("2rL5") and "a1" in squares.split(":")[1]
    }
    assert drawn == {
        "2rL5:a1,b1,c1,d1,a2",
        "2rL5:a1,b1,c1,d1,d2",
        "2rL5:a1,a2,b2,c2,d2",
        "2rL5:a1,b1,a2,a3,a4",
        "2rL5:a1,a2,a3,a4,b4",
        "2rL5:a1,b1,b2,b3,b4",
    }


def test_bd_3_a_shape_is_used_once_per_board() -> None:
    rules = blokus_dice_ruleset(2)
    state = state_after_roll(rules, "4 4", make_board(rules, "4bI5:a1,b1,c1,d1,e1"))
    assert legal_shapes(state) == {"F5", "Z5"}
    assert "I5" not in legal_shapes(state, struck=True)
    other = state.play(state.actions[0])
    assert "I5" in legal_shapes(other)


def test_bd_4_the_first_shape_of_a_colour_covers_any_corner_not_yet_covered() -> None:
    rules = blokus_dice_ruleset(2)
    assert [text for text in legal_notations(state_after_roll(rules, "1 1")) if text.startswith("1rI1")] == [
        f"1rI1:{corner}" for corner in ("a1", "i1", "a9", "i9")
    ]
    state = state_after_roll(rules, "1 1", make_board(rules, "4bI5:a1,b1,c1,d1,e1"))
    assert [text for text in legal_notations(state) if text.startswith("1rI1")] == [
        f"1rI1:{corner}" for corner in ("i1", "a9", "i9")
    ]


def test_bd_4_corner_squares_count_for_the_first_shape_only() -> None:
    rules = blokus_dice_ruleset(2)
    state = state_after_roll(rules, "1 1", make_board(rules, "4rI5:a1,b1,c1,d1,e1"))
    assert [text for text in legal_notations(state) if text.startswith("1rI1")] == ["1rI1:f2"]


def test_bd_5_a_colour_goes_on_from_its_corners_and_not_along_its_edges() -> None:
    rules = blokus_dice_ruleset(2)
    state = state_after_roll(rules, "2 2", make_board(rules, "6rI4:a1,b1,c1,d1"))
    assert [text for text in legal_notations(state) if text.startswith("2rI2")] == [
        "2rI2:e2,e3",
        "2rI2:e2,f2",
    ]


def test_bd_5_another_shape_must_not_be_touched_along_an_edge_either() -> None:
    """The upper one of two red shapes lies beside a corner point of the lower one."""
    rules = blokus_dice_ruleset(2)
    state = state_after_roll(rules, "1 1", make_board(rules, "6rI4:a1,b1,c1,d1", "2rI3:f3,f4,f5"))
    assert "1rI1:e2" in legal_notations(state)
    state = state_after_roll(rules, "1 1", make_board(rules, "6rI4:a1,b1,c1,d1", "2rI3:f2,f3,f4"))
    assert "1rI1:e2" not in legal_notations(state)


def test_bd_5_different_colours_may_touch_in_any_way() -> None:
    rules = blokus_dice_ruleset(2)
    state = state_after_roll(rules, "4 4", make_board(rules, "6bI4:a1,b1,c1,d1"))
    assert "4rI5:e1,f1,g1,h1,i1" in legal_notations(state)
    state = state_after_roll(rules, "2 2", make_board(rules, "4rI5:a1,b1,c1,d1,e1", "6bI4:a2,b2,c2,d2"))
    assert "2rI2:f2,g2" in legal_notations(state)
    assert "2rI2:e2,e3" not in legal_notations(state)


def test_bd_6_a_strike_opens_every_row_and_the_die_is_consumed() -> None:
    state = play_from_start(blokus_dice_ruleset(2), "4 6", "4!rI1:a1")
    assert state.boards[0].strikes == 1
    assert state.boards[0].unfilled == 80
    assert state.free_dice == (6,)
    assert legal_dice(state) == {"6", "6!"}
    assert legal_shapes(state, struck=True) == SHAPES.keys() - {"X5"}


def test_bd_6_there_are_only_three_strikes() -> None:
    rules = blokus_dice_ruleset(2)
    used = make_board(rules, "4!rI1:a1", "4!bI2:i1,i2", "1!gI3:a9,b9,c9")
    state = state_after_roll(rules, "1 4", used, round_=2)
    assert used.strikes == 3
    assert legal_dice(state) == {"1", "4"}
    assert legal_dice(state_after_roll(rules, "1 4", used._replace(strikes=2), round_=2)) == {
        "1",
        "1!",
        "4",
        "4!",
    }


def test_bd_7_a_strike_may_be_used_although_the_die_would_do() -> None:
    state = play_from_start(blokus_dice_ruleset(2), "4 4")
    assert {"4rI5:a1,b1,c1,d1,e1", "4!rI5:a1,b1,c1,d1,e1"} <= set(legal_notations(state))


def test_bd_7_a_die_that_does_not_help_may_not_be_taken() -> None:
    assert legal_dice(play_from_start(awkward_ruleset(2), "1 2")) == {"1"}


def test_bd_7_with_a_strike_left_every_die_may_be_taken() -> None:
    assert legal_dice(play_from_start(awkward_ruleset(2, strikes=1), "1 2")) == {"1", "1!", "2!"}


def test_bd_8_a_seat_is_out_although_another_colour_would_fit() -> None:
    rules = awkward_ruleset(2)
    state = state_after_roll(rules, "2 2", make_board(rules, "1bI1:a1"))
    assert state.boards[0].fitting_placements(COLOUR_NAMES.index("blue")) & rules.offered_placements[2]
    assert legal_notations(state) == ["out"]
    assert state.play(rules.out_action).gone == (0,)


def test_bd_8_nobody_is_out_while_a_strike_helps() -> None:
    state = play_from_start(awkward_ruleset(2, strikes=1), "2 2")
    assert legal_dice(state) == {"2!"}
    with pytest.raises(IllegalError, match="action out is not legal here"):
        state.play(state.ruleset.out_action)


def test_bd_8_a_seat_stays_out() -> None:
    state = play_from_start(awkward_ruleset(2), "1 2", "1rI1:a1", "out", "1")
    assert (state.seat, state.waiting) == (0, (0,))


def test_bd_9_a_seat_that_drops_out_takes_no_die_and_there_is_one_die_less() -> None:
    state = play_from_start(awkward_ruleset(3), "1 1 2", "1rI1:a1", "1bI1:a1")
    assert legal_notations(state) == ["out"]
    state = state.play(state.ruleset.out_action)
    assert (state.round, state.seat, state.gone) == (1, CHANCE, (2,))
    assert len(state.actions) == 21


def test_bd_9_in_the_round_of_a_drop_out_the_others_choose_among_all_dice() -> None:
    rules = awkward_ruleset(3)
    state = state_after_roll(rules, "1 3 4", stuck_board(rules)).play(rules.out_action)
    assert (state.seat, state.free_dice) == (1, (1, 3, 4))
    state = state.play(rules.read_action("3bI2:a1,b1"))
    assert legal_dice(state) == {"1", "4"}


def test_bd_10_markers_pass_clockwise_through_seats_that_are_out() -> None:
    rules = awkward_ruleset(4)
    state = state_after_roll(rules, "1 1 1 1", start_state(rules).boards[0], stuck_board(rules))
    before = [state.held_colour(seat) for seat in range(4)]
    for notation in ("1rI1:a1", "out", "1yI1:a1", "1gI1:a1"):
        state = state.play(rules.read_action(notation))
    assert state.round == 1
    assert [state.held_colour(seat) for seat in range(4)] == [before[seat - 1] for seat in range(4)]


def test_bd_10_the_next_seat_that_is_still_in_starts_the_next_round() -> None:
    rules = awkward_ruleset(4)
    state = state_after_roll(rules, "1 1 1 1", start_state(rules).boards[0], stuck_board(rules))
    for notation in ("1rI1:a1", "out", "1yI1:a1", "1gI1:a1"):
        state = state.play(rules.read_action(notation))
    assert (state.starter, state.waiting) == (2, (2, 3, 0))
    assert len(state.actions) == 56


def test_bd_10_the_start_passes_on_from_a_starter_that_drops_out() -> None:
    rules = awkward_ruleset(3)
    state = state_after_roll(rules, "1 1 1", stuck_board(rules))
    for notation in ("out", "1bI1:a1", "1yI1:a1"):
        state = state.play(rules.read_action(notation))
    assert (state.starter, state.waiting) == (1, (1, 2))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_bd_11_four_markers_go_round_four_places(players: int) -> None:
    """The standby places lie between the last seat and seat 0; each round every marker moves by one place."""
    state = start_state(blokus_dice_ruleset(players))
    places = [0, 1, 2, 3]
    for round_ in range(9):
        now = replace(state, round=round_)
        assert [now.held_colour(seat) for seat in range(players)] == places[:players]
        places = [places[-1], *places[:-1]]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_bd_11_the_first_four_rounds_are_the_four_corner_shapes(players: int) -> None:
    decide = read_player(GAME, "greedy").decide
    first = start_state(blokus_dice_ruleset(players))
    _, plies = play_out(first, [decide] * players, Luck(5, 0))
    for state in replay_actions(first, [ply.action for ply in plies]):
        if state.seat != CHANCE and state.round < 5:
            begun = sum(bool(squares) for squares in state.boards[state.seat].filled)
            assert begun == min(state.round, 4)


def test_bd_12_the_game_ends_when_all_are_out_and_the_fewest_unfilled_squares_win() -> None:
    state = play_from_start(awkward_ruleset(2), "1 2", "1rI1:a1", "out", "2", "out")
    assert state.is_over
    assert not state.actions
    assert state.round == 1
    assert state.scores == (80, 81)
    assert state.ranks == (1, 2)
    assert state.parts[0] == (ScorePart("squares", 80, 80), ScorePart("strikes", 0, 0))


def test_bd_13_of_equal_scores_fewer_strikes_win() -> None:
    rules = blokus_dice_ruleset(3)
    plain, struck = make_board(rules, "4rI5:a1,b1,c1,d1,e1"), make_board(rules, "4!rI5:a1,b1,c1,d1,e1")
    state = state_after_roll(rules, "1 1 1", struck, plain, make_board(rules, "3rT4:a1,b1,c1,b2"))
    assert state.scores == (76, 76, 77)
    assert state.ranks == (2, 1, 3)
    assert state.parts[0] == (ScorePart("squares", 76, 76), ScorePart("strikes", 1, 0))


def test_bd_13_strikes_do_not_outweigh_squares() -> None:
    rules = blokus_dice_ruleset(2)
    state = state_after_roll(
        rules, "1 1", make_board(rules, "4!rI5:a1,b1,c1,d1,e1"), make_board(rules, "3rT4:a1,b1,c1,b2")
    )
    assert state.ranks == (1, 2)


def test_bd_13_with_equal_scores_and_strikes_the_win_is_shared() -> None:
    assert play_from_start(awkward_ruleset(2), "2 2", "out", "out").ranks == (1, 1)


def test_a_position_is_drawn_as_text() -> None:
    state = play_from_start(blokus_dice_ruleset(2), "3 4", "4!rV3:a1,b1,a2")
    lines = str(state).splitlines()
    assert lines[0] == "round 1: 3 (4)"
    assert lines[1] == " 9 .........   ........."
    assert lines[-4:] == [
        " 2 r........   .........",
        " 1 rr.......   .........",
        "   abcdefghi   abcdefghi",
        "   78 r 1!     81 b 0!",
    ]
