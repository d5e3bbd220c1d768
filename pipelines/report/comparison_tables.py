"""The tables of a comparison. Strategies have their short names; ranges in brackets are 95 % intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from pipelines.design.metrics import METRICS
from pipelines.design.short_names import short_names
from pipelines.experiments.pair_results import PairResult, rank_strategies
from pipelines.report import estimates
from pipelines.report.table import Cell, Table, make_table
from pipelines.report.wording import format_count
from pipelines.statistics.rounding import format_short_interval

if TYPE_CHECKING:
    from pipelines.experiments.comparison import Comparison, TwinGames
    from pipelines.statistics import Interval

_CONTROL_RESULTS: Final = {True: "holds", False: "FAILS", None: "unknown"}


def pairs_table(comparison: Comparison) -> Table:
    """Return a row for each pair: its difference, its wins, and how much its games could show."""
    metric, names = METRICS[comparison.metric], short_names(comparison.strategies)
    pairs = comparison.pairs
    return Table(
        "Every pair",
        (
            "A",
            "B",
            f"A − B in {metric.many}",
            "p (Holm)" if len(pairs) > 1 else "p",
            "A wins of 100",
            "A does better with the same luck, of 100",
            "blocks in which they differ, of 100",
            "smallest difference to be found",
            "gain from the same luck",
            "blocks",
        ),
        tuple(
            (
                names[pair.a],
                names[pair.b],
                difference,
                estimates.format_p_value(pair.p_holm),
                *shares,
                None if pair.detectable is None else _shorten(metric.scale * pair.detectable),
                None if not pair.variance_ratio else _shorten(1 / pair.variance_ratio),
                pair.blocks,
            )
            for pair, difference, *shares in zip(
                pairs,
                estimates.format_intervals(
                    [pair.difference for pair in pairs], scale=metric.scale, signed=True
                ),
                estimates.format_shares([pair.win_share for pair in pairs]),
                estimates.format_shares([pair.better for pair in pairs]),
                estimates.format_shares([pair.differing for pair in pairs]),
                strict=True,
            )
        ),
        "A wins: games that A wins against B, with all its seats; a tie is split. A does better with the same luck: how often "
        "A scores better than B on the same seat with the same luck; a tie counts one half. Smallest difference to be found: "
        "the true difference that this number of blocks finds in 80 of 100 comparisons. Gain from the same luck: how many "
        "times as many games with separate luck would be needed for the same precision.",
    )


def difference_matrix(comparison: Comparison, names: Mapping[str, str]) -> Table:
    """Return the strategy of the row minus that of the column, the strongest first; a star marks those that a verdict names."""
    metric = METRICS[comparison.metric]
    cells: dict[tuple[str, str], str] = {}
    for pair in comparison.pairs:
        if pair.difference is not None:
            star = " *" if pair.verdict.kind in {"more", "fewer"} else ""
            for sides, sign in (((pair.a, pair.b), 1), ((pair.b, pair.a), -1)):
                difference = pair.difference.times(sign)
                text = f"{format_short_interval(difference.times(metric.scale), signed=True)}{star}"
                cells[sides] = estimates.write_interval_text(text, difference)
    order = rank_strategies(comparison.pairs)
    return Table(
        "Every strategy against every other",
        ("minus the column", *(names[name] for name in order)),
        tuple((names[row], *(cells.get((row, column), "") for column in order)) for row in order),
        f"The strategy of the row minus that of the column, in {metric.many}, with its 95 % interval. * marks "
        "differences whose sign is clear, at 5 % after Holm's correction for all pairs.",
    )


def parts_table(comparison: Comparison, names: Mapping[str, str]) -> Table:
    """Return the difference of each pair in each part of the score."""
    parts = [(pair, part) for pair in comparison.pairs for part in pair.parts]
    differences = estimates.format_intervals([part.difference for _, part in parts], signed=True)
    return Table(
        "Every part of the score",
        ("A", "B", "part", "A − B in points"),
        tuple(
            (names[pair.a], names[pair.b], part.part, difference)
            for (pair, part), difference in zip(parts, differences, strict=True)
        ),
        "The parts add up to the difference of the scores.",
    )


def sides_table(comparison: Comparison) -> Table:
    """Return the mean score and the rating of every strategy, and its wins if every strategy plays in every game.

    In a duel of more than two seats a strategy has several seats, which win less often than the strategy: that is another
    figure than its wins.
    """
    names = short_names(comparison.strategies)
    rated = {rating.strategy: rating.elo for rating in comparison.ratings}
    has_wins = comparison.arrangement == "rotate" or comparison.players == 2
    columns = ["strategy", "score of a seat", *(["wins of 100 games"] if has_wins else [])]
    ratings = [rated.get(side.strategy) for side in comparison.sides]
    decimals = estimates.share_decimals(ratings)
    rows: list[tuple[Cell, ...]] = [
        (
            names[side.strategy],
            score,
            *([wins] if has_wins else []),
            *([_format_rating(rating, decimals)] if rated else []),
            comparison.blocks * side.seats_per_block,
        )
        for side, score, wins, rating in zip(
            comparison.sides,
            estimates.format_intervals([side.score for side in comparison.sides]),
            estimates.format_shares([side.win_share for side in comparison.sides]),
            ratings,
            strict=True,
        )
    ]
    about_ratings = (
        " Rating (Plackett-Luce): the mean is 0, and 400 points more mean odds of ten to one to finish ahead. It is "
        "not finite if some strategy was never ahead of another one, not even through others."
    )
    return Table(
        "The results of every strategy",
        (*columns, *(["rating"] if rated else []), "results"),
        tuple(rows),
        f"Over all games of the run.{about_ratings if rated else ''}",
    )


def _format_rating(elo: Interval | None, decimals: int) -> str:
    """Return a rating with its interval, which has no finite end if the strategy always or never wins."""
    is_finite = elo is not None and all(map(math.isfinite, elo[1:]))
    return estimates.format_interval(elo, decimals=decimals) if is_finite else "not finite"


def seats_table(comparison: Comparison) -> Table:
    """Return how much each seat is worth."""
    return Table(
        "The effect of each seat",
        ("player", "effect", "wins of 100 games"),
        tuple(
            (edge.seat + 1, score, wins)
            for edge, score, wins in zip(
                comparison.seats,
                estimates.format_intervals([edge.score for edge in comparison.seats], signed=True),
                estimates.format_shares([edge.win_share for edge in comparison.seats]),
                strict=True,
            )
        ),
        "Effect: the score on this seat minus the mean score of the game, over all strategies, with the 95 % interval from "
        f"{format_count(comparison.blocks, 'block')}. Player 1 starts.",
    )


def controls_table(comparison: Comparison) -> Table:
    """Return the controls: facts that hold in every sound comparison."""
    rows = tuple(
        (control.name, _CONTROL_RESULTS[control.holds], control.says) for control in comparison.controls
    )
    return Table("Checks of this comparison", ("control", "result", "finding"), rows)


def quantiles_table(comparison: Comparison, pair: PairResult) -> Table:
    """Return how the strategies of a pair differ in their worst and in their best games."""
    names, metric = short_names(comparison.strategies), METRICS[comparison.metric]
    return Table(
        "Quantiles of both",
        ("games", names[pair.a], names[pair.b], "difference"),
        tuple(
            (
                f"{quantile.share * 100:.0f} of 100 score less"
                if quantile.share != 0.5
                else "half score less",
                metric.scale * quantile.a,
                metric.scale * quantile.b,
                difference,
            )
            for quantile, difference in zip(
                pair.quantiles,
                estimates.format_intervals(
                    [quantile.difference for quantile in pair.quantiles],
                    signed=True,
                    scale=metric.scale,
                    when_equal="no interval",
                ),
                strict=True,
            )
        ),
        f"Quantiles of the results of single games, in {metric.many}, and the differences with their 95 % intervals from "
        f"{format_count(pair.blocks, 'block')}. No interval: it is the same in all samples drawn from them, which does not make it exact.",
    )


def twins_table(twins: Sequence[TwinGames], a: str, b: str) -> Table:
    """Return a row for each pair of twin games of the strategies `a` and `b`, by their short names."""
    return Table(
        "The twin games that differ most",
        # Two settings of a strategy may have the same short name, but columns need different ones.
        ("player", f"game of {a}", f"game of {b} ", f"{a} scores", f"{b} scores ", "difference"),
        tuple(
            (twin.seat + 1, twin.game_a + 1, twin.game_b + 1, twin.score_a, twin.score_b, twin.difference)
            for twin in twins
        ),
        f"Twin games have the same luck and the same seat, once with {a} and once with {b}.",
        formats=dict.fromkeys((f"game of {a}", f"game of {b} "), "d"),
    )


def quantile_numbers(comparison: Comparison, pair: PairResult) -> Table:
    """Return the quantiles of a pair with full names and full precision, for a file."""
    scale = METRICS[comparison.metric].scale
    rows: list[dict[str, Cell]] = [
        {
            "A": pair.a,
            "B": pair.b,
            "share": quantile.share,
            "result of A": scale * quantile.a,
            "result of B": scale * quantile.b,
            **_interval_cells(("difference", "from", "to"), quantile.difference.times(scale)),
        }
        for quantile in pair.quantiles
    ]
    return make_table("Quantiles of both", rows)


def twin_numbers(twins: Sequence[TwinGames], pair: PairResult) -> Table:
    """Return a row for each pair of twin games, with full names, for a file."""
    rows: list[dict[str, Cell]] = [
        {
            "A": pair.a,
            "B": pair.b,
            "player": twin.seat + 1,
            "game of A": twin.game_a + 1,
            "game of B": twin.game_b + 1,
            "score of A": twin.score_a,
            "score of B": twin.score_b,
            "difference": twin.difference,
        }
        for twin in twins
    ]
    return make_table("The twin games that differ most", rows)


def _shorten(number: float) -> float:
    return float(f"{number:.3g}")


def pair_numbers(comparison: Comparison) -> Table:
    """Return the numbers of every pair with full names and full precision, for a file."""
    rows: list[dict[str, Cell]] = [
        {
            "A": pair.a,
            "B": pair.b,
            **_interval_cells(("A - B", "from", "to"), pair.difference),
            "p (Holm)": pair.p_holm,
            **_interval_cells(("A wins", "wins from", "wins to"), pair.win_share),
            **_interval_cells(("A better",), pair.better),
            "blocks that differ": pair.differing.estimate,
            "detectable difference": pair.detectable,
            "variance ratio": pair.variance_ratio,
            "blocks": pair.blocks,
        }
        for pair in comparison.pairs
    ]
    fractions = [name for name in rows[0] if name not in {"A", "B", "blocks"}]
    return make_table("The numbers of every pair", rows, formats=dict.fromkeys(fractions, "g"))


def side_numbers(comparison: Comparison) -> Table:
    """Return the results of every strategy with full names and full precision, for a file."""
    rated = {rating.strategy: rating.elo for rating in comparison.ratings}
    rating_names = ("rating", "rating from", "rating to") if rated else ()
    rows: list[dict[str, Cell]] = [
        {
            "strategy": side.strategy,
            **_interval_cells(("mean score", "score from", "score to"), side.score),
            **_interval_cells(("win share", "wins from", "wins to"), side.win_share),
            **_interval_cells(rating_names, rated.get(side.strategy)),
            "results": comparison.blocks * side.seats_per_block,
        }
        for side in comparison.sides
    ]
    fractions = [name for name in rows[0] if name not in {"strategy", "results"}]
    return make_table("The numbers of every strategy", rows, formats=dict.fromkeys(fractions, "g"))


def _interval_cells(names: Sequence[str], interval: Interval | None) -> dict[str, Cell]:
    """Return the estimate and the ends of an interval, as many as have names."""
    return dict(zip(names, interval or (None, None, None), strict=False))
