"""Tests of every clause of BLOXX!, with positions written in notation or drawn as sheets."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from engine.actions import CHANCE
from engine.errors import IllegalError, InvalidError
from engine.games.bloxx.rules import BloxxState, Sheet, start_state
from engine.games.bloxx.ruleset import BloxxRuleset
from tests.engine.playing import find_shipped, legal_notations, play_notations

bloxx_ruleset = partial(find_shipped, BloxxRuleset)


def play_from_start(name: str, *notations: str) -> BloxxState:
    return play_notations(start_state(bloxx_ruleset(name)), *notations)


def read_sheet(*rows: str) -> Sheet:
    """Return the sheet with these lowest rows, top row first: o circle, x cross, # gap, . blank."""
    sets = dict.fromkeys("ox#", 0)
    for y, row in enumerate(reversed(rows)):
        for x, mark in enumerate(row):
            if mark in sets:
                sets[mark] |= 1 << x + 7 * y
    return Sheet(sets["o"], sets["x"], sets["#"])


FULL_SHEET = read_sheet(*["xxxxxxx"] * 10)


def state_after_roll(name: str, roll: str, *sheets: Sheet, round_: int = 0) -> BloxxState:
    """Return the position after a roll with these sheets."""
    state = replace(start_state(bloxx_ruleset(name)), sheets=sheets, round=round_)
    return state.play(state.ruleset.read_action(roll))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_bx_1_everybody_starts_with_an_empty_sheet(players: int) -> None:
    state = play_from_start(f"bloxx-{players}p")
    assert state.sheets == (Sheet(),) * players
    assert state.scores == (-70,) * players


def test_bx_1_five_players_are_too_many() -> None:
    document = {**bloxx_ruleset("bloxx-4p").document, "players": 5}
    with pytest.raises(InvalidError, match="players: input should be less than or equal to 4, not 5"):
        BloxxRuleset.from_document(document, "document")


def test_bx_2_two_dice_of_six_equally_likely_faces_are_rolled() -> None:
    state = play_from_start("bloxx-3p")
    assert state.seat == CHANCE
    assert len(state.actions) == 36
    assert state.probabilities == (1 / 36,) * 36
    assert legal_notations(state)[:2] == ["I2 I4", "I2 L4"]


@pytest.mark.parametrize("drawing", ["xx", "oo", "x.o", "o.x/...", "xz/o."])
def test_bx_2_a_face_is_one_shape_with_one_circle(drawing: str) -> None:
    document = {**bloxx_ruleset("bloxx-2p").document}
    document["tables"] = {**document["tables"], "dice": {**document["tables"]["dice"], "A": {"I2": drawing}}}
    with pytest.raises(InvalidError, match=r"tables\.dice\.A: face I2"):
        BloxxRuleset.from_document(document, "document")


def test_bx_3_the_active_seat_goes_round_and_acts_first() -> None:
    for round_ in range(7):
        state = state_after_roll("bloxx-3p", "I2 I4", Sheet(), Sheet(), Sheet(), round_=round_)
        assert state.active_seat == state.seat == round_ % 3


def test_bx_4_the_others_follow_clockwise() -> None:
    state = state_after_roll("bloxx-4p", "I2 I4", *[Sheet()] * 4, round_=2)
    seats = []
    while state.seat != CHANCE:
        seats.append(state.seat)
        state = state.play(state.actions[0])
    assert seats == [2, 3, 0, 1]
    assert state.round == 3


def test_bx_4_a_seat_that_picks_the_active_seats_die_draws_a_cross_for_the_circle() -> None:
    state = play_from_start("bloxx-2p", "I2 V5", "A:a1o,b1")
    assert "A:a1,b1" in legal_notations(state)
    assert not any(notation.startswith("A:") and "o" in notation for notation in legal_notations(state))
    assert all("o" in notation for notation in legal_notations(state) if notation.startswith("B:"))
    crossed = play_from_start("bloxx-2p", "I2 V5", "A:a1o,b1", "A:a1,b1")
    assert crossed.sheets[1] == read_sheet("xx")
    assert crossed.sheets[0] == read_sheet("ox")


def test_bx_4_the_active_seat_keeps_the_circle_with_either_die() -> None:
    assert all("o" in notation for notation in legal_notations(play_from_start("bloxx-2p", "I2 V5")))


def test_bx_5_if_the_active_seat_is_stuck_the_others_keep_the_circle_with_either_die() -> None:
    state = state_after_roll("bloxx-3p", "I2 I4", FULL_SHEET, Sheet(), Sheet())
    assert legal_notations(state) == ["-"]
    state = state.play(state.actions[0])
    assert state.taken is None
    assert all("o" in notation for notation in legal_notations(state))
    assert {notation[0] for notation in legal_notations(state)} == {"A", "B"}


