"""Read what the front ends show of one answer: numbers with their intervals, as pages, tables, JSON and notebooks have them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pipelines.statistics import Interval

EXACT: Final = 1e-9


@dataclass(frozen=True)
class Shown:
    """A number that a front end shows: what it is about, its n, and its estimate with the ends of its interval."""

    about: str
    n: int
    numbers: tuple[float, float, float]
    digit: float = EXACT
    """The unit of the last digit that is shown; intervals are rounded outwards."""


def show_interval(about: str, n: int, interval: Interval | None, scale: float = 1) -> Shown:
    """Return the number of an answer in Python."""
    assert interval is not None
    low, high = sorted((scale * interval.low, scale * interval.high))
    return Shown(about, n, (scale * interval.estimate, low, high))


def read_json_interval(about: str, n: int, found: Mapping[str, float], scale: float = 1) -> Shown:
    """Return a number of JSON data."""
    return Shown(about, n, (scale * found["estimate"], scale * found["low"], scale * found["high"]))


def read_interval(about: str, n: object, text: object) -> Shown:
    """Return a number in words, such as `+69.2 (64.5 to 73.8)` or `0 every time`."""
    words = re.findall(r"[-+]?[\d,]+(?:\.\d+)?", str(text).replace("−", "-"))
    numbers = [float(word.replace(",", "")) for word in words]
    if "every time" in str(text):
        words, numbers = words * 3, numbers * 3
    estimate, low, high = numbers
    digits = max(len(word.partition(".")[2]) for word in words)
    return Shown(about, read_count(n), (estimate, low, high), 1.01 * 10**-digits)


def read_columns(about: str, n: object, row: Mapping[str, Any], names: Sequence[str], digits: int) -> Shown:
    """Return a number whose estimate and ends stand in three columns with a number of digits."""
    estimate, low, high = (float(str(row[name]).replace(",", "").replace("−", "-")) for name in names)
    return Shown(about, read_count(n), (estimate, low, high), 0.51 * 10**-digits)


def read_count(text: object) -> int:
    """Return a count, which may have commas."""
    return int(str(text).replace(",", ""))


def assert_same(found: Sequence[object], expected: Sequence[object]) -> None:
    """Check that a front end shows what was answered: numbers as exactly as their digits allow, other things exactly."""
    assert len(found) == len(expected) > 0
    for one, other in zip(found, expected, strict=True):
        if not (isinstance(one, Shown) and isinstance(other, Shown)):
            assert one == other, (one, other)
            continue
        assert (one.about, one.n) == (other.about, other.n), (one, other)
        digit = max(one.digit, other.digit)
        for number, truth in zip(one.numbers, other.numbers, strict=True):
            assert abs(number - truth) <= max(digit, 1e-9 * abs(truth)), (one, other)
