"""The library: a folder of run files, the runs that are being made, and the rulesets beside them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine.catalogue import SHIPPED_RULESETS_FOLDER, Catalogue
from engine.errors import GameError, InvalidError, unknown_name_error
from pipelines.runs.attach import connect_runs
from pipelines.runs.data_folder import data_folder
from pipelines.runs.names import UNFINISHED_SUFFIX
from pipelines.runs.run import Run
from pipelines.runs.summary import GameSummary, RulesetSummary, RunSummary, Seat
from pipelines.runs.unfinished_run import UnfinishedRun

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd
    import pyarrow as pa

__all__ = [
    "GameSummary",
    "Library",
    "RulesetSummary",
    "Run",
    "RunSummary",
    "Seat",
    "UnfinishedRun",
    "connect_runs",
]


@dataclass(frozen=True, init=False)
class Library:
    """Everything in one data folder. Nothing is remembered between calls, so what is new is there at once."""

    folder: Path

    def __init__(self, folder: str | Path | None = None) -> None:
        """Take the data folder of that name (`~` is yours); if none is said, the one that `reroll` itself uses."""
        named = None if folder is None else Path(folder).expanduser()
        object.__setattr__(self, "folder", data_folder(named))

    @property
    def runs_folder(self) -> Path:
        return self.folder / "runs"

    @property
    def ruleset_folders(self) -> tuple[Path, ...]:
        """Where rulesets are looked for: the user's own first, then those that come with the project."""
        own = self.folder / "rulesets"
        return (
            (own, SHIPPED_RULESETS_FOLDER)
            if own.is_dir() and own.resolve() != SHIPPED_RULESETS_FOLDER.resolve()
            else (SHIPPED_RULESETS_FOLDER,)
        )

    @property
    def catalogue(self) -> Catalogue:
        """The rulesets as they are on disk now."""
        return Catalogue(self.ruleset_folders)

    def runs(self) -> list[Run]:
        """Return all runs that can be read, newest first."""
        return self._scan_runs()[0]

    def broken_files(self) -> dict[Path, GameError]:
        """Return what is wrong with the files that are no runs and the folders that are no unfinished ones."""
        return {**self._scan_runs()[1], **self._scan_unfinished_runs()[1]}

    def _scan_runs(self) -> tuple[list[Run], dict[Path, GameError]]:
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

    def unfinished_runs(self) -> list[UnfinishedRun]:
        """Return the unfinished runs, running or stopped, by name."""
        return self._scan_unfinished_runs()[0]

    def _scan_unfinished_runs(self) -> tuple[list[UnfinishedRun], dict[Path, GameError]]:
        partials: list[UnfinishedRun] = []
        broken: dict[Path, GameError] = {}
        for folder in sorted(self.runs_folder.glob(f"*{UNFINISHED_SUFFIX}")):
            partial = UnfinishedRun(folder)
            try:
                _ = partial.design  # from now on it is known, even if the folder becomes a run meanwhile
                partials.append(partial)
            except GameError as error:
                if folder.exists():
                    broken[folder] = error
        return partials, broken

    def run(self, name: str | Path) -> Run:
        """Return the run of a name, or of a path to a file; raise InvalidError if there is none."""
        run = Run(self._find_path(str(name), ".duckdb", "run", (path.stem for path in self._run_files())))
        _ = run.summary
        return run

    def unfinished_run(self, name: str | Path) -> UnfinishedRun:
        """Return the unfinished run of a name, or of a path to its folder; raise InvalidError if there is none."""
        names = (partial.name for partial in self.unfinished_runs())
        partial = UnfinishedRun(
            self._find_path(str(name).rstrip("/"), UNFINISHED_SUFFIX, "unfinished run", names)
        )
        _ = partial.design
        return partial

    def __getitem__(self, name: str | Path) -> Run:
        """Return the run of a name; raise InvalidError with the nearest names if there is none."""
        return self.run(name)

    def arrow(self, what: str) -> pa.Table:
        """Return a table over all runs, with a first column `run`, or the answer to a query over them."""
        from pipelines.runs.tables import query_arrow  # noqa: PLC0415 - only who asks for it loads Arrow

        return query_arrow(connect_runs(self.runs()), what)

    def pandas(self, what: str) -> pd.DataFrame:
        """Return the same as a frame."""
        from pipelines.runs.tables import query_pandas  # noqa: PLC0415 - as above

        return query_pandas(connect_runs(self.runs()), what)

    def _run_files(self) -> Iterable[Path]:
        return self.runs_folder.glob("*.duckdb")

    def _find_path(self, name: str, suffix: str, what: str, known: Iterable[str]) -> Path:
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
        raise unknown_name_error(what, name, known)
