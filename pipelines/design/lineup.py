"""Line-ups: who sat where in the games of a run, how people write them, and how titles name them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from math import gcd
from typing import TYPE_CHECKING, Final

from engine.player_label import split_at_commas

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MAX_TABLES_NAMED: Final = 6
"""Tables that the text of a line-up names; an import may have many."""


@dataclass(frozen=True)
class Lineup:
    """Who sat where in the games of a block. Only results of equal line-ups are alike, whatever the ruleset."""

    seatings: tuple[tuple[str, ...], ...]
    """For each game of a block the strategy of each seat, in a fixed order: a rotation of the same strategies is equal."""
    opening: int = 0
    """Random plies at the start of each game."""
    details: str = ""
    """What else makes the games others: own code, settings behind the name of a strategy, the game that is continued."""

    @cached_property
    def is_rotated(self) -> bool:
        """True if the strategies also played in every rotation, so that no strategy had a better seat than another."""
        turned = Counter((*seating[1:], seating[0]) for seating in self.seatings)
        return turned == Counter(self.seatings)

    @property
    def tables(self) -> tuple[tuple[str, ...], ...]:
        """The strategies of each table, as often as they sat at it, whatever their seats were."""
        return tuple(dict.fromkeys(tuple(sorted(seating)) for seating in self.seatings))

    def __str__(self) -> str:
        """Return the line-up as text; strategies that kept their seats stand in the order of these."""
        tables = (
            list(map(format_lineup, self.tables)) if self.is_rotated else list(map(", ".join, self.seatings))
        )
        more = [f"{len(tables) - MAX_TABLES_NAMED} more"] if len(tables) > MAX_TABLES_NAMED else []
        return " or ".join([*tables[:MAX_TABLES_NAMED], *more]) + (
            "" if self.is_rotated else " on fixed seats"
        )


def make_lineup(seatings: Iterable[Sequence[str]], opening: int = 0, details: str = "") -> Lineup:
    """Return the line-up of some seatings, whatever their order and however often each was repeated.

    >>> str(make_lineup([("random", "greedy", "greedy"), ("greedy", "greedy", "random"), ("greedy", "random", "greedy")]))
    '2 greedy, random'
    >>> str(make_lineup([("greedy", "random")]))
    'greedy, random on fixed seats'
    """
    counts = Counter(map(tuple, seatings))
    common = gcd(*counts.values())
    every = (seating for seating in sorted(counts) for _ in range(counts[seating] // common))
    return Lineup(tuple(every), opening, details)


def name_lineups(lineups: Iterable[Lineup]) -> dict[Lineup, str]:
    """Return a text for each line-up. The texts differ from each other."""
    names: dict[Lineup, str] = {}
    for lineup in dict.fromkeys(lineups):
        name = str(lineup)
        if name in names.values() and lineup.opening:
            name += f", after {lineup.opening} random plies"
        number = 1 + sum(known == name or known.startswith(f"{name} (") for known in names.values())
        names[lineup] = f"{name} ({number})" if number > 1 else name
    return names


def split_strategies(text: str) -> list[str]:
    """Split a line-up at the commas between strategies, not at commas between parameters or in double quotes.

    >>> split_strategies("greedy,rollout:playouts=64,depth=2,random")
    ['greedy', 'rollout:playouts=64,depth=2', 'random']
    >>> split_strategies('gtp:command="a, b:c=d",seconds=9,random')
    ['gtp:command="a, b:c=d",seconds=9', 'random']
    """
    strategies: list[str] = []
    for piece in split_at_commas(text):
        key, equals, _ = piece.partition("=")
        if strategies and equals and ":" not in key:
            strategies[-1] += f",{piece.strip()}"
        else:
            strategies.append(piece.strip())
    return strategies


def format_lineup(lineup: Sequence[str]) -> str:
    """Return a line-up as text for a title.

    >>> format_lineup(["greedy", "greedy", "random"])
    '2 greedy, random'
    """
    counts = {strategy: list(lineup).count(strategy) for strategy in lineup}
    return ", ".join(f"{count} {strategy}" if count > 1 else strategy for strategy, count in counts.items())
