"""The yardstick in plain C plays Blokus: else its speed would say nothing."""

from __future__ import annotations

import shutil

import pytest

from engine.catalogue import Catalogue
from engine.games import game
from engine.kernels import contract
from engine.strategies import player
from pipelines.measure import yardstick


@pytest.fixture(scope="module")
def found() -> yardstick.Yardstick:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    measured = yardstick.measured(seconds=1.5)
    assert measured
    return measured


def test_plain_c_plays_games_like_ours(found: yardstick.Yardstick) -> None:
    """Means of 100,000 games of our kernel; a game's placements scatter by 3.3, a seat's squares left by 10."""
    assert found.games >= 2000
    error = found.games**-0.5
    assert found.placements == pytest.approx(58.98, abs=5 * 3.3 * error + 0.01)
    assert found.left == pytest.approx((27.7, 28.7, 29.8, 30.8), abs=5 * 10 * error + 0.1)


@pytest.mark.skipif(not contract.is_available(), reason="Numba is not installed")
def test_the_kernel_has_the_same_means(found: yardstick.Yardstick) -> None:
    compiled = contract.kernel(Catalogue().find("blokus-4p"))
    if compiled is None:
        pytest.skip("blokus has no kernel")
    batch = compiled.play([[player(game("blokus"), "random")] * 4], 5, range(20_000), logged=False)
    error = found.games**-0.5 + 20_000**-0.5
    left = -batch.points[:, :, 0].mean(axis=0)
    assert found.left == pytest.approx(tuple(left), abs=5 * 10 * error)


def test_without_a_compiler_there_is_no_yardstick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    assert yardstick.measured(seconds=1) is None
