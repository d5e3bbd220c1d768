"""Two sides of a comparison: what the blocks say about the difference between them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from pipelines import statistics
from pipelines.design.seatings import meeting_seatings, side_pairs
from pipelines.experiments.compare.verdict import METRIC_WORDINGS, Findings, Verdict, make_verdict
from pipelines.runs.outcomes import differing_blocks, pair_columns
from pipelines.simulate.stop_rule import make_stopping_rule

if TYPE_CHECKING:
    import duckdb

    from pipelines.design.design import Design
    from pipelines.design.seatings import Metric, Pair
    from pipelines.runs.outcomes import Outcomes
    from pipelines.statistics import Interval, QuantileDifference, SequentialLook
    from pipelines.statistics.arrays import Floats

MAX_RESAMPLED_BLOCKS: Final = 5_000
"""Blocks, of all pairs together, up to which there are bootstraps: they take a second, and with more agree with t."""
MANY_BLOCKS: Final = 20_000
"""Blocks from which fewer sign patterns are drawn."""
FEW_SIGN_PATTERNS: Final = 999


class PartDifference(NamedTuple):
    """How many points of the difference come from one part of the score."""

    part: str
    difference: Interval


@dataclass(frozen=True)
class PairResult:
    """Two sides, A and B; every number is in the unit of the metric unless it says otherwise."""

    a: str
    b: str
    sides: Pair
    """Their places in the line-up."""
    games_per_block: int
    blocks: int
    mean_a: Interval | None
    """None, like every interval here, for fewer than two blocks."""
    mean_b: Interval | None
    difference: Interval | None
    """Mean of A - B. Valid at every look if the run was played until it was decided, else the paired t interval."""
    p: float
    """Two-sided: of the sign-flip test, or valid at every look."""
    p_holm: float
    """The same, adjusted for the number of pairs."""
    win_share: Interval | None
    """A's share of the wins in its games with B, ties split."""
    better: Interval | None
    """P(A does better than B in the same place on the same luck), ties half."""
    differing: Interval
    """Share of blocks in which it made any difference who was who."""
    correlation: float | None
    variance_ratio: float | None
    """Variance of the difference over what it were on separate luck."""
    detectable: float | None
    """Smallest true difference that so many blocks settle with probability 0.8."""
    bootstrap: Interval | None
    """The difference with a bootstrap interval, to see whether skewness matters; None for very many blocks."""
    quantiles: tuple[QuantileDifference, ...]
    """Differences between quantiles of single games; empty where the bootstrap is None."""
    decision: str | None
    """What the stopping rule says: more, fewer, equal, undecided; None if the number of blocks was fixed."""
    parts: tuple[PartDifference, ...]
    """Where the points come from: these add up to the difference of mean scores."""
    verdict: Verdict


def compare_pairs(
    outcomes: Outcomes,
    metric: Metric,
    *,
    is_sequential: bool,
    parts: dict[Pair, tuple[PartDifference, ...]],
    is_brief: bool = False,
) -> tuple[PairResult, ...]:
    """Compare every two sides. `is_brief` leaves out what takes long: for looks at a run that goes on."""
    every = side_pairs(len(outcomes.design.lineup))
    found = [
        _PairNumbers(outcomes, pair, metric, is_sequential=is_sequential, is_brief=is_brief) for pair in every
    ]
    adjusted = statistics.holm([pair.p for pair in found])
    return tuple(
        pair.make_result(p_holm, parts.get(pair.sides, ()))
        for pair, p_holm in zip(found, adjusted, strict=True)
    )


