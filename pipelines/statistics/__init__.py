"""Estimates and their uncertainty: pure functions on arrays, without storage and without a screen.

The unit of observation is the block: all games that are played with the same luck, one for each rotation of the
line-up. Games of one block are not independent, so intervals and tests count blocks, and arrays hold one value for each
block.
"""

from pipelines.statistics.differences import (
    GroupDifference,
    QuantileDifference,
    block_sums_difference,
    correlation,
    group_difference,
    quantile_differences,
    superiority_probability,
    variance_ratio,
)
from pipelines.statistics.distributions import Distribution, common_bin_edges
from pipelines.statistics.intervals import (
    Interval,
    average_intervals,
    bca_interval,
    dkw_half_width,
    mean_interval,
    share_interval,
    t_interval,
    wilson,
)
from pipelines.statistics.planning import (
    MIN_BLOCKS,
    blocks_needed,
    detectable_difference,
    least_blocks,
    t_test_power,
)
from pipelines.statistics.ratings import Rankings, Rating, plackett_luce, win_shares
from pipelines.statistics.sequential import SequentialLook, StopDecision, StoppingRule
from pipelines.statistics.significance import (
    ChiSquare,
    Permutation,
    chi_square,
    equivalence_p_value,
    holm,
    sign_flip,
)

__all__ = [
    "MIN_BLOCKS",
    "ChiSquare",
    "Distribution",
    "GroupDifference",
    "Interval",
    "Permutation",
    "QuantileDifference",
    "Rankings",
    "Rating",
    "SequentialLook",
    "StopDecision",
    "StoppingRule",
    "average_intervals",
    "bca_interval",
    "block_sums_difference",
    "blocks_needed",
    "chi_square",
    "common_bin_edges",
    "correlation",
    "detectable_difference",
    "dkw_half_width",
    "equivalence_p_value",
    "group_difference",
    "holm",
    "least_blocks",
    "mean_interval",
    "plackett_luce",
    "quantile_differences",
    "share_interval",
    "sign_flip",
    "superiority_probability",
    "t_interval",
    "t_test_power",
    "variance_ratio",
    "wilson",
    "win_shares",
]
