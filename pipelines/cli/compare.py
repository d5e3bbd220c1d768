"""The command that compares strategies: compare."""

import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.errors import InvalidError
from pipelines.cli import completion
from pipelines.cli.compare_report import print_report
from pipelines.cli.output import (
    CodeOption,
    DataOption,
    DecisionSecondsOption,
    JsonOption,
    QuietOption,
    SchedulerOption,
    WorkersOption,
    open_library,
    print_json,
    print_resume_hint,
)
from pipelines.cli.progress import compile_design, report_progress
from pipelines.cli.simulate import run_file
from pipelines.design.own_strategies import DECISION_TIMEOUT_SECONDS

if TYPE_CHECKING:
    from pipelines.design.design import Design
    from pipelines.runs.library import Library
    from pipelines.runs.run import Run
    from pipelines.runs.unfinished_run import UnfinishedRun


def compare(
    ruleset: Annotated[
        str | None,
        typer.Argument(
            metavar="RULESET",
            help="A name from `reroll rulesets`, or a TOML file.",
            autocompletion=completion.complete_rulesets,
        ),
    ] = None,
    strategies: Annotated[
        list[str] | None,
        typer.Argument(metavar="A B [C ...]", help="Strategies; twice the same is a mirror."),
    ] = None,
    *,
    blocks: Annotated[
        int | None,
        typer.Option(
            "--blocks",
            metavar="N",
            min=1,
            help="Blocks: one luck, every seating once. 1000 if not said; with --until-decided at most 100000.",
        ),
    ] = None,
    until_decided: Annotated[
        bool, typer.Option("--until-decided", help="Stop as soon as the answer is settled.")
    ] = False,
    design: Annotated[
        str | None,
        typer.Option(
            "--design",
            metavar="duel|rotate|round-robin",
            help="How they meet: one against all others, all in every game, or a duel of every two.",
        ),
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option("--metric", metavar="score|margin|win", help="What is compared; score if not said."),
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option("--margin", metavar="M", help="Differences up to this size count as equal."),
    ] = None,
    opening: Annotated[
        int | None,
        typer.Option(
            "--opening",
            metavar="K",
            min=0,
            help="Random plies at the start, the same for all; a first round in games without dice if not said.",
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
    title: Annotated[
        str | None, typer.Option("--title", metavar="TEXT", help="What people call the run.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Where the run goes, in place of the library."),
    ] = None,
    run: Annotated[
        str | None,
        typer.Option(
            "--run",
            metavar="RUN",
            help="Play nothing: report on this run.",
            autocompletion=completion.complete_runs,
        ),
    ] = None,
    data: DataOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Compare strategies on the same luck, in every seat."""
    from pipelines.design.comparison import design_comparison
    from pipelines.design.own_strategies import OwnStrategies
    from pipelines.service.jobs import default_run_name

    place = open_library(data)
    if run is not None:
        if ruleset is not None or strategies:
            raise InvalidError("say either what to compare, or --run RUN to report on what was played")
        _print_comparison(_find_run(place, run), metric, as_json=as_json)
        return
    if ruleset is None or not strategies:
        raise InvalidError("say what to compare: reroll compare RULESET A B; see reroll compare --help")
    planned = design_comparison(
        place.catalogue.find_ruleset(ruleset),
        strategies,
        blocks=blocks,
        until_decided=until_decided,
        arrangement=design,
        metric=metric or "score",
        margin=margin,
        opening=opening,
        seed=secrets.randbelow(1 << 32) if seed is None else seed,
        log=log,
        title=title,
        own=OwnStrategies.from_names(code or (), strategies, decision_seconds=decision_seconds),
    )
    name = f"compare-{default_run_name(ruleset)}.duckdb"
    target = (place.runs_folder / name if out is None else run_file(out)).absolute()
    _play_comparison(
        planned,
        target,
        workers=workers,
        scheduler=scheduler,
        free_name=out is None,
        as_json=as_json,
        quiet=quiet,
    )


def _play_comparison(
    planned: "Design",
    target: Path,
    *,
    workers: int | None,
    scheduler: str | None,
    free_name: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    from pipelines.simulate.simulate import RunStopped, simulate_run

    compile_design(planned, quiet=quiet)
    try:
        with report_progress(planned.rules.name, quiet=quiet) as tell:
            made = simulate_run(
                planned, target, workers=workers, scheduler=scheduler, free_name=free_name, progress=tell
            )
    except RunStopped as stopped:
        partial = stopped.partial
        if partial.games_done:
            _print_comparison(partial, None, as_json=as_json)
        print_resume_hint(partial, "stopped")
        raise typer.Exit(130) from None
    _print_comparison(made, None, as_json=as_json)


def _find_run(place: "Library", name: str) -> "Run | UnfinishedRun":
    """Return a run of that name, or an unfinished one."""
    try:
        return place.run(name)
    except InvalidError:
        unfinished = {partial.name: partial for partial in place.unfinished_runs()}
        if name not in unfinished:
            raise
        return unfinished[name]


def _print_comparison(source: "Run | UnfinishedRun", metric: str | None, *, as_json: bool) -> None:
    from pipelines.experiments.compare.comparison import compare_strategies

    found = compare_strategies(source, metric=metric)
    if as_json:
        print_json({**found.as_json(), "path": str(getattr(source, "path", getattr(source, "folder", "")))})
    else:
        print_report(found)
