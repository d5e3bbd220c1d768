"""Tests of what the compiled Spexxx does unlike the rules: updated values, games side by side; and of unusual boards.

The tests of all kernels are in `tests/engine/kernels`.
"""

from __future__ import annotations

import copy
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from engine.actions import CHANCE
from engine.catalogue import Catalogue
from engine.errors import InvalidError
from engine.games.spexxx import dice
from engine.games.spexxx.rules import SpexxxState, cube_gain, start_state
from engine.games.spexxx.ruleset import SpexxxRuleset, iter_cells
from engine.games.spexxx.strategies import POTENTIAL_WEIGHT, THOUSANDTHS_PER_POINT, greedy, square_values
from engine.games.spexxx.turn import THROW_SCALE, keep_values
from engine.kernels.code_cache import prepare_numba
from engine.kernels.loader import can_compile_games
from engine.luck import Luck
from engine.notation import format_square
from tests.engine.playing import check_games, make_seating

if TYPE_CHECKING:
    from engine.games.spexxx.kernel.batches import SpexxxKernel
    from engine.games.spexxx.kernel.position import LaneBoards, Position

pytestmark = pytest.mark.skipif(not can_compile_games(), reason="Numba is not installed")

FIVE_ONES = "1 1 1 1 1"
SMALL_BOARD = [
    "YYYYY*RPPPP*",
    "YYYY*YPPPP*P",
    "YYY*YYPPP*PP",
    "YY*YYYPP*PPP",
    "Y*YYYYP*PPPP",
    "*YYYYY*PPPPP",
    "OOOOO*GGGGG*",
    "OOOO*OGGGG*G",
    "OOO*OOGGG*GG",
    "OO*OOOGG*GGG",
    "O*OOOOG*GGGG",
    "*OOOOO*GGGGG",
]
"""A crowded board: half of the squares, so that lines and blocks are made soon."""


def changed_ruleset(
    name: str = "mine", players: int = 2, board: list[str] | None = None, **options: object
) -> SpexxxRuleset:
    """Return the shipped ruleset with another board and other options."""
    document = copy.deepcopy(Catalogue().find_ruleset(f"spexxx-{players}p").document)
    document["name"] = name
    document["options"].update(options)
    if board:
        document["tables"]["board"] = board
    return SpexxxRuleset.from_document(document, f"{name}.toml")


@cache
def compiled_kernel(ruleset: SpexxxRuleset) -> SpexxxKernel:
    prepare_numba()
    from engine.games.spexxx.kernel.batches import SpexxxKernel

    return SpexxxKernel(ruleset)


@pytest.mark.parametrize("names", [("greedy",), ("random", "greedy")], ids="-".join)
@pytest.mark.parametrize(
    ("board", "options"),
    [
        (SMALL_BOARD, {"cubes": {"2": 40}}),
        (SMALL_BOARD, {"cubes": {"2": 40}, "block_bonus": 100, "line_bonus": 0, "throws": 3}),
        (SMALL_BOARD[6:], {"cubes": {"2": 45}}),  # more cubes than squares: discards
        (["#" * 24] * 30, {"cubes": {"2": 60}}),  # 720 squares that are all alike
        (["......"] * 5 + ["#....."], {"cubes": {"2": 3}}),  # one square, mostly nothing is open
        (None, {"throws": 1}),
        (None, {"throws": 2}),
    ],
    ids=["crowded", "blocks", "full", "largest", "one square", "one throw", "two throws"],
)
def test_unusual_rulesets_are_played_by_the_rules(
    board: list[str] | None, options: dict[str, Any], names: tuple[str, ...]
) -> None:
    ruleset = changed_ruleset(board=board, **options)
    players = make_seating(ruleset, *names)
    batch = compiled_kernel(ruleset).play([players], 5, range(3), logged=True)
    check_games(batch, ruleset, players, 5)


def test_crowded_games_have_lines_bonuses_and_blocks() -> None:
    """Without them the test before would prove little."""
    ruleset = changed_ruleset(board=SMALL_BOARD, cubes={"2": 40})
    batch = compiled_kernel(ruleset).play([make_seating(ruleset, "greedy")], 5, range(20), logged=False)
    assert (batch.counts[:, :, :3].sum(axis=(0, 1)) > 20).all()


def test_more_throws_than_64_bits_can_solve_are_refused() -> None:
    with pytest.raises(InvalidError, match=r"^mine: options.throws: .* at most 4 throws in a turn, not 5$"):
        compiled_kernel(changed_ruleset(throws=5))


