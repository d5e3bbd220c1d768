"""The command that values the decisions and rolls of a game: review."""

import time
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pipelines.cli import completion
from pipelines.cli.options import DataOption, JsonOption, QuietOption, RunArgument, open_library
from pipelines.cli.output import format_cell_interval, print_json, print_table, print_text
from pipelines.cli.progress import compile_run_games, report_estimated_progress
from pipelines.report.wording import format_duration

if TYPE_CHECKING:
    from pipelines.experiments.review.review_results import Measure, Review
    from pipelines.runs.run import Run


def review(
    run: RunArgument,
    game: Annotated[int, typer.Argument(metavar="GAME", min=0, help="Number of the game.")],
    *,
    policy: Annotated[
        str | None,
        typer.Option(
            "--policy",
            metavar="X",
            autocompletion=completion.complete_strategies,
            help="Strategy that plays all seats in the playouts; by default greedy, in games without dice noisy.",
        ),
    ] = None,
    effort: Annotated[
        float,
        typer.Option("--effort", metavar="F", min=0.1, max=100, help="Factor of the number of playouts."),
    ] = 1.0,
    seed: Annotated[int, typer.Option("--seed", metavar="SEED", min=0, help="Seed of the playouts.")] = 0,
    by: Annotated[
        Literal["win", "points"],
        typer.Option(
            "--by",
            help="What decisions are judged by: lost win chance (and points where the win was settled), or points alone.",
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
        _print_review(stored, reviewed, by=by, every=every)
        print_text(
            f"\n{format_duration(time.monotonic() - started)}, playouts by {reviewed.policy}, seed {seed}"
        )


def _print_review(run: "Run", reviewed: "Review", *, by: "Measure", every: bool) -> None:
    from pipelines.experiments.review.review_results import BAD_CLASSES, DECISION_CLASSES

    strategies = [seat.strategy for seat in run.seats(reviewed.game_id)]
    rows = []
    for seat, strategy in enumerate(strategies):
        ledger = reviewed.ledger(seat)
        rows.append(
            (
                seat + 1,
                strategy,
                *(f"{value:+.1f}" for value in (ledger.start, ledger.luck, ledger.own, ledger.others)),
                f"{ledger.result:g}",
                *reviewed.class_counts(seat, by).values(),
            )
        )
    columns = (
        "player",
        "strategy",
        "start",
        "luck",
        "own",
        "others",
        "result",
        *DECISION_CLASSES,
    )
    print_table(columns, rows)
    print_text(f"{describe_ledger(lowest_wins=reviewed.lowest_wins)}\n{describe_classes(reviewed, by)}\n")
    decisions = [decision for decision in reviewed.decisions if every or decision.class_by(by) in BAD_CLASSES]
    if not decisions:
        print_text("no inaccuracy, mistake or blunder that the intervals support")
        return
    print_table(
        ("ply", "player", "options", "chosen", "class", "by", "win chance lost", "points lost", "better"),
        [
            (
                decision.ply,
                decision.seat + 1,
                decision.options,
                decision.chosen.notation,
                decision.class_by(by),
                "points" if decision.win_settled else by,
                format_cell_interval(decision.lost_wins),
                format_cell_interval(decision.lost_points),
                decision.best.notation if decision.best.action != decision.chosen.action else "",
            )
            for decision in decisions
        ],
    )
    if every:
        print_text()
        print_table(
            ("ply", "roll", *(f"luck of player {seat + 1}" for seat in range(len(strategies)))),
            [
                (roll.ply, roll.notation, *(f"{value:+.1f}" for value in roll.luck_points))
                for roll in reviewed.rolls
            ],
        )


def describe_ledger(*, lowest_wins: bool) -> str:
    """Return the sum that the ledgers in points make, and what their signs mean."""
    if lowest_wins:
        return (
            "start - luck - own decisions - others' decisions = result, in points; "
            "the lowest score wins: + is good for the player, because it means fewer points"
        )
    return "start + luck + own decisions + others' decisions = result, in points; + is good for the player"


def describe_classes(reviewed: "Review", by: "Measure") -> str:
    """Return what the classes of decisions rest on."""
    from pipelines.experiments.review.review_results import POINT_THRESHOLDS, WIN_THRESHOLDS

    points = POINT_THRESHOLDS.scale(reviewed.score_spread)
    by_points = f"at least {points.inaccuracy:.1f}, {points.mistake:.1f}, {points.blunder:.1f} points lost"
    if by == "points":
        return f"inaccuracy, mistake, blunder: {by_points} (a sixth, a third, two thirds of the spread of the scores)"
    return (
        f"inaccuracy, mistake, blunder: at least {WIN_THRESHOLDS.inaccuracy:.0%}, {WIN_THRESHOLDS.mistake:.0%}, "
        f"{WIN_THRESHOLDS.blunder:.0%} of the win chance lost; where the win was settled, {by_points}"
    )
