"""The pinned baseline of a library: one strategy or one run that commands mark, and compare with."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from engine import games
from engine.errors import InvalidError, unknown_name_error
from engine.strategies import built_in_strategies, read_player
from pipelines.design.limits import MAX_STRATEGY_CHARACTERS, check_length
from pipelines.notes.sidecar import Sidecar

if TYPE_CHECKING:
    from pipelines.runs.run import Run


@dataclass(frozen=True)
class Baseline:
    """What is pinned."""

    kind: Literal["strategy", "run"]
    name: str
    """The full name of the strategy, or the name that the run had when it was pinned."""
    run_key: str | None = None
    """What identifies a run (`Run.key`); None for a strategy."""

    def find_run(self, runs: Iterable[Run]) -> Run | None:
        """Return the pinned run under the name that it has now; None if it is gone, and for a strategy.

        If the run was copied, the copy that has the pinned name counts, else any.
        """
        matching = [run for run in runs if self.run_key is not None and run.key == self.run_key]
        return next((run for run in matching if run.name == self.name), matching[0] if matching else None)


def strategy_baseline(name: str) -> Baseline:
    """Return a strategy as a baseline."""
    return Baseline("strategy", name)


def run_baseline(run: Run) -> Baseline:
    """Return a run as a baseline."""
    return Baseline("run", run.name, run.key)


def find_strategy_name(text: str, played: Collection[str]) -> str:
    """Return the full name of a strategy: one of those that have `played`, or a built-in strategy of any game.

    Raises InvalidError if no strategy has the name, and if the settings left out differ from game to game.
    """
    if text in played:
        return text
    known = {game.name: built_in_strategies(game) for game in games.registered_games()}
    names = {
        read_player(games.find_game(game), text).name: game
        for game, strategies in known.items()
        if text.partition(":")[0] in strategies
    }
    if len(names) > 1:
        listed = ", ".join(f"{name} ({game})" for name, game in names.items())
        raise InvalidError(f"{text!r} has other settings in each game; name all of them: {listed}")
    if not names:
        raise unknown_name_error(
            "strategy", text, {*played, *(name for strategies in known.values() for name in strategies)}
        )
    return next(iter(names))


class BaselineStore:
    """The baseline of one library, in the same file as its notes."""

    def __init__(self, folder: Path) -> None:
        """Use the file of a data folder. The first change makes it."""
        self._file = Sidecar(folder)

    def read_baseline(self) -> Baseline | None:
        """Return what is pinned now."""
        with self._file.reading() as connection:
            row = connection.execute("SELECT kind, name, run_key FROM baseline").fetchone()
        return Baseline(*row) if row else None

    def pin(self, baseline: Baseline) -> None:
        """Pin a strategy or a run in place of what is pinned now. Raises InvalidError if its name is empty or too long."""
        if not baseline.name.strip():
            raise InvalidError("a baseline has a name")
        check_length(baseline.name, MAX_STRATEGY_CHARACTERS, "the name of the baseline")
        with self._file.writing() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO baseline VALUES (1, ?, ?, ?)",
                [baseline.kind, baseline.name, baseline.run_key],
            )

    def unpin(self) -> None:
        """Pin nothing."""
        if not self._file.path.exists():
            return
        with self._file.writing() as connection:
            connection.execute("DELETE FROM baseline")
