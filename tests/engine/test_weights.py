"""The weights of strategies: each changes the play, and is in the name of a player only if it differs from its default."""

from __future__ import annotations

import pytest

from engine import games
from engine.kernels.loader import can_compile_games
from engine.strategies import built_in_strategies, read_player
from tests.engine.every_ruleset import RULESETS
from tests.engine.playing import compiled_kernel, make_seating

pytestmark = pytest.mark.skipif(not can_compile_games(), reason="Numba is not installed")

TUNED = [
    ("bloxx-3p", "planner:candidates=2", 20),
    ("blokus-duo", "mobility", 4),
    ("blokus-duo", "rollout:playouts=30", 4),
    ("blokus-duo", "mcts:playouts=60", 4),
    ("blokus-dice-4p", "keeper", 8),
    ("blokus-dice-4p", "rollout:playouts=8,candidates=3", 8),
    pytest.param("spexxx-3p", "builder", 2, marks=pytest.mark.slow),
    pytest.param("spexxx-3p", "rollout:playouts=64,candidates=4", 2, marks=pytest.mark.slow),
]
"""A ruleset, a strategy with small budgets, and the blocks in which a weight shows."""


@pytest.mark.slow
@pytest.mark.parametrize(("name", "strategy", "blocks"), TUNED)
def test_every_weight_matters(name: str, strategy: str, blocks: int) -> None:
    """Each weight changes the play at one end of its range at least."""
    ruleset = RULESETS[name]
    others = () if name != "blokus-duo" else ("greedy",)

    def played_actions(text: str) -> list[int]:
        log = (
            compiled_kernel(ruleset)
            .play([make_seating(ruleset, text, *others)], 9, range(blocks), logged=True)
            .log
        )
        assert log is not None
        return [int(action) for action in log.action]

    usual, join = played_actions(strategy), "," if ":" in strategy else ":"
    parameters = built_in_strategies(games.find_game(ruleset.game))[strategy.partition(":")[0]].parameters
    weights = [parameter for parameter in parameters if parameter.is_weight]
    assert weights
    for weight in weights:
        ends = [played_actions(f"{strategy}{join}{weight.name}={end}") for end in (weight.low, weight.high)]
        assert ends != [usual, usual], weight.name


def test_a_weight_is_in_the_name_only_if_it_differs_from_the_default() -> None:
    for game, texts in (
        ("bloxx", ("planner:candidates=4", "planner:candidates=4,gap=3.25")),
        ("blokus-dice", ("keeper", "keeper:strike=1", "rollout:playouts=256,candidates=8")),
    ):
        for text in texts:
            assert read_player(games.find_game(game), text).name == text
    assert read_player(games.find_game("bloxx"), "planner").name == "planner:candidates=4"
