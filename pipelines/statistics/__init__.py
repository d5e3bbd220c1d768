"""Estimates and their uncertainty: pure functions, no storage and no screen.

The unit is the block: one seed, played with every rotation of the line-up. Games of one block share their luck, so an
interval counts blocks, and arrays hold one value for each.
"""

from pipelines.statistics.distributions import Distribution, common_edges
from pipelines.statistics.intervals import (
    Interval,
    bca,
    dkw_half_width,
    mean_interval,
    share_interval,
    t_interval,
    wilson,
)
from pipelines.statistics.paired import (
    PairSummary,
    QuantileDifference,
    better,
    compared,
    correlation,
    quantile_differences,
    variance_ratio,
)
from pipelines.statistics.planning import LEAST_BLOCKS, blocks_needed, detectable, least_blocks, power
from pipelines.statistics.ratings import Rankings, Rating, plackett_luce
from pipelines.statistics.sequential import Decision, Look, StoppingRule
from pipelines.statistics.significance import (
    ChiSquare,
    Permutation,
    chi_square,
    equivalence,
    holm,
    sign_flip,
)

__all__ = [
    "LEAST_BLOCKS",
    "ChiSquare",
    "Decision",
    "Distribution",
    "Interval",
    "Look",
    "PairSummary",
    "Permutation",
    "QuantileDifference",
    "Rankings",
    "Rating",
    "StoppingRule",
    "bca",
    "better",
    "blocks_needed",
    "chi_square",
    "common_edges",
    "compared",
    "correlation",
    "detectable",
    "dkw_half_width",
    "equivalence",
    "holm",
    "least_blocks",
    "mean_interval",
    "plackett_luce",
    "power",
    "quantile_differences",
    "share_interval",
    "sign_flip",
    "t_interval",
    "variance_ratio",
    "wilson",
]
