"""The solution of a turn, compared with a slow computation with fractions."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from engine.games.spexxx import dice
from engine.games.spexxx.turn import THROW_SCALE, keep_values
from engine.luck import Luck

THROWS = range(dice.FIRST_THROW, len(dice.HANDS))


def keep_values_slowly(stopping: dict[int, int], throws: int) -> list[list[Fraction]]:
    """Return the value of every keep with 1, 2, ... throws to come, computed from the definition."""
    worth = {throw: Fraction(value) for throw, value in stopping.items()}
    values_by_throws = []
    for _ in range(throws):
        keep_means = [
            sum(
                Fraction(chance).limit_denominator(THROW_SCALE) * worth[throw]
                for throw, chance in outcomes.items()
            )
            for outcomes in map(dice.throw_chances, range(dice.FIRST_THROW))
        ]
        values_by_throws.append([Fraction(value) for value in keep_means])
        worth = {
            throw: max(Fraction(value), *(values_by_throws[-1][keep] for keep in dice.legal_keeps(throw)))
            for throw, value in stopping.items()
        }
    return values_by_throws


@pytest.mark.parametrize("largest", [1, 100_000])
def test_the_value_of_every_keep_is_exactly_its_mean(largest: int) -> None:
    source = Luck(largest, 0).source(0, 0, 0)
    stopping = {throw: source.below(largest + 1) for throw in THROWS}
    fast = keep_values(np.array(list(stopping.values()), dtype=np.int64), 3)
    for throws, (values, expected) in enumerate(
        zip(fast, keep_values_slowly(stopping, 3), strict=True), start=1
    ):
        assert [Fraction(value, THROW_SCALE**throws) for value in values.tolist()] == expected


def test_numbers_too_large_for_a_machine_word_are_exact_too() -> None:
    stopping = np.arange(252, dtype=np.int64) * 10_000
    small, large = keep_values(stopping, 3), keep_values(stopping, 6)
    assert small[2].dtype == np.int64
    assert large[0].dtype == object
    assert [values.tolist() for values in large[:3]] == [values.tolist() for values in small]
    assert int(large[5][0]) * THROW_SCALE < 2_510_000 * THROW_SCALE**7


def test_more_throws_are_never_worth_less() -> None:
    stopping = np.arange(252, dtype=np.int64) % 17
    values = [
        value.astype(object) * THROW_SCALE ** (4 - throws)
        for throws, value in enumerate(keep_values(stopping, 4), 1)
    ]
    for fewer, more in itertools.pairwise(values):
        assert (fewer <= more).all()


def test_a_turn_of_one_throw_has_no_keeps_to_value() -> None:
    assert keep_values(np.zeros(252, dtype=np.int64), 0) == []
