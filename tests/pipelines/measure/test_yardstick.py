"""The yardsticks in C really play their games; otherwise their speed would mean nothing."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Final

import pytest

from engine.catalogue import Catalogue
from engine.games import find_game
from engine.kernels.loader import can_compile_games, find_kernel
from engine.strategies import read_player
from pipelines.measure import yardstick

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.kernels.results import Batch

EXPECTED_PLACEMENTS: Final = {"blokus-4p": 58.98, "bloxx-4p": 35.56}
"""Shapes placed in a game, from 100,000 games of the kernel; the standard deviations are 3.3 and 5.5."""
RESULT_DEVIATION: Final = {"blokus-4p": 10, "bloxx-4p": 9}
"""Standard deviation of a seat's result in one game."""


@pytest.fixture(scope="module", params=list(yardstick.find_yardsticks()))
def ruleset_name(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def yardstick_result(ruleset_name: str) -> yardstick.Yardstick:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    measured = yardstick.run_yardstick(ruleset_name, seconds=1)
    assert measured
    return measured


@pytest.mark.slow
def test_c_places_as_many_shapes_as_the_kernel(
    ruleset_name: str, yardstick_result: yardstick.Yardstick
) -> None:
    assert yardstick_result.games >= 2000
    error = 5 * 5.5 * yardstick_result.games**-0.5 + 0.02
    assert yardstick_result.placements == pytest.approx(EXPECTED_PLACEMENTS[ruleset_name], abs=error)


@pytest.mark.slow
@pytest.mark.skipif(not can_compile_games(), reason="Numba is not installed")
def test_c_has_the_results_of_the_kernel(ruleset_name: str, yardstick_result: yardstick.Yardstick) -> None:
    ruleset = Catalogue().find_ruleset(ruleset_name)
    compiled = find_kernel(ruleset)
    if compiled is None:
        pytest.skip(f"{ruleset.game} has no kernel")
    seating = [read_player(find_game(ruleset.game), "random")] * 4
    batch = compiled.play([seating], 5, range(20_000), logged=False)
    error = 5 * RESULT_DEVIATION[ruleset_name] * (yardstick_result.games**-0.5 + 20_000**-0.5)
    expected = _squares_left(batch) if ruleset.game == "blokus" else batch.scores
    assert yardstick_result.results == pytest.approx(tuple(expected.mean(axis=0)), abs=error)


@pytest.mark.slow
@pytest.mark.skipif(not can_compile_games(), reason="Numba is not installed")
@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_c_plays_the_games_of_bloxx_that_the_kernel_plays() -> None:
    seed = 2**64 - 7
    measured = yardstick.run_yardstick("bloxx-4p", seconds=0.01, seed=seed)
    compiled = find_kernel(Catalogue().find_ruleset("bloxx-4p"))
    assert measured
    assert compiled
    seating = [read_player(find_game("bloxx"), "random")] * 4
    batch = compiled.play([seating], seed, range(measured.games), logged=False)
    assert measured.results == pytest.approx(tuple(batch.scores.mean(axis=0)), abs=1e-6)


def _squares_left(batch: Batch) -> NDArray[np.int32]:
    return -batch.points[:, :, 0]


def test_without_a_compiler_there_is_no_yardstick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    assert yardstick.run_yardstick("bloxx-4p", seconds=1) is None
