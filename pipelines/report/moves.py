"""What the results by what was done first look like: which groups clearly stand out of their strategy, and a chart of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.wording import format_count, name_amount
from pipelines.report.charts import Estimate, Intervals, Mark
from pipelines.report.score_tables import tabulate_measures
from pipelines.report.sheet import NUMBERS, Part
from pipelines.report.wording import join_words
from pipelines.statistics.intervals import MAX_ROUNDING_ERROR
from pipelines.statistics.planning import MIN_BLOCKS
from pipelines.statistics.rounding import set_minus_signs, split_sign

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pipelines.questions.scores.moves import MoveGroup, MovesAnswer
    from pipelines.questions.scores.question import MoveGrouping
    from pipelines.report.table import Cell
    from pipelines.statistics import Interval
    from pipelines.viewer.palette import SeriesLook

MAX_GROUPS_SHOWN: Final = 20
"""Groups of all strategies together that the chart shows."""
MIN_GROUPS_SHOWN: Final = 4
"""Groups of each strategy that it shows even if the strategies are many."""


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
        return f"not enough games to compare the {len(groups):,} {plural} of {who}"
    if _is_trivial(groups):
        return f"{who} did the same in all games of a seat: {join_words(sorted(measured))}"
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
    if not clauses and len(measured) < len(groups):
        return (
            f"only {len(measured):,} of the {len(groups):,} {plural} of {who} have enough games; none of them clearly ends better or worse "
            "than its mean"
        )
    if not clauses:
        return f"none of the {len(measured):,} {plural} of {who} clearly ends better or worse than its mean"
    rest = len(measured) - len(clear_names)
    others = f"; its other {rest:,} {plural} do not clearly differ" if rest > 1 else ""
    return f"{who} ends {' and '.join(clauses)}{others}"


def _describe_start(by: MoveGrouping, name: str) -> str:
    """Return when a result is one of a group."""
    if by == "first roll":
        return f"when its first roll is {name}"
    return f"when it first {name}" if name.startswith("keeps ") else f"when it begins with {name}"


def _is_trivial(groups: Sequence[MoveGroup]) -> bool:
    """Return whether a strategy chose nothing: every seat did the same in all games."""
    return all(group.above is None or abs(group.above.estimate) < MAX_ROUNDING_ERROR for group in groups)


def list_move_parts(answer: MovesAnswer, looks: Mapping[str, SeriesLook]) -> Iterator[Part]:
    """Yield a chart of the groups that end best and worst, and behind it the numbers of all groups."""
    if not answer.groups:
        return
    by, several = answer.question.by, len(answer.groups) > 1
    limit = max(MIN_GROUPS_SHOWN, MAX_GROUPS_SHOWN // len(answer.groups))
    compared = {
        strategy: [] if _is_trivial(groups) else [group for group in groups if group.above]
        for strategy, groups in answer.groups.items()
    }
    estimates = [
        Estimate(
            group.name,
            answer.scope.names[strategy] if several else "",
            answer.scope.names[strategy],
            group.above,
            group.results,
            looks[strategy],
        )
        for strategy, groups in compared.items()
        for group in _choose_ends(groups, limit)
        if group.above
    ]
    if estimates:
        title = f"Points more than the mean of the strategy, by {by}"
        chart = Intervals(
            estimates, "points more than its mean", title, "result", Mark(0, "its mean"), has_counts=True
        )
        yield Part("moves", chart, caption=_write_caption(answer, compared, limit))
    numbers: list[tuple[dict[str, Cell], tuple[Interval | None, ...]]] = [
        (
            {"strategy": strategy, by: group.name, "results": group.results, "blocks": group.blocks},
            (group.score, group.above, group.wins),
        )
        for strategy, groups in answer.groups.items()
        for group in groups
    ]
    yield Part(NUMBERS, tabulate_measures(f"All results by {by}", numbers), "details")


def _choose_ends(groups: Sequence[MoveGroup], limit: int) -> Sequence[MoveGroup]:
    """Return at most `limit` groups in their order: the best and the worst ones."""
    return groups if len(groups) <= limit else [*groups[: limit - limit // 2], *groups[-(limit // 2) :]]


def _write_caption(answer: MovesAnswer, compared: Mapping[str, Sequence[MoveGroup]], limit: int) -> str:
    """Return what the chart shows, in which order, and how many groups it leaves out."""
    by = answer.question.by
    left_out = [
        f"the middle {len(groups) - limit:,} of {answer.scope.names[strategy]}"
        for strategy, groups in compared.items()
        if len(groups) > limit
    ]
    rare = sum(group.above is None for groups in answer.groups.values() for group in groups)
    if rare:
        left_out.append(f"{rare:,} that came up in fewer than {MIN_BLOCKS} blocks of games")
    return (
        f"The best first. By how much the mean score differs from that of the same strategy on the same seats, with 95 % intervals that "
        f"hold for all {by}s of a strategy at once."
        f"{' Moves that are mirror images of each other are one.' if answer.has_symmetry else ''}"
        f"{f' Not drawn: {join_words(left_out)}.' if left_out else ''} What strategies choose by themselves says more about them than "
        "about the move."
    )
