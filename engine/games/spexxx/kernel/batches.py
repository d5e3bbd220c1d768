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
    TALLY_LOST_THROWS,
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
    SeatStrategies,
    make_workspace,
)
from engine.games.spexxx.learned_values import read_learned_values
from engine.games.spexxx.rules import SpexxxState
from engine.games.spexxx.ruleset import DISCARD_ACTION, FIRST_PLACEMENT, SpexxxRuleset
from engine.games.spexxx.turn import THROW_SCALE
from engine.kernels.contract import Kernel
from engine.kernels.results import keep_plies, make_results

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.games.spexxx.kernel.learned import LearnedPlayer
    from engine.kernels.contract import BatchLuck, Seatings
    from engine.kernels.results import IntArray, Results
    from engine.state import State

MAX_THROWS: Final = 4
"""Throws of a turn that can be solved in 64 bits."""


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
