"""Sentences on what the order of strategies owes to reconstructed tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.design.lineups import short_names
from pipelines.records.robustness import find_robustness_record
from pipelines.statistics.rounding import format_interval_numbers

if TYPE_CHECKING:
    from pipelines.experiments.comparison import Comparison
    from pipelines.statistics import Interval


def describe_robustness(sha256: str) -> str:
    """Return on how many plausible tables the ladder of a ruleset has the same order, and which pair depends most on ours.

    The text is empty for a ruleset that was not measured.
    """
    record = find_robustness_record(sha256)
    if record is None:
        return ""
    weakest = min(record.pairs, key=lambda pair: pair.ahead)
    names = short_names([name for pair in record.pairs for name in (pair.strategy, pair.against)])
    order = (
        f"With other plausible tables in place of ours, the strategies of the ladder are clearly in the same order in "
        f"{_format_count(record.ordered, record.draws, record.share)}, and two neighbours have clearly changed places in "
        f"{record.swapped or 'none'}."
    )
    if weakest.ahead == record.draws:
        return order
    return (
        f"{order} Most depends on our tables that {names[weakest.strategy]} is ahead of {names[weakest.against]}: clearly in "
        f"{_format_count(weakest.ahead, weakest.draws, weakest.share)}, clearly behind in {weakest.behind or 'none'}."
    )


def describe_pairs_robustness(comparison: Comparison) -> str:
    """Return on how many plausible tables one of two compared strategies is ahead, for each pair that was measured."""
    record = find_robustness_record(comparison.sha256)
    if record is None:
        return ""
    compared = {frozenset((pair.a, pair.b)) for pair in comparison.pairs}
    pairs = [pair for pair in record.pairs if frozenset((pair.strategy, pair.against)) in compared]
    names = short_names(comparison.strategies)
    return " ".join(
        f"With other plausible tables in place of our reconstruction, {names[pair.strategy]} is clearly ahead of "
        f"{names[pair.against]} in {_format_count(pair.ahead, pair.draws, pair.share)}, clearly behind in {pair.behind or 'none'}."
        for pair in pairs
    )


def _format_count(count: int, draws: int, share: Interval) -> str:
    """Return on how many draws of the tables something holds, with the interval of the share.

    >>> from pipelines.statistics import wilson
    >>> _format_count(200, 200, wilson(200, 200))
    '200 of 200 cases (95 % interval 98.1 to 100.0 %)'
    """
    _, low, high = format_interval_numbers(share.times(100), exact=(0.0, 100.0))
    return f"{count} of {draws} cases (95 % interval {low} to {high} %)"
