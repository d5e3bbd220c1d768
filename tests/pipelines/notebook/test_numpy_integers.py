"""Integers of NumPy are integers: seeds, numbers of games and blocks, and what tables of runs hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from engine.errors import InvalidError
from pipelines.notebook.api import Library
from pipelines.notebook.played import NoSuchGameError, Run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pipelines.runs import run as stored_run

every_type = pytest.mark.parametrize(
    "integer", [np.int64, np.int32, np.uint8, np.array], ids=["int64", "int32", "uint8", "array"]
)


@pytest.mark.slow
@every_type
def test_a_library_takes_every_integer(tmp_path: Path, integer: Callable[[int], Any]) -> None:
    library = Library(tmp_path)
    run = library.simulate(
        "bloxx-mini", ["random", "greedy"], blocks=integer(2), seed=integer(7), workers=integer(1)
    )
    assert (run.summary.seed, run.summary.played.blocks) == (7, 2)
    comparison = library.compare("bloxx-mini", "random", "greedy", blocks=integer(10), seed=integer(1))
    assert comparison.blocks == 10
    assert len(library.games(limit=integer(3)).pandas()) == 3
    assert len(library.card("bloxx-mini", strategy="random", blocks=integer(10), seed=integer(3)).pandas())
    openings = library.openings("bloxx-mini", first="piece", blocks=integer(10), seed=integer(3)).pandas()
    assert list(openings.columns[:4]) == ["ruleset", "lineup", "first", "games"]
    asked = run[integer(0)].whatif(
        integer(2),
        strategies={integer(1): "greedy"} if integer is not np.array else {1: "greedy"},
        continuations=integer(10),
        seed=integer(5),
    )
    assert asked


@every_type
def test_a_run_takes_the_numbers_of_its_own_tables(
    small_run: stored_run.Run, integer: Callable[[int], Any]
) -> None:
    run = Run(small_run.path)
    number = run.pandas("games")["game_id"].iloc[1]
    assert type(number) is not int
    assert run[number].actions == run[integer(1)].actions == run[1].actions
    assert run[number].scene == run[1].scene
    assert type(run[integer(1)].scene["game_id"]) is int
    assert run[number].state(integer(3)) == run[1].state(3)
    assert [game.game_id for game in run[number : integer(4)]] == [1, 2, 3]
    if integer is not np.uint8:
        assert run[integer(-1)].game_id == len(run) - 1
    with pytest.raises(NoSuchGameError):
        run[integer(200)]


@pytest.mark.parametrize("seed", [-1, 1 << 64, np.int64(-1)])
def test_a_seed_out_of_range_is_one_clear_error(tmp_path: Path, seed: Any) -> None:  # noqa: ANN401 - any number
    with pytest.raises(InvalidError, match=r"^seed: expected a number from 0 to 18446744073709551615, not "):
        Library(tmp_path).simulate("bloxx-mini", ["random", "random"], games=2, seed=seed)


@pytest.mark.filterwarnings("error")
def test_an_environment_takes_every_integer_as_its_seed() -> None:
    pytest.importorskip("pettingzoo", reason="the extra rl is not installed")
    from pipelines.exchange.pettingzoo import Aec

    def play_first_actions(seed: Any) -> list[int]:  # noqa: ANN401 - any integer
        game = Aec("spexxx-2p")
        game.reset(seed=seed)
        for _ in range(6):
            game.step(int(game.last()[4]["action_mask"].argmax()))
        return list(game._played)

    wanted = play_first_actions(7)
    for seed in (np.int64(7), np.int32(7), np.uint8(7), np.array(7)):
        assert play_first_actions(seed) == wanted
    out_of_range: tuple[Any, ...] = (-1, 1 << 64, np.int64(-1))
    for wrong in out_of_range:
        with pytest.raises(InvalidError, match="seed: expected a number from 0 to 18446744073709551615"):
            Aec("spexxx-2p").reset(seed=wrong)
