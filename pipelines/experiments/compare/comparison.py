"""Comparing strategies: from the games of a run, finished or not, to what may be said about them."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from engine.game import InvalidError
from pipelines import statistics
from pipelines.design.design import Design
from pipelines.design.seatings import METRICS, Contest, parse_choice, rotation_seatings
from pipelines.experiments.compare.controls import Control, SeatEdge, comparison_controls, seat_edges
from pipelines.experiments.compare.pair_results import PairResult, compare_pairs, part_differences
from pipelines.experiments.compare.verdict import Verdict
from pipelines.runs.outcomes import PARTS_OF_A_WIN, read_outcomes
from pipelines.runs.run import Run
from pipelines.statistics.ratings import Rankings, plackett_luce

if TYPE_CHECKING:
    import duckdb

    from pipelines.design.seatings import Metric
    from pipelines.runs.outcomes import Outcomes
    from pipelines.runs.unfinished_run import UnfinishedRun
    from pipelines.statistics import Interval
    from pipelines.statistics.ratings import Rating

MAX_RATED_BLOCKS: Final = 5_000
"""Blocks that ratings rest on at most: the first ones. More would sharpen what the pairs say better anyway."""


@dataclass(frozen=True)
class SideResult:
    """One of the compared strategies, over all its games."""

    strategy: str
    seats_per_block: int
    score: Interval | None
    """Mean score of a seat."""
    win_share: Interval | None
    """Wins for each seat and game it had, ties split: 1 / players if all are equal."""


@dataclass(frozen=True)
class Comparison:
    """What a comparison found, with all that is needed to judge it."""

    run: str
    is_finished: bool
    title: str
    ruleset: str
    game: str
    players: int
    lowest_wins: bool
    strategies: tuple[str, ...]
    arrangement: str
    metric: Metric
    margin: float | None
    is_sequential: bool
    """Played until it was decided: intervals and p-values of pairs then hold at every look."""
    most_blocks: int | None
    blocks: int
    games_per_block: int
    games: int
    seed: int
    opening: int
    log: str
    verdict: str
    """The first thing to say."""
    estimand: str
    """What the difference is a difference of."""
    pairs: tuple[PairResult, ...]
    sides: tuple[SideResult, ...]
    ratings: tuple[Rating, ...]
    """Empty in a live look, and where nothing can be rated."""
    seats: tuple[SeatEdge, ...]
    controls: tuple[Control, ...]
    """Empty in a live look."""
    command: str
    """Makes and reports the same again."""

    def as_json(self) -> dict[str, Any]:
        """Return everything as JSON data: intervals as objects, what is infinite or not known as null."""
        found = _json_value(self)
        assert isinstance(found, dict)  # noqa: S101 - a dataclass becomes an object
        return found

    def _repr_html_(self) -> str:
        from pipelines.notebook.html import comparison_html  # noqa: PLC0415 - only notebooks need it

        return comparison_html(self)


def compare_strategies(source: Run | UnfinishedRun, *, metric: str | None = None) -> Comparison:
    """Compare the strategies of a run, or of what is finished of one.

    Raises InvalidError if the run compares nothing, or has no games yet.
    """
    return _compare_source(source, metric, is_brief=False)


def compare_live_run(partial: UnfinishedRun) -> Comparison:
    """Compare by the blocks finished so far, quickly enough for a page that asks every second."""
    return _compare_source(partial, None, is_brief=True)


def compare_outcomes(outcomes: Outcomes) -> Comparison:
    """Compare by outcomes at hand, of a design that compares, as briefly as `compare_live_run` does."""
    contest = outcomes.design.contest
    if contest is None:
        raise ValueError("This design compares nothing.")
    pairs = compare_pairs(
        outcomes, contest.metric, is_sequential=contest.until_decided, parts={}, is_brief=True
    )
    return _build_comparison(outcomes, contest.metric, pairs, name="", is_finished=False)


def _compare_source(source: Run | UnfinishedRun, metric: str | None, *, is_brief: bool) -> Comparison:
    with source.connect() as connection:
        design = ensure_contest(read_run_design(source, connection))
        outcomes = read_outcomes(connection, design)
        contest = design.contest
        assert contest  # noqa: S101 - see `asked`
        chosen = contest.metric if metric is None else parse_choice("metric", metric, METRICS)
        is_sequential = contest.until_decided and chosen == contest.metric
        parts = {} if is_brief else part_differences(connection, outcomes)
        pairs = compare_pairs(outcomes, chosen, is_sequential=is_sequential, parts=parts, is_brief=is_brief)
        checked = () if is_brief else comparison_controls(connection, outcomes)
    found = _build_comparison(outcomes, chosen, pairs, name=source.name, is_finished=isinstance(source, Run))
    return found if is_brief else replace(found, ratings=_rate_sides(outcomes), controls=checked)


def _build_comparison(
    outcomes: Outcomes, metric: Metric, pairs: tuple[PairResult, ...], *, name: str, is_finished: bool
) -> Comparison:
    """Return a comparison without what takes long."""
    design, contest = outcomes.design, outcomes.design.contest
    assert contest  # noqa: S101 - see `asked`
    return Comparison(
        run=name,
        is_finished=is_finished,
        title=design.title,
        ruleset=design.rules.name,
        game=design.rules.game,
        players=design.seats,
        lowest_wins=design.rules.lowest_wins,
        strategies=design.lineup,
        arrangement=contest.arrangement,
        metric=metric,
        margin=contest.margin,
        is_sequential=contest.until_decided and metric == contest.metric,
        most_blocks=contest.most_blocks,
        blocks=len(outcomes.blocks),
        games_per_block=design.rotations,
        games=len(outcomes.blocks) * design.rotations,
        seed=design.seed,
        opening=design.opening,
        log=design.log,
        verdict=_pairs_headline(pairs),
        estimand=_describe_estimand(design, metric),
        pairs=pairs,
        sides=_side_results(outcomes),
        ratings=(),
        seats=seat_edges(outcomes),
        controls=(),
        command=design.command,
    )


def read_run_design(source: Run | UnfinishedRun, connection: duckdb.DuckDBPyConnection) -> Design:
    """Return the design of a run, finished or not."""
    if isinstance(source, Run):
        document = connection.execute("SELECT design FROM run").fetchall()[0][0]
        return Design.from_document(document, f"{source.path}: table run")
    return source.design


def ensure_contest(design: Design) -> Design:
    """Return a design that compares: also of a simulation in which different strategies had every seat.

    Raises InvalidError if it compares nothing.
    """
    if design.contest:
        return design
    every = rotation_seatings(len(design.lineup), len(design.lineup))
    if len(set(design.lineup)) < max(2, len(design.lineup)) or design.seatings != every:
        raise InvalidError(
            "the run compares nothing: it needs different strategies, each on every seat; see reroll compare --help"
        )
    return design.model_copy(update={"contest": Contest(arrangement="rotate")})


def _pairs_headline(pairs: tuple[PairResult, ...]) -> str:
    """Say first what there is to say: of two strategies the verdict, of more who is ahead of whom."""
    if len(pairs) == 1:
        return pairs[0].verdict.sentence
    ahead: dict[str, list[str]] = {}
    for pair in pairs:
        if pair.verdict.better:
            ahead.setdefault(pair.verdict.better, []).append(
                pair.b if pair.verdict.better == pair.a else pair.a
            )
    told = [
        f"{name} is ahead of {_join_names(others)}"
        for name, others in sorted(ahead.items(), key=lambda item: -len(item[1]))
    ]
    equal = [
        f"{pair.a} and {pair.b} are equal" for pair in pairs if pair.verdict.kind in {"equal", "identical"}
    ]
    open_ = [
        f"{pair.a} and {pair.b}"
        for pair in pairs
        if pair.verdict.better is None and pair.verdict.kind not in {"equal", "identical"}
    ]
    told += [*equal, *([f"not settled: {', '.join(open_)}"] if open_ else [])]
    return "; ".join(told)


def _join_names(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


_METRIC_ESTIMANDS: Final[dict[Metric, str]] = {
    "score": "the mean score of A's seats minus that of B's seats in the same game",
    "margin": "how far A's best seat is ahead of the best seat of all others, minus the same for B",
    "win": "A's share of the win minus B's, ties split, all seats of a side together",
}
_ARRANGEMENT_WORDS: Final = {
    "duel": "A on one seat against B on all others, then the other way round, on every seat",
    "round-robin": "for every two strategies A and B: A on one seat against B on all others, then the other way round, on every seat",
    "rotate": "all strategies in every game, one seat each, through all rotations of the line-up",
}


def _describe_estimand(design: Design, metric: Metric) -> str:
    contest = design.contest
    assert contest  # noqa: S101 - see `asked`
    opening = f", after {design.opening} random plies that are the same for all" if design.opening else ""
    if contest.arrangement != "rotate" and design.seats == 2:
        how = "A on one seat and B on the other, then the other way round"
    else:
        how = _ARRANGEMENT_WORDS[contest.arrangement]
    return (
        f"{_METRIC_ESTIMANDS[metric]}, averaged over the games of a block: {how}, all on the same luck{opening}. "
        f"Intervals and tests count blocks, not games."
    )


def _side_results(outcomes: Outcomes) -> tuple[SideResult, ...]:
    """Return every side's own results over all its seats."""
    seated = np.array(outcomes.design.seatings)
    found = []
    for side, strategy in enumerate(outcomes.design.lineup):
        own = seated == side
        found.append(
            SideResult(
                strategy,
                int(own.sum()),
                statistics.t_interval(outcomes.scores[:, own].mean(axis=1)),
                statistics.share_interval(outcomes.wins[:, own].mean(axis=1) / PARTS_OF_A_WIN),
            )
        )
    return tuple(found)


