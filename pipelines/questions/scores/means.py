"""Means with their intervals: by part of the score, by round, by player; and how long games are, in rounds or in plies."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pipelines.questions.measured import Basis, Measured
from pipelines.questions.scores import rollup_sums
from pipelines.questions.scores.distributions import (
    add_half_widths,
    choose_best,
    choose_compared,
    read_score_groups,
)
from pipelines.questions.scores.rollup_sums import (
    CountedBlocks,
    PlaceSums,
    count_game_blocks,
    read_strategy_blocks,
)
from pipelines.questions.scores.scope import ScoresScope, met_same_opponents
from pipelines.statistics import Distribution, Interval, mean_interval, wilson
from pipelines.statistics.intervals import sample_variance

if TYPE_CHECKING:
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

    @property
    def start(self) -> Interval | None:
        """By how much the mean of player 1 differs from that of all others, of a line by player that has both.

        It holds however the means depend on each other (`add_half_widths`).
        """
        first, others = self.find_point(1), [point for point in self.points if point.at != 1]
        if first is None or not others:
            return None
        mean_of_others = Interval(*np.mean([point.mean for point in others], axis=0).tolist())
        return add_half_widths(first.mean, mean_of_others)

    def find_point(self, place: str | int) -> PlaceMean | None:
        """Return the mean at a place, or None if it is not known there."""
        return next((point for point in self.points if point.at == place), None)


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

    @property
    def needs_games(self) -> bool:
        """Whether there are too few games for intervals."""
        return not (self.means or self.is_unlogged)


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
    return MeansAnswer(question, scope, means, lines, is_unlogged, basis)


def read_place_means(scope: ScoresScope, source: QuestionSource, view: View) -> tuple[PlaceMean, ...]:
    """Return the mean at every place that has enough blocks, in the order of the rulesets.

    Parts of the score count the chosen seats; the scores by round and by player count all seats.
    """
    if view == "Players":
        groups = read_score_groups(replace(scope, seats=()), source, by_seat=True)
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
    blocks = read_strategy_blocks(scope, source)
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
    rows: Iterable[PlaceSums],
    blocks_held: Mapping[tuple[str, str], CountedBlocks],
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
            means.append(PlaceMean(place, *ruleset, row.strategy, name, mean, row.n, min(blocks, row.n)))
    order = list(scope.labels.values())
    return tuple(sorted(means, key=lambda mean: order.index(mean.ruleset)))


def keep_common_places(sums: Sequence[PlaceSums], share: float) -> list[PlaceSums]:
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
    groups = read_score_groups(replace(scope, seats=()) if view == "Players" else scope, source)
    if view == "Players":
        runs_by_ruleset = scope.runs_by_ruleset
        groups = tuple(
            group for group in groups if met_same_opponents(group.strategy, runs_by_ruleset[group.sha256])
        )
    if len(scope.rulesets) > 1:
        chosen = choose_compared(groups)
        compared = [lines.get((group.ruleset, group.strategy)) for group in chosen]
        return tuple(line for line in compared if line) if all(compared) else ()
    lowest_wins = scope.rulesets[0].lowest_wins
    chosen = choose_best(groups, scope.runs, lowest_wins=lowest_wins)
    if view == "Players":  # the strategies with the most results, the best ones first
        most_results = max((group.scores.n for group in groups), default=0)
        fullest = [group for group in groups if group.scores.n == most_results]
        chosen = choose_best(fullest, scope.runs, lowest_wins=lowest_wins)
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
            counted_blocks = count_game_blocks(runs[sha256])
            mean = mean_interval(lengths.mean, lengths.sd, counted_blocks.count_units(lengths.n))
            measured = Measured(mean, min(counted_blocks.blocks, lengths.n))
            ruleset = scope.labels[sha256], scope.ruleset_names[sha256]
            game_lengths.append(GameLengths(*ruleset, lengths, measured))
    return tuple(game_lengths)