def test_bx_6_a_seat_that_can_draw_must_draw() -> None:
    state = play_from_start("bloxx-2p", "I2 I4")
    assert "-" not in legal_notations(state)
    with pytest.raises(IllegalError, match="action - is not legal here"):
        state.play(state.ruleset.forfeit_action)


def test_bx_6_a_seat_that_can_draw_neither_forfeits_and_draws_nothing() -> None:
    state = state_after_roll("bloxx-2p", "I2 I4", FULL_SHEET, Sheet())
    after = state.play(state.ruleset.read_action("-"))
    assert after.sheets == state.sheets
    assert after.seat == 1


def test_bx_7_a_shape_may_be_turned_and_mirrored_but_the_circle_keeps_its_place() -> None:
    """The number of different orientations of each face, including the place of the circle."""
    images = {
        name: len({(o.offsets, mark) for o in faces for mark in range(len(next(iter(o.circled.values()))))})
        for die, names in enumerate(bloxx_ruleset("bloxx-2p").face_names)
        for name, faces in zip(names, bloxx_ruleset("bloxx-2p").orientations[die], strict=True)
    }
    assert images == {
        "I2": 4,
        "V3": 8,
        "I3": 2,
        "O4": 4,
        "T4": 4,
        "S4": 8,
        "I4": 4,
        "L4": 8,
        "P5": 8,
        "U5": 4,
        "V5": 4,
        "L5": 8,
    }
    lying = [n for n in legal_notations(play_from_start("bloxx-2p", "I3 I4")) if n.startswith("A:")]
    assert "A:a1,b1o,c1" in lying
    assert not any(n.startswith("A:a1o") for n in lying)


def test_bx_7_only_blank_squares_of_the_sheet_can_be_drawn() -> None:
    state = state_after_roll("bloxx-2p", "I2 I4", read_sheet(*["xxxxxx."] * 10), Sheet())
    assert legal_notations(state) == ["A:g1o,g2", "A:g1,g2o", "B:g1,g2o,g3,g4", "B:g1,g2,g3o,g4"]


def test_bx_8_the_first_shape_touches_the_bottom_edge() -> None:
    for contact in ("", "-touch", "-rest"):
        state = play_from_start(f"bloxx{contact}-2p", "V3 I4")
        actions = [state.ruleset.action(action) for action in state.actions]
        assert all(min(action.cells) < 7 for action in actions)
        assert "A:a2,b1,b2o" not in legal_notations(state)
        assert "A:a2o,b1,b2" not in legal_notations(state)
        assert "A:a2,b1o,b2" not in legal_notations(state) or contact


def placements_of_die(contact: str, die: str, *rows: str, roll: str = "I2 I4") -> list[str]:
    state = state_after_roll(f"bloxx{contact}-2p", roll, read_sheet(*rows), Sheet())
    return [notation[2:] for notation in legal_notations(state) if notation.startswith(die)]


TOWER = ("..x....", "..x....", "..x....")


def test_bx_9_drop_falls_until_it_meets_the_floor_or_a_drawn_square() -> None:
    placements = placements_of_die("", "A", *TOWER)
    assert "a1o,b1" in placements  # on the floor, beside the tower
    assert "b1o,b2" in placements
    assert "b2o,b3" not in placements  # it would hang in the air
    assert "c4o,d4" in placements  # on the tower, above squares that become gaps
    assert "b4,c4o" in placements


def test_bx_9_drop_on_the_floor_without_a_drawn_square_beside_it_is_illegal() -> None:
    placements = placements_of_die("", "A", *TOWER)
    assert "f1o,g1" not in placements
    assert "a1o,a2" not in placements


def test_bx_9_drop_may_not_reach_above_the_top_row() -> None:
    tower = ["..x...."] * 9
    placements = placements_of_die("", "A", *tower)
    assert "c10o,d10" in placements
    assert not any("c11" in notation or "c10o,c11" in notation for notation in placements)
    assert all("9" not in notation for notation in placements_of_die("", "B", *["xxxxxxx"] * 7))


def test_bx_9_touch_may_hang_on_the_side_of_a_tower() -> None:
    placements = placements_of_die("-touch", "A", *TOWER)
    assert {"b2o,b3", "a3o,b3", "d3o,e3", "a1o,b1", "b3,b4o"} <= set(placements)
    assert "b4o,b5" not in placements  # touches no drawn square
    assert "d4o,e4" not in placements


def test_bx_9_rest_has_to_stand_on_a_drawn_square() -> None:
    placements = placements_of_die("-rest", "A", *TOWER)
    assert {"c4o,c5", "c4o,d4", "b4,c4o"} <= set(placements)
    assert "a1o,b1" not in placements
    assert all("c4" in notation for notation in placements)


