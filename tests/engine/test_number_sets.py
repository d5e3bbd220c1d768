"""Sets of numbers as bits: their members are found, counted and indexed as in the list of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.number_sets import Members, iter_members, nth_member

numbers_in_a_block = st.sets(st.integers(0, 3000), max_size=40)


@given(st.lists(st.tuples(st.integers(0, 10**6), numbers_in_a_block), max_size=3))
def test_members_are_the_sequence_of_their_numbers(drawn: list[tuple[int, set[int]]]) -> None:
    blocks: list[tuple[int, int]] = []
    expected: list[int] = []
    for gap, numbers in drawn:
        first = expected[-1] + 1 + gap if expected else gap
        blocks.append((first, sum(1 << number for number in numbers)))
        expected += [first + number for number in sorted(numbers)]
    members = Members(blocks)
    count = len(expected)
    assert list(members) == expected
    assert members == expected
    assert [members[index] for index in range(-count, count)] == expected * 2
    assert members[1:3] == tuple(expected[1:3])
    assert bool(members) == bool(expected)
    assert all(number in members and members.index(number) == at for at, number in enumerate(expected))
    for number in {one + step for one in (0, *expected) for step in (-1, 1)} - set(expected):
        assert number not in members
    for index in (count, -count - 1):
        with pytest.raises(IndexError):
            _ = members[index]


@given(numbers_in_a_block)
def test_the_nth_member_is_found_in_sets_of_any_length(numbers: set[int]) -> None:
    together = sum(1 << number for number in numbers)
    assert list(iter_members(together)) == sorted(numbers)
    assert [nth_member(together, index) for index in range(len(numbers))] == sorted(numbers)
