from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.statistics import StoppingRule

if TYPE_CHECKING:
    from pipelines.statistics.arrays import Floats


class IntervalPaths:
    """The intervals of many experiments after every block from the first look on."""

    def __init__(self, sample: Floats, rule: StoppingRule) -> None:
        blocks = np.arange(1.0, sample.shape[1] + 1)
        self.means = np.cumsum(sample, axis=1) / blocks
        squares = np.cumsum(sample**2, axis=1) / blocks
        variances = np.maximum(squares - self.means**2, 0)
        cubes = np.cumsum(sample**3, axis=1) / blocks
        thirds = cubes - 3 * self.means * squares + 2 * self.means**3
        flat = variances < 1e-9
        skews = np.where(flat, 0, thirds / np.where(flat, 1, variances) ** 1.5)
        sds = np.where(flat, 0, np.sqrt(variances * blocks / np.maximum(blocks - 1, 1)))
        lows, highs = rule.interval_bounds(self.means, sds, skews, np.broadcast_to(blocks, sds.shape))
        looks = slice(rule.first_look - 1, None)
        self.lows, self.highs, self.means = lows[:, looks], highs[:, looks], self.means[:, looks]

    def miss_share(self, truth: float = 0.0) -> float:
        """Return the share of experiments in which any interval missed the truth."""
        return float(((self.lows > truth) | (self.highs < truth)).any(axis=1).mean())


def sample_differences(shape: str, experiments: int, blocks: int) -> Floats:
    """Return differences of mean zero, shape (experiments, blocks)."""
    rng = np.random.default_rng(40)
    size = (experiments, blocks)
    if shape == "normal":
        return rng.normal(0, 5, size)
    if shape == "exponential":
        return rng.exponential(1, size) - 1
    if shape == "lognormal":
        return np.exp(rng.normal(0, 1, size)) - math.exp(0.5)
    if shape == "whole":
        return np.rint(rng.laplace(0, 2, size)) * (rng.random(size) < 0.3)
    return np.where(rng.random(size) < 0.05, 9.0, -9 / 19)


DIFFERENCE_SHAPES = ["normal", "exponential", "lognormal", "whole", "rare"]


@pytest.mark.parametrize("shape", DIFFERENCE_SHAPES)
@pytest.mark.parametrize(
    ("experiments", "blocks"), [(300, 600), pytest.param(2000, 2000, marks=pytest.mark.slow)]
)
def test_the_error_rate_over_all_looks_is_at_most_five_percent(
    shape: str, experiments: int, blocks: int
) -> None:
    """There is a look after every block from the hundredth on; the tolerance is two standard errors."""
    rule = StoppingRule(budget=blocks)
    missed = IntervalPaths(sample_differences(shape, experiments, blocks), rule).miss_share()
    assert missed <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / experiments)


@pytest.mark.slow
def test_an_early_first_look_fails_for_sparse_differences() -> None:
    """With a first look after 30 blocks, differences in one block of twenty are missed far too often."""
    early = StoppingRule(budget=600, first_look=30)
    assert IntervalPaths(sample_differences("rare", 1000, 600), early).miss_share() > 0.15
    assert IntervalPaths(sample_differences("normal", 1000, 600), early).miss_share() <= 0.05


def stop_experiments(
    shift: float, margin: float | None, experiments: int, budget: int
) -> tuple[Floats, list[str], Floats]:
    """Return the estimates at stopping, the decisions and the numbers of blocks played."""
    rule = StoppingRule(budget=budget, margin=margin)
    paths = IntervalPaths(sample_differences("normal", experiments, budget) + shift, rule)
    within = (
        (paths.lows >= -(margin or 0)) & (paths.highs <= (margin or 0))
        if margin
        else np.zeros_like(paths.lows, bool)
    )
    done = (paths.lows > 0) | (paths.highs < 0) | within
    at = np.where(done.any(axis=1), done.argmax(axis=1), done.shape[1] - 1)
    rows = np.arange(experiments)
    signs = np.where(
        paths.lows[rows, at] > 0, "more", np.where(paths.highs[rows, at] < 0, "fewer", "undecided")
    )
    decisions = np.where((signs == "undecided") & within[rows, at], "equal", signs).tolist()
    return paths.means[rows, at], decisions, at + float(rule.first_look)


