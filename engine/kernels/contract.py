"""The contract of compiled games: whole batches of games as arrays, playing the very games that the rules play.

A kernel is an optional second implementation of a game, `engine/games/<game>/kernel.py`, compiled by Numba. It shares
nothing with `rules.py` but the numbering of actions and the keys of luck, so that each can prove the other. Nothing
here imports Numba before a kernel is asked for.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import tempfile
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeAlias

import numpy as np

from engine import games
from engine.kernels.compile_progress import report_compile_progress
from engine.strategies import read_player

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from engine.game import State
    from engine.kernels.compile_progress import CompileProgress
    from engine.luck import Source
    from engine.ruleset import Ruleset
    from engine.strategies import Player

    IntArray: TypeAlias = NDArray[np.int32]

_ENGINE_FOLDER: Final = Path(__file__).parents[1]
_COMPILED_MODULES: Final = ("bits", "compiling", "halving", "luck", "results")
"""The modules of this folder that go into the compiled code of games."""


@dataclass(frozen=True)
class PlyLog:
    """Plies as columns, game after game. Arrays of one length; chance has -1 for a seat."""

    round: NDArray[np.uint16]
    seat: NDArray[np.int8]
    action: IntArray
    options: IntArray
    """Legal actions there were; -1 for chance."""
    score: IntArray
    """Of the acting seat after the ply; 0 for chance."""


@dataclass(frozen=True)
class Batch:
    """Finished games as columns: block by block, within a block seating by seating."""

    rounds: IntArray
    """(games,) rounds that were begun."""
    plies: IntArray
    """(games,)"""
    scores: IntArray
    """(games, seats)"""
    ranks: NDArray[np.uint8]
    """(games, seats)"""
    counts: IntArray
    """(games, seats, parts), parts in the order of the game's `parts`."""
    points: IntArray
    """(games, seats, parts)"""
    log: PlyLog | None
    """All plies of all games, in their order; None if nothing was logged."""


def join_batches(batches: Sequence[Batch]) -> Batch:
    """Put batches one behind the other."""
    whole = {
        field.name: np.concatenate([getattr(batch, field.name) for batch in batches])
        for field in fields(Batch)
        if field.name != "log"
    }
    logs = [batch.log for batch in batches if batch.log is not None]
    columns = (
        {field.name: np.concatenate([getattr(log, field.name) for log in logs]) for field in fields(PlyLog)}
        if logs
        else {}
    )
    return Batch(**whole, log=PlyLog(**columns) if logs else None)


class Kernel(ABC):
    """One game under one ruleset, compiled."""

    strategies: ClassVar[tuple[str, ...]] = ("random", "greedy")
    """Names of the strategies that it can play; their parameters are those that the game declares."""

    def __init__(self, ruleset: Ruleset) -> None:
        """Raise InvalidError for a ruleset whose sizes the kernel cannot hold; the plain rules then play it."""
        self.ruleset = ruleset

    def can_play(self, seating: Sequence[Player]) -> bool:
        """Say whether every seat's strategy is compiled."""
        return all(player.strategy.name in self.strategies for player in seating)

    @abstractmethod
    def play(self, seatings: Sequence[Sequence[Player]], seed: int, blocks: range, *, logged: bool) -> Batch:
        """Play every seating in every block from the start: the same games as `engine.play.play_out`."""

    @abstractmethod
    def play_from_packed(
        self,
        packed: Any,  # noqa: ANN401 - every kernel has its own arrays
        seating: Sequence[Player],
        seed: int,
        blocks: Sequence[int],
        *,
        logged: bool,
    ) -> Batch:
        """Play on from a position, once with the luck of each block; the position is left as it was.

        Rounds and plies are counted from the start of the game and from this position; the decisions of the current
        round are counted from this position, as `play_out` does without `decisions`.
        """

    def play_from_state(
        self, state: State, seating: Sequence[Player], seed: int, blocks: Sequence[int], *, logged: bool
    ) -> Batch:
        """Play on from a position of the rules; see `play_from_packed`."""
        return self.play_from_packed(self.pack(state), seating, seed, blocks, logged=logged)

    def play_seatings(
        self, state: State, seatings: Sequence[Sequence[Player]], seed: int, block: int, *, logged: bool
    ) -> Batch:
        """Play on from a position with every seating, all with the luck of one block; counted as in `play_from_state`."""
        every = [
            self.play_from_state(state, one, seed, range(block, block + 1), logged=logged) for one in seatings
        ]
        return join_batches(every)

    @abstractmethod
    def decide(self, state: State, player: Player, source: Source) -> int:
        """Return what a strategy does in a position of the rules: the same as within a batch."""

    def candidates(self, state: State, most: int) -> list[int]:
        """Return the actions that look best to the acting seat, best first, `most` at the most.

        A game with a heuristic of its own overrides this order, which is by the score right after the action.
        """
        sign = -1 if self.ruleset.lowest_wins else 1
        return sorted(state.actions, key=lambda action: -sign * state.play(action).score(state.seat))[:most]

    def read_player(self, text: str) -> Player:
        """Return one of the game's own strategies."""
        return read_player(games.find_game(self.ruleset.game), text)

    def parameter_array(self, seatings: Sequence[Sequence[Player]]) -> NDArray[np.float64]:
        """Return the parameters of every seat's strategy in their declared order, zeros behind them.

        (seatings, seats, parameters), the last as wide as the strategy that has most.
        """
        game = games.find_game(self.ruleset.game)
        widest = max([1, *(len(strategy.parameters) for strategy in game.strategies)])
        found = np.zeros((len(seatings), len(seatings[0]) if seatings else 0, widest))
        for row, seating in zip(found, seatings, strict=True):
            for cells, seated in zip(row, seating, strict=True):
                cells[: len(seated.parameters)] = list(seated.parameters.values())
        return found

    @abstractmethod
    def pack(self, state: State) -> Any:  # noqa: ANN401 - every kernel has its own arrays
        """Return a position of the rules as the kernel's own."""

    @abstractmethod
    def unpack(self, packed: Any) -> State:  # noqa: ANN401 - as above
        """Return a position of the kernel as the rules'."""

    @abstractmethod
    def actions(self, packed: Any) -> IntArray:  # noqa: ANN401 - as above
        """Return the legal actions, ascending; the possible outcomes where chance acts; none when the game is over."""

    @abstractmethod
    def apply_action(self, packed: Any, action: int) -> Any:  # noqa: ANN401 - as above
        """Return the position after a legal action, the given one unchanged."""