@pytest.mark.parametrize("contact", ["", "-touch", "-rest"])
def test_bx_10_blanks_under_a_drawn_square_are_gaps_at_once(contact: str) -> None:
    state = state_after_roll(f"bloxx{contact}-2p", "I2 I4", read_sheet(*TOWER), Sheet())
    after = state.play(state.ruleset.read_action("A:c4o,d4"))
    assert after.sheets[0] == read_sheet("..ox...", "..x#...", "..x#...", "..x#...")


@pytest.mark.parametrize("contact", ["", "-touch", "-rest"])
def test_bx_10_gaps_of_earlier_turns_stay_gaps(contact: str) -> None:
    rows = ("..xx...", "..x#...", "..x#...")
    state = state_after_roll(f"bloxx{contact}-2p", "I2 I4", read_sheet(*rows), Sheet())
    after = state.play(
        state.ruleset.read_action("A:c4o,c5")
    )  # not above the gaps, so it does not make them again
    assert after.sheets[0] == read_sheet("..x....", "..o....", *rows)


@pytest.mark.parametrize("contact", ["", "-touch"])
def test_bx_10_a_gap_gives_no_contact(contact: str) -> None:
    drawn = (".xx....", ".#x....")
    assert "a1o,a2" in placements_of_die(contact, "A", *drawn)  # beside b2, which is drawn
    level = ("xx.....", "x#.....")
    assert "c1o,d1" not in placements_of_die(contact, "A", *level)  # beside b1, which is a gap
    assert "c1o,c2" in placements_of_die(contact, "A", *level)


def test_bx_10_a_gap_can_never_be_filled() -> None:
    placements = placements_of_die("-touch", "A", "..xx...", "..x#...", "..x#...")
    assert not any(
        square in notation.replace("o", "").split(",") for notation in placements for square in ("d1", "d2")
    )


