"""One colour for each strategy, the same on every chart of every page and in notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

# Okabe and Ito's colours for all kinds of colour vision, the blue a little lighter: each stands out on white and on
# near-black.
_COLOURS: Final = ("#1F83C2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
_NEUTRAL: Final = "#8A8A8A"
_DASHES: Final = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


class Look(NamedTuple):
    """How a strategy is drawn: the dash says the same as the colour."""

    colour: str
    dash: str


def looks(strategies: Iterable[str]) -> dict[str, Look]:
    """Give every strategy of a library its look; `random`, everybody's yardstick, is grey."""
    named = sorted(set(strategies) - {"random"})
    found = {
        name: Look(_COLOURS[i % len(_COLOURS)], _DASHES[(i + i // len(_COLOURS)) % len(_DASHES)])
        for i, name in enumerate(named)
    }
    return {**found, "random": Look(_NEUTRAL, "dot")}
