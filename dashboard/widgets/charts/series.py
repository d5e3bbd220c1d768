"""Convert the answers of queries into what charts draw: distributions and means with their intervals."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from pipelines.design.short_names import short_names
from pipelines.report.charts import QUANTILES, Estimate, ScoreSeries
from pipelines.statistics import Distribution, Interval, mean_interval
from pipelines.statistics.block_sums import BlockSum, block_sums_mean, sample_variance

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dashboard.queries.scores import BlockSums, PlaceSums, ScoreCount
    from pipelines.viewer.palette import SeriesLook

MAX_STRATEGIES: Final = 8
"""Strategies on one chart; more lines cannot be distinguished."""


def score_series(
    counts: Iterable[ScoreCount],
    sums: list[BlockSums],
    labels: Mapping[str, str],
    looks: Mapping[str, SeriesLook],
    *,
    some_seats: bool,
) -> list[ScoreSeries]:
    """Return a series for each ruleset (`labels` by hash) and strategy.

    With `some_seats` the counts do not cover whole blocks. The interval then counts each block as one result, which is
    never too narrow.
    """
    all_series = []
    for (sha256, strategy), rows in groupby(counts, lambda row: (row.sha256, row.strategy)):
        columns = np.array([(row.score, row.results) for row in rows], dtype=np.int64)
        scores = Distribution(columns[:, 0], columns[:, 1])
        block_sums = [row for row in sums if (row.sha256, row.strategy) == (sha256, strategy)]
        blocks = min(sum(row.blocks for row in block_sums), scores.n)
        mean = mean_interval(scores.mean, scores.sd, blocks) if some_seats else block_mean(block_sums)
        all_series.append(ScoreSeries(labels[sha256], strategy, scores, blocks, mean, looks[strategy]))
    names = short_names(one.strategy for one in all_series)
    all_series = [replace(one, title=names[one.strategy]) for one in all_series]
    order = list(labels.values())
    return sorted(all_series, key=lambda one: (order.index(one.ruleset), one.strategy))


def block_mean(sums: list[BlockSums]) -> Interval | None:
    """Return the mean score with an interval from block sums; None for fewer than two blocks.

    Runs with different line-ups may have different numbers of results a block. Each number is a stratum.
    """
    return block_sums_mean(
        [BlockSum(row.seats_per_block, row.blocks, row.total, row.squares) for row in sums]
    )


def mean_estimates(
    sums: Iterable[PlaceSums],
    series: list[ScoreSeries],
    labels: Mapping[str, str],
    names: Mapping[str, str] | None = None,
) -> list[Estimate]:
    """Return the mean at every place of `sums`, in the order of the rulesets in `labels`.

    `names` gives the titles and the order of the places. The interval counts blocks, not results, because the results of a block share their luck.
    """
    units = {(one.ruleset, one.strategy): one for one in series}
    named = names or {}
    order = list(named)
    estimates = []
    for row in sorted(sums, key=lambda row: order.index(str(row.at)) if str(row.at) in named else len(order)):
        one = units.get((labels[row.sha256], row.strategy))
        if one is None:
            continue
        spread = math.sqrt(max(0.0, sample_variance(row.n, row.total, row.squares)))
        mean = mean_interval(row.total / row.n, spread, min(one.blocks, row.n))
        if mean:
            place = named.get(str(row.at), row.at)
            estimates.append(Estimate(place, one.ruleset, one.strategy, mean, row.n, one.look, one.title))
    rulesets = list(labels.values())
    return sorted(estimates, key=lambda estimate: rulesets.index(estimate.ruleset))


def common_places(sums: list[PlaceSums], share: float) -> list[PlaceSums]:
    """Return the places that at least this share of the results reached; the mean of a few long games would mislead."""
    fullest: dict[tuple[str, str], int] = {}
    for row in sums:
        key = (row.sha256, row.strategy)
        fullest[key] = max(row.n, fullest.get(key, 0))
    return [row for row in sums if row.n >= share * fullest[row.sha256, row.strategy]]


def series_table(series: list[ScoreSeries]) -> pd.DataFrame:
    """Return the numbers behind the charts as a table, to show and to download."""
    rows: list[dict[str, Any]] = [
        {
            "ruleset": one.ruleset,
            "strategy": one.strategy,
            **({"player": one.line.removeprefix("player ")} if one.line else {}),
            "results": one.scores.n,
            "blocks": one.blocks,
            "mean": one.scores.mean,
            "± 95 %": one.mean.half_width if one.mean else math.nan,
            "sd": one.scores.sd,
            "lowest": one.scores.quantile(0),
            **{f"{share:.0%}": one.scores.quantile(share) for share in QUANTILES},
            "highest": one.scores.quantile(1),
        }
        for one in series
    ]
    return pd.DataFrame(rows)
