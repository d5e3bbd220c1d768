"""Scores in the course of a game, summed up for one shard: what the roll-up `score_by_round` is put together from.

The query in `rollups` says what is meant and is what `verify` asks. Over 67 million plies it takes half a minute, which
nobody should wait for while a run is sealed; the same sums from a shard's arrays take a twentieth of that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

SCHEMA: Final = pa.schema(
    [
        ("strategy", pa.string()),
        ("round", pa.uint16()),
        ("seats", pa.int64()),
        ("score", pa.int64()),
        ("score_squares", pa.int64()),
    ]
)


def score_sums(tables: Mapping[str, pa.Table]) -> pa.Table:
    """Sum the scores after each round over the logged games of a shard.

    A seat has the score of its last ply so far, from its first ply to the last round of the game.
    """
    games, plies = tables["games"], tables["plies"]
    logged = _array(games, "logged").astype(bool)
    lengths, rounds = _array(games, "plies")[logged], _array(games, "rounds")[logged]
    if not len(plies):
        return SCHEMA.empty_table()
    names, codes = _strategies(tables["seats"], len(games))
    width = int(rounds.max()) + 1
    sums = np.zeros((3, len(names) * width))
    game = np.repeat(np.arange(len(lengths)), lengths)
    turn, who, score = _array(plies, "round"), _array(plies, "seat"), _array(plies, "score")
    for seat in range(codes.shape[1]):
        rows = np.flatnonzero(who == seat)
        if not len(rows):
            continue
        g, r, x = game[rows], turn[rows], score[rows].astype(np.float64)
        is_last = np.append((g[1:] != g[:-1]) | (r[1:] != r[:-1]), True)
        g, r, x = g[is_last], r[is_last], x[is_last]
        until = rounds[g]
        goes_on = g[1:] == g[:-1]
        until[:-1][goes_on] = r[1:][goes_on]
        first = codes[logged][g, seat] * width
        for sign, at in ((1, first + r), (-1, first + until)):
            for row, weights in enumerate((None, x, x * x)):
                sums[row] += sign * np.bincount(at, weights, minlength=sums.shape[1])
    running = np.rint(sums.reshape(3, len(names), width).cumsum(axis=2)).astype(np.int64)
    held = np.argwhere(running[0] > 0)
    columns = [pa.array([names[code] for code, _ in held]), pa.array(held[:, 1].astype(np.uint16))]
    return pa.Table.from_arrays(
        [*columns, *(pa.array(total[held[:, 0], held[:, 1]]) for total in running)], schema=SCHEMA
    )


def _array(table: pa.Table, column: str) -> NDArray[np.int64]:
    """Return a column as numbers, nothing as 0."""
    whole = table[column].combine_chunks()
    filled = whole.fill_null(0) if whole.null_count else whole
    found: NDArray[np.int64] = filled.to_numpy(zero_copy_only=False).astype(np.int64)
    return found


def _strategies(seats: pa.Table, games: int) -> tuple[list[str], NDArray[np.int64]]:
    """Return the names of strategies, and their numbers as (games, seats)."""
    column = seats["strategy"].combine_chunks()
    found: NDArray[np.int64] = column.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return column.dictionary.to_pylist(), found.reshape(games, -1)
