"""Hands of dice: their numbers, throws, keeps and notation.

A *hand* is a multiset of zero to five dice, written in ascending order. The 462 hands are numbered by their size, then in
ascending order: hand 0 has no dice, hands 1 to 6 have one die, and the last 252, from FIRST_THROW on, are the throws.
"""

from __future__ import annotations

import itertools
from collections import Counter
from functools import cache
from math import factorial, prod
from typing import Final

from engine.errors import InvalidError

FACES: Final = range(1, 7)
NUMBER_OF_DICE: Final = 5

HANDS: Final = tuple(
    hand
    for size in range(NUMBER_OF_DICE + 1)
    for hand in itertools.combinations_with_replacement(FACES, size)
)
"""The dice of every hand, ascending, by the number of the hand."""

_HAND_NUMBERS: Final = {hand: number for number, hand in enumerate(HANDS)}

FIRST_THROW: Final = _HAND_NUMBERS[(1,) * NUMBER_OF_DICE]
"""The number of the first throw. Hands from here on have five dice; the hands before can be kept."""

HAND_PLUS_DIE: Final = tuple(
    tuple(_HAND_NUMBERS[tuple(sorted((*hand, face)))] for face in FACES) for hand in HANDS[:FIRST_THROW]
)
"""For every hand that can be kept: the six hands with one more die, by the face of that die."""

_KEEPS_OF_THROW: Final = tuple(
    tuple(
        sorted(
            {
                _HAND_NUMBERS[keep]
                for size in range(NUMBER_OF_DICE)
                for keep in itertools.combinations(hand, size)
            }
        )
    )
    for hand in HANDS[FIRST_THROW:]
)


def legal_keeps(throw: int) -> tuple[int, ...]:
    """Return the hands that may be kept from a throw, ascending. SP-2: at least one die is thrown again.

    >>> [format_hand(keep) for keep in legal_keeps(hand_number((1, 1, 1, 1, 2)))]
    ['0', '1', '2', '1 1', '1 2', '1 1 1', '1 1 2', '1 1 1 1', '1 1 1 2']
    """
    return _KEEPS_OF_THROW[throw - FIRST_THROW]


@cache
def throw_chances(kept_hand: int) -> dict[int, float]:
    """Return the throws that can follow a keep, ascending, each with its probability."""
    thrown = NUMBER_OF_DICE - len(HANDS[kept_hand])
    chances = {}
    for faces in itertools.combinations_with_replacement(FACES, thrown):
        ways = factorial(thrown) // prod(map(factorial, Counter(faces).values()))
        chances[_HAND_NUMBERS[tuple(sorted(HANDS[kept_hand] + faces))]] = ways / len(FACES) ** thrown
    return dict(sorted(chances.items()))


@cache
def equally_likely_throws(kept_hand: int) -> tuple[int, ...]:
    """Return the throws for all sequences of faces of the dice that are not kept; the sequences are equally likely.

    The index of a sequence, written in base six, has its faces minus 1 as digits, those of the first die first.

    >>> [format_hand(throw) for throw in equally_likely_throws(hand_number((2, 2, 2, 2)))]
    ['1 2 2 2 2', '2 2 2 2 2', '2 2 2 2 3', '2 2 2 2 4', '2 2 2 2 5', '2 2 2 2 6']
    """
    hands = [kept_hand]
    for _ in range(NUMBER_OF_DICE - len(HANDS[kept_hand])):
        hands = [further for hand in hands for further in HAND_PLUS_DIE[hand]]
    return tuple(hands)


def hand_number(dice: tuple[int, ...]) -> int:
    """Return the number of a hand; `dice` must be ascending."""
    return _HAND_NUMBERS[dice]


def format_hand(hand: int) -> str:
    """Return a hand as text.

    >>> format_hand(hand_number((1, 2, 2, 5, 6))), format_hand(hand_number(()))
    ('1 2 2 5 6', '0')
    """
    return " ".join(map(str, HANDS[hand])) or "0"


_HAND_BY_TEXT: Final = {format_hand(hand): hand for hand in range(len(HANDS))}


def read_hand(text: str) -> int:
    """Return the number of a hand; raise InvalidError if the text is not a hand.

    >>> read_hand("2 2") == hand_number((2, 2))
    True
    """
    if text not in _HAND_BY_TEXT:
        raise InvalidError(
            f"{text!r} is not a hand of dice: expected at most five numbers from 1 to 6, ascending, with spaces between"
        )
    return _HAND_BY_TEXT[text]
