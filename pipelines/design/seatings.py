"""The seatings of a block, in which strategies meet on the same luck, and the question of a comparison.

A seating gives a place in the line-up for each seat. In a comparison the places are its *sides*: a strategy that is
compared with itself is two sides.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import PydanticKnownError

from engine.errors import InvalidError
from pipelines.design.metrics import DEFAULT_METRIC, METRICS, Arrangement

if TYPE_CHECKING:
    from collections.abc import Sequence

Seating: TypeAlias = tuple[int, ...]
Seatings: TypeAlias = tuple[Seating, ...]
Pair: TypeAlias = tuple[int, int]

Choice = TypeVar("Choice", bound=str)

FIRST_LOOK_BLOCKS: Final = 100
"""A comparison that is played until decided is first tested after this number of blocks, then after multiples of it."""
LOOK_STEP_DIVISOR: Final = 20
"""The next test comes after a twentieth more blocks: few games too many are played, with few tests."""


def parse_choice(what: str, given: str, known: Sequence[Choice]) -> Choice:
    """Return `given` if it is one of the known choices; raise InvalidError, which begins with `what`, if it is not.

    >>> parse_choice("design", "duel", ("duel", "rotate"))
    'duel'
    """
    for choice in known:
        if choice == given:
            return choice
    raise InvalidError(f"{what}: expected {' or '.join(known)}, not {given!r}")


def _check_metric(name: str) -> str:
    if name not in METRICS:
        raise PydanticKnownError("literal_error", {"expected": " or ".join(METRICS)})
    return name


MetricName: TypeAlias = Annotated[str, AfterValidator(_check_metric)]
"""The name of a measure, as a field of a model."""


class Contest(BaseModel):
    """The question of a comparison: how its sides meet, and what is compared."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    arrangement: Arrangement
    """rotate: all sides in every game; duel: one side on one seat against the other side on all others, for every seat
    and both ways; round-robin: a duel of every two sides."""
    metric: MetricName = DEFAULT_METRIC
    margin: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    """The largest difference that does not matter, in units of the metric."""
    most_blocks: Annotated[int, Field(ge=1, le=1 << 32)] | None = None
    """Play until the comparison is decided, at most so many blocks; None: play the blocks of the design."""

    @property
    def until_decided(self) -> bool:
        return self.most_blocks is not None

    @property
    def look_schedule(self) -> list[int]:
        """The numbers of blocks after which the comparison is tested; they are fixed, so every computer stops alike.

        >>> Contest(arrangement="duel", most_blocks=450).look_schedule
        [100, 200, 300, 400, 450]
        """
        looks, look, most = [], 0, self.most_blocks or 0
        while look < most:
            look += max(1, look // LOOK_STEP_DIVISOR // FIRST_LOOK_BLOCKS) * FIRST_LOOK_BLOCKS
            looks.append(min(look, most))
        return looks

    def seatings(self, sides: int, seats: int) -> Seatings:
        """Return the seatings of a block."""
        if self.arrangement == "rotate":
            return rotation_seatings(sides, sides)
        return round_robin_seatings(sides, seats)

    def command_options(self, blocks: int) -> list[str]:
        """Return the options of the command for this comparison over `blocks` blocks."""
        words = ["--design", self.arrangement, "--metric", self.metric]
        words += ["--margin", f"{self.margin:.15g}"] if self.margin is not None else []
        words += ["--until-decided"] if self.until_decided else []
        return [*words, "--blocks", str(self.most_blocks or blocks)]


def rotation_seatings(places: int, number: int) -> Seatings:
    """Return the first `number` rotations of a line-up: rotation r has place (seat + r) modulo places on each seat.

    >>> rotation_seatings(3, 2)
    ((0, 1, 2), (1, 2, 0))
    """
    return tuple(
        tuple((seat + rotation) % places for seat in range(places)) for rotation in range(min(number, places))
    )


def different_rotations(lineup: Sequence[str]) -> list[int]:
    """Return the rotations that are different seatings of the line-up.

    >>> different_rotations("abab"), different_rotations("aab")
    ([0, 1], [0, 1, 2])
    """
    seen = [[lineup[place] for place in seating] for seating in rotation_seatings(len(lineup), len(lineup))]
    return [rotation for rotation, seating in enumerate(seen) if seating not in seen[:rotation]]


def pair_duel_seatings(a: int, b: int, seats: int) -> Seatings:
    """Return the seatings of a duel: for every seat, one side there and the other on all other seats, and vice versa.

    Seatings that are equal are returned once.


    >>> pair_duel_seatings(0, 1, 3)
    ((0, 1, 1), (1, 0, 0), (1, 0, 1), (0, 1, 0), (1, 1, 0), (0, 0, 1))
    >>> pair_duel_seatings(0, 1, 2)
    ((0, 1), (1, 0))
    """
    alone = [
        tuple(lone if seat == place else rest for seat in range(seats))
        for place in range(seats)
        for lone, rest in ((a, b), (b, a))
    ]
    return tuple(dict.fromkeys(alone))


def side_pairs(sides: int) -> list[Pair]:
    """Return all pairs of sides.

    >>> side_pairs(3)
    [(0, 1), (0, 2), (1, 2)]
    """
    return list(combinations(range(sides), 2))


def round_robin_seatings(sides: int, seats: int) -> Seatings:
    """Return the seatings of the duels of all pairs of sides, pair after pair."""
    return tuple(seating for a, b in side_pairs(sides) for seating in pair_duel_seatings(a, b, seats))


def meeting_seatings(seatings: Seatings, pair: Pair) -> list[int]:
    """Return the numbers of the seatings in which both sides play.

    >>> meeting_seatings(round_robin_seatings(3, 2), (0, 2))
    [2, 3]
    """
    return [number for number, seating in enumerate(seatings) if set(pair) <= set(seating)]


def twin_seatings(seatings: Seatings, pair: Pair) -> list[tuple[int, int, int]]:
    """Return (seat, seating, seating) where the first side, then the second, is alone of its side on that seat.

    >>> twin_seatings(pair_duel_seatings(0, 1, 3), (0, 1))
    [(0, 0, 1), (1, 2, 3), (2, 4, 5)]
    """
    twins = []
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
            twins.append((seat, alone[0][0], alone[1][0]))
    return twins
