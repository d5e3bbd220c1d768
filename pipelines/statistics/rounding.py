"""Text for estimates and intervals: as many decimals as the uncertainty allows, and no more."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from pipelines.statistics.intervals import Interval

MAX_DECIMALS: Final = 6
"""Numbers that need more decimals are written with an exponent."""
MAX_FINENESS: Final = 500
"""Half the width of an interval is at most this many times as large as the last decimal of all its numbers."""
EXTRA_DECIMALS: Final = 3
"""Decimals that an end of an interval has at most to be told from a bound such as 100."""
MINUS_SIGN: Final = "\N{MINUS SIGN}"
_NEGATIVE_PATTERN: Final = re.compile(r"(?<![\w=:,.-])-(?=\d)")
"""A hyphen before a number and not behind a letter or a digit, as in names and settings such as `gap=-3`."""


def set_minus_signs(text: str) -> str:
    """Return a text with real minus signs before its negative numbers.

    >>> set_minus_signs("-1.5 (-2.0 to -1.0) in bloxx-2p with gap=-3")
    '−1.5 (−2.0 to −1.0) in bloxx-2p with gap=-3'
    """
    return _NEGATIVE_PATTERN.sub(MINUS_SIGN, text)


class IntervalNumbers(NamedTuple):
    """An estimate and the ends of its interval as text."""

    estimate: str
    low: str
    high: str


def count_decimals(intervals: Sequence[Interval], exact: tuple[float, ...] = (0.0,), parts: float = 5) -> int:
    """Return how many decimals the numbers of some intervals that stand together have.

    The last decimal is worth at most half the width of the widest interval divided by `parts`. There is one more if an end would
    else be rounded to a number in `exact`, or to the other end, if one suffices and is not worth less than a `MAX_FINENESS`th of
    that half width. Else only that end has more (`format_interval_numbers`): a wide interval does not become exact because
    it begins near 0.

    >>> from pipelines.statistics import Interval
    >>> count_decimals([Interval(-3.3, -3.9, -2.7), Interval(32.83, 32.41, 33.25)]), count_decimals([Interval(5, 4.4, 5.6)])
    (1, 1)
    """
    widest = max((interval.half_width for interval in intervals), default=0.0)
    decimals = max(0, math.ceil(-math.log10(widest / parts))) if widest > 0 else 1

    def tells_apart(decimals: int) -> bool:
        return all(_tells_ends_apart(interval, exact, decimals) for interval in intervals)

    is_too_fine = widest * 10 ** (decimals + 1) > MAX_FINENESS
    return decimals if tells_apart(decimals) or is_too_fine or not tells_apart(decimals + 1) else decimals + 1


def _tells_ends_apart(interval: Interval, exact: tuple[float, ...], decimals: int) -> bool:
    return all(
        _end_decimals(end, _list_others(end, other, exact, decimals), decimals) == decimals
        for end, other in _pair_ends(interval)
    )


def _list_others(end: float, other: float, exact: tuple[float, ...], decimals: int) -> tuple[float, ...]:
    """Return the numbers to which an end of an interval is not rounded.

    A bound such as 100 is not among them if `EXTRA_DECIMALS` do not tell the end from it: rounded, the interval is wider by less.
    """
    least = 0.5 * 10.0 ** -(decimals + EXTRA_DECIMALS)
    return (*(number for number in exact if not number or abs(end - number) > least), other)


def _pair_ends(interval: Interval) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return each end of an interval with the other one."""
    return (interval.low, interval.high), (interval.high, interval.low)


def _end_decimals(value: float, others: Sequence[float], decimals: int) -> int:
    """Return the least decimals, at most `MAX_DECIMALS` + 1, with which a value is not rounded to another number."""
    apart = [number for number in others if not math.isclose(value, number, rel_tol=1e-9)]
    while decimals <= MAX_DECIMALS and any(
        round(value, decimals) == round(number, decimals) for number in apart
    ):
        decimals += 1
    return decimals


