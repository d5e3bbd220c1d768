"""The numbers along an axis."""

from __future__ import annotations

import math

from pipelines.statistics.rounding import set_minus_signs


def round_ticks(low: float, high: float, most: int) -> list[float]:
    """Return at most about `most` round numbers in a range.

    >>> round_ticks(-7, 42, 5), round_ticks(0, 0.23, 4)
    ([0.0, 10.0, 20.0, 30.0, 40.0], [0.0, 0.1, 0.2])
    """
    step = _tick_step(high - low, most)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(number * step, 10) + 0.0 for number in range(first, last + 1)]


def _tick_step(span: float, most: int) -> float:
    raw = span / most or 1.0
    power = 10.0 ** math.floor(math.log10(raw))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= raw * (1 - 1e-9))


def format_tick(value: str | float) -> str:
    """Return a number as an axis shows it, and a name as it is.

    >>> format_tick(-2.50), format_tick(12000)
    ('−2.5', '12,000')
    """
    return value if isinstance(value, str) else set_minus_signs(f"{value:,.10g}")
