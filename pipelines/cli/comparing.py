"""The command that compares strategies: compare."""

import math
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.game import InvalidError
from pipelines.cli import completing
from pipelines.cli.terminal import (
    CodeOption,
    DataOption,
    DecisionSecondsOption,
    JsonOption,
    QuietOption,
    SchedulerOption,
    WorkersOption,
    compile_first,
    library,
    print_json,
    print_kept,
    print_table,
    progress,
    say,
)
from pipelines.own import DECISION_SECONDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.compare import Comparison
    from pipelines.design import Design
    from pipelines.library import Library
    from pipelines.partial import Partial
    from pipelines.run import Run
    from pipelines.statistics import Interval


def compare(
    ruleset: Annotated[
        str | None,
        typer.Argument(
            metavar="RULESET",
            help="A name from `reroll rulesets`, or a TOML file.",
            autocompletion=completing.rulesets,
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
    decision_seconds: DecisionSecondsOption = DECISION_SECONDS,
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
            "--run", metavar="RUN", help="Play nothing: report on this run.", autocompletion=completing.runs
        ),
    ] = None,
    data: DataOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Compare strategies on the same luck, in every seat."""
    from pipelines.contest import contest
    from pipelines.own import Own

    place = library(data)
    if run is not None:
        if ruleset is not None or strategies:
            raise InvalidError("say either what to compare, or --run RUN to report on what was played")
        _report(_found(place, run), metric, as_json=as_json)
        return
    if ruleset is None or not strategies:
        raise InvalidError("say what to compare: reroll compare RULESET A B; see reroll compare --help")
    planned = contest(
        place.catalogue.find(ruleset),
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
        own=Own.named(code or (), strategies, decision_seconds=decision_seconds),
    )
    target = _target(place, ruleset, out)
    _play(
        planned,
        target,
        workers=workers,
        scheduler=scheduler,
        free_name=out is None,
        as_json=as_json,
        quiet=quiet,
    )


def _play(
    planned: "Design",
    target: Path,
    *,
    workers: int | None,
    scheduler: str | None,
    free_name: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    from pipelines.simulate import Stopped, simulate

    compile_first(planned, quiet=quiet)
    try:
        with progress(planned.rules.name, quiet=quiet) as tell:
            made = simulate(
                planned, target, workers=workers, scheduler=scheduler, free_name=free_name, progress=tell
            )
    except Stopped as stopped:
        partial = stopped.partial
        if partial.games_done:
            _report(partial, None, as_json=as_json)
        print_kept(partial, "stopped")
        raise typer.Exit(130) from None
    _report(made, None, as_json=as_json)


def _target(place: "Library", ruleset: str, out: Path | None) -> Path:
    from pipelines.jobs import default_name

    if out is None:
        return (place.runs_folder / f"compare-{default_name(ruleset)}.duckdb").absolute()
    return (out if out.suffix == ".duckdb" else out.with_name(f"{out.name}.duckdb")).absolute()


def _found(place: "Library", name: str) -> "Run | Partial":
    """Return a run of that name, or an unfinished one."""
    try:
        return place.run(name)
    except InvalidError:
        unfinished = {partial.name: partial for partial in place.partials()}
        if name not in unfinished:
            raise
        return unfinished[name]


def _report(source: "Run | Partial", metric: str | None, *, as_json: bool) -> None:
    from pipelines.compare import comparison

    found = comparison(source, metric=metric)
    if as_json:
        print_json({**found.document(), "path": str(getattr(source, "path", getattr(source, "folder", "")))})
    else:
        print_report(found)


def print_report(found: "Comparison") -> None:
    """Write a comparison: first what it says, then what that rests on."""
    say(found.verdict)
    failed = [control.name for control in found.controls if control.holds is False]
    if failed:
        say(f"Do not trust it yet: these controls fail: {', '.join(failed)}")
    unfinished = "" if found.is_finished else " so far"
    played = (
        f"{found.blocks} blocks of {found.games_per_block} games{unfinished}, {found.arrangement}, "
        f"{found.ruleset}, seed {found.seed}, log {found.log}"
    )
    say()
    for key, value in (
        ("compared", found.estimand),
        ("played", played),
        ("stopping", _stopping(found)),
        ("run", found.run),
        ("again", found.command),
    ):
        if value:
            say(f"{key:<9} {value}")
    say()
    _print_pairs(found)
    if any(pair.parts for pair in found.pairs) and len(found.pairs) <= 3:
        say()
        _print_parts(found)
    say()
    _print_sides(found)
    say()
    print_table(
        ("seat", "score above the mean of its game", "win share"),
        [(edge.seat, _told(edge.score), _percent(edge.win_share)) for edge in found.seats],
    )
    say()
    print_table(
        ("control", "", "what was found"),
        [(control.name, _HOLDS[control.holds], control.says) for control in found.controls],
    )


_HOLDS = {True: "holds", False: "FAILS", None: "unknown"}


def _stopping(found: "Comparison") -> str:
    if not found.is_sequential:
        return ""
    equal = f", or equality within {found.margin:g}" if found.margin is not None else ""
    decided = all(pair.decision not in {None, "undecided"} for pair in found.pairs)
    ended = "decided" if decided else "the budget was spent" if found.blocks == found.most_blocks else "open"
    return (
        f"when the sign is settled{equal}, at most {found.most_blocks} blocks: {ended}; "
        "a wrong answer at any look has a chance of 5 % at most"
    )


def _print_pairs(found: "Comparison") -> None:
    from pipelines.verdict import METRICS

    unit = METRICS[found.metric]
    print_table(
        (
            "A",
            "B",
            f"A - B in {unit.many}, 95 %",
            "p (Holm)" if len(found.pairs) > 1 else "p",
            "A wins, 95 %",
            "A does better, 95 %",
            "could detect",
            "differing blocks",
        ),
        [
            (
                pair.a,
                pair.b,
                _told(pair.difference, unit.scale),
                f"{pair.p_holm:.2g}",
                _percent(pair.win_share),
                _percent(pair.better),
                "" if pair.detectable is None else f"{pair.detectable * unit.scale:.2g}",
                f"{100 * pair.differing.estimate:.0f} %",
            )
            for pair in found.pairs
        ],
    )


def _print_parts(found: "Comparison") -> None:
    print_table(
        ("A", "B", "points of A - B from", "95 %"),
        [(pair.a, pair.b, part.part, _told(part.difference)) for pair in found.pairs for part in pair.parts],
    )


def _print_sides(found: "Comparison") -> None:
    elo = {rating.strategy: rating for rating in found.ratings}
    rows: list[Sequence[object]] = [
        (
            side.strategy,
            _told(side.score),
            _percent(side.win_share),
            _told(elo[side.strategy].elo) if side.strategy in elo else "",
        )
        for side in found.sides
    ]
    print_table(("strategy", "score of a seat, 95 %", "wins of a seat, 95 %", "rating, 95 %"), rows)


def _told(interval: "Interval | None", scale: float = 1, *, exact: tuple[float, ...] = (0.0,)) -> str:
    """Write an estimate with its interval, with as many decimals as it deserves."""
    from pipelines.verdict import rounded

    if interval is None:
        return "not enough games"
    scaled = type(interval)(*(0.0 if abs(value) < 1e-12 else value * scale for value in interval))
    if not all(map(math.isfinite, scaled)):
        return "{} ({} to {})".format(*(f"{value:.0f}" for value in scaled))
    return "{} ({} to {})".format(*rounded(scaled, exact=exact))


def _percent(share: "Interval | None") -> str:
    if share is None:
        return "not enough games"
    return _told(share, 100, exact=(0.0, 50.0, 100.0)).replace(" (", " % (", 1)
