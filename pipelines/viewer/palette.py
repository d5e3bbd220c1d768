"""Colours of strategies and seats: every strategy has one look on all charts of all pages and in notebooks."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Final, NamedTuple
from zlib import crc32

if TYPE_CHECKING:
    from collections.abc import Iterable

# The colours of Okabe and Ito for all kinds of colour vision, the blue a little lighter: all are visible on white and on
# a nearly black background.
_COLOURS: Final = ("#1F83C2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
_NEUTRAL_COLOUR: Final = "#8A8A8A"
_DASHES: Final = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
_SYMBOLS: Final = ("circle", "square", "diamond", "triangle-up", "cross", "x")


class SeriesLook(NamedTuple):
    """How a strategy is drawn. Colours, dashes and symbols all identify it, so that colour is never the only sign."""

    colour: str
    dash: str

    @property
    def symbol(self) -> str:
        return "circle-open" if self.colour == _NEUTRAL_COLOUR else _SYMBOLS[_DASHES.index(self.dash)]


def assign_looks(strategies: Iterable[str]) -> dict[str, SeriesLook]:
    """Return the look of every strategy; `random` is grey.

    A name has a preferred colour, so a strategy mostly keeps its colour as a library grows. Pages pass all strategies of
    the library, so that a strategy looks the same on all pages.
    """
    taken: dict[int, str] = {}
    # Names without parameters come first, so that the look of `greedy` does not depend on the other strategies.
    for name in sorted(set(strategies) - {"random"}, key=lambda name: (":" in name, name)):
        slots = _slots_by_preference(_preferred_slot(name))
        free = next((slot for slot in slots if slot not in taken), None)
        taken[next(slot for slot in count(len(_COLOURS)) if slot not in taken) if free is None else free] = (
            name
        )
    looks = {
        name: SeriesLook(
            _COLOURS[slot % len(_COLOURS)], _DASHES[(slot + slot // len(_COLOURS)) % len(_DASHES)]
        )
        for slot, name in taken.items()
    }
    return {**looks, "random": SeriesLook(_NEUTRAL_COLOUR, "dot")}


def _preferred_slot(name: str) -> int:
    return 0 if name == "greedy" else 1 + crc32(name.partition(":")[0].encode()) % (len(_COLOURS) - 1)


def _slots_by_preference(first: int) -> list[int]:
    """Return the numbers of the colours in the order of preference; the colour of `greedy` is last."""
    others = list(range(1, len(_COLOURS)))
    return [0] if first == 0 else [*others[first - 1 :], *others[: first - 1], 0]


def seat_looks(seats: int) -> dict[int, SeriesLook]:
    """Return the look of every seat."""
    return {
        seat: SeriesLook(_COLOURS[seat % len(_COLOURS)], _DASHES[seat % len(_DASHES)])
        for seat in range(seats)
    }
