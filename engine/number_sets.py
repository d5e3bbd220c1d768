"""Sets of numbers as the bits of one integer, and the sequence of their members, counted and indexed without a list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, overload

_MAX_BITS_TO_CLEAR: Final = 64
"""In integers of at most this many bits, clearing bits one by one is faster than halving."""


class Members(Sequence[int]):
    """A sequence of ascending numbers, made of blocks in ascending order that do not overlap.

    A block is a pair: its first number, and the set of its members (an integer with one bit per number, relative to the
    first).
    """

    __slots__ = ("_blocks", "_length")

    def __init__(self, blocks: Iterable[tuple[int, int]]) -> None:
        """Store the blocks; those without members are ignored."""
        self._blocks = [(first, members, members.bit_count()) for first, members in blocks if members]
        self._length = sum(count for _, _, count in self._blocks)

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[int]:
        for first, members, _ in self._blocks:
            for member in iter_members(members):
                yield first + member

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int) and any(
            number >= first and members >> number - first & 1 for first, members, _ in self._blocks
        )

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[int, ...]: ...
    def __getitem__(self, index: int | slice) -> int | tuple[int, ...]:
        if isinstance(index, slice):
            return tuple(self)[index]
        rest = index + self._length if index < 0 else index
        if rest >= 0:
            for first, members, count in self._blocks:
                if rest < count:
                    return first + nth_member(members, rest)
                rest -= count
        raise IndexError(index)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self._blocks))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({list(self)})"


def make_set(numbers: Iterable[int]) -> int:
    """Return the set of some numbers.

    >>> bin(make_set([0, 2, 3]))
    '0b1101'
    """
    bits = bytearray()
    for number in numbers:
        byte = number >> 3
        if byte >= len(bits):
            bits.extend(bytes(byte + 1 - len(bits)))
        bits[byte] |= 1 << (number & 7)
    return int.from_bytes(bits, "little")


def iter_members(numbers: int) -> Iterator[int]:
    """Yield the members of a set, ascending.

    >>> list(iter_members(0b1101))
    [0, 2, 3]
    """
    # searching a string of ones and zeros is several times faster than bit operations on big integers
    text = bin(numbers)[:1:-1]
    member = text.find("1")
    while member >= 0:
        yield member
        member = text.find("1", member + 1)


def nth_member(numbers: int, index: int) -> int:
    """Return the member of a set that has `index` smaller members. The set must have more than `index` members.

    >>> nth_member(0b1101, 1)
    2
    """
    below, width = 0, numbers.bit_length()
    # halve the integer until it is short, because counting bits is faster than clearing them one by one
    while width > _MAX_BITS_TO_CLEAR:
        half = width >> 1
        low = numbers & (1 << half) - 1
        count = low.bit_count()
        if index < count:
            numbers, width = low, half
        else:
            numbers, width, below, index = numbers >> half, width - half, below + half, index - count
    for _ in range(index):
        numbers &= numbers - 1
    return below + (numbers & -numbers).bit_length() - 1
