"""The commands that look at runs: ls, info, show, sql."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pipelines.cli import completion
from pipelines.cli.output import (
    DataOption,
    JsonOption,
    describe_run,
    format_bytes,
    format_duration,
    open_library,
    print_csv,
    print_json,
    print_table,
    print_text,
)

if TYPE_CHECKING:
    from pipelines.runs.library import UnfinishedRun

RunArgument = Annotated[
    str,
    typer.Argument(
        metavar="RUN",
        help="Name of a run in the library, or a file.",
        autocompletion=completion.complete_runs,
    ),
]


def ls(*, data: DataOption = None, as_json: JsonOption = False) -> None:
    """List the runs of the library, newest first. Those that are not finished come last."""
    place = open_library(data)
    runs, partials = place.runs(), place.unfinished_runs()
    for error in place.broken_files().values():
        print_text(f"reroll: {error}", err=True)
    if as_json:
        print_json(
            {
                "runs": [describe_run(run) for run in runs],
                "unfinished": [_describe_unfinished_run(partial) for partial in partials],
            }
        )
        return
    if not runs and not partials:
        print_text(
            f"no runs in {place.runs_folder} yet; make one with reroll simulate, or some with reroll demo"
        )
    if runs:
        print_table(
            ("run", "ruleset", "strategies", "games", "size", "made (UTC)"),
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
    for partial in partials:
        told = _describe_unfinished_run(partial)
        left = "" if told["seconds_left"] is None else f", {format_duration(told['seconds_left'])} left"
        print_text(f"{partial.name}: {told['state']}, {told['games_done']} of {told['games']} games{left}")


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
    """Tell what a run is: what was played, by whom, how it ended."""
    from pipelines.cli.simulate import print_results

    found = open_library(data).run(run)
    summary = found.summary
    if as_json:
        print_json(describe_run(found))
        return
    lines = [
        ("run", found.name),
        ("title", summary.title),
        ("file", f"{found.path} ({format_bytes(summary.bytes)})"),
        ("made", f"{summary.created_at:%Y-%m-%d %H:%M:%S} UTC in {format_duration(summary.seconds)}"),
        ("games", f"{summary.games}, seed {summary.seed}, log {summary.log}"),
        *(
            ("ruleset", f"{rules.name}: {rules.title} (sha256 {rules.sha256[:12]})")
            for rules in summary.rulesets
        ),
        ("again", summary.command),
    ]
    for key, value in lines:
        print_text(f"{key:<8} {value}")
    print_text()
    print_results(found)


def show(
    run: RunArgument,
    game: Annotated[int, typer.Argument(metavar="GAME", min=0, help="Number of the game.")],
    *,
    ply: Annotated[
        int | None,
        typer.Option(
            "--ply", metavar="K", min=-1, help="Boards after this ply (-1: the start), not at the end."
        ),
    ] = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a game in notation, with the boards as text."""
    from engine import games
    from engine.errors import InvalidError
    from engine.play import replay_actions

    found = open_library(data).run(run)
    place, seats, actions = found.game(game), found.seats(game), found.actions(game)
    if ply is not None and ply >= len(actions):
        raise InvalidError(f"game {game} has plies 0 to {len(actions) - 1}, not {ply}")
    ruleset = found.ruleset(place.ruleset)
    last = len(actions) - 1 if ply is None else ply
    *_, state = replay_actions(games.start_state(ruleset), actions[: last + 1])
    columns = ("ply", "round", "seat", "notation", "options", "score")
    with found.connect() as connection:
        plies = connection.execute(
            "SELECT ply, round, seat, notation, options, score FROM log WHERE game_id = ? ORDER BY ply",
            [game],
        ).fetchall()
    if as_json:
        print_json(
            {
                "run": found.name,
                **asdict(place),
                "seats": [asdict(seat) for seat in seats],
                "log": [dict(zip(columns, row, strict=True)) for row in plies],
                "shown_ply": last,
                "boards": str(state),
            }
        )
        return
    print_text(f"{found.name}, game {game}: {ruleset.title}, block {place.block}, rotation {place.rotation}")
    print_table(
        ("seat", "strategy", "score", "rank"),
        [(seat.seat, seat.strategy, seat.score, seat.rank) for seat in seats],
    )
    print_text()
    print_table(columns, [(*row[:2], "dice" if row[2] < 0 else row[2], *row[3:]) for row in plies])
    print_text(f"\nafter ply {last}:\n{state}")


def sql(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="One query in the SQL of DuckDB.")],
    *,
    run: Annotated[
        str | None, typer.Option("--run", metavar="RUN", help="Only this run, not the whole library.")
    ] = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="Answer in CSV.")] = False,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="Rows at most.")] = 1000,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="S", min=0.1, help="Seconds at most.")
    ] = 30.0,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Ask the runs in SQL. Every table has a first column `run`; runs are never changed."""
    from pipelines.runs.query import answer_query

    place = open_library(data)
    runs = place.runs() if run is None else [place.run(run)]
    found = answer_query(runs, query, rows=limit, seconds=timeout)
    if as_json:
        print_json([dict(zip(found.columns, row, strict=True)) for row in found.rows])
    elif as_csv:
        print_csv(found.columns, found.rows)
    else:
        print_table(found.columns, found.rows)
    if found.is_cut:
        print_text(f"there are more than these {limit} rows; see --limit", err=True)
