"""Calibration: whether the shares of the win that a review predicts are the shares that happen.

    python -m benchmarks.calibration [RULESET...] [--blocks N] [--out FILE]

plays games on fresh luck, predicts the share of the win of a seat at some plies of each of them as a review does, and
compares the predictions with the results. It writes `benchmarks/calibration.json` and `calibration.md` beside it, after
every case; the cases of other rulesets do not change. All cases take about 15 minutes on one core.

A prediction is the mean result of playouts by one fast strategy. So it is right for players of that strategy, and it is a
question how right it is for better ones: both are measured.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from scipy.special import stdtrit

from benchmarks.command_line import (
    check_names,
    make_parser,
    parse_measuring,
    print_progress,
    with_exit_code,
)
from benchmarks.measuring_plan import read_plan
from benchmarks.record_pages import list_markdown_rows, write_record_file
from engine import games
from engine.catalogue import Catalogue
from engine.kernels.loader import find_kernel
from engine.luck import Luck
from engine.play import play_out
from engine.strategies import read_player
from pipelines.experiments.fork import choose_quick_strategy
from pipelines.experiments.reviewer import Reviewer
from pipelines.records.record_file import machine_stamp, read_record_file
from pipelines.records.strategies import CalibrationCase, CalibrationDecile, CalibrationFile
from pipelines.report.yardsticks import calibration_table
from pipelines.statistics import Interval, win_shares

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from engine.ruleset import Ruleset
    from pipelines.statistics.intervals import Floats, Integers

DEFAULT_BLOCKS: Final = 2000
FRESH_SEED: Final = 8000
"""No strategy was tuned with this seed: those of tuning begin at 900000."""
PLACES: Final = (0.1, 0.3, 0.5, 0.7, 0.9)
"""Places of the predictions in a game, as shares of its plies."""
DECILES: Final = 10
BATCH_BLOCKS: Final = 100


class Prediction(NamedTuple):
    """The predicted and the actual share of the win of a seat in one game."""

    block: int
    predicted: float
    happened: float
    playouts: int = 0
    """Number of playouts behind the prediction."""


@dataclass(frozen=True)
class PlayedGame:
    """A finished game."""

    block: int
    actions: list[int]
    win_shares: list[float]


def iter_games(ruleset: Ruleset, strategy: str, blocks: int, seed: int = FRESH_SEED) -> Iterator[PlayedGame]:
    """Yield one game of every block, with the same strategy on all seats."""
    game = games.find_game(ruleset.game)
    seating = [read_player(game, strategy)] * ruleset.players
    kernel = find_kernel(ruleset, seating)
    for first in range(0, blocks, BATCH_BLOCKS):
        batch_blocks = range(first, min(blocks, first + BATCH_BLOCKS))
        if kernel is None:
            for block in batch_blocks:
                end, plies = play_out(
                    game.start(ruleset), [player.decide for player in seating], Luck(seed, block)
                )
                yield PlayedGame(block, [ply.action for ply in plies], win_shares(end.ranks).tolist())
            continue
        batch = kernel.play([seating], seed, batch_blocks, logged=True)
        assert batch.log is not None  # noqa: S101 - logged=True
        actions = np.split(batch.log.action, np.cumsum(batch.plies)[:-1])
        for block, own_actions, shares in zip(batch_blocks, actions, win_shares(batch.ranks), strict=True):
            yield PlayedGame(block, own_actions.tolist(), shares.tolist())


def predict_game(ruleset: Ruleset, game: PlayedGame, effort: float = 1.0) -> list[Prediction]:
    """Return the predictions for one seat of a game, as a review makes them; the seat changes from block to block.

    Every game has playouts with luck of its own, so that errors of the predictions are independent between blocks.
    """
    reviewer = Reviewer(ruleset, game.actions, seed=FRESH_SEED + game.block, effort=effort)
    seat = game.block % ruleset.players
    predictions = []
    for place in PLACES:
        _, shares = reviewer.position_value(int(place * len(game.actions)))
        predictions.append(
            Prediction(game.block, shares[seat].estimate, game.win_shares[seat], reviewer.position_playouts)
        )
    return predictions


def summarise_predictions(predictions: Sequence[Prediction]) -> tuple[CalibrationDecile, ...]:
    """Return what was predicted and what happened in each tenth of the predicted share; empty tenths are left out."""
    blocks: Integers
    blocks = np.array([prediction.block for prediction in predictions])
    predicted: Floats
    predicted = np.array([prediction.predicted for prediction in predictions])
    happened = np.array([prediction.happened for prediction in predictions])
    tenths = np.minimum((predicted * DECILES).astype(np.int64), DECILES - 1)
    deciles = []
    for tenth in range(DECILES):
        inside = tenths == tenth
        if not inside.any():
            continue
        interval = mean_of_results(happened[inside], blocks[inside])
        error = mean_of_results(happened[inside] - predicted[inside], blocks[inside])
        if interval is None or error is None:
            continue  # one block says nothing about the others
        deciles.append(
            CalibrationDecile(
                low=tenth / DECILES,
                predicted=float(predicted[inside].mean()),
                happened=_clip_share(interval),
                error=error,
                predictions=int(inside.sum()),
                blocks=len(np.unique(blocks[inside])),
            )
        )
    return tuple(deciles)


def mean_of_results(values: Floats, blocks: Integers, level: float = 0.95) -> Interval | None:
    """Return the mean of results with its interval; results of a block share their luck. None for fewer than two blocks.

    Both arrays have one entry a result; `blocks` numbers the blocks from 0. Blocks may have different numbers of results.

    >>> interval = mean_of_results(np.array([0.0, 1.0, 1.0, 1.0, 0.0, 1.0]), np.array([0, 0, 1, 1, 2, 2]))
    >>> [round(bound, 2) for bound in interval]
    [0.67, -0.05, 1.38]
    """
    _, numbers = np.unique(blocks, return_inverse=True)
    counts, sums = np.bincount(numbers), np.bincount(numbers, values)
    if len(counts) < 2:
        return None
    mean = float(sums.sum()) / len(values)
    error = math.sqrt(float(np.sum((sums - mean * counts) ** 2)) * len(counts) / (len(counts) - 1)) / len(
        values
    )
    half = float(stdtrit(len(counts) - 1, (1 + level) / 2)) * error
    return Interval(mean, mean - half, mean + half)


def _clip_share(interval: Interval) -> Interval:
    return type(interval)(interval.estimate, max(0.0, interval.low), min(1.0, interval.high))


def measure_case(ruleset: Ruleset, strategy: str, blocks: int, effort: float = 1.0) -> CalibrationCase:
    """Measure the calibration for games in which a strategy plays on all seats; the empty name is that of the playouts."""
    policy = choose_quick_strategy(ruleset)
    players = strategy or policy
    predictions = [
        prediction
        for game in iter_games(ruleset, players, blocks)
        for prediction in predict_game(ruleset, game, effort)
    ]
    return CalibrationCase(
        ruleset=ruleset.name,
        sha256=ruleset.sha256,
        players=players,
        policy=policy,
        playouts=int(np.median([prediction.playouts for prediction in predictions])),
        blocks=blocks,
        seed=FRESH_SEED,
        machine=machine_stamp(),
        deciles=summarise_predictions(predictions),
    )


def replace_case(file: CalibrationFile, new: CalibrationCase) -> CalibrationFile:
    """Return a file with a new case, which replaces an earlier one of the same ruleset, players and playouts."""
    key = (new.ruleset, new.players, new.playouts)
    others = (case for case in file.cases if (case.ruleset, case.players, case.playouts) != key)
    return CalibrationFile(cases=(*others, new))


def format_calibration_page(file: CalibrationFile) -> str:
    """Return the cases as a page in Markdown."""
    lines = [
        "# Are predicted wins right?",
        "",
        "A review predicts the share of the win of every player after every move: it plays the position to the end many times",
        "with one fast strategy on all seats, the strategy of the *playouts*. The command",
        "",
        "```sh",
        file.command,
        "```",
        "",
        "compares predictions with results, on luck that was used for nothing else. Each game gives five predictions, after",
        "10, 30, 50, 70 and 90 % of its moves, for one of its players. Ranges are 95 % intervals over games, each with luck of its",
        "own. Predictions and what happened are wins of 100; *error*: what happened minus what was predicted.",
    ]
    for case in file.cases:
        who = "the strategy of the playouts" if case.is_of_playouts else f"playouts by {case.policy}"
        lines += [
            "",
            f"## {case.ruleset}: {case.players} on all seats ({who})",
            "",
            f"{case.predictions:,} predictions in {case.blocks:,} games, each from {case.playouts} playouts.",
            "",
            *list_markdown_rows(calibration_table(case)),
        ]
    return "\n".join(lines) + "\n"


@with_exit_code
def main(words: Sequence[str] | None = None) -> None:
    """Measure the cases of the rulesets that the command line names."""
    parser = make_parser("calibration", __doc__)
    arguments = parse_measuring(parser, words, "calibration.json", DEFAULT_BLOCKS, "games of each case")
    cases = read_plan().calibration
    known = list(dict.fromkeys(case.ruleset for case in cases))
    check_names(arguments.names, known, "ruleset of the calibration")
    catalogue = Catalogue()
    for plan in cases:
        if arguments.names and plan.ruleset not in arguments.names:
            continue
        ruleset = catalogue.find_ruleset(plan.ruleset)
        case = measure_case(ruleset, plan.strategy, arguments.blocks, plan.effort)
        file = replace_case(read_record_file(arguments.out, CalibrationFile), case)
        write_record_file(arguments.out, file, format_calibration_page)
        largest_error = max(abs(decile.error.estimate) for decile in case.deciles)
        print_progress(
            f"{case.ruleset}, {case.players}, {case.playouts} playouts: largest error {100 * largest_error:.1f} points"
        )


if __name__ == "__main__":
    sys.exit(main())
