"""What was measured for Reroll, in words, tables and charts: the ladder, perfect play, calibration, reconstructed tables, speed."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from engine.wording import capitalise
from pipelines.design.short_names import short_names
from pipelines.records import strategies
from pipelines.report import wording
from pipelines.report.charts import Calibration, CalibrationLine, CalibrationPoint, Estimate, Intervals, Mark
from pipelines.report.estimates import format_intervals
from pipelines.report.table import Cell, Table, make_table
from pipelines.statistics.rounding import format_interval_numbers, set_minus_signs, split_sign

if TYPE_CHECKING:
    from pipelines.experiments.comparison import Comparison
    from pipelines.records.record_file import Measurement
    from pipelines.statistics import Interval
    from pipelines.viewer.palette import SeriesLook

LARGE_ERROR: Final = 0.02
"""An error of a tenth is named in words if its whole interval is beyond this."""
PERFECT_PLAY_PURPOSE: Final = (
    "Three small games for two players, made for this purpose, are solved: for every position it is known which lead "
    "two perfect players can expect, over all dice. Here every strategy plays against a perfect player."
)
PERFECT_PLAY_BASIS: Final = (
    "Points behind: how many points the strategy is behind the perfect player at the end of a game; a perfect player "
    "would be 0 behind. A tie counts as half a win. Ranges in brackets are 95 % intervals; every block is played once in "
    f"each seat. `{strategies.PERFECT_PLAY_COMMAND}` measures it again."
)
CALIBRATION_BASIS: Final = (
    "A review predicts wins by playing a position to the end many times with one fast strategy. Each game gives five "
    "predictions for one of its players, on luck that was used for nothing else. Ranges in brackets are 95 % intervals "
    f"over blocks; a block is one game. `{strategies.CALIBRATION_COMMAND}` measures it again."
)


def describe_perfect_play(record: strategies.PerfectPlayRecord) -> str:
    """Return what two perfect players can expect, and how it was found."""
    return (
        f"The first of two perfect players leads by {record.lead:.2f} points on average; this is exact. "
        f"{record.positions:,} positions were solved in {record.seconds:.0f} s."
    )


def describe_calibration(case: strategies.CalibrationCase, name: str) -> str:
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


def describe_ladder(title: str, records: Mapping[str, strategies.LadderRecord]) -> str:
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
            f"{wording.name_amount(numbers.estimate)} a game ahead of {next_best} {span}."
        )
    if sign == 0:
        return (
            f"{capitalise(best)} and {next_best} stand highest of {wording.format_count(len(records), 'strategy')} in {title}; "
            f"{best} is not clearly ahead of {next_best} ({wording.name_amount(numbers.estimate)} a game, {span[1:]}."
        )
    return f"{capitalise(best)} is {wording.name_amount(numbers.estimate)} a game behind {next_best} in {title} {span}."


def describe_robustness(sha256: str) -> str:
    """Return on how many plausible tables the ladder of a ruleset has the same order, and which pair depends most on ours.

    The text is empty for a ruleset that was not measured.
    """
    record = strategies.find_robustness_record(sha256)
    if record is None:
        return ""
    weakest = min(record.pairs, key=lambda pair: pair.ahead)
    names = short_names([name for pair in record.pairs for name in (pair.strategy, pair.against)])
    order = (
        f"With other plausible tables in place of ours, the strategies of the ladder keep their order in "
        f"{_format_count(record.ordered, record.draws, record.share)}"
        f"{f'; two neighbours clearly change places in {record.swapped}' if record.swapped else ''}."
    )
    if weakest.ahead == record.draws:
        return order
    return (
        f"{order} Most depends on our tables that {names[weakest.strategy]} is ahead of {names[weakest.against]}: clearly in "
        f"{_format_count(weakest.ahead, weakest.draws, weakest.share)}{_format_behind(weakest)}."
    )


def describe_pairs_robustness(comparison: Comparison) -> str:
    """Return on how many plausible tables one of two compared strategies is ahead, for each pair that was measured."""
    record = strategies.find_robustness_record(comparison.sha256)
    if record is None:
        return ""
    compared = {frozenset((pair.a, pair.b)) for pair in comparison.pairs}
    pairs = [pair for pair in record.pairs if frozenset((pair.strategy, pair.against)) in compared]
    names = short_names(comparison.strategies)
    return " ".join(
        f"With other plausible tables in place of our reconstruction, {names[pair.strategy]} is clearly ahead of "
        f"{names[pair.against]} in mean points in {_format_count(pair.ahead, pair.draws, pair.share)}{_format_behind(pair)}."
        for pair in pairs
    )


def _format_behind(pair: strategies.PairRobustness) -> str:
    return f", clearly behind in {pair.behind}" if pair.behind else ""


def _format_count(count: int, draws: int, share: Interval) -> str:
    """Return on how many draws of the tables something holds, with the interval of the share.

    >>> from pipelines.statistics import wilson
    >>> _format_count(200, 200, wilson(200, 200))
    '200 of 200 cases (95 % interval 98.1 to 100.0 %)'
    """
    _, low, high = format_interval_numbers(share.times(100), exact=(0.0, 100.0))
    return f"{count} of {draws} cases (95 % interval {low} to {high} %)"


def perfect_play_table(record: strategies.PerfectPlayRecord) -> Table:
    """Return a row for each strategy, the one nearest to perfect play first."""
    distances = sorted(record.strategies, key=lambda distance: -distance.lead.estimate)
    names = short_names(distance.strategy for distance in distances)
    rows: list[dict[str, Cell]] = [
        {
            "strategy": names[distance.strategy],
            "points behind": points,
            "wins of 100": wins,
            "games": distance.games,
            "blocks": distance.blocks,
        }
        for distance, points, wins in zip(
            distances,
            format_intervals([distance.points_behind for distance in distances]),
            format_intervals([distance.percent_of_wins for distance in distances]),
            strict=True,
        )
    ]
    return make_table(f"Distances from perfect play: {record.title}", rows)


def calibration_table(case: strategies.CalibrationCase) -> Table:
    """Return a row for each tenth of the predictions."""
    rows: list[dict[str, Cell]] = [
        {
            "predicted, of 100": f"{100 * decile.low:.0f} to {100 * decile.low + 10:.0f}",
            "mean prediction": 100 * decile.predicted,
            "happened": happened,
            "error": error,
            "predictions": decile.predictions,
            "games": decile.blocks,
        }
        for decile, happened, error in zip(
            case.deciles,
            format_intervals([decile.happened for decile in case.deciles], scale=100),
            format_intervals([decile.error for decile in case.deciles], signed=True, scale=100),
            strict=True,
        )
    ]
    return make_table(f"Predictions in games of {case.players}", rows, formats={"mean prediction": ".1f"})


def tabulate_figures(measurements: Sequence[Measurement]) -> Table:
    """Return a row for each figure."""
    rows = tuple(
        (measurement.name, format_figure(measurement.value), measurement.unit) for measurement in measurements
    )
    return Table("Figures", ("measurement", "figure", "unit"), rows)


def format_figure(value: float | None) -> str:
    """Format a figure with about three significant digits.

    >>> format_figure(58123.4), format_figure(1.834), format_figure(None)
    ('58,123', '1.83', '-')
    """
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"


def ladder_chart(
    title: str, records: Mapping[str, strategies.LadderRecord], looks: Mapping[str, SeriesLook]
) -> Intervals:
    """Return the lead of each strategy over the next weaker one, the strongest first, under what `describe_ladder` says of both."""
    names = short_names(records)
    labels = list(records)
    dots = [
        Estimate(
            f"{names[label]} over {names[weaker]}", "", names[label], lead, records[label].games, looks[label]
        )
        for weaker, label in reversed(list(itertools.pairwise(labels)))
        if (lead := records[label].lead)
    ]
    sentence = set_minus_signs(describe_ladder(title, records))
    return Intervals(
        dots, "lead in points a game over the next weaker one", sentence, "game", Mark(0, "equal")
    )


def calibration_chart(
    cases: Sequence[strategies.CalibrationCase], looks: Mapping[str, SeriesLook]
) -> Calibration:
    """Return predicted wins beside those that happened, a line for each case."""
    names = short_names(case.players for case in cases)
    lines = [
        CalibrationLine(
            f"games of {names[case.players]}",
            [
                CalibrationPoint(
                    100 * decile.predicted, decile.happened.times(100), decile.predictions, decile.blocks
                )
                for decile in case.deciles
            ],
            looks[case.players],
        )
        for case in cases
    ]
    return Calibration(lines, "Predicted wins of 100 and those that happened, with their intervals")
