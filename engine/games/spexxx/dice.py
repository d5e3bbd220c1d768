"""Five dice as multisets: how they are numbered, thrown, kept and written.

A *hand* is a multiset of none to five dice, written ascending. The 462 hands are numbered by their size, then in
ascending order: 0 is no die at all, 1 to 6 are single dice, and the last 252, from FIRST_THROW on, are the throws.
"""

from __future__ import annotations

import itertools
from collections import Counter
from functools import cache
from math import factorial, prod
from typing import Final

from engine.game import InvalidError

FACES: Final = range(1, 7)
NUMBER_OF_DICE: Final = 5

HANDS: Final = tuple(
    hand
    for size in range(NUMBER_OF_DICE + 1)
    for hand in itertools.combinations_with_replacement(FACES, size)
)
"""The dice of every hand, ascending."""

_NUMBERS: Final = {hand: number for number, hand in enumerate(HANDS)}

FIRST_THROW: Final = _NUMBERS[(1,) * NUMBER_OF_DICE]
"""Hands from here on are throws of all five dice; those before can be kept."""

PLUS: Final = tuple(
    tuple(_NUMBERS[tuple(sorted((*hand, face)))] for face in FACES) for hand in HANDS[:FIRST_THROW]
)
"""For every hand that can be kept: the hand with one more die, by the face of that die from 0."""

_KEEPS: Final = tuple(
    tuple(
        sorted(
            {_NUMBERS[keep] for size in range(NUMBER_OF_DICE) for keep in itertools.combinations(hand, size)}
        )
    )
    for hand in HANDS[FIRST_THROW:]
)


def keeps(throw: int) -> tuple[int, ...]:
    """Return the hands that may be kept from a throw, ascending. SP-2: at least one die is thrown again.

    >>> [written(keep) for keep in keeps(number((1, 1, 1, 1, 2)))]
    ['0', '1', '2', '1 1', '1 2', '1 1 1', '1 1 2', '1 1 1 1', '1 1 1 2']
    """
    return _KEEPS[throw - FIRST_THROW]


@cache
def outcomes(kept: int) -> dict[int, float]:
    """Return the throws that can follow when a hand is kept, ascending, each with its chance."""
    thrown = NUMBER_OF_DICE - len(HANDS[kept])
    chances = {}
    for faces in itertools.combinations_with_replacement(FACES, thrown):
        ways = factorial(thrown) // prod(map(factorial, Counter(faces).values()))
        chances[_NUMBERS[tuple(sorted(HANDS[kept] + faces))]] = ways / len(FACES) ** thrown
    return dict(sorted(chances.items()))


@cache
def falls(kept: int) -> tuple[int, ...]:
    """Return the throw after every way that the dice which are not kept can fall, each equally likely.

    The faces of a way, from 0, are the digits of its number in base six, the first die's first.

    >>> [written(throw) for throw in falls(number((2, 2, 2, 2)))]
    ['1 2 2 2 2', '2 2 2 2 2', '2 2 2 2 3', '2 2 2 2 4', '2 2 2 2 5', '2 2 2 2 6']
    """
    hands = [kept]
    for _ in range(NUMBER_OF_DICE - len(HANDS[kept])):
        hands = [further for hand in hands for further in PLUS[hand]]
    return tuple(hands)


def number(dice: tuple[int, ...]) -> int:
    """Return the number of a hand, its dice given ascending."""
    return _NUMBERS[dice]


def written(hand: int) -> str:
    """Write a hand.

    >>> written(number((1, 2, 2, 5, 6))), written(number(()))
    ('1 2 2 5 6', '0')
    """
    return " ".join(map(str, HANDS[hand])) or "0"


_WRITTEN: Final = {written(hand): hand for hand in range(len(HANDS))}


def read(text: str) -> int:
    """Read a hand; raise InvalidError if there is none that is written so.

    >>> read("2 2") == number((2, 2))
    True
    """
    if text not in _WRITTEN:
        raise InvalidError(
            f"{text!r} is no dice: expected at most five numbers from 1 to 6, ascending, with spaces between"
        )
    return _WRITTEN[text]
