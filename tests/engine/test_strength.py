"""Each strategy is stronger than the one before, in duels in which each sits alone against the other on every seat."""

from __future__ import annotations

import pytest

from engine import games
from engine.kernels.loader import can_compile_games
from engine.strategies import read_player
from tests.engine.every_ruleset import RULESETS
from tests.engine.playing import compiled_kernel, duel_advantages

pytestmark = pytest.mark.skipif(not can_compile_games(), reason="Numba is not installed")

slow, night = pytest.mark.slow, pytest.mark.night
DUELS = [
    *(
        (f"bloxx-{players}p", higher, lower, 17, blocks, least)
        for players in (2, 3, 4)
        for higher, lower, blocks, least in (
            ("noisy", "random", 60, 20),
            ("greedy", "noisy", 60, 10),
            ("planner", "greedy", 40, 5),
        )
    ),
    pytest.param("bloxx-3p", "rollout", "greedy", 17, 4, 3, marks=slow),
    pytest.param("bloxx-3p", "rollout", "planner", 17, 40, 0, marks=night),
    ("spexxx-2p", "noisy", "random", 41, 40, 40),
    ("spexxx-2p", "greedy", "noisy", 41, 60, 40),
    ("spexxx-2p", "builder", "greedy", 41, 150, 20),
    ("spexxx-3p", "builder", "greedy", 41, 80, 15),
    ("spexxx-4p", "builder", "greedy", 41, 80, 15),
    pytest.param("spexxx-3p", "rollout", "greedy", 5000, 1, 20, marks=slow),
    pytest.param("spexxx-3p", "rollout", "builder", 5000, 12, 5, marks=night),
    pytest.param("blokus-dice-4p", "noisy", "random", 41, 100, 7, marks=slow),
    pytest.param("blokus-dice-4p", "greedy", "noisy", 41, 100, 3, marks=slow),
    pytest.param("blokus-dice-4p", "keeper", "greedy", 41, 60, 3, marks=slow),
    pytest.param("blokus-dice-2p", "keeper", "greedy", 41, 100, 3, marks=slow),
    pytest.param("blokus-dice-4p", "rollout:playouts=64", "keeper", 41, 10, 2, marks=slow),
]
"""A ruleset, the stronger and the weaker strategy, the seed, the blocks, and the least advantage in points."""


def mean_advantage(name: str, one: str, other: str, seed: int, blocks: int) -> float:
    """Return the points by which a strategy is better than another one, averaged over a duel."""
    game = games.find_game(RULESETS[name].game)
    first, second = read_player(game, one), read_player(game, other)
    return float(duel_advantages(compiled_kernel(RULESETS[name]), first, second, seed, range(blocks)).mean())


@pytest.mark.parametrize(("name", "higher", "lower", "seed", "blocks", "least"), DUELS)
def test_each_strategy_is_stronger_than_the_one_before(
    name: str, higher: str, lower: str, seed: int, blocks: int, least: float
) -> None:
    assert mean_advantage(name, higher, lower, seed, blocks) > least


def test_noisy_without_errors_plays_like_greedy() -> None:
    """It draws the largest shape with most corner points. Only ties differ, so the figures are about the same."""
    assert abs(mean_advantage("blokus-dice-4p", "noisy:sigma=0", "greedy", 41, 300)) < 1.5
