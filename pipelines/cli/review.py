"""The command that values the decisions and rolls of a game: review."""

import time
from typing import TYPE_CHECKING, Annotated, Final

import typer

from pipelines.cli.options import DataOption, JsonOption, QuietOption, RunArgument, open_library
from pipelines.cli.output import (
    format_duration,
    format_half_interval,
    print_json,
    print_table,
    print_text,
)
from pipelines.cli.progress import compile_run_games, report_estimated_progress

if TYPE_CHECKING:
    from pipelines.experiments.review.classes import Review
    from pipelines.runs.run import Run

LISTED_CLASSES: Final = frozenset({"inaccuracy", "mistake", "blunder"})


def review(
    run: RunArgument,
    game: Annotated[int, typer.Argument(metavar="GAME", min=0, help="Number of the game.")],
    *,
    policy: Annotated[
        str | None,
        typer.Option(
            "--policy",
            metavar="X",
            help="Strategy that plays all seats in the playouts. Default: greedy, in games without dice noisy.",
        ),
    ] = None,
    effort: Annotated[
        float,
        typer.Option("--effort", metavar="F", min=0.1, max=100, help="Factor of the number of playouts."),
    ] = 1.0,
    seed: Annotated[int, typer.Option("--seed", metavar="SEED", min=0, help="Seed of the playouts.")] = 0,
    every: Annotated[
        bool, typer.Option("--all", help="List every decision and roll, not only the bad decisions.")
    ] = False,
    data: DataOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Value every decision and every roll of a game.

    The review shows what each seat lost by its own decisions, and what luck gave to it.
    """
    from pipelines.experiments.review.review import review_game

    stored = open_library(data).run(run)
    compile_run_games(stored, quiet=quiet)
    started = time.monotonic()
    with report_estimated_progress(
        "review", stored.game(game).plies + 1, "plies", quiet=quiet
    ) as update_progress:

        def report_plies(done: int, _plies: int) -> bool:
            update_progress(done)
            return True

        reviewed = review_game(stored, game, policy=policy, seed=seed, effort=effort, progress=report_plies)
    if reviewed is None:
        raise AssertionError("only the callback can stop a review, and it never does")
    if as_json:
        print_json(reviewed.as_json())
    else:
        _print_review(stored, reviewed, every=every)
        print_text(
            f"\n{format_duration(time.monotonic() - started)}, playouts by {reviewed.policy}, seed {seed}"
        )


def _print_review(run: "Run", reviewed: "Review", *, every: bool) -> None:
    strategies = [seat.strategy for seat in run.seats(reviewed.game_id)]
    rows = []
    for seat, strategy in enumerate(strategies):
        ledger = reviewed.ledger(seat)
        rows.append(
            (
                seat,
                strategy,
                *(f"{value:+.1f}" for value in (ledger.start, ledger.luck, ledger.own, ledger.others)),
                f"{ledger.result:g}",
                *reviewed.class_counts(seat).values(),
            )
        )
    columns = (
        "seat",
        "strategy",
        "start",
        "luck",
        "own",
        "others",
        "result",
        "best",
        "good",
        "inaccuracy",
        "mistake",
        "blunder",
    )
    print_table(columns, rows)
    print_text("start + luck + own decisions + others' decisions = result, in points\n")
    decisions = [decision for decision in reviewed.decisions if every or decision.judged in LISTED_CLASSES]
    if not decisions:
        print_text("no inaccuracy, mistake or blunder that the intervals support")
        return
    print_table(
        ("ply", "seat", "options", "chosen", "class", "win chance lost", "points lost", "better"),
        [
            (
                decision.ply,
                decision.seat,
                decision.options,
                decision.chosen.notation,
                decision.judged,
                format_half_interval(decision.lost_wins),
                format_half_interval(decision.lost_points),
                decision.best.notation if decision.best.action != decision.chosen.action else "",
            )
            for decision in decisions
        ],
    )
    if every:
        print_text()
        print_table(
            ("ply", "roll", *(f"luck of seat {seat}" for seat in range(len(strategies)))),
            [
                (roll.ply, roll.notation, *(f"{value:+.1f}" for value in roll.luck_points))
                for roll in reviewed.rolls
            ],
        )
