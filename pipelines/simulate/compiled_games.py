"""Play blocks with a compiled game, also from a fixed prefix, and turn its arrays into the tables of a shard without a loop over plies.

Games that begin with a fixed prefix: the games of a what-if run, and games with an opening.
Each game of a what-if run repeats the first plies of a logged game and continues with its own luck. A block is one
continuation, and its rotations are the branches: the original and the changed one, or the changed one alone if only the
luck differs. So a what-if run is replayed, verified and counted like any other run.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from engine import games
from engine.kernels.loader import find_kernel, find_kernel_obstacle, find_ready_kernel, needs_compiling
from engine.kernels.results import Batch, PlyLog, join_batches
from engine.play import Ply, play_action
from engine.strategies import unplayable_error
from pipelines.design.design import Design, parse_log_interval
from pipelines.design.openings import play_opening, play_with_opening, prepend_openings
from pipelines.simulate.shard_tables import shard_schemas
from pipelines.statistics import win_shares

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.kernels.code_cache import CompileProgress
    from engine.kernels.contract import Kernel
    from engine.ruleset import Ruleset
    from engine.state import State
    from engine.strategy import Player

BACKGROUND_COMPILE_DELAY_SECONDS: Final = 2.0
"""Seconds that a run lasts before its game is compiled beside it: most small runs end earlier."""


def find_design_kernel(design: Design) -> Kernel | None:
    """Return the compiled game that can play a design, or None if the plain rules must play it.

    A game that has not been compiled on this machine is compiled first if only the kernel can play one of the
    strategies; otherwise the result is None until another process has compiled it. The plain rules play the same games.
    """
    if needs_kernel(design):
        return find_kernel(design.rules, design.players)
    return find_ready_kernel(design.rules, design.players)


def is_compiled(design: Design) -> bool:
    """Return whether a design can be played without compiling first; also true if the plain rules play it."""
    return not needs_compiling(design.rules, _kernel_players(design))


def needs_kernel(design: Design) -> bool:
    """Return whether only a kernel can play one of the strategies of a design."""
    return any(player.strategy.make is None for player in design.players)


def check_playable(design: Design) -> None:
    """Raise InvalidError, with the reason, if only a kernel can play a strategy of a design and no kernel plays its ruleset."""
    for player in design.players:
        if player.strategy.make is None and (obstacle := find_kernel_obstacle(design.rules, [player])):
            raise unplayable_error(player.label, design.rules, obstacle)


def ensure_compiled(design: Design, *, progress: CompileProgress | None = None) -> None:
    """Compile the game of a design, unless its compiled code is in the cache already."""
    find_kernel(design.rules, _kernel_players(design), progress=progress)


@contextmanager
def compile_in_background(design: Design) -> Iterator[None]:
    """While this context lasts, have another process compile the game of a design, if this has not been done yet.

    The process starts after `BACKGROUND_COMPILE_DELAY_SECONDS`, so that it does not compete with a run that is shorter,
    and it ends with the context. The functions that it has compiled by then remain in the cache. If only the kernel can
    play one of the strategies, the game is compiled here, before the context begins.
    """
    if needs_kernel(design):
        ensure_compiled(design)  # once here, not once in every worker
    if is_compiled(design):
        yield
        return
    processes: list[subprocess.Popen[bytes]] = []
    timer = threading.Timer(
        BACKGROUND_COMPILE_DELAY_SECONDS, lambda: processes.append(start_compile_process(design.rules.game))
    )
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        for process in processes:
            process.terminate()
            process.wait()


def start_compile_process(game: str) -> subprocess.Popen[bytes]:
    """Start a process of low priority that compiles the kernel of a game.

    It is in the process group of this process and holds none of its files, so it ends with this process on Ctrl-C, and
    the log of a job is free as soon as the job has been killed. It writes nothing: the users of the kernel report errors.
    """
    nothing = subprocess.DEVNULL
    return subprocess.Popen(  # noqa: S603 - our own command
        [sys.executable, "-P", "-m", "engine.kernels", "--low-priority", game],
        stdin=nothing,
        stdout=nothing,
        stderr=nothing,
    )


def _kernel_players(design: Design) -> list[Player]:
    """Return the players that need the kernel: those that only the kernel can play, or else all players."""
    return [player for player in design.players if player.strategy.make is None] or list(design.players)


def count_block_plies(design: Design, compiled: Kernel) -> int:
    """Return the number of plies in the first block of a design."""
    return int(_play_batch(design, compiled, range(1), logged=False).plies.sum())


def play_blocks(design: Design, compiled: Kernel, blocks: range) -> dict[str, pa.Table]:
    """Play blocks and return the tables games, seats, parts and plies, in the order of the blocks."""
    every = parse_log_interval(design.log)
    batch = _play_batch(design, compiled, blocks, logged=every == 1)
    logged = [block for block in blocks if design.is_logged(block)]
    if every == 1:
        logs = [batch]
    else:  # a sample: play the logged blocks again, with their plies
        logs = [_play_batch(design, compiled, range(b, b + 1), logged=True) for b in logged]
    ids = _game_ids(design, np.array(blocks, dtype=np.uint32))
    return {
        "games": _games_table(design, blocks, batch, ids),
        "seats": _seats_table(design, batch, ids),
        "parts": _parts_table(design, batch, ids),
        "plies": _plies_table(logs, _game_ids(design, np.array(logged, dtype=np.uint32))),
    }


def _play_batch(design: Design, compiled: Kernel, blocks: range, *, logged: bool) -> Batch:
    """Play every rotation of every block, from the opening or the fork of the design if there is one."""
    seatings = _players_by_seating(design)
    if design.has_parent_game:
        return play_forked_blocks(compiled, design, seatings, blocks, logged=logged)
    if design.opening:
        return play_with_opening(compiled, seatings, design.seed, blocks, design.opening, logged=logged)
    return compiled.play(seatings, design.seed, blocks, logged=logged)


def _players_by_seating(design: Design) -> list[list[Player]]:
    """Return the player on each seat, for each rotation."""
    players = {player.name: player for player in design.players}
    return [
        [players[name] for name in design.strategies_by_seat(rotation)]
        for rotation in range(design.rotations)
    ]


def _game_ids(design: Design, blocks: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return the game ids of blocks in the order of a batch, (games,)."""
    rotations = np.arange(design.rotations, dtype=np.uint32)
    return (blocks[:, None] * np.uint32(design.rotations) + rotations).ravel()


