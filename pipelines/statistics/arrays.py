"""Names for the types of the arrays that this package takes and returns."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Integers: TypeAlias = NDArray[np.int64]
"""Scores, counts, or numbers of blocks, games and strata."""

Floats: TypeAlias = NDArray[np.float64]
"""Means, differences, shares and probabilities."""
