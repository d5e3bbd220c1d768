"""The numbers of a comparison as tables to download. This module does not use Streamlit."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.experiments.compare.comparison import Comparison
    from pipelines.statistics import Interval


def pairs_frame(comparison: Comparison) -> pd.DataFrame:
    """Return the numbers of every pair, one row for each pair."""
    return pd.DataFrame(
        [
            {
                "A": pair.a,
                "B": pair.b,
                **_interval_cells(("A - B", "from", "to"), pair.difference),
                "p (Holm)": pair.p_holm,
                **_interval_cells(("A wins", "wins from", "wins to"), pair.win_share),
                **_interval_cells(("A better",), pair.better),
                "blocks that differ": pair.differing.estimate,
                "detectable difference": math.nan if pair.detectable is None else pair.detectable,
                "variance ratio": math.nan if pair.variance_ratio is None else pair.variance_ratio,
                "blocks": pair.blocks,
            }
            for pair in comparison.pairs
        ]
    )


def sides_frame(comparison: Comparison) -> pd.DataFrame:
    """Return the results of each strategy, one row for each."""
    rated = {rating.strategy: rating.elo for rating in comparison.ratings}
    rating_names = ("rating", "rating from", "rating to") if rated else ()
    return pd.DataFrame(
        [
            {
                "strategy": side.strategy,
                **_interval_cells(("mean score", "score from", "score to"), side.score),
                **_interval_cells(("win share", "wins from", "wins to"), side.win_share),
                **_interval_cells(rating_names, rated.get(side.strategy)),
                "results": comparison.blocks * side.seats_per_block,
            }
            for side in comparison.sides
        ]
    )


def _interval_cells(names: Sequence[str], interval: Interval | None) -> dict[str, float]:
    """Return the estimate and the ends of an interval, as many as have names."""
    return dict(zip(names, interval or (math.nan,) * 3, strict=False))
