"""A finished run on the command line: as JSON data, or as a few lines and a table of the results."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pipelines.cli.output import print_json, print_table, print_text
from pipelines.report.wording import format_count, format_duration
from pipelines.runs.names import UNFINISHED_SUFFIX

if TYPE_CHECKING:
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
    results = query_results(run)
    summary = run.summary
    speed = summary.games / max(summary.seconds, 1e-3)
    print_text(
        f"{run.name}: {format_count(summary.games, 'game')} in {format_duration(summary.seconds)} ({speed:.0f} per second), "
        f"seed {summary.seed}\n{run.path}"
    )
    print_results(results)


def query_results(run: "Run | UnfinishedRun") -> list[tuple[Any, ...]]:
    """Return the results of every strategy, for `print_results`; raise InvalidError if the file is damaged."""
    from pipelines.questions.scores.run_results import answer_run, read_results_so_far
    from pipelines.report.estimates import format_interval
    from pipelines.runs.unfinished_run import UnfinishedRun

    if isinstance(run, UnfinishedRun):
        with run.open_tables() as connection:
            return [one._replace(mean=round(one.mean, 2)) for one in read_results_so_far(connection)]
    return [
        (
            group.ruleset,
            group.strategy,
            group.scores.n,
            format_interval(group.mean.interval) if group.mean.interval else round(group.scores.mean, 2),
            group.scores.sd if group.scores.n > 1 else None,
            group.scores.quantile(0),
            group.scores.quantile(1),
            win_share,
        )
        for group, win_share, _ in answer_run(run)
    ]


def print_results(rows: list[tuple[Any, ...]]) -> None:
    """Print the results of every strategy as a table. Means of finished runs have their 95 % intervals over blocks."""
    print_table(
        ("ruleset", "strategy", "seats", "mean score", "deviation", "lowest", "highest", "win share"),
        [(*row[:4], row[4] and round(row[4], 2), *row[5:7], round(row[7], 3)) for row in rows],
    )
