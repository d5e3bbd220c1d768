"""What a shard adds to the roll-ups over plies: scores in the course of a game, and how often each action came up.

The queries in `rollups` say what is meant and are what `verify` asks. Over 67 million plies they take most of a
minute, which nobody should wait for while a run is sealed. Here one pass over the arrays of a shard counts all of it:
a loop that Numba compiles where it is installed, and that plain Python runs as it stands where not.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from engine.kernels import contract

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

ROUND_SUMS_SCHEMA: Final = pa.schema(
    [
        ("strategy", pa.string()),
        ("round", pa.uint16()),
        ("seats", pa.int64()),
        ("score", pa.int64()),
        ("score_squares", pa.int64()),
    ]
)
"""Scores after each round: a seat has the score of its last ply so far, from its first ply to the last round."""

ACTION_COUNTS_SCHEMA: Final = pa.schema(
    [("strategy", pa.string()), ("action", pa.int32()), ("plies", pa.int64())]
)
"""How often a strategy chose an action; null is chance."""

MAX_DENSE_ACTIONS: Final = 1 << 20
"""Actions with greater numbers are numbered anew before they are counted: a table of all numbers would not fit."""


def ply_sums(tables: Mapping[str, pa.Table]) -> dict[str, pa.Table]:
    """Return the tables ROUNDS and ACTIONS, as `rounds` and `actions`, over the logged games of a shard."""
    games, plies = tables["games"], tables["plies"]
    logged = _column_array(games, "logged").astype(bool)
    lengths, rounds = _column_array(games, "plies")[logged], _column_array(games, "rounds")[logged]
    if not len(plies):
        return {"rounds": ROUND_SUMS_SCHEMA.empty_table(), "actions": ACTION_COUNTS_SCHEMA.empty_table()}
    names, codes = _strategy_codes(tables["seats"], len(games))
    action = _column_array(plies, "action")
    numbers: NDArray[Any] | None = None
    if int(action.max()) >= MAX_DENSE_ACTIONS:
        numbers, action = np.unique(action, return_inverse=True)
    sums = np.zeros((len(names), int(rounds.max()), 3), np.int64)
    counts = np.zeros((len(names) + 1, int(action.max()) + 1), np.int64)
    columns = (_column_array(plies, column) for column in ("round", "seat", "score"))
    _load_ply_counter()(lengths, rounds, codes[logged], *columns, action, sums, counts)
    return {"rounds": _round_sums_table(names, sums), "actions": _action_counts_table(names, counts, numbers)}


def _count_plies(  # noqa: PLR0913, PLR0917 - columns in, sums out
    lengths: NDArray[Any],
    rounds: NDArray[Any],
    codes: NDArray[Any],
    turn: NDArray[Any],
    who: NDArray[Any],
    score: NDArray[Any],
    action: NDArray[Any],
    sums: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> None:
    """Fill `sums` (strategies, rounds, 3: seats, score, its square) and `counts` (strategies and chance, actions).

    lengths, rounds: (games,); codes: (games, seats), the strategy of each; the rest: (plies,).
    """
    seats = codes.shape[1]
    held = np.zeros(seats, np.int64)  # the score of each seat's last ply
    since = np.zeros(seats, np.int64)  # the round from which it has not been added up yet
    ply = 0
    for game in range(len(lengths)):
        since[:] = -1
        for _ in range(lengths[game]):
            seat = who[ply]
            if seat < 0:
                counts[-1, action[ply]] += 1
            else:
                code = codes[game, seat]
                counts[code, action[ply]] += 1
                if since[seat] >= 0:
                    for now in range(since[seat], turn[ply]):
                        sums[code, now, 0] += 1
                        sums[code, now, 1] += held[seat]
                        sums[code, now, 2] += held[seat] * held[seat]
                since[seat], held[seat] = turn[ply], score[ply]
            ply += 1
        for seat in range(seats):
            if since[seat] >= 0:
                for now in range(since[seat], rounds[game]):
                    sums[codes[game, seat], now, 0] += 1
                    sums[codes[game, seat], now, 1] += held[seat]
                    sums[codes[game, seat], now, 2] += held[seat] * held[seat]


@cache
def _load_ply_counter() -> Callable[..., None]:
    """Return `_count_plies`, compiled where that can be done."""
    if not contract.can_compile_games():
        return _count_plies
    contract.prepare_numba()
    import numba  # noqa: PLC0415 - slow to load

    compiled: Callable[..., None] = numba.njit(cache=True)(_count_plies)
    return compiled


def _round_sums_table(names: list[str], sums: NDArray[np.int64]) -> pa.Table:
    held = np.argwhere(sums[:, :, 0] > 0)
    columns = [pa.array([names[code] for code, _ in held]), pa.array(held[:, 1].astype(np.uint16))]
    found = sums[held[:, 0], held[:, 1]]
    return pa.Table.from_arrays(
        [*columns, *(pa.array(found[:, n]) for n in range(3))], schema=ROUND_SUMS_SCHEMA
    )


def _action_counts_table(
    names: list[str], counts: NDArray[np.int64], numbers: NDArray[Any] | None
) -> pa.Table:
    codes, actions = np.nonzero(counts)
    named = pa.DictionaryArray.from_arrays(
        pa.array(codes, pa.int32(), mask=codes == len(names)), pa.array([*names, ""])
    )
    shown = actions if numbers is None else numbers[actions]
    columns = [named.cast(pa.string()), pa.array(shown.astype(np.int32)), pa.array(counts[codes, actions])]
    return pa.Table.from_arrays(columns, schema=ACTION_COUNTS_SCHEMA)


def _column_array(table: pa.Table, column: str) -> NDArray[Any]:
    """Return a column as numbers, nothing as 0."""
    whole = table[column].combine_chunks()
    filled = whole.fill_null(0) if whole.null_count else whole
    found: NDArray[Any] = filled.to_numpy(zero_copy_only=False)
    return found


def _strategy_codes(seats: pa.Table, games: int) -> tuple[list[str], NDArray[np.int32]]:
    """Return the names of strategies, and their numbers as (games, seats)."""
    column = seats["strategy"].combine_chunks()
    found: NDArray[np.int32] = column.indices.to_numpy(zero_copy_only=False)
    return column.dictionary.to_pylist(), found.reshape(games, -1)