def test_a_clear_difference_stops_early_and_its_estimate_is_too_large() -> None:
    """A third of a standard deviation is detected after fewer than 200 blocks on average, never with the wrong sign."""
    estimates, decisions, played = stop_experiments(5 / 3, None, 500, 1000)
    assert decisions.count("more") == 500
    assert played.mean() < 200
    # On average the estimate at stopping is too large, as `SequentialLook.interval` says.
    assert 0 < estimates.mean() - 5 / 3 < 0.5


def test_equality_is_decided_within_the_margin_and_rarely_at_it() -> None:
    """The true difference is 0.1 standard deviations with a margin of 0.4, then exactly the margin."""
    _, decisions, _ = stop_experiments(0.0, 2.0, 300, 1000)
    assert decisions.count("equal") > 0.9 * 300
    _, decisions, _ = stop_experiments(2.0, 2.0, 300, 1000)
    assert decisions.count("equal") <= 0.05 * 300


@settings(deadline=None)  # the first example loads SciPy
@given(
    values=st.lists(st.integers(-6, 9), min_size=20, max_size=60),
    margin=st.none() | st.floats(0.5, 5),
)
def test_a_decision_agrees_with_its_interval(values: list[int], margin: float | None) -> None:
    rule = StoppingRule(budget=60, first_look=20, margin=margin)
    look = rule.judge_differences(np.array(values, dtype=np.float64))
    assert look.is_over == (look.decision != "undecided" or len(values) >= 60)
    if look.interval is None:
        assert look.decision == "undecided"
        return
    assert look.interval.low <= look.interval.estimate <= look.interval.high
    assert (look.decision == "more") == (look.interval.low > 0)
    assert (look.decision == "fewer") == (look.interval.high < 0)
    if look.decision in {"more", "fewer"}:
        assert look.p <= 0.05
    if look.decision == "equal":
        assert margin is not None
        assert max(abs(look.interval.low), abs(look.interval.high)) <= margin


def test_before_the_first_look_nothing_is_decided() -> None:
    look = StoppingRule(budget=200).judge_differences(np.full(99, 3.0))
    assert (look.interval, look.decision, look.p, look.is_over) == (None, "undecided", 1.0, False)


def test_blocks_that_never_differ_are_undecided_until_the_budget_ends() -> None:
    rule = StoppingRule(budget=300, margin=1.0)
    assert rule.judge_differences(np.zeros(299)).decision == "undecided"
    assert not rule.judge_differences(np.zeros(299)).is_over
    assert rule.judge_differences(np.zeros(300)).is_over


def test_a_strategy_that_wins_every_block_is_decided() -> None:
    assert StoppingRule(budget=300).judge_differences(np.ones(100)).decision == "more"


def test_the_interval_agrees_with_the_paper_for_many_blocks() -> None:
    """Waudby-Smith et al. 2021, theorem 2.2, with the same mixture, agrees to 1 % after 10,000 blocks."""
    rule = StoppingRule(budget=10_000, tightest=500)
    rho2 = (-2 * math.log(0.05) + math.log(-2 * math.log(0.05) + 1)) / 500
    n = 10_000.0
    theirs = math.sqrt((n * rho2 + 1) / (n**2 * rho2) * 2 * math.log(math.sqrt(n * rho2 + 1) / 0.05))
    _, high = rule.interval_bounds(np.zeros(1), np.ones(1), np.zeros(1), np.array([n]))
    assert high[0] == pytest.approx(theirs, rel=0.01)


@pytest.mark.parametrize(
    "wrong",
    [
        {"budget": 50},
        {"budget": 200, "margin": 0.0},
        {"budget": 200, "level": 1.0},
        {"budget": 200, "first_look": 1},
    ],
)
def test_an_invalid_rule_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"blocks|margin|level"):
        StoppingRule(**wrong)  # type: ignore[arg-type]
