"""The commands that play games and save them as a run: simulate, resume."""

from dataclasses import replace
from typing import Annotated

import typer

from pipelines.cli import completion, options
from pipelines.cli.errors import exit_after_stop
from pipelines.cli.output import print_run
from pipelines.cli.progress import compile_design, play_design, report_progress, wait_for_cluster
from pipelines.design.limits import SIMULATION_GAMES, choose_seed
from pipelines.design.own_strategies import DECISION_TIMEOUT_SECONDS
from pipelines.simulate.errors import RunStopped


def simulate(
    ruleset: Annotated[str, options.ruleset_argument()],
    *,
    strategies: Annotated[
        list[str],
        typer.Option(
            "--strategies",
            "-s",
            metavar="A,B[,C,D]",
            autocompletion=completion.complete_lineup,
            help="One strategy per seat: built-in, from --code, installed, or a program for Blokus "
            '(gtp:command="..."). See `reroll strategies`. Repeatable.',
        ),
    ],
    games: Annotated[
        int | None,
        typer.Option(
            "--games",
            metavar="N",
            min=SIMULATION_GAMES.minimum,
            help=f"Number of games, rounded up to whole blocks; {SIMULATION_GAMES.default} by default.",
        ),
    ] = None,
    blocks: Annotated[
        int | None,
        options.blocks_option(
            "a block plays every rotation of the strategies over the seats, on the same luck."
        ),
    ] = None,
    seed: options.SeedOption = None,
    workers: options.WorkersOption = None,
    scheduler: options.SchedulerOption = None,
    code: options.CodeOption = None,
    decision_seconds: options.DecisionSecondsOption = DECISION_TIMEOUT_SECONDS,
    log: options.LogOption = "full",
    rotate: Annotated[
        bool,
        typer.Option(
            "--rotate/--no-rotate", help="Play every rotation of the strategies, or only the given order."
        ),
    ] = True,
    title: options.TitleOption = None,
    name: options.NameOption = None,
    out: options.OutOption = None,
    data: options.DataOption = None,
    as_json: options.JsonOption = False,
    quiet: options.QuietOption = False,
) -> None:
    """Play games and save them as a run."""
    from pipelines.design.designs import design_simulation
    from pipelines.design.own_strategies import OwnStrategies
    from pipelines.runs.names import default_run_name

    library = options.open_library(data)
    target, free_name = options.choose_run_file(library, name, out, default_run_name(ruleset))
    lineup = options.split_players(strategies)
    rules = options.find_ruleset(library, ruleset, len(lineup))
    options.check_seat_count("--strategies", rules, lineup)
    design = design_simulation(
        rules,
        lineup,
        blocks=blocks,
        games_at_least=games,
        seed=choose_seed(seed),
        rotate=rotate,
        log=log,
        title=title,
        own_strategies=OwnStrategies.from_names(code or (), lineup, decision_seconds=decision_seconds),
    )
    options.announce_new_folder(library, target=target, quiet=quiet)
    try:
        run = play_design(
            design, target, workers=workers, scheduler=scheduler, free_name=free_name, quiet=quiet
        )
    except RunStopped as stopped:
        exit_after_stop(stopped)
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
    workers: options.WorkersOption = None,
    scheduler: options.SchedulerOption = None,
    code: options.CodeOption = None,
    allow_programs: options.AllowProgramsOption = False,
    decision_seconds: options.DecisionSecondsOption = DECISION_TIMEOUT_SECONDS,
    data: options.DataOption = None,
    as_json: options.JsonOption = False,
    quiet: options.QuietOption = False,
) -> None:
    """Finish a run that was stopped or killed. Its games are the same as without the interruption.

    A run cannot start code or programs by itself: name its code again with --code (a file, or the name of an installed
    strategy), and allow its programs with --allow-programs.
    """
    from pipelines.design.own_strategies import OwnStrategies
    from pipelines.simulate.simulate import resume_run

    own_strategies = OwnStrategies.from_names(
        code or (), programs=allow_programs, decision_seconds=decision_seconds
    )
    unfinished = options.open_library(data).unfinished_run(partial)
    unfinished.check_resumable()
    unfinished = replace(unfinished, own=own_strategies)
    unfinished.design.with_own_strategies(own_strategies, unfinished.name)
    wait_for_cluster(unfinished.design, scheduler, quiet=quiet)
    compile_design(unfinished.design, quiet=quiet)
    try:
        with report_progress(unfinished.name, quiet=quiet) as update_progress:
            run = resume_run(unfinished, workers=workers, scheduler=scheduler, progress=update_progress)
    except RunStopped as stopped:
        exit_after_stop(stopped)
    print_run(run, as_json=as_json)
