"""The kernel of Spexxx: it makes the arrays for compiled code, calls it, and returns what it has written."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from engine.errors import InvalidError
from engine.games.spexxx.dice import FIRST_THROW
from engine.games.spexxx.kernel.dice_rolls import Turns
from engine.games.spexxx.kernel.games import play_games
from engine.games.spexxx.kernel.learned import make_learned_player
from engine.games.spexxx.kernel.learned_games import play_games_with_learned
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
    Position,
    clone_boards,
    pack_state,
    unpack_state,
)
from engine.games.spexxx.kernel.rules import POTENTIAL_WEIGHT, discard_cube, list_legal_actions, place_cube
from engine.games.spexxx.kernel.square_values import make_builder_plan
from engine.games.spexxx.kernel.tables import LANES, make_tables
from engine.games.spexxx.kernel.turns import solve_turn
from engine.games.spexxx.kernel.workspace import (
    BUILDER,
    GREEDY,
    LEARNED,
    NOISY,
    RANDOM,
    Results,
    SeatStrategies,
    make_workspace,
)
from engine.games.spexxx.learned_values import read_learned_values
from engine.games.spexxx.rules import SpexxxState, start_state
from engine.games.spexxx.ruleset import DISCARD_ACTION, FIRST_PLACEMENT, SpexxxRuleset
from engine.games.spexxx.turn import THROW_SCALE
from engine.kernels.contract import Batch, Kernel
from engine.kernels.results import first_plies, join_logs, make_batch, make_log_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine.games.spexxx.kernel.learned import LearnedPlayer
    from engine.kernels.contract import IntArray
    from engine.luck import Source
    from engine.state import State
    from engine.strategy import Player

MAX_THROWS: Final = 4
"""Throws of a turn that can be solved in 64 bits."""
GAMES_PER_CALL: Final = 2048
"""Games of one call of compiled code. They bound the room for a log."""


class SpexxxKernel(Kernel):
    """Spexxx under one ruleset, compiled."""

    ruleset: SpexxxRuleset
    strategies: ClassVar[tuple[str, ...]] = ("random", "greedy", "noisy", "builder", "rollout", "learned")

    def __init__(self, ruleset: SpexxxRuleset) -> None:
        super().__init__(ruleset)
        if ruleset.options.throws > MAX_THROWS:
            raise InvalidError(
                f"{ruleset.name}: options.throws: compiled games have at most {MAX_THROWS} throws in a turn, "
                f"not {ruleset.options.throws}"
            )
        self._tables = make_tables(ruleset)

    def play(
        self, seatings: Sequence[Sequence[Player]], seed: int, blocks: Sequence[int], *, logged: bool
    ) -> Batch:
        return self._play_batch(self.pack(start_state(self.ruleset)), seatings, seed, blocks, logged=logged)

    def play_from_packed(
        self, packed: Position, seating: Sequence[Player], seed: int, blocks: Sequence[int], *, logged: bool
    ) -> Batch:
        return self._play_batch(packed, [seating], seed, blocks, logged=logged)

    def decide(self, state: State, player: Player, source: Source) -> int:
        """Play this turn to its end: its first ply is the decision."""
        luck = source.luck
        seatings = [[player] * self.ruleset.players]
        results = self._play_compiled(
            self.pack(state),
            self._make_seat_strategies(seatings),
            luck.seed,
            [luck.block],
            logged=True,
            turns=1,
            index=source.index,
        )
        return int(results.log.action[0])

    def candidates(self, state: State, most: int) -> list[int]:
        """Return the actions that are worth most in the turn as a builder solves it.

        Of equal ones a square comes before a keep, as in the solved turn.
        """
        worth = self._make_worth_function(self.pack(state))
        return sorted(state.actions, key=lambda action: (-worth(action), action < FIRST_PLACEMENT))[:most]

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

    def _play_batch(
        self,
        position: Position,
        seatings: Sequence[Sequence[Player]],
        seed: int,
        blocks: Sequence[int],
        *,
        logged: bool,
    ) -> Batch:
        """Play about GAMES_PER_CALL games in each call, and join them."""
        strategies = self._make_seat_strategies(seatings)
        step = max(1, GAMES_PER_CALL // len(seatings) // LANES) * LANES
        parts = [
            self._play_compiled(position, strategies, seed, blocks[first : first + step], logged=logged)
            for first in range(0, max(1, len(blocks)), step)
        ]
        tallies = np.concatenate([part.tallies for part in parts])
        plies = np.concatenate([part.plies for part in parts])
        options = self.ruleset.options
        points = tallies[:, :, [TALLY_LINE_POINTS, TALLY_LINE_BONUS, TALLY_BLOCKS, TALLY_DISCARDS]]
        return make_batch(
            np.full(len(plies), self._last_round(position) + 1, dtype=np.int32),
            plies,
            tallies[:, :, [TALLY_LINES, TALLY_LINE_BONUS, TALLY_BLOCKS, TALLY_DISCARDS]],
            points * np.array([1, options.line_bonus, options.block_bonus, 0], dtype=np.int32),
            join_logs([part.log for part in parts]) if logged else None,
        )

    def _last_round(self, position: Position) -> int:
        """Return the round in which the game ends: each cube takes a turn."""
        cubes = int(position.boards.tally[0, :, TALLY_CUBES_LEFT].sum())
        return (
            position.round + (position.thrower + cubes - 1) // self.ruleset.players
            if cubes
            else position.round
        )

    def _make_seat_strategies(self, seatings: Sequence[Sequence[Player]]) -> SeatStrategies:
        """Return the strategies of all seats as arrays."""
        codes = np.array(
            [[self.strategies.index(player.strategy.name) for player in seating] for seating in seatings]
        )
        settings = self.parameter_array(seatings)
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
        """The values learned for this ruleset. Raises InvalidError if there are none."""
        values = np.frombuffer(read_learned_values(self.ruleset), np.int16)
        return make_learned_player(self.ruleset, self._tables, values)

    def _make_learned_player(self) -> LearnedPlayer:
        """Return the learned values with room of their own, because several threads may play by one kernel."""
        learned = self._learned_values
        return learned._replace(
            changes=np.zeros_like(learned.changes), denials=np.zeros_like(learned.denials)
        )

    def _play_compiled(
        self,
        position: Position,
        strategies: SeatStrategies,
        seed: int,
        blocks: Sequence[int],
        *,
        logged: bool,
        turns: int | None = None,
        index: int = 0,
    ) -> Results:
        """Play every seating in every block; the log has no room if nothing is logged.

        At most `turns` turns are played. The draws of the first one begin at `index`.
        """
        tables, players, codes = self._tables, self.ruleset.players, strategies.codes
        # Compiled code writes the potential of the seats into the boards of the start.
        boards = position.boards._replace(potential=position.boards.potential.copy())
        turns_left = position.thrower + np.arange(boards.tally[0, :, TALLY_CUBES_LEFT].sum())
        played = len(turns_left) if turns is None else min(turns, len(turns_left))
        has_random = bool((codes == RANDOM).any())
        games, most_plies = len(blocks) * len(codes), 2 * tables.throws * played * logged
        results = Results(
            tallies=np.zeros((games, players, TALLY_COLUMNS), dtype=np.int32),
            plies=np.zeros(games, dtype=np.int32),
            log=make_log_columns(games * most_plies),
        )
        has_learned = bool((codes == LEARNED).any())
        play = partial(play_games_with_learned, self._make_learned_player()) if has_learned else play_games
        rows = play(
            position._replace(boards=boards),
            tables,
            Turns(
                rounds=(position.round + turns_left // players).astype(np.uint64),
                seats=(turns_left % players).astype(np.uint64),
                faces=np.zeros((LANES, tables.throws, len(turns_left)), dtype=np.uint16),
                words=np.zeros((LANES, tables.throws * has_random, len(turns_left)), dtype=np.uint32),
                played=played,
            ),
            strategies,
            (np.uint64(seed), np.array(blocks, dtype=np.uint64), np.uint64(index)),
            make_workspace(tables, codes, len(turns_left), most_plies),
            results,
        )
        return results._replace(log=first_plies(results.log, rows))

    def pack(self, state: State) -> Position:
        if not isinstance(state, SpexxxState):
            raise TypeError(f"this is no position of Spexxx: {state!r}")
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
        return Position(round_ + (following == 0 and not over), following, 0, 0, after)


KERNEL: Final = SpexxxKernel
