"""A comparison as text: first what it says, then what that rests on."""

import math
from typing import TYPE_CHECKING

from pipelines.cli.output import print_table, print_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.experiments.compare.comparison import Comparison
    from pipelines.statistics import Interval


def print_report(found: "Comparison") -> None:
    """Write a comparison: first what it says, then what that rests on."""
    print_text(found.verdict)
    failed = [control.name for control in found.controls if control.holds is False]
    if failed:
        print_text(f"Do not trust it yet: these controls fail: {', '.join(failed)}")
    unfinished = "" if found.is_finished else " so far"
    played = (
        f"{found.blocks:,} blocks of {found.games_per_block} games{unfinished}, {found.arrangement}, "
        f"{found.ruleset}, seed {found.seed}, log {found.log}"
    )
    print_text()
    for key, value in (
        ("compared", found.estimand),
        ("played", played),
        ("stopping", _format_stopping(found)),
        ("run", found.run),
        ("again", found.command),
    ):
        if value:
            print_text(f"{key:<9} {value}")
    print_text()
    _print_pairs(found)
    if any(pair.parts for pair in found.pairs) and len(found.pairs) <= 3:
        print_text()
        _print_parts(found)
    print_text()
    _print_sides(found)
    print_text()
    print_table(
        ("seat", "score above the mean of its game", "win share"),
        [(edge.seat, _format_interval(edge.score), _format_percent(edge.win_share)) for edge in found.seats],
    )
    print_text()
    print_table(
        ("control", "", "what was found"),
        [(control.name, _CONTROL_WORDS[control.holds], control.says) for control in found.controls],
    )


_CONTROL_WORDS = {True: "holds", False: "FAILS", None: "unknown"}


def _format_stopping(found: "Comparison") -> str:
    if not found.is_sequential:
        return ""
    equal = f", or equality within {found.margin:g}" if found.margin is not None else ""
    decided = all(pair.decision not in {None, "undecided"} for pair in found.pairs)
    ended = "decided" if decided else "the budget was spent" if found.blocks == found.most_blocks else "open"
    return (
        f"when the sign is settled{equal}, at most {found.most_blocks:,} blocks: {ended}; "
        "a wrong answer at any look has a chance of 5 % at most"
    )


def _print_pairs(found: "Comparison") -> None:
    from pipelines.experiments.compare.verdict import METRIC_WORDINGS

    unit = METRIC_WORDINGS[found.metric]
    print_table(
        (
            "A",
            "B",
            f"A - B in {unit.many}, 95 %",
            "p (Holm)" if len(found.pairs) > 1 else "p",
            "A wins, 95 %",
            "A does better, 95 %",
            "could detect",
            "differing blocks",
        ),
        [
            (
                pair.a,
                pair.b,
                _format_interval(pair.difference, unit.scale),
                f"{pair.p_holm:.2g}",
                _format_percent(pair.win_share),
                _format_percent(pair.better),
                "" if pair.detectable is None else f"{pair.detectable * unit.scale:.2g}",
                f"{100 * pair.differing.estimate:.0f} %",
            )
            for pair in found.pairs
        ],
    )


def _print_parts(found: "Comparison") -> None:
    print_table(
        ("A", "B", "points of A - B from", "95 %"),
        [
            (pair.a, pair.b, part.part, _format_interval(part.difference))
            for pair in found.pairs
            for part in pair.parts
        ],
    )


def _print_sides(found: "Comparison") -> None:
    elo = {rating.strategy: rating for rating in found.ratings}
    rows: list[Sequence[object]] = [
        (
            side.strategy,
            _format_interval(side.score),
            _format_percent(side.win_share),
            _format_interval(elo[side.strategy].elo) if side.strategy in elo else "",
        )
        for side in found.sides
    ]
    print_table(("strategy", "score of a seat, 95 %", "wins of a seat, 95 %", "rating, 95 %"), rows)


def _format_interval(
    interval: "Interval | None", scale: float = 1, *, exact: tuple[float, ...] = (0.0,)
) -> str:
    """Write an estimate with its interval, with as many decimals as it deserves."""
    from pipelines.experiments.compare.verdict import format_interval_numbers

    if interval is None:
        return "not enough games"
    scaled = type(interval)(*(0.0 if abs(value) < 1e-12 else value * scale for value in interval))
    if not all(map(math.isfinite, scaled)):
        return "{} ({} to {})".format(*(f"{value:.0f}" for value in scaled))
    return "{} ({} to {})".format(*format_interval_numbers(scaled, exact=exact))


def _format_percent(share: "Interval | None") -> str:
    if share is None:
        return "not enough games"
    return _format_interval(share, 100, exact=(0.0, 50.0, 100.0)).replace(" (", " % (", 1)
