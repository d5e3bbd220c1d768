"""What can end a simulation or a verification early: PlayError, DiskError, RunStopped and VerificationFailed.

This module imports nothing heavy, so that a command can catch these errors without loading the simulation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.errors import GameError

if TYPE_CHECKING:
    from pipelines.runs.unfinished_run import UnfinishedRun


class PlayError(GameError):
    """A game could not be played to its end. The message names the game and the place in it."""

    partial: UnfinishedRun | None = None
    """The unfinished run, if its finished shards are on disk."""


class DiskError(GameError):
    """The games that were played could not be written to disk."""

    partial: UnfinishedRun | None
    """The unfinished run with its finished shards, if it can be resumed."""

    def __init__(self, partial: UnfinishedRun, error: Exception) -> None:
        why = (error.strerror if isinstance(error, OSError) else None) or str(error).splitlines()[0]
        super().__init__(f"{partial.folder}: {why}")
        self.partial = partial if partial.can_be_resumed else None


class RunStopped(Exception):  # noqa: N818 - not an error: a person stopped the run
    """A person stopped the run. `partial` is the unfinished run with its finished shards."""

    def __init__(self, partial: UnfinishedRun) -> None:
        super().__init__(partial.name)
        self.partial = partial


class VerificationFailed(Exception):  # noqa: N818 - the result of a check, not an error of this code
    """A run file contradicts its design or the rules. The message names the first place."""