def test_the_kernel_has_the_constants_of_the_strategies() -> None:
    compiled_kernel(changed_ruleset())
    from engine.games.spexxx.kernel import rules

    assert (rules.THOUSANDTHS_PER_POINT, rules.POTENTIAL_WEIGHT) == (THOUSANDTHS_PER_POINT, POTENTIAL_WEIGHT)


def with_square_values(kernel: SpexxxKernel, position: Position) -> LaneBoards:
    """Return the boards of a position with the values of squares to all seats, for one game."""
    from engine.games.spexxx.kernel.rules import value_squares
    from engine.games.spexxx.kernel.tables import LANES

    seats = kernel.ruleset.players
    values = np.zeros((seats, len(kernel._tables.cells)), dtype=np.int32)
    value_squares(kernel._tables, position.boards, np.full(seats, POTENTIAL_WEIGHT, dtype=np.int32), values)
    worth = np.zeros((seats, kernel._tables.rows * LANES), dtype=np.int32)
    worth[:, : values.shape[1] * LANES : LANES] = values
    return position.boards._replace(worth=worth)


@pytest.mark.parametrize(("board", "seats"), [(SMALL_BOARD, 2), (SMALL_BOARD, 3), (None, 4)])
def test_updated_values_of_squares_equal_newly_computed_ones(board: list[str] | None, seats: int) -> None:
    """After every cube, for every seat; blocks open, count and close among them."""
    from engine.games.spexxx.kernel.tables import LANES

    ruleset = changed_ruleset(players=seats, board=board, cubes={str(seats): 34 if board else 16})
    kernel = compiled_kernel(ruleset)
    from engine.games.spexxx.kernel.rules import place_cube

    state, decide, turn = start_state(ruleset), greedy(), 0
    boards = with_square_values(kernel, kernel.pack(state))
    while not state.is_over:
        if state.seat == CHANCE:
            state = state.play(state.chance_outcome(Luck(8, seats)))
            continue
        turn += 1
        action = decide(state, Luck(turn, 0).source(0, 0, 0))
        seat, after = state.seat, state.play(action)
        if after.free != state.free:
            number = int(np.searchsorted(kernel._tables.cells, next(iter_cells(state.free & ~after.free))))
            place_cube(kernel._tables, boards, np.uint64(0), np.uint64(seat), np.uint64(number))
            fresh = with_square_values(kernel, kernel.pack(after))
            squares = len(kernel._tables.cells) * LANES
            for other in range(seats):
                expected = square_values(ruleset, after.seats, other)[kernel._tables.cells]
                assert boards.worth[other, :squares:LANES].tolist() == expected.tolist()
                assert fresh.worth[other, :squares:LANES].tolist() == expected.tolist()
            assert np.array_equal(np.maximum(boards.blocks, -1), np.maximum(fresh.blocks, -1))
        state = after
    assert any(seat.blocks for seat in state.seats) or not board


def test_a_solved_turn_is_the_same_in_every_lane() -> None:
    """All keeps of all lanes, for values up to the largest that a ruleset can have."""
    kernel = compiled_kernel(changed_ruleset())
    from engine.games.spexxx.kernel.tables import LANES
    from engine.games.spexxx.kernel.turns import make_solved_turn, solve_turn

    tables = kernel._tables
    values = np.random.default_rng(4).integers(0, 3_500_000, (len(tables.cells), LANES), dtype=np.int32)
    values[:, 0] = 0
    values[:, 1] = 3_500_000
    turn = make_solved_turn(tables)
    turn.plan[: values.size] = values.reshape(-1)
    solve_turn(tables, turn)
    matches = np.array(
        [[match >> int(cell) & 1 for cell in tables.cells] for match in kernel.ruleset.matching_squares],
        dtype=bool,
    )
    assert 3_500_000 * THROW_SCALE**3 < 1 << 63
    for lane in range(LANES):
        stopping = np.where(matches, values[:, lane].astype(np.int64), 0).max(axis=1)
        assert turn.plan[-252 * LANES :][lane::LANES].tolist() == stopping.tolist()
        for sums, expected in zip(turn.sums, keep_values(stopping, 3), strict=True):
            keeps = sums[lane : dice.FIRST_THROW * LANES : LANES] * tables.ways
            assert keeps.tolist() == expected.tolist()


def play_notations(kernel: SpexxxKernel, position: Position, *notations: str) -> Position:
    for notation in notations:
        position = kernel.apply_action(position, kernel.ruleset.read_action(notation))
    return position


