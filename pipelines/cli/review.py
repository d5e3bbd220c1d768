"""The command that values the decisions and rolls of a game: review."""

import time
from dataclasses import replace
from typing import Annotated

import typer

from engine.errors import InvalidError
from pipelines.cli.options import (
    DataOption,
    DetailsOption,
    GameOption,
    JsonOption,
    QuietOption,
    RunArgument,
    number_option,
    open_library,
    strategy_option,
)
from pipelines.cli.output import print_sheet, print_text
from pipelines.cli.progress import compile_rulesets, report_estimated_progress
from pipelines.cli.question_options import FROM_FIELD, asks
from pipelines.design.limits import SEED
from pipelines.design.metrics import DecisionMeasure
from pipelines.report.wording import format_duration


@asks("pipelines.questions.game:GameQuestion")
def review(
    run: RunArgument,
    *,
    game: GameOption,
    strategy: Annotated[
        str | None,
        strategy_option(
            "--strategy",
            "Strategy that plays all seats in the playouts; by default greedy, in games without dice noisy.",
        ),
    ] = None,
    effort: Annotated[
        float,
        typer.Option("--effort", metavar="F", min=0.1, max=100, help="Factor of the number of playouts."),
    ] = 1.0,
    seed: Annotated[int, number_option("--seed", SEED, "Seed of the playouts.", "SEED")] = SEED.default,
    measure: Annotated[DecisionMeasure, typer.Option("--by")] = FROM_FIELD,
    only_player: Annotated[
        int | None,
        typer.Option("--only-player", metavar="N", min=1, max=8, help="List only the slips of this player."),
    ] = None,
    details: DetailsOption = False,
    data: DataOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Value every decision and every roll of a game.

    The review shows what each player lost by its own decisions, and what luck gave to it.
    """
    from pipelines.experiments.review import start_review
    from pipelines.questions.game import EVERY_PLAYER, GameQuestion, read_game
    from pipelines.questions.source import QuestionSource
    from pipelines.report.compose import compose

    stored = open_library(data).run(run)
    question = GameQuestion(
        run=stored.name,
        game=game - 1,
        is_reviewed=True,
        measure=measure,
        only_player=only_player - 1 if only_player else EVERY_PLAYER,
    )
    answer = read_game(question, stored)
    if problems := question.find_problems(len(answer.scene["steps"]), len(answer.seats)):
        raise InvalidError(" ".join(problems))
    compile_rulesets(stored.rulesets.values(), quiet=quiet)
    started = time.monotonic()
    unfinished = start_review(stored, game - 1, policy=strategy, seed=seed, effort=effort)
    with report_estimated_progress("review", unfinished.steps, "steps", quiet=quiet) as update_progress:
        for done in unfinished.compute_steps():
            update_progress(done)
    answer = replace(answer, review=unfinished.summarise())
    sheet = compose(answer, QuestionSource(only=(stored,)).find_looks)
    print_sheet(sheet, as_json=as_json, details=details)
    if not as_json:
        print_text(
            f"\n{format_duration(time.monotonic() - started)}, playouts by {unfinished.reviewer.policy}, seed {seed}"
        )
