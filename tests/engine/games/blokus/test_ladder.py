"""The ladder of strategies: random, noisy, greedy, mobility, rollout, mcts."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np
import pytest

from engine.games.blokus import GAME
from engine.games.blokus.kernel.tables import (
    WINDOW_CORNERS,
    WINDOW_EDGES,
    WINDOW_HITS,
    make_tables,
)
from engine.games.blokus.rules import BlokusState, start_state
from engine.games.blokus.ruleset import BlokusRuleset
from engine.kernels.loader import find_kernel
from engine.luck import Luck
from engine.play import play_out, replay_actions
from engine.polyomino import SHAPES, distinct_orientations
from engine.strategies import read_player
from tests.engine.playing import find_shipped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.kernels.contract import Kernel
    from engine.kernels.results import Batch
    from engine.strategy import Player

SMALL_BUDGETS = ("noisy", "mobility", "rollout:playouts=12,candidates=4", "mcts:playouts=24")
LINE_UPS: dict[str, list[tuple[str, ...]]] = {
    "blokus-duo": [("mcts:playouts=24", "rollout:playouts=12"), ("noisy", "mobility")],
    "blokus-2p": [("mobility", "mcts:playouts=9"), ("greedy", "noisy")],
    "blokus-3p": [("mobility", "mcts:playouts=5", "rollout:playouts=3,candidates=3")],
    "blokus-4p": [("mcts:playouts=5", "noisy:sigma=2", "rollout:playouts=4,candidates=2", "mobility")],
}


shipped_ruleset = partial(find_shipped, BlokusRuleset)


@cache
def compiled_kernel(name: str) -> Kernel:
    kernel = find_kernel(shipped_ruleset(name))
    if kernel is None:
        pytest.skip("no compiler is available")
    return kernel


def make_seating(*names: str) -> list[Player]:
    return [read_player(GAME, name) for name in names]


def small_board(*, corners: str = "free", players: int = 2, side: int = 8) -> BlokusRuleset:
    """Return a ruleset with short games, for tests that are slow with the plain rules."""
    end = f"{'abcdefghijklmnopqrstuvwx'[side - 1]}{side}"
    document = shipped_ruleset("blokus-4p").document | {
        "name": "own",
        "players": players,
        "options": {"corners": corners, "bonus": 15, "bonus_single_last": 20},
        "tables": {
            "board": {"side": side, "start": ["a1", end, f"a{side}"]},
            "pieces": shipped_ruleset("blokus-4p").tables.pieces,
        },
    }
    return BlokusRuleset.from_document(document, "own")


def check_same(batch: Batch, plies: Sequence[Sequence[int]]) -> None:
    assert batch.log is not None
    assert batch.plies.tolist() == [len(game) for game in plies]
    assert batch.log.action.tolist() == [action for game in plies for action in game]


@pytest.mark.parametrize("name", LINE_UPS)
def test_a_single_decision_equals_the_one_in_a_batch(name: str) -> None:
    """Games with mixed players are equal byte for byte if the plain rules ask the kernel for each decision."""
    for names in LINE_UPS[name]:
        players = make_seating(*names)
        batch = compiled_kernel(name).play([players], 11, range(4, 5), logged=True)
        _, plies = play_out(
            start_state(shipped_ruleset(name)), [player.decide for player in players], Luck(11, 4)
        )
        check_same(batch, [[ply.action for ply in plies]])


def test_noisy_in_python_equals_noisy_in_the_kernel() -> None:
    """This holds also if seats have two colours, if all seats share a colour, or if the board is unusual."""
    for ruleset in (small_board(), small_board(players=3, side=7), small_board(corners="fixed", side=9)):
        kernel = find_kernel(ruleset)
        if kernel is None:
            pytest.skip("no compiler is available")
        for sigma in ("0", "0.3", "4"):
            players = make_seating(*[f"noisy:sigma={sigma}"] * ruleset.players)
            batch = kernel.play([players], 2**64 - 3, range(3), logged=True)
            games = [
                play_out(start_state(ruleset), [p.decide for p in players], Luck(2**64 - 3, block))[1]
                for block in range(3)
            ]
            check_same(batch, [[ply.action for ply in plies] for plies in games])


def test_noisy_without_noise_plays_one_of_the_best_actions_of_greedy() -> None:
    noisy, greedy = read_player(GAME, "noisy:sigma=0").decide, read_player(GAME, "greedy").decide
    state = start_state(shipped_ruleset("blokus-duo"))
    for _ in range(6):
        best = {greedy(state, Luck(7, block).source(0, 0, 0)) for block in range(60)}
        chosen = noisy(state, Luck(1, 1).source(0, 0, 0))
        assert chosen == min(best)
        state = state.play(chosen)


@pytest.mark.parametrize("name", SMALL_BUDGETS)
def test_equal_luck_gives_equal_games_and_other_luck_others(name: str) -> None:
    kernel, players = compiled_kernel("blokus-duo"), make_seating(name, name)
    first = kernel.play([players], 5, range(6), logged=True)
    again = kernel.play([players], 5, range(6), logged=True)
    other = kernel.play([players], 6, range(6), logged=True)
    assert first.log is not None
    assert again.log is not None
    assert other.log is not None
    assert np.array_equal(first.log.action, again.log.action)
    if name != "mobility":  # mobility uses luck only to break ties
        assert first.log.action.tolist() != other.log.action.tolist()


def test_a_decision_does_not_change_the_next_game() -> None:
    """All games of a batch share the memory for trees."""
    kernel = compiled_kernel("blokus-duo")
    seatings = [
        make_seating("mcts:playouts=40", "rollout:playouts=20"),
        make_seating("mobility", "mcts:playouts=10"),
    ]
    batch = kernel.play(seatings, 1, range(3), logged=False)
    alone = [
        kernel.play([seating], 1, range(block, block + 1), logged=False).scores[0].tolist()
        for block in range(3)
        for seating in seatings
    ]
    assert batch.scores.tolist() == alone


def win_share(higher: str, lower: str, *, blocks: int, ruleset: str = "blokus-duo") -> float:
    """Return the share of wins of `higher`: both seats, same luck, after one random placement of each colour."""
    kernel, of = compiled_kernel(ruleset), shipped_ruleset(ruleset)
    share = 0.0
    for block in range(blocks):
        state, luck = start_state(of), Luck(20, block)
        for ply in range(len(of.colours)):
            state = state.play(luck.source(ply, 0, 0).choice(state.actions))
        for names, seat in (((higher, lower), 0), ((lower, higher), 1)):
            seatings, start = [make_seating(*names)], kernel.pack(state)
            ranks = kernel.play(seatings, 21, [block], start=start, logged=False).ranks[0]
            share += (ranks[seat] == 1) / (ranks == 1).sum()
    return share / blocks / 2


@pytest.mark.parametrize(
    ("higher", "lower", "blocks", "least"),
    [
        ("noisy", "random", 40, 0.8),
        ("greedy", "noisy:sigma=1", 60, 0.55),
        ("mobility", "greedy", 60, 0.6),
        ("rollout", "mobility", 15, 0.6),
        pytest.param("mcts:playouts=300", "mobility", 15, 0.65, marks=pytest.mark.slow),
    ],
)
def test_each_strategy_is_stronger_than_the_one_before(
    higher: str, lower: str, blocks: int, least: float
) -> None:
    assert win_share(higher, lower, blocks=blocks) >= least


@pytest.mark.slow
def test_more_playouts_are_stronger() -> None:
    assert win_share("mcts:playouts=400", "mcts:playouts=20", blocks=12) >= 0.65


def test_a_single_legal_placement_is_played_with_any_budget() -> None:
    ruleset = small_board(side=5)
    kernel = find_kernel(ruleset)
    if kernel is None:
        pytest.skip("no compiler is available")
    for name in SMALL_BUDGETS:
        players = make_seating(name, name)
        end, plies = play_out(start_state(ruleset), [p.decide for p in players], Luck(3, 3))
        assert end.is_over
        assert any(ply.options == 1 for ply in plies)


def test_mobility_does_not_block_its_own_other_colour() -> None:
    """A placement that blocks red is worth less to blue if both colours belong to the same seat."""
    mine = _red_placements_taken("blokus-fixed-2p")
    theirs = _red_placements_taken("blokus-fixed-4p")
    assert mine < theirs


def _red_placements_taken(name: str) -> float:
    """Return how many placements of red `mobility` blocks with blue: the mean over positions of random games."""
    ruleset, decide = shipped_ruleset(name), read_player(GAME, "mobility").decide
    if find_kernel(ruleset) is None:
        pytest.skip("no compiler is available")
    hits = []
    chance = [read_player(GAME, "random").decide] * ruleset.players
    for block in range(12):
        _, plies = play_out(start_state(ruleset), chance, Luck(31, block))
        state = list(replay_actions(start_state(ruleset), [ply.action for ply in plies]))[24]
        if state.turn != 0 or state.actions[0] >= ruleset.first_out_action:
            continue
        after = state.play(decide(state, Luck(1, block).source(state.round, state.seat, 0)))
        hits.append(len(state.legal_placements(2)) - len(after.legal_placements(2)))
    assert len(hits) > 6
    return float(np.mean(hits))


def test_squares_near_an_orientation_are_its_own_its_edges_and_its_corners() -> None:
    near = make_tables(shipped_ruleset("blokus-4p")).neighbourhoods
    orientations = [shape for piece in SHAPES.values() for shape in distinct_orientations(piece)]
    for number in range(0, 91, 7):
        shape = set(orientations[number])
        for y in range(-1, 6):
            for x in range(-1, 6):
                bit = 7 * (y + 1) + x + 1
                own = (x, y) in shape
                edge = not own and bool({(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)} & shape)
                diagonal = {(x + 1, y + 1), (x - 1, y - 1), (x - 1, y + 1), (x + 1, y - 1)} & shape
                corner = not own and not edge and bool(diagonal)
                sets = [
                    bool(int(near[number, kind]) >> bit & 1)
                    for kind in (WINDOW_HITS, WINDOW_EDGES, WINDOW_CORNERS)
                ]
                assert sets == [own, edge, corner]


def test_a_finished_game_has_no_decision() -> None:
    state = replace(start_state(shipped_ruleset("blokus-duo")), ended=True)
    assert isinstance(state, BlokusState)
    kernel = compiled_kernel("blokus-duo")
    batch = kernel.play([make_seating("mcts", "rollout")], 1, range(2), start=kernel.pack(state), logged=True)
    assert batch.plies.tolist() == [0, 0]
