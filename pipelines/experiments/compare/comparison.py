"""Comparisons of strategies: from the games of a run, finished or not, to verdicts, ratings and controls.

The outcomes are read by `pipelines.runs.outcomes`; the results are shown by the command line, notebooks and pages.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from pipelines import statistics
from pipelines.design.designs import read_as_comparison
from pipelines.design.lineups import parse_choice
from pipelines.design.metrics import METRICS
from pipelines.experiments.compare.side_results import SideResult, side_results
from pipelines.experiments.controls import Control, SeatEdge, comparison_controls, seat_edges
from pipelines.experiments.pair_results import PairResult, Verdict, compare_pairs, part_differences
from pipelines.runs.outcomes import read_outcomes
from pipelines.runs.run import Run
from pipelines.statistics.ratings import Rankings, plackett_luce

if TYPE_CHECKING:
    from pipelines.design.metrics import Metric
    from pipelines.runs.outcomes import Outcomes
    from pipelines.runs.unfinished_run import UnfinishedRun
    from pipelines.statistics.ratings import Rating

MAX_RATED_BLOCKS: Final = 5_000
"""Ratings use at most this many blocks, the first ones, to limit their time; differences use all blocks."""


@dataclass(frozen=True)
class Comparison:
    """The results of a comparison and everything that is needed to interpret them."""

    run: str
    is_finished: bool
    title: str
    ruleset: str
    sha256: str
    """The hash of the ruleset."""
    game: str
    players: int
    lowest_wins: bool
    strategies: tuple[str, ...]
    arrangement: str
    metric: str
    margin: float | None
    is_sequential: bool
    """True if this metric decides when to stop: the differences of pairs and their p-values are then valid at every look,
    under the condition that `pipelines.statistics.sequential` states. All other intervals are those of a fixed number of
    blocks."""
    most_blocks: int | None
    """None if the number of blocks was fixed."""
    planned_blocks: int
    """The number of blocks of the design, which is more than `blocks` while it is played."""
    blocks: int
    games_per_block: int
    games: int
    seed: int
    opening: int
    log: str
    pairs: tuple[PairResult, ...]
    sides: tuple[SideResult, ...]
    ratings: tuple[Rating, ...]
    """Empty for an unfinished run on a page, and if the strategies cannot be rated."""
    seats: tuple[SeatEdge, ...]
    controls: tuple[Control, ...]
    """Empty for an unfinished run on a page, and if they were left out."""
    command: str
    """The command that plays and reports the same comparison."""

    def as_json(self) -> dict[str, Any]:
        """Return all fields as JSON data: intervals are objects, infinite and unknown numbers are null."""
        return {field.name: _json_value(getattr(self, field.name)) for field in fields(self)}


def compare_strategies(
    source: Run | UnfinishedRun, *, metric: str | None = None, with_controls: bool = True
) -> Comparison:
    """Compare the strategies of a run, or of the finished part of an unfinished run.

    `metric` is a name in `METRICS`, by default the metric of the design. The controls play some games again,
    which takes seconds with slow strategies; `control_run` computes them later. Raises InvalidError if the run is not a
    comparison, if it has no games yet, and for an unknown metric.
    """
    return _compare_source(source, metric, is_brief=False, with_controls=with_controls)


def control_run(source: Run | UnfinishedRun) -> tuple[Control, ...]:
    """Return the controls of a comparison. Raises InvalidError like `compare_strategies`."""
    with source.open_tables() as connection:
        design = read_as_comparison(source.design)
        return comparison_controls(connection, read_outcomes(connection, design))


def compare_live_run(partial: UnfinishedRun) -> Comparison:
    """Compare the strategies by the blocks that are finished so far.

    Bootstrap intervals, ratings and controls are left out, so that a page can call this every second.
    """
    return _compare_source(partial, None, is_brief=True, with_controls=False)


def compare_outcomes(outcomes: Outcomes) -> Comparison:
    """Compare strategies by outcomes in memory, with the same results as `compare_live_run`."""
    contest = outcomes.design.contest
    pairs = compare_pairs(
        outcomes, METRICS[contest.metric], is_sequential=contest.until_decided, parts={}, is_brief=True
    )
    return _build_comparison(outcomes, METRICS[contest.metric], pairs, name="", is_finished=False)


def _compare_source(
    source: Run | UnfinishedRun, metric: str | None, *, is_brief: bool, with_controls: bool
) -> Comparison:
    with source.open_tables() as connection:
        design = read_as_comparison(source.design)
        outcomes, contest = read_outcomes(connection, design), design.contest
        chosen = METRICS[contest.metric if metric is None else parse_choice("metric", metric, tuple(METRICS))]
        is_sequential = contest.until_decided and chosen.name == contest.metric
        parts = {} if is_brief else part_differences(connection, outcomes)
        pairs = compare_pairs(outcomes, chosen, is_sequential=is_sequential, parts=parts, is_brief=is_brief)
        controls = comparison_controls(connection, outcomes) if with_controls else ()
    comparison = _build_comparison(
        outcomes, chosen, pairs, name=source.name, is_finished=isinstance(source, Run)
    )
    return comparison if is_brief else replace(comparison, ratings=_rate_sides(outcomes), controls=controls)


def _build_comparison(
    outcomes: Outcomes, metric: Metric, pairs: tuple[PairResult, ...], *, name: str, is_finished: bool
) -> Comparison:
    """Return a comparison without ratings and controls, which take a second or more."""
    design, contest = outcomes.design, outcomes.design.contest
    return Comparison(
        run=name,
        is_finished=is_finished,
        title=design.title,
        ruleset=design.rules.name,
        sha256=design.rules.sha256,
        game=design.rules.game,
        players=design.seats,
        lowest_wins=design.rules.lowest_wins,
        strategies=design.labels,
        arrangement=contest.arrangement,
        metric=metric.name,
        margin=contest.margin,
        is_sequential=contest.until_decided and metric.name == contest.metric,
        most_blocks=contest.most_blocks,
        planned_blocks=design.blocks,
        blocks=len(outcomes.blocks),
        games_per_block=design.rotations,
        games=len(outcomes.blocks) * design.rotations,
        seed=design.seed,
        opening=design.opening,
        log=design.log,
        pairs=pairs,
        sides=side_results(outcomes),
        ratings=(),
        seats=seat_edges(outcomes),
        controls=(),
        command=design.command,
    )


def _rate_sides(outcomes: Outcomes) -> tuple[Rating, ...]:
    """Return ratings from the ranks of games; none if a strategy occurs twice or if there are too few blocks."""
    design, rated = outcomes.design, outcomes.first_blocks(MAX_RATED_BLOCKS)
    if len(set(design.lineup)) < len(design.lineup) or len(rated.blocks) < statistics.MIN_BLOCKS:
        return ()
    games = len(rated.blocks) * design.rotations
    rankings = Rankings(
        np.tile(np.array(design.seatings, dtype=np.int64), (len(rated.blocks), 1)),
        rated.ranks.reshape(games, design.seats).astype(np.int64),
        np.repeat(rated.blocks.astype(np.int64), design.rotations),
    )
    return tuple(plackett_luce(design.labels, rankings, seed=design.seed))


def _json_value(value: Any) -> Any:  # noqa: ANN401 - any value of the dataclasses above
    if isinstance(value, Verdict):
        return {"kind": value.kind, "better": value.better}
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _json_value(getattr(value, field.name)) for field in fields(value)}
    if hasattr(value, "_asdict"):
        return {key: _json_value(item) for key, item in value._asdict().items()}
    if isinstance(value, list | tuple):
        return [_json_value(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value
