"""Sentences on the recorded yardsticks: the ladder, perfect play, and the calibration of predicted wins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.counted_nouns import capitalise
from pipelines.design.lineups import short_names
from pipelines.records.calibration import CALIBRATION_COMMAND
from pipelines.records.perfect_play import PERFECT_PLAY_COMMAND
from pipelines.report import wording
from pipelines.statistics.rounding import split_sign

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.records.calibration import CalibrationCase
    from pipelines.records.ladder import LadderRecord
    from pipelines.records.perfect_play import PerfectPlayRecord

LARGE_ERROR: Final = 0.02
"""An error of a tenth is named in words if its whole interval is beyond this."""
PERFECT_PLAY_PURPOSE: Final = (
    "Three small games for two players, made for this purpose, are solved: for every position it is known which lead "
    "two perfect players can expect, over all dice. Here every strategy plays against a perfect player."
)
PERFECT_PLAY_BASIS: Final = (
    "Points behind: how many points the strategy is behind the perfect player at the end of a game; a perfect player "
    "would be 0 behind. A tie counts as half a win. Ranges in brackets are 95 % intervals; every block is played once in "
    f"each seat. `{PERFECT_PLAY_COMMAND}` measures it again."
)
CALIBRATION_BASIS: Final = (
    "A review predicts wins by playing a position to the end many times with one fast strategy. Each game gives five "
    "predictions for one of its players, on luck that was used for nothing else. Ranges in brackets are 95 % intervals "
    f"over blocks; a block is one game. `{CALIBRATION_COMMAND}` measures it again."
)


def describe_perfect_play(record: PerfectPlayRecord) -> str:
    """Return what two perfect players can expect, and how it was found."""
    return (
        f"The first of two perfect players leads by {record.lead:.2f} points on average; this is exact. "
        f"{record.positions:,} positions were solved in {record.seconds:.0f} s."
    )


def describe_calibration(case: CalibrationCase, name: str) -> str:
    """Return in a sentence whether predictions are right; it claims no more than the intervals do."""
    wrong = [
        decile
        for decile in case.deciles
        if decile.error.low > LARGE_ERROR or decile.error.high < -LARGE_ERROR
    ]
    who = (
        "the strategy that makes the predictions"
        if case.is_of_playouts
        else f"predicted by playouts of {case.policy}"
    )
    basis = f"{case.predictions:,} predictions in {case.blocks:,} games, each from {case.playouts} playouts"
    if not wrong:
        widest = max(decile.error.reach for decile in case.deciles)
        return (
            f"Games of {name} ({who}): no tenth of the predictions is clearly wrong by more than 2 of 100 wins; errors are "
            f"known to within ± {100 * widest:.1f} at worst ({basis})."
        )
    worst = max(wrong, key=lambda decile: abs(decile.error.estimate))
    direction = "more" if worst.error.estimate > 0 else "fewer"
    return (
        f"Games of {name} ({who}): {len(wrong)} of {len(case.deciles)} tenths of the predictions are wrong by more than 2 of "
        f"100 wins. The worst: where {100 * worst.predicted:.0f} wins of 100 are predicted, "
        f"{100 * worst.happened.estimate:.0f} happen, {direction} than predicted ({basis})."
    )


def describe_ladder(title: str, records: Mapping[str, LadderRecord]) -> str:
    """Return which strategies stand highest on a ladder, and by how much the highest leads; the weakest comes first.

    A strategy that is not clearly ahead of the next one stands beside it.
    """
    names = short_names(records)
    (second, _), (first, record) = list(records.items())[-2:]
    best, next_best = names[first], names[second]
    if record.lead is None:
        return f"{title}: how far {best} is ahead of {next_best} was not measured."
    sign, numbers = split_sign(record.lead)
    span = f"(95 % interval {numbers.low} to {numbers.high}; {wording.format_count(record.games, 'game')})"
    if sign > 0:
        return (
            f"{capitalise(best)} is the strongest of {wording.format_count(len(records), 'strategy')} in {title}: "
            f"{numbers.estimate} points a game ahead of {next_best} {span}."
        )
    if sign == 0:
        return (
            f"{capitalise(best)} and {next_best} stand highest of {wording.format_count(len(records), 'strategy')} in {title}; "
            f"{best} is not clearly ahead of {next_best} ({numbers.estimate} points a game, {span[1:]}."
        )
    return f"{capitalise(best)} is {numbers.estimate} points a game behind {next_best} in {title} {span}."
