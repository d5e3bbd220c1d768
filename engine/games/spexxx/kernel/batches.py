"""Spexxx compiled: the games of `rules.py`, eight of them side by side.

All games of a ruleset have equally many turns, so LANES games, the same seating under the luck of as many blocks, go
through them in step: a turn is planned (`kernel_plans`, `kernel_rollout`) and solved (`kernel_lanes`) in all of them
at once, then each game plays it by itself (`kernel_rules`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

import numpy as np

from engine.errors import InvalidError
from engine.games.spexxx.dice import FIRST_THROW
from engine.games.spexxx.kernel.dice_rolls import Turns, complete_throw, draw_decision_words, roll_dice
from engine.games.spexxx.kernel.lines import jit_entry, jit_merged
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
    TALLY_SCORE,
    LogColumns,
    Position,
    clone_boards,
    make_boards,
    pack_state,
    unpack_state,
)
from engine.games.spexxx.kernel.rollout import make_workspace, refine_plan
from engine.games.spexxx.kernel.rules import (
    POTENTIAL_WEIGHT,
    copy_lane,
    count_keeps,
    count_open_squares,
    discard_cube,
    list_legal_actions,
    nth_action,
    place_cube,
    place_cube_inlined,
    value_squares,
)
from engine.games.spexxx.kernel.square_values import make_builder_plan, make_noisy_plan
from engine.games.spexxx.kernel.tables import LANES, make_tables
from engine.games.spexxx.kernel.turns import choose_action, solve_turn
from engine.games.spexxx.rules import SpexxxState, start_state
from engine.games.spexxx.ruleset import DISCARD_ACTION, FIRST_PLACEMENT, SpexxxRuleset
from engine.games.spexxx.turn import THROW_SCALE
from engine.kernels.contract import Batch, Kernel, PlyLog
from engine.kernels.luck import number_below
from engine.luck import MAX_DRAWS_PER_DECISION, normal_quantiles

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from engine.kernels.contract import IntArray
    from engine.luck import Source
    from engine.state import State
    from engine.strategy import Player

MAX_THROWS: Final = 4
"""Of a turn that is solved in 64 bits."""
NORMAL_QUANTILES: Final = np.array(normal_quantiles())
GAMES_PER_CALL: Final = 2048
"""Games of one call of compiled code: bounds the room for a log."""

RANDOM, GREEDY, NOISY, BUILDER, ROLLOUT = range(5)
"""Codes of strategies: their places in `SpexxxKernel.strategies`."""

_u64 = np.uint64


@jit_merged
def _write_ply(plies, row, round_, seat, action, options, score):
    plies.round[row] = round_
    plies.seat[row] = seat
    plies.action[row] = action
    plies.options[row] = options
    plies.score[row] = score


@jit_merged
def play_turn(b, t, turns, turn, plan, solved, lane, code, seed, block, throws, hand, index, log, row):
    """SP-2 to SP-4: play a turn to its end in one game, from a hand on the table; return the number of plies.

    `index` is that of the first draw of its first decision.
    """
    round_, seat, before = turns.rounds[turn], turns.seats[turn], row
    logged = log.round.shape[0] > 0
    decision = _u64(0)
    while True:
        if hand < FIRST_THROW:
            hand = complete_throw(b, turns.thrown[lane, throws, turn], hand)
            throws += 1
            if logged:
                _write_ply(log, row, round_, -1, hand, -1, 0)
            row += 1
        keeps, squares = count_keeps(b, hand, throws), count_open_squares(b, t, lane, hand)
        if code != RANDOM:
            luck = (seed, block, round_, index + decision * _u64(MAX_DRAWS_PER_DECISION))
            action = choose_action(
                b, t, plan, solved, lane, seat, hand, keeps, squares, b.throws - throws, luck
            )
        else:
            pick = number_below(_u64(turns.own[lane, decision, turn]), keeps + squares)
            action = nth_action(b, t, lane, hand, keeps, pick)
        decision += _u64(1)
        number = np.int64(action)
        if action >= FIRST_PLACEMENT:
            square = action - _u64(FIRST_PLACEMENT)
            place_cube_inlined(b, t, lane, seat, square)
            number = np.int64(FIRST_PLACEMENT + b.cells[square])
        elif action == DISCARD_ACTION:
            discard_cube(t, lane, seat)
        if logged:
            _write_ply(
                log,
                row,
                round_,
                seat,
                number,
                max(keeps + squares, _u64(1)),
                t.tally[lane, seat, TALLY_SCORE],
            )
        row += 1
        if action >= DISCARD_ACTION:
            return row - before
        hand = action


@jit_merged
def _reset_lanes(b, t, start, lanes, potential, valued):
    """Set all lanes to a position."""
    for seat in range(potential.shape[0]):
        t.potential[seat] = potential[seat]
        if potential[seat] >= 0:
            for square in range(valued.shape[1]):
                for lane in range(lanes):
                    t.worth[seat, square * LANES + lane] = valued[seat, square]
    for lane in range(lanes):
        copy_lane(t, _u64(lane), start, _u64(0))
        if t.outlook.shape[2] > 0:
            rebuild_outlook(b, t, _u64(lane))


@jit_merged
def _make_plan(b, t, turns, turn, code, lanes, settings, weights, quantiles, seed, blocks, room):
    """Plan a turn of any but a random or a greedy seat, in all lanes."""
    seat = turns.seats[turn]
    if code == NOISY:
        for lane in range(lanes):
            make_noisy_plan(
                b,
                t,
                seat,
                _u64(lane),
                settings[0],
                quantiles,
                seed,
                blocks[lane],
                turns.rounds[turn],
                room.plan,
            )
    else:
        make_builder_plan(b, t, seat, weights, room.values, room.plan)
        if code == ROLLOUT:
            for lane in range(lanes):
                refine_plan(b, t, _u64(lane), turns, turn, settings, weights, seed, blocks[lane], room)


@jit_entry
def play_games(
    b,
    t,
    start,
    turns,
    last,
    seated,
    throws,
    hand,
    index,
    seed,
    blocks,
    valued,
    tallies,
    counts,
    scratch,
    log,
    room,
):
    """Play every seating in every block from a position; return the rows of the log.

    Only the first `last` of the turns are played. `index`: of the first draw of the first turn. `blocks`: (blocks,). `valued`: (seatings, seats, squares), room for
    the values at the start. Filled in by game: `tallies`, (games, seats, TALLY), and `counts` of plies. `scratch` has
    room for the plies of seatings x LANES games, the same for each; nothing is logged if it has none.
    """
    codes = seated.codes
    seatings, rows = codes.shape[0], 0
    space = scratch.round.shape[0] // (seatings * LANES)
    for seating in range(seatings):
        value_squares(b, start, seated.potentials[seating], valued[seating])
    for first in range(0, blocks.shape[0], LANES):
        lanes = min(LANES, blocks.shape[0] - first)
        for lane in range(lanes):
            roll_dice(turns, 0, seed, blocks[first + lane], turns.thrown[lane])
            draw_decision_words(turns, seed, blocks[first + lane], index, turns.own[lane])
        for seating in range(seatings):
            _reset_lanes(b, t, start, lanes, seated.potentials[seating], valued[seating])
            for turn in range(last):
                seat = turns.seats[turn]
                code = codes[seating, seat]
                plan = t.worth[seat] if code == GREEDY else room.plan
                if code != RANDOM:
                    if code != GREEDY:
                        _make_plan(
                            b, t, turns, turn, code, lanes, seated.settings[seating, seat],
                            seated.weights[seating, seat], seated.quantiles, seed, blocks[first:], room,
                        )  # fmt: skip
                    solve_turn(b, plan, room.solved)
                for lane in range(lanes):
                    game = lane * seatings + seating
                    made = first * seatings + game
                    counts[made] += play_turn(
                        b, t, turns, turn, plan, room.solved, _u64(lane), code, seed, blocks[first + lane],
                        0 if turn else throws, _u64(0) if turn else hand, _u64(0) if turn else index,
                        scratch, game * space + counts[made],
                    )  # fmt: skip
            for lane in range(lanes):
                for seat in range(codes.shape[1]):
                    for column in range(TALLY_COLUMNS):
                        tallies[(first + lane) * seatings + seating, seat, column] = t.tally[
                            lane, seat, column
                        ]
        if space:
            for game in range(lanes * seatings):
                rows = _append_log(log, rows, scratch, game * space, counts[first * seatings + game])
    return rows


@jit_merged
def _append_log(log, rows, scratch, first, count):
    """Copy the plies of a game to the end of a log; return the rows then."""
    for i in range(_u64(count)):
        log.round[_u64(rows) + i] = scratch.round[_u64(first) + i]
    for i in range(_u64(count)):
        log.seat[_u64(rows) + i] = scratch.seat[_u64(first) + i]
    for i in range(_u64(count)):
        log.action[_u64(rows) + i] = scratch.action[_u64(first) + i]
    for i in range(_u64(count)):
        log.options[_u64(rows) + i] = scratch.options[_u64(first) + i]
    for i in range(_u64(count)):
        log.score[_u64(rows) + i] = scratch.score[_u64(first) + i]
    return rows + count


class SeatStrategies(NamedTuple):
    """Who plays: arrays of (seatings, seats), the numbers of each player behind."""

    codes: NDArray[np.int64]
    potentials: NDArray[np.int32]
    """What potential is worth to those who play by the greedy player's values; NOT_GREEDY to others."""
    settings: NDArray[np.float64]
    """(seatings, seats, parameters)"""
    weights: NDArray[np.float64]
    """(seatings, seats, weights) Of builders; rollouts play and imagine the builder as it was tuned."""
    quantiles: NDArray[np.float64]
    """Of normal numbers."""


