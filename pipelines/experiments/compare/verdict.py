"""What an estimate allows one to say: one honest sentence and a verdict that programs can read.

The sentence never claims more than its interval: a sign only where the interval and the p-value both exclude zero,
equality only within a margin that was named before, and otherwise that there were not enough games.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal, TypeAlias

from pipelines.statistics.intervals import Interval
from pipelines.statistics.planning import MIN_BLOCKS

VerdictKind: TypeAlias = Literal["more", "fewer", "equal", "identical", "undecided", "too few blocks"]


@dataclass(frozen=True)
class MetricWording:
    """What was counted in each game, and how one says that A has more or less of it than B."""

    more: str
    fewer: str
    one: str
    """What margins are counted in, singular and plural."""
    many: str
    scale: float = 1.0
    """Amounts are shown times this: 100 for shares."""
    follows_scores: bool = False
    """Whether less of it is better where the lowest score wins."""


METRIC_WORDINGS: Final[dict[str, MetricWording]] = {
    "score": MetricWording(
        "{a} scores {amount} more than {b} per game",
        "{a} scores {amount} fewer than {b} per game",
        "point",
        "points",
        follows_scores=True,
    ),
    "margin": MetricWording(
        "{a} leads by {amount} more than {b} per game",
        "{a} leads by {amount} less than {b} per game",
        "point",
        "points",
    ),
    "win": MetricWording(
        "{a} wins {amount} more of 100 games than {b}",
        "{a} wins {amount} fewer of 100 games than {b}",
        "game of 100",
        "games of 100",
        100.0,
    ),
}
"""The metrics of a comparison. A margin counts how far one is ahead of the best rival, also where low scores win."""


MAX_DECIMALS: Final = 6
"""Smaller numbers are written with an exponent."""


@dataclass(frozen=True)
class Findings:
    """What is known about A - B: numbers in the metric's own unit, win shares between 0 and 1."""

    a: str
    b: str
    difference: Interval | None
    """None for fewer than two blocks."""
    p: float
    """Of the sign-flip test; in sequential play the one that is valid at every look."""
    blocks: int
    games_per_block: int
    differing: int
    """Blocks in which A and B ever differed."""
    win_share: Interval | None = None
    """A's share of wins, ties split."""
    detectable: float | None = None
    margin: float | None = None
    """Differences up to this size count as equal; named before playing."""
    least_blocks: int = MIN_BLOCKS
    """From how many blocks the interval can be trusted (`statistics.least_blocks`)."""
    is_sequential: bool = False
    """Whether playing stopped by what was seen: interval and p then hold at every look."""
    lowest_wins: bool = False
    """Whether the lowest score wins in this game."""
    metric: MetricWording = METRIC_WORDINGS["score"]
    level: float = 0.95


@dataclass(frozen=True)
class Verdict:
    """One sentence, and the same for programs."""

    kind: VerdictKind
    """`more` and `fewer` say which way A - B points; which of them is good is `better`."""
    better: str | None
    """The strategy that is ahead, if that is settled and not within the margin."""
    sentence: str
    findings: Findings

    def as_json(self) -> dict[str, Any]:
        """Return values that JSON can hold; intervals as objects with estimate, low and high."""
        found = asdict(self.findings)
        for name in ("difference", "win_share"):
            interval = getattr(self.findings, name)
            found[name] = interval and interval._asdict()
        return {"kind": self.kind, "better": self.better, "sentence": self.sentence, **found}


def make_verdict(found: Findings) -> Verdict:
    """Say what the findings allow, and no more.

    Raises ValueError for numbers that are not finite or contradict each other.

    >>> found = Findings("planner", "greedy", Interval(6.1, 5.2, 7.0), 0.0001, 400, 3, 398, Interval(0.58, 0.55, 0.61))
    >>> make_verdict(found).sentence
    'planner scores 6.1 more than greedy per game (95 % 5.2 to 7.0, 400 blocks of 3 games), and wins 58 % (55 to 61)'
    """
    _check_findings(found)
    kind = _verdict_kind(found)
    better = None
    if kind in {"more", "fewer"} and not _is_within_margin(found):
        better = found.a if (kind == "more") != _is_less_better(found) else found.b
    return Verdict(kind, better, _verdict_sentence(found, kind), found)


def format_interval_numbers(
    interval: Interval, exact: tuple[float, ...] = (0.0,), parts: float = 5
) -> tuple[str, str, str]:
    """Estimate, low and high as texts of equally many decimals, in steps of at most half the width over `parts`.

    More decimals where an end would be rounded onto one of the numbers `exact` that it is not.

    >>> format_interval_numbers(Interval(1.0, 0.04, 1.96))
    ('1.00', '0.04', '1.96')
    """
    decimals = (
        max(0, math.ceil(-math.log10(interval.half_width / parts))) if interval.half_width / parts > 0 else 1
    )
    ends = [
        (end, number)
        for end in (interval.low, interval.high)
        for number in exact
        if not math.isclose(end, number, rel_tol=1e-9)
    ]
    while any(round(end, decimals) == number for end, number in ends):
        decimals += 1
    if decimals > MAX_DECIMALS:
        return tuple(f"{value:.3g}" for value in interval)  # type: ignore[return-value]  # three values, three texts
    # Adding zero turns "-0.0" into "0.0".
    estimate, low, high = (f"{round(value, decimals) + 0.0:.{decimals}f}" for value in interval)
    return estimate, low, high


