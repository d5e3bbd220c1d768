"""The yardstick in plain C really plays Blokus; otherwise its speed would mean nothing."""

from __future__ import annotations

import shutil

import pytest

from engine.catalogue import Catalogue
from engine.games import find_game
from engine.kernels.loader import can_compile_games, find_kernel
from engine.strategies import read_player
from pipelines.measure import yardstick


@pytest.fixture(scope="module")
def yardstick_result() -> yardstick.Yardstick:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    measured = yardstick.run_yardstick(seconds=1.5)
    assert measured
    return measured


def test_plain_c_plays_games_like_ours(yardstick_result: yardstick.Yardstick) -> None:
    """The expected means come from 100,000 games of the kernel.

    The standard deviations are 3.3 placements a game, and 10 squares left for a seat.
    """
    assert yardstick_result.games >= 2000
    error = yardstick_result.games**-0.5
    assert yardstick_result.placements == pytest.approx(58.98, abs=5 * 3.3 * error + 0.01)
    assert yardstick_result.left == pytest.approx((27.7, 28.7, 29.8, 30.8), abs=5 * 10 * error + 0.1)


@pytest.mark.skipif(not can_compile_games(), reason="Numba is not installed")
def test_the_kernel_has_the_same_means(yardstick_result: yardstick.Yardstick) -> None:
    compiled = find_kernel(Catalogue().find_ruleset("blokus-4p"))
    if compiled is None:
        pytest.skip("blokus has no kernel")
    batch = compiled.play([[read_player(find_game("blokus"), "random")] * 4], 5, range(20_000), logged=False)
    error = yardstick_result.games**-0.5 + 20_000**-0.5
    left = -batch.points[:, :, 0].mean(axis=0)
    assert yardstick_result.left == pytest.approx(tuple(left), abs=5 * 10 * error)


def test_without_a_compiler_there_is_no_yardstick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    assert yardstick.run_yardstick(seconds=1) is None
