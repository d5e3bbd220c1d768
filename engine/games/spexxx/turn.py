"""A turn solved exactly: what every keep is worth to a seat that keeps dice as well as can be.

Given what each of the 252 throws is worth when a seat stops on it, three sweeps lead from the last throw back to the
first. Each sweep goes over all hands of five down to no dice: a smaller hand is worth the mean over one die more.

All numbers are whole: instead of means there are sums, so a value with r throws to come is 7776**r (6**5 for each
throw) times the mean. Nothing is rounded, equal values are equal numbers, and the order of adding does not matter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from engine.games.spexxx.dice import FACES, FIRST_THROW, HAND_PLUS_DIE, HANDS, NUMBER_OF_DICE, legal_keeps

if TYPE_CHECKING:
    from numpy.typing import NDArray

WholeNumbers: TypeAlias = "NDArray[Any]"
"""Whole numbers: int64 where they fit, else Python's own."""

THROW_SCALE: Final = len(FACES) ** NUMBER_OF_DICE
"""Ways of five dice to fall."""

_HAND_SIZES: Final = [len(hand) for hand in HANDS]
_HAND_SPANS: Final = [
    slice(_HAND_SIZES.index(size), FIRST_THROW - _HAND_SIZES[FIRST_THROW - 1 :: -1].index(size))
    for size in reversed(range(NUMBER_OF_DICE))
]
"""The hands of four, three, two, one and no dice."""
_HANDS_PLUS_DIE: Final = [np.array(HAND_PLUS_DIE[span], dtype=np.intp).T.copy() for span in _HAND_SPANS]
"""For each of these spans the hands with one die more: (6, hands of the span)."""
_WAYS_OF_KEPT: Final = np.array([len(FACES) ** size for size in _HAND_SIZES[:FIRST_THROW]])
"""(210,) The factor that brings sums over fewer dice to the scale of five."""

_MAX_KEEPS: Final = 31
_KEEPS_OF_THROW: Final = np.array(
    [(legal_keeps(throw) * _MAX_KEEPS)[:_MAX_KEEPS] for throw in range(FIRST_THROW, len(HANDS))],
    dtype=np.intp,
)
"""(252, 31) The keeps of every throw, repeated to equal length."""


def keep_values(stopping: WholeNumbers, throws: int) -> list[WholeNumbers]:
    """Return what each keep is worth with 1, 2, ... `throws` throws to come.

    `stopping`: (252,) whole numbers from 0, what each throw is worth that is answered by stopping; 0 if it cannot be.
    Entry r - 1 of the list: (210,) by the number of the kept hand, in units of 1 / SCALE**r.
    """
    fits = int(stopping.max()) * THROW_SCALE**throws < 1 << 63
    kind = np.int64 if fits else object
    worth = stopping = stopping.astype(kind)
    ways = _WAYS_OF_KEPT.astype(kind)
    sums = np.empty(len(HANDS), dtype=kind)
    found: list[WholeNumbers] = []
    for throw in range(1, throws + 1):
        sums[FIRST_THROW:] = worth
        for span, plus in zip(_HAND_SPANS, _HANDS_PLUS_DIE, strict=True):
            sums[span] = sums[plus].sum(axis=0)
        found.append(sums[:FIRST_THROW] * ways)
        if throw < throws:
            worth = np.maximum(stopping * THROW_SCALE**throw, found[-1][_KEEPS_OF_THROW].max(axis=1))
    return found
