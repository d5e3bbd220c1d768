"""The commands that make runs: simulate, resume."""

import secrets
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from engine.errors import InvalidError
from pipelines.cli import completion
from pipelines.cli.output import (
    CodeOption,
    DataOption,
    DecisionSecondsOption,
    JsonOption,
    QuietOption,
    SchedulerOption,
    WorkersOption,
    describe_run,
    format_duration,
    open_library,
    print_json,
    print_resume_hint,
    print_table,
    print_text,
)
from pipelines.cli.progress import compile_design, report_progress
from pipelines.design.own_strategies import DECISION_TIMEOUT_SECONDS

if TYPE_CHECKING:
    from pipelines.runs.run import Run
    from pipelines.simulate.simulate import RunStopped


def simulate(
    ruleset: Annotated[
        str,
        typer.Argument(
            metavar="RULESET",
            help="A name from `reroll rulesets`, or a TOML file.",
            autocompletion=completion.complete_rulesets,
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
    decision_seconds: DecisionSecondsOption = DECISION_TIMEOUT_SECONDS,
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
    from pipelines.design.design import design_simulation, split_strategies
    from pipelines.design.own_strategies import OwnStrategies
    from pipelines.service.jobs import default_run_name
    from pipelines.simulate.simulate import RunStopped
    from pipelines.simulate.simulate import simulate_run as play

    if (games is None) == (blocks is None):
        raise InvalidError("say how much to play: either --games N or --blocks N")
    place = open_library(data)
    lineup = split_strategies(strategies)
    planned = design_simulation(
        place.catalogue.find_ruleset(ruleset),
        lineup,
        blocks=blocks,
        games_at_least=games,
        seed=secrets.randbelow(1 << 32) if seed is None else seed,
        rotate=rotate,
        log=log,
        title=title,
        own=OwnStrategies.from_names(code or (), lineup, decision_seconds=decision_seconds),
    )
    target = place.runs_folder / f"{default_run_name(ruleset)}.duckdb" if out is None else run_file(out)
    compile_design(planned, quiet=quiet)
    try:
        with report_progress(planned.rules.name, quiet=quiet) as tell:
            run = play(
                planned,
                target.absolute(),
                workers=workers,
                scheduler=scheduler,
                free_name=out is None,
                progress=tell,
            )
    except RunStopped as stopped:
        _exit_after_stop(stopped)
    print_run(run, as_json=as_json)


def resume(
    partial: Annotated[
        str,
        typer.Argument(
            metavar="PARTIAL",
            help="Name or folder of an unfinished run.",
            autocompletion=completion.complete_unfinished_runs,
        ),
    ],
    *,
    workers: WorkersOption = None,
    scheduler: SchedulerOption = None,
    code: CodeOption = None,
    allow_programs: Annotated[
        bool, typer.Option("--allow-programs", help="Let the run start the programs that play in it.")
    ] = False,
    decision_seconds: DecisionSecondsOption = DECISION_TIMEOUT_SECONDS,
    data: DataOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Finish a run that was stopped or killed. It gets the games that it would have had anyway.

    No code and no program is started because a run says so: name its code again with --code (a file, or the name of an
    installed strategy), and allow its programs with --allow-programs.
    """
    from pipelines.design.own_strategies import OwnStrategies
    from pipelines.simulate.simulate import RunStopped
    from pipelines.simulate.simulate import resume_run as finish

    own = OwnStrategies.from_names(code or (), programs=allow_programs, decision_seconds=decision_seconds)
    found = replace(open_library(data).unfinished_run(partial), own=own)
    found.design.with_own_strategies(own, found.name)
    compile_design(found.design, quiet=quiet)
    try:
        with report_progress(found.name, quiet=quiet) as tell:
            run = finish(found, workers=workers, scheduler=scheduler, progress=tell)
    except RunStopped as stopped:
        _exit_after_stop(stopped)
    print_run(run, as_json=as_json)


def run_file(out: Path) -> Path:
    """Return the run file that a person means by a name with or without its ending."""
    return out if out.suffix == ".duckdb" else out.with_name(f"{out.name}.duckdb")


def _exit_after_stop(stopped: "RunStopped") -> NoReturn:
    print_resume_hint(stopped.partial, "stopped")
    raise typer.Exit(130) from None


def print_run(run: "Run", *, as_json: bool) -> None:
    """Say where the run is and how it went."""
    if as_json:
        print_json(describe_run(run))
        return
    summary = run.summary
    speed = summary.games / max(summary.seconds, 1e-3)
    print_text(
        f"{run.name}: {summary.games} games in {format_duration(summary.seconds)} ({speed:.0f} a second), "
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
