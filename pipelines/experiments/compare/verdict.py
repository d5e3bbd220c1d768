"""The verdict on two strategies, which claims no more than the numbers allow.

It names a winner only if both the interval and the p-value exclude zero, it says "equal" only within a margin that was chosen
before playing, and otherwise it is open. `pipelines.report.verdicts` says it in a sentence.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from pipelines.design.metrics import DEFAULT_METRIC, METRICS, Metric
from pipelines.statistics.planning import MIN_BLOCKS, allow_for_skewness

if TYPE_CHECKING:
    from pipelines.statistics.intervals import Interval
    from pipelines.statistics.sequential import StopDecision

VerdictKind: TypeAlias = Literal["more", "fewer", "equal", "identical", "undecided", "too few blocks"]


@dataclass(frozen=True)
class Findings:
    """What is known about the difference A - B; numbers are in the unit of the metric, win shares between 0 and 1."""

    a: str
    b: str
    difference: Interval | None
    """None for fewer than two blocks."""
    p: float
    """p-value of the sign-flip test; in sequential play the p-value that is valid at every look."""
    blocks: int
    games_per_block: int
    differing: int
    """Number of blocks in which A and B differed in at least one game."""
    win_share: Interval | None = None
    """A's share of the wins; ties are split."""
    detectable: float | None = None
    """Smallest true difference that this number of blocks detects with probability 0.8."""
    margin: float | None = None
    """Differences up to this size count as equal; chosen before playing."""
    least_blocks: int = MIN_BLOCKS
    """Number of blocks from which the interval is reliable (`statistics.least_blocks`)."""
    is_sequential: bool = False
    """True if the results decided when to stop playing; interval and p-value are then valid at every look, under the
    condition that `pipelines.statistics.sequential` states."""
    lowest_wins: bool = False
    """True if the lowest score wins the game."""
    metric: Metric = METRICS[DEFAULT_METRIC]
    level: float = 0.95
    decision: StopDecision = "undecided"
    """The decision of the stopping rule. In sequential play it is the verdict: the rule has its own allowance for skewed
    differences and for few blocks that differ."""
    name_a: str = ""
    """What sentences call A, such as its short name; empty if they use `a`."""
    name_b: str = ""
    """What sentences call B."""

    @property
    def names(self) -> tuple[str, str]:
        """What sentences call A and B."""
        return self.name_a or self.a, self.name_b or self.b


@dataclass(frozen=True)
class Verdict:
    """The result of comparing A with B."""

    kind: VerdictKind
    """`more` and `fewer` give the sign of A - B; the field `better` says who is better."""
    better: str | None
    """The strategy that is better, if that is clear and the difference is not within the margin."""
    findings: Findings


def make_verdict(findings: Findings) -> Verdict:
    """Return the verdict that the findings allow.

    Raises ValueError for numbers that are not finite or contradict each other.

    >>> from pipelines.statistics.intervals import Interval
    >>> findings = Findings("planner", "greedy", Interval(6.1, 5.2, 7.0), 0.0001, 400, 3, 398, Interval(0.58, 0.55, 0.61))
    >>> make_verdict(findings).better
    'planner'
    """
    _check_findings(findings)
    kind = _verdict_kind(findings)
    better = None
    if kind in {"more", "fewer"} and not _is_within_margin(findings):
        better = findings.a if (kind == "more") != is_less_better(findings) else findings.b
    return Verdict(kind, better, findings)


def _verdict_kind(findings: Findings) -> VerdictKind:
    if findings.blocks < MIN_BLOCKS or findings.difference is None:
        return "too few blocks"
    if not findings.differing:
        return "identical"
    if findings.is_sequential:
        return findings.decision
    _, low, high = allow_for_skewness(findings.difference, findings.blocks, findings.least_blocks)
    if (low > 0 or high < 0) and findings.p <= 1 - findings.level:
        return "more" if low > 0 else "fewer"
    if findings.margin is not None and -findings.margin <= low and high <= findings.margin:
        return "equal"
    return "undecided"


def _is_within_margin(findings: Findings) -> bool:
    if findings.margin is None or findings.difference is None:
        return False
    return -findings.margin <= findings.difference.low and findings.difference.high <= findings.margin


def is_less_better(findings: Findings) -> bool:
    """Return whether the smaller value of the metric is the better one."""
    return findings.lowest_wins and findings.metric.follows_scores


def _check_findings(findings: Findings) -> None:
    if findings.difference is not None:
        _check_interval("difference", findings.difference)
    if findings.win_share is not None:
        _check_interval("win share", findings.win_share)
        if not 0 <= findings.win_share.low <= findings.win_share.high <= 1:
            raise ValueError(f"A win share must be between 0 and 1, not {tuple(findings.win_share)}.")
    if not 0 <= findings.p <= 1 or not 0 < findings.level < 1:
        raise ValueError(
            f"The p-value and the level must be between 0 and 1, not {findings.p} and {findings.level}."
        )
    if findings.margin is not None and not 0 < findings.margin < math.inf:
        raise ValueError(f"The margin of equality must be a positive number, not {findings.margin}.")
    if findings.detectable is not None and not 0 <= findings.detectable < math.inf:
        raise ValueError(f"The detectable difference must be a finite number, not {findings.detectable}.")
    if not 0 <= findings.differing <= findings.blocks or findings.games_per_block < 1:
        raise ValueError(f"{findings.differing} of {findings.blocks} blocks cannot differ.")
    _check_decision(findings)
    if not findings.differing and findings.difference is not None and findings.difference.estimate:
        raise ValueError("If no block differs, the difference must be zero.")


def _check_decision(findings: Findings) -> None:
    """Raise ValueError if the decision of the stopping rule contradicts the interval."""
    low, high = findings.difference[1:] if findings.difference else (0.0, 0.0)
    agrees = {
        "more": low > 0,
        "fewer": high < 0,
        "equal": _is_within_margin(findings),
        "undecided": True,
    }
    if findings.is_sequential and not agrees[findings.decision]:
        raise ValueError(f"The decision {findings.decision!r} contradicts the interval {low} to {high}.")


def _check_interval(name: str, interval: Interval) -> None:
    if not all(math.isfinite(value) for value in interval):
        raise ValueError(f"The {name} is not finite: {tuple(interval)}.")
    if not interval.low <= interval.estimate <= interval.high:
        raise ValueError(f"The {name} lies outside its own interval: {tuple(interval)}.")
