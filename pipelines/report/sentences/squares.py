"""The sentence on maps: which squares a strategy covers most and least often."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from pipelines.design.move_names import name_square
from pipelines.design.short_names import short_names
from pipelines.report.estimates import write_about
from pipelines.report.sentences.scores import join_words
from pipelines.report.wording import format_count
from pipelines.statistics import Interval, wilson
from pipelines.statistics.rounding import format_interval_numbers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engine.scene import SceneBoard
    from pipelines.questions.scores.squares import SquareMap

MAX_SQUARES_NAMED: Final = 3
"""More squares with equal shares are counted, not named."""


_STARTS: Final = {
    "Filled": "In these games {} covered",
    "First placement": "In these games the first placement of {} covered",
}
"""The beginning of the sentence, by what the maps show. Of other maps it says nothing."""


def describe_square_maps(maps: Sequence[SquareMap], board: SceneBoard, kind: str) -> str:
    """Return which squares the strategy with the most results covers most and least often; empty for other kinds of maps."""
    known = [one for one in maps if one.n]
    if kind not in _STARTS or not known:
        return ""
    chosen = max(known, key=lambda one: one.n)
    shares = {
        name_square(board, cell): chosen.squares[cell].estimate if cell in chosen.squares else 0.0
        for cell, fill in enumerate(board["fills"])
        if fill is not None
    }
    names = short_names(one.strategy for one in known)
    return describe_squares(_STARTS[kind].format(names[chosen.strategy]), shares, chosen.blocks, chosen.n)


def describe_precision(maps: Sequence[SquareMap], unit: str, scale: float = 1.0) -> str:
    """Return how exact the numbers of each strategy are: the largest half width of its 95 % intervals, times `scale`."""
    names = short_names(one.strategy for one in maps)
    reaches = {
        names[one.strategy]: max(known)
        for one in maps
        if (known := [value.reach for value in one.squares.values() if math.isfinite(value.reach)])
    }
    said = [f"± {scale * reach:.2g} for {name}" for name, reach in reaches.items()]
    if not said:
        return ""
    first = said[0].replace(" for", f" {unit} for", 1)
    return f"The numbers are exact to {join_words([first, *said[1:]])} (95 %)."


def describe_squares(start: str, shares: Mapping[str, float], blocks: int, results: int) -> str:
    """Return which squares have the highest and the lowest share of a strategy's results.

    `start` is the sentence up to the squares, `shares` holds the share of every square of the board by name, and `blocks`
    is the number of independent observations. The two squares are the extremes of many, so their intervals hold for all
    squares at once (Bonferroni).
    """
    if not shares or not blocks:
        return ""
    highest, lowest = max(shares.values()), min(shares.values())
    if highest == lowest:
        return ""
    level = 1 - 0.05 / len(shares)

    def write_share(share: float) -> tuple[str, str]:
        interval = Interval(*(100 * end for end in wilson(share * blocks, blocks, level)))
        numbers = format_interval_numbers(interval, exact=(0.0, 100.0))
        return write_about(interval), f"{numbers.low} to {numbers.high}"

    estimate, span = write_share(highest)
    said = f"{start} {_name_squares(shares, highest)} most often, in {estimate} % of its results ({span})"
    if lowest == 0:
        never = sum(share == 0 for share in shares.values())
        said += f", and never {never:,} of the {len(shares):,} squares"
        last = ""
    else:
        estimate, span = write_share(lowest)
        said += f", and {_name_squares(shares, lowest)} least often, in {estimate} %"
        last = f"{span}; "
    return f"{said} ({last}{format_count(results, 'result')}; 95 % intervals for all squares at once)."


def _name_squares(shares: Mapping[str, float], share: float) -> str:
    """Return the names of the squares with this share, or their number if they are many."""
    names = [name for name, one in shares.items() if one == share]
    if len(names) > MAX_SQUARES_NAMED:
        return f"{len(names):,} of {len(shares):,} squares"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
