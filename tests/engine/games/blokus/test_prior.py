"""The prior of Blokus: its fields, its weights, and the ranking of placements."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

import numpy as np
import pytest

from engine.games.blokus import GAME
from engine.games.blokus.prior import (
    FEATURES,
    FIELDS,
    PHASES,
    prior_kind,
    read_prior,
)
from engine.games.blokus.rules import BlokusState, start_state
from engine.games.blokus.ruleset import BlokusRuleset
from engine.kernels.loader import find_kernel
from engine.luck import Luck
from engine.play import play_out, replay_actions
from engine.polyomino import SHAPES
from engine.strategies import read_player
from tests.engine.games.blokus.prior_by_squares import phase_shares, placement_features, square_fields
from tests.engine.playing import find_shipped

if TYPE_CHECKING:
    from engine.games.blokus.kernel.batches import BlokusKernel


shipped_ruleset = partial(find_shipped, BlokusRuleset)


def compiled_kernel(name: str) -> BlokusKernel:
    kernel = find_kernel(shipped_ruleset(name))
    if kernel is None:
        pytest.skip("no compiler is available")
    return cast("BlokusKernel", kernel)


def positions_of_game(name: str, *plies: int) -> list[BlokusState]:
    """Return the positions of a game of `greedy` before some plies."""
    ruleset = shipped_ruleset(name)
    players = [read_player(GAME, "greedy").decide] * ruleset.players
    _, logged = play_out(start_state(ruleset), players, Luck(5, 1))
    states = list(replay_actions(start_state(ruleset), [ply.action for ply in logged]))
    return [states[ply] for ply in plies]


@pytest.mark.parametrize(
    ("name", "plies"),
    [
        ("blokus-duo", (0, 1, 9, 22)),
        ("blokus-fixed-2p", (2, 21, 46)),
        ("blokus-3p", (3, 27, 43)),
        ("blokus-4p", (30,)),
    ],
)
def test_the_kernel_describes_placements_as_plain_python_does(name: str, plies: tuple[int, ...]) -> None:
    kernel = compiled_kernel(name)
    for state in positions_of_game(name, *plies):
        actions, features = kernel.placement_features(kernel.pack(state))
        assert actions.tolist() == list(state.actions)
        fields = square_fields(state)
        for at in range(0, len(actions), 7):
            expected = placement_features(state, fields, int(actions[at]))
            np.testing.assert_allclose(features[at], expected, rtol=1e-12, atol=1e-12)


def test_the_ranking_follows_the_weights_of_the_features() -> None:
    """The best placements by the prior are those with the largest sums of weighted features, the best first."""
    for name, ply in (("blokus-duo", 8), ("blokus-3p", 23), ("blokus-3p", 24), ("blokus-fixed-2p", 40)):
        kernel = compiled_kernel(name)
        (state,) = positions_of_game(name, ply)
        actions, features = kernel.placement_features(kernel.pack(state))
        is_shared = state.ruleset.colour_owners[state.turn] is None
        colour = state.colours[state.turn]
        shares = phase_shares(colour.squares.bit_count() / state.ruleset.total_squares)
        worths = features @ (np.array(shares) @ kernel.prior_weights(is_shared=is_shared))
        best = actions[np.argsort(-worths, kind="stable")[:12]]
        assert kernel.candidates(state, 12) == best.tolist()


def test_other_weights_rank_other_placements_first() -> None:
    kernel = compiled_kernel("blokus-duo")
    (state,) = positions_of_game("blokus-duo", 4)
    weights = np.zeros_like(kernel.prior_weights())
    weights[:, list(SHAPES).index("I1")] = 1
    first = kernel.with_prior(weights).candidates(state, 5)[0]
    assert state.ruleset.action(first).piece == "I1"
    assert state.ruleset.action(kernel.candidates(state, 5)[0]).piece != "I1"


def test_every_kind_of_decision_has_fitted_weights() -> None:
    prior = read_prior()
    names = ("blokus-duo", "blokus-2p", "blokus-3p", "blokus-4p")
    kinds = {prior_kind(shipped_ruleset(name)) for name in names} | {"shared"}
    assert kinds == prior.keys() == {"duo", "2p", "3p", "4p", "shared"}
    for weights in prior.values():
        assert np.array(weights.table()).shape == (FEATURES, len(PHASES))
        assert "fit_prior" in weights.fitted
        named = {*weights.covered, *weights.beside, *weights.corner}
        assert named <= FIELDS.keys()
        assert weights.pieces.keys() <= SHAPES.keys()


def test_the_phases_share_a_decision() -> None:
    assert phase_shares(0) == [1, 0, 0, 0]
    assert phase_shares(1) == [0, 0, 0, 1]
    for phase in np.linspace(0, 1, 30):
        shares = phase_shares(float(phase))
        assert sum(shares) == pytest.approx(1)
        assert np.dot(shares, PHASES) == pytest.approx(phase)
        assert min(shares) >= 0


def test_fields_of_a_first_piece_are_as_drawn() -> None:
    """Blue covers a1 and b1; its one corner point is c2, and every field around it can be counted by eye."""
    state = start_state(shipped_ruleset("blokus-4p"))
    state = state.play(state.ruleset.read_action("b:a1,b1"))
    for _ in range(3):
        state = state.play(state.actions[-1])
    fields = square_fields(state)
    assert state.turn == 0
    assert fields["own"] == {(0, 0): 1, (1, 0): 1}
    assert fields["corner_point"] == {(2, 1): 1}
    assert fields["beside_corner_point"].keys() == {(3, 1), (2, 2)}
    assert {(2, 0), (0, 1), (1, 1)}.isdisjoint(fields["untouched"])
    assert (2, 3) in fields["near"]
    assert (2, 4) not in fields["near"]
    assert (2, 5) in fields["in_reach"]
    assert (2, 6) in fields["new_ground"]
    assert (0, 2) in fields["narrow"]
    assert (5, 5) in fields["open"]
    assert not fields["ally"]
    assert fields["outside"].keys() >= {(-1, -1), (20, 20), (-1, 7)}
    assert fields["share_of_own"][2, 1] == pytest.approx(len(state.actions) / (len(state.actions) + 1))


def test_a_search_that_starts_with_many_visits_of_first_values_believes_the_prior() -> None:
    """The less likely a placement is, the lower is its first value; with few such visits playouts overrule it."""
    kernel = compiled_kernel("blokus-duo")
    places: dict[str, list[int]] = {"100": [], "0.1": []}
    for state in positions_of_game("blokus-duo", 2, 5, 8, 11, 14):
        for start, chosen in places.items():
            player = kernel.read_player(f"mcts:playouts=300,start={start}")
            _, visits = kernel.search_visits(kernel.pack(state), player, 1)
            chosen.append(int(visits.argmax()))
    assert max(places["100"]) == 0
    assert max(places["0.1"]) > 0
