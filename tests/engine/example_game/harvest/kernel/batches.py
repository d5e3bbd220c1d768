"""Harvest, compiled: a plain kernel to copy for a new game. See docs/new-game.md, "A kernel, step by step".

It uses arrays and loops only. The file has three parts: the arrays (what stays the same during a game, a position, the
room to work in), the compiled functions (first the rules, then the strategies, then the loop that plays the games), and
the class that connects them with the rest of the project.

Compiled functions allocate nothing: every array that they write comes from Python. In random draws all numbers are
uint64, because Numba turns a sum of a signed and an unsigned number into a float.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

import numpy as np

from engine.actions import CHANCE
from engine.errors import InvalidError
from engine.kernels.compiling import jit_entry, jit_internal
from engine.kernels.contract import Kernel
from engine.kernels.luck import counter_key, normal_number, number_below, random_word
from engine.kernels.ply_log import write_ply
from engine.kernels.results import keep_plies, make_results
from engine.luck import PURPOSE_DICE, PURPOSE_STRATEGY, normal_quantiles
from tests.engine.example_game.harvest.rules import HarvestState

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.kernels.contract import BatchLuck, Seatings
    from engine.kernels.results import IntArray, Results
    from engine.state import State
    from tests.engine.example_game.harvest.ruleset import HarvestRuleset

# Places in Position.turn
TURN_ROUND: Final = 0
TURN_PLAYER: Final = 1
TURN_ROLL: Final = 2

# Codes of strategies: their places in HarvestKernel.strategies
RANDOM: Final = 0
GREEDY: Final = 1
NOISY: Final = 2

NOBODY: Final = -1
NO_ROLL: Final = -1


# ---------------------------------------------------------------------------------------------------------- arrays


class Tables(NamedTuple):
    """Everything that stays the same during the games of one ruleset."""

    players: int
    rows: int
    columns: int
    rounds: int
    pair_points: int
    pass_action: int
    values: NDArray[np.int64]
    """(fields,) number of each field, by cell index."""
    neighbours: NDArray[np.int64]
    """(fields, 4) cells that share an edge; -1 where there are fewer."""
    quantiles: NDArray[np.float64]
    """Quantiles of the normal distribution, from `engine.luck`."""


class Position(NamedTuple):
    """A position."""

    turn: NDArray[np.int64]
    """(3,) round, seat whose turn it is, and row that the die shows; NO_ROLL before the roll."""
    owners: NDArray[np.int64]
    """(fields,) seat of each field, or NOBODY."""


class Workspace(NamedTuple):
    """Room for a game and its decisions."""

    position: Position
    """The game that is played."""
    actions: NDArray[np.int64]
    """(actions,) the legal actions of one decision."""
    gains: NDArray[np.float64]
    """(actions,) what each of them is worth."""


def make_tables(ruleset: HarvestRuleset) -> Tables:
    """Return the tables of a ruleset."""
    neighbours = np.full((len(ruleset.values), 4), -1, np.int64)
    for cell, others in enumerate(ruleset.neighbours):
        neighbours[cell, : len(others)] = others
    return Tables(
        players=ruleset.players,
        rows=ruleset.rows,
        columns=ruleset.columns,
        rounds=ruleset.options.rounds,
        pair_points=ruleset.options.pair_points,
        pass_action=ruleset.pass_action,
        values=np.array(ruleset.values, np.int64),
        neighbours=neighbours,
        quantiles=np.array(normal_quantiles()),
    )


# ------------------------------------------------------------------------------------------------------- the rules


@jit_internal
def is_over(position, tables):
    """HV-4: return whether the last round has ended."""
    return position.turn[TURN_ROUND] == tables.rounds


@jit_entry
def list_actions(position, tables, actions):
    """HV-2, HV-3: write the legal actions to `actions`, ascending; return how many there are."""
    if is_over(position, tables):
        return 0
    roll = position.turn[TURN_ROLL]
    if roll == NO_ROLL:
        for row in range(tables.rows):
            actions[row] = row
        return tables.rows
    count = 0
    for cell in range(roll * tables.columns, (roll + 1) * tables.columns):
        if position.owners[cell] == NOBODY:
            actions[count] = tables.rows + cell
            count += 1
    if count == 0:
        actions[0] = tables.pass_action
        count = 1
    return count


@jit_entry
def play_ply(position, tables, action):
    """Play a legal action, in place. HV-2 to HV-4."""
    turn = position.turn
    if turn[TURN_ROLL] == NO_ROLL:
        turn[TURN_ROLL] = action
        return
    if action != tables.pass_action:
        position.owners[action - tables.rows] = turn[TURN_PLAYER]
    turn[TURN_ROLL] = NO_ROLL
    turn[TURN_PLAYER] += 1
    if turn[TURN_PLAYER] == tables.players:
        turn[TURN_PLAYER] = 0
        turn[TURN_ROUND] += 1


@jit_internal
def roll_die(position, tables, seed, block):
    """HV-2: return the row that the die shows: the same draw as `HarvestState.chance_outcome`."""
    turn = position.turn
    key = counter_key(np.uint64(PURPOSE_DICE), np.uint64(turn[TURN_PLAYER] + 1))
    bits = random_word(seed, block, key, np.uint64(turn[TURN_ROUND]), np.uint64(0))
    return np.int64(number_below(bits, np.uint64(tables.rows)))


@jit_internal
def count_pairs(position, tables, cell, seat):
    """HV-5: return how many neighbours of a field belong to a seat."""
    pairs = 0
    for k in range(4):
        other = tables.neighbours[cell, k]
        if other >= 0 and position.owners[other] == seat:
            pairs += 1
    return pairs


@jit_internal
def count_parts(position, tables, seat):
    """HV-5: return a seat's fields, the sum of their numbers, and its pairs."""
    fields = values = pairs = 0
    for cell in range(len(tables.values)):
        if position.owners[cell] == seat:
            fields += 1
            values += tables.values[cell]
            pairs += count_pairs(position, tables, cell, seat)
    return fields, values, pairs // 2  # each pair was counted from both of its fields


