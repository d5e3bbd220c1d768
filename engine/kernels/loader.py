"""Finding, loading and compiling the kernels of games.

`find_kernel` is the one place that decides whether a kernel or the plain rules play a game. A kernel that cannot be
imported or compiled is reported on stderr once per process and game; the plain rules then play. One process compiles a
game at a time; others that need it wait.
"""

from __future__ import annotations

import contextlib
import fcntl
import importlib
import importlib.util
import os
import sys
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from engine.errors import InvalidError, clean_message, format_error
from engine.kernels.code_cache import (
    code_folder,
    has_complete_code,
    mark_complete,
    prepare_numba,
    report_compile_progress,
)

if TYPE_CHECKING:
    from engine.kernels.code_cache import CompileProgress
    from engine.kernels.contract import Kernel
    from engine.ruleset import Ruleset
    from engine.strategy import Player

_compiled_games: Final[set[str]] = set()
"""Games whose kernel this process has compiled or found compiled."""
_broken_games: Final[set[str]] = set()
"""Games whose kernel could not be imported or compiled in this process."""


def find_kernel(
    ruleset: Ruleset, players: Sequence[Player] = (), *, progress: CompileProgress | None = None
) -> Kernel | None:
    """Return the kernel that can play these players, compiled, or None if the plain rules have to play.

    The result is None if the game has no kernel, the ruleset is too large for it, one of the players is not compiled,
    kernels are disabled, or the kernel cannot be imported or compiled. The first call on a machine compiles for
    some seconds; `progress` is called with the number of compiled functions and their total.
    """
    kernel = _load_kernel(ruleset, players)
    return kernel if kernel and _compile_kernel(kernel, progress) else None


def find_ready_kernel(ruleset: Ruleset, players: Sequence[Player] = ()) -> Kernel | None:
    """Return what `find_kernel` returns if this machine has compiled the kernel already, else None."""
    kernel = _load_kernel(ruleset, players)
    return kernel if kernel and is_compiled(ruleset.game) else None


def needs_compiling(ruleset: Ruleset, players: Sequence[Player] = ()) -> bool:
    """Return whether `find_kernel` would have to compile the kernel first."""
    kernel = _load_kernel(ruleset, players)
    return kernel is not None and not is_compiled(ruleset.game)


def can_compile_games() -> bool:
    """Return whether games can be compiled: Numba is installed, and the environment switches off neither kernels nor Numba."""
    is_off = os.environ.get("REROLL_KERNELS", "1") == "0" or os.environ.get("NUMBA_DISABLE_JIT", "0") != "0"
    return not is_off and importlib.util.find_spec("numba") is not None


def _load_kernel(ruleset: Ruleset, players: Sequence[Player]) -> Kernel | None:
    """Return the kernel that can play these players, or None. It may have to be compiled yet."""
    if not can_compile_games() or ruleset.game in _broken_games:
        return None
    kernel = _import_kernel(ruleset)
    return None if isinstance(kernel, str) or not kernel.can_play(players) else kernel


def find_kernel_obstacle(ruleset: Ruleset, players: Sequence[Player] = ()) -> str:
    """Return why no kernel can play these players, in words that follow a colon; empty if one can, perhaps once it is compiled."""
    if not can_compile_games():
        return "compiled games are switched off, or Numba is not installed"
    kernel = _import_kernel(ruleset)
    if ruleset.game in _broken_games:
        return "its compiled game does not work on this machine"
    if isinstance(kernel, str):
        return kernel
    return "" if kernel.can_play(players) else "the compiled game does not play all of these strategies"


@lru_cache(maxsize=64)  # an answer about rules plays up to 33 rulesets in turn
def _import_kernel(ruleset: Ruleset) -> Kernel | str:
    """Return the kernel of a ruleset, or why it has none."""
    package = f"engine.games.{ruleset.game.replace('-', '_')}.kernel"
    if importlib.util.find_spec(package) is None:
        return "the game has no compiled twin"
    try:
        prepare_numba()
        kernel_class: type[Kernel] = importlib.import_module(f"{package}.batches").KERNEL
        return kernel_class(ruleset)
    except InvalidError as error:  # the ruleset is too large for the kernel
        return str(error).removeprefix(f"{ruleset.name}: ")
    except Exception as error:  # noqa: BLE001 - Numba raises errors of many kinds
        _report_broken_kernel(ruleset.game, error)
        return "its compiled game does not work on this machine"


def _compile_kernel(kernel: Kernel, progress: CompileProgress | None) -> bool:
    """Compile everything in a kernel unless this machine has done so; return whether the kernel can be used."""
    game = kernel.ruleset.game
    if is_compiled(game):
        return True
    try:
        with _lock_compilation(game):
            if not is_compiled(game):  # another process may have compiled it meanwhile
                with report_compile_progress(_package_name(kernel), progress):
                    _call_all_functions(kernel)
    except Exception as error:  # noqa: BLE001 - Numba raises errors of many kinds
        _report_broken_kernel(game, error)
        return False
    _compiled_games.add(game)
    with contextlib.suppress(OSError):  # without the mark, the next process checks the kernel again
        mark_complete(code_folder(game), game)
    return True


def _package_name(kernel: Kernel) -> str:
    return type(kernel).__module__.rpartition(".")[0]


@contextlib.contextmanager
def _lock_compilation(game: str) -> Iterator[None]:
    """Wait until no other process compiles the kernel of a game, and let others wait while this context lasts."""
    try:
        file = (code_folder(game) / f"{game}.lock").open("a")
    except OSError:  # a folder that cannot be written holds no compiled code either
        yield
        return
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _call_all_functions(kernel: Kernel) -> None:
    """Play one game and call the other functions of a kernel. The same compiled code plays all strategies."""
    seating = [kernel.read_player("greedy")] * kernel.ruleset.players
    kernel.play([seating], 0, range(1), logged=True)
    kernel.unpack(kernel.apply_action(kernel.start, int(kernel.actions(kernel.start)[0])))


def is_compiled(game: str) -> bool:
    """Return whether this machine has compiled the kernel of a game."""
    if game not in _compiled_games and has_complete_code(code_folder(game), game):
        _compiled_games.add(game)
    return game in _compiled_games


def _report_broken_kernel(game: str, error: Exception) -> None:
    """Write one line to stderr, the first time that the kernel of a game fails in this process."""
    if game in _broken_games:
        return
    _broken_games.add(game)
    reason = clean_message(format_error(error))
    sys.stderr.write(
        f"{game}: the compiled game does not work here ({reason}); the plain rules play the same games, but slower\n"
    )