class _PairNumbers:
    """The numbers of one pair, before p-values are adjusted."""

    def __init__(
        self, outcomes: Outcomes, sides: Pair, metric: Metric, *, is_sequential: bool, is_brief: bool
    ) -> None:
        self.sides = sides
        self._outcomes, self._metric, self._is_brief = outcomes, metric, is_brief
        self._columns = pair_columns(outcomes, sides, metric)
        self._differences: Floats = (self._columns.a - self._columns.b).mean(axis=1)
        self._look: SequentialLook | None = (
            make_stopping_rule(outcomes.design).judge_differences(self._differences)
            if is_sequential
            else None
        )
        self.p = self._look.p if self._look else self._sign_flip_p()

    @property
    def _is_resampled(self) -> bool:
        every = len(side_pairs(len(self._outcomes.design.lineup)))
        return not self._is_brief and len(self._differences) * every <= MAX_RESAMPLED_BLOCKS

    def _sign_flip_p(self) -> float:
        many = self._is_brief or len(self._differences) > MANY_BLOCKS
        drawn = {"resamples": FEW_SIGN_PATTERNS} if many else {}
        return statistics.sign_flip(self._differences, seed=self._seed, **drawn).p

    @property
    def _seed(self) -> int:
        return self._outcomes.design.seed

    def make_result(self, p_holm: float, parts: tuple[PartDifference, ...]) -> PairResult:
        design, (a, b), values = self._outcomes.design, self._columns, self._differences
        means_a, means_b = a.mean(axis=1), b.mean(axis=1)
        blocks, spread = len(values), statistics.intervals.sample_sd(values)
        different = int(differing_blocks(self._outcomes, self.sides).sum())
        wins = pair_columns(self._outcomes, self.sides, "win").a.mean(axis=1)
        names = design.lineup[self.sides[0]], design.lineup[self.sides[1]]
        interval = self._look.interval if self._look else statistics.t_interval(values)
        win_share = statistics.share_interval(wins)
        detectable = statistics.detectable_difference(spread, blocks)
        games = len(meeting_seatings(design.seatings, self.sides))
        found = Findings(
            *names,
            interval,
            p_holm,
            blocks,
            games,
            different,
            win_share,
            detectable,
            design.contest.margin if design.contest and self._metric == design.contest.metric else None,
            least_blocks=statistics.least_blocks(values),
            is_sequential=self._look is not None,
            lowest_wins=design.rules.lowest_wins,
            metric=METRIC_WORDINGS[self._metric],
        )
        return PairResult(
            *names,
            self.sides,
            games,
            blocks,
            statistics.t_interval(means_a),
            statistics.t_interval(means_b),
            interval,
            self.p,
            p_holm,
            win_share,
            self._superiority_interval(a, b),
            statistics.wilson(different, blocks),
            statistics.correlation(means_a, means_b),
            statistics.variance_ratio(means_a, means_b),
            detectable,
            statistics.bca_interval(values, seed=self._seed) if self._is_resampled else None,
            statistics.quantile_differences(a, b, seed=self._seed) if self._is_resampled else (),
            self._look.decision if self._look else None,
            parts,
            make_verdict(found),
        )

    def _superiority_interval(self, a: Floats, b: Floats) -> Interval | None:
        is_less = self._outcomes.design.rules.lowest_wins and self._metric == "score"
        return (
            statistics.superiority_probability(b, a) if is_less else statistics.superiority_probability(a, b)
        )


def part_differences(
    connection: duckdb.DuckDBPyConnection, outcomes: Outcomes
) -> dict[Pair, tuple[PartDifference, ...]]:
    """Return, for every two sides, how many points of the difference of their mean scores come from each part."""
    design = outcomes.design
    every = side_pairs(len(design.lineup))
    weights, scales = _seat_weights_sql(design, every)
    rows = connection.execute(
        f"""
        WITH weights(pair, rotation, seat, weight) AS (VALUES {weights}),
          blocks AS (
            SELECT pair, part, sum(weight * points) AS points
            FROM parts JOIN weights ON weights.rotation = game_id % {design.rotations} AND weights.seat = parts.seat
            GROUP BY pair, part, game_id // {design.rotations})
        SELECT pair, part, sum(points), sum(points * points), count(*) FROM blocks GROUP BY ALL
        """  # noqa: S608 - numbers of ours
    ).fetchall()
    found: dict[Pair, dict[str, PartDifference]] = {pair: {} for pair in every}
    for number, part, points, squares, blocks in rows:
        # From sums of whole numbers, as those do not depend on the order in which threads meet the blocks.
        deviations = (blocks * squares - points**2) / blocks
        spread = math.sqrt(deviations / max(blocks - 1, 1)) / scales[number]
        interval = statistics.mean_interval(points / (blocks * scales[number]), spread, blocks)
        if interval:
            found[every[number]][part] = PartDifference(part, interval)
    return {
        pair: tuple(parts[part] for part in design.game.parts if part in parts)
        for pair, parts in found.items()
    }


def _seat_weights_sql(design: Design, every: list[Pair]) -> tuple[str, list[int]]:
    """Return rows (pair, rotation, seat, weight) as SQL, and for each pair what its sums are multiples of.

    Weights are whole numbers, so that sums that should be zero are.
    """
    whole = math.lcm(*range(1, design.seats + 1))
    rows, scales = [], []
    for number, pair in enumerate(every):
        games = meeting_seatings(design.seatings, pair)
        scales.append(whole * len(games))
        for game in games:
            seating = design.seatings[game]
            for seat, side in enumerate(seating):
                if side in pair:
                    weight = whole // seating.count(side) * (1 if side == pair[0] else -1)
                    rows.append(f"({number}, {game}, {seat}, {weight})")
    return ", ".join(rows), scales
