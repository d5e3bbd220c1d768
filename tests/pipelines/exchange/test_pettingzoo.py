"""Games as environments of PettingZoo: its own test passes, and the games follow the rules."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

from engine.catalogue import Catalogue
from engine.errors import IllegalError, InvalidError
from engine.luck import Luck
from engine.play import play_out

if TYPE_CHECKING:
    from tests.processes import RunProcess

pettingzoo_test = pytest.importorskip("pettingzoo.test", reason="the extra rl is not installed")

from pipelines.exchange.pettingzoo import Aec  # noqa: E402 - the extra may be missing

every_game = pytest.mark.parametrize("name", ["bloxx-2p", "blokus-duo", "blokus-dice-3p", "spexxx-2p"])


@every_game
@pytest.mark.filterwarnings("error")
def test_the_api_test_of_pettingzoo_passes_without_a_warning(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    pettingzoo_test.api_test(Aec(name), num_cycles=60)
    assert "Passed API test" in capsys.readouterr().out


@every_game
def test_a_game_is_that_of_the_rules_on_the_same_luck(name: str) -> None:
    """With the first legal action every time, equal seeds give the games of simulations, and the rewards add up to the scores."""
    game = Aec(name, pay="score")
    ruleset = Catalogue().find_ruleset(name)
    for block, seed in enumerate((7, None)):
        game.reset(seed=seed)
        start = game.infos["seat_0"]["state"].scores
        paid = dict.fromkeys(game.possible_agents, 0.0)
        for seat in game.agent_iter():
            observation, reward, is_over, _, info = game.last()
            paid[seat] += reward
            assert observation.shape == game.observation_space(seat).shape
            if not is_over:
                assert np.flatnonzero(info["action_mask"]).tolist() == list(info["state"].actions)
            game.step(None if is_over else int(info["action_mask"].argmax()))
        from engine import games

        first = [lambda state, _: state.actions[0]] * ruleset.players
        end, plies = play_out(games.start_state(ruleset), first, Luck(7, block))
        assert game._played == [ply.action for ply in plies]
        sign = -1 if ruleset.lowest_wins else 1
        assert list(paid.values()) == [sign * (b - a) for a, b in zip(start, end.scores, strict=True)]


def test_the_win_is_paid_at_the_end_and_shared() -> None:
    game = Aec("bloxx-2p", render_mode="ansi")
    game.reset(seed=3)
    paid = []
    for _ in game.agent_iter():
        _, reward, is_over, _, info = game.last()
        paid.append(reward)
        game.step(None if is_over else int(info["action_mask"].argmax()))
    assert sum(paid) == 1
    assert set(paid[:-2]) == {0.0}
    assert str(game.render()).count("\n") > 5


def test_observations_may_be_custom_features() -> None:
    game = Aec(
        "blokus-duo", features=lambda state, seat: np.array([state.scores[seat], state.round], np.float32)
    )
    game.reset(seed=1)
    assert game.observe("seat_1").tolist() == [-89.0, 0.0]
    assert game.observation_space("seat_1").contains(game.observe("seat_1"))


def test_illegal_actions_and_bad_arguments_are_refused() -> None:
    game = Aec("blokus-duo")
    game.reset(seed=1)
    with pytest.raises(IllegalError, match="is not legal here"):
        game.step(0)
    with pytest.raises(InvalidError, match="pay: expected win or score, not 'fun'"):
        Aec("blokus-duo", pay="fun")  # type: ignore[arg-type]  # an invalid argument
    with pytest.raises(InvalidError, match="unknown ruleset 'chess'"):
        Aec("chess")


def test_a_missing_extra_is_named_in_the_error(run_process: RunProcess) -> None:
    code = "import sys; sys.modules['pettingzoo'] = None; import pipelines.exchange.pettingzoo"
    result = run_process([sys.executable, "-c", code])
    assert result.stderr.splitlines()[-1] == (
        "engine.errors.InvalidError: learning needs the extra rl: in a clone of Reroll, pip install -e '.[rl]' (pettingzoo is not installed)"
    )
