"""What the results by what was done look like: which group ends best of its strategy, a chart and a table of the most frequent ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.wording import format_count, name_amount
from pipelines.report.charts import Estimate, Intervals, Mark
from pipelines.report.estimates import format_intervals, name_ends
from pipelines.report.score_tables import tabulate_measures
from pipelines.report.sheet import NUMBERS, Part
from pipelines.report.table import Cell, Table, make_table
from pipelines.report.wording import join_words
from pipelines.statistics.intervals import MAX_ROUNDING_ERROR, hold_for_all
from pipelines.statistics.rounding import format_interval_numbers, set_minus_signs, split_sign

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pipelines.questions.scores.moves import MoveGroup, MovesAnswer
    from pipelines.statistics import Interval
    from pipelines.viewer.palette import SeriesLook

MAX_GROUPS_SHOWN: Final = 24
"""Groups of all strategies together that people read; the others are counted."""
MIN_GROUPS_SHOWN: Final = 4
"""Groups of each strategy that are shown even if the strategies are many."""
_PLURALS: Final = {"kind of move": "numbers of moves"}


def describe_moves(answer: MovesAnswer) -> tuple[str, ...]:
    """Return for each strategy, the best one first, which of its groups ends best; its interval holds for the best of all groups."""
    plural = _PLURALS.get(answer.question.by, f"{answer.question.by}s")
    sentences = (
        _describe_best(answer.scope.names[strategy], groups, plural, lowest_wins=answer.ruleset.lowest_wins)
        for strategy, groups in answer.groups.items()
    )
    return tuple(map(set_minus_signs, sentences))


def _describe_best(who: str, groups: tuple[MoveGroup, ...], plural: str, *, lowest_wins: bool) -> str:
    """Return which group of a strategy ends best, if that is clear although it is the best of many."""
    sign = -1 if lowest_wins else 1
    measured = {group.name: group.above.times(sign) for group in groups if group.above}
    if len(groups) == 1:
        return f"{who} always did the same: {groups[0].name} ({format_count(groups[0].results, 'result')})"
    if len(measured) < 2:
        return f"not enough games to compare the {len(groups):,} {plural} of {who}"
    blocks = {group.name: group.blocks for group in groups}
    wide_intervals = {
        name: hold_for_all(above, len(measured), blocks[name]) for name, above in measured.items()
    }
    best = max(measured, key=lambda name: measured[name].estimate)
    if abs(measured[best].estimate) < MAX_ROUNDING_ERROR:
        return f"{who} did the same in all games of a seat: {join_words(list(measured))}"
    direction, (points, low, high) = split_sign(wide_intervals[best])
    results = next(group.results for group in groups if group.name == best)
    name_of_best = f"“{best}”" if plural == _PLURALS["kind of move"] else best
    basis = f"{format_count(results, 'result')}; the interval holds for the best of {len(measured):,}"
    if direction <= 0:
        estimate, low, high = format_interval_numbers(wide_intervals[best])
        return (
            f"none of the {len(measured):,} {plural} of {who} clearly ends better than its mean; the best one, {name_of_best}, ended "
            f"{name_amount(estimate)} better ({name_ends(wide_intervals[best], f'95 % interval {low} to {high}')}; {basis})"
        )
    rivals = sum(
        other.high >= wide_intervals[best].low for name, other in wide_intervals.items() if name != best
    )
    also = (
        f"; {rivals:,} others may be as good"
        if rivals > 1
        else "; one other may be as good"
        if rivals
        else ""
    )
    return (
        f"of the {len(measured):,} {plural} of {who}, {name_of_best} ends best, {name_amount(points)} better than its mean "
        f"({name_ends(wide_intervals[best], f'95 % interval {low} to {high}')}; {basis}){also}"
    )


def list_move_parts(answer: MovesAnswer, looks: Mapping[str, SeriesLook]) -> Iterator[Part]:
    """Yield a chart and a table of the most frequent groups, and behind them all groups."""
    if not answer.groups:
        return
    by, several = answer.question.by, len(answer.groups) > 1
    limit = max(MIN_GROUPS_SHOWN, MAX_GROUPS_SHOWN // len(answer.groups))
    frequent = {strategy: groups[:limit] for strategy, groups in answer.groups.items()}
    estimates = [
        Estimate(
            group.name,
            answer.scope.names[strategy] if several else "",
            answer.scope.names[strategy],
            group.above,
            group.blocks,
            looks[strategy],
        )
        for strategy, groups in frequent.items()
        for group in groups
        if group.above
    ]
    mirrored = " Moves that are mirror images of each other are one." if answer.has_symmetry else ""
    caption = (
        "By how much the mean score differs from that of the same strategy on the same seats, with its 95 % interval; the most "
        f"frequent ones.{mirrored} What strategies choose by themselves says more about them than about the move."
    )
    if estimates:
        title = f"Points more than the mean of the strategy, by {by}"
        yield Part(
            "moves",
            Intervals(estimates, "points more than its mean", title, mark=Mark(0, "its mean")),
            caption=caption,
        )
    table = tabulate_moves(answer, frequent)
    yield Part("groups", table, "beside")
    numbers: list[tuple[dict[str, Cell], tuple[Interval | None, ...]]] = [
        (
            {"strategy": strategy, by: group.name, "results": group.results, "blocks": group.blocks},
            (group.score, group.above, group.wins),
        )
        for strategy, groups in answer.groups.items()
        for group in groups
    ]
    yield Part(NUMBERS, tabulate_measures(f"All results by {by}", numbers), "details")


def tabulate_moves(answer: MovesAnswer, frequent: Mapping[str, tuple[MoveGroup, ...]]) -> Table:
    """Return a row for each of the most frequent groups, and one for all others of a strategy."""
    groups = [group for listed in frequent.values() for group in listed]
    columns = [
        format_intervals([group.score for group in groups]),
        format_intervals([group.above for group in groups], signed=True),
        format_intervals([group.wins for group in groups], scale=100, exact=(0.0, 100.0)),
    ]
    texts = iter(zip(*columns, strict=True))
    rows: list[dict[str, Cell]] = []

    def add_row(strategy: str, name: str, results: int, blocks: int | None, cells: tuple[str, ...]) -> None:
        score, above, wins = cells
        rows.append(
            {
                **({"strategy": answer.scope.names[strategy]} if len(frequent) > 1 else {}),
                answer.question.by: name,
                "results": results,
                "blocks": blocks,
                "mean score, 95 % interval": score,
                "more than its mean": above,
                "wins of 100": wins,
            }
        )

    for strategy, listed in frequent.items():
        for group in listed:
            add_row(strategy, group.name, group.results, group.blocks, next(texts))
        rest = answer.groups[strategy][len(listed) :]
        if rest:
            results = sum(group.results for group in rest)
            add_row(strategy, f"and {len(rest):,} more", results, None, ("", "", ""))
    return make_table(f"Results by {answer.question.by}", rows, optional=("blocks", "results"))
