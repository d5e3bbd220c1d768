from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pipelines.statistics import StoppingRule
from pipelines.statistics.bounded_means import ValueBounds
from pipelines.statistics.sequential import MIN_DIFFERING_BLOCKS

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipelines.statistics.intervals import Floats


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
        self.can_decide = (np.cumsum(sample != 0, axis=1) >= MIN_DIFFERING_BLOCKS)[:, looks]

    def miss_share(self, truth: float = 0.0) -> float:
        """Return the share of experiments in which any interval by which the rule may decide missed the truth."""
        missed = ((self.lows > truth) | (self.highs < truth)) & self.can_decide
        return float(missed.any(axis=1).mean())


def sample_differences(shape: str, experiments: int, blocks: int) -> Floats:
    """Return differences of mean zero, shape (experiments, blocks)."""
    rng = np.random.default_rng(40)
    size = (experiments, blocks)
    samples: dict[str, Callable[[], Floats]] = {
        "normal": lambda: rng.normal(0, 5, size),
        "exponential": lambda: rng.exponential(1, size) - 1,
        "lognormal": lambda: np.exp(rng.normal(0, 1, size)) - math.exp(0.5),
        "whole": lambda: np.rint(rng.laplace(0, 2, size)) * (rng.random(size) < 0.3),
        "rare": lambda: np.where(rng.random(size) < 0.05, 9.0, -9 / 19),
        "rare and large": lambda: rare_values(rng, size, (9.0, 0.01), (-1.0, 0.09)),
        "rare win": lambda: rare_values(rng, size, (1.0, 0.03), (-1.0, 0.03)),
    }
    return samples[shape]()


def rare_values(
    rng: np.random.Generator, size: tuple[int, int], first: tuple[float, float], second: tuple[float, float]
) -> Floats:
    """Return values that are zero unless one of two, each given with its probability, occurs."""
    draws = rng.random(size)
    return np.where(draws < first[1], first[0], np.where(draws < first[1] + second[1], second[0], 0.0))


DIFFERENCE_SHAPES = ["normal", "exponential", "lognormal", "whole", "rare", "rare and large", "rare win"]


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
def test_an_early_first_look_misses_sparse_differences_more_often_than_promised() -> None:
    """With a first look after 30 blocks, in which one block of twenty is large."""
    early = StoppingRule(budget=600, first_look=30)
    assert IntervalPaths(sample_differences("rare", 1000, 600), early).miss_share() > 0.05
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


@given(
    values=st.lists(st.integers(-6, 9), min_size=20, max_size=90),
    margin=st.none() | st.floats(0.5, 5),
)
@example(values=[2, 3] * 24, margin=None)  # the interval excludes zero, but only 48 blocks differ
@example(values=[2, 3] * 25, margin=None)  # just enough blocks differ
@example(
    values=[0, 0, 0, 1] * 20, margin=2.0
)  # the interval lies within the margin, but only 20 blocks differ
def test_a_decision_agrees_with_its_interval(values: list[int], margin: float | None) -> None:
    rule = StoppingRule(budget=90, first_look=20, margin=margin)
    look = rule.judge_differences(np.array(values, dtype=np.float64))
    assert look.is_over == (look.decision != "undecided" or len(values) >= 90)
    if look.interval is None:
        assert look.decision == "undecided"
        return
    assert look.interval.low <= look.interval.estimate <= look.interval.high
    can_decide = np.count_nonzero(values) >= MIN_DIFFERING_BLOCKS
    assert (look.decision == "more") == (can_decide and look.interval.low > 0)
    assert (look.decision == "fewer") == (can_decide and look.interval.high < 0)
    if look.decision in {"more", "fewer"}:
        assert look.p <= 0.05
    if look.decision == "equal":
        assert can_decide
        assert margin is not None
        assert max(abs(look.interval.low), abs(look.interval.high)) <= margin


def test_only_the_end_on_the_side_of_the_long_tail_moves() -> None:
    skews = np.array([-2.0, 0.0, 2.0])
    lows, highs = StoppingRule(budget=1000).interval_bounds(np.zeros(3), np.ones(3), skews, np.full(3, 200.0))
    assert lows[0] < lows[1] == lows[2]
    assert highs[0] == highs[1] < highs[2]


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


def test_large_differences_that_are_too_rare_to_be_seen_are_outside_the_promise() -> None:
    """With +99 in 1 % and -1 in 99 % of blocks the mean is near zero; a third of all decisions name a winner."""
    draws = np.random.default_rng(1).random((300, 600))
    sample = np.where(draws < 0.01, 99.0, -1.0)
    assert IntervalPaths(sample, StoppingRule(budget=600)).miss_share() > 0.2


def test_an_interval_between_bounds_contains_that_of_the_rule_and_allows_for_rare_values() -> None:
    rule, bounds = StoppingRule(budget=200, first_look=60), ValueBounds(-1, 1)
    never = rule.bounded_interval(np.zeros(60), bounds)
    assert never
    assert never.low < -0.1
    assert never.high > 0.1
    values = np.tile([1.0, 0.0, -1.0, 1.0], 20)
    look, found = rule.judge_differences(values), rule.bounded_interval(values, bounds)
    assert look.interval
    assert found
    assert -1 <= found.low <= look.interval.low <= look.interval.high <= found.high <= 1
    assert rule.bounded_interval(np.zeros(59), bounds) is None


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
