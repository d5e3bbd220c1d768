"""Estimates with their intervals as text, and sentences about them and about changes, for all front ends."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from engine.wording import capitalise, format_count, name_amount
from pipelines.statistics.rounding import count_decimals, format_interval_numbers, set_minus_signs, split_sign

if TYPE_CHECKING:
    from pipelines.statistics.intervals import Interval

ALL_EQUAL: Final = "all equal"
"""What stands in place of an interval if all results were equal: no claim on those to come."""
EXACT: Final = "exact"
"""What stands there if the rules determine the number, or if it is what happened."""
NOT_ENOUGH_GAMES: Final = "not enough games"
_SHARE_ENDS: Final = (0.0, 50.0, 100.0)
"""Shares to which no end of an interval is rounded."""
_WHOLE_HALF_WIDTH: Final = 0.5
"""Half the width of the narrowest interval whose estimate is said in whole numbers."""


class IntervalText(str):
    """The text of an interval, with its numbers for data frames. Text with something added is plain text again."""

    __slots__ = ("interval",)

    interval: Interval | None
    """In the unit of the typed answer: a share is from 0 to 1 where the text has wins of 100."""


def write_interval_text(text: str, interval: Interval | None) -> IntervalText:
    """Return a text that stands for an interval in a table; None if the interval is not known."""
    interval_text = IntervalText(set_minus_signs(text))
    interval_text.interval = interval
    return interval_text


def set_sentence(text: str) -> str:
    """Return a text with a capital at its start, a full stop at its end, and real minus signs.

    >>> set_sentence("planner is -2 points ahead")
    'Planner is −2 points ahead.'
    """
    return f"{set_minus_signs(capitalise(text))}{'' if text.endswith('.') else '.'}" if text else ""


def says_sentence(text: str, sentence: str) -> bool:
    """Return whether a text that a person wrote contains a sentence of ours, as `set_sentence` writes it.

    >>> says_sentence("Builder beats greedy. Really?", "builder beats greedy")
    True
    """
    return set_sentence(sentence).rstrip(".") in set_minus_signs(text)


def format_interval(  # noqa: PLR0913 - all keywords
    interval: Interval | None,
    *,
    scale: float = 1.0,
    signed: bool = False,
    exact: tuple[float, ...] = (0.0,),
    when_equal: str = ALL_EQUAL,
    decimals: int | None = None,
) -> IntervalText:
    """Return an estimate with the ends of its 95 % interval, all multiplied by `scale`.

    It has the digits that the interval supports, or those of `share_decimals` for numbers that stand together. No end is
    rounded to a number in `exact` unless it is that number. In place of an interval without a width stands `when_equal`.

    >>> from pipelines.statistics import Interval
    >>> format_interval(Interval(-0.05, -0.1, 0.0), scale=100), format_interval(None)
    ('−5 (−10 to 0)', 'not enough games')
    >>> format_interval(Interval(2, 2, 2), signed=True)
    '+2 (all equal)'
    >>> format_interval(Interval(0.2, -6.1, 6.4), signed=True)
    '0 (−6 to 6)'
    """
    if interval is None or not all(map(math.isfinite, interval)):
        return write_interval_text(NOT_ENOUGH_GAMES, None)
    scaled, typed_interval = interval.times(scale), interval if scale > 0 else interval.times(-1)
    estimate, low, high = format_interval_numbers(scaled, exact=exact, decimals=decimals)
    plus = "+" if signed and scaled.estimate > 0 and estimate.strip("0.") else ""
    if scaled.low == scaled.high:
        return write_interval_text(f"{plus}{scaled.estimate:g} ({when_equal})", typed_interval)
    return write_interval_text(f"{plus}{estimate} ({low} to {high})", typed_interval)


def share_decimals(
    intervals: Iterable[Interval | None],
    *,
    scale: float = 1.0,
    exact: tuple[float, ...] = (0.0,),
    parts: float = 5,
) -> int:
    """Return the decimals that `format_interval` gives to numbers that stand together, chosen by the widest interval.

    Points without a width do not count. `parts` is that of `count_decimals`.
    """
    widths = [
        interval.times(scale)
        for interval in intervals
        if interval is not None and all(map(math.isfinite, interval)) and interval.low < interval.high
    ]
    return count_decimals(widths, exact, parts)


def format_intervals(
    intervals: Sequence[Interval | None],
    *,
    scale: float = 1.0,
    signed: bool = False,
    exact: tuple[float, ...] = (0.0,),
    when_equal: str = ALL_EQUAL,
) -> list[IntervalText]:
    """Return the texts of a column of a table, or of others that stand together: all with the same number of decimals.

    >>> from pipelines.statistics import Interval
    >>> format_intervals([Interval(-3.3, -3.9, -2.7), Interval(32.83, 32.41, 33.25), None])
    ['−3.3 (−3.9 to −2.7)', '32.8 (32.4 to 33.2)', 'not enough games']
    """
    decimals = share_decimals(intervals, scale=scale, exact=exact)
    return [
        format_interval(
            interval, scale=scale, signed=signed, exact=exact, when_equal=when_equal, decimals=decimals
        )
        for interval in intervals
    ]


def write_interim(blocks: int, planned: int, estimates: str) -> str:
    """Return the sentence of an answer that still grows: its estimates without a finding, which a later look could withdraw.

    The intervals of such an answer are valid once, when all blocks are played.

    >>> write_interim(62, 400, "greedy scores 41.3 points on average")
    'so far, after 62 of 400 blocks: greedy scores 41.3 points on average'
    """
    return f"so far, after {blocks:,} of {format_count(planned, 'block')}: {estimates}"


def format_share(share: Interval | None) -> IntervalText:
    """Return a share with its interval, of 100."""
    return format_interval(share, scale=100, exact=_SHARE_ENDS)


def format_shares(shares: Sequence[Interval | None]) -> list[IntervalText]:
    """Return shares that stand together with their intervals, of 100."""
    return format_intervals(shares, scale=100, exact=_SHARE_ENDS)


def write_percent(share: Interval) -> str:
    """Return a share in per cent with the ends of its interval: in whole numbers if the interval allows no more.

    >>> from pipelines.statistics import Interval
    >>> write_percent(Interval(0.92, 0.9, 0.934)), write_percent(Interval(0, 0, 0.003))
    ('92 % (90 to 93 %)', '0.0 % (0.0 to 0.3 %)')
    """
    if share.low == share.high:
        return f"{100 * share.estimate:g} %"
    estimate, low, high = format_interval_numbers(share.times(100), exact=(0.0, 100.0), parts=1)
    return f"{estimate} % ({low} to {high} %)"


def write_bound(share: Interval, of: str) -> str:
    """Return how often at most happens what did not happen; empty if it cannot.

    >>> from pipelines.statistics import Interval
    >>> write_bound(Interval(0, 0, 0.0123), "blocks"), write_bound(Interval(0, 0, 0), "blocks")
    ('at most 1.2 of 100 blocks', '')
    """
    return f"at most {float(f'{100 * share.high:.2g}'):g} of 100 {of}" if share.high else ""


def write_about(interval: Interval) -> str:
    """Return an estimate as people say it: in whole numbers if its interval is wider than one, else as exact as it allows.

    The number always lies inside of the interval.

    >>> from pipelines.statistics import Interval
    >>> write_about(Interval(41.1, 40.4, 41.8)), write_about(Interval(-2.13, -2.34, -1.92)), write_about(Interval(3, 3, 3))
    ('about 41', 'about −2.1', '3')
    """
    if interval.low == interval.high:
        return set_minus_signs(f"{interval.estimate:g}")
    if interval.half_width >= _WHOLE_HALF_WIDTH and interval.low <= round(interval.estimate) <= interval.high:
        return set_minus_signs(f"about {round(interval.estimate)}")
    number = format_interval_numbers(interval, parts=count_parts(interval)).estimate
    return set_minus_signs(
        f"about {number.rstrip('0').rstrip('.') if '.' in number and 'e' not in number else number}"
    )


def count_parts(interval: Interval) -> float:
    """Return the `parts` of `format_interval_numbers` with which the ends of an interval have the decimals of `write_about`."""
    return 5 if interval.half_width >= _WHOLE_HALF_WIDTH else 1


def format_p_value(p: float) -> str:
    """Return a p-value with two digits.

    >>> format_p_value(0.0312), format_p_value(2e-81)
    ('0.031', '< 0.0001')
    """
    return "< 0.0001" if p < 0.0001 else f"{p:.2g}"


def name_ends(interval: Interval, ends: str) -> str:
    """Return the ends of an interval, as `ends` words them; equal results have none, and say nothing on those to come.

    >>> from pipelines.statistics import Interval
    >>> name_ends(Interval(2, 1, 3), "1 to 3"), name_ends(Interval(2, 2, 2), "2 to 2")
    ('1 to 3', 'all equal')
    """
    return ALL_EQUAL if interval.low == interval.high else ends


def write_score_change(who: str, difference: Interval, more: str = "") -> str:
    """Return what `who` scores more or fewer, with the interval; `more` stands behind the interval in the brackets.

    >>> from pipelines.statistics import Interval
    >>> write_score_change("greedy", Interval(-6.1, -7.0, -5.2), "; 800 games")
    'greedy scores 6.1 points fewer (95 % interval 5.2 to 7.0; 800 games)'
    >>> write_score_change("greedy", Interval(0.1, -1.0, 1.2))
    'the score of greedy does not clearly change (95 % interval -1.0 to 1.2)'
    """
    sign, (points, low, high) = split_sign(difference)
    interval = f"({name_ends(difference, f'95 % interval {low} to {high}')}{more})"
    if sign == 0:
        return f"the score of {who} does not clearly change {interval}"
    return f"{who} scores {name_amount(points)} {'more' if sign > 0 else 'fewer'} {interval}"


def write_win_change(who: str, difference: Interval) -> str:
    """Return how many of 100 games `who` wins more or fewer, given the change of a share of wins.

    >>> from pipelines.statistics import Interval
    >>> write_win_change("it", Interval(0.03, 0.01, 0.05))
    'it wins 3 of 100 games more (1 to 5)'
    >>> write_win_change("it", Interval(0.01, -0.02, 0.04))
    'how often it wins does not clearly change (-2 to 4 of 100 games)'
    """
    change, span = split_win_change(who, difference)
    return f"{change} ({span})"


def split_win_change(who: str, difference: Interval) -> tuple[str, str]:
    """Return the words of `write_win_change`, and those in its brackets."""
    percent = difference.times(100)
    sign, (games, low, high) = split_sign(percent, parts=2)
    if sign == 0:
        _, low, high = format_interval_numbers(percent, parts=2)
        ends = name_ends(difference, f"{low} to {high} of 100 games")
        return f"how often {who} wins does not clearly change", ends
    change = f"{who} wins {games} of 100 games {'more' if sign > 0 else 'fewer'}"
    return change, name_ends(difference, f"{low} to {high}")


def write_length_change(difference: Interval) -> str:
    """Return by how many rounds games are longer or shorter.

    >>> from pipelines.statistics import Interval
    >>> write_length_change(Interval(-7.64, -7.84, -7.43))
    'games are 7.64 rounds shorter (7.43 to 7.84)'
    """
    sign, (count, low, high) = split_sign(difference)
    if sign == 0:
        return f"the length of games does not clearly change ({name_ends(difference, f'{low} to {high} rounds')})"
    return f"games are {count} rounds {'longer' if sign > 0 else 'shorter'} ({name_ends(difference, f'{low} to {high}')})"
