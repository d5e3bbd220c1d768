"""Planning: how many blocks are needed, and which differences a given number of blocks can detect.

In all functions `sd` is the standard deviation of the difference in a single block and `effect` is the true mean
difference, in the same unit. The test is the two-sided paired t test with error rate 1 - `level`. The results are exact
for normally distributed differences (Owen 1965, by the noncentral t distribution).
"""

from __future__ import annotations

import math
from typing import Final

from pipelines.statistics.intervals import Floats, Interval, check_blocks, skewness

MIN_BLOCKS: Final = 10
"""With fewer blocks no verdict is given.

With five blocks a sign-flip test cannot give p < 0.06. 95 % t intervals of exponentially distributed differences cover
88 % with six blocks, 89 % with ten and 91 % with fifteen (4,000 simulated experiments each). With fewer than ten blocks
the skewness of the differences cannot be seen either.
"""


def least_blocks(differences: Floats) -> int:
    """Return the number of blocks from which a 95 % t interval of such differences, shape (blocks,), is reliable.

    This is Cochran's (1977) rule for skewed values: with more than 25 times the squared skewness, at most 6 % of
    intervals miss. The result is at least `MIN_BLOCKS`. Few blocks underestimate their skewness, so the result may grow
    when more blocks are played.
    """
    check_blocks(differences)
    return least_blocks_for_skewness(skewness(differences) if len(differences) else 0.0)


def least_blocks_for_skewness(skew: float) -> int:
    """Return the same from the skewness of the differences.

    >>> least_blocks_for_skewness(0.1), least_blocks_for_skewness(-2.0)
    (10, 100)
    """
    return max(MIN_BLOCKS, math.ceil(25 * skew**2))


def allow_for_skewness(interval: Interval, blocks: int, least: int) -> Interval:
    """Return the interval by which a sign is judged: twice as wide if there are fewer than `least` blocks.

    The t interval of skewed differences may be too short for so few blocks.

    >>> tuple(allow_for_skewness(Interval(2.0, 1.0, 4.0), 20, 26)), tuple(allow_for_skewness(Interval(2.0, 1.0, 4.0), 26, 26))
    ((2.0, 0.0, 6.0), (2.0, 1.0, 4.0))
    """
    if blocks >= least:
        return interval
    estimate, low, high = interval
    return Interval(estimate, 2 * low - estimate, 2 * high - estimate)


def t_test_power(sd: float, effect: float, blocks: int, *, level: float = 0.95) -> float:
    """Return the probability that this number of blocks shows that the difference is not zero.

    >>> round(t_test_power(1.0, 0.5, 34), 2)
    0.81
    """
    if blocks < 2:
        return 0.0
    if not sd:
        return float(effect != 0)
    from scipy.special import nctdtr, stdtrit  # noqa: PLC0415 - scipy.special takes 0.2 s to import

    bound = float(stdtrit(blocks - 1, (1 + level) / 2))
    centre = abs(effect) / sd * math.sqrt(blocks)
    if centre - bound > 30:  # SciPy's series for the noncentral t fails here; the power is 1
        return 1.0
    right_sign = 1 - float(nctdtr(blocks - 1, centre, bound))
    # From a centre of 4 on the wrong sign has a probability below 0.00001, and SciPy's series fails.
    wrong_sign = float(nctdtr(blocks - 1, centre, -bound)) if centre < 4 else 0.0
    return right_sign + wrong_sign


def detectable_difference(sd: float, blocks: int, *, power: float = 0.8, level: float = 0.95) -> float | None:
    """Return the smallest true difference that this number of blocks detects with probability `power`.

    None for fewer than two blocks; 0 if the differences do not vary (`sd` 0).

    >>> round(detectable_difference(10.0, 400), 2)
    1.4
    """
    if blocks < 2:
        return None
    from scipy.special import nctdtrinc, stdtrit  # noqa: PLC0415 - scipy.special takes 0.2 s to import

    bound = float(stdtrit(blocks - 1, (1 + level) / 2))
    # The probability of the wrong sign, here below 0.001, is neglected: the result is very slightly too large.
    return float(nctdtrinc(blocks - 1, 1 - power, bound)) * sd / math.sqrt(blocks)


def blocks_needed(sd: float, effect: float, *, power: float = 0.8, level: float = 0.95) -> int:
    """Return the smallest number of blocks, at least two, that detects a difference of `effect` with probability `power`.

    Raises ValueError for an effect of zero, which no number of blocks can detect.

    >>> blocks_needed(1.0, 0.5)
    34
    """
    if not effect or not math.isfinite(effect):
        raise ValueError(
            "The difference to detect must be a number other than 0: no number of games detects a difference of 0."
        )

    def blocks_suffice(blocks: int) -> bool:
        detectable = detectable_difference(sd, blocks, power=power, level=level)
        return detectable is not None and detectable <= abs(effect)

    enough = 2
    while not blocks_suffice(enough):
        enough *= 2
    least = enough // 2  # is not enough, or is 1
    while enough - least > 1:
        middle = (least + enough) // 2
        least, enough = (least, middle) if blocks_suffice(middle) else (middle, enough)
    return enough
