"""Playing blocks with a compiled game: its arrays become the tables of a shard, without a loop over plies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from engine.game import InvalidError
from engine.kernels import contract as engine_kernel
from pipelines.design.design import every_nth_block
from pipelines.design.openings import play_opened
from pipelines.simulate.from_prefix import play_forked
from pipelines.simulate.shard_tables import SCHEMAS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.kernels.compile_progress import Progress
    from engine.kernels.contract import Batch, Kernel, Log
    from engine.strategies import Player
    from pipelines.design.design import Design


def kernel(design: Design) -> Kernel | None:
    """Return the compiled game that can play a design, or None if the plain rules have to."""
    try:
        found = engine_kernel.kernel(design.rules)
    except InvalidError:  # a ruleset larger than the kernel can hold
        return None
    return found if found and found.can_play(design.players) else None


def is_compiled(design: Design) -> bool:
    """Say whether nothing has to be compiled before a design is played: also if the plain rules play it."""
    found = _used(design)
    return found is None or engine_kernel.is_warm(found)


def warm(design: Design, *, progress: Progress | None = None) -> None:
    """Compile the game of a design, if it has a kernel that was never used here."""
    found = _used(design)
    if found:
        engine_kernel.warm(found, progress=progress)


def _used(design: Design) -> Kernel | None:
    """Return the kernel that plays a design, or that the plain rules ask for the decisions of a compiled strategy."""
    if any(player.strategy.make is None for player in design.players):
        return engine_kernel.kernel(design.rules)
    return kernel(design)


def plies_of_block(design: Design, compiled: Kernel) -> int:
    """Return the plies of a first block."""
    return int(_played(design, compiled, range(1), logged=False).plies.sum())


def tables(design: Design, compiled: Kernel, blocks: range) -> dict[str, pa.Table]:
    """Play blocks and return the tables games, seats, parts and plies."""
    every = every_nth_block(design.log)
    batch = _played(design, compiled, blocks, logged=every == 1)
    logged = [block for block in blocks if design.logged(block)]
    if every == 1:
        logs = [batch]
    else:  # a sample: those blocks once more, with their plies
        logs = [_played(design, compiled, range(b, b + 1), logged=True) for b in logged]
    ids = _game_ids(design, np.array(blocks, dtype=np.uint32))
    return {
        "games": _games(design, blocks, batch, ids),
        "seats": _seats(design, batch, ids),
        "parts": _parts(design, batch, ids),
        "plies": _plies(logs, _game_ids(design, np.array(logged, dtype=np.uint32))),
    }


def _played(design: Design, compiled: Kernel, blocks: range, *, logged: bool) -> Batch:
    """Play every seating in every block, with the opening that the design asks for."""
    seatings = _seatings(design)
    if design.fork:
        return play_forked(compiled, design, seatings, blocks, logged=logged)
    if design.opening:
        return play_opened(compiled, seatings, design.seed, blocks, design.opening, logged=logged)
    return compiled.play(seatings, design.seed, blocks, logged=logged)


def _seatings(design: Design) -> list[list[Player]]:
    """Who sits where in each seating."""
    named = {player.name: player for player in design.players}
    return [[named[name] for name in design.seated(rotation)] for rotation in range(design.rotations)]


def _game_ids(design: Design, blocks: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Number the games of blocks, in the order of a batch."""
    rotations = np.arange(design.rotations, dtype=np.uint32)
    return (blocks[:, None] * np.uint32(design.rotations) + rotations).ravel()


def _games(design: Design, blocks: range, batch: Batch, ids: NDArray[np.uint32]) -> pa.Table:
    logged = np.array([design.logged(block) for block in blocks])
    return _table(
        "games",
        ids,
        _text(np.zeros(len(ids), dtype=np.int32), [design.rules.name]),
        np.repeat(np.array(blocks, dtype=np.uint32), design.rotations),
        np.tile(np.arange(design.rotations, dtype=np.uint8), len(blocks)),
        batch.rounds,
        batch.plies,
        np.repeat(logged, design.rotations),
    )


def _seats(design: Design, batch: Batch, ids: NDArray[np.uint32]) -> pa.Table:
    names = sorted(set(design.lineup))
    seated = np.array(
        [[names.index(name) for name in design.seated(rotation)] for rotation in range(design.rotations)],
        dtype=np.int32,
    )
    winners = (batch.ranks == 1).sum(axis=1, keepdims=True)
    players = batch.scores.shape[1]
    return _table(
        "seats",
        np.repeat(ids, players),
        np.tile(np.arange(players, dtype=np.int8), len(ids)),
        _text(np.tile(seated.ravel(), len(ids) // design.rotations), names),
        batch.scores.ravel(),
        batch.ranks.ravel(),
        ((batch.ranks == 1) / winners).ravel(),
    )


def _parts(design: Design, batch: Batch, ids: NDArray[np.uint32]) -> pa.Table:
    games, players, parts = batch.points.shape
    return _table(
        "parts",
        np.repeat(ids, players * parts),
        np.tile(np.repeat(np.arange(players, dtype=np.int8), parts), games),
        _text(np.tile(np.arange(parts, dtype=np.int32), games * players), list(design.game.parts)),
        batch.counts.ravel(),
        batch.points.ravel(),
    )


def _plies(batches: list[Batch], ids: NDArray[np.uint32]) -> pa.Table:
    logs = [batch.log for batch in batches if batch.log is not None]
    if not logs:
        return SCHEMAS["plies"].empty_table()
    lengths = np.concatenate([batch.plies for batch in batches])
    starts = np.repeat((np.cumsum(lengths) - lengths).astype(np.uint32), lengths)
    seat = _joined(logs, "seat")
    decided = pa.py_buffer(np.packbits(seat >= 0, bitorder="little"))
    return _table(
        "plies",
        np.repeat(ids, lengths),
        (np.arange(len(seat), dtype=np.uint32) - starts).astype(np.uint16),
        _joined(logs, "round"),
        seat,
        _joined(logs, "action"),
        _where(decided, _joined(logs, "options")),
        _where(decided, _joined(logs, "score")),
    )


def _joined(logs: list[Log], column: str) -> NDArray[Any]:
    found = [getattr(log, column) for log in logs]
    return found[0] if len(found) == 1 else np.concatenate(found)


def _where(valid: pa.Buffer, numbers: NDArray[Any]) -> pa.Array:
    """Return numbers as a column that has nothing where a bit of `valid` is 0, without copying either."""
    numbers = np.ascontiguousarray(numbers, np.int32)
    return pa.Array.from_buffers(pa.int32(), len(numbers), [valid, pa.py_buffer(numbers)])


def _text(codes: NDArray[np.int32], names: list[str]) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array(names, pa.string()))


def _table(name: str, *columns: object) -> pa.Table:
    schema = SCHEMAS[name]
    arrays = [
        column if isinstance(column, pa.Array) else pa.array(np.asarray(column), field.type)
        for column, field in zip(columns, schema, strict=True)
    ]
    return pa.Table.from_arrays(arrays, schema=schema)
