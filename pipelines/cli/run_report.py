"""A finished run on the command line: as JSON data, or as a few lines and a table of the results."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pipelines.cli.output import print_json, print_table, print_text
from pipelines.report.wording import format_duration
from pipelines.runs.names import UNFINISHED_SUFFIX, run_path, unfinished_path

if TYPE_CHECKING:
    from pipelines.runs.library import Library
    from pipelines.runs.run import Run
    from pipelines.runs.unfinished_run import UnfinishedRun


def find_any_run(library: "Library", name: str) -> "Run | UnfinishedRun":
    """Return the run of a name or path, or else the unfinished run; raise InvalidError if there is neither."""
    folder = library.runs_folder
    if name.rstrip("/").endswith(UNFINISHED_SUFFIX) or (
        unfinished_path(folder, name).exists() and not run_path(folder, name).exists()
    ):
        return library.unfinished_run(name)
    return library.run(name)


def describe_run(run: "Run") -> dict[str, Any]:
    """Return name, path and summary of a run as JSON data."""
    return {"run": run.name, "path": str(run.path), **asdict(run.summary)}


def print_run(run: "Run", *, as_json: bool) -> None:
    """Print where a run is and its results."""
    if as_json:
        print_json(describe_run(run))
        return
    results = query_results(run)
    summary = run.summary
    speed = summary.games / max(summary.seconds, 1e-3)
    print_text(
        f"{run.name}: {summary.games} games in {format_duration(summary.seconds)} ({speed:.0f} per second), "
        f"seed {summary.seed}\n{run.path}"
    )
    print_results(results)


def query_results(run: "Run | UnfinishedRun") -> list[tuple[Any, ...]]:
    """Return the results of every strategy, for `print_results`; raise InvalidError if the file is damaged."""
    with run.open_tables() as connection:
        return connection.execute(
            "SELECT ruleset, strategy, count(*), avg(score), stddev_samp(score), min(score), max(score), "
            "avg(win_share) FROM seats JOIN games USING (game_id) GROUP BY ruleset, strategy ORDER BY 1, 8 DESC"
        ).fetchall()


def print_results(rows: list[tuple[Any, ...]]) -> None:
    """Print the results of every strategy as a table."""
    print_table(
        ("ruleset", "strategy", "seats", "mean score", "deviation", "lowest", "highest", "win share"),
        [
            (*row[:3], *(round(cell, 2) if cell is not None else None for cell in row[3:7]), round(row[7], 3))
            for row in rows
        ],
    )
