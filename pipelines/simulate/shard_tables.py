"""The tables of a shard: their schemas, and the columns that collect the rows of played games."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow as pa

from pipelines.runs.schema import SHARD_TABLES, schema_columns
from pipelines.simulate.errors import PlayError
from pipelines.statistics import win_shares

if TYPE_CHECKING:
    from collections.abc import Mapping

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