@pytest.mark.parametrize(
    ("cubes", "square", "points"),
    [
        ("h6 i6 j6 l6 m6", "k6", 15),
        ("s1 t1 u1 v1 w1", "x1", 12),
        ("b1 c1 d1 e1 f1 g1 h1 j1 k1 l1 m1 n1 o1 p1", "i1", 12),
        ("o3 p3 q3 r3 o4 q4 r4 o5 p5 q5 r5", "p4", 78),
        ("o3 p3 q3 r3 o4 q4 r4 o5 p5 q5 r5 p4 s3 s4 s5 t3 t4", "t5", 102),
    ],
)
def test_sp_9_to_sp_12_the_worked_examples_compiled(cubes: str, square: str, points: int) -> None:
    """Seat 0 throws five of a kind for every cube; seat 1 places its cubes in the upper half of the board."""
    kernel = compiled_kernel(changed_ruleset())
    from engine.games.spexxx.kernel.position import TALLY_SCORE

    above = [format_square(cell, 24) for cell in iter_cells(kernel.ruleset.squares) if cell >= 6 * 24]
    position = kernel.pack(start_state(kernel.ruleset))
    scores = []
    for cube, other in zip([*cubes.split(), square], above, strict=False):
        position = play_notations(kernel, position, FIVE_ONES, cube, FIVE_ONES, other)
        scores.append(int(position.boards.tally[0, 0, TALLY_SCORE]))
    assert scores[-1] - scores[-2] == points
    state = kernel.unpack(position)
    assert isinstance(state, SpexxxState)
    assert state.scores[0] == scores[-1]
    assert kernel.unpack(kernel.pack(state)) == state


@pytest.mark.parametrize(("board", "seats"), [(SMALL_BOARD, 2), (SMALL_BOARD, 3), (None, 4)])
def test_the_updated_outlook_equals_a_newly_computed_one(board: list[str] | None, seats: int) -> None:
    """For every seat, after every cube of a game of builders."""
    ruleset = (
        changed_ruleset(players=seats, board=board, cubes={str(seats): 30})
        if board
        else changed_ruleset(players=seats)
    )
    kernel = compiled_kernel(ruleset)
    from engine.games.spexxx.kernel.outlook import rebuild_outlook
    from engine.games.spexxx.kernel.position import make_boards
    from engine.games.spexxx.kernel.rules import place_cube
    from engine.games.spexxx.kernel.tables import LANES

    lane = np.uint64(3)

    def boards_with_outlook(state: SpexxxState) -> LaneBoards:
        packed, boards = (
            kernel.pack(state).boards,
            make_boards(kernel._tables, seats, LANES, with_outlook=True),
        )
        boards.grid[:], boards.free[:], boards.blocks[:] = packed.grid, packed.free, packed.blocks
        rebuild_outlook(kernel._tables, boards, lane)
        return boards

    batch = kernel.play([make_seating(ruleset, "builder")], 8, range(1), logged=True)
    assert batch.log is not None
    state = start_state(ruleset)
    updated = boards_with_outlook(state)
    for action in batch.log.action.tolist():
        seat, after = state.seat, state.play(action)
        if after.free != state.free:
            number = int(np.searchsorted(kernel._tables.cells, next(iter_cells(state.free & ~after.free))))
            place_cube(kernel._tables, updated, lane, np.uint64(seat), np.uint64(number))
            fresh = boards_with_outlook(after)
            assert np.array_equal(updated.outlook, fresh.outlook)
            for other in range(seats):
                for square, cell in enumerate(kernel._tables.cells.tolist()):
                    if after.free >> cell & 1 and square % 5 == 0:
                        own = after.seats[other]
                        now = fresh.outlook[0, other, square * LANES + 3]
                        assert now == cube_gain(ruleset, own.cubes, own.counted, cell).points(ruleset)
        state = after
    assert any(seat.blocks for seat in state.seats) or not board


def test_chances_of_squares_are_the_exact_ones() -> None:
    """In percent, five of a kind included."""
    kernel = compiled_kernel(changed_ruleset())
    from engine.games.spexxx.kernel.tables import CHANCE_SCALE

    expected = {"O": 91.7, "G": 71.0, "Y": 44.6, "B": 37.0, "P": 16.9, "R": 13.8, "*": 75.9, "#": 39.4}
    for cell, spot in zip(kernel._tables.cells, kernel._tables.spots, strict=True):
        chance = 100 * kernel._tables.chances[spot] / CHANCE_SCALE
        assert abs(chance - expected[kernel.ruleset.marks[cell]]) < 0.15
