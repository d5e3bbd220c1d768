"""The kernel of Spexxx: plays batches of games, LANES of them side by side, and connects the compiled functions with the rules.

All games of a ruleset have equally many turns. So LANES games, the same seating in as many blocks, go through them in
step: a turn is planned (`square_values`, `rollout`) and solved (`turns`) in all of them at once, then each game plays it
by itself (`rules`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

import numpy as np

from engine.errors import InvalidError
from engine.games.spexxx.dice import FIRST_THROW
from engine.games.spexxx.kernel.dice_rolls import (
    LaneGame,
    Turns,
    complete_throw,
    draw_decision_words,
    roll_dice,
)
from engine.games.spexxx.kernel.learned import LearnedPlayer, make_learned_plan, make_learned_player
from engine.games.spexxx.kernel.outlook import rebuild_outlook
from engine.games.spexxx.kernel.position import (
    NOT_GREEDY,
    TALLY_BLOCKS,
    TALLY_COLUMNS,
    TALLY_CUBES_LEFT,
    TALLY_DISCARDS,
    TALLY_LINE_BONUS,
    TALLY_LINE_POINTS,
    TALLY_LINES,
    TALLY_LOST_THROWS,
    TALLY_SCORE,
    Position,
    clone_boards,
    pack_state,
    unpack_state,
)
from engine.games.spexxx.kernel.rollout import refine_plan
from engine.games.spexxx.kernel.rules import (
    POTENTIAL_WEIGHT,
    copy_lane,
    discard_cube,
    list_legal_actions,
    nth_action,
    place_cube,
    place_cube_inlined,
    value_squares,
)
from engine.games.spexxx.kernel.square_values import make_builder_plan, make_noisy_plan
from engine.games.spexxx.kernel.tables import LANES, make_tables
from engine.games.spexxx.kernel.turns import SolvedTurn, choose_action, open_throw, solve_turn
from engine.games.spexxx.kernel.workspace import (
    BUILDER,
    GREEDY,
    LEARNED,
    NOISY,
    RANDOM,
    ROLLOUT,
    SeatStrategies,
    SeatStrategy,
    make_workspace,
)
from engine.games.spexxx.learned_values import read_learned_values
from engine.games.spexxx.rules import SpexxxState
from engine.games.spexxx.ruleset import DISCARD_ACTION, FIRST_PLACEMENT, SpexxxRuleset
from engine.games.spexxx.turn import THROW_SCALE
from engine.kernels.compiling import jit_entry, jit_merged
from engine.kernels.contract import Kernel
from engine.kernels.luck import counter_key, number_below
from engine.kernels.ply_log import write_ply
from engine.kernels.results import keep_plies, make_results
from engine.luck import MAX_DRAWS_PER_DECISION, PURPOSE_STRATEGY

if TYPE_CHECKING:
    from engine.kernels.contract import BatchLuck, Seatings
    from engine.kernels.results import IntArray, Results
    from engine.state import State

_u64 = np.uint64

MAX_THROWS: Final = 4
"""Throws of a turn that can be solved in 64 bits."""


class TurnStart(NamedTuple):
    """Where one game begins a turn."""

    game: LaneGame
    number: int
    """Place in `Turns`."""
    code: np.int64
    """Strategy of the seat."""
    throws: int
    """Throws made already."""
    hand: np.uint64
    """Dice on the table."""
    first_draw: np.uint64
    """Index of the first draw of the first decision."""


@jit_merged
def play_turn(tables, boards, turns, start, turn, log, row):
    """Play a turn to its end in one game (SP-2 to SP-4); return the number of plies.

    `turn` is the solved turn of all lanes. The plies are logged from a row on, unless the log has no room.
    """
    game, number, code, throws, hand, first_draw = start
    lane, seed, block = game
    round_, seat, first_row = turns.rounds[number], turns.seats[number], row
    key = counter_key(_u64(PURPOSE_STRATEGY), seat + _u64(1))
    logged = log.round.shape[0] > 0
    decision = _u64(0)
    while True:
        if hand < FIRST_THROW:
            hand = complete_throw(tables, turns.faces[lane, throws, number], hand)
            throws += 1
            if logged:
                write_ply(log, row, round_, -1, hand, -1, 0)
            row += 1
        throw = open_throw(tables, boards, lane, hand, tables.throws - throws)
        if code != RANDOM:
            luck = (seed, block, key, round_, first_draw + decision * _u64(MAX_DRAWS_PER_DECISION))
            action = choose_action(tables, boards, lane, turn, throw, luck)
        else:
            n = number_below(_u64(turns.words[lane, decision, number]), throw.keeps + throw.squares)
            action = nth_action(tables, boards, lane, hand, throw.keeps, n)
        decision += _u64(1)
        logged_action = np.int64(action)
        if action >= FIRST_PLACEMENT:
            square = action - _u64(FIRST_PLACEMENT)
            place_cube_inlined(tables, boards, lane, seat, square)
            logged_action = np.int64(FIRST_PLACEMENT + tables.cells[square])
        elif action == DISCARD_ACTION:
            discard_cube(boards, lane, seat)
        if logged:
            options = max(throw.keeps + throw.squares, _u64(1))
            write_ply(log, row, round_, seat, logged_action, options, boards.tally[lane, seat, TALLY_SCORE])
        row += 1
        if action >= DISCARD_ACTION:
            return row - first_row
        hand = action


@jit_merged
def _reset_lanes(tables, boards, start, lanes, potential, values):
    """Set the first lanes to a position, with the values of its squares to greedy seats: (seats, squares)."""
    for seat in range(potential.shape[0]):
        boards.potential[seat] = potential[seat]
        if potential[seat] >= 0:
            for square in range(values.shape[1]):
                for lane in range(lanes):
                    boards.worth[seat, square * LANES + lane] = values[seat, square]
    for lane in range(lanes):
        copy_lane(boards, _u64(lane), start, _u64(0))
        if boards.outlook.shape[2] > 0:
            rebuild_outlook(tables, boards, _u64(lane))


@jit_merged
def make_plan(_, tables, turns, number, strategy, seed, blocks, workspace):
    """Plan a turn of a seat that plays noisy, builder or rollout, in a lane for each block."""
    seat = turns.seats[number]
    if strategy.code == NOISY:
        for lane in range(len(blocks)):
            game = LaneGame(_u64(lane), seed, blocks[lane])
            make_noisy_plan(
                tables, workspace.boards, game, seat, turns.rounds[number], strategy.settings[0], workspace
            )
    else:
        make_builder_plan(
            tables, workspace.boards, seat, strategy.weights, workspace.values, workspace.turn.plan
        )
        if strategy.code == ROLLOUT:
            for lane in range(len(blocks)):
                game = LaneGame(_u64(lane), seed, blocks[lane])
                refine_plan(tables, workspace.boards, game, turns, number, strategy, workspace)


@jit_merged
def make_any_plan(learned, tables, turns, number, strategy, seed, blocks, workspace):
    """Plan a turn of a seat that is neither random nor greedy, in a lane for each block."""
    if strategy.code == LEARNED:
        for lane in range(len(blocks)):
            make_learned_plan(
                tables, workspace.boards, learned, _u64(lane), turns.seats[number], workspace.turn.plan
            )
    else:
        make_plan(None, tables, turns, number, strategy, seed, blocks, workspace)


@jit_entry
def play_games(start, tables, turns, strategies, luck, workspace, results):
    """Play games as `play_games_by` does; no seat plays by learned values."""
    return play_games_by(make_plan, None, start, tables, turns, strategies, luck, workspace, results)


@jit_entry
def play_games_with_learned(learned, start, tables, turns, strategies, luck, workspace, results):
    """Play games as `play_games_by` does, with all strategies.

    This is an entry of its own, so that only people who use learned values wait for its compilation.
    """
    return play_games_by(make_any_plan, learned, start, tables, turns, strategies, luck, workspace, results)


@jit_merged
def play_games_by(make_plan, planner, start, tables, turns, strategies, luck, workspace, results):
    """Play every seating in every block from a position; return the number of plies in the log.

    `luck` is the seed, the blocks, and the index of the first draw of the first turn. `make_plan(planner, tables,
    turns, number, strategy, seed, blocks, workspace)` is a compiled function that plans a turn of a seat that is neither
    random nor greedy, in a lane for each block.
    """
    _, _, throws, hand, start_boards = start
    seed, blocks, index = luck
    boards, scratch, values = workspace.boards, workspace.scratch, workspace.start_values
    codes, plies = strategies.codes, results.plies
    seatings, rows = codes.shape[0], 0
    room = scratch.round.shape[0] // (seatings * LANES)
    for seating in range(seatings):
        value_squares(tables, start_boards, strategies.potentials[seating], values[seating])
    for first in range(0, blocks.shape[0], LANES):
        lanes = min(LANES, blocks.shape[0] - first)
        lane_blocks = blocks[first : first + lanes]
        for lane in range(lanes):
            roll_dice(turns, 0, seed, lane_blocks[lane], turns.faces[lane])
            draw_decision_words(turns, seed, lane_blocks[lane], index, turns.words[lane])
        for seating in range(seatings):
            _reset_lanes(tables, boards, start_boards, lanes, strategies.potentials[seating], values[seating])
            for number in range(turns.played):
                seat = turns.seats[number]
                code = codes[seating, seat]
                plan = boards.worth[seat] if code == GREEDY else workspace.turn.plan
                turn = SolvedTurn(plan, workspace.turn.sums, workspace.turn.best)
                if code != RANDOM:
                    if code != GREEDY:
                        strategy = SeatStrategy(
                            code, strategies.settings[seating, seat], strategies.weights[seating, seat]
                        )
                        make_plan(planner, tables, turns, number, strategy, seed, lane_blocks, workspace)
                    solve_turn(tables, turn)
                for lane in range(lanes):
                    in_lanes = lane * seatings + seating
                    game = first * seatings + in_lanes
                    turn_start = TurnStart(
                        LaneGame(_u64(lane), seed, lane_blocks[lane]),
                        number,
                        code,
                        int(boards.tally[lane, seat, TALLY_LOST_THROWS]) if number else throws,
                        _u64(0) if number else _u64(hand),
                        _u64(0) if number else index,
                    )
                    row = in_lanes * room + plies[game]
                    plies[game] += play_turn(tables, boards, turns, turn_start, turn, scratch, row)
            for lane in range(lanes):
                game = (first + lane) * seatings + seating
                for seat in range(codes.shape[1]):
                    for column in range(TALLY_COLUMNS):
                        results.counts[game, seat, column] = boards.tally[lane, seat, column]
        if room:
            for in_lanes in range(lanes * seatings):
                game_plies = plies[first * seatings + in_lanes]
                _append_plies(results.log, rows, scratch, in_lanes * room, game_plies)
                rows += game_plies
    return rows


@jit_merged
def _append_plies(log, row, scratch, first, count):
    """Copy the plies of a game into a log, from a row on. Each loop becomes vector instructions."""
    for i in range(_u64(count)):
        log.round[_u64(row) + i] = scratch.round[_u64(first) + i]
    for i in range(_u64(count)):
        log.seat[_u64(row) + i] = scratch.seat[_u64(first) + i]
    for i in range(_u64(count)):
        log.action[_u64(row) + i] = scratch.action[_u64(first) + i]
    for i in range(_u64(count)):
        log.options[_u64(row) + i] = scratch.options[_u64(first) + i]
    for i in range(_u64(count)):
        log.score[_u64(row) + i] = scratch.score[_u64(first) + i]


class SpexxxKernel(Kernel):
    """Spexxx under one ruleset, compiled."""

    ruleset: SpexxxRuleset
    games_per_call = 2048
    strategies: ClassVar[tuple[str, ...]] = ("random", "greedy", "noisy", "builder", "rollout", "learned")

    def __init__(self, ruleset: SpexxxRuleset) -> None:
        super().__init__(ruleset)
        if ruleset.options.throws > MAX_THROWS:
            raise InvalidError(
                f"{ruleset.name}: options.throws: compiled games have at most {MAX_THROWS} throws in a turn, "
                f"not {ruleset.options.throws}"
            )
        self._tables = make_tables(ruleset)

    def candidates(self, state: State, limit: int) -> list[int]:
        """Return the actions that are worth most in the turn as a builder solves it.

        Of equal ones a square comes before a keep, as in the solved turn.
        """
        worth = self._make_worth_function(self.pack(state))
        return sorted(state.actions, key=lambda action: (-worth(action), action < FIRST_PLACEMENT))[:limit]

    def _make_worth_function(self, position: Position) -> Callable[[int], float]:
        """Return a function that returns the worth of an action to a builder, in thousandths of a point."""
        tables, start = self._tables, position.boards
        workspace = make_workspace(
            tables, np.full((1, self.ruleset.players), BUILDER), turns=0, scratch_plies=0
        )
        boards, turn = workspace.boards, workspace.turn
        boards.grid[:], boards.free[:], boards.blocks[:] = start.grid, start.free, start.blocks
        boards.tally[:] = start.tally
        rebuild_outlook(tables, boards, np.uint64(0))
        weights = np.array(list(self.read_player("builder").parameters.values()))
        make_builder_plan(tables, boards, np.uint64(position.thrower), weights, workspace.values, turn.plan)
        solve_turn(tables, turn)
        values, to_come = turn.plan[::LANES], tables.throws - position.throws

        def action_worth(action: int) -> float:
            if action < FIRST_THROW:
                value = int(turn.sums[to_come - 1, action * LANES] * tables.ways[action])
                return float(value / THROW_SCALE**to_come)
            if action == DISCARD_ACTION:
                return 0.0
            return float(values[np.searchsorted(tables.cells, action - FIRST_PLACEMENT)])

        return action_worth

    def _last_round(self, position: Position) -> int:
        """Return the round in which the game ends: each cube takes a turn."""
        cubes = int(position.boards.tally[0, :, TALLY_CUBES_LEFT].sum())
        return (
            position.round + (position.thrower + cubes - 1) // self.ruleset.players
            if cubes
            else position.round
        )

    def _make_seat_strategies(self, seatings: Seatings) -> SeatStrategies:
        """Return the strategies of all seats as arrays."""
        codes, settings = self.seat_strategies(seatings)
        tuned = list(self.read_player("builder").parameters.values())
        is_builder = (codes == BUILDER)[:, :, None]
        return SeatStrategies(
            codes=codes,
            potentials=np.select(
                [(codes == GREEDY) | (codes == NOISY), codes == LEARNED], [POTENTIAL_WEIGHT, 0], NOT_GREEDY
            ).astype(np.int32),
            settings=settings,
            weights=np.where(is_builder, settings[:, :, : len(tuned)], tuned),
        )

    @cached_property
    def _learned_values(self) -> LearnedPlayer:
        """The values learned for this ruleset. Raises InvalidError if they do not exist."""
        values = np.frombuffer(read_learned_values(self.ruleset), np.int16)
        return make_learned_player(self.ruleset, self._tables, values)

    def _make_learned_player(self) -> LearnedPlayer:
        """Return the learned values with room of their own, because several threads may play by one kernel."""
        learned = self._learned_values
        return learned._replace(
            changes=np.zeros_like(learned.changes), denials=np.zeros_like(learned.denials)
        )

    def play_compiled(
        self, packed: Position, seatings: Seatings, luck: BatchLuck, max_plies: int, *, logged: bool
    ) -> Results:
        """Play at most `max_plies` turns, which are at least as many plies."""
        tables, players, options = self._tables, self.ruleset.players, self.ruleset.options
        strategies = self._make_seat_strategies(seatings)
        codes = strategies.codes
        # Compiled code writes the potential of the seats into the boards of the start.
        boards = packed.boards._replace(potential=packed.boards.potential.copy())
        turns_left = packed.thrower + np.arange(boards.tally[0, :, TALLY_CUBES_LEFT].sum())
        played = min(max_plies, len(turns_left))
        has_random = bool((codes == RANDOM).any())
        games, most_plies = len(luck[1]) * len(codes), 2 * tables.throws * played * logged
        results = make_results(games, players, TALLY_COLUMNS, games * most_plies)
        has_learned = bool((codes == LEARNED).any())
        play = partial(play_games_with_learned, self._make_learned_player()) if has_learned else play_games
        rows = play(
            packed._replace(boards=boards),
            tables,
            Turns(
                rounds=(packed.round + turns_left // players).astype(np.uint64),
                seats=(turns_left % players).astype(np.uint64),
                faces=np.zeros((LANES, tables.throws, len(turns_left)), dtype=np.uint16),
                words=np.zeros((LANES, tables.throws * has_random, len(turns_left)), dtype=np.uint32),
                played=played,
            ),
            strategies,
            luck,
            make_workspace(tables, codes, len(turns_left), most_plies),
            results,
        )
        tallies = results.counts
        results.rounds[:] = self._last_round(packed) + 1
        points = tallies[:, :, [TALLY_LINE_POINTS, TALLY_LINE_BONUS, TALLY_BLOCKS, TALLY_DISCARDS]]
        results = results._replace(
            counts=tallies[:, :, [TALLY_LINES, TALLY_LINE_BONUS, TALLY_BLOCKS, TALLY_DISCARDS]],
            points=points * np.array([1, options.line_bonus, options.block_bonus, 0], dtype=np.int32),
        )
        return keep_plies(results, rows)

    def pack(self, state: State) -> Position:
        if not isinstance(state, SpexxxState):
            raise TypeError(f"this is not a position of Spexxx: {state!r}")
        return pack_state(self._tables, state)

    def unpack(self, packed: Position) -> SpexxxState:
        return unpack_state(self._tables, self.ruleset, packed)

    def actions(self, packed: Position) -> IntArray:
        tables, hand = self._tables, packed.dice
        if packed.is_over:
            return np.zeros(0, dtype=np.int32)
        if hand < FIRST_THROW:
            outcomes = np.array([hand])
            while outcomes[0] < FIRST_THROW:
                outcomes = np.unique(tables.hand_plus_die[outcomes])
            return outcomes.astype(np.int32)
        actions = np.zeros(tables.keeps.shape[1] + len(tables.cells), dtype=np.int32)
        count = list_legal_actions(tables, packed.boards, np.uint64(hand), packed.throws, actions)
        return actions[:count]

    def apply_action(self, packed: Position, action: int) -> Position:
        round_, thrower, throws, hand, before = packed
        if hand < FIRST_THROW:
            return packed._replace(throws=throws + 1, dice=int(action))
        if action < FIRST_THROW:
            return packed._replace(dice=int(action))
        after = clone_boards(before)
        if action == DISCARD_ACTION:
            discard_cube(after, np.uint64(0), np.uint64(thrower))
        else:
            square = np.searchsorted(self._tables.cells, action - FIRST_PLACEMENT)
            place_cube(self._tables, after, np.uint64(0), np.uint64(thrower), np.uint64(square))
        following = (thrower + 1) % self.ruleset.players
        over = not after.tally[0, following, TALLY_CUBES_LEFT]
        lost_throws = int(after.tally[0, following, TALLY_LOST_THROWS])
        return Position(round_ + (following == 0 and not over), following, lost_throws, 0, after)


KERNEL: Final = SpexxxKernel
