"""Blokus compiled: games and batches of games. The rules are in `kernel_rules`, what strategies do in modules of theirs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import numba as nb
import numpy as np

from engine.errors import InvalidError
from engine.games.blokus.kernel import position as kernel_position
from engine.games.blokus.kernel import search
from engine.games.blokus.kernel import tables as kernel_tables
from engine.games.blokus.kernel.mobility import choose_mobility
from engine.games.blokus.kernel.policies import SPOT_STRIDE, choose_greedy, choose_noisy
from engine.games.blokus.kernel.position import (
    COLOUR_COVERED,
    COLOUR_IS_OUT,
    COLOUR_POINTS,
    TURN_COLOUR,
    TURN_IS_OVER,
    TURN_ROUND,
    Position,
)
from engine.games.blokus.kernel.rules import (
    JIT_INLINED,
    JIT_MERGED,
    JIT_OPTIONS,
    advance_turn,
    copy_position,
    count_placements,
    nth_placement,
    place_piece,
    score,
    seat_on_turn,
)
from engine.games.blokus.kernel.search import choose_mcts, choose_rollout
from engine.games.blokus.kernel.tables import ORIENTATION_NUMBER
from engine.games.blokus.rules import BlokusState, start_state
from engine.kernels.contract import Batch, Kernel, PlyLog
from engine.kernels.luck import counter_key, number_below, random_word
from engine.weights import read_weights

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from engine.games.blokus.kernel.position import BatchColumns
    from engine.games.blokus.kernel.search import SearchWorkspace
    from engine.games.blokus.ruleset import BlokusRuleset
    from engine.kernels.contract import IntArray
    from engine.luck import Source
    from engine.state import State
    from engine.strategy import Player

_u64: Final = np.uint64

_WEIGHTS_FILE: Final = Path(__file__).parents[1] / "weights.toml"
_STRATEGIES: Final = ("random", "greedy", "noisy", "mobility", "rollout", "mcts")
_RANDOM, _GREEDY, _NOISY, _MOBILITY, _ROLLOUT, _MCTS = range(6)
_PURPOSE_STRATEGY: Final = 1
"""Purpose of luck: the draws that a strategy makes for itself."""
_MAX_DRAWS_PER_DECISION: Final = 1 << 16

_UNLIMITED_PLIES: Final = 1 << 30
"""More than any game has."""
_NO_SPOT: Final = -1
"""In place of a spot: the colour is out."""


@nb.njit(**JIT_MERGED)
def _choose_nonrandom(position, layout, tables, weights, seat, desk, study, code, settings, luck):
    """Return the placement that a strategy other than random chooses for the colour on turn, which has one.

    `luck` is (seed, block, key, round, index) of the first draw.
    """
    bits = random_word(luck[0], luck[1], luck[2], luck[3], luck[4])
    if code == _GREEDY:
        return choose_greedy(position, layout, tables, position.now[TURN_COLOUR], desk, bits)
    if code == _NOISY:
        return choose_noisy(position, layout, tables, position.now[TURN_COLOUR], desk, settings[0], luck)
    if code == _MOBILITY:
        return choose_mobility(position, layout, tables, settings, seat, desk, bits)
    if code == _ROLLOUT:
        return choose_rollout(position, layout, tables, weights, seat, desk, study, settings, luck)
    return choose_mcts(position, layout, tables, weights, desk, study, settings, luck)


@nb.njit(**JIT_MERGED)
def _choose_action(position, layout, tables, weights, seat, desk, study, total, code, settings, luck):
    """Return spot and orientation that a strategy chooses, of so many legal ones that were just counted."""
    if code == _RANDOM:
        bits = random_word(luck[0], luck[1], luck[2], luck[3], luck[4])
        colour = position.now[TURN_COLOUR]
        return nth_placement(position, layout, colour, desk, np.int64(number_below(bits, _u64(total))))
    chosen = _choose_nonrandom(position, layout, tables, weights, seat, desk, study, code, settings, luck)
    return chosen // SPOT_STRIDE, chosen % SPOT_STRIDE


@nb.njit(**JIT_INLINED)
def placement_action(layout, tables, colour, spot, orientation):
    """Return the number of the action that places an orientation at a spot, or that passes."""
    if spot == _NO_SPOT:
        return layout.colours * layout.span + colour
    return (
        colour * layout.span
        + spot * layout.orientations
        + tables.orientations[orientation, ORIENTATION_NUMBER]
    )


@nb.njit(**JIT_MERGED)
def play_game(
    position,
    layout,
    tables,
    weights,
    codes,
    settings,
    seed,
    block,
    desk,
    study,
    book,
    row,
    first_draw,
    end,
    logged,
):
    """Play one game to its end or to a row of the book; return the row after its last ply."""
    lap = -1
    while position.now[TURN_IS_OVER] == 0 and row < end:
        colour = position.now[TURN_COLOUR]
        seat = seat_on_turn(position, layout, tables)
        now = position.now[TURN_ROUND]
        if now != lap:
            lap = now
            desk.decisions[:] = 0
        decision = desk.decisions[seat]
        desk.decisions[seat] += 1
        draw = first_draw + _u64(decision * _MAX_DRAWS_PER_DECISION)
        luck = (seed, block, counter_key(_u64(_PURPOSE_STRATEGY), _u64(seat + 1)), _u64(now), draw)
        total = count_placements(position, layout, colour, desk)
        spot = orientation = _NO_SPOT
        if total == 0:  # BK-6: who can place must place; only who cannot is out.
            position.colours[colour, COLOUR_IS_OUT] = 1
        else:
            spot, orientation = _choose_action(
                position, layout, tables, weights, seat, desk, study, total, codes[seat], settings[seat], luck
            )
            place_piece(position, layout, tables, colour, spot, orientation)
        advance_turn(position, layout)
        if logged:
            book.round[row] = now
            book.seat[row] = seat
            book.action[row] = placement_action(layout, tables, colour, spot, orientation)
            book.options[row] = max(total, 1)
            book.score[row] = score(position, layout, tables, seat)
        row += 1
    return row


@nb.njit(cache=True, **JIT_OPTIONS)
def play_games(
    start,
    position,
    layout,
    tables,
    weights,
    codes,
    settings,
    seed,
    blocks,
    desk,
    study,
    book,
    first_draw,
    most,
    logged,
):
    """Play every seating in every block from one position; return the plies of all games.

    A seating is a row of codes of strategies, and of rows of their parameters. No game takes more than `most` plies;
    the draws of a first decision begin at `first_draw`.
    """
    row = game = 0
    for block in blocks:
        for seating in range(len(codes)):
            copy_position(start, position, layout)
            before = row
            row = play_game(
                position,
                layout,
                tables,
                weights,
                codes[seating],
                settings[seating],
                seed,
                block,
                desk,
                study,
                book,
                row,
                first_draw,
                row + most,
                logged,
            )
            book.rounds[game] = position.now[TURN_ROUND] + 1
            book.plies[game] = row - before
            for colour in range(layout.colours):
                book.left[game, colour] = layout.squares - position.colours[colour, COLOUR_COVERED]
                book.points[game, colour] = position.colours[colour, COLOUR_POINTS]
            game += 1
    return row


@nb.njit(cache=True, nogil=True)
def list_legal_actions(position, layout, tables, desk):
    """Return the legal actions of a position, ascending."""
    colour = position.now[TURN_COLOUR]
    if position.now[TURN_IS_OVER] != 0:
        return np.empty(0, np.int32)
    total = count_placements(position, layout, colour, desk)
    if total == 0:
        return np.full(1, placement_action(layout, tables, colour, _NO_SPOT, _NO_SPOT), np.int32)
    found = np.empty(total, np.int32)
    for n in range(total):
        spot, orientation = nth_placement(position, layout, colour, desk, n)
        found[n] = placement_action(layout, tables, colour, spot, orientation)
    return found


@nb.njit(cache=True, nogil=True)
def play_ply(position, layout, tables, spot, orientation):
    """Play one ply, an out where there is no spot.

    As in the plain rules what others lie on is taken from `attached` first, which whole games do without.
    """
    colour = position.now[TURN_COLOUR]
    if spot == _NO_SPOT:
        position.colours[colour, COLOUR_IS_OUT] = 1
    else:
        attached = (1 + layout.colours + colour) * layout.plane
        for i in range(layout.plane):
            position.big[attached + i] &= position.big[i]
            position.small[attached + i] &= position.small[i]
        place_piece(position, layout, tables, colour, spot, orientation)
    advance_turn(position, layout)


def _make_log(book: BatchColumns, plies: int) -> PlyLog:
    """Return the plies that were written: views, and what lies behind them was never touched."""
    return PlyLog(
        book.round[:plies], book.seat[:plies], book.action[:plies], book.options[:plies], book.score[:plies]
    )


class BlokusKernel(Kernel):
    """Blokus under one ruleset. Boards of up to 24 x 24 and every set of pieces fit."""

    strategies = _STRATEGIES
    ruleset: BlokusRuleset

    def __init__(self, ruleset: BlokusRuleset) -> None:
        super().__init__(ruleset)
        self._weights = np.array([weight.default for weight in read_weights(_WEIGHTS_FILE, "mobility")])
        self._layout = kernel_tables.make_layout(ruleset)
        self._tables = kernel_tables.make_tables(ruleset)
        self._start = self.pack(start_state(ruleset))

    def play(
        self, seatings: Sequence[Sequence[Player]], seed: int, blocks: Sequence[int], *, logged: bool
    ) -> Batch:
        return self._play_batch(self._start, seatings, seed, blocks, logged=logged)

    def play_from_packed(
        self, packed: Position, seating: Sequence[Player], seed: int, blocks: Sequence[int], *, logged: bool
    ) -> Batch:
        return self._play_batch(packed, [seating], seed, blocks, logged=logged)

    def _play_batch(
        self,
        first: Position,
        seatings: Sequence[Sequence[Player]],
        seed: int,
        blocks: Sequence[int],
        *,
        logged: bool,
    ) -> Batch:
        numbers = np.array(blocks, dtype=np.uint64)
        book = kernel_position.make_batch_columns(self._layout, len(seatings) * len(blocks), logged=logged)
        plies = self._play_compiled(
            first, seatings, seed, numbers, book, _u64(0), _UNLIMITED_PLIES, logged=logged
        )
        return self._make_batch(book, _make_log(book, plies) if logged else None)

    def decide(self, state: State, player: Player, source: Source) -> int:
        """Play one ply of a game in which the strategy has every seat."""
        book = kernel_position.make_batch_columns(self._layout, 1, logged=True)
        numbers = np.array([source.luck.block], dtype=np.uint64)
        seating = [player] * self.ruleset.players
        self._play_compiled(
            self.pack(state), [seating], source.luck.seed, numbers, book, _u64(source.index), 1, logged=True
        )
        return int(book.action[0])

    def play_seatings(
        self, state: State, seatings: Sequence[Sequence[Player]], seed: int, block: int, *, logged: bool
    ) -> Batch:
        return self._play_batch(self.pack(state), seatings, seed, [block], logged=logged)

    def candidates(self, state: State, most: int) -> list[int]:
        """Return what a tree of imagined games would look at first: the best by mobility."""
        if len(state.actions) <= most:
            return list(state.actions)
        searcher = self.read_player(f"mcts:playouts=1,width={most}")
        study = self._make_search_workspace([searcher])
        book = kernel_position.make_batch_columns(self._layout, 1, logged=True)
        blocks, seating = np.zeros(1, np.uint64), [searcher] * self.ruleset.players
        self._play_compiled(
            self.pack(state), [seating], 0, blocks, book, _u64(0), 1, logged=True, study=study
        )
        found = study.placement[: study.children[0]]
        return [self._placement_action(int(study.colour[0]), *divmod(int(one), SPOT_STRIDE)) for one in found]

    def _play_compiled(
        self,
        first: Position,
        seatings: Sequence[Sequence[Player]],
        seed: int,
        blocks: NDArray[np.uint64],
        book: BatchColumns,
        first_draw: np.uint64,
        most: int,
        *,
        logged: bool,
        study: SearchWorkspace | None = None,
    ) -> int:
        """Play games into the book; return how many plies they took."""
        layout = self._layout
        codes = np.array(
            [[_STRATEGIES.index(player.strategy.name) for player in seating] for seating in seatings],
            np.int64,
        ).reshape(len(seatings), layout.players)
        plies: int = play_games(
            first,
            kernel_position.make_position(layout),
            layout,
            self._tables,
            self._weights,
            codes,
            self.parameter_array(seatings),
            _u64(seed),
            blocks,
            kernel_position.make_workspace(layout),
            study or self._make_search_workspace([player for seating in seatings for player in seating]),
            book,
            first_draw,
            most,
            logged,
        )
        return plies

    def _make_search_workspace(self, players: Sequence[Player]) -> SearchWorkspace:
        """Make room for the largest search of these players."""
        playouts, width = 0, 1
        for one in players:
            if "playouts" in one.parameters:
                playouts = max(playouts, int(one.parameters["playouts"]))
                width = max(width, int(one.parameters.get("width", one.parameters.get("candidates", 1))))
        return search.make_search_workspace(self._layout, playouts, width)

    def _make_batch(self, book: BatchColumns, log: PlyLog | None) -> Batch:
        """BK-8, BK-9: add the colours up by seats. BK-11: the ranks."""
        games, players = len(book.plies), self._layout.players
        counts = np.zeros((games, players, 2), np.int32)
        points = np.zeros((games, players, 2), np.int32)
        done = book.left == 0
        for seat, colours in enumerate(self.ruleset.seat_colours):
            held = list(colours)
            counts[:, seat, 0] = book.left[:, held].sum(axis=1)
            counts[:, seat, 1] = done[:, held].sum(axis=1)
            points[:, seat, 1] = np.where(done, book.points, 0)[:, held].sum(axis=1)
        points[:, :, 0] = -counts[:, :, 0]
        scores = points.sum(axis=2, dtype=np.int32)
        ranks = 1 + (scores[:, None, :] > scores[:, :, None]).sum(axis=2, dtype=np.uint8)
        return Batch(book.rounds, book.plies, scores, ranks.astype(np.uint8), counts, points, log)

    def pack(self, state: State) -> Position:
        if not isinstance(state, BlokusState) or state.ruleset != self.ruleset:
            raise InvalidError(f"this is no position of {self.ruleset.name}")
        return kernel_position.pack_state(state, self._layout, self._tables)

    def unpack(self, packed: Position) -> BlokusState:
        return kernel_position.unpack_state(packed, self.ruleset, self._layout, self._tables)

    def actions(self, packed: Position) -> IntArray:
        found: IntArray = list_legal_actions(
            packed, self._layout, self._tables, kernel_position.make_workspace(self._layout)
        )
        return found

    def apply_action(self, packed: Position, action: int) -> Position:
        after = kernel_position.make_position(self._layout)
        copy_position(packed, after, self._layout)
        spot, orientation = self._action_placement(action)
        play_ply(after, self._layout, self._tables, spot, orientation)
        return after

    def _placement_action(self, colour: int, spot: int, orientation: int) -> int:
        """Return the action of a placement."""
        layout = self._layout
        number = int(self._tables.orientations[orientation, ORIENTATION_NUMBER])
        return colour * layout.span + spot * layout.orientations + number

    def _action_placement(self, action: int) -> tuple[int, int]:
        """Return spot and orientation of an action."""
        layout = self._layout
        if action >= layout.colours * layout.span:
            return _NO_SPOT, _NO_SPOT
        spot, number = divmod(action % layout.span, layout.orientations)
        return spot, int(self._tables.orientations[:, ORIENTATION_NUMBER].searchsorted(number))


KERNEL: Final = BlokusKernel
