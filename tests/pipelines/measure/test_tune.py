"""Tuning: duels are fair, and the search finds better weights."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from engine import games
from engine.catalogue import Catalogue
from engine.errors import InvalidError
from engine.kernels.loader import find_kernel
from engine.strategies import read_player
from engine.strategy import Parameter
from pipelines.measure import tune
from pipelines.measure.tune import (
    Tuning,
    default_point,
    duel_advantages,
    duel_seatings,
    format_weights_toml,
    make_tuning,
    search_weights,
)

if TYPE_CHECKING:
    from engine.kernels.contract import Kernel

WEIGHTS = (
    Parameter("gap", "a gap's cost", 2.0, 0.0, 4.0, is_weight=True),
    Parameter("edge", "an edge's worth", 0.0, -5.0, 5.0, is_weight=True),
)


def find_kernel_or_skip(name: str) -> Kernel:
    kernel = find_kernel(Catalogue().find_ruleset(name))
    if kernel is None:
        pytest.skip("games are not compiled here")
    return kernel


def test_a_duel_seats_each_alone_once_on_every_seat() -> None:
    game = games.find_game("bloxx")
    greedy, random = read_player(game, "greedy"), read_player(game, "random")
    names = [[player.name[0] for player in seating] for seating in duel_seatings(greedy, random, 3)]
    assert ["".join(row) for row in names] == ["grr", "rgg", "rgr", "grg", "rrg", "ggr"]


def test_a_duel_of_two_seats_plays_no_game_twice() -> None:
    kernel = find_kernel_or_skip("bloxx-2p")
    game = games.find_game("bloxx")
    greedy, noisy = read_player(game, "greedy"), read_player(game, "noisy")
    seatings = duel_seatings(greedy, noisy, 2)
    assert seatings == [[greedy, noisy], [noisy, greedy]]
    scores = kernel.play(seatings, 1, range(20), logged=False).scores.reshape(20, 2, 2)
    expected = (scores[:, 0, 0] - scores[:, 0, 1] + scores[:, 1, 1] - scores[:, 1, 0]) / 2
    assert np.array_equal(duel_advantages(kernel, greedy, noisy, 1, range(20)), expected)


def test_a_strategy_has_no_advantage_over_itself() -> None:
    greedy = read_player(games.find_game("bloxx"), "greedy")
    assert not duel_advantages(find_kernel_or_skip("bloxx-3p"), greedy, greedy, 1, range(20)).any()


@pytest.mark.parametrize("name", ["bloxx-3p", "blokus-dice-4p"])
def test_the_better_strategy_has_the_advantage_whoever_the_rules_let_win(name: str) -> None:
    kernel = find_kernel_or_skip(name)
    game = games.find_game(kernel.ruleset.game)
    greedy, random = read_player(game, "greedy"), read_player(game, "random")
    advantages = duel_advantages(kernel, greedy, random, 1, range(40))
    assert advantages.shape == (40,)
    assert advantages.mean() > 5
    assert np.allclose(advantages, -duel_advantages(kernel, random, greedy, 1, range(40)))


def test_weights_are_the_tuned_parameters_of_a_strategy_and_no_others() -> None:
    with pytest.raises(InvalidError, match="has no such weights"):
        make_tuning(["bloxx-3p"], "greedy", "random")


def test_a_search_comes_near_the_best_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    """An artificial game with known best weights, and with noise that all candidates share."""

    def noisy_parabola(_self: Tuning, _rules: object, point: object, seed: int, blocks: int) -> object:
        noise = np.random.default_rng(seed).normal(size=blocks)
        return noise - 10 * ((np.asarray(point) - (0.75, 0.25)) ** 2).sum()

    monkeypatch.setattr(Tuning, "block_advantages", noisy_parabola)
    tuning = Tuning((Catalogue().find_ruleset("bloxx-3p"),), "made-up", "greedy", WEIGHTS)
    values = tuning.weight_values(search_weights(tuning, blocks=10, generations=60, seed=900_000))
    assert values["gap"] == pytest.approx(3.0, abs=0.2)
    assert values["edge"] == pytest.approx(-2.5, abs=0.5)


def test_tuned_weights_are_written_as_they_are_read() -> None:
    import tomllib

    text = format_weights_toml("planner", "a command", WEIGHTS, {"gap": 1.25, "edge": -0.5})
    table = tomllib.loads(text)["planner"]
    assert table["tuned"] == "a command"
    assert table["weights"]["gap"] == {"title": "a gap's cost", "default": 1.25, "low": 0.0, "high": 4.0}
    assert default_point((replace(WEIGHTS[0], default=1.0),)).tolist() == [0.25]


def test_a_wrong_name_is_said_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        tune.main(["bloxx-3p", "gredy"])
    assert "unknown strategy of bloxx 'gredy'; did you mean greedy?" in str(stopped.value)
    assert not capsys.readouterr().out
