"""Names of runs: which names are allowed, and the search for a free one.

The run `name` is the file `name.duckdb`; while it is unfinished, it is the folder `name.partial` beside that place.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Final, TypeVar

from engine.errors import InvalidError
from pipelines.design.limits import MAX_RUN_NAME_CHARACTERS

RUN_SUFFIX: Final = ".duckdb"
UNFINISHED_SUFFIX: Final = ".partial"
DUCKDB_LOG_SUFFIX: Final = ".wal"

RUN_NAME_RULE: Final = f"up to {MAX_RUN_NAME_CHARACTERS} letters (a-z, A-Z), digits, dots, dashes and underscores, with a letter or digit first"
_RUN_NAME_PATTERN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
MAX_FILE_NAME_BYTES: Final = 200
"""File systems allow 255 bytes, including the suffix."""
_DERIVED_NAME_LENGTH: Final = 55
"""Characters of a name that is made from a text: this leaves room for a prefix, a time or a number."""

Claimed = TypeVar("Claimed")


def check_run_name(name: str) -> None:
    """Raise InvalidError if a run cannot have this name."""
    if len(name) > MAX_RUN_NAME_CHARACTERS or not _RUN_NAME_PATTERN.fullmatch(name):
        raise InvalidError(
            f"{name[: MAX_RUN_NAME_CHARACTERS + 20]!r} cannot be the name of a run; use {RUN_NAME_RULE}"
        )


def is_file_name(text: str) -> bool:
    """Return whether a text from an address can be the name of an existing run: one file name, not a path.

    Files that people copy into the library may have names that Reroll itself does not give (`check_run_name`).

    >>> is_file_name("my games"), is_file_name("../other"), is_file_name("/etc/passwd"), is_file_name("")
    (True, False, False, False)
    """
    is_short = len(text.encode(errors="surrogateescape")) <= MAX_FILE_NAME_BYTES
    return is_short and text.isprintable() and "/" not in text and text not in {"", ".", ".."}


def run_name_from_text(text: str, default: str = "run") -> str:
    """Return a text, such as a file name, as a name for a run; `default` if it contains no letter or digit.

    >>> run_name_from_text("my run (1).duckdb"), run_name_from_text("FIRST.DUCKDB"), run_name_from_text("..", "imported")
    ('my-run-1', 'FIRST', 'imported')
    """
    stem = text[: -len(RUN_SUFFIX)] if text.lower().endswith(RUN_SUFFIX) else text
    words = re.sub(r"[^A-Za-z0-9._-]+", "-", stem).strip("-._")
    return words[:_DERIVED_NAME_LENGTH].rstrip("-._") or default


def default_run_name(ruleset: str) -> str:
    """Return the name for a run without a given name: the ruleset (a name or a TOML file) and the time, UTC."""
    stem = run_name_from_text(ruleset.rsplit(os.sep, 1)[-1].removesuffix(".toml").lower())
    return f"{stem}-{datetime.now(tz=UTC):%Y%m%d-%H%M%S}"


def run_path(folder: Path, name: str) -> Path:
    """Return the path of the run file of this name."""
    return folder / f"{name}{RUN_SUFFIX}"


def unfinished_path(folder: Path, name: str) -> Path:
    """Return the path of the folder of the unfinished run of this name."""
    return folder / f"{name}{UNFINISHED_SUFFIX}"


def is_name_free(folder: Path, name: str) -> bool:
    """Return whether neither a run nor an unfinished run in the folder has this name."""
    paths = run_path(folder, name), unfinished_path(folder, name), duckdb_log_path(run_path(folder, name))
    return not any(path.exists() for path in paths)


def duckdb_log_path(file: Path) -> Path:
    """Return the path of the log in which DuckDB writes changes of a file before they are in the file.

    DuckDB would apply a log that another program has left to a new run of this name.
    """
    return file.with_name(f"{file.name}{DUCKDB_LOG_SUFFIX}")


def claim_free_name(name: str, claim: Callable[[str], Claimed | None]) -> Claimed:
    """Call `claim` with `name`, `wanted-2`, `wanted-3` and so on; return its first result that is not None.

    `claim` takes the name in one step, for example by creating a file, so that no other process can take it as well.

    >>> claim_free_name("run", lambda name: name if name not in {"run", "run-2"} else None)
    'run-3'
    """
    for number in count(1):
        ending = f"-{number}" if number > 1 else ""
        claimed = claim(name[: MAX_RUN_NAME_CHARACTERS - len(ending)] + ending if ending else name)
        if claimed is not None:
            return claimed
    raise AssertionError
