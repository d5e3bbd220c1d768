"""Compiled luck is equal to the luck of the plain rules."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.actions import CHANCE
from engine.kernels.code_cache import prepare_numba
from engine.kernels.loader import can_compile_games
from engine.luck import PURPOSE_DICE, PURPOSE_STRATEGY, Luck
from tests.examples import scale_examples

pytestmark = pytest.mark.skipif(not can_compile_games(), reason="Numba is not installed")


@given(
    seed=st.integers(0, 2**64 - 1),
    block=st.integers(0, 2**32 - 1),
    purpose=st.sampled_from([PURPOSE_DICE, PURPOSE_STRATEGY]),
    round_=st.integers(0, 10**4),
    seat=st.integers(CHANCE, 7),
    index=st.integers(0, 2**34 - 1),
    n=st.integers(1, 2**20),
)
@scale_examples(3)
def test_compiled_luck_equals_plain_luck(
    seed: int, block: int, purpose: int, round_: int, seat: int, index: int, n: int
) -> None:
    prepare_numba()
    from engine.kernels import luck

    key = luck.counter_key(np.uint64(purpose), np.uint64(seat + 1))
    word = luck.random_word(np.uint64(seed), np.uint64(block), key, np.uint64(round_), np.uint64(index))
    assert word == Luck(seed, block).word(purpose, round_, seat, index)
    words = np.zeros(luck.SEATS_AT_ONCE, np.uint64)
    luck.store_seat_words(words, *(np.uint64(number) for number in (seed, block, purpose, round_, index)))
    plain = Luck(seed, block)
    assert words.tolist() == [plain.word(purpose, round_, seat, index) for seat in range(len(words))]
    assert luck.number_below(np.uint64(word), np.uint64(n)) == Luck(seed, block).below(
        n, purpose, round_, seat, index
    )
