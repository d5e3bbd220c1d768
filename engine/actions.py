"""The smallest values of a game: actions, the parts of a score, and the seat of chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

CHANCE: Final = -1
"""The seat of the dice. Chance acts in the same history as the players."""


def name_actor(seat: int | None) -> str:
    """Return who acts as people say it: chance, or a player counted from 1.

    >>> name_actor(CHANCE), name_actor(0)
    ('chance', 'player 1')
    """
    return "chance" if seat is None or seat == CHANCE else f"player {seat + 1}"


class Action(NamedTuple):
    """The meaning of an action number: one row of the run file's table `actions`."""

    kind: str
    notation: str
    piece: str | None = None
    die: str | None = None
    cells: tuple[int, ...] = ()
    dice: tuple[str, ...] = ()
    """The faces of the dice that were rolled or kept, in the order of the notation."""


@dataclass(frozen=True, slots=True)
class ScorePart:
    """One part of a seat's score. The points of all parts add up to the score."""

    part: str
    count: int
    points: int
