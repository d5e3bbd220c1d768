"""The rows of a shard as columns: the tables of a run file that games fill."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow as pa

from engine.game import GameError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.game import State
    from engine.play import Ply
    from pipelines.design.design import Design
    from pipelines.runs.unfinished_run import UnfinishedRun

_TEXT_TYPE: Final = pa.dictionary(pa.int32(), pa.string())

SHARD_SCHEMAS: Final = {
    "games": pa.schema(
        [
            ("game_id", pa.uint32()),
            ("ruleset", _TEXT_TYPE),
            ("block", pa.uint32()),
            ("rotation", pa.uint8()),
            ("rounds", pa.uint16()),
            ("plies", pa.uint32()),
            ("logged", pa.bool_()),
        ]
    ),
    "seats": pa.schema(
        [
            ("game_id", pa.uint32()),
            ("seat", pa.int8()),
            ("strategy", _TEXT_TYPE),
            ("score", pa.int32()),
            ("rank", pa.uint8()),
            ("win_share", pa.float64()),
        ]
    ),
    "parts": pa.schema(
        [
            ("game_id", pa.uint32()),
            ("seat", pa.int8()),
            ("part", _TEXT_TYPE),
            ("count", pa.int32()),
            ("points", pa.int32()),
        ]
    ),
    "plies": pa.schema(
        [
            ("game_id", pa.uint32()),
            ("ply", pa.uint16()),
            ("round", pa.uint16()),
            ("seat", pa.int8()),
            ("action", pa.int32()),
            ("options", pa.int32()),
            ("score", pa.int32()),
        ]
    ),
}
"""The tables of a shard: those of the run file, column by column. What follows from an action is not kept for plies."""


class PlayError(GameError):
    """A game could not be played to its end; the message says which, and where in it."""

    partial: UnfinishedRun | None = None
    """The unfinished run, if anything of it is kept."""


class PlayedGame(NamedTuple):
    """A game that was played."""

    block: int
    rotation: int
    end: State
    plies: list[Ply]


class ShardColumns:
    """The rows of a shard, kept as columns."""

    def __init__(self) -> None:
        self._lists: dict[str, tuple[list[Any], ...]] = {
            table: tuple([] for _ in schema) for table, schema in SHARD_SCHEMAS.items()
        }

    def add_game(self, design: Design, game: PlayedGame) -> None:
        """Add the rows of one game, its plies only if the design logs them."""
        block, rotation, end, plies = game
        game_id, logged, ranks = design.game_id(block, rotation), design.is_logged(block), end.ranks
        rounds = plies[-1].round + 1 if plies else 0
        self._add_row("games", game_id, design.rules.name, block, rotation, rounds, len(plies), logged)
        results = zip(design.strategies_by_seat(rotation), end.scores, ranks, win_shares(ranks), strict=True)
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
        """Return one table; raise PlayError for a number that does not fit its column."""
        schema = SHARD_SCHEMAS[name]
        try:
            arrays = [
                pa.array(column, field.type) for column, field in zip(self._lists[name], schema, strict=True)
            ]
        except (pa.ArrowInvalid, OverflowError) as error:
            raise PlayError(f"table {name}: {error}") from None
        return pa.Table.from_arrays(arrays, schema=schema)


def win_shares(ranks: Sequence[int]) -> list[float]:
    """Return each seat's share of the win.

    >>> win_shares([1, 3, 1])
    [0.5, 0.0, 0.5]
    """
    winners = sum(rank == 1 for rank in ranks)
    return [float(Fraction(int(rank == 1), winners)) for rank in ranks]