def _rate_sides(outcomes: Outcomes) -> tuple[Rating, ...]:
    """Rate the sides by the ranks of their games; nothing if they are one and the same strategy, or too few blocks."""
    design, some = outcomes.design, outcomes.first_blocks(MAX_RATED_BLOCKS)
    if len(set(design.lineup)) < len(design.lineup) or len(some.blocks) < statistics.MIN_BLOCKS:
        return ()
    games = len(some.blocks) * design.rotations
    rankings = Rankings(
        np.tile(np.array(design.seatings, dtype=np.int64), (len(some.blocks), 1)),
        some.ranks.reshape(games, design.seats).astype(np.int64),
        np.repeat(some.blocks.astype(np.int64), design.rotations),
    )
    return tuple(plackett_luce(design.lineup, rankings, seed=design.seed))


def _json_value(value: Any) -> Any:  # noqa: ANN401 - any value of the dataclasses above
    """Return a value as JSON data."""
    if isinstance(value, Verdict):
        return {"kind": value.kind, "better": value.better, "sentence": value.sentence}
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _json_value(getattr(value, field.name)) for field in fields(value)}
    if hasattr(value, "_asdict"):
        return {key: _json_value(held) for key, held in value._asdict().items()}
    if isinstance(value, list | tuple):
        return [_json_value(held) for held in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value
