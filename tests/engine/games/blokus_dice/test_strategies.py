"""The strategies of Blokus Dice: each decides the same alone and in a batch, and is stronger than the one before."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from engine.actions import CHANCE
from engine.catalogue import Catalogue
from engine.games.blokus_dice import GAME
from engine.games.blokus_dice.rules import start_state
from engine.games.blokus_dice.ruleset import BlokusDiceRuleset
from engine.kernels.loader import can_compile_games
from engine.luck import Luck
from engine.play import play_out, replay_actions
from engine.strategies import read_player
from tests.engine.playing import check_games, compiled_kernel, find_shipped, make_seating

pytestmark = pytest.mark.skipif(not can_compile_games(), reason="Numba is not installed")

SHIPPED_RULESETS = [rules for rules in Catalogue().rulesets.values() if isinstance(rules, BlokusDiceRuleset)]
THINKERS = ("noisy", "keeper", "learned", "rollout:playouts=12,candidates=3")


@cache
def blokus_dice_ruleset(players: int = 4, side: int = 9, strikes: int = 3) -> BlokusDiceRuleset:
    shipped = find_shipped(BlokusDiceRuleset, f"blokus-dice-{players}p")
    options = {"side": side, "strikes": strikes}
    return BlokusDiceRuleset.from_document({**shipped.document, "options": options}, "test")


@pytest.mark.parametrize("rules", SHIPPED_RULESETS, ids=lambda rules: rules.name)
def test_single_decisions_equal_those_in_a_batch_for_every_shipped_ruleset(rules: BlokusDiceRuleset) -> None:
    """All strategies play together; each decides in the batch as it does when the plain rules ask it."""
    for names in (("rollout:playouts=8,candidates=3", "noisy"), ("random", "keeper", "greedy", "noisy")):
        players = make_seating(rules, *names)
        check_games(compiled_kernel(rules).play([players], 5, range(1), logged=True), rules, players, 5)


@pytest.mark.parametrize("name", THINKERS)
@pytest.mark.parametrize(("side", "strikes"), [(6, 0), (9, 21), (24, 2)])
def test_single_decisions_equal_those_in_a_batch_for_unusual_sizes(
    name: str, side: int, strikes: int
) -> None:
    rules = blokus_dice_ruleset(3, side, strikes)
    players = make_seating(rules, name, "greedy")
    check_games(compiled_kernel(rules).play([players], 9, range(1), logged=True), rules, players, 9)


@pytest.mark.parametrize("sigma", [0, 0.3, 1, 40])
def test_noisy_in_python_equals_noisy_in_the_kernel(sigma: float) -> None:
    """The games are equal byte for byte, for errors much smaller and much greater than a square."""
    rules = blokus_dice_ruleset(2)
    players = make_seating(rules, f"noisy:sigma={sigma}")
    check_games(compiled_kernel(rules).play([players], 12, range(6), logged=True), rules, players, 12)


@pytest.mark.parametrize("name", THINKERS)
def test_games_played_on_from_a_position_are_the_same_and_use_their_own_luck(name: str) -> None:
    """Play on from the middle of a game, and again with another first draw where the strategy uses luck."""
    rules = blokus_dice_ruleset(3)
    _, plies = play_out(
        start_state(rules), [player.decide for player in make_seating(rules, "greedy")], Luck(3, 0)
    )
    middle = next(
        state
        for state in replay_actions(start_state(rules), [ply.action for ply in plies])
        if state.round == 5 and state.seat != CHANCE
    )
    player = read_player(GAME, name)
    kernel = compiled_kernel(rules)
    batch = kernel.play([[player] * 3], 77, range(3), start=kernel.pack(middle), logged=True)
    assert batch.log is not None
    firsts = batch.log.action[np.cumsum(batch.plies) - batch.plies].tolist()
    sources = [Luck(77, block).source(middle.round, middle.seat, 0) for block in range(3)]
    assert firsts == [player.decide(middle, source) for source in sources]
    later = {
        player.decide(middle, Luck(77, 0).source(middle.round, middle.seat, decision))
        for decision in range(40)
    }
    assert (len(later) == 1) == (name in {"keeper", "learned"})


def test_imagined_games_do_not_know_the_real_dice() -> None:
    """With the same luck of its own, a strategy makes the same decision whatever dice will follow."""
    rules = blokus_dice_ruleset(2)
    player = read_player(GAME, "rollout:playouts=40,candidates=4")
    state = start_state(rules).play(rules.read_action("2 5"))
    source = Luck(6, 1).source(0, 0, 0)
    assert player.decide(state, source) == player.decide(state, Luck(6, 1).source(0, 0, 0))
    assert len({player.decide(state, Luck(6, block).source(0, 0, 0)) for block in range(12)}) > 1


def test_rollout_with_one_candidate_plays_like_keeper() -> None:
    rules = blokus_dice_ruleset(4)
    alone = compiled_kernel(rules).play(
        [make_seating(rules, "rollout:candidates=1")], 2, range(4), logged=True
    )
    keeper_batch = compiled_kernel(rules).play([make_seating(rules, "keeper")], 2, range(4), logged=True)
    assert alone.log is not None
    assert keeper_batch.log is not None
    assert alone.log.action.tolist() == keeper_batch.log.action.tolist()
