"""Who sits where: line-ups, and the seatings of a block, in which strategies meet on the same luck.

A seating gives a place in the line-up for each seat. In a comparison the places are its *sides*: a strategy that is
compared with itself is two sides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import gcd
from typing import Annotated, Final, TypeAlias, TypeVar

from pydantic import AfterValidator, BaseModel, Field
from pydantic_core import PydanticKnownError

from engine.errors import InvalidError
from engine.wording import split_at_commas
from pipelines.design.metrics import DEFAULT_METRIC, METRICS, Arrangement

Seating: TypeAlias = tuple[int, ...]
Seatings: TypeAlias = tuple[Seating, ...]
Pair: TypeAlias = tuple[int, int]

Choice = TypeVar("Choice", bound=str)

FIRST_LOOK_BLOCKS: Final = 100
"""A comparison that is played until decided is first tested after this number of blocks, then after multiples of it."""
LOOK_STEP_DIVISOR: Final = 20
"""The next test comes after a twentieth more blocks: few games too many are played, with few tests."""


def parse_choice(subject: str, name: str, choices: Sequence[Choice]) -> Choice:
    """Return `name` if it is one of the known choices; raise InvalidError, which begins with `subject`, if it is not.

    >>> parse_choice("design", "duel", ("duel", "rotate"))
    'duel'
    """
    for choice in choices:
        if choice == name:
            return choice
    raise InvalidError(f"{subject}: expected {' or '.join(choices)}, not {name!r}")


def _check_metric(name: str) -> str:
    if name not in METRICS:
        raise PydanticKnownError("literal_error", {"expected": " or ".join(METRICS)})
    return name


MetricName: TypeAlias = Annotated[str, AfterValidator(_check_metric)]
"""The name of a measure, as a field of a model."""


class Contest(BaseModel, frozen=True, extra="forbid", strict=True):
    """The question of a comparison: how its sides meet, and what is compared."""

    arrangement: Arrangement
    """rotate: all sides in every game; duel: one side on one seat against the other side on all others, for every seat
    and both ways; round-robin: a duel of every two sides."""
    metric: MetricName = DEFAULT_METRIC
    margin: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    """The largest difference that does not matter, in units of the metric."""
    most_blocks: Annotated[int, Field(ge=1, le=1 << 32)] | None = None
    """Play until the comparison is decided, at most this number of blocks; None: play the blocks of the design."""

    @property
    def until_decided(self) -> bool:
        return self.most_blocks is not None

    @property
    def look_schedule(self) -> list[int]:
        """The numbers of blocks after which the comparison is tested; they are fixed, so every computer stops alike.

        >>> Contest(arrangement="duel", most_blocks=450).look_schedule
        [100, 200, 300, 400, 450]
        """
        looks, look, end = [], 0, self.most_blocks or 0
        while look < end:
            look += max(1, look // LOOK_STEP_DIVISOR // FIRST_LOOK_BLOCKS) * FIRST_LOOK_BLOCKS
            looks.append(min(look, end))
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
