"""Sentences on what the order of strategies owes to reconstructed tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.design.short_names import short_names
from pipelines.records.robustness import find_robustness_record
from pipelines.report.estimates import format_interval

if TYPE_CHECKING:
    from pipelines.experiments.compare.comparison import Comparison


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
        f"With {record.draws} other plausible tables in place of ours, the strategies of the ladder are clearly in the same order on "
        f"{format_interval(record.share, scale=100)} % of them, and two neighbours have clearly changed places on {record.swapped or 'none'}."
    )
    if weakest.ahead == record.draws:
        return order
    return (
        f"{order} Most depends on our tables that {names[weakest.strategy]} is ahead of {names[weakest.against]}: clearly on "
        f"{format_interval(weakest.share, scale=100)} %, clearly behind on {weakest.behind or 'none'}."
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
        f"With {record.draws} other plausible tables in place of our reconstruction, {names[pair.strategy]} is clearly ahead of "
        f"{names[pair.against]} on {format_interval(pair.share, scale=100)} % of them, clearly behind on {pair.behind or 'none'}."
        for pair in pairs
    )