class SpexxxKernel(Kernel):
    """Spexxx under one ruleset, compiled."""

    ruleset: SpexxxRuleset
    strategies: ClassVar[tuple[str, ...]] = ("random", "greedy", "noisy", "builder", "rollout")

    def __init__(self, ruleset: SpexxxRuleset) -> None:
        super().__init__(ruleset)
        if ruleset.options.throws > MAX_THROWS:
            raise InvalidError(
                f"{ruleset.name}: options.throws: compiled games have at most {MAX_THROWS} throws in a turn, "
                f"not {ruleset.options.throws}"
            )
        self._board = make_tables(ruleset)

    def play(
        self, seatings: Sequence[Sequence[Player]], seed: int, blocks: Sequence[int], *, logged: bool
    ) -> Batch:
        return self._play_batch(self.pack(start_state(self.ruleset)), seatings, seed, blocks, logged=logged)

    def play_from_packed(
        self, packed: Position, seating: Sequence[Player], seed: int, blocks: Sequence[int], *, logged: bool
    ) -> Batch:
        return self._play_batch(packed, [seating], seed, blocks, logged=logged)

    def decide(self, state: State, player: Player, source: Source) -> int:
        """Play on to the end of this turn alone: the first ply is the decision."""
        luck = source.luck
        _, _, log = self._play_compiled(
            self.pack(state),
            self._make_seat_strategies([[player] * self.ruleset.players]),
            luck.seed,
            range(luck.block, luck.block + 1),
            logged=True,
            turns=1,
            index=source.index,
        )
        return int(log[2][0])

    def candidates(self, state: State, most: int) -> list[int]:
        """As a builder sees it: the actions that are worth most in the turn solved by its values.

        Of equals it takes a square before a keep, as the turn is solved.
        """
        worth = self._make_worth_function(self.pack(state))
        return sorted(state.actions, key=lambda action: (-worth(action), action < FIRST_PLACEMENT))[:most]

    def _make_worth_function(self, position: Position) -> Callable[[int], float]:
        """Return what an action is worth to a builder, in thousandths of a point."""
        b, players, lying = self._board, self.ruleset.players, position.table
        t = make_boards(b, players, LANES, valued=True, surveyed=True)
        t.grid[:], t.free[:], t.blocks[:], t.tally[:] = lying.grid, lying.free, lying.blocks, lying.tally
        rebuild_outlook(b, t, np.uint64(0))
        weights = np.array(list(self.read_player("builder").parameters.values()))
        space = make_workspace(b, players, 0, imagines=False)
        make_builder_plan(b, t, np.uint64(position.thrower), weights, space.values, space.plan)
        solve_turn(b, space.plan, space.solved)
        squares, to_come = space.plan[::LANES], b.throws - position.throws

        def action_worth(action: int) -> float:
            if action < FIRST_THROW:
                value = int(space.solved.sums[to_come - 1, action * LANES] * b.ways[action])
                return float(value / THROW_SCALE**to_come)
            return (
                float(squares[np.searchsorted(b.cells, action - FIRST_PLACEMENT)])
                if action > DISCARD_ACTION
                else 0.0
            )

        return action_worth

    def _play_batch(
        self,
        position: Position,
        seatings: Sequence[Sequence[Player]],
        seed: int,
        blocks: Sequence[int],
        *,
        logged: bool,
    ) -> Batch:
        """Play AT_ONCE games a call, so that a log has room enough, and put them together."""
        seated = self._make_seat_strategies(seatings)
        step = max(1, GAMES_PER_CALL // len(seatings) // LANES) * LANES
        some = [
            self._play_compiled(position, seated, seed, blocks[first : first + step], logged=logged)
            for first in range(0, max(1, len(blocks)), step)
        ]
        tallies, plies, logs = zip(*some, strict=True)
        log = PlyLog(*map(np.concatenate, zip(*logs, strict=True))) if logged else None
        return self._make_batch(position, np.concatenate(tallies), np.concatenate(plies), log)

    def _make_seat_strategies(self, seatings: Sequence[Sequence[Player]]) -> SeatStrategies:
        codes = np.array(
            [[self.strategies.index(one.strategy.name) for one in seating] for seating in seatings]
        )
        settings = self.parameter_array(seatings)
        as_tuned = list(self.read_player("builder").parameters.values())
        builders = (codes == BUILDER)[:, :, None]
        return SeatStrategies(
            codes,
            np.where((codes == GREEDY) | (codes == NOISY), POTENTIAL_WEIGHT, NOT_GREEDY).astype(np.int32),
            settings,
            np.where(builders, settings[:, :, : len(as_tuned)], as_tuned),
            NORMAL_QUANTILES,
        )

    def _play_compiled(
        self,
        position: Position,
        seated: SeatStrategies,
        seed: int,
        blocks: Sequence[int],
        *,
        logged: bool,
        turns: int | None = None,
        index: int = 0,
    ) -> tuple[IntArray, IntArray, list[NDArray[Any]]]:
        """Return tallies, numbers of plies and, if they are wanted, the columns of the log.

        At most `turns` turns are played; the draws of the first begin at `index`.
        """
        b, players, (round_, thrower, throws, dice, lying) = self._board, self.ruleset.players, position
        lying = lying._replace(potential=lying.potential.copy())  # values at the start are noted in it
        codes = seated.codes
        turn = thrower + np.arange(lying.tally[0, :, TALLY_CUBES_LEFT].sum())
        last = len(turn) if turns is None else min(turns, len(turn))
        to_play = Turns(
            (round_ + turn // players).astype(np.uint64),
            (turn % players).astype(np.uint64),
            np.zeros((LANES, b.throws, len(turn)), dtype=np.uint16),
            np.zeros((LANES, b.throws * bool((codes == RANDOM).any()), len(turn)), dtype=np.uint32),
        )
        games, most = len(blocks) * len(codes), 2 * b.throws * last * logged
        tallies, counts = (
            np.zeros((games, players, TALLY_COLUMNS), dtype=np.int32),
            np.zeros(games, dtype=np.int32),
        )
        scratch, log = LogColumns.allocate(len(codes) * LANES * most), LogColumns.allocate(games * most)
        rows = play_games(
            b, make_boards(b, players, LANES, valued=True, surveyed=bool((codes >= BUILDER).any())), lying, to_play,
            last, seated, throws, np.uint64(dice), np.uint64(index), np.uint64(seed), np.array(blocks, dtype=np.uint64),
            np.zeros((*codes.shape, len(b.cells)), dtype=np.int32), tallies, counts, scratch, log,
            make_workspace(b, players, len(turn), imagines=bool((codes == ROLLOUT).any())),
        )  # fmt: skip
        return tallies, counts, [column[:rows] for column in log]

    def _make_batch(
        self, position: Position, tallies: IntArray, plies: IntArray, log: PlyLog | None
    ) -> Batch:
        options, scores = self.ruleset.options, tallies[:, :, TALLY_SCORE]
        left = int(position.table.tally[0, :, TALLY_CUBES_LEFT].sum())
        last = (
            position.round + (position.thrower + left - 1) // self.ruleset.players if left else position.round
        )
        counts = tallies[:, :, [TALLY_LINES, TALLY_LINE_BONUS, TALLY_BLOCKS, TALLY_DISCARDS]]
        points = tallies[:, :, [TALLY_LINE_POINTS, TALLY_LINE_BONUS, TALLY_BLOCKS, TALLY_DISCARDS]]
        return Batch(
            np.full(len(plies), last + 1, dtype=np.int32),
            plies,
            scores,
            (1 + (scores[:, None, :] > scores[:, :, None]).sum(axis=2)).astype(np.uint8),
            counts,
            points * np.array([1, options.line_bonus, options.block_bonus, 0], dtype=np.int32),
            log,
        )

    def pack(self, state: State) -> Position:
        if not isinstance(state, SpexxxState):
            raise TypeError(f"no position of Spexxx: {state!r}")
        return pack_state(self._board, state)

    def unpack(self, packed: Position) -> SpexxxState:
        return unpack_state(self._board, self.ruleset, packed)

    def actions(self, packed: Position) -> IntArray:
        b, hand = self._board, packed.dice
        if packed.is_over:
            return np.zeros(0, dtype=np.int32)
        if hand < FIRST_THROW:
            outcomes = np.array([hand])
            while outcomes[0] < FIRST_THROW:
                outcomes = np.unique(b.plus[outcomes])
            return outcomes.astype(np.int32)
        found = np.zeros(b.keeps.shape[1] + len(b.cells), dtype=np.int32)
        return found[: list_legal_actions(b, packed.table, np.uint64(hand), packed.throws, found)]

    def apply_action(self, packed: Position, action: int) -> Position:
        round_, thrower, throws, _, before = packed
        if packed.dice < FIRST_THROW:
            return packed._replace(throws=throws + 1, dice=action)
        if action < FIRST_THROW:
            return packed._replace(dice=action)
        after = clone_boards(before)
        if action == DISCARD_ACTION:
            discard_cube(after, np.uint64(0), np.uint64(thrower))
        else:
            square = np.searchsorted(self._board.cells, action - FIRST_PLACEMENT)
            place_cube(self._board, after, np.uint64(0), np.uint64(thrower), np.uint64(square))
        following = (thrower + 1) % self.ruleset.players
        over = not after.tally[0, following, TALLY_CUBES_LEFT]
        return Position(round_ + (following == 0 and not over), following, 0, 0, after)


KERNEL = SpexxxKernel
