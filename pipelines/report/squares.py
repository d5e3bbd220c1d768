"""What maps of the squares of a board look like: the maps themselves, their numbers, and which squares stand out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from pipelines.design.short_names import short_names
from pipelines.design.titles import name_square
from pipelines.questions.scores.distributions import add_half_widths
from pipelines.questions.scores.squares import SquareMap, SquaresAnswer
from pipelines.report.estimates import format_interval, write_about, write_bound
from pipelines.report.sheet import NUMBERS, Part, SquareMaps, SquareScale, SquareValues
from pipelines.report.table import Cell, Table, make_table
from pipelines.report.wording import count_results, format_count, join_words
from pipelines.statistics import Interval, wilson
from pipelines.statistics.rounding import format_interval_numbers, set_minus_signs, split_sign

if TYPE_CHECKING:
    from engine.scene import SceneBoard
    from pipelines.viewer.palette import SeriesLook

MAX_SQUARES_NAMED: Final = 3
"""More squares with equal shares are counted, not named."""
SIDE_COLOURS: Final = ("#D55E00", "#009E73")
"""The colours of two strategies that have the same one in charts."""
MEAN_ROUND: Final = "When"
"""The kind of map that has mean rounds; the others have shares."""
_TITLES: Final = {
    "Filled": "How often each square is covered",
    "First placement": "Which squares are covered first",
    MEAN_ROUND: "When each square is covered",
}
"""By kind; other maps are of marks."""
_MEANINGS: Final = {
    "Filled": "Share of a strategy's results in which it covered the square",
    "First placement": "Share of a strategy's results whose first placement covered the square",
    MEAN_ROUND: "Mean round in which the square was covered. A square that was covered once has no interval. Basis",
}
"""What the numbers are, by kind; other maps are of marks."""
_SUBJECTS: Final = {"Filled": "{}", "First placement": "the first placement of {}"}
"""Who covers squares, by what the maps show. Of other maps the sentence says nothing."""
_SAME: Final = {"{}": "{}", "the first placement of {}": "that of {}"}
"""The same of another strategy."""


def list_square_parts(answer: SquaresAnswer, looks: Mapping[str, SeriesLook]) -> Iterator[Part]:
    """Yield the maps of a board and the table of their numbers; nothing if no square has a number."""
    kind, maps = answer.question.map, [square_map for square_map in answer.maps if square_map.n]
    known = [
        value.estimate
        for square_map in maps
        for value in square_map.squares.values()
        if not math.isnan(value.estimate)
    ]
    if not known or answer.board is None:
        return
    board = answer.board["boards"][0]
    factor = 1 if kind == MEAN_ROUND else 100
    low, high = factor * min(known), factor * max(known)
    difference = find_difference(maps, board) if kind in _SUBJECTS else None
    names = short_names(square_map.strategy for square_map in maps)
    together = (
        " Marks are counted for all players together." if kind not in _TITLES and answer.scope.seats else ""
    )
    precision = ""
    if kind not in _SUBJECTS:  # of these the sentence has intervals
        precision = describe_precision(
            maps, *(("rounds",) if kind == MEAN_ROUND else ("percentage points", 100))
        )
    caption = f"{_describe_numbers(answer)}. {precision}{together}".strip()
    colours = SquareScale(low, high, _format_scale_end(low, kind), _format_scale_end(high, kind))
    drawn_maps = [_map_difference(difference, board, looks)] if difference else []
    drawn_maps += [
        SquareValues(
            f"{names[square_map.strategy]} · {format_count(square_map.n, 'result')}",
            *_value_squares(square_map, board, kind),
            colours._replace(high_colour=looks[square_map.strategy].colour),
        )
        for square_map in maps
    ]
    title = _TITLES.get(kind, f"{kind} at the end of the game")
    yield Part("maps", SquareMaps(title, answer.board, tuple(drawn_maps), colours), caption=caption)
    # Terminals and JSON have this table alone.
    numbers = tabulate_squares(maps, board, kind, difference)
    yield Part(NUMBERS, numbers._replace(caption=caption), "details")


def _describe_numbers(answer: SquaresAnswer) -> str:
    """Return what the numbers mean, and which games they count."""
    kind, sample = answer.question.map, answer.sample
    meaning = _MEANINGS.get(kind, f"Share of boards with {kind.lower()} at the square at the end of the game")
    if sample is None:
        piece = answer.question.piece.removeprefix("by ")
        counts = [
            f"{answer.scope.names[square_map.strategy]} n = {square_map.n:,}" for square_map in answer.maps
        ]
        return f"{meaning}{f' with {piece}' if piece else ''}: all logged games, {', '.join(counts)}"
    blocks = f" ({format_count(sample.blocks, 'block')})" if sample.blocks else ""
    so_far = f" so far, of {sample.planned}" if sample.games < sample.planned else ""
    return f"{meaning}: the first {format_count(sample.games, 'logged game')}{blocks} of {sample.run}{so_far}"


def _value_squares(
    square_map: SquareMap, board: SceneBoard, kind: str
) -> tuple[tuple[float | None, ...], tuple[str, ...]]:
    """Return the number of every square, shares in per cent, and the same as text. A square that was never covered has a share of 0 and no round."""
    never, factor = (None, 1) if kind == MEAN_ROUND else (0.0, 100)
    values, notes = [], []
    for cell in range(board["columns"] * board["rows"]):
        value, count = square_map.squares.get(cell), square_map.coverings.get(cell, 0)
        values.append(never if value is None else factor * value.estimate)
        times = f", covered {format_count(count, 'time')}" if count > 1 else ""
        notes.append(f"{name_square(board, cell)}: {_format_square_value(value, kind)}{times}")
    return tuple(values), tuple(notes)


def _format_scale_end(value: float, kind: str) -> str:
    """Return the label of an end of the colour scale."""
    if kind == MEAN_ROUND:
        return f"round {value:.1f}"
    return f"{value:.0f} %" if value >= 10 or value == 0 else f"{value:.1f} %"


def _format_square_value(value: Interval | None, kind: str) -> str:
    if value is None:
        return "never"
    if kind != MEAN_ROUND:
        return f"{format_interval(value, scale=100)} %"
    if math.isnan(value.low):
        return f"round {value.estimate:.0f}, once"
    return f"round {format_interval(value)}"


def tabulate_squares(
    maps: Sequence[SquareMap], board: SceneBoard, kind: str, difference: SquareDifference | None = None
) -> Table:
    """Return a row for each square and strategy, then for each difference of a strategy `over` another one.

    What a mean or a share counts is the name of its last column.
    """
    is_mean = kind == MEAN_ROUND
    value_name = "round" if is_mean else "share"
    rows_of: list[tuple[SquareMap, str | None]] = [(square_map, None) for square_map in maps]
    rows_of += [(difference.squares, difference.over)] if difference else []
    rows: list[dict[str, Cell]] = [
        {
            "strategy": square_map.strategy,
            **({"over": over} if difference else {}),
            "square": name_square(board, cell),
            value_name: value.estimate,
            "from": value.low,
            "to": value.high,
            "coverings" if is_mean else "results": square_map.coverings[cell] if is_mean else square_map.n,
        }
        for square_map, over in rows_of
        for cell, value in sorted(square_map.squares.items())
    ]
    digits = ".2f" if is_mean else ".4f"
    formats = dict.fromkeys((value_name, "from", "to"), digits)
    return make_table("The numbers of the squares", rows, formats=formats)


class SquareDifference(NamedTuple):
    """By how much more often one strategy covers squares than another one."""

    names: tuple[str, str]
    squares: SquareMap
    """The differences of the shares, with intervals that hold for all squares at once, of the first strategy."""
    over: str
    """The second strategy."""
    results: tuple[int, int]
    """How many results of each strategy they come from."""


def find_difference(maps: Sequence[SquareMap], board: SceneBoard) -> SquareDifference | None:
    """Return how the two strategies with the most results differ; None for fewer."""
    known = sorted(
        (square_map for square_map in maps if square_map.blocks), key=lambda square_map: -square_map.n
    )
    if len(known) < 2:
        return None
    names = short_names(square_map.strategy for square_map in known)
    first, second = known[:2]
    cells = [cell for cell, fill in enumerate(board["fills"]) if fill is not None]
    never = [wilson(0, square_map.blocks, 1 - 0.05 / len(cells)) for square_map in (first, second)]
    squares = {}
    for cell in cells:
        share = add_half_widths(first.squares.get(cell, never[0]), second.squares.get(cell, never[1]))
        squares[cell] = Interval(*(max(-1.0, min(1.0, end)) for end in share))
    pair = names[first.strategy], names[second.strategy]
    results = first.n, second.n
    difference = SquareMap(first.strategy, squares, min(results), min(first.blocks, second.blocks))
    return SquareDifference(pair, difference, second.strategy, results)


def _map_difference(
    difference: SquareDifference, board: SceneBoard, looks: Mapping[str, SeriesLook]
) -> SquareValues:
    """Return the differences as a map of their own scale, whose ends have the colours of the two strategies."""
    squares = difference.squares.squares
    values = [
        100 * squares[cell].estimate if cell in squares else None for cell in range(len(board["fills"]))
    ]
    notes = [
        f"{name_square(board, cell)}: {_describe_square(difference, squares[cell])}"
        if cell in squares
        else ""
        for cell in range(len(board["fills"]))
    ]
    first, second = difference.names
    scale = SquareScale.of_differences(
        values,
        lambda end: set_minus_signs(f"{end:+.0f}, {first if end > 0 else second} more"),
    )
    colours = looks[difference.over].colour, looks[difference.squares.strategy].colour
    low_colour, high_colour = colours if len(set(colours)) == 2 else SIDE_COLOURS
    scale = scale._replace(low_colour=low_colour, high_colour=high_colour)
    clear = tuple(_list_clear(difference))
    name = f"Difference \N{MIDDLE DOT} {first} less {second}, percentage points{'; outlined where clear' if clear else ''}"
    return SquareValues(name, tuple(values), tuple(notes), scale, clear)


def _describe_square(difference: SquareDifference, share: Interval) -> str:
    """Return which strategy covers a square more often, as its colour says, and by how much."""
    first, second = difference.names if share.estimate >= 0 else difference.names[::-1]
    points, low, high = format_interval_numbers(share.times(100 if share.estimate >= 0 else -100))
    return set_minus_signs(f"{first} {points} percentage points more often than {second} ({low} to {high})")


def _list_clear(difference: SquareDifference) -> list[int]:
    """Return the squares where two strategies clearly differ."""
    return [cell for cell, share in difference.squares.squares.items() if split_sign(share)[0]]


def describe_square_maps(maps: Sequence[SquareMap], board: SceneBoard, kind: str) -> str:
    """Return which square two strategies cover differently often, or which one a single strategy covers most and least often."""
    known = [square_map for square_map in maps if square_map.n]
    if kind not in _SUBJECTS or not known:
        return ""
    if difference := find_difference(known, board):
        return _describe_difference(difference, board, _SUBJECTS[kind])
    chosen = max(known, key=lambda square_map: square_map.n)
    shares = {
        name_square(board, cell): chosen.squares[cell].estimate if cell in chosen.squares else 0.0
        for cell, fill in enumerate(board["fills"])
        if fill is not None
    }
    who = _SUBJECTS[kind].format(short_names([chosen.strategy])[chosen.strategy])
    return describe_squares(f"In these games {who} covered", shares, chosen.blocks, chosen.n)


def _describe_difference(difference: SquareDifference, board: SceneBoard, subject: str) -> str:
    """Return on which square two strategies differ most, and how many others clearly differ."""
    squares, clear = difference.squares.squares, _list_clear(difference)
    basis = f"{count_results(difference.results)}; 95 % intervals for all squares at once"
    first, second = difference.names
    if not clear:
        return f"{subject.format(first)} covers no square clearly more or less often than {_SAME[subject].format(second)} ({basis})"
    largest = max(clear, key=lambda cell: abs(squares[cell].estimate))
    sign, (points, low, high) = split_sign(squares[largest].times(100))
    who, whom = (first, second) if sign > 0 else (second, first)
    others = f"{format_count(len(clear) - 1, 'other square')} clearly differ{'s' * (len(clear) == 2)}"
    return (
        f"{subject.format(who)} covers {name_square(board, largest)} more often than {_SAME[subject].format(whom)}, by {points} percentage points ({low} to {high}; {basis})"
        f"{f'; {others}' if len(clear) > 1 else ''}"
    )


def describe_precision(maps: Sequence[SquareMap], unit: str, scale: float = 1.0) -> str:
    """Return how exactly the numbers of each strategy are known: the largest half width of its 95 % intervals, times `scale`."""
    names = short_names(square_map.strategy for square_map in maps)
    reaches = {
        names[square_map.strategy]: max(known)
        for square_map in maps
        if (known := [value.reach for value in square_map.squares.values() if math.isfinite(value.reach)])
    }
    precisions = [f"{scale * reach:.2g} for {name}" for name, reach in reaches.items()]
    if not precisions:
        return ""
    first = precisions[0].replace(" for", f" {unit} for", 1)
    level = "95 %, for all squares at once" if scale > 1 else "95 %"
    return f"The numbers are known to within {join_words([first, *precisions[1:]])} ({level})."


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
        if share == 1:
            return "all", f"at least {numbers.low} %"
        return f"{write_about(interval)} %", f"{numbers.low} to {numbers.high}"

    estimate, span = write_share(highest)
    sentence = f"{start} {_name_squares(shares, highest)} most often, in {estimate} of its results ({span})"
    if lowest == 0:
        never = sum(share == 0 for share in shares.values())
        bound = write_bound(wilson(0, blocks, level), "results")
        sentence += f", and never {never:,} of the {len(shares):,} squares ({bound} each)"
        last = ""
    else:
        estimate, span = write_share(lowest)
        sentence += f", and {_name_squares(shares, lowest)} least often, in {estimate}"
        last = f"{span}; "
    return f"{sentence} ({last}{format_count(results, 'result')}; 95 % intervals for all squares at once)."


def _name_squares(shares: Mapping[str, float], share: float) -> str:
    """Return the names of the squares with this share, or their number if they are many."""
    names = [name for name, other_share in shares.items() if other_share == share]
    if len(names) > MAX_SQUARES_NAMED:
        return f"{len(names):,} of {len(shares):,} squares"
    return join_words(names)
