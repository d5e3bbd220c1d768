"""The tables of a shard: their schemas, the columns that collect the rows of played games, and what it adds to the roll-ups.

What each shard contributes to the roll-ups: sums of scores by round, and counts of actions, scores, points and lengths.
`pipelines.runs.seal` defines the same roll-ups as SQL queries, and `verify` compares the two. The queries take most
of a minute over 67 million plies. One loop over the arrays of a shard takes milliseconds: Numba compiles it where Numba
is installed, plain Python runs it elsewhere, and for shards so small that loading Numba would take longer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pyarrow as pa

from engine.kernels import code_cache, loader
from pipelines.runs.schema import SHARD_TABLES, schema_columns
from pipelines.simulate.errors import PlayError
from pipelines.statistics import win_shares

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.play import Ply
    from engine.state import State
    from pipelines.design.design import Design

_ARROW_TYPES: Final[Mapping[str, pa.DataType]] = {
    "BOOLEAN": pa.bool_(),
    "TINYINT": pa.int8(),
    "UTINYINT": pa.uint8(),
    "USMALLINT": pa.uint16(),
    "INTEGER": pa.int32(),
    "UINTEGER": pa.uint32(),
    "DOUBLE": pa.float64(),
    "VARCHAR": pa.dictionary(pa.int32(), pa.string()),
}


@lru_cache(maxsize=1)
def shard_schemas() -> Mapping[str, pa.Schema]:
    """Return the columns of the files of a shard: those of the tables of the run file that they fill."""
    return {
        file: pa.schema([(name, _ARROW_TYPES[type_]) for name, type_ in schema_columns()[table].items()])
        for file, table in SHARD_TABLES.items()
    }


DECISIONS_SCHEMA: Final = pa.schema(
    [
        ("strategy", pa.string()),
        ("seat", pa.int8()),
        ("decisions", pa.int64()),
        ("seconds", pa.float64()),
        ("program", pa.string()),
    ]
)
"""The file `decisions` of a shard with own strategies: thinking time by strategy and seat, and what a program calls itself."""

FAILURES_SCHEMA: Final = pa.schema(
    [("strategy", pa.string()), ("game_id", pa.uint32()), ("failure", pa.string())]
)
"""The file `failures` of a shard in which programs failed: for each game and program, where and how."""


class PlayedGame(NamedTuple):
    """One finished game: its place in the design, its end state and its plies."""

    block: int
    rotation: int
    end: State
    plies: list[Ply]


class ShardColumns:
    """Collects the rows of games, column by column."""

    def __init__(self) -> None:
        self._lists: dict[str, tuple[list[Any], ...]] = {
            table: tuple([] for _ in schema) for table, schema in shard_schemas().items()
        }

    def add_game(self, design: Design, game: PlayedGame) -> None:
        """Add the rows of one game. Its plies are added only if the design logs them."""
        block, rotation, end, plies = game
        game_id, logged, ranks = design.game_id(block, rotation), design.is_logged(block), end.ranks
        rounds = plies[-1].round + 1 if plies else 0
        self._add_row("games", game_id, design.rules.name, block, rotation, rounds, len(plies), logged)
        results = zip(
            design.labels_by_seat(rotation), end.scores, ranks, win_shares(ranks).tolist(), strict=True
        )
        for seat, result in enumerate(results):
            self._add_row("seats", game_id, seat, *result)
        for seat, parts in enumerate(end.parts):
            for part in parts:
                self._add_row("parts", game_id, seat, part.part, part.count, part.points)
        for number, ply in enumerate(plies if logged else ()):
            self._add_row("plies", game_id, number, ply.round, *ply[1:])

    def _add_row(self, table: str, *row: object) -> None:
        for column, value in zip(self._lists[table], row, strict=True):
            column.append(value)

    def build_table(self, name: str) -> pa.Table:
        """Return one table. Raises PlayError if a number does not fit its column."""
        schema = shard_schemas()[name]
        try:
            arrays = [
                pa.array(column, field.type) for column, field in zip(self._lists[name], schema, strict=True)
            ]
        except (pa.ArrowInvalid, OverflowError) as error:
            raise PlayError(f"table {name}: {error}") from None
        return pa.Table.from_arrays(arrays, schema=schema)


ROUND_SUMS_SCHEMA: Final = pa.schema(
    [
        ("strategy", pa.string()),
        ("round", pa.uint16()),
        ("n", pa.int64()),
        ("score_sum", pa.int64()),
        ("score_square_sum", pa.int64()),
    ]
)
"""Sums over seats after each round. A seat counts from its first ply on, with the score of its latest ply."""

ACTION_COUNTS_SCHEMA: Final = pa.schema(
    [("strategy", pa.string()), ("action", pa.int32()), ("plies", pa.int64())]
)
"""How often each strategy chose each action; a null strategy is chance."""

COUNT_SCHEMAS: Final[Mapping[str, pa.Schema]] = {
    file: pa.schema([(name, pa.string() if name in {"strategy", "part"} else pa.int64()) for name in columns])
    for file, columns in {
        "score_counts": ("strategy", "seat", "score", "games"),
        "block_counts": ("strategy", "seats", "score", "blocks"),
        "part_counts": ("strategy", "seat", "part", "count", "points", "seats"),
        "length_counts": ("rounds", "plies", "games"),
    }.items()
}
"""How often equal rows occur, which the last column says. The score of `block_counts` is the sum over the seats of a strategy
in a block."""

MAX_DENSE_ROWS: Final = 1 << 20
"""Up to this number of possible rows are counted in an array over all of them; more are sorted, which takes ten times as long."""

MAX_DENSE_ACTIONS: Final = 1 << 20
"""If action numbers reach this, they are replaced by dense numbers, because an array over all of them would not fit."""


MAX_UNCOMPILED_PLIES: Final = 5_000
"""Plain Python counts up to this number of plies: it takes about 13 ms, and loading Numba takes 1 s."""


class LoggedPlies(NamedTuple):
    """The logged games of a shard as arrays: (games,), except where the shape is given."""

    lengths: NDArray[Any]
    """Plies of each game."""
    rounds: NDArray[Any]
    """Rounds of each game."""
    strategies: NDArray[Any]
    """(games, seats) Number of the strategy on each seat."""
    round: NDArray[Any]
    """(plies,)"""
    seat: NDArray[Any]
    """(plies,) -1 for chance."""
    score: NDArray[Any]
    """(plies,) Score of the seat after the ply."""
    action: NDArray[Any]
    """(plies,)"""


def join_rollups(tables: Mapping[str, pa.Table]) -> pa.Table:
    """Return all roll-ups of a shard in one table, because each file of a shard costs time, most of all on small runs.

    The column `rollup` names the roll-up of a row; columns that it does not have are null.
    """
    rollups = {**ply_sums(tables), **count_results(tables)}
    return pa.concat_tables(
        [table.append_column("rollup", pa.repeat(name, len(table))) for name, table in rollups.items()],
        promote_options="default",
    ).combine_chunks()


def ply_sums(tables: Mapping[str, pa.Table]) -> dict[str, pa.Table]:
    """Return the roll-ups `rounds` (ROUND_SUMS_SCHEMA) and `actions` (ACTION_COUNTS_SCHEMA) of a shard.

    `tables` has the tables games, seats and plies of the shard. Only logged games count.
    """
    games, plies = tables["games"], tables["plies"]
    if not len(plies):
        return {"rounds": ROUND_SUMS_SCHEMA.empty_table(), "actions": ACTION_COUNTS_SCHEMA.empty_table()}
    names, strategies = _strategy_numbers(tables["seats"], len(games))
    logged = _column_array(games, "logged").astype(bool)
    rounds = _column_array(games, "rounds")[logged]
    action = _column_array(plies, "action")
    original_actions: NDArray[Any] | None = None
    if int(action.max()) >= MAX_DENSE_ACTIONS:
        original_actions, action = np.unique(action, return_inverse=True)
    changes = np.zeros((len(names), int(rounds.max()) + 1, 3), np.int64)
    counts = np.zeros((len(names) + 1, int(action.max()) + 1), np.int64)
    logged_plies = LoggedPlies(
        lengths=_column_array(games, "plies")[logged],
        rounds=rounds,
        strategies=strategies[logged],
        round=_column_array(plies, "round"),
        seat=_column_array(plies, "seat"),
        score=_column_array(plies, "score"),
        action=action,
    )
    count_plies = _count_plies if len(plies) <= MAX_UNCOMPILED_PLIES else _load_ply_counter()
    count_plies(logged_plies, changes, counts)
    return {
        "rounds": _round_sums_table(names, np.cumsum(changes, axis=1)),
        "actions": _action_counts_table(names, counts, original_actions),
    }


def count_results(tables: Mapping[str, pa.Table]) -> dict[str, pa.Table]:
    """Return the counts of a shard (COUNT_SCHEMAS). `tables` has its tables games, seats and parts: whole blocks, in their order."""
    games, parts = tables["games"], tables["parts"]
    names, strategies = _strategy_numbers(tables["seats"], len(games))
    scores = _column_array(tables["seats"], "score").astype(np.int64)
    seats = np.broadcast_to(np.arange(strategies.shape[1]), strategies.shape).ravel()
    block = _column_array(games, "block").astype(np.int64)
    of_block = ((block - block[0])[:, None] * len(names) + strategies).ravel()
    seats_of_block, sums = np.bincount(of_block), np.bincount(of_block, weights=scores).astype(np.int64)
    present = np.flatnonzero(seats_of_block)
    game = _column_array(parts, "game_id").astype(np.int64) - int(games["game_id"][0].as_py())
    seat = _column_array(parts, "seat")
    part = parts["part"].combine_chunks()
    rows: dict[str, tuple[NDArray[Any], ...]] = {
        "score_counts": (strategies.ravel(), seats, scores),
        "block_counts": (present % len(names), seats_of_block[present], sums[present]),
        "part_counts": (
            strategies[game, seat],
            seat,
            part.indices.to_numpy(zero_copy_only=False),
            _column_array(parts, "count"),
            _column_array(parts, "points"),
        ),
        "length_counts": (_column_array(games, "rounds"), _column_array(games, "plies")),
    }
    texts = {"strategy": names, "part": part.dictionary.to_pylist()}
    return {file: _counts_table(COUNT_SCHEMAS[file], columns, texts) for file, columns in rows.items()}


def _counts_table(
    schema: pa.Schema, columns: Sequence[NDArray[Any]], texts: Mapping[str, Sequence[str]]
) -> pa.Table:
    """Return how often equal rows occur; `texts` holds what the numbers in the columns of texts stand for."""
    counted_rows = _count_rows(columns)
    arrays = [
        pa.array([texts[field.name][number] for number in column.tolist()] if field.name in texts else column)
        for field, column in zip(schema, counted_rows, strict=True)
    ]
    return pa.Table.from_arrays(
        [array.cast(field.type) for array, field in zip(arrays, schema, strict=True)], schema=schema
    )


def _count_rows(columns: Sequence[NDArray[Any]]) -> list[NDArray[np.int64]]:
    """Return the different rows of columns of integers as columns, in ascending order, and how often each occurs.

    >>> [column.tolist() for column in _count_rows([np.array([2, 0, 2]), np.array([-1, 5, -1])])]
    [[0, 2], [5, -1], [1, 2]]
    """
    if not len(columns[0]):
        return [np.zeros(0, np.int64) for _ in range(len(columns) + 1)]
    lows = [int(column.min()) for column in columns]
    sizes = [int(column.max()) - low + 1 for column, low in zip(columns, lows, strict=True)]
    if math.prod(sizes) >= 1 << 62:  # the number of a row would not fit
        rows, counts = np.unique(np.stack(columns, axis=1).astype(np.int64), axis=0, return_counts=True)
        return [*rows.T, counts]
    numbers = np.zeros(len(columns[0]), np.int64)
    for column, low, size in zip(columns, lows, sizes, strict=True):
        numbers = numbers * size + (column.astype(np.int64) - low)
    if math.prod(sizes) <= MAX_DENSE_ROWS:
        counts = np.bincount(numbers)
        numbers = np.flatnonzero(counts)
        counts = counts[numbers]
    else:
        numbers, counts = np.unique(numbers, return_counts=True)
    distinct = []
    for low, size in zip(reversed(lows), reversed(sizes), strict=True):
        numbers, column = np.divmod(numbers, size)
        distinct.append(column + low)
    return [*reversed(distinct), counts]


def _count_plies(plies: LoggedPlies, changes: NDArray[np.int64], counts: NDArray[np.int64]) -> None:
    """Add up the plies of all games in `changes` and `counts`. Numba compiles this function.

    changes: (strategies, rounds + 1, 3) by how much the number of seats that have moved, the sum of their scores and
    the sum of the squared scores differ from those of the round before.
    counts: (strategies and chance, actions) how often each action was chosen; chance is the last row.
    """
    seats = plies.strategies.shape[1]
    scores = np.zeros(seats, np.int64)  # the score of each seat after its last ply
    has_moved = np.zeros(seats, np.int64)
    ply = 0
    for game in range(len(plies.lengths)):
        scores[:] = 0
        has_moved[:] = 0
        for _ in range(plies.lengths[game]):
            seat = plies.seat[ply]
            if seat < 0:
                counts[-1, plies.action[ply]] += 1
            else:
                strategy, before = plies.strategies[game, seat], scores[seat]
                scores[seat] = plies.score[ply]
                counts[strategy, plies.action[ply]] += 1
                change = changes[strategy, plies.round[ply]]
                change[0] += 1 - has_moved[seat]
                change[1] += scores[seat] - before
                change[2] += scores[seat] * scores[seat] - before * before
                has_moved[seat] = 1
            ply += 1
        for seat in range(seats):  # after its last round a game no longer counts
            change = changes[plies.strategies[game, seat], plies.rounds[game]]
            change[0] -= has_moved[seat]
            change[1] -= scores[seat]
            change[2] -= scores[seat] * scores[seat]


@cache
def _load_ply_counter() -> Callable[..., None]:
    """Return `_count_plies`, compiled where that can be done."""
    if not loader.can_compile_games():
        return _count_plies
    code_cache.prepare_numba()
    import numba  # noqa: PLC0415 - takes 1.1 s to import

    compiled: Callable[..., None] = numba.njit(cache=True)(_count_plies)
    return compiled


def _round_sums_table(names: list[str], sums: NDArray[np.int64]) -> pa.Table:
    """Return the table of `sums` (strategies, rounds, 3), without rounds in which no seat of a strategy has moved."""
    strategies, rounds = np.nonzero(sums[:, :, 0])
    present = sums[strategies, rounds]
    columns = [pa.array([names[number] for number in strategies]), pa.array(rounds.astype(np.uint16))]
    columns += [pa.array(present[:, column]) for column in range(3)]
    return pa.Table.from_arrays(columns, schema=ROUND_SUMS_SCHEMA)


def _action_counts_table(
    names: list[str], counts: NDArray[np.int64], original_actions: NDArray[Any] | None
) -> pa.Table:
    """Return the table of `counts` (strategies and chance, actions), without actions that never occur."""
    strategies, actions = np.nonzero(counts)
    strategy = pa.DictionaryArray.from_arrays(
        pa.array(strategies, pa.int32(), mask=strategies == len(names)), pa.array([*names, ""])
    )
    action = actions if original_actions is None else original_actions[actions]
    columns = [
        strategy.cast(pa.string()),
        pa.array(action.astype(np.int32)),
        pa.array(counts[strategies, actions]),
    ]
    return pa.Table.from_arrays(columns, schema=ACTION_COUNTS_SCHEMA)


def _column_array(table: pa.Table, column: str) -> NDArray[Any]:
    """Return a column as an array, with 0 for null."""
    chunk = table[column].combine_chunks()
    array: NDArray[Any] = (chunk.fill_null(0) if chunk.null_count else chunk).to_numpy(zero_copy_only=False)
    return array


def _strategy_numbers(seats: pa.Table, games: int) -> tuple[list[str], NDArray[np.int32]]:
    """Return the names of the strategies, and for each game and seat the number of its strategy, (games, seats)."""
    column = seats["strategy"].combine_chunks()
    numbers: NDArray[np.int32] = column.indices.to_numpy(zero_copy_only=False)
    return column.dictionary.to_pylist(), numbers.reshape(games, -1)
