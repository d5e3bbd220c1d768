"""The exact solution of a turn: the value of every keep for a seat that plays the turn perfectly.

Input is the value of each of the 252 throws if the seat stops on it. One sweep per further throw leads from the last
throw back to the first. A sweep computes the values of the hands of five, four, ... zero dice: the value of a smaller
hand is the mean of the values of the six hands with one more die.

All numbers are integers: sums are used instead of means, so a value with r throws to come is 7776**r (6**5 for each
throw) times the mean. Nothing is rounded, so equal values are equal numbers and the order of addition does not matter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from engine.games.spexxx.dice import FACES, FIRST_THROW, HAND_PLUS_DIE, HANDS, NUMBER_OF_DICE, legal_keeps

if TYPE_CHECKING:
    from numpy.typing import NDArray

WholeNumbers: TypeAlias = "NDArray[Any]"
"""An array of integers: int64 if they fit, otherwise Python's int."""

THROW_SCALE: Final = len(FACES) ** NUMBER_OF_DICE
"""Number of sequences of faces of five dice: 7776."""

_HAND_SIZES: Final = [len(hand) for hand in HANDS]
_HAND_SPANS: Final = [
    slice(_HAND_SIZES.index(size), FIRST_THROW - _HAND_SIZES[FIRST_THROW - 1 :: -1].index(size))
    for size in reversed(range(NUMBER_OF_DICE))
]
"""The numbers of the hands of four, three, two, one and zero dice."""
_HANDS_PLUS_DIE: Final = [np.array(HAND_PLUS_DIE[span], dtype=np.intp).T.copy() for span in _HAND_SPANS]
"""For each of these spans: (6, hands of the span) the hands with one more die."""
_SCALE_FACTORS: Final = np.array([len(FACES) ** size for size in _HAND_SIZES[:FIRST_THROW]])
"""(210,) For each hand that can be kept: the factor from sums over the dice thrown to the scale of five dice."""

_MAX_KEEPS: Final = 31
_KEEPS_OF_THROW: Final = np.array(
    [(legal_keeps(throw) * _MAX_KEEPS)[:_MAX_KEEPS] for throw in range(FIRST_THROW, len(HANDS))],
    dtype=np.intp,
)
"""(252, 31) The keeps of every throw, repeated to equal lengths."""


def keep_values(stopping: WholeNumbers, throws: int) -> list[WholeNumbers]:
    """Return the value of each keep with 1, 2, ... `throws` throws to come.

    `stopping`: (252,) integers from 0, the value of stopping on each throw; 0 if the seat cannot stop on it.
    Entry r - 1 of the list: (210,) by the number of the kept hand, in units of 1 / THROW_SCALE**r.
    """
    fits = int(stopping.max()) * THROW_SCALE**throws < 1 << 63
    dtype = np.int64 if fits else object
    worth = stopping = stopping.astype(dtype)
    factors = _SCALE_FACTORS.astype(dtype)
    sums = np.empty(len(HANDS), dtype=dtype)
    values: list[WholeNumbers] = []
    for throw in range(1, throws + 1):
        sums[FIRST_THROW:] = worth
        for span, plus in zip(_HAND_SPANS, _HANDS_PLUS_DIE, strict=True):
            sums[span] = sums[plus].sum(axis=0)
        values.append(sums[:FIRST_THROW] * factors)
        if throw < throws:
            worth = np.maximum(stopping * THROW_SCALE**throw, values[-1][_KEEPS_OF_THROW].max(axis=1))
    return values
