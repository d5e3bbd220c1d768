"""The commands that make runs: simulate, resume."""

import secrets
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from engine.game import InvalidError
from pipelines.cli import completion
from pipelines.cli.output import (
    CodeOption,
    DataOption,
    DecisionSecondsOption,
    JsonOption,
    QuietOption,
    SchedulerOption,
    WorkersOption,
    described,
    duration,
    library,
    print_json,
    print_kept,
    print_table,
    say,
)
from pipelines.cli.progress import compile_first, progress
from pipelines.design.own_strategies import DECISION_SECONDS

if TYPE_CHECKING:
    from pipelines.runs.run import Run
    from pipelines.simulate.simulate import Stopped


def simulate(
    ruleset: Annotated[
        str,
        typer.Argument(
            metavar="RULESET",
            help="A name from `reroll rulesets`, or a TOML file.",
            autocompletion=completion.rulesets,
        ),
    ],
    *,
    strategies: Annotated[
        str,
        typer.Option(
            "--strategies",
            "-s",
            metavar="A,B[,C,D]",
            help="One strategy a seat: built-in, from --code, installed, or a program for Blokus "
            '(gtp:command="..."). See `reroll strategies`.',
        ),
    ],
    games: Annotated[
        int | None, typer.Option("--games", metavar="N", min=1, help="Games, rounded up to whole blocks.")
    ] = None,
    blocks: Annotated[
        int | None,
        typer.Option(
            "--blocks", metavar="N", min=1, help="Blocks: one luck, every rotation of the line-up once."
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="S", min=0, help="Seed of all luck; drawn and shown if not said."),
    ] = None,
    workers: WorkersOption = None,
    scheduler: SchedulerOption = None,
    code: CodeOption = None,
    decision_seconds: DecisionSecondsOption = DECISION_SECONDS,
    log: Annotated[
        str,
        typer.Option(
            "--log",
            metavar="full|scores|sample=F",
            help="Keep all plies, none, or those of a share of blocks.",
        ),
    ] = "full",
    rotate: Annotated[
        bool, typer.Option("--rotate/--no-rotate", help="Play every rotation, or keep the seats as given.")
    ] = True,
    title: Annotated[
        str | None, typer.Option("--title", metavar="TEXT", help="What people call the run.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Where the run goes, in place of the library."),
    ] = None,
    data: DataOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Play games and keep them as a run."""
    from pipelines.design.design import design, split_strategies
    from pipelines.design.own_strategies import Own
    from pipelines.service.jobs import default_name
    from pipelines.simulate.simulate import Stopped
    from pipelines.simulate.simulate import simulate as play

    if (games is None) == (blocks is None):
        raise InvalidError("say how much to play: either --games N or --blocks N")
    place = library(data)
    lineup = split_strategies(strategies)
    planned = design(
        place.catalogue.find(ruleset),
        lineup,
        blocks=blocks,
        games_at_least=games,
        seed=secrets.randbelow(1 << 32) if seed is None else seed,
        rotate=rotate,
        log=log,
        title=title,
        own=Own.named(code or (), lineup, decision_seconds=decision_seconds),
    )
    target = place.runs_folder / f"{default_name(ruleset)}.duckdb" if out is None else run_file(out)
    compile_first(planned, quiet=quiet)
    try:
        with progress(planned.rules.name, quiet=quiet) as tell:
            run = play(
                planned,
                target.absolute(),
                workers=workers,
                scheduler=scheduler,
                free_name=out is None,
                progress=tell,
            )
    except Stopped as stopped:
        _say_stopped(stopped)
    show_run(run, as_json=as_json)


def resume(
    partial: Annotated[
        str,
        typer.Argument(
            metavar="PARTIAL", help="Name or folder of an unfinished run.", autocompletion=completion.partials
        ),
    ],
    *,
    workers: WorkersOption = None,
    scheduler: SchedulerOption = None,
    code: CodeOption = None,
    allow_programs: Annotated[
        bool, typer.Option("--allow-programs", help="Let the run start the programs that play in it.")
    ] = False,
    decision_seconds: DecisionSecondsOption = DECISION_SECONDS,
    data: DataOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Finish a run that was stopped or killed. It gets the games that it would have had anyway.

    No code and no program is started because a run says so: name its code again with --code (a file, or the name of an
    installed strategy), and allow its programs with --allow-programs.
    """
    from pipelines.design.own_strategies import Own
    from pipelines.simulate.simulate import Stopped
    from pipelines.simulate.simulate import resume as finish

    own = Own.named(code or (), programs=allow_programs, decision_seconds=decision_seconds)
    found = replace(library(data).partial(partial), own=own)
    found.design.played_by(own, found.name)
    compile_first(found.design, quiet=quiet)
    try:
        with progress(found.name, quiet=quiet) as tell:
            run = finish(found, workers=workers, scheduler=scheduler, progress=tell)
    except Stopped as stopped:
        _say_stopped(stopped)
    show_run(run, as_json=as_json)


def run_file(out: Path) -> Path:
    """Return the run file that a person means by a name with or without its ending."""
    return out if out.suffix == ".duckdb" else out.with_name(f"{out.name}.duckdb")


def _say_stopped(stopped: "Stopped") -> NoReturn:
    print_kept(stopped.partial, "stopped")
    raise typer.Exit(130) from None


def show_run(run: "Run", *, as_json: bool) -> None:
    """Say where the run is and how it went."""
    if as_json:
        print_json(described(run))
        return
    summary = run.summary
    speed = summary.games / max(summary.seconds, 1e-3)
    say(
        f"{run.name}: {summary.games} games in {duration(summary.seconds)} ({speed:.0f} a second), "
        f"seed {summary.seed}\n{run.path}"
    )
    print_results(run)


def print_results(run: "Run") -> None:
    """Write the results of every strategy as a table."""
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
