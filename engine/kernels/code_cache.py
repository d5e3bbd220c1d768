"""The cache of compiled code, and the progress of compiling.

Compiled code is reused by every copy of the same sources: a second clone, or an installed package, finds what the first
one has compiled.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

if TYPE_CHECKING:
    CompileProgress: TypeAlias = Callable[[int, int], None]
    """Called with the number of functions compiled so far, and the number of all functions to compile."""

_PROJECT_FOLDER: Final = Path(__file__).parents[2]
_OWN_PACKAGES: Final = ("engine", "pipelines", "tests")
_UNCOMPILED_MODULES: Final = {"__main__.py", "code_cache.py", "compile_progress.py", "loader.py"}
"""Names of files from which nothing goes into compiled code."""
_NUMBA_LOCATORS: Final = (
    "UserProvidedCacheLocator,InTreeCacheLocator,UserWideCacheLocator,IPythonCacheLocator,ZipCacheLocator"
)
"""Where Numba keeps the compiled code of other packages, in the order in which it tries these places."""


def prepare_numba() -> None:
    """Have Numba keep compiled code where `CodeLocator` says. This must be called before a kernel is imported."""
    import numba  # noqa: PLC0415 - takes 0.9 s to import

    # Numba reads its environment when it is imported, and these settings when it decorates a function.
    locators = os.environ.get("NUMBA_CACHE_LOCATOR_CLASSES") or _NUMBA_LOCATORS
    numba.config.CACHE_LOCATOR_CLASSES = f"{__name__}.{CodeLocator.__name__},{locators}"


class CodeLocator:
    """Tells Numba where the compiled code of a function of this project is, and whether it is stale.

    Numba names a folder after the path of the source, so that it would not find the code that another copy of the
    project has compiled. To detect stale code, it looks only at the file that defines a function, not at the functions
    that it calls, nor at constants from other modules. Therefore `code_folder` is named after all these sources.
    Numba documents how such a class is named to it; the methods are those of its own locators (Numba 0.68.1).
    """

    def __init__(self, function: Callable[..., object], file: Path) -> None:
        parts = file.relative_to(_PROJECT_FOLDER).parts
        game = parts[2].replace("_", "-") if parts[:2] == ("engine", "games") else ""
        self._folder = code_folder(game) / ".".join((*parts[:-1], file.stem))
        self._file = file
        self._line = function.__code__.co_firstlineno

    @classmethod
    def from_function(cls, function: Callable[..., object], file: str) -> CodeLocator | None:
        """Return the locator of a function of this project, None for any other function."""
        path = Path(file).resolve()
        is_of_project = any(path.is_relative_to(_PROJECT_FOLDER / package) for package in _OWN_PACKAGES)
        return cls(function, path) if is_of_project else None

    def ensure_cache_path(self) -> None:
        """Create the folder."""
        self._folder.mkdir(parents=True, exist_ok=True)

    def get_cache_path(self) -> str:
        """Return the folder that holds the compiled code of the function."""
        return str(self._folder)

    def get_source_stamp(self) -> str:
        """Return a text that changes with the file of the function."""
        return _hash_file(self._file)

    def get_disambiguator(self) -> str:
        """Return a text that tells functions of one name in one file apart."""
        return str(self._line)


@cache
def _hash_file(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


@cache
def code_folder(game: str = "") -> Path:
    """Return the folder for the compiled code of a game, or without a game, for code that belongs to no game.

    Compiled code is executed, so a folder counts only if it belongs to the user and nobody else may write into it. Where it does
    not, or where it cannot be written and is not complete, the result is a temporary folder: this process compiles for itself.
    """
    folder = kernel_cache_folder() / kernel_fingerprint(game)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _belongs_to_user(folder):
            sys.stderr.write(
                f"reroll: {folder} is not yours alone, so the compiled games in it are not used\n"
            )
        else:
            if not has_complete_code(folder, game):
                tempfile.TemporaryFile(dir=folder).close()  # raises OSError if the folder cannot be written
            return folder
    except OSError:
        pass
    return Path(tempfile.mkdtemp(prefix="reroll-kernels-"))


def _belongs_to_user(folder: Path) -> bool:
    """Return whether a folder is one of the user, and no link, into which nobody else may write."""
    status = folder.stat(follow_symlinks=False)
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o022


def mark_complete(folder: Path, game: str) -> None:
    """Note in a folder that it has all compiled code of a game, and how many files that are; raise OSError if it cannot be written."""
    _mark_path(folder, game).write_text(f"{_count_code_files(folder)}\n", encoding="ascii")


def has_complete_code(folder: Path, game: str) -> bool:
    """Return whether a folder has all compiled code of a game: as many files as its mark says."""
    try:
        noted = int(_mark_path(folder, game).read_text(encoding="ascii"))
    except (OSError, ValueError):
        return False
    return 0 < noted <= _count_code_files(folder)


def _mark_path(folder: Path, game: str) -> Path:
    return folder / f"{game}.compiled"


def _count_code_files(folder: Path) -> int:
    return sum(1 for _ in folder.rglob("*.nbc"))


def kernel_cache_folder() -> Path:
    """Return the folder that holds all compiled code: REROLL_CACHE, or else the user's cache folder."""
    if folder := os.environ.get("REROLL_CACHE"):
        return Path(folder)
    import platformdirs  # noqa: PLC0415 - takes 0.04 s to import

    return Path(platformdirs.user_cache_dir("reroll", appauthor=False)) / "kernels"


