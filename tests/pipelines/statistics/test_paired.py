from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.statistics import (
    correlation,
    quantile_differences,
    superiority_probability,
    variance_ratio,
)

score_lists = st.lists(st.integers(-20, 60), min_size=2, max_size=40)


def sample_pair(blocks: int = 120, games: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(20)
    luck = rng.normal(0, 6, (blocks, games))
    return np.rint(32 + luck + rng.normal(0, 3, luck.shape)), np.rint(
        30 + luck + rng.normal(0, 3, luck.shape)
    )


@given(values=score_lists)
def test_a_strategy_against_itself_is_exactly_zero(values: list[int]) -> None:
    own = np.array(values) / 3
    better = superiority_probability(own, own.copy())
    assert better is not None
    assert better.estimate == 0.5
    assert variance_ratio(own, own) in {0.0, None}
    assert all(one.difference == (0.0, 0.0, 0.0) for one in quantile_differences(own, own.copy(), seed=1))


@given(values=st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=2, max_size=30))
def test_exchanging_the_strategies_reverses_the_signs(values: list[tuple[int, int]]) -> None:
    a, b = np.array(values, dtype=np.float64).T
    there, back = superiority_probability(a, b), superiority_probability(b, a)
    assert there is not None
    assert back is not None
    assert there.estimate == pytest.approx(np.mean((a > b) + (a == b) / 2))
    assert there == pytest.approx((1 - back.estimate, 1 - back.high, 1 - back.low))


def test_one_block_has_no_intervals() -> None:
    one, other = np.array([3.0]), np.array([1.0])
    assert superiority_probability(one, other) is None
    assert quantile_differences(one, other, seed=1) == ()


def test_common_luck_appears_in_correlation_and_variance() -> None:
    """With common luck of variance 36 and other variance of 9, the correlation is 0.8 and the variance ratio 0.2."""
    rng = np.random.default_rng(21)
    luck = rng.normal(0, 6, 20_000)
    a, b = luck + rng.normal(0, 3, 20_000), luck + rng.normal(0, 3, 20_000)
    assert correlation(a, b) == pytest.approx(0.8, abs=0.02)
    assert variance_ratio(a, b) == pytest.approx(0.2, abs=0.02)


def test_constant_scores_have_no_correlation() -> None:
    flat, other = np.full(9, 0.1), np.arange(9.0)
    assert correlation(flat, other) is None
    assert correlation(other, other) == 1.0
    assert variance_ratio(flat, flat) is None
    assert variance_ratio(flat, other) == 1.0


@given(values=score_lists, share=st.sampled_from([0.05, 0.25, 0.5, 0.75, 0.95]))
def test_quantiles_are_those_of_the_sample(values: list[int], share: float) -> None:
    a = np.array(values, dtype=np.float64)
    found = quantile_differences(a, np.zeros(len(a)), [share], seed=1)[0]
    assert found.a == np.quantile(a, share, method="inverted_cdf")
    assert found.difference.estimate == found.a
    assert found.difference.low <= found.difference.high


def test_resampled_quantiles_equal_those_of_the_resampled_blocks() -> None:
    """The reference resamples whole blocks and sorts their games."""
    from pipelines.statistics.differences import _SortedScores

    rng = np.random.default_rng(22)
    games = np.rint(rng.normal(0, 5, (30, 3)))
    times = rng.multinomial(30, np.full(30, 1 / 30), size=20)
    found = _SortedScores.from_games(games).quantiles(times, np.array([0.1, 0.5, 0.9]))
    for row, counts in zip(found, times, strict=True):
        drawn = np.repeat(games, counts, axis=0)
        assert row.tolist() == np.quantile(drawn, [0.1, 0.5, 0.9], method="inverted_cdf").tolist()


def test_a_shift_moves_every_quantile() -> None:
    a, b = sample_pair(400)
    for one in quantile_differences(a + 10, b, seed=1):
        assert one.difference.low > 0


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (np.ones(3), np.ones(4)),
        (np.ones(0), np.ones(0)),
        (np.ones((2, 2, 2)), np.ones((2, 2, 2))),
        (np.array([1.0, math.nan]), np.ones(2)),
    ],
)
def test_invalid_pairs_are_refused(a: np.ndarray, b: np.ndarray) -> None:
    with pytest.raises(ValueError, match="one"):
        quantile_differences(a, b, seed=1)
    with pytest.raises(ValueError, match="one"):
        superiority_probability(a, b)
