"""How the values of the strategy `learned` of Spexxx are learned, compiled: temporal differences in games against itself.

At the start of each turn of a seat, what it could expect after its last cube moves towards what it can expect now: the
mean, over all throws of the solved turn, of the worth of the best square. So no luck of the dice enters (the *expected*
backup: Sutton and Barto, "Reinforcement Learning", 2018, section 6.6). Every value has its own learning rate, which
falls as soon as its errors change sign: temporal coherence (Beal and Smith, "Temporal coherence and prediction decay in
TD learning", IJCAI 1999; in n-tuple networks: Jaskowski, arXiv:1604.05085).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numba import njit

from engine.errors import InvalidError
from engine.games.spexxx.dice import FIRST_THROW, HANDS, equally_likely_throws
from engine.games.spexxx.kernel.batches import TurnStart, play_turn
from engine.games.spexxx.kernel.dice_rolls import LaneGame, Turns, roll_dice
from engine.games.spexxx.kernel.learned import (
    block_state,
    make_learned_plan,
    make_learned_player,
    stage_of,
)
from engine.games.spexxx.kernel.position import TALLY_CUBES_LEFT, TALLY_SCORE, make_boards, pack_state
from engine.games.spexxx.kernel.rules import copy_lane
from engine.games.spexxx.kernel.tables import LANES, make_tables
from engine.games.spexxx.kernel.turns import (
    follow_recipe,
    make_solved_turn,
    solve_turn,
)
from engine.games.spexxx.kernel.workspace import GREEDY
from engine.games.spexxx.learned_values import (
    BLOCK_STATES,
    OTHERS_CUBE,
    OWN_CUBE,
    STAGE_ENDS,
    WINDOW_SIZE,
    make_value_layout,
    rules_hash,
    value_file_name,
)
from engine.games.spexxx.rules import start_state
from engine.games.spexxx.turn import THROW_SCALE
from engine.kernels.bits import lowest_bit
from engine.kernels.compiling import DOCUMENTED_OPTIONS, copy_array, forbid_inlining, jit_internal
from engine.kernels.results import make_log_columns

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from engine.games.spexxx.ruleset import SpexxxRuleset

FIRST_RATE: Final = 0.5
"""Largest learning rate. Several patterns on a board may share a value, so a larger one would overshoot."""
FIRST_GAMES: Final = 504
"""This number of games is played before the first one; they teach only the constants, so that no pattern takes their part."""
CONSTANT_RATES: Final = (0.1, 0.01)
"""Learning rates of the constants, in these games and later."""
CONSTANTS_ONLY: Final = -1.0
"""In place of a learning rate: only the constants are learned."""
COHERENT_SHARE: Final = 0.8
"""Share of the games in which every value has its own learning rate; after them one small rate averages."""
FINAL_RATES: Final = (0.05, 0.015)

_u64 = np.uint64


class Lesson(NamedTuple):
    """What learning changes, and room for it."""

    values: NDArray[np.float64]
    """(values,) in thousandths of a point."""
    errors: NDArray[np.float64]
    """(values,) sum of the errors so far."""
    sizes: NDArray[np.float64]
    """(values,) sum of the sizes of the errors so far."""
    constants: NDArray[np.float64]
    """(cubes left + 1,) what a seat may expect beside the values."""
    features: NDArray[np.int32]
    """(lane, seat, most features) those of the board after each seat's last turn: indices of values."""
    counts: NDArray[np.int64]
    """(lane, seat) number of these features."""
    expected: NDArray[np.float64]
    """(lane,) what the seat may expect after its turn if it places nothing."""
    denials: NDArray[np.float64]
    """(lane, squares)"""
    worths: NDArray[np.int64]
    """(hands x LANES) room for the values of keeps."""
    free: NDArray[np.uint64]
    """(words,)"""
    chances: NDArray[np.float64]
    """(throws,) chance of every throw of five dice."""


