"""The command that values the decisions and rolls of a game, or of all games of a run: review."""

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from engine.errors import InvalidError
from pipelines.cli import options
from pipelines.cli.output import print_sheet, print_text
from pipelines.cli.progress import compile_rulesets, report_estimated_progress, report_progress
from pipelines.cli.question_options import FROM_FIELD, asks
from pipelines.design.limits import MAX_EFFORT, SEED
from pipelines.design.metrics import DecisionMeasure
from pipelines.report.wording import format_count, format_duration

if TYPE_CHECKING:
    from pipelines.runs.review_writer import ReviewKind
    from pipelines.runs.run import Run


@asks("pipelines.questions.game:GameQuestion")
def review(
    run: options.RunArgument,
    *,
    game: options.OneGameOption = None,
    games: Annotated[
        str | None,
        typer.Option(
            "--games",
            metavar="<all|N>",
            help="Review all games, or N of them, one of each block first, and keep what is found; a review that was stopped goes on.",
        ),
    ] = None,
    strategy: Annotated[
        str | None,
        options.strategy_option(
            "--strategy",
            "Strategy that plays all seats in the playouts; by default greedy, in games without dice noisy.",
        ),
    ] = None,
    effort: Annotated[
        float,
        typer.Option(
            "--effort", metavar="F", min=0.1, max=MAX_EFFORT, help="Factor of the number of playouts."
        ),
    ] = 1.0,
    seed: Annotated[
        int, options.number_option("--seed", SEED, "Seed of the playouts.", "SEED")
    ] = SEED.default,
    measure: Annotated[DecisionMeasure, typer.Option("--by")] = FROM_FIELD,
    only_player: Annotated[
        int | None,
        typer.Option("--only-player", metavar="N", min=1, max=8, help="List only the slips of this player."),
    ] = None,
    details: options.DetailsOption = False,
    workers: options.WorkersOption = None,
    scheduler: options.SchedulerOption = None,
    data: options.DataOption = None,
    as_json: options.JsonOption = False,
    quiet: options.QuietOption = False,
) -> None:
    """Value every decision and every roll of a game, or of many games.

    The review shows what each player lost by its own decisions, and what luck gave to it. The reviews of many games are kept
    beside the runs, where the view `Decisions` of the scores and `reroll sql` find them.
    """
    from pipelines.experiments.review import start_review
    from pipelines.questions.game import EVERY_PLAYER, GameQuestion, read_game
    from pipelines.questions.source import QuestionSource
    from pipelines.report.compose import compose

    if (game is None) == (games is None):
        raise InvalidError("name either one game with --game N, or many with --games all or --games N")
    stored = options.open_library(data).run(run)
    if games is not None:
        from pipelines.experiments.review_runs import find_review_kind

        kind = find_review_kind(stored, judge=strategy, effort=effort, seed=seed)
        _review_games(
            stored,
            kind,
            games,
            workers=workers,
            scheduler=scheduler,
            quiet=quiet,
            as_json=as_json,
            details=details,
        )
        return
    game = game or 1
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
    with report_estimated_progress(
        "review", unfinished.steps, "positions and decisions", quiet=quiet
    ) as update_progress:
        for done in unfinished.compute_steps():
            update_progress(done)
    answer = replace(answer, review=unfinished.summarise())
    sheet = compose(answer, QuestionSource(only=(stored,)).find_looks)
    print_sheet(sheet, as_json=as_json, details=details)
    if not as_json:
        print_text(
            f"\n{format_duration(time.monotonic() - started)}, playouts by {unfinished.reviewer.policy}, seed {seed}"
        )


def _review_games(
    run: "Run",
    kind: "ReviewKind",
    games: str,
    *,
    workers: int | None,
    scheduler: str | None,
    quiet: bool,
    as_json: bool,
    details: bool,
) -> None:
    """Review all games of a run, or a number of them, and print where points were lost."""
    from pipelines.experiments.review_runs import choose_reviewed_games, review_run
    from pipelines.questions.scores.answer import answer_scores
    from pipelines.questions.scores.question import ScoresQuestion
    from pipelines.questions.source import QuestionSource
    from pipelines.report.compose import compose

    if games != "all" and not (games.isdecimal() and int(games)):
        raise InvalidError(f"--games takes all or a number of games, not {games!r}")
    chosen = choose_reviewed_games(run, None if games == "all" else int(games), kind)
    compile_rulesets(run.rulesets.values(), quiet=quiet)
    started, done = time.monotonic(), 0
    try:
        with report_progress(f"review of {run.name}", quiet=quiet) as update_progress:
            for progress in review_run(run, kind, chosen, workers=workers, scheduler=scheduler):
                done = progress.done
                if update_progress:
                    update_progress(*progress)
    except KeyboardInterrupt:
        count = f"{done:,} of {format_count(len(chosen), 'game')} of {run.name}"
        print_text(f"{count} are reviewed; the same command goes on from there", err=True)
        raise
    names = tuple(ruleset.name for ruleset in run.summary.rulesets[:1])
    question = ScoresQuestion(rulesets=names, runs=(run.name,), view="Decisions")
    source = QuestionSource(only=(run,))
    print_sheet(compose(answer_scores(question, source), source.find_looks), as_json=as_json, details=details)
    if as_json:
        return
    print_text(
        f"\n{format_count(done, 'game')} of {run.name} reviewed, playouts by {kind.judge}, seed {kind.seed}; "
        f"{format_duration(time.monotonic() - started)}"
    )
