"""Hands of dice: numbers, probabilities and notation."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest

from engine.errors import InvalidError
from engine.games.spexxx import dice


def test_hands_are_numbered_by_size_then_ascending() -> None:
    assert list(dice.HANDS) == sorted(dice.HANDS, key=lambda hand: (len(hand), hand))
    assert len(set(dice.HANDS)) == 462
    assert [dice.hand_number(hand) for hand in dice.HANDS] == list(range(462))


def test_one_more_die_gives_the_hand_with_that_die() -> None:
    for hand, more in enumerate(dice.HAND_PLUS_DIE):
        for face, sum_ in zip(dice.FACES, more, strict=True):
            assert dice.HANDS[sum_] == tuple(sorted((*dice.HANDS[hand], face)))


@pytest.mark.parametrize("kept", [(), (3,), (2, 2), (1, 4, 6), (5, 5, 5, 5)])
def test_probabilities_of_throws_are_those_of_all_sequences_of_faces(kept: tuple[int, ...]) -> None:
    thrown = 5 - len(kept)
    ways = Counter(
        dice.hand_number(tuple(sorted(kept + faces)))
        for faces in itertools.product(range(1, 7), repeat=thrown)
    )
    assert dice.throw_chances(dice.hand_number(kept)) == {
        throw: count / 6**thrown for throw, count in ways.items()
    }
    assert list(dice.throw_chances(dice.hand_number(kept))) == sorted(ways)


def test_every_notation_is_read_as_its_hand() -> None:
    assert [dice.read_hand(dice.format_hand(hand)) for hand in range(462)] == list(range(462))


@pytest.mark.parametrize("text", ["", "7", "2 1", "1  2", "1 2 ", "12", "1 1 1 1 1 1", "0 1"])
def test_an_invalid_hand_is_refused(text: str) -> None:
    with pytest.raises(InvalidError, match="at most five numbers from 1 to 6, ascending"):
        dice.read_hand(text)
