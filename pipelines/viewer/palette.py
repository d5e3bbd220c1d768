"""One colour for each strategy, the same on every chart of every page and in notebooks."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Final, NamedTuple
from zlib import crc32

if TYPE_CHECKING:
    from collections.abc import Iterable

# Okabe and Ito's colours for all kinds of colour vision, the blue a little lighter: each stands out on white and on
# near-black.
_COLOURS: Final = ("#1F83C2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
_NEUTRAL_COLOUR: Final = "#8A8A8A"
_DASHES: Final = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
_SYMBOLS: Final = ("circle", "square", "diamond", "triangle-up", "cross", "x")


class SeriesLook(NamedTuple):
    """How a strategy is drawn: the dash of its lines and the symbol of its dots say the same as the colour."""

    colour: str
    dash: str

    @property
    def symbol(self) -> str:
        return "circle-open" if self.colour == _NEUTRAL_COLOUR else _SYMBOLS[_DASHES.index(self.dash)]


def assign_looks(strategies: Iterable[str]) -> dict[str, SeriesLook]:
    """Give every strategy of a library its look; `random`, everybody's yardstick, is grey.

    A name has a colour of its own that others rarely take from it, so it keeps its colour as the library grows. Pages
    name all strategies of the library, so that a strategy looks the same on all of them.
    """
    taken: dict[int, str] = {}
    # Simple names come first: what `greedy` looks like does not depend on what else there is.
    for name in sorted(set(strategies) - {"random"}, key=lambda name: (":" in name, name)):
        wanted = _preferred_slot(name)
        free = next((slot for slot in _slots_by_preference(wanted) if slot not in taken), None)
        taken[next(slot for slot in count(len(_COLOURS)) if slot not in taken) if free is None else free] = (
            name
        )
    found = {
        name: SeriesLook(
            _COLOURS[slot % len(_COLOURS)], _DASHES[(slot + slot // len(_COLOURS)) % len(_DASHES)]
        )
        for slot, name in taken.items()
    }
    return {**found, "random": SeriesLook(_NEUTRAL_COLOUR, "dot")}


def _preferred_slot(name: str) -> int:
    return 0 if name == "greedy" else 1 + crc32(name.partition(":")[0].encode()) % (len(_COLOURS) - 1)


def _slots_by_preference(first: int) -> list[int]:
    """Return the colours in the order in which they are tried: greedy's comes last."""
    others = list(range(1, len(_COLOURS)))
    return [0] if first == 0 else [*others[first - 1 :], *others[: first - 1], 0]


def seat_looks(seats: int) -> dict[int, SeriesLook]:
    """Give every seat its look."""
    return {
        seat: SeriesLook(_COLOURS[seat % len(_COLOURS)], _DASHES[seat % len(_DASHES)])
        for seat in range(seats)
    }
