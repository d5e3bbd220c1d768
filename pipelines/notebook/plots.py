"""Two plots as SVG: how scores spread, and estimates with their intervals."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pipelines.statistics import Interval

PLOT_WIDTH_PIXELS: Final = 640
MAX_BINS: Final = 48
_ROW_HEIGHT_PIXELS: Final = 26
_LABEL_WIDTH_PIXELS: Final = 210
"""Width of the names beside intervals."""


class IntervalRow(NamedTuple):
    """One row of a plot of intervals."""

    label: str
    interval: Interval
    colour: str


def draw_score_histogram(
    scores: Mapping[str, Sequence[tuple[int, int]]], colours: Mapping[str, str], title: str
) -> str:
    """Draw the share of results in each bin; `scores` holds (score, results) for each strategy, ascending."""
    every = [score for pairs in scores.values() for score, _ in pairs]
    if not every:
        return ""
    low, high = min(every), max(every)
    width = max(1, math.ceil((high - low + 1) / MAX_BINS))
    bins = (high - low) // width + 1
    shares = {name: _bin_shares(pairs, low, width, bins) for name, pairs in scores.items()}
    top = max(max(column) for column in shares.values())
    height, base = 170, 140
    step = (PLOT_WIDTH_PIXELS - 20) / bins
    drawn = []
    for name, column in shares.items():
        points = [
            f"{10 + at * step:.1f},{base - share / top * 120:.1f}"
            for number, share in enumerate(column)
            for at in (number, number + 1)
        ]
        outline = f"10,{base} {' '.join(points)} {10 + bins * step:.1f},{base}"
        drawn.append(
            f'<polygon points="{outline}" fill="{colours[name]}" fill-opacity=".16" stroke="{colours[name]}" '
            f'stroke-width="1.6" stroke-linejoin="round"><title>{escape(name)}</title></polygon>'
        )
    ticks = [
        _svg_text(10 + (value - low + width / 2) / width * step, base + 16, f"{value}")
        for value in _integer_ticks(low, high)
    ]
    axis = f'<line x1="10" x2="{PLOT_WIDTH_PIXELS - 10}" y1="{base}" y2="{base}" stroke="currentColor" stroke-opacity=".5"/>'
    return _svg_image(height, title, *drawn, axis, *ticks)


def _bin_shares(pairs: Sequence[tuple[int, int]], low: int, width: int, bins: int) -> list[float]:
    column, total = [0.0] * bins, sum(count for _, count in pairs)
    for score, count in pairs:
        column[(score - low) // width] += count / total
    return column


def draw_intervals(rows: Sequence[IntervalRow], title: str) -> str:
    """Draw estimates as dots with their 95 % intervals, and the line of no difference."""
    shown = [row for row in rows if all(map(math.isfinite, row.interval))]
    if not shown:
        return ""
    low = min(0.0, *(row.interval.low for row in shown))
    high = max(0.0, *(row.interval.high for row in shown))
    span = (high - low) or 1.0
    low, high = low - span / 20, high + span / 20

    def pixel_x(value: float) -> float:
        return _LABEL_WIDTH_PIXELS + (value - low) / (high - low) * (
            PLOT_WIDTH_PIXELS - _LABEL_WIDTH_PIXELS - 20
        )

    base = _ROW_HEIGHT_PIXELS * len(shown) + 8
    drawn = [
        f'<line x1="{pixel_x(0):.1f}" x2="{pixel_x(0):.1f}" y1="2" y2="{base}" stroke="currentColor" stroke-opacity=".5"/>'
    ]
    for number, (label, interval, colour) in enumerate(shown):
        y = _ROW_HEIGHT_PIXELS * number + 18
        drawn += [
            _svg_text(_LABEL_WIDTH_PIXELS - 12, y + 4, label[:34], anchor="end"),
            _svg_bar(pixel_x(interval.low), pixel_x(interval.high), y, colour),
            f'<circle cx="{pixel_x(interval.estimate):.1f}" cy="{y}" r="5" fill="{colour}"/>',
        ]
    ticks = [_svg_text(pixel_x(value), base + 16, f"{value:g}") for value in _round_ticks(low, high)]
    return _svg_image(base + 24, title, *drawn, *ticks)


def _svg_bar(left: float, right: float, y: float, colour: str) -> str:
    return (
        f'<line x1="{left:.1f}" x2="{right:.1f}" y1="{y}" y2="{y}" stroke="{colour}" stroke-width="3" '
        'stroke-linecap="round"/>'
    )


def _svg_image(height: int, title: str, *parts: str) -> str:
    return (
        f'<svg viewBox="0 0 {PLOT_WIDTH_PIXELS} {height}" width="100%" style="max-width:{PLOT_WIDTH_PIXELS}px;display:block;margin:6px 0" '
        f'role="img" aria-label="{escape(title)}"><title>{escape(title)}</title>'
        f"{''.join(parts)}</svg>"
    )


def _svg_text(x: float, y: float, said: str, anchor: str = "middle") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="12" font-family="system-ui,sans-serif" '
        f'fill="currentColor">{escape(said)}</text>'
    )


def _integer_ticks(low: int, high: int) -> list[int]:
    return [int(value) for value in _round_ticks(low, high) if value == int(value)]


def _round_ticks(low: float, high: float) -> list[float]:
    """Return four to ten round numbers in a range.

    >>> _round_ticks(-7, 42)
    [0.0, 10.0, 20.0, 30.0, 40.0]
    """
    raw = (high - low) / 6 or 1.0
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= raw)
    first = math.ceil(low / step)
    return [round(number * step, 10) for number in range(first, math.floor(high / step) + 1)]
