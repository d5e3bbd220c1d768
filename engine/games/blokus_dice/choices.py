"""A sequence of legal actions that is counted and indexed without listing all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, overload

from engine.games.blokus_dice.placements import iter_members

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_MAX_BITS_TO_CLEAR: Final = 64
"""In integers of at most this many bits, clearing bits one by one is faster than halving."""


class Choices(Sequence[int]):
    """A sequence of ascending actions, made of blocks in ascending order that do not overlap.

    A block is a pair: the number of its first action, and the set of its members (an integer with one bit per action,
    relative to the first).
    """

    __slots__ = ("_blocks", "_length")

    def __init__(self, blocks: Iterable[tuple[int, int]]) -> None:
        """Store the blocks; those without members are ignored."""
        self._blocks = [(first, legal, legal.bit_count()) for first, legal in blocks if legal]
        self._length = sum(count for _, _, count in self._blocks)

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[int]:
        for first, legal, _ in self._blocks:
            for member in iter_members(legal):
                yield first + member

    def __contains__(self, action: object) -> bool:
        return isinstance(action, int) and any(
            action >= first and legal >> action - first & 1 for first, legal, _ in self._blocks
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
            for first, legal, count in self._blocks:
                if rest < count:
                    return first + nth_member(legal, rest)
                rest -= count
        raise IndexError(index)

    def __repr__(self) -> str:
        return f"Choices({list(self)})"


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
