"""The commands that compare strategies: compare; and baseline, which pins the strategy or the run that others are compared with."""

from typing import TYPE_CHECKING, Annotated

import typer

from engine.errors import InvalidError
from pipelines.cli import completion, options
from pipelines.cli.errors import print_resume_hint
from pipelines.cli.output import find_any_run, print_json, print_sheet, print_text
from pipelines.cli.progress import play_design
from pipelines.cli.question_options import asks
from pipelines.design.limits import COMPARISON_BLOCKS, MAX_BLOCKS_UNTIL_DECIDED, choose_seed
from pipelines.design.metrics import ARRANGEMENTS, DEFAULT_METRIC, METRICS
from pipelines.design.own_strategies import DECISION_TIMEOUT_SECONDS
from pipelines.interrupts import interrupted_exit_code
from pipelines.simulate.errors import RunStopped

if TYPE_CHECKING:
    from pipelines.notes.baseline import Baseline
    from pipelines.runs.library import Library
    from pipelines.runs.run import Run
    from pipelines.runs.unfinished_run import UnfinishedRun


@asks(
    "pipelines.questions.comparison:KnownComparisonQuestion",
    "pipelines.questions.comparison:NewComparisonQuestion",
)
def compare(
    ruleset: Annotated[str | None, options.ruleset_argument()] = None,
    strategies: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="A B [C ...]",
            help="Strategies. The same one twice gives a mirror match.",
            autocompletion=completion.complete_strategies,
        ),
    ] = None,
    *,
    against_baseline: Annotated[
        bool,
        typer.Option(
            "--against-baseline", help="Compare with the pinned strategy, too; see reroll baseline --help."
        ),
    ] = False,
    blocks: Annotated[
        int | None,
        options.blocks_option(
            f"a block plays every seating once, on the same luck. {COMPARISON_BLOCKS.default} by default; with --until-decided at "
            f"most {MAX_BLOCKS_UNTIL_DECIDED}."
        ),
    ] = None,
    until_decided: Annotated[bool, typer.Option("--until-decided")] = False,
    design: Annotated[
        str | None,
        typer.Option(
            "--design",
            metavar="|".join(ARRANGEMENTS),
            help="duel: one strategy against the other on all other seats. rotate: all strategies in every game. "
            "round-robin: a duel of every two strategies.",
        ),
    ] = None,
    metric: Annotated[str | None, typer.Option("--metric", metavar="|".join(METRICS))] = None,
    margin: Annotated[float | None, options.margin_option()] = None,
    opening: Annotated[
        int | None,
        typer.Option(
            "--opening",
            metavar="K",
            min=0,
            help="Number of random plies at the start, equal for all; by default one round in games without dice, else 0.",
        ),
    ] = None,
    seed: options.SeedOption = None,
    workers: options.WorkersOption = None,
    scheduler: options.SchedulerOption = None,
    code: options.CodeOption = None,
    decision_seconds: options.DecisionSecondsOption = DECISION_TIMEOUT_SECONDS,
    log: options.LogOption = "full",
    title: options.TitleOption = None,
    name: options.NameOption = None,
    out: options.OutOption = None,
    run: Annotated[str | None, options.run_option("Play nothing and report on this run.")] = None,
    details: options.DetailsOption = False,
    data: options.DataOption = None,
    as_json: options.JsonOption = False,
    quiet: options.QuietOption = False,
) -> None:
    """Compare strategies on the same luck, in every seat."""
    from pipelines.design.designs import design_comparison
    from pipelines.design.lineups import split_strategies
    from pipelines.design.own_strategies import OwnStrategies
    from pipelines.runs.names import default_run_name

    library = options.open_library(data)
    if run is not None:
        if ruleset is not None or strategies or against_baseline:
            raise InvalidError("name either what to compare, or a run to report on with --run RUN")
        _print_comparison(find_any_run(library, run), metric, as_json=as_json, details=details)
        return
    if ruleset is None or not strategies:
        raise InvalidError("name what to compare: reroll compare RULESET A B; see reroll compare --help")
    for text in strategies:
        if len(listed := split_strategies(text)) > 1:
            raise InvalidError(f"write strategies with spaces: reroll compare {ruleset} {' '.join(listed)}")
    compared = [*strategies, find_baseline_strategy(library)] if against_baseline else strategies
    target, free_name = options.choose_run_file(library, name, out, f"compare-{default_run_name(ruleset)}")
    comparison_design = design_comparison(
        options.find_ruleset(library, ruleset),
        compared,
        blocks=blocks,
        until_decided=until_decided,
        arrangement=design,
        metric=metric or DEFAULT_METRIC,
        margin=margin,
        opening=opening,
        seed=choose_seed(seed),
        log=log,
        title=title,
        own_strategies=OwnStrategies.from_names(code or (), compared, decision_seconds=decision_seconds),
    )
    options.announce_new_folder(library, target=target, quiet=quiet)
    try:
        played = play_design(
            comparison_design, target, workers=workers, scheduler=scheduler, free_name=free_name, quiet=quiet
        )
    except RunStopped as stopped:
        print_resume_hint(stopped.partial, "stopped")  # first, for Ctrl-C does not wait for a long report
        if stopped.partial.games_done:
            _print_comparison(stopped.partial, None, as_json=as_json, details=details)
        raise typer.Exit(interrupted_exit_code()) from None
    _print_comparison(played, None, as_json=as_json, details=details)


