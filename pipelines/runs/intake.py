"""Changes to the library: a run is renamed, and an uploaded run file, which may come from anybody, is checked and added."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from engine.errors import InvalidError
from pipelines.runs.names import check_run_name, claim_free_name, is_name_free, run_name_from_text, run_path
from pipelines.runs.run import Run
from pipelines.runs.unfinished_run import check_name_free, make_read_only, name_taken_error, sync_to_disk

if TYPE_CHECKING:
    from pipelines.runs.library import Library

MAX_UPLOAD_MEGABYTES: Final = 200
"""Largest upload: a file passes through the memory of the server."""
CHECKED_GAMES: Final = 200
"""Games of an uploaded file that are played again. Its tables and roll-ups are checked completely."""
CHECK_TIMEOUT_SECONDS: Final = 120.0
"""Longest time for the check of an uploaded file."""
PLAY_SECONDS: Final = 30.0
"""About how long games without logged moves are played again in this check: strategies may take a minute for a decision."""
UNCHECKED_EXIT_CODE: Final = 3
"""Exit code of `reroll verify` if no number differs, but the results of some games could not be checked."""

_MAGIC_BYTES: Final = slice(8, 12)  # a DuckDB file has "DUCK" there
_UPLOAD_PREFIX: Final = ".upload-"


def rename_run(library: Library, run: Run, name: str) -> Run:
    """Rename a run and return it; raise InvalidError if the name is not allowed or taken, or the run does not exist."""
    check_run_name(name)
    run.check()
    check_name_free(library.runs_folder, name)
    target = run_path(library.runs_folder, name)
    try:
        os.link(run.path, target)  # unlike a rename, this never replaces a file that was created meanwhile
        run.path.unlink()
    except FileExistsError:
        raise name_taken_error(library.runs_folder, name) from None
    except FileNotFoundError:
        raise InvalidError(f"{run.path}: the run does not exist any more") from None
    except OSError:  # a file system without hard links
        run.path.rename(target)
    return Run(target)


@dataclass
class Intake:
    """An uploaded file in a hidden folder beside the runs, while a process checks it.

    A file may be made to do harm, so only that process opens it, and it can be killed.
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
        """Seconds since the check began."""
        return time.monotonic() - self.started

    @property
    def is_checked(self) -> bool:
        """True if the check is over. A check that takes too long is killed."""
        if self.process.poll() is None and self.seconds > CHECK_TIMEOUT_SECONDS:
            self.process.kill()
            self.process.wait()
        return self.process.poll() is not None

    @cached_property
    def _answer(self) -> tuple[str, str]:
        """What the check wrote to its output and to its errors. Waits until the check is over."""
        return self.process.communicate()

    @property
    def fault(self) -> str | None:
        """The first fault of the file, in one line, or None. Waits until the check is over."""
        output, errors = self._answer
        code = self.process.returncode
        if code in {0, UNCHECKED_EXIT_CODE}:
            return None
        if code < 0:
            return (
                f"the check did not end within {CHECK_TIMEOUT_SECONDS:.0f} seconds"
                if self.seconds > CHECK_TIMEOUT_SECONDS
                else "reading it crashed the check"
            )
        try:
            message = str(json.loads(output)[0]["fault"])
        except (ValueError, LookupError, TypeError):
            last = next((line for line in reversed(errors.splitlines()) if line.startswith("reroll: ")), "")
            message = last.removeprefix("reroll: ") or "it cannot be read"
        return message.replace(f"{self.file}: ", "")

    @property
    def what_was_checked(self) -> str:
        """What was checked in a file without a fault, and what was not, in words."""
        sentence: str = json.loads(self._answer[0])[0]["said"]
        return sentence

    def add_to_library(self) -> Run:
        """Move the checked file into the library under a free name and return it as a run."""
        target = claim_free_name(self.file.stem, self._link_into_library)
        self.discard()
        return Run(target)

    def _link_into_library(self, name: str) -> Path | None:
        """Give the file this name in the library; return its path, or None if the name is taken."""
        target = run_path(self.library.runs_folder, name)
        if not is_name_free(self.library.runs_folder, name):
            return None
        try:
            os.link(self.file, target)
        except FileExistsError:
            return None
        except OSError:  # a file system without hard links
            self.file.rename(target)
        return target

    def discard(self) -> None:
        """Stop the check and delete the file."""
        if self.process.poll() is None:
            self.process.kill()
        _ = self._answer  # waits for the end of the process
        shutil.rmtree(self.folder, ignore_errors=True)


def start_intake(library: Library, name: str, content: bytes | memoryview) -> Intake:
    """Start the check of an uploaded file of this name and content.

    Raises InvalidError if the file is too large or not a DuckDB file, and OSError if the folder cannot be written.
    """
    if len(content) > MAX_UPLOAD_MEGABYTES * 1_000_000:
        raise InvalidError(
            f"{name}: {len(content) / 1e6:,.0f} MB; at most {MAX_UPLOAD_MEGABYTES} MB can be uploaded. "
            f"Copy the file into {library.runs_folder} instead"
        )
    if bytes(content[_MAGIC_BYTES]) != b"DUCK":
        raise InvalidError(f"{name}: not a run file: it is not a DuckDB file")
    library.runs_folder.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=_UPLOAD_PREFIX, dir=library.runs_folder))
    file = folder / f"{run_name_from_text(name)}.duckdb"
    try:
        file.write_bytes(content)
        make_read_only(file)
        sync_to_disk(file)
        process = _start_check(library, file)
    except OSError:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return Intake(library, folder, process, time.monotonic())


def _start_check(library: Library, file: Path) -> subprocess.Popen[str]:
    """Start the check: `reroll verify` with some of the games."""
    options = [
        "--games",
        str(CHECKED_GAMES),
        "--seconds",
        str(PLAY_SECONDS),
        "--workers",
        "1",
        "--json",
        "--quiet",
        "--data",
        str(library.folder),
    ]
    return subprocess.Popen(  # noqa: S603 - our own command, as a list
        [sys.executable, "-P", "-m", "pipelines", "verify", str(file), *options],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "NO_COLOR": "1", "REROLL_OWN": "0"},
    )
