"""The sentence on distributions of scores, in everyday words: every number with its interval, and how many results it has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.report import wording
from pipelines.report.estimates import count_parts, write_about
from pipelines.statistics.rounding import format_interval_numbers, set_minus_signs, split_sign

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.questions.scores.distributions import DistributionsAnswer, MeansComparison
    from pipelines.statistics import Interval


def describe_distributions(answer: DistributionsAnswer) -> str:
    """Return how means compare: between rulesets, or of the best two strategies; empty if nothing can be compared."""
    if answer.comparison is None:
        return ""
    unit = f"points of {answer.question.part}" if answer.part else "points"
    return describe_comparison(answer.comparison, unit)


def describe_comparison(comparison: MeansComparison, unit: str) -> str:
    """Return the mean of one strategy and how it differs under other rulesets, or the best mean and how far the next is from it."""
    base = comparison.base
    if base.mean.interval is None:
        return ""
    said = f"{base.name} scores {write_about(base.mean.interval)} {unit} with {base.ruleset} {write_span(base.mean.interval)}"
    if comparison.is_of_rulesets:
        others = comparison.others
        told = [compare_amounts(difference, f"with {one.ruleset}") for one, difference in others]
        return add_basis(f"{said}, {join_words(told)}", [base.scores.n, *(one.scores.n for one, _ in others)])
    for second, difference in comparison.others[:1]:
        amount = compare_amounts(difference.times(-1))
        return add_basis(f"{said}; {second.name} {amount}", [base.scores.n, second.scores.n])
    return add_basis(said, [base.scores.n])


def describe_lead(comparison: MeansComparison, *, lowest_wins: bool) -> str:
    """Return who of two strategies beats whom and by how much, or that this is not clear; of one strategy what it scores.

    It has no full stop, and is empty if there are too few blocks.
    """
    base = comparison.base
    if base.mean.interval is None:
        return ""
    if not comparison.others:
        estimate, low, high = format_interval_numbers(base.mean.interval)
        return set_minus_signs(f"{base.name} scores {estimate} points a game (95 % interval {low} to {high})")
    second, difference = comparison.others[0]
    sign, (estimate, low, high) = split_sign(difference)
    if sign == 0:
        span = f"between {low.removeprefix('-')} points fewer and {high} more"
        return f"too close to call: {base.name} scores {span} than {second.name} (95 % interval)"
    winner, loser = (second, base) if (sign < 0) != lowest_wins else (base, second)
    unit = "point" if estimate == "1" else "points"
    fewest = "fewer points win; " if lowest_wins else ""
    return f"{winner.name} beats {loser.name} by {estimate} {unit} a game ({fewest}95 % interval {low} to {high})"


def compare_amounts(difference: Interval, about: str = "", more: str = "") -> str:
    """Return how much more or fewer one has than another, or that this is not clear, with the interval in brackets.

    `about` follows the amount, `more` stands in the brackets of a clear difference.

    >>> from pipelines.statistics import Interval
    >>> compare_amounts(Interval(-4.1, -5.8, -2.4), "with rest"), compare_amounts(Interval(0.5, -1.2, 2.2))
    ('about 4 fewer with rest (2.4 to 5.8)', 'perhaps as many (between 1.2 fewer and 2.2 more)')
    """
    sign, numbers = split_sign(difference, count_parts(difference))
    about = f" {about}" if about else ""
    if sign == 0:
        fewer = numbers.low.removeprefix("-")
        return f"perhaps as many{about} (between {fewer} fewer and {numbers.high} more)"
    clear = difference.times(sign)
    return f"{write_about(clear)} {'more' if sign > 0 else 'fewer'}{about} {write_span(clear, more)}"


def add_basis(said: str, counts: Sequence[int]) -> str:
    """Return a sentence with what it rests on, in brackets at its end: `counts` are the numbers of results behind its means.

    >>> add_basis("greedy scores about 41 points (40.4 to 41.8)", [1200, 1200])
    'greedy scores about 41 points (40.4 to 41.8; 1,200 results each; 95 % intervals).'
    """
    last = wording.format_count(counts[-1], "result")
    if len(set(counts)) == 1:
        results = f"{last}{' each' if len(counts) > 1 else ''}"
    else:
        results = join_words([*(f"{count:,}" for count in counts[:-1]), last])
    basis = f"{results}; 95 % intervals)."
    return f"{said[:-1]}; {basis}" if said.endswith(")") else f"{said} ({basis}"


def write_span(interval: Interval, more: str = "") -> str:
    """Return the ends of an interval in brackets, as exact as `write_about` says its estimate."""
    numbers = format_interval_numbers(interval, parts=count_parts(interval))
    end = f"; {more}" if more else ""
    return f"({set_minus_signs(numbers.low)} to {set_minus_signs(numbers.high)}{end})"


def join_words(parts: Sequence[str]) -> str:
    """Return a list in words.

    >>> join_words(["one", "two", "three"])
    'one, two and three'
    """
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
