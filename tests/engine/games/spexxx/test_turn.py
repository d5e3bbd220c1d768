"""The solved turn, against the same sums done slowly with fractions."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from engine.games.spexxx import dice
from engine.games.spexxx.turn import SCALE, keeping
from engine.luck import Luck

THROWS = range(dice.FIRST_THROW, len(dice.HANDS))


def slowly(stopping: dict[int, int], throws: int) -> list[list[Fraction]]:
    """What every keep is worth with 1, 2, ... throws to come, from the definition."""
    worth = {throw: Fraction(value) for throw, value in stopping.items()}
    found = []
    for _ in range(throws):
        kept = [
            sum(
                Fraction(chance).limit_denominator(SCALE) * worth[throw] for throw, chance in outcomes.items()
            )
            for outcomes in map(dice.outcomes, range(dice.FIRST_THROW))
        ]
        found.append([Fraction(value) for value in kept])
        worth = {
            throw: max(Fraction(value), *(found[-1][keep] for keep in dice.keeps(throw)))
            for throw, value in stopping.items()
        }
    return found


@pytest.mark.parametrize("largest", [1, 100_000])
def test_every_keep_is_worth_exactly_its_mean(largest: int) -> None:
    source = Luck(largest, 0).source(0, 0, 0)
    stopping = {throw: source.below(largest + 1) for throw in THROWS}
    fast = keeping(np.array(list(stopping.values()), dtype=np.int64), 3)
    for throws, (values, expected) in enumerate(zip(fast, slowly(stopping, 3), strict=True), start=1):
        assert [Fraction(value, SCALE**throws) for value in values.tolist()] == expected


def test_numbers_too_large_for_a_machine_word_are_exact_too() -> None:
    stopping = np.arange(252, dtype=np.int64) * 10_000
    small, large = keeping(stopping, 3), keeping(stopping, 6)
    assert small[2].dtype == np.int64
    assert large[0].dtype == object
    assert [values.tolist() for values in large[:3]] == [values.tolist() for values in small]
    assert int(large[5][0]) * SCALE < 2_510_000 * SCALE**7


def test_more_throws_are_never_worth_less() -> None:
    stopping = np.arange(252, dtype=np.int64) % 17
    values = [
        value.astype(object) * SCALE ** (4 - throws) for throws, value in enumerate(keeping(stopping, 4), 1)
    ]
    for fewer, more in itertools.pairwise(values):
        assert (fewer <= more).all()


def test_a_turn_of_one_throw_has_nothing_to_solve() -> None:
    assert keeping(np.zeros(252, dtype=np.int64), 0) == []
