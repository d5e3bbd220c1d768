"""Boards of one seat, merged where they offer the same: what a solver has to know of a board that nobody else touches.

In BLOXX! and in Blokus Dice every seat draws on its own board. Two boards are equal for everything that can still happen if
every die offers the same gains on them and leads to boards that are equal again.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Board = TypeVar("Board", bound=Hashable)
Offers: TypeAlias = "dict[int, tuple[tuple[int, int], ...]]"
"""For every key of a die: the draws that it offers, each as a pair of the points gained and the number of the next board."""


class MergedBoards(Generic[Board]):
    """All boards that a seat can reach, numbered; equal ones have the same number."""

    def __init__(
        self,
        start: Board,
        list_draws: Callable[[Board], Mapping[int, Sequence[tuple[int, Board]]]],
        label: Callable[[Board], int],
    ) -> None:
        """Number the boards that can be reached from `start`.

        `list_draws` returns for every key of a die the draws that it offers: points gained and the next board. `label`
        returns a number; boards with different labels are never equal.
        """
        self._list_draws, self._label = list_draws, label
        self._numbers: dict[Board, int] = {}
        self._classes: dict[tuple[int, tuple[tuple[int, tuple[tuple[int, int], ...]], ...]], int] = {}
        self.offers: list[Offers] = []
        """For every number of a board: what the dice offer on it."""
        self.labels: list[int] = []
        """For every number of a board: its label."""
        self.start = self.number_board(start)

    def number_board(self, board: Board) -> int:
        """Return the number of a board."""
        number = self._numbers.get(board)
        if number is None:
            offers: Offers = {}
            for key, draws in self._list_draws(board).items():
                most: dict[int, int] = {}  # of several draws to equal boards only the dearest matters
                for gain, after in draws:
                    next_number = self.number_board(after)
                    most[next_number] = max(gain, most.get(next_number, gain))
                offers[key] = tuple(sorted((gain, after) for after, gain in most.items()))
            label = self._label(board)
            number = self._classes.setdefault((label, tuple(sorted(offers.items()))), len(self.offers))
            if number == len(self.offers):
                self.offers.append(offers)
                self.labels.append(label)
            self._numbers[board] = number
        return number
