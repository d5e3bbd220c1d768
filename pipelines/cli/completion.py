"""What the shell completes after Tab: names of runs, rulesets, strategies and so on. No run file is opened."""

from contextlib import suppress
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


def complete_strategies(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the names of built-in strategies that continue `incomplete`, the beginning of one name.

    They are those of the game of the ruleset, if the command line names one, and else those of all games.
    """
    from engine import games
    from engine.errors import GameError
    from engine.strategies import built_in_strategies

    names = games.game_names()
    # While an option still lacks its value, the arguments before it are not assigned to parameters.
    ruleset = ctx.params.get("ruleset") or next(iter(ctx.args), None)
    if ruleset:
        with suppress(GameError, OSError):  # the command itself says what is wrong with the ruleset
            names = (_open_library(ctx).catalogue.find_ruleset(ruleset).game,)
    known = {strategy for name in names for strategy in built_in_strategies(games.find_game(name))}
    return sorted(strategy for strategy in known if strategy.startswith(incomplete))


def complete_lineup(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return what continues strategies that are separated by commas; only the last one is completed."""
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in complete_strategies(ctx, last)]


def complete_formats(incomplete: str) -> list[str]:
    """Return the formats of exports that begin with `incomplete`."""
    from engine.games import game_names
    from pipelines.exchange import game_formats
    from pipelines.exchange.game_files import HTML_SUFFIX
    from pipelines.exchange.run_files import CRATE_FORMAT, TABLE_FORMATS

    known = {
        HTML_SUFFIX,
        CRATE_FORMAT,
        *TABLE_FORMATS,
        *(suffix for name in game_names() for suffix in game_formats(name)),
    }
    return sorted(suffix for suffix in known if suffix.startswith(incomplete))


def complete_questions(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the titles of the kept questions in SQL that begin with `incomplete`."""
    from pipelines.notes.store import NoteStore, list_questions
    from pipelines.questions.sql import SqlQuestion

    questions = list_questions(NoteStore(_open_library(ctx).folder), SqlQuestion.page)
    return sorted(note.title for note in questions if note.title.startswith(incomplete))


def _open_library(ctx: typer.Context) -> "Library":
    from pipelines.runs.library import Library

    return Library(ctx.params.get("data") or None)
