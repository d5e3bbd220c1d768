"""What the shell offers after Tab: names of runs, rulesets and games. Nothing is opened, and nothing ever fails."""

from typing import Any

import typer


def complete_runs(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the finished runs of the library."""
    return _complete_run_files(ctx, ".duckdb", incomplete)


def complete_unfinished_runs(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the unfinished runs of the library."""
    return _complete_run_files(ctx, ".partial", incomplete)


def _complete_run_files(ctx: typer.Context, suffix: str, incomplete: str) -> list[str]:
    folder = _open_library(ctx).runs_folder
    return sorted(path.stem for path in folder.glob(f"*{suffix}") if path.stem.startswith(incomplete))


def complete_rulesets(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the rulesets that can be played."""
    return [name for name in _open_library(ctx).catalogue.rulesets if name.startswith(incomplete)]


def complete_games(incomplete: str) -> list[str]:
    """Return the games."""
    from engine.games import game_names

    return [name for name in game_names() if name.startswith(incomplete)]


def _open_library(ctx: typer.Context) -> Any:  # noqa: ANN401 - a Library: its name would have to be loaded for the type
    from pipelines.runs.library import Library

    return Library(ctx.params.get("data") or None)
