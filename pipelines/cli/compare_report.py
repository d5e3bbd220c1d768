"""A comparison as text: first the verdict, then the figures that it rests on."""

import math
from typing import TYPE_CHECKING, Final

from pipelines.cli.output import print_table, print_text

if TYPE_CHECKING:
    from pipelines.experiments.compare.comparison import Comparison
    from pipelines.statistics import Interval

_CONTROL_WORDS: Final = {True: "holds", False: "FAILS", None: "unknown"}


def print_report(comparison: "Comparison") -> None:
    """Print a comparison: first the verdict, then the figures that it rests on."""
    print_text(comparison.verdict)
    for sentence in comparison.consequences:
        print_text(f"- {sentence}")
    failed = [control.name for control in comparison.controls if control.holds is False]
    if failed:
        print_text(f"Do not trust this result yet. These controls fail: {', '.join(failed)}")
    unfinished = "" if comparison.is_finished else " so far"
    played = (
        f"{comparison.blocks:,} blocks of {comparison.games_per_block} games{unfinished}, {comparison.arrangement}, "
        f"{comparison.ruleset}, seed {comparison.seed}, log {comparison.log}"
    )
    print_text()
    for key, value in (
        ("compared", comparison.estimand),
        ("played", played),
        ("stopping", _format_stopping(comparison)),
        ("validity", comparison.interval_validity),
        ("run", comparison.run),
        ("command", comparison.command),
    ):
        if value:
            print_text(f"{key:<9} {value}")
    print_text()
    _print_pairs(comparison)
    if any(pair.parts for pair in comparison.pairs) and len(comparison.pairs) <= 3:
        print_text()
        _print_parts(comparison)
    print_text()
    _print_sides(comparison)
    print_text()
    print_table(
        ("player", "score above the mean of its game", "win share"),
        [
            (edge.seat + 1, _format_interval(edge.score), _format_percent(edge.win_share))
            for edge in comparison.seats
        ],
    )
    print_text()
    print_table(
        ("control", "result", "finding"),
        [(control.name, _CONTROL_WORDS[control.holds], control.says) for control in comparison.controls],
    )


def _format_stopping(comparison: "Comparison") -> str:
    if not comparison.is_sequential:
        return ""
    equal = f", or equality within {comparison.margin:g}" if comparison.margin is not None else ""
    if all(pair.decision not in {None, "undecided"} for pair in comparison.pairs):
        state = "decided"
    else:
        state = "budget spent" if comparison.blocks == comparison.most_blocks else "open"
    return (
        f"when the sign is settled{equal}, at most {comparison.most_blocks:,} blocks: {state}; "
        "the chance of a wrong answer is at most 5 %, unless rare large differences that the blocks played do not show "
        "outweigh the others"
    )


def _print_pairs(comparison: "Comparison") -> None:
    from pipelines.design.metrics import METRICS

    metric = METRICS[comparison.metric]
    print_table(
        (
            "A",
            "B",
            f"A - B in {metric.many}, 95 %",
            "p (Holm)" if len(comparison.pairs) > 1 else "p",
            "A wins, 95 %",
            "A does better, 95 %",
            "smallest detectable difference",
            "blocks that differ",
        ),
        [
            (
                pair.a,
                pair.b,
                _format_interval(pair.difference, metric.scale),
                f"{pair.p_holm:.2g}",
                _format_percent(pair.win_share),
                _format_percent(pair.better),
                "" if pair.detectable is None else f"{pair.detectable * metric.scale:.2g}",
                f"{100 * pair.differing.estimate:.0f} %",
            )
            for pair in comparison.pairs
        ],
    )


def _print_parts(comparison: "Comparison") -> None:
    print_table(
        ("A", "B", "points of A - B from", "95 %"),
        [
            (pair.a, pair.b, part.part, _format_interval(part.difference))
            for pair in comparison.pairs
            for part in pair.parts
        ],
    )


def _print_sides(comparison: "Comparison") -> None:
    elo = {rating.strategy: _format_interval(rating.elo) for rating in comparison.ratings}
    print_table(
        ("strategy", "score of a seat, 95 %", "wins of a seat, 95 %", "rating, 95 %"),
        [
            (
                side.strategy,
                _format_interval(side.score),
                _format_percent(side.win_share),
                elo.get(side.strategy),
            )
            for side in comparison.sides
        ],
    )


def _format_interval(
    interval: "Interval | None", scale: float = 1, *, exact: tuple[float, ...] = (0.0,)
) -> str:
    """Format an estimate with its interval, multiplied by `scale`, with the decimals that the interval justifies.

    No end of the interval is rounded to one of the numbers in `exact`, unless it is that number.
    """
    from pipelines.statistics.rounding import format_interval_numbers

    if interval is None:
        return "not enough games"
    scaled = type(interval)(*(0.0 if abs(value) < 1e-12 else value * scale for value in interval))
    if all(map(math.isfinite, scaled)):
        estimate, low, high = format_interval_numbers(scaled, exact=exact)
    else:
        estimate, low, high = (f"{value:.0f}" for value in scaled)
    return f"{estimate} ({low} to {high})"


def _format_percent(share: "Interval | None") -> str:
    if share is None:
        return "not enough games"
    return _format_interval(share, 100, exact=(0.0, 50.0, 100.0)).replace(" (", " % (", 1)
