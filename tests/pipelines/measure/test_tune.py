"""Tuning finds better weights, and its duels are fair."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine import games
from engine.catalogue import Catalogue
from engine.game import InvalidError, Parameter
from engine.kernels.contract import Kernel, kernel
from engine.strategies import player
from pipelines.measure import tune
from pipelines.measure.tune import Tuning, advantages, as_toml, centre, duel_seatings, tuned, tuning

WEIGHTS = (
    Parameter("gap", "a gap's cost", 2.0, 0.0, 4.0, is_weight=True),
    Parameter("edge", "an edge's worth", 0.0, -5.0, 5.0, is_weight=True),
)


def compiled(name: str) -> Kernel:
    found = kernel(Catalogue().find(name))
    if found is None:
        pytest.skip("games are not compiled here")
    return found


def test_a_duel_seats_each_alone_once_on_every_seat() -> None:
    game = games.game("bloxx")
    one, other = player(game, "greedy"), player(game, "random")
    names = [[seated.name[0] for seated in seating] for seating in duel_seatings(one, other, 3)]
    assert ["".join(row) for row in names] == ["grr", "rgg", "rgr", "grg", "rrg", "ggr"]


def test_a_strategy_has_no_advantage_over_itself() -> None:
    greedy = player(games.game("bloxx"), "greedy")
    assert not advantages(compiled("bloxx-3p"), greedy, greedy, 1, range(20)).any()


@pytest.mark.parametrize("name", ["bloxx-3p", "blokus-dice-4p"])
def test_the_better_strategy_has_the_advantage_whoever_the_rules_let_win(name: str) -> None:
    one = compiled(name)
    game = games.game(one.ruleset.game)
    found = advantages(one, player(game, "greedy"), player(game, "random"), 1, range(40))
    assert found.shape == (40,)
    assert found.mean() > 5
    reverse = advantages(one, player(game, "random"), player(game, "greedy"), 1, range(40))
    assert np.allclose(found, -reverse)


def test_weights_are_the_tuned_parameters_of_a_strategy_and_no_others() -> None:
    with pytest.raises(InvalidError, match="has no such weights"):
        tuning(["bloxx-3p"], "greedy", "random")


def test_a_search_comes_near_the_best_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    """A made-up game whose best weights are known, seen through noise that all candidates share."""

    def noisy_parabola(_self: Tuning, _rules: object, point: object, seed: int, blocks: int) -> object:
        noise = np.random.default_rng(seed).normal(size=blocks)
        return noise - 10 * ((np.asarray(point) - (0.75, 0.25)) ** 2).sum()

    monkeypatch.setattr(Tuning, "block_advantages", noisy_parabola)
    one = Tuning((Catalogue().find("bloxx-3p"),), "made-up", "greedy", WEIGHTS)
    found = one.values(tuned(one, blocks=10, generations=60, seed=900_000))
    assert found["gap"] == pytest.approx(3.0, abs=0.2)
    assert found["edge"] == pytest.approx(-2.5, abs=0.5)


def test_tuned_weights_are_written_as_they_are_read() -> None:
    import tomllib

    text = as_toml("planner", "a command", WEIGHTS, {"gap": 1.25, "edge": -0.5})
    table = tomllib.loads(text)["planner"]
    assert table["tuned"] == "a command"
    assert table["weights"]["gap"] == {"title": "a gap's cost", "default": 1.25, "low": 0.0, "high": 4.0}
    assert centre((replace(WEIGHTS[0], default=1.0),)).tolist() == [0.25]


def test_a_wrong_name_is_said_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        tune.main(["bloxx-3p", "gredy"])
    assert "unknown strategy of bloxx 'gredy'; did you mean greedy?" in str(stopped.value)
    assert not capsys.readouterr().out
