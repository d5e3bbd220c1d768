"""Runs on the shelf: a new name for one, and files from elsewhere, which may come from anybody."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from engine.errors import InvalidError
from pipelines.runs.run import Run
from pipelines.runs.unfinished_run import UNFINISHED_SUFFIX, sync_to_disk

if TYPE_CHECKING:
    from pipelines.runs.library import Library

MAX_UPLOAD_MEGABYTES: Final = 200
"""Size of a file that a page takes in: it passes through the memory of the server."""
CHECKED_GAMES: Final = 200
"""Games of such a file that are played again; its tables and roll-ups are checked in full."""
CHECK_TIMEOUT_SECONDS: Final = 120.0
"""Seconds that the check of such a file may take."""

_RUN_NAME_PATTERN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
_MAGIC_BYTES: Final = slice(8, 12)  # where a DuckDB file says that it is one
_UPLOAD_PREFIX: Final = ".upload-"


def rename_run(library: Library, run: Run, name: str) -> Run:
    """Give a run another name and return it; raise InvalidError if the name is no good or taken."""
    target = _free_run_path(library, name)
    try:
        os.link(run.path, target)  # unlike a renaming it never replaces a file that appeared meanwhile
        run.path.unlink()
    except FileExistsError:
        raise _name_taken_error(name) from None
    except FileNotFoundError:
        raise InvalidError(f"{run.path}: the run is gone") from None
    except OSError:  # a file system without links
        run.path.rename(target)
    return Run(target)


def free_run_name(library: Library, wanted: str) -> str:
    """Return a name like the wanted one that no run has.

    >>> from pathlib import Path
    >>> from pipelines.runs.library import Library
    >>> free_run_name(Library(Path("/nowhere")), "my run (1).duckdb")
    'my-run-1'
    """
    stem = re.sub(r"[^A-Za-z0-9._-]+", "-", wanted.removesuffix(".duckdb")).strip("-._")[:70] or "run"
    names = (stem if number == 1 else f"{stem}-{number}" for number in range(1, 10_000))
    return next(name for name in names if not any(place.exists() for place in _run_paths(library, name)))


def _run_paths(library: Library, name: str) -> tuple[Path, Path]:
    return library.runs_folder / f"{name}.duckdb", library.runs_folder / f"{name}{UNFINISHED_SUFFIX}"


def _free_run_path(library: Library, name: str) -> Path:
    if not _RUN_NAME_PATTERN.fullmatch(name):
        raise InvalidError(
            f"{name!r} is no name for a run: up to 80 letters, digits, dots, dashes and underscores, a letter or digit first"
        )
    run, partial = _run_paths(library, name)
    if run.exists() or partial.exists():
        raise _name_taken_error(name)
    return run


def _name_taken_error(name: str) -> InvalidError:
    return InvalidError(f"there is a run {name} already; choose another name")


@dataclass
class Intake:
    """A file from elsewhere on its way into the library: hidden beside the runs while a process of its own checks it.

    A file may be made to do harm, so it is opened by a process that can be ended, never by the one that asks.
    """

    library: Library
    folder: Path
    process: subprocess.Popen[str]
    started: float

    @property
    def file(self) -> Path:
        return next(self.folder.glob("*.duckdb"))

    @property
    def seconds(self) -> float:
        """How long the check has taken so far."""
        return time.monotonic() - self.started

    @property
    def is_checked(self) -> bool:
        """Say whether the check is over; one that takes too long is ended."""
        if self.process.poll() is None and self.seconds > CHECK_TIMEOUT_SECONDS:
            self.process.kill()
            self.process.wait()
        return self.process.poll() is not None

    @property
    def fault(self) -> str | None:
        """What is wrong with the file, in a line; None if nothing is. Waits for the end of the check."""
        said, complained = self.process.communicate()
        code = self.process.returncode
        if code == 0:
            return None
        if code < 0:
            return (
                f"the check did not end within {CHECK_TIMEOUT_SECONDS:.0f} seconds"
                if self.seconds > CHECK_TIMEOUT_SECONDS
                else "it breaks the reader"
            )
        try:
            return str(json.loads(said)[0]["fault"])
        except (ValueError, LookupError, TypeError):
            last = next(
                (line for line in reversed(complained.splitlines()) if line.startswith("reroll: ")), ""
            )
            return last.removeprefix("reroll: ").replace(f"{self.file}: ", "") or "it cannot be read"

    def add_to_library(self) -> Run:
        """Put the file, which has no fault, on the shelf under a free name and return it as a run."""
        for _ in range(20):
            target = self.library.runs_folder / f"{free_run_name(self.library, self.file.stem)}.duckdb"
            try:
                os.link(self.file, target)
            except FileExistsError:
                continue
            except OSError:
                self.file.rename(target)
            self.discard()
            return Run(target)
        raise _name_taken_error(self.file.stem)

    def discard(self) -> None:
        """End the check and leave nothing behind."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()
        shutil.rmtree(self.folder, ignore_errors=True)


def start_intake(library: Library, name: str, content: bytes | memoryview) -> Intake:
    """Begin to take in a file of this name and content; raise InvalidError at once if it cannot be a run.

    Raises OSError if the folder cannot be written.
    """
    if len(content) > MAX_UPLOAD_MEGABYTES * 1_000_000:
        raise InvalidError(
            f"{name}: {len(content) / 1e6:,.0f} MB are too many here, {MAX_UPLOAD_MEGABYTES} MB the most; "
            f"copy the file into {library.runs_folder} instead"
        )
    if bytes(content[_MAGIC_BYTES]) != b"DUCK":
        raise InvalidError(f"{name}: no run file: it is not a DuckDB database")
    library.runs_folder.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=_UPLOAD_PREFIX, dir=library.runs_folder))
    file = folder / f"{free_run_name(library, name)}.duckdb"
    try:
        file.write_bytes(content)
        sync_to_disk(file)
        process = _start_check(library, file)
    except OSError:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return Intake(library, folder, process, time.monotonic())


def _start_check(library: Library, file: Path) -> subprocess.Popen[str]:
    """Start the check: `reroll verify` on some of the games."""
    options = [
        "--games",
        str(CHECKED_GAMES),
        "--workers",
        "1",
        "--json",
        "--quiet",
        "--data",
        str(library.folder),
    ]
    return subprocess.Popen(  # noqa: S603 - our own command, as a list
        [sys.executable, "-m", "pipelines", "verify", str(file), *options],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "NO_COLOR": "1", "REROLL_OWN": "0"},
    )
