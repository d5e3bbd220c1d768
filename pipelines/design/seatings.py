"""Who sits where: the seatings of a block, in which strategies meet on the same luck.

A seating names, for each seat, a place in the line-up. In a comparison the places are its *sides*: a strategy that is
compared with itself is two sides.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeAlias, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field

from engine.errors import InvalidError

if TYPE_CHECKING:
    from collections.abc import Sequence

Seating: TypeAlias = tuple[int, ...]
Seatings: TypeAlias = tuple[Seating, ...]
Arrangement: TypeAlias = Literal["rotate", "duel", "round-robin"]
Metric: TypeAlias = Literal["score", "margin", "win"]
Pair: TypeAlias = tuple[int, int]

Choice = TypeVar("Choice", bound=str)

ARRANGEMENTS: Final[tuple[Arrangement, ...]] = get_args(Arrangement)
METRICS: Final[tuple[Metric, ...]] = get_args(Metric)

FIRST_LOOK_BLOCKS: Final = 100
"""Blocks before a comparison is first asked whether it is decided, and what all further looks are multiples of."""
LOOK_STEP_DIVISOR: Final = 20
"""A look comes after a twentieth more blocks: hardly a game too many, and few looks."""


def parse_choice(what: str, given: str, known: Sequence[Choice]) -> Choice:
    """Return what was given as one of what is known; raise InvalidError if it is none of them.

    >>> parse_choice("metric", "win", METRICS)
    'win'
    """
    for one in known:
        if one == given:
            return one
    raise InvalidError(f"{what}: expected {' or '.join(known)}, not {given!r}")


class Contest(BaseModel):
    """What a comparison asks: how its sides meet, and what is compared."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    arrangement: Arrangement
    """rotate: all sides in every game; duel: one side on a seat against the other on all others, on every seat and both
    ways; round-robin: a duel of every two sides."""
    metric: Metric = "score"
    margin: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    """A difference that is too small to matter, in units of the metric."""
    most_blocks: Annotated[int, Field(ge=1, le=1 << 32)] | None = None
    """Play until it is decided, at most so many blocks; None: play as many as planned."""

    @property
    def until_decided(self) -> bool:
        return self.most_blocks is not None

    @property
    def look_schedule(self) -> list[int]:
        """After how many blocks to ask whether it is decided: settled beforehand, so that no machine asks earlier.

        >>> Contest(arrangement="duel", most_blocks=450).look_schedule
        [100, 200, 300, 400, 450]
        """
        found, look, most = [], 0, self.most_blocks or 0
        while look < most:
            look += max(1, look // LOOK_STEP_DIVISOR // FIRST_LOOK_BLOCKS) * FIRST_LOOK_BLOCKS
            found.append(min(look, most))
        return found

    def seatings(self, sides: int, seats: int) -> Seatings:
        """Return the seatings of a block."""
        if self.arrangement == "rotate":
            return rotation_seatings(sides, sides)
        return round_robin_seatings(sides, seats)

    def command_options(self, blocks: int) -> list[str]:
        """Return the options of the command that asks the same of as many blocks."""
        words = ["--design", self.arrangement, "--metric", self.metric]
        words += ["--margin", f"{self.margin:.15g}"] if self.margin is not None else []
        words += ["--until-decided"] if self.until_decided else []
        return [*words, "--blocks", str(self.most_blocks or blocks)]


def rotation_seatings(places: int, number: int) -> Seatings:
    """Return the first rotations of a line-up: rotation r seats place (seat + r) modulo places.

    >>> rotation_seatings(3, 2)
    ((0, 1, 2), (1, 2, 0))
    """
    return tuple(
        tuple((seat + rotation) % places for seat in range(places)) for rotation in range(min(number, places))
    )


def different_rotations(lineup: Sequence[str]) -> list[int]:
    """Return the rotations that seat the line-up differently: those before it repeats itself.

    >>> different_rotations("abab"), different_rotations("aab")
    ([0, 1], [0, 1, 2])
    """
    seen = [[lineup[place] for place in seating] for seating in rotation_seatings(len(lineup), len(lineup))]
    return [rotation for rotation, seating in enumerate(seen) if seating not in seen[:rotation]]


def pair_duel_seatings(a: int, b: int, seats: int) -> Seatings:
    """Return the seatings of two sides: for every seat one there and the other on all others, both ways, each once.

    >>> pair_duel_seatings(0, 1, 3)
    ((0, 1, 1), (1, 0, 0), (1, 0, 1), (0, 1, 0), (1, 1, 0), (0, 0, 1))
    >>> pair_duel_seatings(0, 1, 2)
    ((0, 1), (1, 0))
    """
    alone = [
        tuple(one if seat == place else rest for seat in range(seats))
        for place in range(seats)
        for one, rest in ((a, b), (b, a))
    ]
    return tuple(dict.fromkeys(alone))


def side_pairs(sides: int) -> list[Pair]:
    """Return every two sides.

    >>> side_pairs(3)
    [(0, 1), (0, 2), (1, 2)]
    """
    return list(combinations(range(sides), 2))


def round_robin_seatings(sides: int, seats: int) -> Seatings:
    """Return the seatings of a duel of every two sides, pair after pair."""
    return tuple(seating for a, b in side_pairs(sides) for seating in pair_duel_seatings(a, b, seats))


def meeting_seatings(seatings: Seatings, pair: Pair) -> list[int]:
    """Return the numbers of the seatings in which both sides play.

    >>> meeting_seatings(round_robin_seatings(3, 2), (0, 2))
    [2, 3]
    """
    return [number for number, seating in enumerate(seatings) if set(pair) <= set(seating)]


def twin_seatings(seatings: Seatings, pair: Pair) -> list[tuple[int, int, int]]:
    """Return seat by seat the two seatings in which one side, then the other, sits there alone of its side.

    >>> twin_seatings(pair_duel_seatings(0, 1, 3), (0, 1))
    [(0, 0, 1), (1, 2, 3), (2, 4, 5)]
    """
    found = []
    for seat in range(len(seatings[0])):
        alone = [
            [
                n
                for n in meeting_seatings(seatings, pair)
                if seatings[n][seat] == side and seatings[n].count(side) == 1
            ]
            for side in pair
        ]
        if all(alone):
            found.append((seat, alone[0][0], alone[1][0]))
    return found
