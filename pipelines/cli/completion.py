"""What the shell completes after Tab: names of runs, rulesets and games. No run file is opened."""

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from pipelines.runs.library import Library


def complete_runs(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the names of finished runs that begin with `incomplete`."""
    return _complete_run_files(ctx, ".duckdb", incomplete)


def complete_unfinished_runs(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the names of unfinished runs that begin with `incomplete`."""
    return _complete_run_files(ctx, ".partial", incomplete)


def _complete_run_files(ctx: typer.Context, suffix: str, incomplete: str) -> list[str]:
    folder = _open_library(ctx).runs_folder
    return sorted(path.stem for path in folder.glob(f"*{suffix}") if path.stem.startswith(incomplete))


def complete_rulesets(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the names of rulesets that begin with `incomplete`."""
    return [name for name in _open_library(ctx).catalogue.rulesets if name.startswith(incomplete)]


def complete_games(incomplete: str) -> list[str]:
    """Return the names of games that begin with `incomplete`."""
    from engine.games import game_names

    return [name for name in game_names() if name.startswith(incomplete)]


def _open_library(ctx: typer.Context) -> "Library":
    from pipelines.runs.library import Library

    return Library(ctx.params.get("data") or None)
