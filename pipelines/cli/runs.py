"""The commands that list, show, query, verify and delete runs: ls, info, show, sql, verify, rm."""

import re
import sys
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from engine.errors import GameError, InvalidError
from pipelines.cli import completion
from pipelines.cli.options import (
    DataOption,
    JsonOption,
    QuietOption,
    RunArgument,
    WorkersOption,
    open_library,
)
from pipelines.cli.output import (
    format_bytes,
    format_duration,
    print_csv,
    print_json,
    print_table,
    print_text,
)
from pipelines.cli.progress import report_progress
from pipelines.cli.run_report import describe_run, find_any_run, print_results, query_results
from pipelines.runs.names import RUN_SUFFIX
from pipelines.simulate.errors import VerificationFailed

if TYPE_CHECKING:
    from pipelines.runs.library import Library
    from pipelines.runs.run import Run
    from pipelines.runs.unfinished_run import UnfinishedRun

MAX_QUERY_CHARACTERS = 1_000_000
"""Characters of a query on the standard input at most."""
EXPLAIN_COLUMNS = ("explain_key", "explain_value")
"""The columns that DuckDB gives to a plan, which is a drawing of several lines."""
_COMMENT_PATTERN = re.compile(r"--(?![a-z-]+=)[^\n]*\n|--\s")
PLY_COLUMNS = ("ply", "round", "seat", "notation", "options", "score")


def ls(*, data: DataOption = None, as_json: JsonOption = False) -> None:
    """List the runs of the library, newest first. Unfinished runs come last."""
    library = open_library(data)
    runs, unfinished = library.runs(), [_describe_unfinished_run(run) for run in library.unfinished_runs()]
    for error in library.broken_files().values():
        print_text(f"reroll: {error}", err=True)
    if as_json:
        print_json({"runs": [describe_run(run) for run in runs], "unfinished": unfinished})
        return
    if not runs and not unfinished:
        print_text(f"no runs in {library.runs_folder} yet; start with reroll simulate or reroll demo")
    if runs:
        print_table(
            ("run", "ruleset", "strategies", "games", "size", "created (UTC)"),
            [
                (
                    run.name,
                    ", ".join(ruleset.name for ruleset in run.summary.rulesets),
                    ", ".join(run.summary.strategies),
                    run.summary.games,
                    format_bytes(run.summary.bytes),
                    f"{run.summary.created_at:%Y-%m-%d %H:%M}",
                )
                for run in runs
            ],
        )
    for run in unfinished:
        print_text(f"{run['run']}: {_format_state(run)}")


def _format_state(run: dict[str, Any]) -> str:
    """Return the state of an unfinished run that `_describe_unfinished_run` describes."""
    left = "" if run["seconds_left"] is None else f", {format_duration(run['seconds_left'])} left"
    return f"{run['state']}, {run['games_done']} of {run['games']} games{left}"


def _describe_unfinished_run(partial: "UnfinishedRun") -> dict[str, Any]:
    return {
        "run": partial.name,
        "path": str(partial.folder),
        "state": "running" if partial.is_running else "stopped",
        "games_done": partial.games_done,
        "games": partial.games,
        "seconds_left": partial.seconds_left,
    }


def info(run: RunArgument, *, data: DataOption = None, as_json: JsonOption = False) -> None:
    """Describe a run, finished or not: rulesets and results."""
    from pipelines.runs.unfinished_run import UnfinishedRun

    stored = find_any_run(open_library(data), run)
    if isinstance(stored, UnfinishedRun):
        _print_unfinished_info(stored, as_json=as_json)
        return
    summary, results = stored.summary, query_results(stored)
    if as_json:
        print_json(describe_run(stored))
        return
    lines = [
        ("run", stored.name),
        ("title", summary.title),
        ("file", f"{stored.path} ({format_bytes(summary.bytes)})"),
        ("created", f"{summary.created_at:%Y-%m-%d %H:%M:%S} UTC in {format_duration(summary.seconds)}"),
        ("games", f"{summary.games}, seed {summary.seed}, log {summary.log}"),
        *(
            ("ruleset", f"{rules.name}: {rules.title} (sha256 {rules.sha256[:12]})")
            for rules in summary.rulesets
        ),
        ("command", summary.command),
    ]
    for key, value in lines:
        print_text(f"{key:<8} {value}")
    print_text()
    print_results(results)


