"""Means with their intervals: by part of the score, by round, by player; and how long games are, in rounds or in plies."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from pipelines.questions.measured import Basis, Measured
from pipelines.questions.scores import distributions, rollup_sums
from pipelines.questions.scores.scope import ScoresScope, met_same_opponents
from pipelines.statistics import Distribution, Interval, block_sums_difference, mean_interval, wilson
from pipelines.statistics.intervals import sample_variance

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pipelines.questions.scores.question import LengthUnit, ScoresQuestion, View
    from pipelines.questions.source import QuestionSource

LEAST_SHARE_OF_ROUND = 0.1
"""Rounds that fewer of the results reached are left out: the mean of a few long games would mislead."""


@dataclass(frozen=True)
class PlaceMean:
    """A mean with its interval at a place."""

    at: str | int
    """The title of a part; a round or a player, counted from 1."""
    ruleset: str
    ruleset_name: str
    """What people call the ruleset beside the others."""
    strategy: str
    name: str
    """The short name of the strategy."""
    mean: Interval
    results: int
    blocks: int
    wins: Interval | None = None
    """Of a player: the share of the wins."""
    part: str = ""
    """The name of a part in run files."""


class Line(NamedTuple):
    """The means of one strategy under one ruleset, in the order of the places."""

    ruleset: str
    strategy: str
    points: tuple[PlaceMean, ...]

    @property
    def name(self) -> str:
        """The short name of the strategy."""
        return self.points[0].name

    @property
    def ruleset_name(self) -> str:
        """What people call the ruleset beside the others."""
        return self.points[0].ruleset_name

    @property
    def results(self) -> int:
        """The largest number of results at a place."""
        return max(point.results for point in self.points)

    def find_point(self, place: str | int) -> PlaceMean | None:
        """Return the mean at a place, or None if it is not known there."""
        return next((point for point in self.points if point.at == place), None)


class SeatEdges(NamedTuple):
    """By how much the mean score and the wins of each player differ from those of all players, of one strategy or of several together."""

    ruleset: str
    ruleset_name: str
    strategies: tuple[str, ...]
    names: tuple[str, ...]
    """The short names of the strategies."""
    edges: dict[int, Interval]
    """By player, counted from 1; the intervals hold for all of them at once. Of two players, that of player 1 from the other one."""
    blocks: int
    """The number of blocks; the games of a block share their luck, so the scores of its players are compared with each other."""
    wins: dict[int, Interval]
    """The same as `edges` in shares of the win."""

    @property
    def is_pair(self) -> bool:
        """Whether the difference of two players is all that there is."""
        return [*self.edges] == [1]

    def compare_with_average(self) -> SeatEdges:
        """Return the differences from the mean of all players, for two players, too, half of whose difference lies on each side."""
        if not self.is_pair:
            return self
        edges, wins = (
            {at: ends[1].times(sign / 2) for at, sign in ((1, 1), (2, -1)) if ends}
            for ends in (self.edges, self.wins)
        )
        return self._replace(edges=edges, wins=wins)


@dataclass(frozen=True)
class MeansAnswer:
    """The means at all places."""

    question: ScoresQuestion
    scope: ScoresScope
    means: tuple[PlaceMean, ...]
    lines: tuple[Line, ...]
    """What is compared: the best strategy and the next one, or one strategy under all rulesets; by player, all rulesets."""
    is_unlogged: bool
    """Whether there are no scores by round because no plies were logged."""
    basis: Basis
    problems: tuple[str, ...] = ()
    edges: tuple[SeatEdges, ...] = ()
    """By player: all strategies of a ruleset together if they had the same seats, then each of them."""
    final: Interval | None = None
    """By round: how much more the best strategy scores than the next one over whole games; None if it is not known."""

    @property
    def needs_games(self) -> bool:
        """Whether there are too few games for intervals."""
        return not (self.means or self.is_unlogged)

    @property
    def chosen_edges(self) -> tuple[SeatEdges, ...]:
        """The edges of all strategies of a ruleset together; of each one where they had not the same seats."""
        together = {edges.ruleset for edges in self.edges if len(edges.strategies) > 1}
        return tuple(
            edges for edges in self.edges if (len(edges.strategies) > 1) == (edges.ruleset in together)
        )


def answer_means(question: ScoresQuestion, scope: ScoresScope, source: QuestionSource) -> MeansAnswer:
    """Return the means by part (the view Parts), by round (Course) or by player (Players). There may be none."""
    means = read_place_means(scope, source, question.view)
    lines = _compare_lines(scope, source, question.view) if means and scope.is_comparable else ()
    is_unlogged = (
        question.view == "Course"
        and not means
        and not source.query(rollup_sums.scores_by_round, scope.runs, scope.hashes)
    )
    basis = scope.describe_basis(mean.blocks for mean in means)
    edges = read_seat_edges(scope, source) if question.view == "Players" else ()
    final = None
    if question.view == "Course" and lines[1:] and len(scope.rulesets) == 1:
        (comparison,) = distributions.compare_means(scope, source)
        final = comparison.others[0][1]
    return MeansAnswer(question, scope, means, lines, is_unlogged, basis, edges=edges, final=final)


def read_seat_edges(scope: ScoresScope, source: QuestionSource) -> tuple[SeatEdges, ...]:
    """Return how the players differ, of all strategies that met the same opponents on all of their seats."""
    every = []
    for sha256, counted_runs in scope.runs_by_ruleset.items():
        runs = [run for run in counted_runs if run not in scope.copied]
        strategies = [name for name in scope.strategies if met_same_opponents(name, runs)]
        if not strategies:
            continue
        columns = source.query(rollup_sums.seat_blocks, runs, sha256)
        groups: list[tuple[str, ...]] = [(name,) for name in strategies]
        if len(strategies) > 1 and all(run.summary.lineup.is_rotated for run in runs):
            groups.insert(0, tuple(strategies))
        for group in groups:
            names = tuple(scope.names[strategy] for strategy in group)
            edges, blocks = measure_seat_edges(columns, group)
            if edges:
                ruleset = scope.labels[sha256], scope.ruleset_names[sha256]
                wins, _ = measure_seat_edges(columns, group, "wins")
                every.append(SeatEdges(*ruleset, group, names, edges, blocks, wins))
    return tuple(every)


def measure_seat_edges(
    columns: Mapping[str, NDArray[Any]],
    strategies: Sequence[str],
    measure: Literal["score", "wins"] = "score",
) -> tuple[dict[int, Interval], int]:
    """Return how the players of some strategies differ in a measure, and from how many blocks; nothing if these are too few.

    `columns` are those of `seat_blocks`.
    """
    is_counted = np.isin(columns["strategy"], strategies)
    seats, places = np.unique(columns["seat"][is_counted], return_inverse=True)
    blocks = columns["block"][is_counted].astype(np.int64)
    sums, counts = np.zeros((2, len(seats), 1 + int(blocks.max(initial=0))))
    np.add.at(sums, (places, blocks), columns[measure][is_counted])
    np.add.at(counts, (places, blocks), columns["results"][is_counted])
    is_pair = seats.tolist() == [0, 1]
    weights = [(1.0, -1.0)] if is_pair else np.eye(len(seats)) - 1 / len(seats)
    level = 0.95 if is_pair else 1 - 0.05 / len(seats)
    differences = {
        int(seat) + 1: block_sums_difference([*sums], [*counts], level, row, min_blocks=2)
        for seat, row in zip(seats, weights, strict=False)
        if len(seats) > 1
    }
    known = {at: difference for at, difference in differences.items() if difference}
    edges = {at: difference.difference for at, difference in known.items()}
    return edges, max((difference.blocks for difference in known.values()), default=0)


def read_place_means(scope: ScoresScope, source: QuestionSource, view: View) -> tuple[PlaceMean, ...]:
    """Return the mean at every place that has enough blocks, in the order of the rulesets.

    Parts of the score count the chosen seats; the scores by round and by player count all seats.
    """
    if view == "Players":
        groups = distributions.read_score_groups(replace(scope, seats=()), source, by_seat=True)
        wins = {
            (row.sha256, row.strategy, row.seat): row.wins / row.results
            for row in source.query(rollup_sums.seat_wins, scope.runs, scope.hashes)
        }
        return tuple(
            PlaceMean(
                group.seat + 1,
                group.ruleset,
                group.ruleset_name,
                group.strategy,
                group.name,
                mean,
                group.scores.n,
                group.blocks,
                wilson(group.units * wins[group.sha256, group.strategy, group.seat], group.units),
            )
            for group in sorted(groups, key=lambda group: list(scope.hashes).index(group.sha256))
            if (mean := group.mean.interval) and group.seat is not None
        )
    blocks = rollup_sums.read_strategy_blocks(scope, source)
    if view == "Parts":
        rows = source.query(rollup_sums.part_points, scope.runs, scope.hashes, scope.seats)
        order = list(scope.part_titles)
        rows = sorted(rows, key=lambda row: order.index(str(row.at)) if row.at in order else len(order))
        return _measure_places(rows, blocks, scope, scope.part_titles)
    rows = source.query(rollup_sums.scores_by_round, scope.runs, scope.hashes)
    rounds = [row._replace(at=int(row.at) + 1) for row in rows]  # people count rounds from 1
    places = keep_common_places(rounds, LEAST_SHARE_OF_ROUND)
    return _measure_places(places, blocks, scope, {}, only_logged=True)


def _measure_places(
    rows: Iterable[rollup_sums.PlaceSums],
    blocks_held: Mapping[tuple[str, str], rollup_sums.CountedBlocks],
    scope: ScoresScope,
    titles: dict[str, str],
    *,
    only_logged: bool = False,
) -> tuple[PlaceMean, ...]:
    """Return the means of some sums. Intervals count blocks, because the results of a block share their luck."""
    means = []
    for row in rows:
        if row.strategy not in scope.names:
            continue
        counted_blocks = blocks_held[row.sha256, row.strategy]
        logged = scope.count_logged_blocks(row.sha256, row.strategy) if only_logged else counted_blocks.blocks
        blocks = min(logged, counted_blocks.blocks)
        units = counted_blocks.count_units(row.n, blocks)
        spread = math.sqrt(sample_variance(row.n, row.total, row.squares)) if row.n > 1 else 0.0
        mean = mean_interval(row.total / row.n, spread, units) if units else None
        if mean:
            ruleset = scope.labels[row.sha256], scope.ruleset_names[row.sha256]
            place, name = titles.get(str(row.at), row.at), scope.names[row.strategy]
            part = str(row.at) if titles else ""
            counted = min(blocks, row.n)
            means.append(PlaceMean(place, *ruleset, row.strategy, name, mean, row.n, counted, part=part))
    order = list(scope.labels.values())
    return tuple(sorted(means, key=lambda mean: order.index(mean.ruleset)))


def keep_common_places(sums: Sequence[rollup_sums.PlaceSums], share: float) -> list[rollup_sums.PlaceSums]:
    """Return the places that at least this share of the results of a strategy reached."""
    fullest: dict[tuple[str, str], int] = {}
    for row in sums:
        key = (row.sha256, row.strategy)
        fullest[key] = max(row.n, fullest.get(key, 0))
    return [row for row in sums if row.n >= share * fullest[row.sha256, row.strategy]]


def list_lines(means: Sequence[PlaceMean]) -> list[Line]:
    """Return a line for each strategy and ruleset, in the order of the means."""
    points: dict[tuple[str, str], list[PlaceMean]] = {}
    for mean in means:
        points.setdefault((mean.ruleset, mean.strategy), []).append(mean)
    return [Line(ruleset, strategy, tuple(line)) for (ruleset, strategy), line in points.items()]


def _compare_lines(scope: ScoresScope, source: QuestionSource, view: View) -> tuple[Line, ...]:
    """Return the lines that are compared; none if they are not known."""
    if view == "Course" and scope.seats:
        return ()  # the scores by round are not those of the chosen seats
    lines = {
        (line.ruleset, line.strategy): line for line in list_lines(read_place_means(scope, source, view))
    }
    groups = distributions.read_score_groups(replace(scope, seats=()) if view == "Players" else scope, source)
    if view == "Players":
        runs_by_ruleset = scope.runs_by_ruleset
        groups = tuple(
            group for group in groups if met_same_opponents(group.strategy, runs_by_ruleset[group.sha256])
        )
    if len(scope.rulesets) > 1:
        chosen, *_ = distributions.choose_compared(groups, lowest_wins=scope.rulesets[0].lowest_wins) or [[]]
        compared = [lines.get((group.ruleset, group.strategy)) for group in chosen]
        return tuple(line for line in compared if line) if all(compared) else ()
    lowest_wins = scope.rulesets[0].lowest_wins
    chosen = distributions.choose_best(groups, scope.runs, lowest_wins=lowest_wins)
    if view == "Players":  # the strategies with the most results, the best ones first
        most_results = max((group.scores.n for group in groups), default=0)
        fullest = [group for group in groups if group.scores.n == most_results]
        chosen = distributions.choose_best(fullest, scope.runs, lowest_wins=lowest_wins)
    if not chosen or (chosen[0].ruleset, chosen[0].strategy) not in lines:
        return ()
    return tuple(
        lines[group.ruleset, group.strategy] for group in chosen if (group.ruleset, group.strategy) in lines
    )


@dataclass(frozen=True)
class GameLengths:
    """The lengths of the games of a ruleset."""

    ruleset: str
    """The label of the ruleset."""
    ruleset_name: str
    """What people call it beside the others."""
    lengths: Distribution
    mean: Measured


@dataclass(frozen=True)
class LengthsAnswer:
    """The lengths of all games of the chosen runs, with all strategies."""

    question: ScoresQuestion
    scope: ScoresScope
    lengths: tuple[GameLengths, ...]
    basis: Basis
    problems: tuple[str, ...] = ()


def answer_lengths(question: ScoresQuestion, scope: ScoresScope, source: QuestionSource) -> LengthsAnswer:
    """Return the lengths of games for each ruleset that has games."""
    lengths = read_lengths(scope, source, question.length)
    basis = scope.describe_basis(game_lengths.mean.n for game_lengths in lengths)
    return LengthsAnswer(question, scope, lengths, basis)


def read_lengths(scope: ScoresScope, source: QuestionSource, unit: LengthUnit) -> tuple[GameLengths, ...]:
    """Return the lengths of games in rounds or plies. The interval of a mean counts each block as one game."""
    counts: dict[str, Counter[int]] = {sha256: Counter() for sha256 in scope.hashes}
    for row in source.query(rollup_sums.game_lengths, scope.runs, scope.hashes):
        counts[row.sha256][row.rounds if unit == "rounds" else row.plies] += row.games
    runs = scope.runs_by_ruleset
    game_lengths = []
    for sha256, games in counts.items():
        if games:
            lengths = Distribution(
                np.array(sorted(games), dtype=np.int64),
                np.array([games[length] for length in sorted(games)], dtype=np.int64),
            )
            counted_blocks = rollup_sums.count_game_blocks(runs[sha256])
            mean = mean_interval(lengths.mean, lengths.sd, counted_blocks.count_units(lengths.n))
            measured = Measured(mean, min(counted_blocks.blocks, lengths.n))
            ruleset = scope.labels[sha256], scope.ruleset_names[sha256]
            game_lengths.append(GameLengths(*ruleset, lengths, measured))
    return tuple(game_lengths)