def format_interval_numbers(
    interval: Interval, exact: tuple[float, ...] = (0.0,), parts: float = 5, decimals: int | None = None
) -> IntervalNumbers:
    """Return the three numbers of an interval as text, with the decimals of `count_decimals` if none are given, or too few.

    No end is rounded to a number in `exact` unless it is that number, nor to the other end: an end that needs more decimals has
    more. The estimate is not rounded to a number in `exact` that lies outside of the interval.

    >>> from pipelines.statistics import Interval
    >>> tuple(format_interval_numbers(Interval(1.0, 0.04, 1.96))), tuple(format_interval_numbers(Interval(2.78, 0.03, 19.37)))
    (('1.00', '0.04', '1.96'), ('3', '0.03', '19'))
    >>> tuple(format_interval_numbers(Interval(99, 83, 99.999997), (0.0, 100.0)))
    ('99', '83', '100')
    """
    if decimals is None or not _tells_ends_apart(interval, exact, decimals):
        decimals = max(decimals or 0, count_decimals([interval], exact, parts))
    excluded = [number for number in exact if not interval.low <= number <= interval.high]
    ends = _pair_ends(interval)
    return IntervalNumbers(
        _format_rounded(interval.estimate, _end_decimals(interval.estimate, excluded, decimals)),
        *(
            _format_rounded(end, _end_decimals(end, _list_others(end, other, exact, decimals), decimals))
            for end, other in ends
        ),
    )


def _format_rounded(value: float, decimals: int) -> str:
    if decimals > MAX_DECIMALS:
        return f"{value:.3g}"
    return f"{round(value, decimals) + 0.0:.{decimals}f}"  # adding zero turns "-0.0" into "0.0"


def split_sign(difference: Interval, parts: float = 5) -> tuple[int, IntervalNumbers]:
    """Return the sign of a difference and its numbers without that sign, for sentences with "more" or "fewer".

    The sign is 0 if the interval contains 0; the numbers are then unchanged. `parts` is that of
    `format_interval_numbers`.

    >>> from pipelines.statistics import Interval
    >>> sign, numbers = split_sign(Interval(-6.1, -7.0, -5.2))
    >>> sign, tuple(numbers)
    (-1, ('6.1', '5.2', '7.0'))
    """
    if difference.low <= 0 <= difference.high:
        return 0, format_interval_numbers(difference, parts=parts)
    if difference.low > 0:
        return 1, format_interval_numbers(difference, parts=parts)
    return -1, format_interval_numbers(difference.times(-1), parts=parts)


def format_short_interval(interval: Interval, *, signed: bool = False, decimals: int | None = None) -> str:
    """Return an interval as short text with real minus signs: with ± only if both ends are equally far away.

    With `signed`, a positive estimate has a plus sign. If the ends are not known, the text is the estimate alone.
    `decimals` are those of `format_interval_numbers`; with too few for a half width, both ends are given.

    >>> from pipelines.statistics import Interval
    >>> format_short_interval(Interval(1.234, 1.134, 1.334)), format_short_interval(Interval(2.0, 2.0, 2.0), signed=True)
    ('1.23 ± 0.10', '+2')
    >>> format_short_interval(Interval(-43.0, -45.0, -34.0))
    '\u221243 (\u221245 to \u221234)'
    """
    plus = "+" if signed and interval.estimate > 0 else ""
    if not math.isfinite(interval.half_width):
        return set_minus_signs(f"{plus}{interval.estimate:.4g}")
    if interval.half_width == 0:
        return set_minus_signs(f"{plus}{interval.estimate:g}")
    estimate, low, high = format_interval_numbers(interval, decimals=decimals)
    decimals = len(estimate.partition(".")[2])
    down, up = (
        f"{distance:.{decimals}f}"
        for distance in (interval.estimate - interval.low, interval.high - interval.estimate)
    )
    are_alike = len({len(number.partition(".")[2]) for number in (estimate, low, high)}) == 1
    is_symmetric = down == up and float(up) > 0 and "e" not in estimate and are_alike
    return set_minus_signs(f"{plus}{estimate}{f' ± {up}' if is_symmetric else f' ({low} to {high})'}")
