"""The library: a folder of run files, the runs that are being made, and the rulesets beside them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from engine.catalogue import SHIPPED, Catalogue
from engine.game import GameError, InvalidError, unknown
from pipelines.partial import SUFFIX, Partial
from pipelines.run import GameSummary, RulesetSummary, Run, Seat, Summary
from pipelines.union import connect

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "GameSummary",
    "Library",
    "Partial",
    "RulesetSummary",
    "Run",
    "Seat",
    "Summary",
    "connect",
    "data_folder",
]

_CHECKOUT: Final = Path(__file__).parent.parent


def data_folder(explicit: Path | None = None) -> Path:
    """Return the data folder: as said, else REROLL_DATA, else `data/` of the checkout, else the user's own."""
    if explicit is not None:
        return explicit.absolute()
    if named := os.environ.get("REROLL_DATA"):
        return Path(named).absolute()
    if (_CHECKOUT / "pyproject.toml").is_file():
        return _CHECKOUT / "data"
    import platformdirs  # noqa: PLC0415 - only an installed copy needs to ask

    return Path(platformdirs.user_data_dir("reroll", appauthor=False))


@dataclass(frozen=True)
class Library:
    """Everything in one data folder. Nothing is remembered between calls, so what is new is there at once."""

    folder: Path

    @property
    def runs_folder(self) -> Path:
        return self.folder / "runs"

    @property
    def ruleset_folders(self) -> tuple[Path, ...]:
        """Where rulesets are looked for: the user's own first, then those that come with the project."""
        own = self.folder / "rulesets"
        return (own, SHIPPED) if own.is_dir() and own.resolve() != SHIPPED.resolve() else (SHIPPED,)

    @property
    def catalogue(self) -> Catalogue:
        """The rulesets as they are on disk now."""
        return Catalogue(self.ruleset_folders)

    def runs(self) -> list[Run]:
        """Return all runs that can be read, newest first."""
        return self._sorted()[0]

    def broken(self) -> dict[Path, GameError]:
        """Return what is wrong with the files that are no runs and the folders that are no unfinished ones."""
        return {**self._sorted()[1], **self._unfinished()[1]}

    def _sorted(self) -> tuple[list[Run], dict[Path, GameError]]:
        runs: list[Run] = []
        broken: dict[Path, GameError] = {}
        for path in sorted(self.runs_folder.glob("*.duckdb")):
            run = Run(path)
            try:
                _ = run.summary
                runs.append(run)
            except GameError as error:
                if path.exists():  # else it was removed while we looked
                    broken[path] = error
        return sorted(runs, key=lambda run: run.summary.created_at, reverse=True), broken

    def partials(self) -> list[Partial]:
        """Return the unfinished runs, running or stopped, by name."""
        return self._unfinished()[0]

    def _unfinished(self) -> tuple[list[Partial], dict[Path, GameError]]:
        partials: list[Partial] = []
        broken: dict[Path, GameError] = {}
        for folder in sorted(self.runs_folder.glob(f"*{SUFFIX}")):
            partial = Partial(folder)
            try:
                _ = partial.design  # from now on it is known, even if the folder becomes a run meanwhile
                partials.append(partial)
            except GameError as error:
                if folder.exists():
                    broken[folder] = error
        return partials, broken

    def run(self, name: str | Path) -> Run:
        """Return the run of a name, or of a path to a file; raise InvalidError if there is none."""
        run = Run(self._place(str(name), ".duckdb", "run", (path.stem for path in self._run_files())))
        _ = run.summary
        return run

    def partial(self, name: str | Path) -> Partial:
        """Return the unfinished run of a name, or of a path to its folder; raise InvalidError if there is none."""
        names = (partial.name for partial in self.partials())
        partial = Partial(self._place(str(name).rstrip("/"), SUFFIX, "unfinished run", names))
        _ = partial.design
        return partial

    def _run_files(self) -> Iterable[Path]:
        return self.runs_folder.glob("*.duckdb")

    def _place(self, name: str, suffix: str, what: str, known: Iterable[str]) -> Path:
        """Find what has a name here, or is at a path."""
        here = self.runs_folder / f"{name}{suffix}"
        if os.sep not in name and here.exists():
            return here
        if os.sep in name or name.endswith(suffix):
            path = Path(name)
            inside = self.runs_folder / name
            if path.exists() or not inside.exists():
                if not path.exists():
                    raise InvalidError(f"{path}: no such {what}")
                return path
            return inside
        raise unknown(what, name, known)