@pytest.mark.parametrize("contact", ["", "-touch", "-rest"])
def test_bx_11_only_squares_above_the_highest_drawn_one_of_their_column_can_be_drawn(contact: str) -> None:
    rows = ("..xx...", "..x#...", "..x#...")
    state = state_after_roll(f"bloxx{contact}-2p", "I2 I4", read_sheet(*rows), Sheet())
    heights = [0, 0, 3, 3, 0, 0, 0]
    for action in state.actions:
        assert all(cell // 7 >= heights[cell % 7] for cell in state.ruleset.action(action).cells)


def test_bx_12_a_number_scores_only_under_a_circle() -> None:
    """The numbers are 2 on b1 and 3 on a4; each is circled, crossed, coloured in, or blank."""
    state = play_from_start("bloxx-2p")
    numbers = {
        name: next(
            part for part in replace(state, sheets=(drawn, Sheet())).parts_of(0) if part.part == "numbers"
        )
        for name, drawn in {
            "circled": read_sheet(".o....."),
            "crossed": read_sheet(".x....."),
            "gap": read_sheet(".x.....", ".#....."),
            "no number": read_sheet("o......"),
        }.items()
    }
    assert {name: (part.count, part.points) for name, part in numbers.items()} == {
        "circled": (1, 2),
        "crossed": (0, 0),
        "gap": (0, 0),
        "no number": (0, 0),
    }


def state_after_completing(name: str, rows: tuple[str, ...], *, round_: int = 3) -> BloxxState:
    """Return the state after seat 0 draws the I2 on f2 and g2 of this sheet; the other sheets are empty."""
    players = bloxx_ruleset(name).players
    state = state_after_roll(
        name, "I2 I4", read_sheet(*rows), *[Sheet()] * (players - 1), round_=round_ * players
    )
    return state.play(state.ruleset.read_action("A:f2o,g2"))


def test_bx_13_a_row_is_complete_when_all_its_squares_are_drawn() -> None:
    state = state_after_completing("bloxx-2p", ("xxoxx..", "xxxxxxx"))
    assert state.completed[0] == (6, -1)
    assert state.row_points(0, 0) == 4


def test_bx_13_a_row_with_a_gap_is_never_complete() -> None:
    state = state_after_completing("bloxx-2p", ("xx#xx..", "xxxxxxx"))
    assert state.completed[0] == (-1, -1)
    assert state.row_points(0, 0) == 0


def state_before_completing(name: str, *, others: Sheet, earlier: tuple[int, ...]) -> BloxxState:
    """Return a state in turn 4 in which seats can complete the green row; `earlier`: turns in which seats did."""
    rows = ("xxoxx..", "xxxxxxx")
    state = state_after_roll(
        name, "I2 I4", read_sheet(*rows), others, *[Sheet()] * (bloxx_ruleset(name).players - 2), round_=4
    )
    completed = (earlier, *state.completed[1:])
    return replace(state, completed=completed)


def test_bx_14_all_seats_that_complete_a_row_in_the_first_turn_score_the_larger_points() -> None:
    state = state_before_completing("bloxx-2p", others=read_sheet("xxoxx..", "xxxxxxx"), earlier=(-1, -1))
    state = state.play(state.ruleset.read_action("A:f2o,g2"))
    state = state.play(state.ruleset.read_action("A:f2,g2"))
    assert [state.row_points(0, seat) for seat in (0, 1)] == [4, 4]


def test_bx_14_a_later_turn_scores_the_smaller_points() -> None:
    state = state_before_completing("bloxx-2p", others=read_sheet("xxxxxxx", "xxxxxxx"), earlier=(-1, 3))
    state = state.play(state.ruleset.read_action("A:f2o,g2"))
    assert [state.row_points(0, seat) for seat in (0, 1)] == [2, 4]


def test_bx_15_the_game_ends_with_a_turn_in_which_two_seats_draw_nothing() -> None:
    state = state_after_roll("bloxx-3p", "I2 I4", FULL_SHEET, FULL_SHEET, Sheet())
    state = state.play(state.ruleset.read_action("-"))
    state = state.play(state.ruleset.read_action("-"))
    assert not state.is_over  # the turn is finished for every seat first
    state = state.play(state.actions[0])
    assert state.is_over
    assert state.actions == ()


@pytest.mark.parametrize(("players", "stuck"), [(3, 3), (4, 3), (4, 4)])
def test_bx_15_the_game_ends_with_a_turn_in_which_more_than_two_seats_draw_nothing(
    players: int, stuck: int
) -> None:
    sheets = [FULL_SHEET] * stuck + [Sheet()] * (players - stuck)
    state = state_after_roll(f"bloxx-{players}p", "I2 I4", *sheets)
    for _ in range(players):
        assert not state.is_over
        state = state.play(state.actions[0])
    assert state.is_over


def test_bx_15_one_seat_that_draws_nothing_does_not_end_the_game() -> None:
    state = state_after_roll("bloxx-2p", "I2 I4", FULL_SHEET, Sheet())
    state = state.play(state.ruleset.read_action("-"))
    state = state.play(state.actions[0])
    assert not state.is_over
    assert state.seat == CHANCE
    assert state.forfeits == 0


def test_bx_16_the_worked_example_of_the_book() -> None:
    """18 points: 4 + 2 for rows, 26 for circled numbers, -7 for blanks, -7 for gaps."""
    drawn = read_sheet(
        "ox.....",
        "xxxxo..",
        "xxo#xxx",
        "oxxxxxx",
        "xxxoxxx",
        "xx#ox##",
        "oxxxxxx",
        "x#xx#xx",
        "xxxx#xx",
        "xxxxxxx",
    )
    state = replace(
        play_from_start("bloxx-2p"),
        sheets=(drawn, Sheet()),
        completed=((-1, -1), (3, 5), (9, 4), (-1, -1)),  # orange first, violet after the other seat
    )
    assert [(part.part, part.count, part.points) for part in state.parts_of(0)] == [
        ("rows", 2, 6),
        ("numbers", 7, 26),
        ("gaps", 7, -7),
        ("blanks", 7, -7),
    ]
    assert state.scores[0] == 18


def test_bx_16_numbered_squares_cost_like_others_when_blank_or_coloured_in() -> None:
    state = replace(play_from_start("bloxx-2p"), sheets=(read_sheet(".x.....", ".#....."), Sheet()))
    assert [(part.part, part.count, part.points) for part in state.parts_of(0)] == [
        ("rows", 0, 0),
        ("numbers", 0, 0),
        ("gaps", 1, -1),
        ("blanks", 68, -68),
    ]


def test_bx_16_penalties_are_options() -> None:
    document = bloxx_ruleset("bloxx-2p").document
    document = {**document, "options": {**document["options"], "gap_penalty": 3, "blank_penalty": 0}}
    state = replace(
        start_state(BloxxRuleset.from_document(document, "document")),
        sheets=(read_sheet(".x.....", ".#....."), Sheet()),
    )
    assert state.scores == (-3, 0)


def test_bx_17_the_highest_score_wins_and_equal_scores_share() -> None:
    state = replace(
        play_from_start("bloxx-3p"), sheets=(read_sheet("xxx"), read_sheet("xxx"), read_sheet("xx"))
    )
    assert state.scores == (-67, -67, -68)
    assert state.ranks == (1, 1, 3)


def test_the_text_board_shows_marks_numbers_and_scores() -> None:
    board = str(play_from_start("bloxx-2p", "I2 I4", "A:a1o,b1", "B:a1,b1o,c1,d1"))
    assert "ox...2.   xoxx.2." in board
    assert "green" in board
    assert "-68       -64" in board
