"""Colours of strategies and seats: every strategy has one look on all charts of all pages and in notebooks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import Final, NamedTuple
from zlib import crc32

from engine import games
from engine.strategies import read_player

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


OTHER_LOOK: Final = SeriesLook(_NEUTRAL_COLOUR, "dot")
"""The look of what something is compared with, such as the rules as they are; that of `random`, too."""
TOGETHER_LOOK: Final = SeriesLook("#66707F", "dot")
"""The look of several strategies together: no strategy has this ink, which is seen on white and on a nearly black background."""
CHOSEN_LOOK: Final = SeriesLook(_COLOURS[0], _DASHES[0])
"""The look of the subject of a chart, if the subject is not a strategy."""


def assign_looks(*groups: Iterable[str]) -> dict[str, SeriesLook]:
    """Return the look of every strategy; `random` is grey.

    A group holds strategies that stand beside each other in charts, such as those of one game. They differ in colour as
    long as there are colours, and in dash as long as there are dashes. A name has a preferred colour, and the strategies of
    earlier groups choose first, so a strategy mostly keeps its look as a library grows. Pages pass all strategies of the
    library, so that a strategy looks the same on all pages.
    """
    members = [sorted(set(group) - {"random"}, key=_choice_order) for group in groups]
    looks: dict[str, SeriesLook] = {}
    for name in (name for group in members for name in group):
        if name not in looks:
            beside = {other for group in members if name in group for other in group}
            looks[name] = _choose_look(name, [looks[other] for other in beside if other in looks], looks)
    return {**looks, "random": OTHER_LOOK}


def _choice_order(name: str) -> tuple[bool, bool, str]:
    """Order strategies by who chooses first: `greedy`, then names without parameters, whose looks then depend on fewer."""
    return name != "greedy", ":" in name, name


def _choose_look(name: str, beside: list[SeriesLook], looks: dict[str, SeriesLook]) -> SeriesLook:
    """Return a look for a strategy: first with a colour, then with a dash that few of the looks `beside` it have."""
    uses = Counter(look.colour for look in beside)
    colour = min(_colours_by_preference(name), key=lambda choice: uses[choice])
    first = _COLOURS.index(colour)
    dashes = [*_DASHES[first:], *_DASHES[:first]]
    taken_looks, dashes_beside = set(looks.values()), {OTHER_LOOK.dash, *(look.dash for look in beside)}

    def drawbacks(dash: str) -> tuple[bool, bool, bool]:
        look = SeriesLook(colour, dash)
        return look in beside, dash in dashes_beside, look in taken_looks

    return SeriesLook(colour, min(dashes, key=drawbacks))


def _colours_by_preference(name: str) -> list[str]:
    """Return the colours, the preferred one of a strategy first; the two blues are last, because `greedy` has one of them."""
    if name == "greedy":
        return [*_COLOURS]
    blue, *others, light_blue = _COLOURS
    first = crc32(name.partition(":")[0].encode()) % len(others)
    return [*others[first:], *others[:first], light_blue, blue]


def seat_looks(seats: int) -> dict[int, SeriesLook]:
    """Return the look of every seat."""
    return {
        seat: SeriesLook(_COLOURS[seat % len(_COLOURS)], _DASHES[seat % len(_DASHES)])
        for seat in range(seats)
    }


def assign_strategy_looks(
    played: Iterable[tuple[str, Iterable[str]]] = (), more: Iterable[str] = ()
) -> dict[str, SeriesLook]:
    """Return the looks of the strategies of all games, of those that were `played` in games, and of some `more`.

    The strategies of the games choose first, with their usual parameters, so that their looks are the same in every
    library.

    >>> looks = assign_strategy_looks([("bloxx", ["greedy", "planner:candidates=6"])])
    >>> looks["greedy"].colour, looks["greedy"].dash
    ('#1F83C2', 'solid')
    """
    shipped = {name: _list_default_strategies(name) for name in games.game_names()}
    groups = {name: set(strategies) for name, strategies in shipped.items()}
    for game, strategies in played:
        groups.setdefault(game, set()).update(strategies)
    return assign_looks(*shipped.values(), *groups.values(), more)


@cache
def _list_default_strategies(game_name: str) -> tuple[str, ...]:
    """Return the full names of the strategies of a game with their usual parameters."""
    game = games.find_game(game_name)
    return tuple(read_player(game, strategy.name).label for strategy in game.strategies)
