"""What can end a simulation or a verification early: PlayError, DiskError, RunStopped and VerificationFailed.

This module imports nothing heavy, so that a command can catch these errors without loading the simulation.
"""

from __future__ import annotations

import errno
import os
import re
from typing import TYPE_CHECKING, Final

from engine.errors import GameError

if TYPE_CHECKING:
    from pipelines.runs.unfinished_run import UnfinishedRun


_DISK_FAULTS: Final = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EIO, errno.EFBIG)


class PlayError(GameError):
    """A game could not be played to its end. The message names the game and the place in it."""

    partial: UnfinishedRun | None = None
    """The unfinished run, if its finished shards are on disk."""


class DiskError(GameError):
    """The games that were played could not be written to disk."""

    partial: UnfinishedRun | None
    """The unfinished run with its finished shards, if it can be resumed."""

    def __init__(self, partial: UnfinishedRun, error: Exception) -> None:
        super().__init__(f"{partial.folder}: {explain_disk_error(error)}")
        self.partial = partial if partial.can_be_resumed else None


def explain_disk_error(error: Exception) -> str:
    """Return in plain words why a file could not be written.

    DuckDB and Arrow wrap the words of the system into a sentence about their own files.

    >>> explain_disk_error(ValueError('IO Error: Could not write file "a/sealed.duckdb": No space left on device'))
    'No space left on device'
    >>> explain_disk_error(ValueError("Serialization Error: Failed to deserialize"))
    'Failed to deserialize'
    """
    line = (isinstance(error, OSError) and error.strerror) or str(error).splitlines()[0]
    words = next((words for number in _DISK_FAULTS if (words := os.strerror(number)) in line), None)
    return words or re.sub(r"^[\w ]+ Error: ", "", line)


class RunStopped(Exception):  # noqa: N818 - not an error: a person stopped the run
    """A person stopped the run. `partial` is the unfinished run with its finished shards."""

    def __init__(self, partial: UnfinishedRun) -> None:
        super().__init__(partial.name)
        self.partial = partial


class VerificationFailed(Exception):  # noqa: N818 - the result of a check, not an error of this code
    """A run file contradicts its design or the rules. The message names the first place."""
