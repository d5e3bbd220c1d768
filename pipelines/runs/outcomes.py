"""Outcomes of a comparison as arrays, and the paired columns of numbers for two of its sides.

In paired columns, the same row and column hold the results of the two sides in the same seats, on the same luck.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow.parquet as pq

from engine.errors import InvalidError
from pipelines.design.lineups import Pair, meeting_seatings, twin_seatings
from pipelines.design.metrics import PARTS_OF_A_WIN, Metric, PlaceResults
from pipelines.design.openings import has_chance
from pipelines.runs.unfinished_run import check_shard_file
from pipelines.statistics.bounded_means import KNOWN_EQUAL, SHARE_BOUNDS, ValueBounds, plausible_bounds

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa
    from numpy.typing import NDArray

    from pipelines.design.designs import ComparisonDesign
    from pipelines.statistics.intervals import Floats


@dataclass(frozen=True)
class Outcomes:
    """The results of the games of some blocks; arrays have the shape (blocks, seatings, seats) if not said otherwise."""

    design: ComparisonDesign
    blocks: NDArray[np.uint32]
    """Numbers of the blocks, ascending; shape (blocks,)."""
    scores: NDArray[np.int32]
    ranks: NDArray[np.uint8]
    wins: NDArray[np.int16]
    """Shares of the win in 840ths."""
    copies: int = 0
    """The number of blocks that were played, if all are copies of the only one here; 0 if they differ."""

    def first_blocks(self, blocks: int) -> Outcomes:
        """Return the outcomes of the first `blocks` blocks."""
        return Outcomes(
            self.design, self.blocks[:blocks], self.scores[:blocks], self.ranks[:blocks], self.wins[:blocks]
        )

    def without_copies(self) -> Outcomes:
        """Return the first block alone if all others are copies of it, as `Run.repeats_one_block` explains."""
        is_varied = self.design.opening or (self.scores != self.scores[:1]).any()
        if is_varied or len(self.blocks) < 2 or has_chance(self.design.rules):
            return self
        return replace(self.first_blocks(1), copies=len(self.blocks))


class PairColumns(NamedTuple):
    """The results of two sides in the same places on the same luck; each has the shape (blocks, places)."""

    a: Floats
    b: Floats

    @property
    def differences(self) -> Floats:
        """The difference of the first side minus the second in each block; shape (blocks,)."""
        differences: Floats = (self.a - self.b).mean(axis=1)
        return differences


class PairPlace(NamedTuple):
    """Seats that side a has in `seating_a`, and side b in `seating_b`, where the two sides have changed places."""

    seats: tuple[int, ...]
    seating_a: int
    seating_b: int


def read_outcomes(connection: duckdb.DuckDBPyConnection, design: ComparisonDesign) -> Outcomes:
    """Read the outcomes of all games; raise InvalidError if a block is incomplete."""
    columns = connection.execute(
        "SELECT game_id, score, rank, round(win_share * ?)::SMALLINT AS win FROM seats ORDER BY game_id, seat",
        [PARTS_OF_A_WIN],
    ).fetchnumpy()
    games, scores, ranks, wins = (
        np.asarray(columns[column]) for column in ("game_id", "score", "rank", "win")
    )
    results = design.rotations * design.seats
    blocks = games[::results] // design.rotations
    whole = np.repeat(
        (
            blocks[:, None] * np.uint32(design.rotations) + np.arange(design.rotations, dtype=np.uint32)
        ).ravel(),
        design.seats,
    )
    if len(whole) != len(games) or not np.array_equal(whole, games):
        raise InvalidError(
            "some blocks of the run are incomplete: its table seats lacks results; see reroll verify"
        )
    shape = (len(blocks), design.rotations, design.seats)
    return Outcomes(design, blocks, scores.reshape(shape), ranks.reshape(shape), wins.reshape(shape))


def read_shard_outcomes(design: ComparisonDesign, folder: Path, blocks: range) -> Outcomes:
    """Read the outcomes of one finished shard."""
    path = folder / "seats.parquet"
    check_shard_file(path)
    with pq.ParquetFile(path) as file:  # `read_table` takes a folder `x=y` for a column
        table = file.read(columns=["score", "rank", "win_share"])
    return outcomes_from_table(design, table, blocks)


def outcomes_from_table(design: ComparisonDesign, seats: pa.Table, blocks: range) -> Outcomes:
    """Return the outcomes of these blocks from their table `seats`, which is in the order of the games."""
    shape = (len(blocks), design.rotations, design.seats)
    wins = np.rint(seats["win_share"].to_numpy() * PARTS_OF_A_WIN).astype(np.int16)
    return Outcomes(
        design,
        np.array(blocks, np.uint32),
        seats["score"].to_numpy().reshape(shape),
        seats["rank"].to_numpy().reshape(shape),
        wins.reshape(shape),
    )


def pair_places(design: ComparisonDesign, pair: Pair) -> list[PairPlace]:
    """Return the places at which two sides are compared: alone on the same seat, and on all other seats of that game.

    The mean difference over all places of a block is the difference of the two sides within a game, averaged over the
    games of the block.
    """
    places: list[PairPlace] = []
    for seat, a, b in twin_seatings(design.seatings, pair):
        places.append(PairPlace((seat,), a, b))
        rest = tuple(other for other in range(design.seats) if other != seat)
        if len(rest) > 1 and set(design.seatings[a]) == set(pair):
            places.append(PairPlace(rest, b, a))
    return places


def is_same_strategy(design: ComparisonDesign, pair: Pair) -> bool:
    """Return whether two sides play the same strategy, so that their results on the same luck are equal."""
    return design.lineup[pair[0]] == design.lineup[pair[1]]


def metric_bounds(metric: Metric, columns: PairColumns) -> ValueBounds:
    """Return the values of a metric that intervals take to be possible: shares, or points about as high as those played."""
    return SHARE_BOUNDS if metric.is_share else plausible_bounds(np.concatenate(columns))


def difference_bounds(
    design: ComparisonDesign, pair: Pair, metric: Metric, columns: PairColumns
) -> ValueBounds:
    """Return the differences of two sides that intervals take to be possible: only zero for a strategy and itself."""
    if is_same_strategy(design, pair):
        return KNOWN_EQUAL
    bounds = metric_bounds(metric, columns)
    return bounds.minus(bounds)


def pair_columns(outcomes: Outcomes, pair: Pair, metric: Metric) -> PairColumns:
    """Return the values of the metric for two sides, paired."""
    places = pair_places(outcomes.design, pair)
    return PairColumns(
        _place_values(outcomes, [(place.seating_a, place.seats) for place in places], metric),
        _place_values(outcomes, [(place.seating_b, place.seats) for place in places], metric),
    )


def _place_values(outcomes: Outcomes, where: list[tuple[int, tuple[int, ...]]], metric: Metric) -> Floats:
    lowest_wins = outcomes.design.rules.lowest_wins
    values = np.empty((len(outcomes.blocks), len(where)))
    for column, (seating, seats) in enumerate(where):
        game = PlaceResults(
            outcomes.scores[:, seating, :], outcomes.wins[:, seating, :], seats, lowest_wins=lowest_wins
        )
        values[:, column] = metric.measure(game)
    return values


def differing_blocks(outcomes: Outcomes, pair: Pair) -> NDArray[np.bool_]:
    """Return whether the games of the pair in each block had different scores; shape (blocks,), boolean."""
    numbers = meeting_seatings(outcomes.design.seatings, pair)
    differs: NDArray[np.bool_] = (outcomes.scores[:, numbers, :] != outcomes.scores[:, numbers[:1], :]).any(
        axis=(1, 2)
    )
    return differs
