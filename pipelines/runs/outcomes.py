"""Outcomes of a comparison as arrays, and from them two columns of numbers for every two sides.

The two columns are aligned: what one side got in a place, and what the other got in the very same place on the same luck.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from engine.errors import InvalidError
from pipelines.design.seatings import meeting_seatings, twin_seatings

if TYPE_CHECKING:
    from pathlib import Path

    import duckdb
    import pyarrow as pa
    from numpy.typing import NDArray

    from pipelines.design.design import Design
    from pipelines.design.seatings import Metric, Pair
    from pipelines.statistics.arrays import Floats

PARTS_OF_A_WIN: Final = 840
"""A shared win is a whole number of these for up to eight winners, so sums of shares are exact."""


@dataclass(frozen=True)
class Outcomes:
    """How the games of some blocks ended; shapes (blocks, seatings, seats)."""

    design: Design
    blocks: NDArray[np.uint32]
    """(blocks,) their numbers, ascending."""
    scores: NDArray[np.int32]
    ranks: NDArray[np.uint8]
    wins: NDArray[np.int16]
    """Shares of the win in 840ths."""

    def first_blocks(self, blocks: int) -> Outcomes:
        """Return those of the first blocks only."""
        return Outcomes(
            self.design, self.blocks[:blocks], self.scores[:blocks], self.ranks[:blocks], self.wins[:blocks]
        )


class PairColumns(NamedTuple):
    """What two sides got in the same places on the same luck, each (blocks, places)."""

    a: Floats
    b: Floats


class PairPlace(NamedTuple):
    """The seats of one side in one seating, and those of the other in the seating where the two have swapped."""

    seats: tuple[int, ...]
    seating_a: int
    seating_b: int


def read_outcomes(connection: duckdb.DuckDBPyConnection, design: Design) -> Outcomes:
    """Read the outcomes of whole blocks; raise InvalidError if a block is not whole."""
    found = connection.execute(
        "SELECT game_id, score, rank, round(win_share * ?)::SMALLINT AS win FROM seats ORDER BY game_id, seat",
        [PARTS_OF_A_WIN],
    ).fetchnumpy()
    games, scores, ranks, wins = (np.asarray(found[column]) for column in ("game_id", "score", "rank", "win"))
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
            "the run does not hold whole blocks: its table seats lacks results; see reroll verify"
        )
    shape = (len(blocks), design.rotations, design.seats)
    return Outcomes(
        design,
        blocks,
        scores.reshape(shape),
        ranks.reshape(shape),
        wins.reshape(shape),
    )


def read_shard_outcomes(design: Design, folder: Path, blocks: range) -> Outcomes:
    """Read the outcomes of one finished shard."""
    import pyarrow.parquet as pq  # noqa: PLC0415 - who reads whole runs does without

    table = pq.read_table(folder / "seats.parquet", columns=["score", "rank", "win_share"])
    return outcomes_from_table(design, table, blocks)


def outcomes_from_table(design: Design, seats: pa.Table, blocks: range) -> Outcomes:
    """Return the outcomes that the table `seats` of these blocks holds."""
    shape = (len(blocks), design.rotations, design.seats)
    wins = np.rint(seats["win_share"].to_numpy() * PARTS_OF_A_WIN).astype(np.int16)
    return Outcomes(
        design,
        np.array(blocks, np.uint32),
        seats["score"].to_numpy().reshape(shape),
        seats["rank"].to_numpy().reshape(shape),
        wins.reshape(shape),
    )


def pair_places(design: Design, pair: Pair) -> list[PairPlace]:
    """Return where the two sides can be held against each other: alone on the same seat, and as the rest of that game.

    Over all places of a block, the mean difference is that of the two sides within each game, averaged over its games.
    """
    found: list[PairPlace] = []
    for seat, a, b in twin_seatings(design.seatings, pair):
        found.append(PairPlace((seat,), a, b))
        rest = tuple(other for other in range(design.seats) if other != seat)
        if len(rest) > 1 and set(design.seatings[a]) == set(pair):
            found.append(PairPlace(rest, b, a))
    return found


def block_differences(outcomes: Outcomes, pair: Pair, metric: Metric) -> Floats:
    """Return block by block how much more the first side had than the second: shape (blocks,)."""
    a, b = pair_columns(outcomes, pair, metric)
    found: Floats = (a - b).mean(axis=1)
    return found


def pair_columns(outcomes: Outcomes, pair: Pair, metric: Metric) -> PairColumns:
    """Return what two sides had.

    score: mean score of the side's seats; margin: how far its best seat was ahead of the best of all others, also where
    the lowest score wins; win: its share of the win, all its seats together.
    """
    found = pair_places(outcomes.design, pair)
    return PairColumns(
        _place_values(outcomes, [(place.seating_a, place.seats) for place in found], metric),
        _place_values(outcomes, [(place.seating_b, place.seats) for place in found], metric),
    )


def _place_values(outcomes: Outcomes, where: list[tuple[int, tuple[int, ...]]], metric: Metric) -> Floats:
    made = np.empty((len(outcomes.blocks), len(where)))
    sign = -1 if outcomes.design.rules.lowest_wins else 1
    every = range(outcomes.design.seats)
    for column, (seating, seats) in enumerate(where):
        own, scores = list(seats), outcomes.scores[:, seating, :]
        if metric == "win":
            made[:, column] = outcomes.wins[:, seating, own].sum(axis=1) / PARTS_OF_A_WIN
        elif metric == "margin":
            rest = [seat for seat in every if seat not in own]
            made[:, column] = (sign * scores[:, own]).max(axis=1) - (sign * scores[:, rest]).max(axis=1)
        else:
            made[:, column] = scores[:, own].sum(axis=1) / len(own)
    return made


def differing_blocks(outcomes: Outcomes, pair: Pair) -> NDArray[np.bool_]:
    """(blocks,) Say of each block whether the two sides ever made a difference: games of the pair that did not all end alike."""
    numbers = meeting_seatings(outcomes.design.seatings, pair)
    found: NDArray[np.bool_] = (outcomes.scores[:, numbers, :] != outcomes.scores[:, numbers[:1], :]).any(
        axis=(1, 2)
    )
    return found