@jit_internal
def copy_position(source, target):
    """Make one position equal to another."""
    for i in range(len(source.turn)):
        target.turn[i] = source.turn[i]
    for cell in range(len(source.owners)):
        target.owners[cell] = source.owners[cell]


# -------------------------------------------------------------------------------------------------- the strategies


@jit_internal
def choose_action(position, tables, workspace, code, settings, luck):
    """Return the action that a strategy chooses, and the number of legal actions.

    `luck` is (seed, block, key, round, index) of the decision's first draw. Each strategy draws exactly as its twin in
    `strategies.py` does: the same number of draws, in the same order.
    """
    actions, gains = workspace.actions, workspace.gains
    count = list_actions(position, tables, actions)
    if code == RANDOM:
        return actions[np.int64(number_below(random_word(*luck), np.uint64(count)))], count
    store_gains(position, tables, actions, gains, count)
    if code == GREEDY:
        return choose_greedy(actions, gains, count, random_word(*luck)), count
    return choose_noisy(actions, gains, count, settings[0], tables.quantiles, luck), count


@jit_internal
def store_gains(position, tables, actions, gains, count):
    """Write to `gains` what each action adds to the score of the seat that acts (HV-5)."""
    for n in range(count):
        gains[n] = 0.0
        if actions[n] != tables.pass_action:
            cell = actions[n] - tables.rows
            pairs = count_pairs(position, tables, cell, position.turn[TURN_PLAYER])
            gains[n] = tables.values[cell] + tables.pair_points * pairs


@jit_internal
def choose_greedy(actions, gains, count, bits_of_luck):
    """Return an action with the highest gain; 32 random bits choose among equal ones."""
    most = gains[0]
    for n in range(1, count):
        most = max(most, gains[n])
    tied = 0
    for n in range(count):
        if gains[n] == most:
            tied += 1
    chosen = np.int64(number_below(bits_of_luck, np.uint64(tied)))
    for n in range(count):
        if gains[n] == most:
            if chosen == 0:
                return actions[n]
            chosen -= 1
    return actions[0]


@jit_internal
def choose_noisy(actions, gains, count, sigma, quantiles, luck):
    """Return the action with the highest gain after a normal error on each; the earlier of equal ones."""
    seed, block, key, round_, index = luck
    best, best_worth = 0, 0.0
    for n in range(count):
        bits = random_word(seed, block, key, round_, index + np.uint64(n))
        worth = gains[n] + sigma * normal_number(quantiles, bits)
        if n == 0 or worth > best_worth:
            best, best_worth = n, worth
    return actions[best]