def find_kernel(ruleset: Ruleset) -> Kernel | None:
    """Return the compiled game of a ruleset, or None if it has none; raise InvalidError if it is too large for it."""
    return _import_kernel(ruleset) if can_compile_games() else None


@lru_cache(maxsize=32)
def _import_kernel(ruleset: Ruleset) -> Kernel | None:
    package = f"engine.games.{ruleset.game.replace('-', '_')}.kernel"
    if importlib.util.find_spec(package) is None:
        return None
    prepare_numba()
    made: type[Kernel] = importlib.import_module(f"{package}.batches").KERNEL
    return made(ruleset)


def can_compile_games() -> bool:
    """Say whether games can be compiled here; REROLL_KERNELS=0 says no."""
    return os.environ.get("REROLL_KERNELS", "1") != "0" and importlib.util.find_spec("numba") is not None


@cache
def prepare_numba() -> Path:
    """Set up Numba before it is imported, and return the folder where compiled code is kept.

    Numba looks only at the file that defines a function to tell whether its compiled code is stale, so the folder is
    named by a hash of all that goes into any kernel.
    """
    os.environ.setdefault("NUMBA_SLP_VECTORIZE", "1")
    folder = kernel_cache_folder() / kernel_fingerprint()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:  # nowhere to keep it: this process compiles for itself
        folder = Path(tempfile.mkdtemp(prefix="reroll-kernels-"))
    os.environ["NUMBA_CACHE_DIR"] = str(folder)
    settings: Any = importlib.import_module("numba.core.config")
    settings.CACHE_DIR = str(folder)  # for a Numba that was imported before
    return folder


def is_kernel_compiled(one: Kernel) -> bool:
    """Say whether a kernel has been compiled on this machine already."""
    return _marker_path(one).is_file()


def compile_kernel(one: Kernel, *, progress: CompileProgress | None = None) -> None:
    """Compile all of a kernel, so that no process that starts later has to: takes seconds, once a version.

    `progress` is told functions compiled and functions to compile.
    """
    if is_kernel_compiled(one):
        return
    with report_compile_progress(type(one).__module__.rpartition(".")[0], progress):
        _exercise_kernel(one)
    _marker_path(one).touch()


def load_kernel(one: Kernel) -> None:
    """Load a kernel that has been compiled on this machine already, so that who plays first needs not wait for it."""
    if is_kernel_compiled(one):
        _exercise_kernel(one)


def _exercise_kernel(one: Kernel) -> None:
    """Call everything that a kernel can do."""
    game = games.find_game(one.ruleset.game)
    seating = [
        read_player(game, one.strategies[0])
    ] * one.ruleset.players  # one compiled function plays all strategies
    one.play([seating], 0, range(1), logged=True)
    one.play_from_state(game.start(one.ruleset), seating, 0, range(1), logged=True)
    packed = one.pack(game.start(one.ruleset))
    one.unpack(one.apply_action(packed, int(one.actions(packed)[0])))


def _marker_path(one: Kernel) -> Path:
    return prepare_numba() / f"{one.ruleset.game}.compiled"


def kernel_cache_folder() -> Path:
    """Return where compiled code is kept: REROLL_CACHE, else the user's cache folder."""
    if named := os.environ.get("REROLL_CACHE"):
        return Path(named)
    import platformdirs  # noqa: PLC0415 - only asked for once

    return Path(platformdirs.user_cache_dir("reroll", appauthor=False)) / "kernels"


@cache
def kernel_fingerprint() -> str:
    """Return a hash of the sources of all kernels, of Numba's version and of the settings of the compiler."""
    found = hashlib.sha256()
    for path in sorted(
        [
            _ENGINE_FOLDER / "luck.py",
            *(_ENGINE_FOLDER / "kernels" / f"{name}.py" for name in _COMPILED_MODULES),
            *(_ENGINE_FOLDER / "games").glob("*/kernel/*.py"),
        ]
    ):
        found.update(path.read_bytes())
    import numba  # noqa: PLC0415 - as above

    found.update(f"{numba.__version__} {os.environ.get('NUMBA_SLP_VECTORIZE')} {np.__version__}".encode())
    return found.hexdigest()[:16]
