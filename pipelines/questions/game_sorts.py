"""What games can be sorted by, and the columns of conditions on them. Loads nothing slow: the help of the command needs it."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

SortKey: TypeAlias = Literal["score", "margin", "comeback", "lead", "length", "luck", "game"]


class SortTitles(NamedTuple):
    """What a list is called that begins with the largest number (or the best score), and one that begins with the other end."""

    largest: str
    smallest: str
    number: str
    """What the number is."""


SORTS: Final[dict[SortKey, SortTitles]] = {
    "score": SortTitles("best score", "worst score", "score"),
    "margin": SortTitles("widest margin", "closest finish", "margin"),
    "comeback": SortTitles("largest comeback", "smallest comeback", "points behind"),
    "lead": SortTitles("most changes of the lead", "fewest changes of the lead", "changes of the lead"),
    "length": SortTitles("longest game", "shortest game", "moves"),
    "luck": SortTitles("most one-sided rolls", "most even rolls", "points of luck"),
    "game": SortTitles("last game", "first game", "game"),
}
"""What games can be sorted by.

- score: of any player, the best first; in a game that the lowest score wins, that is the lowest
- margin: points between the winner and the next place; games with several winners have none
- comeback: points that the only winner was behind at the end of a round of the second half
- lead: how often another player is alone in the first place at the end of a round
- length: moves, those of chance included
- luck: points that all rolls together gave the luckiest player more than the others; only games that were reviewed have it
"""
SORTS_OF_ONE_WINNER: Final = frozenset[SortKey]({"margin", "comeback"})
"""Those that only games with one winner have."""


CONDITION_COLUMNS: Final = (
    "run, game_id, ruleset, block, rounds, plies, logged, players, highest, lowest, margin, winners"
)
"""The columns that a condition may use: `highest` and `lowest` score, `winners` as names with commas."""