# --------------------------------------------------------------------------------------------------- whole batches


@jit_entry
def play_games(start, tables, strategies, luck, workspace, results, max_plies):
    """Play every seating in every block from one position, at most `max_plies` plies each; return the plies of all games.

    `luck` is a BatchLuck: a seat decides once in a round.
    """
    seed, blocks, first_draw = luck
    position, log = workspace.position, results.log
    row = game = 0
    for block in blocks:
        for seating in range(len(strategies.codes)):
            copy_position(start, position)
            first_row = row
            while not is_over(position, tables) and row - first_row < max_plies:
                round_, player = position.turn[TURN_ROUND], position.turn[TURN_PLAYER]
                if position.turn[TURN_ROLL] == NO_ROLL:
                    action, options, seat = roll_die(position, tables, seed, block), -1, CHANCE
                else:
                    # A seat decides once in a round, so every decision has the same first draw.
                    key = counter_key(np.uint64(PURPOSE_STRATEGY), np.uint64(player + 1))
                    draw = seed, block, key, np.uint64(round_), first_draw
                    code, settings = strategies.codes[seating, player], strategies.settings[seating, player]
                    action, options = choose_action(position, tables, workspace, code, settings, draw)
                    seat = player
                play_ply(position, tables, action)
                if len(log.action) > 0:
                    points = 0
                    if seat != CHANCE:
                        _, values, pairs = count_parts(position, tables, seat)
                        points = values + tables.pair_points * pairs
                    write_ply(log, row, round_, seat, action, options, points)
                row += 1
            store_results(position, tables, results, game, row - first_row)
            game += 1
    return row


@jit_internal
def store_results(position, tables, results, game, plies):
    """Write rounds, plies, counts and points of a finished game."""
    results.rounds[game] = position.turn[TURN_ROUND]
    results.plies[game] = plies
    for seat in range(tables.players):
        fields, values, pairs = count_parts(position, tables, seat)
        counts, points = results.counts[game, seat], results.points[game, seat]
        counts[0], points[0] = fields, values
        counts[1], points[1] = pairs, tables.pair_points * pairs


class HarvestKernel(Kernel):
    """Harvest under one ruleset, compiled."""

    ruleset: HarvestRuleset
    strategies: ClassVar[tuple[str, ...]] = ("random", "greedy", "noisy")

    def __init__(self, ruleset: HarvestRuleset) -> None:
        super().__init__(ruleset)
        self._tables = make_tables(ruleset)

    def pack(self, state: State) -> Position:
        if not isinstance(state, HarvestState) or state.ruleset != self.ruleset:
            raise InvalidError(f"this is not a position of {self.ruleset.name}")
        turn = np.array([state.round, state.player, state.roll], np.int64)
        return Position(turn, np.array(state.owners, np.int64))

    def unpack(self, packed: Position) -> HarvestState:
        round_, player, roll = packed.turn.tolist()
        seat = CHANCE if roll == NO_ROLL else player
        return HarvestState(self.ruleset, round_, seat, player, roll, tuple(packed.owners.tolist()))

    def actions(self, packed: Position) -> IntArray:
        actions = np.empty(self.ruleset.actions_end, np.int64)
        return actions[: list_actions(packed, self._tables, actions)].astype(np.int32)

    def apply_action(self, packed: Position, action: int) -> Position:
        after = Position(*(array.copy() for array in packed))
        play_ply(after, self._tables, action)
        return after

    def play_compiled(
        self, packed: Position, seatings: Seatings, luck: BatchLuck, max_plies: int, *, logged: bool
    ) -> Results:
        tables, games = self._tables, len(seatings) * len(luck[1])
        plies_per_game = 2 * tables.players * tables.rounds  # a roll and an action in every turn
        results = make_results(games, tables.players, 2, games * plies_per_game if logged else 0)
        workspace = Workspace(
            position=Position(*(array.copy() for array in packed)),
            actions=np.empty(self.ruleset.actions_end, np.int64),
            gains=np.empty(self.ruleset.actions_end),
        )
        strategies = self.seat_strategies(seatings)
        plies = play_games(packed, tables, strategies, luck, workspace, results, max_plies)
        return keep_plies(results, plies)


KERNEL: Final = HarvestKernel
"""The name by which `engine.kernels` finds the kernel of a game."""
