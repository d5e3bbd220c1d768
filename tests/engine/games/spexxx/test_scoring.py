"""Tests of the clauses SP-8 to SP-12 on the points of a cube, with positions reached by notation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.actions import ScorePart
from engine.games.spexxx.rules import SpexxxState, cube_gain, start_state
from engine.games.spexxx.ruleset import DIRECTIONS, SpexxxRuleset, iter_cells
from engine.notation import format_square, read_cell
from tests.engine.playing import find_shipped, play_notations
from tests.examples import scale_examples

FIVE_ONES = "1 1 1 1 1"
"""SP-7: five of a kind allows every free square, so it can reach any position."""


def spexxx_ruleset(name: str = "spexxx-2p") -> SpexxxRuleset:
    return find_shipped(SpexxxRuleset, name)


def state_with_cubes(listed: str, to_come: str = "") -> SpexxxState:
    """Return a state with cubes of seat 0 on these squares, in this order, and others elsewhere; seat 0 throws next."""
    state = start_state(spexxx_ruleset())
    own, reserved = listed.split(), set(listed.split()) | set(to_come.split())
    squares = [format_square(place, 24) for place in iter_cells(spexxx_ruleset().squares)]
    spare = [name for name in squares if name not in reserved]
    for cube in own:
        state = play_notations(state, FIVE_ONES, cube)
        while state.thrower != 0:
            state = play_notations(state, FIVE_ONES, spare.pop())
    return state


def last_cube_points(there: str, place: str) -> int:
    """Return the points of a cube on `place` after cubes on the squares `there`."""
    before = state_with_cubes(there, place)
    return play_notations(before, FIVE_ONES, place).scores[0] - before.scores[0]


def test_sp_7_five_of_a_kind_scores_the_points_of_the_square() -> None:
    assert last_cube_points("s1 t1", "u1") == 6 + 12 + 12


@pytest.mark.parametrize(
    ("there", "place", "scored"),
    [
        ("f1 h1", "g1", 6),
        ("q9 t6 u5", "r8", 0),
        ("h1 i1 j1 j2", "j3", 6),
        ("h6 i6 j6 l6", "k6", 10),
        ("h6 i6 j6 l6 m6", "k6", 15),
        ("g5 h5 i5 k5 l5 m5", "j5", 7),
        ("s1 t1 v1 w1", "u1", 59),
        ("s1 t1 u1 v1 w1", "x1", 12),
        ("b1 c1 d1 e1 g1 h1 i1 j1 k1", "f1", 6),
        ("b1 c1 d1 e1 f1 h1 i1 j1 k1 l1", "g1", 8),
        ("b1 c1 d1 e1 f1 g1 h1 j1 k1 l1 m1 n1 o1 p1", "i1", 12),
        ("o3 p3 q3 r3 o4 q4 r4 o5 p5 q5 r5", "p4", 78),
        ("o3 p3 q3 r3 o4 q4 r4 o5 p5 q5 r5 p4 s3 s4 s5 t3 t4", "t5", 102),
    ],
)
def test_sp_8_to_sp_12_the_worked_examples(there: str, place: str, scored: int) -> None:
    assert last_cube_points(there, place) == scored


@pytest.mark.parametrize(
    ("there", "place", "scored"),
    [
        ("h2 i2", "j2", 3 + 2 + 2),  # across
        ("h2 h3", "h4", 3 + 2 + 2),  # up
        ("c2 d3", "e4", 1 + 1 + 1),  # one diagonal
        ("i1 h2", "g3", 2 + 3 + 2),  # the other
        ("l2 m2", "n2", 2 + 5 + 3),  # over the border of two zones
        ("h2 j2", "i2", 3 + 2 + 2),  # into the middle
        ("h2 j2", "k2", 0),  # with a break
        ("h2", "i2", 0),  # two cubes are not a Spexxx
    ],
)
def test_sp_8_three_own_cubes_without_a_break_are_a_spexxx(there: str, place: str, scored: int) -> None:
    assert last_cube_points(there, place) == scored


def test_sp_8_a_place_without_a_square_breaks_a_line() -> None:
    """The diagonal q9 r8 . t6 u5 has no square s7."""
    assert last_cube_points("q9 r8 u5", "t6") == 0


def test_sp_8_another_seats_cube_breaks_a_line() -> None:
    state = play_notations(
        start_state(spexxx_ruleset()),
        FIVE_ONES,
        "h2",
        FIVE_ONES,
        "j2",
        FIVE_ONES,
        "i2",
        FIVE_ONES,
        "x1",
        FIVE_ONES,
        "k2",
        FIVE_ONES,
        "x3",
        FIVE_ONES,
        "l2",
    )
    assert state.scores == (0, 0)


def test_sp_9_one_cube_scores_in_all_four_directions() -> None:
    there = "h1 i1 j2 j3 h3 i2 l3 k2"
    assert last_cube_points(there, "j1") == 4 * (2 + 2 + 2)
    before = state_with_cubes(there, "j1")
    assert play_notations(before, FIVE_ONES, "j1").parts[0][0].count == before.parts[0][0].count + 4


def test_sp_9_one_cube_earns_the_bonus_in_each_direction() -> None:
    assert (
        last_cube_points("h3 i3 k3 l3 j1 j2 j4 j5", "j3") == (2 + 3 + 2 + 2 + 2) + (2 + 2 + 2 + 3 + 2) + 5 + 5
    )


@pytest.mark.parametrize(
    ("there", "place", "scored"),
    [
        ("s2 u2 v2 w2", "x2", 12),  # only the placed cube
        ("b1 c1 d1 f1", "e1", 1 + 1 + 5),  # joins a single cube on, the line reaches five
        ("b1 c1 d1 f1 g1", "e1", 1 + 1 + 3 + 5),  # joins a pair on
        ("b1 c1 f1", "d1", 3),  # a single cube after a break does not belong to the line
        ("b1 c1 d1 f1 g1 h1", "e1", 1 + 5),  # between two Spexxx
        ("h1 i1 j1 j2", "j3", 2 + 2 + 2),  # j1 is in a Spexxx already, but of another direction
    ],
)
def test_sp_10_only_cubes_new_to_a_line_score(there: str, place: str, scored: int) -> None:
    assert last_cube_points(there, place) == scored


def test_sp_10_two_lines_joined_are_one() -> None:
    before = state_with_cubes("g5 h5 i5 k5 l5 m5", "j5")
    after = play_notations(before, FIVE_ONES, "j5")
    assert (before.parts[0][0].count, after.parts[0][0].count) == (2, 1)


CROWDED_CELLS = [read_cell(f"{column}{row}", 24, 12) for column in "ghijklmnop" for row in range(1, 7)]


@scale_examples(2)
@given(order=st.lists(st.sampled_from(CROWDED_CELLS), unique=True, max_size=len(CROWDED_CELLS)))
def test_sp_10_line_points_depend_on_the_final_position_alone(order: list[int]) -> None:
    """Each cube scores once per direction in which it lies in a Spexxx, in any order of placing."""
    board = spexxx_ruleset()
    cubes = counted = scored = lines = 0
    for place in order:
        gain = cube_gain(board, cubes, counted, place)
        cubes |= 1 << place
        counted |= gain.block
        scored += gain.line_points
        lines += sum(1 - line.taken_up for line in gain.lines)
    runs = [run for dx, dy in DIRECTIONS for run in unbroken_runs(set(order), dx, dy) if len(run) >= 3]
    assert scored == sum(board.points[x + 24 * y] for run in runs for x, y in run)
    assert lines == len(runs)


def unbroken_runs(cells: set[int], dx: int, dy: int) -> list[list[tuple[int, int]]]:
    """Return all unbroken runs of cells in a direction, computed square by square."""
    squares = {(place % 24, place // 24) for place in cells}
    unbroken = []
    for x, y in squares:
        if (x - dx, y - dy) not in squares:
            run = [(x, y)]
            while (run[-1][0] + dx, run[-1][1] + dy) in squares:
                run.append((run[-1][0] + dx, run[-1][1] + dy))
            unbroken.append(run)
    return unbroken


def test_sp_11_every_five_cubes_of_a_line_earn_the_bonus_and_none_between() -> None:
    row = [f"{column}1" for column in "bcdefghijklmnopqrstuvwx"]
    bonuses = []
    for length in range(1, 24):
        state = state_with_cubes(" ".join(row[:length]))
        bonuses.append(state.parts[0][1].count)
        assert state.parts[0][1].points == 5 * bonuses[-1]
    assert bonuses == [0] * 4 + [1] * 5 + [2] * 5 + [3] * 5 + [4] * 4


@pytest.mark.parametrize(
    ("left", "right", "bonus"),
    [(2, 2, 1), (4, 4, 1), (5, 5, 1), (6, 7, 1), (4, 5, 1), (9, 9, 2), (12, 12, 3), (5, 3, 0)],
)
def test_sp_11_joined_lines_earn_the_bonuses_that_the_longer_one_did_not_have(
    left: int, right: int, bonus: int
) -> None:
    """The board has columns of thirty squares; lines of 12 and 12 earn the bonus for 25."""
    document = spexxx_ruleset().document
    tall = SpexxxRuleset.from_document(
        {**document, "tables": {**document["tables"], "board": ["******"] * 30}}, "tall"
    )
    squares = [read_cell(f"a{row}", 6, 30) for row in range(1, left + right + 2)]
    middle = squares.pop(left)
    gain = cube_gain(tall, sum(1 << square for square in squares), 0, middle)
    assert gain.bonus == bonus


EIGHT_OF_NINE = "o3 p3 q3 o4 p4 q4 o5 p5"


def test_sp_12_a_block_of_nine_earns_the_bonus_on_top_of_all_else() -> None:
    """q5 ends a row, a column and the gold diagonal o3 p4 q5."""
    assert last_cube_points(EIGHT_OF_NINE, "q5") == (5 + 5 + 3) + (5 + 5 + 3) + (3 + 3 + 3) + 25
    assert play_notations(state_with_cubes(EIGHT_OF_NINE, "q5"), FIVE_ONES, "q5").parts[0][2] == ScorePart(
        "block-bonus", 1, 25
    )


def test_sp_12_a_block_that_shares_a_square_with_a_counted_one_does_not_count() -> None:
    state = state_with_cubes(f"{EIGHT_OF_NINE} q5 r3 r4 r5")
    assert state.seats[0].blocks == 1


def test_sp_12_of_two_blocks_at_once_the_lowest_left_counts() -> None:
    state = state_with_cubes("o3 p3 q3 r3 o4 q4 r4 o5 p5 q5 r5 p4")
    assert state.seats[0].blocks == 1
    assert list(iter_cells(state.seats[0].counted)) == [
        read_cell(f"{c}{r}", 24, 12) for r in (3, 4, 5) for c in "opq"
    ]


def test_sp_12_a_complete_block_that_was_not_counted_does_not_obstruct() -> None:
    """The block at p3 was complete and not counted; the one at r3 shares r3, r4 and r5 with it."""
    state = state_with_cubes("o3 p3 q3 r3 o4 q4 r4 o5 p5 q5 r5 p4 s3 s4 s5 t3 t4 t5")
    assert state.seats[0].blocks == 2


def test_sp_12_a_block_has_nine_squares_of_the_board() -> None:
    assert all(block.bit_count() == 9 for blocks in spexxx_ruleset().blocks for block in blocks)
    assert not spexxx_ruleset().blocks[read_cell("c2", 24, 12)]  # d1 to f3 is the lowest block in orange