def learn_values(
    ruleset: SpexxxRuleset, games: int, seed: int, report: Callable[[int, float], object]
) -> NDArray[np.int16]:
    """Return the values learned in `games` games, (values,), in thousandths of a point.

    `report` is called with the number of games played and the mean score of the latest ones. Raises InvalidError if a
    turn has a single throw.
    """
    if ruleset.options.throws < 2:
        raise InvalidError(f"{ruleset.name}: options.throws: learning needs at least two throws in a turn")
    tables, layout = make_tables(ruleset), make_value_layout(ruleset)
    start = pack_state(tables, start_state(ruleset)).boards
    players, squares = ruleset.players, len(tables.cells)
    turns_left = np.arange(start.tally[0, :, TALLY_CUBES_LEFT].sum())
    throws = list(equally_likely_throws(0))
    lesson = Lesson(
        values=np.zeros(layout.end),
        errors=np.zeros(layout.end),
        sizes=np.zeros(layout.end),
        constants=np.zeros(ruleset.cubes + 1),
        features=np.zeros((LANES, players, len(layout.windows) + len(layout.blocks)), np.int32),
        counts=np.zeros((LANES, players), np.int64),
        expected=np.zeros(LANES),
        denials=np.zeros((LANES, squares)),
        worths=np.zeros(len(HANDS) * LANES, np.int64),
        free=np.zeros(start.free.shape[1], np.uint64),
        chances=np.bincount(throws, minlength=len(HANDS))[FIRST_THROW:] / len(throws),
    )
    learned = make_learned_player(ruleset, tables, lesson.values, np.float64)  # type: ignore[arg-type]
    boards = make_boards(tables, players, LANES, with_values=True)
    boards.potential[:] = 0
    turns = Turns(
        rounds=(turns_left // players).astype(np.uint64),
        seats=(turns_left % players).astype(np.uint64),
        faces=np.zeros((LANES, tables.throws, len(turns_left)), np.uint16),
        words=np.zeros((LANES, 0, len(turns_left)), np.uint32),
        played=len(turns_left),
    )
    room = make_solved_turn(tables), make_log_columns(0)
    learn_games(
        start, tables, boards, turns, learned, lesson, room, _u64(seed), 0, FIRST_GAMES, CONSTANTS_ONLY
    )
    stages = learning_stages(games)
    for (first, rate), (end, _) in zip(stages, [*stages[1:], (games, 0.0)], strict=True):
        mean = learn_games(start, tables, boards, turns, learned, lesson, room, _u64(seed), first, end, rate)
        report(end, mean)
    return np.clip(np.rint(lesson.values), -(1 << 15), (1 << 15) - 1).astype("<i2")


def learning_stages(games: int) -> list[tuple[int, float]]:
    """Return the first game of each stage and its learning rate; 0.0 stands for a rate of each value's own.

    >>> learning_stages(100)
    [(0, 0.0), (20, 0.0), (40, 0.0), (60, 0.0), (80, 0.05), (90, 0.015)]
    """
    coherent = int(COHERENT_SHARE * games)
    final = [coherent + n * (games - coherent) // len(FINAL_RATES) for n in range(len(FINAL_RATES))]
    return [(n * coherent // 4, 0.0) for n in range(4)] + list(zip(final, FINAL_RATES, strict=True))


def describe_values(ruleset: SpexxxRuleset) -> tuple[str, dict[str, Any]]:
    """Return the name of the file for a ruleset's values, and what `index.toml` says about its board."""
    return value_file_name(ruleset), {"rules_sha256": rules_hash(ruleset)}


@njit(**DOCUMENTED_OPTIONS)  # not in the cache of compiled games, which does not see changes of these
def learn_games(start, tables, boards, turns, learned, lesson, room, seed, first, end, rate):
    """Learn from the games from `first` on, LANES at once, until `end` are played; return the mean score."""
    turn, log = room
    players = boards.potential.shape[0]
    total = games = 0
    while first + games < end:
        for lane in range(_u64(LANES)):
            copy_lane(boards, lane, start, _u64(0))
            roll_dice(turns, 0, seed, _u64(first + games) + lane, turns.faces[lane])
        boards.worth[:] = 0
        lesson.counts[:] = 0
        for number in range(turns.played):
            seat = turns.seats[number]
            left = np.int64(boards.tally[0, seat, TALLY_CUBES_LEFT])
            for lane in range(_u64(LANES)):
                lesson.expected[lane] = make_learned_plan(tables, boards, learned, lane, seat, turn.plan)
                copy_array(learned.denials, lesson.denials[lane])
            solve_turn(tables, turn)
            store_best_keeps(tables, turn, lesson)
            for lane in range(_u64(LANES)):
                copy_array(boards.free[lane], lesson.free)
                target = lesson.expected[lane] + turn_worth(tables, turn, lesson, lane)
                target += lesson.constants[left - 1]
                game = LaneGame(_u64(lane), seed, _u64(first + games) + lane)
                turn_start = TurnStart(game, number, np.int64(GREEDY), 0, _u64(0), _u64(0))
                play_turn(tables, boards, turns, turn_start, turn, log, 0)
                for i in range(lesson.free.shape[0]):
                    filled = lesson.free[i] & ~boards.free[lane, i]
                    if filled:
                        square = _u64(64) * _u64(i) + lowest_bit(filled)
                        target += (
                            learned.denial_percent * lesson.denials[lane, square] // (100 * (players - 1))
                        )
                if number >= players:
                    move_values(lesson, lane, seat, left, target, rate)
                store_features(boards, learned, lesson, lane, seat, left - 1)
        for lane in range(_u64(LANES)):
            for player in range(players):
                total += boards.tally[lane, player, TALLY_SCORE]
        games += LANES
    return total / np.float64(max(games * players, 1))


@jit_internal
def store_best_keeps(tables, turn, lesson):
    """Write to `lesson.worths` the value of the best keep of each throw, with all further throws to come, in all lanes."""
    forbid_inlining()
    sums = turn.sums[tables.throws - 2]
    for hand in range(_u64(FIRST_THROW)):
        for lane in range(_u64(LANES)):
            i = hand * _u64(LANES) + lane
            turn.best[i] = sums[i] * tables.ways[hand]
    follow_recipe(tables.keep_recipe, turn.best, turn.best)
    follow_recipe(tables.throw_recipe, lesson.worths, turn.best)


@jit_internal
def turn_worth(tables, turn, lesson, lane):
    """Return the mean worth of a turn before its first throw, in thousandths of a point."""
    scale = 1
    for _ in range(tables.throws - 1):
        scale *= THROW_SCALE
    stops = _u64((tables.rows - lesson.chances.shape[0]) * LANES)
    total = 0.0
    for throw in range(_u64(lesson.chances.shape[0])):
        stop = np.int64(turn.plan[stops + throw * _u64(LANES) + lane]) * scale
        keep = lesson.worths[(_u64(FIRST_THROW) + throw) * _u64(LANES) + lane]
        total += lesson.chances[throw] * max(stop, keep)
    return total / scale


@jit_internal
def store_features(boards, learned, lesson, lane, seat, left):
    """Write the patterns on a board as a seat sees them. A window or a block without cubes has the value 0."""
    forbid_inlining()
    features, grid, mine = lesson.features[lane, seat], boards.grid[lane], np.int8(seat + _u64(1))
    count = 0
    stage = stage_of(left)
    first = stage * learned.values_of_stage
    if left > 0:
        for w in range(learned.window_spots.shape[0]):
            pattern, place = 0, 1
            for i in range(WINDOW_SIZE):
                content = grid[learned.window_spots[w, i]]
                if content > 0:
                    pattern += place * (OWN_CUBE if content == mine else OTHERS_CUBE)
                place *= 3
            if pattern:
                features[count] = first + learned.window_values_at[w] + pattern
                count += 1
        blocks = learned.block_spots.shape[0]
        first = lesson.values.shape[0] - (len(STAGE_ENDS) + 1 - stage) * blocks * BLOCK_STATES
        for block in range(blocks):
            state = block_state(boards, learned, lane, seat, block)
            if state:
                features[count] = first + block * BLOCK_STATES + state
                count += 1
    lesson.counts[lane, seat] = count


@jit_internal
def move_values(lesson, lane, seat, left, target, rate):
    """Move the values of a seat's features, and the constant, so that their sum comes nearer to a target."""
    forbid_inlining()
    features, count = lesson.features[lane, seat], lesson.counts[lane, seat]
    error = target - lesson.constants[left]
    for n in range(count):
        error -= lesson.values[features[n]]
    if rate == CONSTANTS_ONLY:
        lesson.constants[left] += CONSTANT_RATES[0] * error
        return
    lesson.constants[left] += CONSTANT_RATES[1] * error
    for n in range(count):
        feature = features[n]
        own_rate = rate
        if rate == 0.0:
            own_rate = FIRST_RATE
            if lesson.sizes[feature] > 0.0:
                own_rate = FIRST_RATE * abs(lesson.errors[feature]) / lesson.sizes[feature]
            lesson.errors[feature] += error
            lesson.sizes[feature] += abs(error)
        lesson.values[feature] += own_rate * error / count
