"""What follows from a comparison, in two or three sentences for people: wins, same luck, and the part that decides."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from pipelines.design.short_names import short_names
from pipelines.experiments.compare.sentences import (
    WinCount,
    find_leader,
    winner_and_loser,
    write_all_wins,
    write_duel_wins,
    write_largest_part,
    write_lead,
    write_mean_scores,
    write_same_luck,
)
from pipelines.experiments.compare.verdict import is_less_better
from pipelines.statistics.intervals import Interval

if TYPE_CHECKING:
    from pipelines.design.comparison import ComparisonDesign
    from pipelines.experiments.compare.pair_results import PairResult
    from pipelines.experiments.compare.side_results import SideResult


def list_consequences(
    pairs: tuple[PairResult, ...], sides: tuple[SideResult, ...], design: ComparisonDesign
) -> tuple[str, ...]:
    """Return what follows from a comparison; nothing that the games do not show is claimed."""
    if len(pairs) == 1:
        sentences = _duel_consequences(pairs[0], sides, design)
    else:
        sentences = _field_consequences(pairs, sides, design)
    return tuple(sentence for sentence in sentences if sentence)


def _duel_consequences(
    pair: PairResult, sides: tuple[SideResult, ...], design: ComparisonDesign
) -> list[str]:
    if pair.verdict.kind in {"identical", "too few blocks"}:
        return []
    is_turned = pair.verdict.better == pair.b
    name = pair.verdict.findings.names[1 if is_turned else 0]
    games = pair.blocks * pair.games_per_block
    wins = WinCount(name, _complement_if(pair.win_share, is_turned=is_turned), pair.blocks, games)
    better = _complement_if(pair.better, is_turned=is_turned)
    called = dict(zip((pair.a, pair.b), pair.verdict.findings.names, strict=True))
    means = {called[side.strategy]: side.score for side in sides}
    ordered = {one: means[one] for one in sorted(means, key=lambda one: one != name)}
    return [
        "; ".join(filter(None, (write_duel_wins(wins), write_mean_scores(ordered)))),
        write_largest_part(pair.verdict, pair.parts, design.game.parts),
        write_same_luck(name, better, pair.blocks),
    ]


def _field_consequences(
    pairs: tuple[PairResult, ...], sides: tuple[SideResult, ...], design: ComparisonDesign
) -> list[str]:
    order = rank_strategies(pairs)
    names = short_names(design.labels)
    between = {frozenset((pair.a, pair.b)): pair for pair in pairs}
    leader = find_leader([pair.verdict for pair in pairs])
    neighbours = [between[frozenset(two)] for two in pairwise(order) if len(set(two)) > 1]
    sentences = [
        write_lead(pair.verdict)
        for pair in neighbours
        if leader is None or leader not in pair.verdict.findings.names
    ]
    if design.contest.arrangement == "rotate":
        blocks = pairs[0].blocks
        by_name = {side.strategy: side for side in sides}
        sentences.append(
            write_all_wins(
                [
                    WinCount(names[one], by_name[one].win_share, blocks, blocks * design.rotations)
                    for one in order
                ]
            )
        )
    elif leader is not None and neighbours:
        sentences += [_wins_against(pair) for pair in pairs if leader in pair.verdict.findings.names]
    if neighbours:
        sentences.append(write_largest_part(neighbours[0].verdict, neighbours[0].parts, design.game.parts))
    return sentences


def rank_strategies(pairs: tuple[PairResult, ...]) -> list[str]:
    """Return the strategies by the sum of their differences to all others, the best first."""
    total = dict.fromkeys((name for pair in pairs for name in (pair.a, pair.b)), 0.0)
    for pair in pairs:
        if pair.difference is not None:
            sign = -1 if is_less_better(pair.verdict.findings) else 1
            total[pair.a] += sign * pair.difference.estimate
            total[pair.b] -= sign * pair.difference.estimate
    return sorted(total, key=lambda name: -total[name])


def _wins_against(pair: PairResult) -> str:
    winner, loser = winner_and_loser(pair.verdict)
    is_turned = pair.verdict.better == pair.b
    share = _complement_if(pair.win_share, is_turned=is_turned)
    wins = write_duel_wins(WinCount(winner, share, pair.blocks, pair.blocks * pair.games_per_block))
    return wins and f"against {loser}, {wins}"


def _complement_if(share: Interval | None, *, is_turned: bool) -> Interval | None:
    """Return the share of the other strategy if `is_turned`."""
    if share is None or not is_turned:
        return share
    return Interval(1 - share.estimate, 1 - share.high, 1 - share.low)
