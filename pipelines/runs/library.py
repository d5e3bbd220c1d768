"""The library: a folder of run files, the runs that are being made, and the rulesets beside them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine.catalogue import SHIPPED_RULESETS_FOLDER, Catalogue
from engine.game import GameError, InvalidError, unknown_name_error
from pipelines.runs.attach import connect_runs
from pipelines.runs.data_folder import data_folder
from pipelines.runs.run import GameSummary, RulesetSummary, Run, RunSummary, Seat
from pipelines.runs.unfinished_run import UNFINISHED_SUFFIX, UnfinishedRun

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pandas as pd
    import pyarrow as pa

    from pipelines.experiments.compare.comparison import Comparison

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

    def simulate(  # noqa: PLR0913 - what makes an experiment, all named
        self,
        ruleset: str,
        strategies: Sequence[str],
        *,
        games: int | None = None,
        blocks: int | None = None,
        seed: int = 0,
        log: str = "full",
        title: str | None = None,
        name: str | None = None,
        workers: int | None = 1,
    ) -> Run:
        """Play games and return their run, here under `name` or the next free one; say either games or blocks.

        One worker is this process: several are started anew, which a script has to allow for by `if __name__ == ...`.
        """
        from pipelines.design.design import design_simulation  # noqa: PLC0415 - only who plays loads the games
        from pipelines.simulate.simulate import simulate_run  # noqa: PLC0415

        if (games is None) == (blocks is None):
            raise InvalidError("say how much to play: either games=N or blocks=N")
        rules = self.catalogue.find_ruleset(ruleset)
        settled = design_simulation(
            rules, strategies, games_at_least=games, blocks=blocks, seed=seed, log=log, title=title
        )
        return simulate_run(settled, self._target_path(name or rules.name), workers=workers)

    def compare(  # noqa: PLR0913 - as above
        self,
        ruleset: str,
        *strategies: str,
        blocks: int = 1000,
        metric: str = "score",
        seed: int = 0,
        name: str | None = None,
        workers: int | None = 1,
    ) -> Comparison:
        """Compare strategies on the same luck in every seat; the games are kept as a run."""
        from pipelines.design.comparison import design_comparison  # noqa: PLC0415 - as above
        from pipelines.simulate.simulate import simulate_run  # noqa: PLC0415

        rules = self.catalogue.find_ruleset(ruleset)
        settled = design_comparison(rules, strategies, blocks=blocks, metric=metric, seed=seed)
        return simulate_run(
            settled, self._target_path(name or f"{rules.name}-compared"), workers=workers
        ).comparison()

    def import_games(self, *paths: str | Path, ruleset: str | None = None, name: str | None = None) -> Run:
        """Read games that were played elsewhere, checked by the rules, and return their run."""
        from pipelines.exchange.import_games import plan_import, play_import, run_name  # noqa: PLC0415 - as above

        files = [Path(path) for path in paths]
        return play_import(
            plan_import(files, self.catalogue, ruleset=ruleset), self._target_path(name or run_name(files[0]))
        )

    def _target_path(self, name: str) -> Path:
        return self.runs_folder / f"{name}.duckdb"

    def _repr_html_(self) -> str:
        from pipelines.notebook.html import library_html  # noqa: PLC0415 - only notebooks need it

        return library_html(self)

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
