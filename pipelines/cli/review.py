"""The command that values the decisions and rolls of a game: review."""

import time
from typing import TYPE_CHECKING, Annotated

import typer

from pipelines.cli.options import (
    DataOption,
    GameOption,
    JsonOption,
    QuietOption,
    RunArgument,
    open_library,
    own_seed_option,
    strategy_option,
)
from pipelines.cli.output import print_json, print_report_table, print_text
from pipelines.cli.progress import compile_rulesets, report_estimated_progress
from pipelines.design.metrics import DecisionMeasure
from pipelines.design.number_limits import SEED
from pipelines.report.wording import format_duration

if TYPE_CHECKING:
    from pipelines.experiments.review.review_results import Review
    from pipelines.questions.game.answer import GameAnswer


def review(
    run: RunArgument,
    *,
    game: GameOption,
    policy: Annotated[
        str | None,
        strategy_option(
            "--policy",
            "Strategy that plays all seats in the playouts; by default greedy, in games without dice noisy.",
        ),
    ] = None,
    effort: Annotated[
        float,
        typer.Option("--effort", metavar="F", min=0.1, max=100, help="Factor of the number of playouts."),
    ] = 1.0,
    seed: Annotated[int, own_seed_option("the playouts")] = SEED.default,
    by: Annotated[
        DecisionMeasure,
        typer.Option(
            "--by",
            help="What decisions are judged by: lost win chance (and points where the win was nearly decided), or points alone.",
        ),
    ] = "win",
    every: Annotated[
        bool, typer.Option("--all", help="List every decision and roll, not only the bad decisions.")
    ] = False,
    data: DataOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Value every decision and every roll of a game.

    The review shows what each player lost by its own decisions, and what luck gave to it.
    """
    from pipelines.experiments.review.review import start_review
    from pipelines.questions.game.answer import GameAnswer
    from pipelines.questions.game.question import GameQuestion

    stored = open_library(data).run(run)
    compile_rulesets(stored.rulesets.values(), quiet=quiet)
    started = time.monotonic()
    unfinished = start_review(stored, game - 1, policy=policy, seed=seed, effort=effort)
    with report_estimated_progress("review", unfinished.steps, "steps", quiet=quiet) as update_progress:
        for done in unfinished.compute_steps():
            update_progress(done)
    question = GameQuestion(run=stored.name, game=game - 1, is_reviewed=True, measure=by)
    answer = GameAnswer(question, stored, found := unfinished.summarise())
    if as_json:
        print_json(found.as_json())
    else:
        _print_review(answer, found, every=every)
        policy = unfinished.reviewer.policy
        print_text(f"\n{format_duration(time.monotonic() - started)}, playouts by {policy}, seed {seed}")


def _print_review(answer: "GameAnswer", review: "Review", *, every: bool) -> None:
    from pipelines.report.tables.review import NO_BAD_DECISION, decision_table, ledger_table, roll_table

    by = answer.question.measure
    ledgers = ledger_table(review, answer.strategies, by)
    print_report_table(ledgers)
    print_text(f"{ledgers.caption}\n")
    decisions = decision_table(review, by, every=every)
    if not decisions.rows:
        print_text(NO_BAD_DECISION)
        return
    print_report_table(decisions)
    if decisions.caption:
        print_text(decisions.caption)
    if every:
        print_text()
        print_report_table(roll_table(review))
