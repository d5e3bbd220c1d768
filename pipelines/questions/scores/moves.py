"""What was done first and how it ended: results by the first move, its piece, or the first roll.

A first move is the first one of a player in the first round, and the first roll is the last one before it. Each group of results
is compared with the mean of the same strategy on the same seats, so that no move looks good because strong players or the
player who begins make it. Only logged games tell it.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple, get_args

import numpy as np

from engine.polyomino import SHAPES
from pipelines.design.design import read_ruleset
from pipelines.design.openings import has_chance
from pipelines.design.titles import name_actions
from pipelines.questions.scores.question import MoveGrouping, ScoresQuestion
from pipelines.questions.scores.scope import PlayedRuleset, ScoresScope, find_shared_luck
from pipelines.questions.scores.squares import SquaresAnswer, answer_squares, choose_board, list_logged_runs
from pipelines.runs.schema import MAX_SEATS
from pipelines.statistics.intervals import (
    MAX_ROUNDING_ERROR,
    ClusterSums,
    Floats,
    Integers,
    Interval,
    cluster_mean,
    cluster_share,
    hold_for_all,
)
from pipelines.statistics.planning import MIN_BLOCKS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import duckdb
    from numpy.typing import NDArray

    from engine.ruleset import Ruleset
    from pipelines.questions.measured import Basis
    from pipelines.questions.source import QuestionSource
    from pipelines.runs.run import Run


@dataclass(frozen=True)
class MoveGroup:
    """The results of a strategy that did the same."""

    strategy: str
    name: str
    """What was done, as people call it."""
    results: int
    blocks: int
    score: Interval | None
    """The mean score. All intervals are None for fewer than `MIN_BLOCKS` blocks."""
    above: Interval | None
    """How much higher it is than the mean score of the strategy on the same seats. Its interval holds for all groups of the
    strategy at once, because people look for the one that stands out."""
    wins: Interval | None
    """The share of the wins."""


@dataclass(frozen=True)
class MovesAnswer:
    """What was done and how it ended, by strategy; of each strategy first what ended best."""

    question: ScoresQuestion
    scope: ScoresScope
    ruleset: PlayedRuleset
    groups: dict[str, tuple[MoveGroup, ...]]
    """By strategy, the one with the best mean score first. The best group of a strategy is the first one; those with too few
    blocks come last."""
    basis: Basis
    is_unlogged: bool = False
    has_symmetry: bool = False
    """Whether moves that are mirror images of each other are one."""
    shapes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """By name of a group: the squares of one of its moves; empty for rolls."""
    columns: int = 0
    """Of the board of these squares."""
    board: SquaresAnswer | None = None
    """The squares of the first placements, if first moves cannot be compared."""
    problems: tuple[str, ...] = ()


class MoveSums(NamedTuple):
    """The sums of a group of results of some runs."""

    strategy: str
    group: int | str
    """The number of an action; or what was done, as a text."""
    sums: tuple[tuple[int, float, float, float, float, float], ...]
    """The `ClusterSums` of the scores, of the scores less the mean of the strategy on the seat, and of the win shares."""


def list_groupings(question: ScoresQuestion, scope: ScoresScope) -> tuple[MoveGrouping, ...]:
    """Return by what results can be grouped under the ruleset that is shown."""
    played = choose_board(question, scope)
    ruleset = _find_ruleset(played.runs[0], played.sha256)
    missing = {
        *([] if ruleset.piece_areas else ["first piece"]),
        *([] if has_chance(ruleset) else ["first roll"]),
    }
    return tuple(way for way in get_args(MoveGrouping) if way not in missing)


def _find_ruleset(run: Run, sha256: str) -> Ruleset:
    return next(ruleset for ruleset in run.rulesets.values() if ruleset.sha256 == sha256)


def is_trivial(groups: Sequence[MoveGroup]) -> bool:
    """Return whether nothing of a strategy can be compared: every seat did the same in all games, or all groups are rare."""
    return all(group.above is None or abs(group.above.estimate) < MAX_ROUNDING_ERROR for group in groups)


def answer_moves(question: ScoresQuestion, scope: ScoresScope, source: QuestionSource) -> MovesAnswer:
    """Return the results by what was done; no groups if no plies were logged."""
    played = choose_board(question, scope)
    scope = scope.narrow(played)
    logged = list_logged_runs(played, scope)
    if not logged:
        return MovesAnswer(question, scope, played, {}, scope.describe_basis(), is_unlogged=True)
    ruleset = _find_ruleset(logged[0], played.sha256)
    sums: dict[tuple[str, int | str], list[ClusterSums]] = {}
    for runs in _divide_by_luck(logged):
        rows = source.recall(MoveSums, sum_moves, runs, played.sha256, scope.seats, question.by)
        for row in rows:
            new = [ClusterSums(*numbers) for numbers in row.sums]
            if any(run in scope.copied for run in runs):
                new = [numbers._replace(blocks=1) for numbers in new]
            known = sums.get((row.strategy, row.group))
            sums[row.strategy, row.group] = (
                [a.add(b) for a, b in zip(known, new, strict=True)] if known else new
            )
    names = _name_groups(ruleset, question.by, sums)
    groups: dict[str, list[MoveGroup]] = defaultdict(list)
    for (strategy, group), (score, above, wins) in sums.items():
        if strategy in scope.names:
            is_enough = score.blocks >= MIN_BLOCKS
            intervals = (cluster_mean(score), cluster_mean(above), cluster_share(wins))
            groups[strategy].append(
                MoveGroup(
                    strategy,
                    names[strategy, group],
                    round(score.size),
                    int(score.blocks),
                    *(intervals if is_enough else (None, None, None)),
                )
            )
    sign = 1 if played.lowest_wins else -1
    means = {
        name: sum(numbers[0].total for (strategy, _), numbers in sums.items() if strategy == name)
        / sum(group.results for group in groups[name])
        for name in groups
    }
    has_board = question.by == "first move" and all(map(is_trivial, groups.values()))
    return MovesAnswer(
        question,
        scope,
        played,
        {
            name: _order_groups(groups[name], sign)
            for name in sorted(groups, key=lambda name: sign * means[name])
        },
        scope.describe_basis(group.blocks for listed in groups.values() for group in listed),
        has_symmetry=question.by == "first move" and len(ruleset.equal_actions(0)) > 1,
        shapes=_find_shapes(ruleset, question.by, names),
        columns=ruleset.board_size[0],
        board=answer_squares(question.model_copy(update={"map": "First placement"}), scope, source)
        if has_board
        else None,
    )


def _find_shapes(
    ruleset: Ruleset, by: MoveGrouping, names: Mapping[tuple[str, int | str], str]
) -> dict[str, tuple[int, ...]]:
    """Return the squares that one move of each group covers, by the name of the group."""
    if by == "first move":
        return {name: ruleset.action(int(number)).cells for (_, number), name in names.items()}
    if by == "first piece":
        width = ruleset.board_size[0]
        return {
            name: tuple(x + width * y for x, y in SHAPES[name])
            for name in ruleset.piece_areas
            if name in SHAPES
        }
    return {}


def _order_groups(groups: Sequence[MoveGroup], sign: int) -> tuple[MoveGroup, ...]:
    """Return the groups of a strategy, the best one first, with intervals that hold for all of them at once."""
    number = sum(group.above is not None for group in groups)
    wide = [
        replace(group, above=group.above and hold_for_all(group.above, number, group.blocks))
        for group in groups
    ]
    return tuple(
        sorted(
            wide,
            key=lambda group: (
                group.above is None,
                sign * group.above.estimate if group.above else -group.results,
                group.name,
            ),
        )
    )


def _divide_by_luck(runs: Sequence[Run]) -> Iterator[tuple[Run, ...]]:
    """Yield runs that share the luck of blocks together, and every other run alone."""
    shared = find_shared_luck(runs)
    by_luck: dict[str, list[Run]] = defaultdict(list)
    for run in runs:
        by_luck[run.summary.played.luck if run in shared else f"of {run.name}"].append(run)
    yield from map(tuple, by_luck.values())


def _name_groups(
    ruleset: Ruleset, by: MoveGrouping, sums: Mapping[tuple[str, int | str], Sequence[ClusterSums]]
) -> dict[tuple[str, int | str], str]:
    """Return what people call the groups of each strategy. Rare ones do not lengthen the names of those that are compared."""
    if by == "first piece":
        return {key: str(key[1]) for key in sums}
    names: dict[tuple[str, int | str], str] = {}
    for strategy in {name for name, _ in sums}:
        numbers = {
            int(group): score.blocks >= MIN_BLOCKS
            for (who, group), (score, *_) in sums.items()
            if who == strategy
        }
        if by == "first roll":
            names_by_number = {number: ruleset.action(number).notation for number in numbers}
        else:
            compared = [number for number, is_enough in numbers.items() if is_enough]
            names_by_number = name_actions(ruleset, numbers) | name_actions(ruleset, compared)
        names |= {(strategy, number): name for number, name in names_by_number.items()}
    return names


_FIRST_SQL: Final = """
    SELECT run, game_id, seat, min(ply) AS first, arg_min(action, ply) AS action
    FROM ply_rows WHERE seat >= 0 AND round = 0 GROUP BY ALL"""
_GROUPS_SQL: Final[dict[MoveGrouping, str]] = {
    "first move": _FIRST_SQL,
    "first piece": _FIRST_SQL,
    "first roll": f"""
        SELECT run, game_id, f.seat, arg_max(r.action, r.ply) AS action
        FROM ({_FIRST_SQL}) AS f
        JOIN (SELECT run, game_id, ply, action FROM ply_rows WHERE seat < 0 AND round = 0) AS r USING (run, game_id)
        WHERE r.ply < f.first GROUP BY ALL""",  # noqa: S608 - constants
}


def sum_moves(
    con: duckdb.DuckDBPyConnection, sha256: str, seats: tuple[int, ...], by: MoveGrouping
) -> list[MoveSums]:
    """Return the sums of every group of results under a ruleset in runs of equal luck. It reads all plies.

    `seats` are the seats that count; all if empty.
    """
    runs = [name for (name,) in con.execute("SELECT run FROM run ORDER BY ALL").fetchall()]
    strategies = [
        name for (name,) in con.execute("SELECT DISTINCT strategy FROM strategies ORDER BY ALL").fetchall()
    ]
    values = {"sha256": sha256, "seats": list(seats), "runs": runs, "strategies": strategies}
    columns = con.execute(
        f"""SELECT d.action, g.block, s.score, s.win_share,
             list_position($strategies, s.strategy) - 1 AS strategy,
             (list_position($strategies, s.strategy) * len($runs) + list_position($runs, run)) * {MAX_SEATS} + s.seat AS peers
           FROM ({_GROUPS_SQL[by]}) AS d JOIN seats AS s USING (run, game_id, seat) JOIN games AS g USING (run, game_id)
           JOIN rulesets AS r USING (run, ruleset)
           WHERE r.sha256 = $sha256 AND (len($seats) = 0 OR s.seat = ANY($seats))""",  # noqa: S608 - constants and numbers
        values,
    ).fetchnumpy()
    results = {name: np.asarray(column) for name, column in columns.items()}
    if not len(results["block"]):
        return []
    ruleset = _read_spec(con, sha256)
    actions, places = np.unique(results["action"], return_inverse=True)
    groups = [_find_group(ruleset, int(action), by) for action in actions]
    return _sum_groups(results, strategies, groups, places)


def _read_spec(con: duckdb.DuckDBPyConnection, sha256: str) -> Ruleset:
    spec, name = con.execute("SELECT spec, run FROM rulesets WHERE sha256 = ?", [sha256]).fetchall()[0]
    return read_ruleset(json.loads(spec), name)


def _find_group(ruleset: Ruleset, action: int, by: MoveGrouping) -> int | str:
    """Return the group of an action: its number, or the smallest one of those that are equal to it; or its piece."""
    if by == "first piece":
        meaning = ruleset.action(action)
        return meaning.piece or meaning.kind
    return min(ruleset.equal_actions(action)) if by == "first move" else action


def _sum_groups(
    results: Mapping[str, NDArray[Any]],
    strategies: Sequence[str],
    groups: Sequence[int | str],
    places: Integers,
) -> list[MoveSums]:
    """Return the sums by strategy and group; `places` are those of the groups of the results in `groups`, which may repeat."""
    numbers = {group: number for number, group in enumerate(dict.fromkeys(groups))}
    keys = (
        results["strategy"].astype(np.int64) * len(numbers)
        + np.array([numbers[group] for group in groups])[places]
    )
    blocks = results["block"].astype(np.int64)
    clusters, cluster_of = np.unique(keys * (blocks.max() + 1) + blocks, return_inverse=True)
    present, key_of_cluster = np.unique(clusters // (blocks.max() + 1), return_inverse=True)
    sizes = np.bincount(cluster_of).astype(np.float64)
    scores = results["score"].astype(np.float64)
    peers = np.unique(results["peers"], return_inverse=True)[1]
    means = np.bincount(peers, scores) / np.bincount(peers)

    ones = np.ones_like(sizes)

    def add_up(values: Floats) -> Floats:
        return np.bincount(key_of_cluster, values).astype(np.float64)

    def sum_clusters(values: Floats) -> Floats:
        totals = np.bincount(cluster_of, values).astype(np.float64)
        return np.stack(
            [add_up(part) for part in (ones, sizes, sizes**2, totals, totals**2, totals * sizes)], axis=1
        )

    measures = (scores, scores - means[peers], results["win_share"].astype(np.float64))
    sums = np.stack([sum_clusters(values) for values in measures], axis=1)
    names = list(numbers)
    return [
        MoveSums(strategies[key // len(names)], names[key % len(names)], tuple(map(tuple, rows)))
        for key, rows in zip(present.tolist(), sums.tolist(), strict=True)
    ]