def _print_comparison(
    source: "Run | UnfinishedRun", metric: str | None, *, as_json: bool, details: bool
) -> None:
    """Print the sheet of a run, or of the blocks of an unfinished run that are played."""
    from pipelines.experiments.comparison import compare_strategies
    from pipelines.questions.comparison import ComparisonAnswer, KnownComparisonQuestion, answer_comparison
    from pipelines.questions.source import QuestionSource
    from pipelines.report.compose import compose
    from pipelines.report.show.json import sheet_document
    from pipelines.runs.run import Run

    question = KnownComparisonQuestion(run=source.name, metric=metric)
    if isinstance(source, Run):
        question_source = QuestionSource(only=(source,))
        answer = answer_comparison(question, question_source)
        path = source.path
    else:
        question_source = QuestionSource(only=())
        answer = ComparisonAnswer(question, compare_strategies(source, metric=metric))
        path = source.folder
    sheet = compose(answer, question_source.find_looks)
    if as_json:
        print_json({**sheet_document(sheet), "path": str(path)})
    else:
        print_sheet(sheet, details=details)


HOW_TO_PIN = "reroll baseline --strategy NAME pins a strategy, reroll baseline --run RUN a run"


def baseline(
    *,
    strategy: Annotated[
        str | None, options.strategy_option("--strategy", "Pin a strategy, as rollout:playouts=64.", "NAME")
    ] = None,
    run: Annotated[str | None, options.run_option("Pin a run.")] = None,
    unpin: Annotated[bool, typer.Option("--unpin", help="Pin nothing.")] = False,
    data: options.DataOption = None,
    as_json: options.JsonOption = False,
) -> None:
    """Show the pinned baseline of the library, or pin another one. Lists of commands mark it."""
    from pipelines.notes.baseline import BaselineStore, find_strategy_name, run_baseline, strategy_baseline

    if (strategy is not None) + (run is not None) + unpin > 1:
        raise InvalidError("give one of --strategy NAME, --run RUN and --unpin")
    library = options.open_library(data)
    store = BaselineStore(library.folder)
    if unpin:
        store.unpin()
    elif run is not None:
        store.pin(run_baseline(library.run(run)))
    elif strategy is not None:
        played = {name for stored in library.runs() for name in stored.summary.strategies}
        options.announce_new_folder(library)
        store.pin(strategy_baseline(find_strategy_name(strategy, played)))
    _print_baseline(library, store.read_baseline(), as_json=as_json)


def find_baseline_strategy(library: "Library") -> str:
    """Return the name of the pinned strategy of a library; raise InvalidError if none is pinned."""
    from pipelines.notes.baseline import BaselineStore

    baseline = BaselineStore(library.folder).read_baseline()
    if baseline is None:
        raise InvalidError(f"--against-baseline: nothing is pinned; {HOW_TO_PIN}")
    if baseline.kind == "run":
        raise InvalidError(
            f"--against-baseline: the run {baseline.name!r} is pinned; pin a strategy with reroll baseline --strategy NAME"
        )
    return baseline.name


def _print_baseline(library: "Library", baseline: "Baseline | None", *, as_json: bool) -> None:
    run = baseline.find_run(library.runs()) if baseline else None
    name = run.name if run else baseline.name if baseline else None
    is_gone = baseline is not None and baseline.kind == "run" and run is None
    if as_json:
        print_json({"kind": baseline.kind, "name": name, "is_gone": is_gone} if baseline else None)
    elif baseline:
        print_text(
            f"the baseline is the {baseline.kind} {name}{', which is no longer here' if is_gone else ''}"
        )
    else:
        print_text(f"nothing is pinned; {HOW_TO_PIN}")
