"""What the results by what was done first look like: which groups clearly stand out of their strategy, and a chart of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.wording import format_count, name_amount
from pipelines.questions.scores.moves import is_trivial
from pipelines.report.charts import Estimate, Intervals, Mark
from pipelines.report.estimates import format_intervals
from pipelines.report.openings import draw_shape
from pipelines.report.score_tables import tabulate_measures
from pipelines.report.sheet import NUMBERS, Part
from pipelines.report.squares import list_square_parts
from pipelines.report.table import make_table
from pipelines.report.wording import join_words
from pipelines.statistics.planning import MIN_BLOCKS
from pipelines.statistics.rounding import set_minus_signs, split_sign

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pipelines.questions.scores.moves import MoveGroup, MovesAnswer
    from pipelines.questions.scores.question import MoveGrouping
    from pipelines.report.table import Cell, Table
    from pipelines.statistics import Interval
    from pipelines.viewer.palette import SeriesLook

MAX_ROWS: Final = 6
"""First moves of a strategy in the table, which draws them."""
MAX_ROWS_DRAWN: Final = 12
"""Groups of all strategies together in the chart."""


def describe_moves(answer: MovesAnswer) -> tuple[str, ...]:
    """Return for each strategy, those with a finding first, which of its groups clearly end better or worse than its mean."""
    sign = -1 if answer.ruleset.lowest_wins else 1
    sentences = {
        strategy: _describe_groups(answer.scope.names[strategy], groups, answer.question.by, sign)
        for strategy, groups in answer.groups.items()
    }
    ranked = sorted(sentences, key=lambda strategy: not any(map(_is_clear, answer.groups[strategy])))
    return tuple(set_minus_signs(sentences[strategy]) for strategy in ranked)


def _is_clear(group: MoveGroup) -> bool:
    return group.above is not None and split_sign(group.above)[0] != 0


def _describe_groups(who: str, groups: Sequence[MoveGroup], by: MoveGrouping, sign: int) -> str:
    """Return which groups of a strategy clearly end better or worse than its mean; `sign` is -1 if the lowest score wins."""
    plural = f"{by}s"
    measured = {group.name: group.above.times(sign) for group in groups if group.above}
    if len(groups) == 1:
        return f"{who} always did the same: {groups[0].name} ({format_count(groups[0].results, 'result')})"
    if len(measured) < 2:
        return (
            f"the {len(groups):,} {plural} of {who} are too rare to compare: a mean needs {MIN_BLOCKS} blocks"
        )
    if is_trivial(groups):
        return f"{who} always begins in the same way: {join_words(sorted(measured))}, by seat"
    clauses, clear_names = list[str](), set[str]()
    for direction, word in ((1, "better"), (-1, "worse")):
        clear = [name for name, above in measured.items() if split_sign(above)[0] == direction]
        if not clear:
            continue
        clear_names.update(clear)
        largest = max(clear, key=lambda name: abs(measured[name].estimate))
        points, low, high = split_sign(measured[largest])[1]
        amount = f"{points} {word}" if clauses else f"{name_amount(points)} {word} than its mean"
        results = format_count(next(group.results for group in groups if group.name == largest), "result")
        also = f", and clearly {word} after {format_count(len(clear) - 1, 'other')}" if len(clear) > 1 else ""
        clauses.append(
            f"{amount} {_describe_start(by, largest)} (95 % interval {low} to {high}; {results}){also}"
        )
    if not clauses:
        few = len(groups) - len(measured)
        rare = f" ({few:,} of them too rare to compare)" if few else ""
        return f"it makes no clear difference which of its {len(groups):,} {plural} {who} plays{rare}"
    rest = len(measured) - len(clear_names)
    others = f"; its other {rest:,} {plural} do not clearly differ" if rest > 1 else ""
    return f"{who} ends {' and '.join(clauses)}{others}"


def _describe_start(by: MoveGrouping, name: str) -> str:
    """Return when a result is one of a group."""
    if by == "first roll":
        return f"when its first roll is {name}"
    return f"when it first {name}" if name.startswith("keeps ") else f"when it begins with {name}"


def list_move_parts(answer: MovesAnswer, looks: Mapping[str, SeriesLook]) -> Iterator[Part]:
    """Yield a chart of how the groups end, what is played most, and behind it the numbers of all groups."""
    if not answer.groups:
        return
    by, several = answer.question.by, len(answer.groups) > 1
    compared = [strategy for strategy, groups in answer.groups.items() if _is_compared(groups)]
    estimates = [
        Estimate(
            group.name,
            answer.scope.names[strategy] if several else "",
            answer.scope.names[strategy],
            group.above,
            group.results,
            looks[strategy],
        )
        for strategy in compared
        for group in _choose_groups(answer.groups[strategy], max(2, MAX_ROWS_DRAWN // len(compared)))
        if group.above
    ]
    if estimates:
        title = f"Points more than the mean of the strategy, by {by}"
        chart = Intervals(
            estimates, "points more than its mean", title, "result", Mark(0, "its mean"), has_counts=True
        )
        yield Part("moves", chart, caption=_write_caption(answer))
    if answer.board:
        yield next(
            list_square_parts(answer.board, looks)
        )  # the boards; their numbers are those of the view Squares
    for number, strategy in enumerate(answer.groups, start=1):
        if table := _tabulate_moves(answer, strategy):
            yield Part(f"shapes-{number}", table)
    numbers: list[tuple[dict[str, Cell], tuple[Interval | None, ...]]] = [
        (
            {"strategy": strategy, by: group.name, "results": group.results, "blocks": group.blocks},
            (group.score, group.above, group.wins),
        )
        for strategy, groups in answer.groups.items()
        for group in groups
    ]
    yield Part(NUMBERS, tabulate_measures(f"All results by {by}", numbers), "details")


def _tabulate_moves(answer: MovesAnswer, strategy: str) -> Table | None:
    """Return how each group of a strategy ends, drawn, the best one first; of moves what clearly stands out and what is played most. None if nothing can be compared."""
    by, every = answer.question.by, answer.groups[strategy]
    if not _is_compared(every):
        return None
    groups = _choose_groups(every, MAX_ROWS if by == "first move" else len(every))
    above = format_intervals([group.above for group in groups], signed=True)
    rows: list[dict[str, Cell]] = [
        {
            by: group.name,
            **({"shape": _draw_group(answer, group)} if answer.shapes else {}),
            "results": group.results,
            "points more than its mean, 95 % interval": points,
        }
        for group, points in zip(groups, above, strict=True)
    ]
    who = f" of {answer.scope.names[strategy]}" if len(answer.groups) > 1 else ""
    chosen = f"The {len(groups)} {'clearest and ' if by == 'first move' else ''}most frequent"
    return make_table(f"{'All' if len(groups) == len(every) else chosen} {by}s{who}, the best first", rows)


def _is_compared(groups: Sequence[MoveGroup]) -> bool:
    """Return whether at least two groups of a strategy are known well enough, and differ by more than the seat."""
    return not is_trivial(groups) and sum(group.above is not None for group in groups) > 1


def _choose_groups(groups: Sequence[MoveGroup], number: int) -> list[MoveGroup]:
    """Return at most a number of the groups of a strategy that are known well enough, in their order: the clear and the frequent ones."""
    known = [group for group in groups if group.above]
    chosen = sorted(known, key=lambda group: (not _is_clear(group), -group.results))[:number]
    return [group for group in known if group in chosen]


def _draw_group(answer: MovesAnswer, group: MoveGroup) -> str | None:
    """Return the shape of the moves of a group; None if they cover no square."""
    cells = answer.shapes.get(group.name)
    return draw_shape(cells, answer.columns) if cells else None


def _write_caption(answer: MovesAnswer) -> str:
    """Return what the chart shows, and in which order."""
    by = answer.question.by
    return (
        f"By how much the mean score after a {by} differs from that of the same strategy on the same seats, the best first; of many {by}s "
        "the clearest and most frequent. The 95 % intervals "
        f"hold for all {by}s of a strategy at once."
        f"{' Moves that are mirror images of each other are one.' if answer.has_symmetry else ''} What strategies choose by themselves "
        "says more about them than about the move."
    )
