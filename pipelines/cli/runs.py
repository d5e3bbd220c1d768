"""The commands that list, show and delete runs: ls, info, show, rm."""

import shlex
import sys
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.errors import GameError, InvalidError
from pipelines.cli import completion, options
from pipelines.cli.output import (
    describe_run,
    find_any_run,
    print_json,
    print_paragraph,
    print_report_table,
    print_text,
    tabulate_run,
)
from pipelines.cli.progress import read_new_runs
from pipelines.report.wording import format_bytes, format_count, format_duration

if TYPE_CHECKING:
    from pipelines.notes.baseline import Baseline
    from pipelines.report.table import Table
    from pipelines.runs.library import Library
    from pipelines.runs.run import Run
    from pipelines.runs.unfinished_run import UnfinishedRun


def ls(*, data: options.DataOption = None, as_json: options.JsonOption = False) -> None:
    """List the runs of the library, newest first. Unfinished runs come last.

    The pinned run (`reroll baseline`) is marked.
    """
    from pipelines.report.runs import tabulate_runs

    library = options.open_library(data)
    read_new_runs(library)
    baseline = _read_baseline(library)
    runs, unfinished = library.runs(), [_describe_unfinished_run(run) for run in library.unfinished_runs()]
    pinned = baseline.find_run(runs) if baseline else None
    for error in library.broken_files().values():
        print_text(f"reroll: {error}", err=True)
    if as_json:
        described = [{**describe_run(run), "baseline": run == pinned} for run in runs]
        print_json({"runs": described, "unfinished": unfinished})
        return
    if not runs and not unfinished:
        _print_why_empty(library)
    if runs:
        print_report_table(tabulate_runs(runs, pinned))
    for run in unfinished:
        print_text(f"{run['run']}: {_format_state(run)}")


def _print_why_empty(library: "Library") -> None:
    """Say that there are no runs yet; nothing if there are files that cannot be read, which other lines name."""
    if not library.folder.exists():
        print_text(f"{library.folder} does not exist yet; start with reroll simulate or reroll demo")
    elif not library.broken_files():
        print_text(f"no runs in {library.runs_folder} yet; start with reroll simulate or reroll demo")


def _read_baseline(library: "Library") -> "Baseline | None":
    """Return what is pinned; nothing, with a line that says why, if the file of the notes cannot be read."""
    from pipelines.notes.baseline import BaselineStore

    try:
        return BaselineStore(library.folder).read_baseline()
    except InvalidError as error:
        print_text(f"reroll: {error}; no run is marked as pinned", err=True)
        return None


def _format_state(run: dict[str, Any]) -> str:
    """Return the state of an unfinished run that `_describe_unfinished_run` describes."""
    left = "" if run["seconds_left"] is None else f", {format_duration(run['seconds_left'])} left"
    return f"{run['state']}, {run['games_done']} of {format_count(run['games'], 'game')}{left}"


def _describe_unfinished_run(partial: "UnfinishedRun") -> dict[str, Any]:
    return {
        "run": partial.name,
        "path": str(partial.folder),
        "state": "running" if partial.is_running else "stopped",
        "games_done": partial.games_done,
        "games": partial.games,
        "seconds_left": partial.seconds_left,
    }


def info(
    run: options.RunArgument, *, data: options.DataOption = None, as_json: options.JsonOption = False
) -> None:
    """Describe a run, finished or not: rulesets and results."""
    from pipelines.runs.unfinished_run import UnfinishedRun

    stored = find_any_run(options.open_library(data), run)
    if isinstance(stored, UnfinishedRun):
        _print_unfinished_info(stored, as_json=as_json)
        return
    summary, results = stored.summary, tabulate_run(stored)
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
        *(("program", f"{strategy}: {program}") for strategy, program in stored.programs.items()),
        ("command", summary.command),
    ]
    _print_info(lines, results)