def format_plus_minus(interval: Interval, *, signed: bool = False) -> str:
    """Write an estimate with half its interval, no more digits than it carries.

    >>> format_plus_minus(Interval(1.234, 1.134, 1.334)), format_plus_minus(Interval(2.0, 2.0, 2.0), signed=True)
    ('1.23 ± 0.10', '+2')
    """
    sign = "+" if signed else ""
    if interval.half_width == 0:
        return f"{interval.estimate:{sign}g}"
    digits = len(format_interval_numbers(interval)[0].partition(".")[2])
    return f"{interval.estimate:{sign}.{digits}f} ± {interval.half_width:.{digits}f}"


def _verdict_kind(found: Findings) -> VerdictKind:
    if found.blocks < MIN_BLOCKS or found.difference is None:
        return "too few blocks"
    if not found.differing:
        return "identical"
    estimate, low, high = found.difference
    if found.blocks < found.least_blocks:
        # Skewed differences: an end may be off, so it must be clear by as much again.
        low, high = estimate - 2 * (estimate - low), estimate + 2 * (high - estimate)
    if (low > 0 or high < 0) and found.p <= 1 - found.level:
        return "more" if low > 0 else "fewer"
    if found.margin is not None and -found.margin <= low and high <= found.margin:
        return "equal"
    return "undecided"


def _verdict_sentence(found: Findings, kind: VerdictKind) -> str:
    games = f"{found.games_per_block} game{'s' * (found.games_per_block != 1)}"
    played = f"{found.blocks:,} block{'s' * (found.blocks != 1)} of {games}"
    if kind == "too few blocks" or found.difference is None:
        return f"not enough games to compare {found.a} with {found.b}: {played}, at least {MIN_BLOCKS} blocks are needed"
    if kind == "identical":
        return f"no difference in any of {played} between {found.a} and {found.b}"
    scale = found.metric.scale
    side = -scale if kind == "fewer" else scale
    ends = sorted(end * side for end in found.difference[1:])
    exact = (0.0,) if found.margin is None else (0.0, -found.margin * scale, found.margin * scale)
    amount, low, high = format_interval_numbers(Interval(found.difference.estimate * side, *ends), exact)
    always = " at every look" if found.is_sequential else ""
    interval = f"({found.level * 100:g} % {low} to {high}{always}, {played})"
    if kind in {"more", "fewer"}:
        said = found.metric.more if kind == "more" else found.metric.fewer
        good = " (fewer is better)" if _is_less_better(found) else ""
        within = f", within the margin of {_margin_words(found)}" if _is_within_margin(found) else ""
        return f"{said.format(a=found.a, b=found.b, amount=amount)}{good} {interval}{within}{_win_share_words(found)}"
    if kind == "equal":
        return (
            f"{found.a} and {found.b} are equal within {_margin_words(found)}: difference {amount} {interval}"
        )
    return f"not enough games to tell {found.a} from {found.b}: difference {amount} {interval}{_undecided_reason(found)}"


def _undecided_reason(found: Findings) -> str:
    """Say what kept the sign open: the test, the skewness, or the number of blocks."""
    if found.difference is not None and (found.difference.low > 0 or found.difference.high < 0):
        if found.p > 1 - found.level:
            return f"; the sign-flip test finds no difference (p = {found.p:.2g})"
        return f"; so skewed that {found.least_blocks:,} blocks are needed"
    return f"; could detect {found.detectable * found.metric.scale:.2g}" if found.detectable else ""


def _win_share_words(found: Findings) -> str:
    if found.win_share is None:
        return ""
    percent = Interval(*(100 * share for share in found.win_share))
    share, low, high = format_interval_numbers(percent, exact=(0.0, 50.0, 100.0), parts=2)
    return f", and wins {share} % ({low} to {high})"


def _margin_words(found: Findings) -> str:
    amount = (found.margin or 0.0) * found.metric.scale
    return f"{amount:g} {found.metric.one if amount == 1 else found.metric.many}"


def _is_within_margin(found: Findings) -> bool:
    if found.margin is None or found.difference is None:
        return False
    return -found.margin <= found.difference.low and found.difference.high <= found.margin


def _is_less_better(found: Findings) -> bool:
    return found.lowest_wins and found.metric.follows_scores


def _check_findings(found: Findings) -> None:
    if found.difference is not None:
        _check_interval("difference", found.difference)
    if found.win_share is not None:
        _check_interval("win share", found.win_share)
        if not 0 <= found.win_share.low <= found.win_share.high <= 1:
            raise ValueError(f"A win share lies between 0 and 1, not {tuple(found.win_share)}.")
    if not 0 <= found.p <= 1 or not 0 < found.level < 1:
        raise ValueError(
            f"A p-value lies between 0 and 1, not {found.p}, and so does the level, not {found.level}."
        )
    if found.margin is not None and not 0 < found.margin < math.inf:
        raise ValueError(f"The margin of equality is a positive number, not {found.margin}.")
    if found.detectable is not None and not 0 <= found.detectable < math.inf:
        raise ValueError(f"The detectable difference is a number, not {found.detectable}.")
    if not 0 <= found.differing <= found.blocks or found.games_per_block < 1:
        raise ValueError(f"{found.differing} of {found.blocks} blocks cannot have differed.")
    if not found.differing and found.difference is not None and any(found.difference):
        raise ValueError("Blocks that never differed have a difference of exactly zero.")


def _check_interval(name: str, interval: Interval) -> None:
    if not all(math.isfinite(value) for value in interval):
        raise ValueError(f"The {name} is not finite: {tuple(interval)}.")
    if not interval.low <= interval.estimate <= interval.high:
        raise ValueError(f"The {name} lies outside its own interval: {tuple(interval)}.")
