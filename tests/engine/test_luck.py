"""Keyed luck: published test vectors, independence of keys, and the distributions of the numbers."""

from __future__ import annotations

from collections import Counter
from statistics import NormalDist, fmean, pstdev

import pytest

from engine.actions import CHANCE
from engine.luck import PURPOSE_DICE, PURPOSE_STRATEGY, Luck, normal_quantiles, philox


@pytest.mark.parametrize(
    ("counter", "seed", "words"),
    [
        ((0, 0, 0, 0), 0, "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        ((0xFFFFFFFF,) * 4, 2**64 - 1, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        (
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            0x299F31D0 << 32 | 0xA4093822,
            "d16cfe09 94fdcceb 5001e420 24126ea1",
        ),
    ],
)
def test_philox_gives_the_known_answers(counter: tuple[int, int, int, int], seed: int, words: str) -> None:
    """The test vectors were published with the generator (Random123, kat_vectors, philox4x32 with 10 rounds)."""
    assert " ".join(f"{word:08x}" for word in philox(*counter, seed)) == words


def test_luck_depends_on_every_part_of_its_key() -> None:
    base = Luck(1, 2).word(PURPOSE_DICE, 3, 0, 5)
    others = [
        Luck(2, 2).word(PURPOSE_DICE, 3, 0, 5),
        Luck(1 + 2**40, 2).word(PURPOSE_DICE, 3, 0, 5),
        Luck(1, 3).word(PURPOSE_DICE, 3, 0, 5),
        Luck(1, 2).word(PURPOSE_STRATEGY, 3, 0, 5),
        Luck(1, 2).word(PURPOSE_DICE, 4, 0, 5),
        Luck(1, 2).word(PURPOSE_DICE, 3, 1, 5),
        Luck(1, 2).word(PURPOSE_DICE, 3, CHANCE, 5),
        Luck(1, 2).word(PURPOSE_DICE, 3, 0, 6),
        Luck(1, 2).word(PURPOSE_DICE, 3, 0, 9),
    ]
    assert len({base, *others}) == 10
    assert Luck(1, 2).word(PURPOSE_DICE, 3, 0, 5) == base


def test_a_strategy_that_draws_more_numbers_changes_only_its_own() -> None:
    luck = Luck(9, 0)
    modest, greedy = luck.source(4, 1, 0), luck.source(4, 1, 0)
    assert [modest.below(6) for _ in range(3)] == [greedy.below(6) for _ in range(3)]
    for _ in range(1000):
        greedy.below(6)
    assert luck.source(4, 1, 1).below(10**9) == Luck(9, 0).source(4, 1, 1).below(10**9)
    assert luck.below(6, PURPOSE_DICE, 5, CHANCE, 0) == Luck(9, 0).below(6, PURPOSE_DICE, 5, CHANCE, 0)


def test_a_choice_from_one_item_draws_no_number() -> None:
    source, fresh = Luck(9, 0).source(0, 0, 0), Luck(9, 0).source(0, 0, 0)
    assert source.choice(["only"]) == "only"
    assert source.below(1000) == fresh.below(1000)


def test_faces_are_equally_likely() -> None:
    """Chi-square of 60,000 draws over blocks: above 30.9 for one seed in 100,000 (five degrees of freedom)."""
    counts = Counter(Luck(2026, block).below(6, PURPOSE_DICE, 7, CHANCE, 1) for block in range(60_000))
    assert counts.keys() == set(range(6))
    assert sum((count - 10_000) ** 2 / 10_000 for count in counts.values()) < 30.9


def test_neighbouring_keys_are_independent() -> None:
    """The joint distribution of two dice of one roll is uniform: chi-square with 35 degrees of freedom is below 78."""
    pairs = Counter(
        (
            Luck(5, block).below(6, PURPOSE_DICE, 0, CHANCE, 0),
            Luck(5, block).below(6, PURPOSE_DICE, 0, CHANCE, 1),
        )
        for block in range(36_000)
    )
    assert sum((pairs[a, b] - 1000) ** 2 / 1000 for a in range(6) for b in range(6)) < 78


def test_normal_numbers_are_normal() -> None:
    """Mean, spread and the largest distance to the normal distribution function of 20,000 numbers.

    The distance exceeds 1.95 / sqrt(n) for one seed in 1,000 (Kolmogorov).
    """
    numbers = sorted(Luck(11, block).source(0, 0, 0).normal() for block in range(20_000))
    assert abs(fmean(numbers)) < 0.03
    assert abs(pstdev(numbers) - 1) < 0.03
    distance = max(abs((i + 0.5) / 20_000 - NormalDist().cdf(z)) for i, z in enumerate(numbers))
    assert distance < 1.95 / 20_000**0.5


def test_forked_seeds_are_all_different() -> None:
    luck = Luck(11, 0)
    forks = {luck.source(round_, seat, 0).fork() for round_ in range(10) for seat in range(4)}
    assert len(forks) == 40
    assert luck.seed not in forks


def test_compiled_normal_numbers_and_forks_are_identical() -> None:
    np = pytest.importorskip("numpy")
    pytest.importorskip("numba")
    from engine.kernels.code_cache import prepare_numba

    prepare_numba()
    from engine.kernels import luck as kernel_luck

    quantiles = np.array(normal_quantiles())
    for block in range(300):
        source = Luck(13, block).source(3, 1, 0)
        key = kernel_luck.counter_key(np.uint64(PURPOSE_STRATEGY), np.uint64(2))
        place = np.uint64(13), np.uint64(block), key, np.uint64(3)
        assert (
            kernel_luck.normal_number(quantiles, kernel_luck.random_word(*place, np.uint64(0)))
            == source.normal()
        )
        assert kernel_luck.fork_seed(*place, np.uint64(1)) == source.fork()
