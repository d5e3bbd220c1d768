"""The command that values what was played: review."""

import time
from typing import TYPE_CHECKING, Annotated, Final

import typer

from pipelines.cli.output import (
    DataOption,
    JsonOption,
    QuietOption,
    format_duration,
    format_half_interval,
    open_library,
    print_json,
    print_table,
    print_text,
)
from pipelines.cli.progress import compile_run_games, report_estimated_progress
from pipelines.cli.runs import RunArgument

if TYPE_CHECKING:
    from pipelines.experiments.review.review import Review
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
            help="Strategy of all seats in the playouts that value a position: greedy, in games without dice noisy.",
        ),
    ] = None,
    effort: Annotated[
        float, typer.Option("--effort", metavar="F", min=0.1, max=100, help="Multiplies the playouts.")
    ] = 1.0,
    seed: Annotated[int, typer.Option("--seed", metavar="SEED", min=0, help="Seed of the playouts.")] = 0,
    every: Annotated[
        bool, typer.Option("--all", help="List every decision and roll, not only what mattered.")
    ] = False,
    data: DataOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Value every decision and every roll of a game.

    What was given away, and what luck brought.
    """
    from pipelines.experiments.review.review import review_game as look

    found = open_library(data).run(run)
    compile_run_games(found, quiet=quiet)
    started = time.monotonic()
    with report_estimated_progress("review", found.game(game).plies + 1, "plies", quiet=quiet) as tell:

        def report_plies(done: int, _plies: int) -> bool:
            tell(done)
            return True

        reviewed = look(found, game, policy=policy, seed=seed, effort=effort, progress=report_plies)
    if reviewed is None:
        raise AssertionError("nobody stopped it")
    if as_json:
        print_json(reviewed.as_json())
    else:
        _print_review(found, reviewed, every=every)
        print_text(
            f"\n{format_duration(time.monotonic() - started)}, playouts by {reviewed.policy}, seed {seed}"
        )


def _print_review(run: "Run", found: "Review", *, every: bool) -> None:
    names = [seat.strategy for seat in run.seats(found.game_id)]
    rows = []
    for seat, name in enumerate(names):
        points, counts = found.ledger(seat), found.class_counts(seat)
        cells = (points.start, points.luck, points.own, points.others)
        rows.append(
            (seat, name, *(f"{value:+.1f}" for value in cells), f"{points.result:g}", *counts.values())
        )
    print_table(
        (
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
        ),
        rows,
    )
    print_text("start + luck + own decisions + others' decisions = result, in points\n")
    decisions = [one for one in found.decisions if every or one.judged in LISTED_CLASSES]
    if not decisions:
        print_text("no inaccuracy, mistake or blunder that the intervals support")
        return
    print_table(
        ("ply", "seat", "options", "chosen", "class", "win chance lost", "points lost", "better"),
        [
            (
                one.ply,
                one.seat,
                one.options,
                one.chosen.notation,
                one.judged,
                format_half_interval(one.lost_wins),
                format_half_interval(one.lost_points),
                one.best.notation if one.best.action != one.chosen.action else "",
            )
            for one in decisions
        ],
    )
    if every:
        print_text()
        print_table(
            ("ply", "roll", *(f"luck of seat {seat}" for seat in range(len(names)))),
            [(one.ply, one.notation, *(f"{value:+.1f}" for value in one.luck_points)) for one in found.rolls],
        )
