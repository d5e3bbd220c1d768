"""The sentence above the picture of scores: what it shows, with the interval of every number. Does not import Streamlit."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from pipelines.design.short_names import shorten_names
from pipelines.report import wording
from pipelines.statistics import Interval
from pipelines.statistics.rounding import format_interval_numbers, set_minus_signs, split_sign

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.report.charts import ScoreSeries
    from pipelines.runs.library import Run
    from pipelines.statistics.rounding import IntervalNumbers


def comparable_runs(runs_by_ruleset: Sequence[Sequence[Run]]) -> list[Run]:
    """Return the runs whose line-up played under every ruleset. Scores against other opponents cannot be compared."""
    lineups = [{run.summary.strategies for run in runs} for runs in runs_by_ruleset]
    common = set.intersection(*lineups) if lineups else set()
    found = {run.name: run for runs in runs_by_ruleset for run in runs if run.summary.strategies in common}
    return list(found.values())


def mean_difference(a: Interval, b: Interval) -> Interval:
    """Return the difference a - b of two means, with an interval that holds however the two depend on each other.

    Runs may share their luck. The standard deviation of a difference is at most the sum of both, so the half widths add up.

    >>> mean_difference(Interval(5.0, 4.0, 6.0), Interval(3.0, 2.5, 3.5))
    Interval(estimate=2.0, low=0.5, high=3.5)
    """
    half, estimate = a.half_width + b.half_width, a.estimate - b.estimate
    return Interval(estimate, estimate - half, estimate + half)


class StrategyMean(NamedTuple):
    """The mean of a strategy under a ruleset."""

    ruleset: str
    strategy: str
    mean: Interval
    results: int


def list_means(all_series: Sequence[ScoreSeries]) -> list[StrategyMean]:
    """Return the means of the series that have enough blocks for an interval."""
    return [StrategyMean(one.ruleset, one.strategy, one.mean, one.scores.n) for one in all_series if one.mean]


class MeasureDifference(Protocol):
    """A function that returns the difference a - b of two means, with its interval."""

    def __call__(self, a: StrategyMean, b: StrategyMean, /) -> Interval: ...


def add_half_widths(a: StrategyMean, b: StrategyMean) -> Interval:
    """Return the difference a - b with an interval that needs the two means only."""
    return mean_difference(a.mean, b.mean)


def compare_rulesets(
    means: Sequence[StrategyMean], unit: str, difference: MeasureDifference = add_half_widths
) -> str:
    """Return how the mean of one strategy differs between the first ruleset and the others; empty if none can be said.

    The strategy is the one with the highest mean of those that played under every ruleset.
    """
    compared = choose_compared(means)
    if not compared:
        return ""
    base, *others = compared
    said = _join_words([_describe_difference(one.ruleset, difference(one, base), unit) for one in others])
    counts = [f"{one.results:,}" for one in (base, *others)]
    results = f"{counts[0]} results each" if len(set(counts)) == 1 else f"{_join_words(counts)} results"
    sentence = f"Compared with {base.ruleset}, {base.strategy} scores {said} ({results}; 95 % intervals)."
    return shorten_names(sentence, (one.strategy for one in means))


def choose_compared(means: Sequence[StrategyMean]) -> list[StrategyMean]:
    """Return the means of the strategy whose rulesets are compared, in their order; none if no strategy played everywhere."""
    by_strategy: dict[str, list[StrategyMean]] = {}
    for one in means:
        by_strategy.setdefault(one.strategy, []).append(one)
    rulesets = dict.fromkeys(one.ruleset for one in means)
    everywhere = [held for held in by_strategy.values() if len(held) == len(rulesets)]
    if len(rulesets) < 2 or not everywhere:
        return []
    return max(everywhere, key=lambda held: max(one.mean.estimate for one in held))


def _describe_difference(ruleset: str, difference: Interval, unit: str) -> str:
    sign, numbers = split_sign(difference)
    if sign == 0:
        return f"not clearly more or less with {ruleset} {_write_span(numbers)}"
    amount = f"{numbers.estimate} {unit} {'more' if sign > 0 else 'less'}"
    return f"{amount} a game with {ruleset} {_write_span(numbers)}"


def describe_strategies(
    means: Sequence[StrategyMean],
    unit: str,
    runs: Sequence[Run],
    *,
    lowest_wins: bool,
    difference: MeasureDifference = add_half_widths,
) -> str:
    """Return the best mean, and how far the next strategy of the same runs is behind it; empty without means."""
    if not means:
        return ""
    best, second = choose_best(means, runs, lowest_wins=lowest_wins)
    sentence = _describe_best(best, second, unit, difference)
    return shorten_names(sentence, (one.strategy for one in means))


def choose_best(
    means: Sequence[StrategyMean], runs: Sequence[Run], *, lowest_wins: bool
) -> tuple[StrategyMean, StrategyMean | None]:
    """Return the best of some means, and the best of the other strategies that played in the same runs, if any."""
    best, *others = sorted(means, key=lambda one: one.mean.estimate if lowest_wins else -one.mean.estimate)
    return best, _next_in_same_runs(best, others, runs)


def _describe_best(
    best: StrategyMean, second: StrategyMean | None, unit: str, difference: MeasureDifference
) -> str:
    numbers = format_interval_numbers(best.mean)
    sentence = (
        f"{best.strategy} scores {set_minus_signs(numbers.estimate)} {unit} a game on average "
        f"(95 % interval {set_minus_signs(numbers.low)} to {set_minus_signs(numbers.high)}; "
        f"{wording.format_count(best.results, 'result')})"
    )
    if second is None:
        return f"{sentence}."
    sign, numbers = split_sign(difference(best, second))
    if sign == 0:
        return f"{sentence}; {second.strategy} is not clearly behind {_write_span(numbers)}."
    return (
        f"{sentence}, {numbers.estimate} {'more' if sign > 0 else 'less'} than {second.strategy} "
        f"{_write_span(numbers)}."
    )


def _next_in_same_runs(
    best: StrategyMean, others: Sequence[StrategyMean], runs: Sequence[Run]
) -> StrategyMean | None:
    """Return the first of the other strategies that played in the same runs as the best one."""
    return next((one for one in others if _runs_with(one, runs) == _runs_with(best, runs)), None)


def _runs_with(one: StrategyMean, runs: Sequence[Run]) -> list[str]:
    return [run.name for run in runs if one.strategy in run.summary.strategies]


def _write_span(numbers: IntervalNumbers) -> str:
    return f"({set_minus_signs(numbers.low)} to {set_minus_signs(numbers.high)})"


def _join_words(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
