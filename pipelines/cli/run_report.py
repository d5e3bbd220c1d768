"""A finished run on the command line: as JSON data, or as a few lines and a table of the results."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pipelines.cli.output import format_duration, print_json, print_table, print_text

if TYPE_CHECKING:
    from pipelines.runs.run import Run


def describe_run(run: "Run") -> dict[str, Any]:
    """Return name, path and summary of a run as JSON data."""
    return {"run": run.name, "path": str(run.path), **asdict(run.summary)}


def print_run(run: "Run", *, as_json: bool) -> None:
    """Print where a run is and its results."""
    if as_json:
        print_json(describe_run(run))
        return
    summary = run.summary
    speed = summary.games / max(summary.seconds, 1e-3)
    print_text(
        f"{run.name}: {summary.games} games in {format_duration(summary.seconds)} ({speed:.0f} per second), "
        f"seed {summary.seed}\n{run.path}"
    )
    print_results(run)


def print_results(run: "Run") -> None:
    """Print the results of every strategy as a table."""
    with run.connect() as connection:
        rows = connection.execute(
            "SELECT ruleset, strategy, count(*), avg(score), stddev_samp(score), min(score), max(score), "
            "avg(win_share) FROM seats JOIN games USING (game_id) GROUP BY ruleset, strategy ORDER BY 1, 8 DESC"
        ).fetchall()
    print_table(
        ("ruleset", "strategy", "seats", "mean score", "deviation", "lowest", "highest", "win share"),
        [
            (*row[:3], *(round(cell, 2) if cell is not None else None for cell in row[3:7]), round(row[7], 3))
            for row in rows
        ],
    )
