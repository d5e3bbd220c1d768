from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.statistics import blocks_needed, detectable_difference, least_blocks, t_test_power
from pipelines.statistics.planning import MIN_BLOCKS


def test_plans_agree_with_published_values() -> None:
    """Cohen 1988: a paired effect of 0.5 needs 34 pairs, one of 0.2 needs 199 (G*Power gives the same)."""
    assert blocks_needed(1.0, 0.5) == 34
    assert blocks_needed(1.0, 0.2) == 199
    assert t_test_power(1.0, 0.5, 34) == pytest.approx(0.8078, abs=0.0002)


@given(spread=st.floats(0.1, 50), effect=st.floats(0.05, 20))
def test_the_blocks_needed_detect_the_effect_and_one_fewer_do_not(spread: float, effect: float) -> None:
    blocks = blocks_needed(spread, effect)
    found = detectable_difference(spread, blocks)
    assert found is not None
    assert found <= effect
    before = detectable_difference(spread, blocks - 1)
    assert before is None or before > effect
    assert t_test_power(spread, effect, blocks) >= 0.8 - 1e-6


@given(blocks=st.integers(10, 100_000), wanted=st.sampled_from([0.5, 0.8, 0.9, 0.95]))
def test_the_power_at_the_detectable_difference_is_the_planned_power(blocks: int, wanted: float) -> None:
    effect = detectable_difference(7.0, blocks, power=wanted)
    assert effect is not None
    assert t_test_power(7.0, effect, blocks) == pytest.approx(wanted, abs=0.002)


@pytest.mark.parametrize("experiments", [2000, pytest.param(20_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("blocks", [12, 60])
def test_simulated_experiments_have_the_planned_power(blocks: int, experiments: int) -> None:
    """The tolerance is four standard errors of the share of experiments."""
    effect = detectable_difference(3.0, blocks)
    assert effect is not None
    sample = np.random.default_rng(30).normal(effect, 3.0, (experiments, blocks))
    from scipy.special import stdtrit

    t = sample.mean(axis=1) / sample.std(axis=1, ddof=1) * math.sqrt(blocks)
    settled = float(np.mean(np.abs(t) > stdtrit(blocks - 1, 0.975)))
    assert settled == pytest.approx(0.8, abs=4 * math.sqrt(0.16 / experiments))


def test_limits_of_planning() -> None:
    assert detectable_difference(1.0, 1) is None
    assert detectable_difference(0.0, 100) == 0.0
    assert t_test_power(1.0, 0.5, 1) == 0.0
    assert t_test_power(0.0, 0.5, 10) == 1.0
    assert t_test_power(1.0, 0.0, 50) == pytest.approx(0.05)
    assert t_test_power(1.0, 1000.0, 50) == 1.0
    with pytest.raises(ValueError, match="must be a number other than 0"):
        blocks_needed(1.0, 0.0)


def test_skewed_differences_need_more_blocks() -> None:
    """Exponential differences have a skewness of 2 and need 100 blocks (Cochran: 25 times 4)."""
    rng = np.random.default_rng(31)
    assert least_blocks(rng.exponential(1, 200_000)) == pytest.approx(100, rel=0.1)
    assert least_blocks(rng.normal(0, 1, 1000)) == MIN_BLOCKS
    assert least_blocks(np.zeros(5)) == MIN_BLOCKS
    assert least_blocks(np.array([])) == MIN_BLOCKS
