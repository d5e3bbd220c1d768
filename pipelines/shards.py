"""Playing a range of blocks and writing them as a shard: columns in, Parquet out, there at once or not at all."""

from __future__ import annotations

import os
import shutil
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from engine import games
from engine.game import GameError
from engine.luck import Luck
from engine.play import Decisions, play_out
from pipelines.design import Design
from pipelines.partial import SHARD_TABLES, Partial, synced

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from engine.game import State
    from engine.luck import Source
    from engine.play import Ply

_TEXT: Final = pa.dictionary(pa.int32(), pa.string())

SCHEMAS: Final = {
    "games": pa.schema(
        [
            ("game_id", pa.uint32()),
            ("ruleset", _TEXT),
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
            ("strategy", _TEXT),
            ("score", pa.int32()),
            ("rank", pa.uint8()),
            ("win_share", pa.float64()),
        ]
    ),
    "parts": pa.schema(
        [
            ("game_id", pa.uint32()),
            ("seat", pa.int8()),
            ("part", _TEXT),
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
            ("kind", _TEXT),
            ("action", pa.int32()),
            ("options", pa.int32()),
            ("score", pa.int32()),
        ]
    ),
}
"""The tables of a shard: those of the run file, column by column."""


class PlayError(GameError):
    """A game could not be played to its end; the message says which, and where in it."""


class Played(NamedTuple):
    """A game that was played."""

    block: int
    rotation: int
    end: State
    plies: list[Ply]


class Columns:
    """The rows of a shard, kept as columns."""

    def __init__(self) -> None:
        self._lists: dict[str, tuple[list[Any], ...]] = {
            table: tuple([] for _ in schema) for table, schema in SCHEMAS.items()
        }
        self._kinds: dict[int, str] = {}

    def add_game(self, design: Design, game: Played) -> None:
        """Add the rows of one game, its plies only if the design logs them."""
        block, rotation, end, plies = game
        game_id, logged, ranks = design.game_id(block, rotation), design.logged(block), end.ranks
        rounds = plies[-1].round + 1 if plies else 0
        self._add("games", game_id, design.rules.name, block, rotation, rounds, len(plies), logged)
        results = zip(design.seated(rotation), end.scores, ranks, win_shares(ranks), strict=True)
        for seat, result in enumerate(results):
            self._add("seats", game_id, seat, *result)
        for seat, parts in enumerate(end.parts):
            for part in parts:
                self._add("parts", game_id, seat, part.part, part.count, part.points)
        for number, ply in enumerate(plies if logged else ()):
            self._add("plies", game_id, number, ply.round, ply.seat, self._kind(design, ply.action), *ply[2:])

    def _kind(self, design: Design, action: int) -> str:
        """Return the kind of an action; to describe one takes longer than to log a ply."""
        if action not in self._kinds:
            self._kinds[action] = design.rules.action(action).kind
        return self._kinds[action]

    def _add(self, table: str, *row: object) -> None:
        for column, value in zip(self._lists[table], row, strict=True):
            column.append(value)

    def table(self, name: str) -> pa.Table:
        """Return one table; raise PlayError for a number that does not fit its column."""
        schema = SCHEMAS[name]
        try:
            arrays = [
                pa.array(column, field.type) for column, field in zip(self._lists[name], schema, strict=True)
            ]
        except (pa.ArrowInvalid, OverflowError) as error:
            raise PlayError(f"table {name}: {error}") from None
        return pa.Table.from_arrays(arrays, schema=schema)


def play_shard(folder: Path, document: str, number: int) -> int:
    """Play a shard of an unfinished run and put it in its place; return its games, or 0 if asked to stop.

    `document` is the design as JSON. Raises PlayError if a strategy or the rules fail in a game, OSError if the
    shard cannot be written.
    """
    partial, design = Partial(folder), _design(document)
    blocks = design.shards[number]
    columns = Columns()
    for block in blocks:
        if partial.is_cancelled:
            return 0
        for rotation in range(design.rotations):
            columns.add_game(design, play_game(design, block, rotation))
    _write(partial, number, columns)
    return len(blocks) * design.rotations


@lru_cache(maxsize=1)
def _design(document: str) -> Design:
    """Read a design once for all shards: to check a ruleset and number its actions takes longer than a game."""
    return Design.from_document(document, "design")


def play_game(design: Design, block: int, rotation: int) -> Played:
    """Play one game of a design; raise PlayError if a strategy or the rules fail."""
    ruleset, luck = design.rules, Luck(design.seed, block)
    deciders = {player.name: player.decide for player in design.players}
    witness = _Witness()
    seated = [witness.of(deciders[name], name) for name in design.seated(rotation)]
    try:
        end, plies = play_out(games.start(ruleset), seated, luck, witness)
    except Exception as error:
        game_id = design.game_id(block, rotation)
        raise PlayError(
            f"game {game_id} (block {block}, rotation {rotation}), {witness}: {_told(error)}"
        ) from error
    return Played(block, rotation, end, plies)


class _Witness(Decisions):
    """Remembers who decided last, so that an error can say where the game was."""

    def __init__(self) -> None:
        super().__init__()
        self._last = "before the first decision"

    def of(self, decide: Callable[[State, Source], int], name: str) -> Callable[[State, Source], int]:
        def decided(state: State, source: Source) -> int:
            self._last = f"round {state.round}, seat {state.seat} ({name})"
            return decide(state, source)

        return decided

    def __str__(self) -> str:
        return self._last


def _told(error: Exception) -> str:
    return str(error) if isinstance(error, GameError) else f"{type(error).__name__}: {error}"


def win_shares(ranks: Sequence[int]) -> list[float]:
    """Return each seat's share of the win.

    >>> win_shares([1, 3, 1])
    [0.5, 0.0, 0.5]
    """
    winners = sum(rank == 1 for rank in ranks)
    return [float(Fraction(int(rank == 1), winners)) for rank in ranks]


def _write(partial: Partial, number: int, columns: Columns) -> None:
    """Write a shard beside the others and move it among them in one step."""
    writing = partial.folder / "writing" / f"{number:06}-{os.getpid()}"
    writing.mkdir(parents=True)
    for table in SHARD_TABLES:
        path = writing / f"{table}.parquet"
        pq.write_table(columns.table(table), path, compression="zstd")
        synced(path)
    synced(writing)
    place = partial.shards_folder / f"{number:06}"
    if place.exists():  # another process was quicker; equal designs give equal shards
        shutil.rmtree(writing)
        return
    writing.rename(place)
    synced(partial.shards_folder)