def _print_unfinished_info(partial: "UnfinishedRun", *, as_json: bool) -> None:
    """Describe an unfinished run: its design, how far it is, and the results so far."""
    design, described = partial.design, _describe_unfinished_run(partial)
    results = tabulate_run(partial) if partial.finished_shards else None
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
        lines.append(("go on", partial.describe_ways_on()))
    _print_info(lines, results)


def _print_info(lines: list[tuple[str, str]], results: "Table | None") -> None:
    for key, value in lines:
        if key in {"file", "folder", "command", "resume"}:  # people copy them
            print_text(f"{key:<8} {value}")
        else:
            print_paragraph(f"{key:<8} {value}", indent=9)
    if results:
        print_text()
        print_report_table(results)


def show(
    run: options.RunArgument,
    *,
    game: options.GameOption,
    move: Annotated[
        int | None,
        typer.Option(
            "--move",
            metavar="K",
            min=0,
            help="Draw the boards after this move; 0 is the start; by default the end.",
        ),
    ] = None,
    data: options.DataOption = None,
    as_json: options.JsonOption = False,
) -> None:
    """Show a game in notation, with the boards as text."""
    from engine import games
    from engine.play import replay_actions
    from pipelines.report.runs import tabulate_plies, tabulate_seats
    from pipelines.runs.game_queries import read_log

    stored = options.open_library(data).run(run)
    game_id = game - 1
    summary, seats, actions = stored.game(game_id), stored.list_seats(game_id), stored.actions(game_id)
    if move is not None and move > len(actions):
        raise InvalidError(f"game {game} has moves 1 to {len(actions)}, not {move}")
    ruleset = stored.ruleset(summary.ruleset)
    plies_shown = len(actions) if move is None else move
    *_, state = replay_actions(games.start_state(ruleset), actions[:plies_shown])
    with stored.open_tables() as connection:
        plies = read_log(connection, game_id)
    if as_json:
        print_json(
            {
                "run": stored.name,
                **asdict(summary),
                "seats": [asdict(seat) for seat in seats],
                "log": [ply._asdict() for ply in plies],
                "shown_ply": plies_shown - 1,
                "boards": str(state),
            }
        )
        return
    print_text(
        f"{stored.name}, game {game}: {ruleset.title}, block {summary.block + 1}, rotation {summary.rotation + 1}"
    )
    print_report_table(tabulate_seats(seats))
    print_text()
    print_report_table(tabulate_plies(plies))
    print_text(f"\nafter move {plies_shown}:\n{state}" if plies_shown else f"\nthe start:\n{state}")


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
    data: options.DataOption = None,
) -> None:
    """Delete runs, finished or not."""
    library = options.open_library(data)
    doomed = [_find_any_run(library, name) for name in runs]
    names = ", ".join(run.name for run in doomed)
    if not yes and not _confirm(f"Delete {names}?", " ".join(map(shlex.quote, runs))):
        print_text("nothing was deleted", err=True)
        raise typer.Exit(1)
    for run in doomed:
        run.remove()
        print_text(f"deleted {run.name}")


def _confirm(question: str, runs: str) -> bool:
    """Ask a question; raise InvalidError, which names the option --yes, if there is no terminal and no answer."""
    try:
        return typer.confirm(question, err=True)
    except typer.Abort:
        if sys.stdin.isatty():  # Ctrl-D
            raise
        print_text(err=True)
        raise InvalidError(
            f"nothing was deleted, because there was no answer; to delete without a question: reroll rm {runs} --yes"
        ) from None


def _find_any_run(library: "Library", name: str) -> "Run | UnfinishedRun":
    """Return the unfinished run of a name, or else the finished one; raise InvalidError if there is neither."""
    with suppress(GameError):
        return library.unfinished_run(name)
    from pipelines.runs.names import run_path
    from pipelines.runs.run import InaccessibleError, Run

    try:
        return library.run(name)
    except InaccessibleError:
        path = run_path(library.runs_folder, name)
        if not path.is_file():
            raise
        return Run(path)
