"""The sentence on distributions of scores: what they show, with the interval of every number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.report import wording
from pipelines.statistics.rounding import format_interval_numbers, set_minus_signs, split_sign

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.questions.scores.distributions import DistributionsAnswer, MeansComparison
    from pipelines.report.charts.series import ScoreSeries
    from pipelines.statistics import Interval
    from pipelines.statistics.rounding import IntervalNumbers


def describe_distributions(answer: DistributionsAnswer) -> str:
    """Return how means compare: between rulesets, or of the best two strategies; empty if nothing can be compared."""
    if answer.comparison is None:
        return ""
    unit = f"points of {answer.question.part}" if answer.part else "points"
    return describe_comparison(answer.comparison, unit)


def describe_comparison(comparison: MeansComparison, unit: str) -> str:
    """Return how the mean of one strategy differs between rulesets, or the best mean and how far the next is behind it."""
    if comparison.is_of_rulesets:
        return _describe_rulesets(comparison, unit)
    return _describe_best(comparison, unit)


def _describe_rulesets(comparison: MeansComparison, unit: str) -> str:
    base, others = comparison.base, comparison.others
    said = join_words([_describe_difference(one.ruleset, difference, unit) for one, difference in others])
    counts = [one.scores.n for one in (base, *(one for one, _ in others))]
    same = len(set(counts)) == 1
    last = wording.format_count(counts[-1], "result")
    results = f"{last} each" if same else join_words([*(f"{count:,}" for count in counts[:-1]), last])
    return f"Compared with {base.ruleset}, {base.name} scores {said} ({results}; 95 % intervals)."


def _describe_difference(ruleset: str, difference: Interval, unit: str) -> str:
    sign, numbers = split_sign(difference)
    if sign == 0:
        return f"not clearly more or less with {ruleset} {write_span(numbers)}"
    amount = f"{numbers.estimate} {unit} {'more' if sign > 0 else 'less'}"
    return f"{amount} a game with {ruleset} {write_span(numbers)}"


def _describe_best(comparison: MeansComparison, unit: str) -> str:
    base = comparison.base
    if base.mean.interval is None:
        return ""
    numbers = format_interval_numbers(base.mean.interval)
    sentence = (
        f"{base.name} scores {set_minus_signs(numbers.estimate)} {unit} a game on average "
        f"(95 % interval {set_minus_signs(numbers.low)} to {set_minus_signs(numbers.high)}; "
        f"{wording.format_count(base.scores.n, 'result')})"
    )
    for second, difference in comparison.others[:1]:
        sign, numbers = split_sign(difference)
        if sign == 0:
            ahead = format_interval_numbers(difference.times(-1)).high
            return (
                f"{sentence}; {second.name} may score as much (between {ahead} more and {numbers.high} less)."
            )
        more = "more" if sign > 0 else "less"
        return f"{sentence}, {numbers.estimate} {more} than {second.name} {write_span(numbers)}."
    return f"{sentence}."


def describe_baseline(lines: Sequence[ScoreSeries]) -> str:
    """Return the mean scores of the pinned baseline; empty if it has none with an interval."""
    said, is_single = [], len({one.ruleset for one in lines}) == 1
    for one in lines:
        if one.mean:
            numbers = format_interval_numbers(one.mean)
            results = wording.format_count(one.scores.n, "result")
            said.append(
                f"{one.title or one.strategy}{'' if is_single else f' with {one.ruleset}'} {set_minus_signs(numbers.estimate)} {write_span(numbers, results)}"
            )
    return f"Means of the baseline, with 95 % intervals: {join_words(said)}." if said else ""


def write_span(numbers: IntervalNumbers, more: str = "") -> str:
    """Return the ends of an interval in brackets."""
    end = f"; {more}" if more else ""
    return f"({set_minus_signs(numbers.low)} to {set_minus_signs(numbers.high)}{end})"


def join_words(parts: Sequence[str]) -> str:
    """Return a list in words.

    >>> join_words(["one", "two", "three"])
    'one, two and three'
    """
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
