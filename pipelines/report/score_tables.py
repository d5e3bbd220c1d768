"""Tables of the answers to questions about scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from pipelines.questions.game import write_replay_link
from pipelines.report.charts import QUANTILES
from pipelines.report.estimates import format_interval, format_intervals, format_share, share_decimals
from pipelines.report.table import Cell, Table, format_cell, make_table

if TYPE_CHECKING:
    from pipelines.questions.scores import distributions
    from pipelines.questions.scores.means import GameLengths, PlaceMean
    from pipelines.questions.scores.selection import SelectedResult, SelectionReport
    from pipelines.statistics import Interval


def tabulate_distributions(groups: Sequence[distributions.GroupScores]) -> Table:
    """Return the numbers behind histograms."""
    rows: list[dict[str, Cell]] = [
        {
            "ruleset": group.ruleset,
            "strategy": group.strategy,
            "results": group.scores.n,
            "blocks": group.blocks,
            "mean": group.scores.mean,
            "from": group.mean.interval.low if group.mean.interval else None,
            "to": group.mean.interval.high if group.mean.interval else None,
            "sd": group.scores.sd,
            "lowest": group.scores.quantile(0),
            **{f"{share:.0%}": group.scores.quantile(share) for share in QUANTILES},
            "highest": group.scores.quantile(1),
        }
        for group in groups
    ]
    formats = dict.fromkeys(("mean", "from", "to", "sd"), ".2f")
    caption = (
        ""
        if all(group.mean.has_interval for group in groups)
        else "An interval needs at least two blocks of games."
    )
    return make_table("The distributions in numbers", rows, caption, formats)


def tabulate_percentiles(groups: Sequence[distributions.GroupScores], score: int) -> Table:
    """Return the percentile of a score in each distribution, with its interval in per cent."""
    rows: list[dict[str, Cell]] = []
    for group in groups:
        below, equal = group.scores.split_at(score)
        rank = group.scores.percentile_of(score, group.blocks)
        rows.append(
            {
                "ruleset": group.ruleset,
                "strategy": group.strategy,
                "percentile": 100 * rank.estimate,
                "from": 100 * rank.low,
                "to": 100 * rank.high,
                "below": 100 * below,
                "equal": 100 * equal,
                "results": group.scores.n,
                "blocks": group.blocks,
            }
        )
    formats = dict.fromkeys(("percentile", "from", "to", "below", "equal"), ".1f")
    caption = (
        "Percentile: per cent of the results that are lower; equal results count half. From and to: its 95 % interval (Wilson, each "
        "block counted as one result)."
    )
    return make_table(f"The percentile of a score of {score:,}", rows, caption, formats)


def tabulate_means(means: Sequence[PlaceMean], place: str) -> Table:
    """Return means with their intervals; `place` names the places."""
    rows: list[dict[str, Cell]] = [
        {
            "ruleset": mean.ruleset,
            "strategy": mean.strategy,
            place: mean.at,
            "mean": mean.mean.estimate,
            "from": mean.mean.low,
            "to": mean.mean.high,
            "results": mean.results,
            "blocks": mean.blocks,
            **({"wins of 100, 95 % interval": format_share(mean.wins)} if mean.wins else {}),
        }
        for mean in means
    ]
    return make_table(f"The means by {place}", rows, formats=dict.fromkeys(("mean", "from", "to"), ".2f"))


def tabulate_lengths(all_lengths: Sequence[GameLengths], unit: str) -> Table:
    """Return the lengths of games in rounds or plies (`unit`)."""
    rows: list[dict[str, Cell]] = [
        {
            "ruleset": lengths.ruleset,
            "games": lengths.lengths.n,
            "blocks": lengths.mean.n,
            f"mean {unit}": lengths.lengths.mean,
            "from": lengths.mean.interval.low if lengths.mean.interval else None,
            "to": lengths.mean.interval.high if lengths.mean.interval else None,
            "shortest": lengths.lengths.quantile(0),
            **{f"{share:.0%}": lengths.lengths.quantile(share) for share in QUANTILES},
            "longest": lengths.lengths.quantile(1),
        }
        for lengths in all_lengths
    ]
    formats = dict.fromkeys((f"mean {unit}", "from", "to"), ".2f")
    caption = "From and to: the 95 % interval of the mean."
    return make_table("The lengths in numbers", rows, caption, formats)


def tabulate_selection(report: SelectionReport, titles: dict[str, str]) -> Table:
    """Return a row for each measure, the clearest differences first."""
    rows: list[dict[str, Cell]] = [
        {
            "measure": titles[row.measure],
            "selected": row.selected_mean,
            "others": row.other_mean,
            "difference (95 %)": format_interval(row.difference and row.difference.difference, signed=True),
            "p": "< 0.001" if row.corrected_p < 0.001 else f"{row.corrected_p:.3f}",
            "blocks": row.difference.blocks if row.difference else None,
        }
        for row in sorted(report.differences, key=lambda row: row.corrected_p)
    ]
    return make_table(
        "The selected results and all others", rows, formats={"selected": ".2f", "others": ".2f"}
    )


_RESULT_TITLES: Final = {
    "score": "score",
    "seat": "player",
    "strategy": "strategy",
    "game": "game",
    "margin": "margin",
    "rank": "rank",
    "rounds": "rounds",
    "plies": "moves",
    "run": "run",
}
"""The columns of a list of results in their order, by the names of their fields; a kind of result has some of them."""


def tabulate_results(title: str, results: Sequence[distributions.ResultInRange | SelectedResult]) -> Table:
    """Return a row for each result, with what is known of it and a link to its game, the highest score first.

    People count games and players from 1, and call plies moves.
    """
    ordered = sorted(results, key=lambda result: -result.score)
    rows: list[dict[str, Cell]] = [
        {
            title: getattr(result, name) + 1 if name in {"game", "seat"} else getattr(result, name)
            for name, title in _RESULT_TITLES.items()
            if name in result._fields
        }
        for result in ordered
    ]
    links = tuple(
        write_replay_link(result.run, result.game) if result.is_logged else "" for result in ordered
    )
    caption = "" if any(links) else "Their plies were not logged."
    table = make_table(title, rows, caption, formats={"game": "d"})
    return table._replace(links=links if any(links) else ())


def tabulate_strategy_results(results: Sequence[distributions.StrategyResult]) -> Table:
    """Return the results of every strategy of a run: its scores and its share of the wins."""
    rulesets = {result.group.ruleset for result in results}
    decimals = share_decimals([result.group.mean.interval for result in results])
    rows: list[dict[str, Cell]] = [
        {
            **({"ruleset": result.group.ruleset} if len(rulesets) > 1 else {}),
            "strategy": result.group.strategy,
            "results": result.group.scores.n,
            "blocks": result.group.blocks,
            "mean score, 95 % interval": _format_mean(result.group, decimals),
            "deviation": result.group.scores.sd if result.group.scores.n > 1 else None,
            "lowest": result.group.scores.quantile(0),
            "highest": result.group.scores.quantile(1),
            "wins of 100, 95 % interval": wins,
        }
        for result, wins in zip(
            results, format_intervals([result.wins.interval for result in results], scale=100), strict=True
        )
    ]
    return make_table(
        "The results of every strategy", rows, formats={"deviation": ".2f"}, optional=("deviation", "results")
    )


def tabulate_results_so_far(results: Sequence[distributions.ResultSoFar]) -> Table:
    """Return the results of every strategy in a run that is not finished, without intervals."""
    rows: list[dict[str, Cell]] = [
        {
            "ruleset": result.ruleset,
            "strategy": result.strategy,
            "results": result.results,
            "mean score": result.mean,
            "deviation": result.sd,
            "lowest": result.lowest,
            "highest": result.highest,
            "wins of 100": 100 * result.wins,
        }
        for result in results
    ]
    formats = {"mean score": ".2f", "deviation": ".2f", "wins of 100": ".1f"}
    title = "The results of every strategy so far"
    return make_table(title, rows, formats=formats, optional=("deviation", "results"))


def _format_mean(group: distributions.GroupScores, decimals: int) -> str:
    """Return the mean of a group with its interval, or without it if there are too few blocks."""
    return (
        format_interval(group.mean.interval, decimals=decimals)
        if group.mean.interval
        else format_cell(group.scores.mean, ".2f")
    )


def tabulate_measures(title: str, rows: Sequence[tuple[dict[str, Cell], Sequence[Interval | None]]]) -> Table:
    """Return rows of cells, each followed by its score, the difference from a mean, and its share of the wins, with all digits."""
    names = ("mean score", "above mean", "win share")
    formats = {
        f"{name}{end}": ".4f" if name == "win share" else ".2f"
        for name in names
        for end in ("", " from", " to")
    }
    full_rows = []
    for cells, intervals in rows:
        row = dict(cells)
        for name, interval in zip(names, intervals, strict=True):
            estimate, low, high = interval or (None, None, None)
            row |= {name: estimate, f"{name} from": low, f"{name} to": high}
        full_rows.append(row)
    return make_table(title, full_rows, formats=formats)