@cache
def kernel_fingerprint(game: str = "") -> str:
    """Return a hash of all sources that compiled code of a game can contain, of the compiler, and of the processor.

    Besides the kernel these are the rules of the game and what all games share: compiled code contains their constants.
    The other games are left out, so that an edit in one game leaves the compiled code of the others valid.
    """
    import numba  # noqa: PLC0415 - takes 0.9 s to import

    engine = _PROJECT_FOLDER / "engine"
    paths = [*engine.glob("*.py"), *(engine / "kernels").glob("*.py")]
    if game:
        paths += (engine / "games" / game.replace("-", "_")).rglob("*.py")
    fingerprint = hashlib.sha256(game.encode())
    for path in sorted(path for path in paths if path.name not in _UNCOMPILED_MODULES):
        fingerprint.update(path.read_bytes())
    versions = f"{sys.implementation.cache_tag} {numba.__version__} {np.__version__} {target_processor()}"
    fingerprint.update(versions.encode())
    return fingerprint.hexdigest()[:16]


@cache
def target_processor() -> str:
    """Return LLVM's name of the processor that kernels are compiled for: this machine's, or NUMBA_CPU_NAME."""
    import numba  # noqa: PLC0415 - takes 0.9 s to import
    from llvmlite import binding  # noqa: PLC0415 - belongs to Numba, which may be missing

    name: str = numba.config.CPU_NAME or binding.get_host_cpu_name()
    return name


@contextmanager
def report_compile_progress(package: str, progress: CompileProgress | None) -> Iterator[None]:
    """While this context lasts, report the progress of compiling the functions in the loaded modules of a package.

    Functions that were compiled before do not count. Numba reports no event for functions that it only inlines, so the
    last call at the end of the context sets the count to the total, unless an error ends the context.
    """
    if progress is None:
        yield
        return
    from numba.core import event  # noqa: PLC0415 - numba takes 0.9 s to import; its manual documents this module

    report, functions = progress, _uncompiled_functions(package)
    done: set[Any] = set()

    class Listener(event.Listener):  # type: ignore[misc]  # Numba has no types
        def on_start(self, event: Any) -> None:  # noqa: ANN401 - as above
            pass

        def on_end(self, event: Any) -> None:  # noqa: ANN401 - as above
            function = event.data["dispatcher"].py_func
            if function in functions and function not in done:
                done.add(function)
                report(len(done), len(functions))

    progress(0, len(functions))
    with event.install_listener("numba:compile", Listener()):
        yield
    progress(len(functions), len(functions))


def _uncompiled_functions(package: str) -> set[Any]:
    """Return the Python functions that Numba has not compiled for any types yet."""
    from numba.extending import is_jitted  # noqa: PLC0415 - numba takes 0.9 s to import

    modules = [module for name, module in list(sys.modules.items()) if f"{name}.".startswith(f"{package}.")]
    values = [value for module in modules for value in vars(module).values()]
    return {value.py_func for value in values if is_jitted(value) and not value.signatures}