def _print_unfinished_info(partial: "UnfinishedRun", *, as_json: bool) -> None:
    """Describe an unfinished run: its design, how far it is, and the results so far."""
    design, described = partial.design, _describe_unfinished_run(partial)
    results = query_results(partial) if partial.finished_shards else []
    if as_json:
        plan = {"title": design.title, "kind": design.kind, "seed": design.seed, "log": design.log}
        print_json({**described, **plan, "ruleset": design.rules.name, "strategies": list(design.lineup)})
        return
    lines = [
        ("run", partial.name),
        ("title", design.title),
        ("folder", str(partial.folder)),
        ("state", _format_state(described)),
        ("design", f"seed {design.seed}, log {design.log}"),
        ("ruleset", f"{design.rules.name}: {design.rules.title} (sha256 {design.rules.sha256[:12]})"),
        ("command", design.command),
    ]
    if not partial.is_running:
        lines.append(("resume", f"reroll resume {partial.name}"))
    for key, value in lines:
        print_text(f"{key:<8} {value}")
    if results:
        print_text()
        print_results(results)


def show(
    run: RunArgument,
    game: Annotated[int, typer.Argument(metavar="GAME", min=0, help="Number of the game.")],
    *,
    ply: Annotated[
        int | None,
        typer.Option(
            "--ply",
            metavar="K",
            min=-1,
            help="Draw the boards after this ply; -1 is the start; by default the end.",
        ),
    ] = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a game in notation, with the boards as text."""
    from engine import games
    from engine.play import replay_actions

    stored = open_library(data).run(run)
    summary, seats, actions = stored.game(game), stored.seats(game), stored.actions(game)
    if ply is not None and ply >= len(actions):
        raise InvalidError(f"game {game} has plies 0 to {len(actions) - 1}, not {ply}")
    ruleset = stored.ruleset(summary.ruleset)
    last = len(actions) - 1 if ply is None else ply
    *_, state = replay_actions(games.start_state(ruleset), actions[: last + 1])
    with stored.open_tables() as connection:
        plies = connection.execute(
            "SELECT ply, round, seat, notation, options, score FROM log WHERE game_id = ? ORDER BY ply",
            [game],
        ).fetchall()
    if as_json:
        print_json(
            {
                "run": stored.name,
                **asdict(summary),
                "seats": [asdict(seat) for seat in seats],
                "log": [dict(zip(PLY_COLUMNS, row, strict=True)) for row in plies],
                "shown_ply": last,
                "boards": str(state),
            }
        )
        return
    print_text(
        f"{stored.name}, game {game}: {ruleset.title}, block {summary.block}, rotation {summary.rotation}"
    )
    print_table(
        ("seat", "strategy", "score", "rank"),
        [(seat.seat, seat.strategy, seat.score, seat.rank) for seat in seats],
    )
    print_text()
    print_table(PLY_COLUMNS, [(*row[:2], "dice" if row[2] < 0 else row[2], *row[3:]) for row in plies])
    print_text(f"\nafter ply {last}:\n{state}")


class QueryCommand(TyperCommand):
    """A command whose argument may begin with a comment of SQL, `--`, which is not an option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - typer does not export the type
        """Put a space before a comment: SQL ignores it, and it does not look like an option."""
        words = [f" {word}" if _COMMENT_PATTERN.match(word) else word for word in args]
        return super().parse_args(ctx, words)


def sql(
    query: Annotated[
        str | None,
        typer.Argument(
            metavar="[QUERY]",
            help="One query in the SQL of DuckDB. Without it, or with -, it is read from stdin.",
        ),
    ] = None,
    *,
    run: Annotated[
        str | None, typer.Option("--run", metavar="RUN", help="Query only this run, not the whole library.")
    ] = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="Maximum number of rows.")] = 1000,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="S", min=0.1, help="Time limit in seconds.")
    ] = 30.0,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Query the runs in SQL. Every table has a first column `run`; the runs cannot be changed."""
    from pipelines.runs.query import answer_query

    text = _read_query() if query in {None, "-"} else query
    library = open_library(data)
    runs = library.runs() if run is None else [library.run(run)]
    broken = library.broken_files() if run is None else {}
    answer = answer_query(runs, text or "", rows=limit, seconds=timeout)
    unread = [str(error) for path, error in broken.items() if path.suffix == RUN_SUFFIX]
    for message in (*unread, *answer.left_out):
        print_text(f"reroll: {message}; the answer is that of the other runs", err=True)
    if as_json:
        print_json([dict(zip(answer.columns, row, strict=True)) for row in answer.rows])
    elif as_csv:
        print_csv(answer.columns, answer.rows)
    elif answer.columns == EXPLAIN_COLUMNS:
        for _, plan in answer.rows:
            print_text(plan)
    else:
        print_table(answer.columns, answer.rows)
    if answer.is_cut:
        print_text(f"showing the first {limit} rows; see --limit", err=True)


def _read_query() -> str:
    """Return the query on the standard input; raise InvalidError if there is none."""
    if sys.stdin.isatty():
        raise InvalidError('name a query, such as: reroll sql "FROM run"; or give one on the standard input')
    try:
        text = sys.stdin.read(MAX_QUERY_CHARACTERS + 1)
    except UnicodeDecodeError:
        raise InvalidError("the query on the standard input is not UTF-8 text") from None
    if not text.strip() or len(text) > MAX_QUERY_CHARACTERS:
        what = "has no query" if not text.strip() else f"is longer than {MAX_QUERY_CHARACTERS:,} characters"
        raise InvalidError(f"the standard input {what}")
    return text


def verify(
    runs: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN...", help="Names of runs, or run files.", autocompletion=completion.complete_runs
        ),
    ],
    *,
    games: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Replay only about N games, spread over the run."),
    ] = None,
    workers: WorkersOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Replay every logged game and compare every number. Exit code 1 if a number differs."""
    from pipelines.simulate.verify import verify_run

    library = open_library(data)
    faults: dict[str, str | None] = {}
    for run in [library.run(name) for name in runs]:
        try:
            with report_progress(run.name, quiet=quiet) as update_progress:
                verify_run(run, workers=workers, progress=update_progress, most=games)
            faults[run.name] = None
        except VerificationFailed as difference:
            faults[run.name] = str(difference)
        if not as_json:
            total = run.summary.games
            checked = f"all {total}" if games is None or games >= total else f"{games} of {total}"
            print_text(f"{run.name}: {faults[run.name] or f'{checked} games agree with the rules'}")
    if as_json:
        print_json([{"run": name, "ok": fault is None, "fault": fault} for name, fault in faults.items()])
    if any(faults.values()):
        raise typer.Exit(1)


def rm(
    runs: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN...",
            help="Names of runs, finished or not, or run files.",
            autocompletion=completion.complete_runs,
        ),
    ],
    *,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Delete without a question.")] = False,
    data: DataOption = None,
) -> None:
    """Delete runs, finished or not."""
    library = open_library(data)
    doomed = [_find_any_run(library, name) for name in runs]
    names = ", ".join(run.name for run in doomed)
    if not yes and not typer.confirm(f"Delete {names}?", err=True):
        print_text("nothing was deleted", err=True)
        raise typer.Exit(1)
    for run in doomed:
        run.remove()
        print_text(f"deleted {run.name}")


def _find_any_run(library: "Library", name: str) -> "Run | UnfinishedRun":
    """Return the unfinished run of a name, or else the finished one; raise InvalidError if there is neither."""
    with suppress(GameError):
        return library.unfinished_run(name)
    return library.run(name)
