"""The kernel of Blokus: plays batches of games, and connects the compiled functions with the rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from engine.games.blokus.kernel.mobility import choose_mobility
from engine.games.blokus.kernel.policies import choose_greedy, choose_noisy
from engine.games.blokus.kernel.position import (
    COLOUR_COVERED,
    COLOUR_IS_OUT,
    COLOUR_POINTS,
    TURN_COLOUR,
    TURN_IS_OVER,
    TURN_ROUND,
    Position,
    make_position,
    pack_state,
    unpack_state,
)
from engine.games.blokus.kernel.prior import list_features
from engine.games.blokus.kernel.rules import (
    acting_seat,
    advance_turn,
    attached_plane,
    copy_position,
    count_placements,
    nth_placement,
    place_piece,
    score,
)
from engine.games.blokus.kernel.search import choose_mcts, choose_rollout
from engine.games.blokus.kernel.tables import ORIENTATION_NUMBER, make_tables
from engine.games.blokus.kernel.workspace import (
    SPOT_STRIDE,
    GameWorkspace,
    SearchWorkspace,
    make_search_workspace,
    make_workspace,
)
from engine.games.blokus.prior import FEATURES
from engine.kernels.compiling import jit_entry, jit_inlined_entry, jit_merged
from engine.kernels.contract import Kernel
from engine.kernels.luck import counter_key, number_below, random_word
from engine.kernels.ply_log import write_ply
from engine.kernels.results import keep_plies, make_results
from engine.luck import MAX_DRAWS_PER_DECISION, PURPOSE_STRATEGY

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.games.blokus.rules import BlokusState
    from engine.games.blokus.ruleset import BlokusRuleset
    from engine.kernels.contract import BatchLuck, Seatings
    from engine.kernels.results import IntArray, Results
    from engine.state import State
    from engine.strategy import Player

_u64: Final = np.uint64

_STRATEGIES: Final = ("random", "greedy", "noisy", "mobility", "rollout", "mcts")
_RANDOM, _GREEDY, _NOISY, _MOBILITY, _ROLLOUT, _MCTS = range(6)
_NO_SPOT: Final = -1
"""In place of the spot and the orientation of a placement: the colour is out."""


@jit_entry
def play_games(start, tables, strategies, luck, workspace, results, max_plies):
    """Play every seating in every block from one position, at most `max_plies` plies each; return the plies of all games.

    `luck` is a BatchLuck. The results are those of colours: the squares of unplaced pieces, and points.
    """
    seed, blocks, first_draw = luck
    position = workspace.position
    row = game = 0
    for block in blocks:
        for seating in range(len(strategies.codes)):
            copy_position(start, position, tables)
            players = strategies.codes[seating], strategies.settings[seating]
            first_row = row
            row = play_game(
                tables, players, (seed, block, first_draw), workspace, results.log, row, row + max_plies
            )
            results.rounds[game] = position.turn[TURN_ROUND] + 1
            results.plies[game] = row - first_row
            for colour in range(tables.colours):
                covered = position.colours[colour, COLOUR_COVERED]
                results.counts[game, colour, 0] = tables.squares - covered
                results.points[game, colour, 0] = position.colours[colour, COLOUR_POINTS]
            game += 1
    return row


@jit_merged
def play_game(tables, players, luck, workspace, log, row, end):
    """Play the position of the workspace to its end, or until the row `end`; return the row after the last ply.

    `players` are codes and settings of the seats; `luck` is as in `play_games`, with one block. Each ply takes a row of
    the log, whether it has room or not.
    """
    position, decision, search = workspace
    codes, settings = players
    seed, block, first_draw = luck
    logged = len(log.action) > 0
    round_ = -1
    while position.turn[TURN_IS_OVER] == 0 and row < end:
        colour = position.turn[TURN_COLOUR]
        seat = acting_seat(position, tables)
        if position.turn[TURN_ROUND] != round_:
            round_ = position.turn[TURN_ROUND]
            decision.decisions[:] = 0
        index = first_draw + _u64(decision.decisions[seat] * MAX_DRAWS_PER_DECISION)
        decision.decisions[seat] += 1
        draw = seed, block, counter_key(_u64(PURPOSE_STRATEGY), _u64(seat + 1)), _u64(round_), index
        options = count_placements(position, tables, colour, decision)
        spot = orientation = _NO_SPOT
        if options == 0:  # BK-6: a colour that can place must place; only one that cannot is out
            position.colours[colour, COLOUR_IS_OUT] = 1
        else:
            if codes[seat] == _RANDOM:
                n = np.int64(number_below(random_word(*draw), _u64(options)))
                spot, orientation = nth_placement(position, tables, colour, decision, n)
            else:
                placement = choose_placement(
                    position, tables, decision, search, codes[seat], settings[seat], draw
                )
                spot, orientation = placement // SPOT_STRIDE, placement % SPOT_STRIDE
            place_piece(position, tables, colour, spot, orientation)
        advance_turn(position, tables)
        if logged:
            action = placement_action(tables, colour, spot, orientation)
            write_ply(log, row, round_, seat, action, max(options, 1), score(position, tables, seat))
        row += 1
    return row


@jit_merged
def choose_placement(position, tables, workspace, search, code, settings, luck):
    """Return the placement that a strategy other than random chooses for the colour on turn, which has one.

    `luck` is (seed, block, key, round, index) of the first draw.
    """
    colour = position.turn[TURN_COLOUR]
    bits = random_word(*luck)
    if code == _GREEDY:
        return choose_greedy(position, tables, colour, workspace, bits)
    if code == _NOISY:
        return choose_noisy(position, tables, colour, workspace, settings[0], luck)
    if code == _MOBILITY:
        return choose_mobility(position, tables, workspace, settings, bits)
    if code == _ROLLOUT:
        return choose_rollout(position, tables, workspace, search, settings, luck)
    return choose_mcts(position, tables, workspace, search, settings, luck)


@jit_inlined_entry
def placement_action(tables, colour, spot, orientation):
    """Return the number of the action that places an orientation at a spot, or that puts the colour out."""
    if spot == _NO_SPOT:
        return tables.colours * tables.actions_per_colour + colour
    number = tables.orientations[orientation, ORIENTATION_NUMBER]
    return colour * tables.actions_per_colour + spot * tables.orientation_count + number


@jit_entry
def list_legal_actions(position, tables, workspace, actions):
    """Write the legal actions of a position to `actions`, ascending; return how many there are."""
    colour = position.turn[TURN_COLOUR]
    if position.turn[TURN_IS_OVER] != 0:
        return 0
    count = count_placements(position, tables, colour, workspace)
    if count == 0:
        actions[0] = placement_action(tables, colour, _NO_SPOT, _NO_SPOT)
        return 1
    for n in range(count):
        spot, orientation = nth_placement(position, tables, colour, workspace, n)
        actions[n] = placement_action(tables, colour, spot, orientation)
    return count


@jit_entry
def play_ply(position, tables, spot, orientation):
    """Play one ply in place; without a spot the colour is out.

    As in the rules, placements that other colours' pieces have made impossible are first taken from the attached
    plane. Batches of games do without this: it does not change which placements are legal.
    """
    colour = position.turn[TURN_COLOUR]
    if spot == _NO_SPOT:
        position.colours[colour, COLOUR_IS_OUT] = 1
    else:
        attached = attached_plane(tables, colour)
        for i in range(_u64(tables.plane_words)):
            position.big[attached + i] &= position.big[i]
            position.small[attached + i] &= position.small[i]
        place_piece(position, tables, colour, spot, orientation)
    advance_turn(position, tables)


class BlokusKernel(Kernel):
    """Blokus under one ruleset. Every ruleset fits: boards of up to 24 x 24, and any set of pieces."""

    strategies = _STRATEGIES
    ruleset: BlokusRuleset

    def __init__(self, ruleset: BlokusRuleset) -> None:
        super().__init__(ruleset)
        self._tables = make_tables(ruleset)

    def candidates(self, state: State, limit: int) -> list[int]:
        """Return the actions that `mcts` would search: the best by the prior."""
        if len(state.actions) <= limit:
            return list(state.actions)
        player = self.read_player(f"mcts:playouts=1,width={limit}")
        actions, _ = self.search_visits(self.pack(state), player, 0)
        return [int(action) for action in actions]

    def search_visits(self, packed: Position, player: Player, seed: int) -> tuple[IntArray, IntArray]:
        """Search a position with a player of `mcts`; return the actions of the root, best by the prior first, and their visits.

        A position with a single legal placement is not searched: its placement has no visit.
        """
        search = self._make_search_workspace([player])
        luck = _u64(seed), np.zeros(1, np.uint64), _u64(0)
        seatings = [[player] * self.ruleset.players]
        self.play_compiled(packed, seatings, luck, 1, logged=False, search=search)
        colour, count = int(search.colour[0]), int(search.children[0])
        return self._placement_actions(colour, search.placement[:count]), search.visits[:count].copy()

    def placement_features(self, packed: Position) -> tuple[IntArray, NDArray[np.float64]]:
        """Return the legal placements of a position, ascending, and their features: (placements, features).

        `engine.games.blokus.prior` defines the features. The colour on turn must have a legal placement.
        """
        most = len(self.actions(packed))
        placements, features = np.empty(most, np.int64), np.empty((most, FEATURES))
        list_features(packed, self._tables, make_workspace(self._tables), placements, features)
        return self._placement_actions(int(packed.turn[TURN_COLOUR]), placements), features

    def prior_weights(self, *, is_shared: bool = False) -> NDArray[np.float64]:
        """Return the weights of the prior, (phases, features); `is_shared`: of a colour without an owner (BK-10)."""
        weights: NDArray[np.float64] = self._tables.prior_weights[int(is_shared)].copy()
        return weights

    def with_prior(
        self, weights: NDArray[np.float64], shared_weights: NDArray[np.float64] | None = None
    ) -> BlokusKernel:
        """Return a kernel of the same ruleset whose searches start from other weights, each (phases, features)."""
        other = BlokusKernel(self.ruleset)
        shared = self.prior_weights(is_shared=True) if shared_weights is None else shared_weights
        other._tables = self._tables._replace(prior_weights=np.array([weights, shared]))
        return other

    def _placement_actions(self, colour: int, placements: NDArray[Any]) -> IntArray:
        """Return the actions of a colour's placements."""
        actions = [
            placement_action(self._tables, colour, *divmod(int(placement), SPOT_STRIDE))
            for placement in placements
        ]
        return np.array(actions, np.int32)

    def pack(self, state: State) -> Position:
        return pack_state(state, self.ruleset, self._tables)

    def unpack(self, packed: Position) -> BlokusState:
        return unpack_state(packed, self.ruleset, self._tables)

    def actions(self, packed: Position) -> IntArray:
        actions = np.empty(self._tables.actions_per_colour, np.int32)
        count = list_legal_actions(packed, self._tables, make_workspace(self._tables), actions)
        return actions[:count]

    def apply_action(self, packed: Position, action: int) -> Position:
        after = make_position(self._tables)
        copy_position(packed, after, self._tables)
        play_ply(after, self._tables, *self._action_placement(action))
        return after

    def _action_placement(self, action: int) -> tuple[int, int]:
        """Return spot and orientation of an action."""
        tables = self._tables
        if action >= tables.colours * tables.actions_per_colour:
            return _NO_SPOT, _NO_SPOT
        spot, number = divmod(action % tables.actions_per_colour, tables.orientation_count)
        return spot, int(tables.orientations[:, ORIENTATION_NUMBER].searchsorted(number))

    def play_compiled(
        self,
        packed: Position,
        seatings: Seatings,
        luck: BatchLuck,
        max_plies: int,
        *,
        logged: bool,
        search: SearchWorkspace | None = None,
    ) -> Results:
        tables = self._tables
        games = len(seatings) * len(luck[1])
        # A colour places each of its pieces at most once and is put out at most once.
        log_rows = games * tables.colours * (tables.pieces + 1) if logged else 0
        results = make_results(games, tables.colours, 1, log_rows)
        players = [player for seating in seatings for player in seating]
        workspace = GameWorkspace(
            make_position(tables), make_workspace(tables), search or self._make_search_workspace(players)
        )
        plies = play_games(
            packed, tables, self.seat_strategies(seatings), luck, workspace, results, max_plies
        )
        return self._add_up_colours(keep_plies(results, plies))

    def _make_search_workspace(self, players: Sequence[Player]) -> SearchWorkspace:
        """Return room for the largest search of these players."""
        playouts, width = 0, 1
        for player in players:
            if "playouts" in player.parameters:
                playouts = max(playouts, int(player.parameters["playouts"]))
                width = max(
                    width, int(player.parameters.get("width", player.parameters.get("candidates", 1)))
                )
        return make_search_workspace(self._tables, playouts, width)

    def _add_up_colours(self, results: Results) -> Results:
        """BK-8, BK-9: add up the colours of each seat."""
        left, bonuses = results.counts[:, :, 0], results.points[:, :, 0]
        is_complete = left == 0
        counts = np.empty((len(left), self.ruleset.players, 2), np.int32)
        points = np.empty_like(counts)
        for seat, seat_colours in enumerate(self.ruleset.seat_colours):
            colours = list(seat_colours)
            counts[:, seat, 0] = left[:, colours].sum(axis=1)
            counts[:, seat, 1] = is_complete[:, colours].sum(axis=1)
            points[:, seat, 1] = np.where(is_complete, bonuses, 0)[:, colours].sum(axis=1)
        points[:, :, 0] = -counts[:, :, 0]
        return results._replace(counts=counts, points=points)


KERNEL: Final = BlokusKernel
