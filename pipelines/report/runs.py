"""Runs and single games in words and tables: how a run was made, the runs of a library, the players and moves of a game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pipelines.design.short_names import shorten_names
from pipelines.report.sheet import Fact
from pipelines.report.table import Cell, Table, make_table
from pipelines.report.wording import format_bytes
from pipelines.runs.versions import STRATEGIES_KEY

if TYPE_CHECKING:
    from pipelines.runs.game_queries import LoggedPly
    from pipelines.runs.run import Run
    from pipelines.runs.summary import Seat


def list_run_facts(run: Run, game: int | None = None) -> tuple[Fact, ...]:
    """Return how a run was made, and which of its games an answer is about, if it is about one."""
    summary, versions = run.summary, run.versions
    made_with = ", ".join(
        f"{name} {versions[key]}"
        for key, name in (
            ("reroll", "Reroll"),
            ("rules", "rules"),
            ("python", "Python"),
            ("duckdb", "DuckDB"),
        )
        if key in versions
    )
    strategies = versions.get(STRATEGIES_KEY)
    if isinstance(strategies, dict) and strategies:
        made_with += "; versions of the strategies: "
        made_with += ", ".join(f"{name} {version}" for name, version in strategies.items())
    return (
        Fact("Run", run.name),
        Fact("Made", f"{summary.created_at:%d %B %Y}"),
        *(Fact("Ruleset", f"{ruleset.name}, SHA-256 {ruleset.sha256}") for ruleset in summary.rulesets),
        Fact("Seed", str(summary.seed)),
        Fact("Made with", made_with),
        *([] if game is None else [Fact("Game", str(game + 1))]),
    )


def tabulate_runs(runs: Sequence[Run], pinned: Run | None = None) -> Table:
    """Return a row for each run, with a mark at the `pinned` one."""
    rows: list[dict[str, Cell]] = [
        {
            "run": run.name,
            "ruleset": ", ".join(ruleset.name for ruleset in run.summary.rulesets),
            "line-up": shorten_names(str(run.summary.lineup), run.summary.strategies),
            "games": run.summary.games,
            "size": format_bytes(run.summary.bytes),
            "created (UTC)": f"{run.summary.created_at:%Y-%m-%d %H:%M}",
            **({"pinned": "baseline" if run == pinned else ""} if pinned in runs else {}),
        }
        for run in runs
    ]
    return make_table("Runs", rows, optional=("size", "line-up", "created (UTC)", "ruleset"))


def tabulate_seats(seats: Sequence[Seat]) -> Table:
    """Return a row for each player of a game."""
    return Table(
        "Players",
        ("player", "strategy", "score", "rank"),
        tuple((seat.seat + 1, seat.strategy, seat.score, seat.rank) for seat in seats),
    )


def tabulate_plies(plies: Sequence[LoggedPly]) -> Table:
    """Return a row for each move of a game and for each roll of its dice."""
    rows = tuple(
        (ply + 1, round_ + 1, "dice" if seat < 0 else seat + 1, *others)
        for ply, round_, seat, *others in plies
    )
    return Table("Moves", ("move", "round", "player", "notation", "options", "score"), rows)
