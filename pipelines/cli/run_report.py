"""A finished run on the command line: as JSON data, or as a few lines and a table of the results."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pipelines.cli.output import print_json, print_report_table, print_text
from pipelines.report.wording import format_count, format_duration
from pipelines.runs.names import UNFINISHED_SUFFIX

if TYPE_CHECKING:
    from pipelines.report.table import Table
    from pipelines.runs.library import Library
    from pipelines.runs.run import Run
    from pipelines.runs.unfinished_run import UnfinishedRun


def find_any_run(library: "Library", name: str) -> "Run | UnfinishedRun":
    """Return the run of a name or path, or else the unfinished run; raise InvalidError if there is neither."""
    if name.rstrip("/").endswith(UNFINISHED_SUFFIX) or library.has_unfinished_run(name):
        return library.unfinished_run(name)
    return library.run(name)


def describe_run(run: "Run") -> dict[str, Any]:
    """Return name, path and summary of a run as JSON data."""
    document = asdict(run.summary)
    del document["played"]
    more = {"lineup": str(run.summary.lineup), "blocks": run.summary.played.blocks}
    return {"run": run.name, "path": str(run.path), **document, **more}


def print_run(run: "Run", *, as_json: bool) -> None:
    """Print where a run is and its results."""
    if as_json:
        print_json(describe_run(run))
        return
    results = tabulate_run(run)
    summary = run.summary
    speed = summary.games / max(summary.seconds, 1e-3)
    print_text(
        f"{run.name}: {format_count(summary.games, 'game')} in {format_duration(summary.seconds)} ({speed:.0f} per second), "
        f"seed {summary.seed}\n{run.path}"
    )
    print_report_table(results)


def tabulate_run(run: "Run | UnfinishedRun") -> "Table":
    """Return the results of every strategy; raise InvalidError if the file is damaged."""
    from pipelines.questions.scores.distributions import answer_run, read_results_so_far
    from pipelines.report.score_tables import tabulate_results_so_far, tabulate_strategy_results
    from pipelines.runs.unfinished_run import UnfinishedRun

    if isinstance(run, UnfinishedRun):
        with run.open_tables() as connection:
            return tabulate_results_so_far(read_results_so_far(connection))
    return tabulate_strategy_results(answer_run(run))
