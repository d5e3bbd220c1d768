"""How many blocks an answer takes, and what a given number of them can show.

Everywhere: `sd` is the standard deviation of one block's difference and `effect` the true mean difference, in the same
unit; the test is the two-sided paired t test at 1 - `level`. Exact for normal differences (Owen 1965, the noncentral t).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from pipelines.statistics.intervals import check_blocks, skewness

if TYPE_CHECKING:
    from pipelines.statistics.distributions import Floats

MIN_BLOCKS: Final = 10
"""Fewer blocks decide nothing.

Five cannot give a sign-flip p below 0.06, and 95 % t intervals of exponential differences cover 88 % with six blocks,
89 % with ten and 91 % with fifteen (4,000 simulated experiments each): below ten, skewness could not even be seen.
"""


def least_blocks(differences: Floats) -> int:
    """Blocks from which a 95 % t interval of such differences, shape (blocks,), covers about as often as it says.

    Cochran's (1977) rule for skewed values: more than 25 times the skewness squared, for at most 6 % misses; and at
    least ten. A handful of blocks hides its skewness: the answer may grow with more of them.
    """
    check_blocks(differences)
    if not len(differences):
        return MIN_BLOCKS
    return max(MIN_BLOCKS, math.ceil(25 * skewness(differences) ** 2))


def t_test_power(sd: float, effect: float, blocks: int, *, level: float = 0.95) -> float:
    """Probability that this many blocks settle that the difference is not zero.

    >>> round(t_test_power(1.0, 0.5, 34), 2)
    0.81
    """
    if blocks < 2:
        return 0.0
    if not sd:
        return float(effect != 0)
    from scipy.special import nctdtr, stdtrit  # noqa: PLC0415 - costs time that pages without plans need not pay

    bound = float(stdtrit(blocks - 1, (1 + level) / 2))
    centre = abs(effect) / sd * math.sqrt(blocks)
    if centre - bound > 30:  # beyond this the series of the noncentral t gives up, and the answer is 1
        return 1.0
    settled = 1 - float(nctdtr(blocks - 1, centre, bound))
    # The far tail, an error in the sign: from 4 on below 0.00001, and there the series gives up too.
    return settled + (float(nctdtr(blocks - 1, centre, -bound)) if centre < 4 else 0.0)


def detectable_difference(sd: float, blocks: int, *, power: float = 0.8, level: float = 0.95) -> float | None:
    """Smallest true difference that this many blocks settle with probability `t_test_power`; None for fewer than two.

    Zero if the differences do not vary (`sd` 0).

    >>> round(detectable_difference(10.0, 400), 2)
    1.4
    """
    if blocks < 2:
        return None
    from scipy.special import nctdtrinc, stdtrit  # noqa: PLC0415 - as above

    bound = float(stdtrit(blocks - 1, (1 + level) / 2))
    # The chance of an error in the sign, below 0.001 here, is left out: `effect` is a hair too large.
    return float(nctdtrinc(blocks - 1, 1 - power, bound)) * sd / math.sqrt(blocks)


def blocks_needed(sd: float, effect: float, *, power: float = 0.8, level: float = 0.95) -> int:
    """Fewest blocks, at least two, that settle a difference of `effect` with probability `t_test_power`.

    Raises ValueError for an effect of zero: no number of blocks shows that.

    >>> blocks_needed(1.0, 0.5)
    34
    """
    if not effect or not math.isfinite(effect):
        raise ValueError("Name the difference that should be noticed: no number of games shows one of zero.")

    def blocks_suffice(blocks: int) -> bool:
        found = detectable_difference(sd, blocks, power=power, level=level)
        return found is not None and found <= abs(effect)

    most = 2
    while not blocks_suffice(most):
        most *= 2
    least = most // 2  # does not suffice, or is 1
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (least, middle) if blocks_suffice(middle) else (middle, most)
    return most
