"""Comparisons of strategies: from the games of a run, finished or not, to verdicts, ratings, controls and twin games.

Twin games are two games of a block in which the same seat is played by one strategy, then by the other.

The outcomes are read by `pipelines.runs.outcomes`; the results are shown by the command line, notebooks and pages.

Twin games: two games of a block in which the same seat is played by one strategy, then by the other.
Twin games have the same luck and begin in the same way, so the first ply at which they differ is the first decision on
which the strategies disagree.

A preview of a comparison: its first blocks, played in this process while the worker processes start.
These are the blocks with which the run begins, so the preview and the run agree.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from engine import games
from engine.errors import InvalidError
from pipelines import statistics
from pipelines.design.designs import ComparisonDesign, read_as_comparison
from pipelines.design.lineups import Pair, parse_choice, twin_seatings
from pipelines.design.metrics import METRICS, PARTS_OF_A_WIN, Metric
from pipelines.design.openings import has_chance
from pipelines.design.titles import name_actions, name_ruleset
from pipelines.experiments.controls import Control, SeatEdge, comparison_controls, seat_edges
from pipelines.experiments.pair_results import PairResult, Verdict, compare_pairs, part_differences
from pipelines.experiments.progressive import play_design_blocks, play_steps
from pipelines.runs.game_queries import read_played_actions
from pipelines.runs.outcomes import Outcomes, outcomes_from_table, read_outcomes
from pipelines.runs.run import Run
from pipelines.simulate.shards import timed_steps
from pipelines.simulate.workers import usable_cpus
from pipelines.statistics.bounded_means import block_interval, plausible_bounds
from pipelines.statistics.ratings import Rankings, Rating, plackett_luce

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from engine.scene import SceneStep
    from pipelines.design.design import Design
    from pipelines.runs.unfinished_run import UnfinishedRun
    from pipelines.statistics import Interval

MAX_RATED_BLOCKS: Final = 5_000
"""Ratings use at most this many blocks, the first ones, to limit their time; differences use all blocks."""


@dataclass(frozen=True)
class Comparison:
    """The results of a comparison and everything that is needed to interpret them."""

    run: str
    is_finished: bool
    title: str
    ruleset: str
    ruleset_title: str
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
    copies: int
    """The number of blocks that were played, if all are the same and one counts; 0 if they differ."""
    games_per_block: int
    games: int
    seed: int
    opening: int
    has_dice: bool
    """Whether the game has chance, which is then the same in all games of a block."""
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
    outcomes, contest = outcomes.without_copies(), outcomes.design.contest
    pairs = compare_pairs(
        outcomes, METRICS[contest.metric], is_sequential=contest.until_decided, parts={}, is_brief=True
    )
    return _build_comparison(outcomes, METRICS[contest.metric], pairs, name="", is_finished=False)


def _compare_source(
    source: Run | UnfinishedRun, metric: str | None, *, is_brief: bool, with_controls: bool
) -> Comparison:
    with source.open_tables() as connection:
        design = read_as_comparison(source.design)
        outcomes, contest = read_outcomes(connection, design).without_copies(), design.contest
        chosen = METRICS[contest.metric if metric is None else parse_choice("metric", metric, tuple(METRICS))]
        is_sequential = contest.until_decided and chosen.name == contest.metric
        parts = {} if is_brief or outcomes.copies else part_differences(connection, outcomes)
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
        ruleset_title=name_ruleset(design.rules),
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
        copies=outcomes.copies,
        games_per_block=design.rotations,
        games=len(outcomes.blocks) * design.rotations,
        seed=design.seed,
        opening=design.opening,
        has_dice=has_chance(design.rules),
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


@dataclass(frozen=True)
class SideResult:
    """The results of one compared strategy over all its games."""

    strategy: str
    seats_per_block: int
    score: Interval | None
    """Mean score of a seat."""
    win_share: Interval | None
    """Mean share of the win of one of its seats, with ties split: 1 / players if all strategies are equal."""


def side_results(outcomes: Outcomes) -> tuple[SideResult, ...]:
    """Return the results of every strategy of a line-up, in its order."""
    seatings = np.array(outcomes.design.seatings)
    bounds = plausible_bounds(outcomes.scores)
    results = []
    for side, strategy in enumerate(outcomes.design.labels):
        seats_of_side = seatings == side
        results.append(
            SideResult(
                strategy,
                int(seats_of_side.sum()),
                block_interval(outcomes.scores[:, seats_of_side].mean(axis=1), bounds),
                statistics.share_interval(outcomes.wins[:, seats_of_side].mean(axis=1) / PARTS_OF_A_WIN),
            )
        )
    return tuple(results)


class TwinGames(NamedTuple):
    """Two games of one block and the scores of the seat that changed hands."""

    block: int
    seat: int
    """The seat that strategy A had in `game_a` and strategy B in `game_b`."""
    game_a: int
    game_b: int
    score_a: int
    score_b: int
    difference: int
    """`score_a` minus `score_b`."""


class FirstDifference(NamedTuple):
    """The first ply at which two games differ."""

    ply: int
    round: int
    seat: int
    """The acting seat, or -1 for chance."""
    step_a: str | None
    """What happens there in words, with the piece and its square; None if the game was over."""
    step_b: str | None


def twin_games(source: Run | UnfinishedRun, pair: Pair, *, limit: int = 100) -> list[TwinGames]:
    """Return at most `limit` twin games of two strategies, those with the greatest difference first.

    `pair` are indices in the line-up. Raises InvalidError if the run is not a comparison or has no such pair.
    """
    with source.open_tables() as connection:
        design = read_as_comparison(source.design)
        outcomes = read_outcomes(connection, design)
    if not 0 <= pair[0] < pair[1] < len(design.lineup):
        raise InvalidError(f"the run compares {len(design.lineup)} strategies, so it has no pair {pair}")
    seatings = twin_seatings(design.seatings, pair)
    a = np.stack([outcomes.scores[:, seating_a, seat] for seat, seating_a, _ in seatings], axis=1)
    b = np.stack([outcomes.scores[:, seating_b, seat] for seat, _, seating_b in seatings], axis=1)
    order = np.argsort(-np.abs(a - b), axis=None, kind="stable")[:limit]
    twins = []
    for row, column in zip(*np.unravel_index(order, a.shape), strict=True):
        seat, seating_a, seating_b = seatings[column]
        block = int(outcomes.blocks[row])
        scores = int(a[row, column]), int(b[row, column])
        games = design.game_id(block, seating_a), design.game_id(block, seating_b)
        twins.append(TwinGames(block, seat, *games, *scores, scores[0] - scores[1]))
    return twins


def find_first_difference(source: Run | UnfinishedRun, game_a: int, game_b: int) -> FirstDifference | None:
    """Return the first ply at which two logged games differ; None if all plies are equal.

    Raises InvalidError if their plies were not logged.
    """
    with source.open_tables() as connection:
        ruleset = source.design.rules
        plies = {game: read_played_actions(connection, game) for game in (game_a, game_b)}
    if not_logged := [game for game, played in plies.items() if not played]:
        raise InvalidError(f"the moves of game {not_logged[0] + 1} are not in run {source.name}")
    for rows in zip_longest(plies[game_a], plies[game_b]):
        if rows[0] != rows[1]:
            ply, round_, seat, _ = rows[0] or rows[1]
            begun = [[row[3] for row in played[: ply + 1]] for played in plies.values()]
            scenes = [games.find_game(ruleset.game).scene(ruleset, actions) for actions in begun]
            steps = [scene["steps"][-1] if row else None for scene, row in zip(scenes, rows, strict=True)]
            return FirstDifference(ply, round_, seat, *_describe_steps(ruleset, steps))
    return None


def _describe_steps(ruleset: Ruleset, steps: Sequence[SceneStep | None]) -> list[str | None]:
    """Return what is said first of each of two different steps, with the piece and its square, or else what tells the two apart."""
    numbers = {step["notation"]: ruleset.read_action(step["notation"]) for step in steps if step}
    names = name_actions(ruleset, numbers.values())
    sentences = [step["caption"].partition(". ")[0].rstrip(".") if step else None for step in steps]
    described: list[str | None] = []
    for step, sentence in zip(steps, sentences, strict=True):
        number = numbers[step["notation"]] if step else None
        if step and number is not None and ruleset.action(number).cells:
            described.append(f"{sentence} ({names[number]})")
        elif step and sentences[0] == sentences[1]:
            described.append(f"{sentence} ({step['notation']})")
        else:
            described.append(sentence)
    return described


def preview_comparison(
    design: ComparisonDesign, stopped: Callable[[], bool] = lambda: False
) -> Iterator[Comparison]:
    """Play the blocks of a comparison and yield the comparison after the first ones, then several times a second.

    The preview ends after all blocks of the design, or after a step when `stopped` returns True.
    """

    def play_blocks(blocks: range) -> Outcomes:
        return outcomes_from_table(design, play_design_blocks(design, blocks)["seats"], blocks)

    for outcomes, _ in play_steps(timed_steps(design.blocks), play_blocks, _join_outcomes, stopped):
        yield compare_outcomes(outcomes)


def _join_outcomes(first: Outcomes, second: Outcomes) -> Outcomes:
    return replace(
        first,
        blocks=np.concatenate([first.blocks, second.blocks]),
        scores=np.concatenate([first.scores, second.scores]),
        ranks=np.concatenate([first.ranks, second.ranks]),
        wins=np.concatenate([first.wins, second.wins]),
    )


MEASURING_SECONDS: Final = 0.5
"""Games are timed for about so long, but at least two blocks."""
SLOW_BLOCK_SECONDS: Final = 2.0
"""If the first block takes longer, there is an estimate after it; otherwise it only loads the compiled game."""
START_SECONDS: Final = 1.5
"""The time beside that of the games, in which processes start, the compiled game is loaded, and the file is written. On two idle
cores of an AMD EPYC, `reroll simulate` takes 1.8 s for 2 games, its own start included."""


class GamePace(NamedTuple):
    """The time of the games that were measured."""

    games: int
    seconds: float

    def estimate_seconds(self, games: int) -> float:
        """Return how long `games` games take with one process for each processor, once these have started."""
        return self.seconds / self.games * games / usable_cpus()


def measure_pace(design: Design, stopped: Callable[[], bool] = lambda: False) -> Iterator[GamePace]:
    """Play a few blocks of a design and yield how long its games take, each time more precisely.

    The first block may include the time in which the game is loaded or compiled, so it does not count once there are
    others.
    """
    started = time.perf_counter()
    play_design_blocks(design, range(1))
    first = time.perf_counter() - started
    if first > SLOW_BLOCK_SECONDS:
        yield GamePace(design.rotations, first)
    blocks, count, seconds = 1, 1, 0.0
    while seconds < MEASURING_SECONDS and not stopped():
        started = time.perf_counter()
        play_design_blocks(design, range(blocks, blocks + count))
        seconds += time.perf_counter() - started
        blocks += count
        count = min(2 * count, 1000)
        yield GamePace((blocks - 1) * design.rotations, seconds)