def _games_table(design: Design, blocks: range, batch: Batch, ids: NDArray[np.uint32]) -> pa.Table:
    logged = np.array([design.is_logged(block) for block in blocks])
    return _make_table(
        "games",
        ids,
        _text_column(np.zeros(len(ids), dtype=np.int32), [design.rules.name]),
        np.repeat(np.array(blocks, dtype=np.uint32), design.rotations),
        np.tile(np.arange(design.rotations, dtype=np.uint8), len(blocks)),
        batch.rounds,
        batch.plies,
        np.repeat(logged, design.rotations),
    )


def _seats_table(design: Design, batch: Batch, ids: NDArray[np.uint32]) -> pa.Table:
    names = sorted(set(design.labels))
    seated = np.array(
        [
            [names.index(name) for name in design.labels_by_seat(rotation)]
            for rotation in range(design.rotations)
        ],
        dtype=np.int32,
    )
    players = batch.scores.shape[1]
    return _make_table(
        "seats",
        np.repeat(ids, players),
        np.tile(np.arange(players, dtype=np.int8), len(ids)),
        _text_column(np.tile(seated.ravel(), len(ids) // design.rotations), names),
        batch.scores.ravel(),
        batch.ranks.ravel(),
        win_shares(batch.ranks).ravel(),
    )


def _parts_table(design: Design, batch: Batch, ids: NDArray[np.uint32]) -> pa.Table:
    games, players, parts = batch.points.shape
    return _make_table(
        "parts",
        np.repeat(ids, players * parts),
        np.tile(np.repeat(np.arange(players, dtype=np.int8), parts), games),
        _text_column(np.tile(np.arange(parts, dtype=np.int32), games * players), list(design.game.parts)),
        batch.counts.ravel(),
        batch.points.ravel(),
    )


def _plies_table(batches: list[Batch], ids: NDArray[np.uint32]) -> pa.Table:
    logs = [batch.log for batch in batches if batch.log is not None]
    if not logs:
        return shard_schemas()["plies"].empty_table()
    lengths = np.concatenate([batch.plies for batch in batches])
    starts = np.repeat((np.cumsum(lengths) - lengths).astype(np.uint32), lengths)
    seat = _join_log_column(logs, "seat")
    decided = pa.py_buffer(np.packbits(seat >= 0, bitorder="little"))
    return _make_table(
        "plies",
        np.repeat(ids, lengths),
        (np.arange(len(seat), dtype=np.uint32) - starts).astype(np.uint16),
        _join_log_column(logs, "round"),
        seat,
        _join_log_column(logs, "action"),
        _nullable_column(decided, _join_log_column(logs, "options")),
        _nullable_column(decided, _join_log_column(logs, "score")),
    )


def _join_log_column(logs: list[PlyLog], column: str) -> NDArray[Any]:
    arrays = [getattr(log, column) for log in logs]
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def _nullable_column(valid: pa.Buffer, numbers: NDArray[Any]) -> pa.Array:
    """Return an int32 column that is null where a bit of `valid` is 0. Neither argument is copied."""
    numbers = np.ascontiguousarray(numbers, np.int32)
    return pa.Array.from_buffers(pa.int32(), len(numbers), [valid, pa.py_buffer(numbers)])


def _text_column(codes: NDArray[np.int32], names: list[str]) -> pa.DictionaryArray:
    """Return a column of texts: `names[code]` for each code."""
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array(names, pa.string()))


def _make_table(name: str, *columns: object) -> pa.Table:
    """Return the table `name` of a shard from its columns, in the order of the schema."""
    schema = shard_schemas()[name]
    arrays = [
        column if isinstance(column, pa.Array) else pa.array(np.asarray(column), field.type)
        for column, field in zip(columns, schema, strict=True)
    ]
    return pa.Table.from_arrays(arrays, schema=schema)


def begin_game(design: Design, block: int, rotation: int) -> tuple[State, list[Ply]]:
    """Return the state at which a game starts to be played, and the plies before it.

    These plies are the prefix of the parent game, an opening, or none. Raises InvalidError or IllegalError if the rules
    do not allow the prefix.
    """
    if design.has_parent_game:
        return play_prefix(design.rules, design.parent_actions(rotation))
    return play_opening(design.rules, design.luck_of_block(block), design.opening)


def play_prefix(ruleset: Ruleset, actions: Sequence[int]) -> tuple[State, list[Ply]]:
    """Play actions from the start of a game; return the state after them and their plies.

    Raises IllegalError at the first action that is not legal.
    """
    state, plies = games.start_state(ruleset), list[Ply]()
    for action in actions:
        state = play_action(state, action, plies)
    return state, plies


def play_forked_blocks(
    compiled: Kernel,
    design: Design,
    seatings: Sequence[Sequence[Player]],
    blocks: Sequence[int],
    *,
    logged: bool,
) -> Batch:
    """Play blocks of a design with parent games by the compiled game; the games are ordered by block, then by rotation."""
    luck = [design.luck_number(block) for block in blocks]
    branches = []
    for rotation, seating in enumerate(seatings):
        state, plies = play_prefix(design.rules, design.parent_actions(rotation))
        batch = compiled.play([seating], design.seed, luck, start=compiled.pack(state), logged=logged)
        branches.append(prepend_openings(batch, [plies] * len(luck)))
    return interleave_batches(branches)


def interleave_batches(branches: Sequence[Batch]) -> Batch:
    """Join batches of equal size: the first game of each batch, then the second of each, and so on."""
    whole = join_batches(branches)
    order = np.arange(len(whole.plies)).reshape(len(branches), -1).T.ravel()
    columns = {
        field.name: getattr(whole, field.name)[order] for field in fields(Batch) if field.name != "log"
    }
    if whole.log is None:
        return Batch(**columns, log=None)
    lengths = whole.plies.astype(np.int64)
    starts, ordered = np.cumsum(lengths) - lengths, lengths[order]
    rows = np.repeat(starts[order] - (np.cumsum(ordered) - ordered), ordered) + np.arange(ordered.sum())
    log = replace(whole.log, **{field.name: getattr(whole.log, field.name)[rows] for field in fields(PlyLog)})
    return Batch(**columns, log=log)
