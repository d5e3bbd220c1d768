"""The limits of the numbers that people choose, and what counts if they choose none.

Classes of questions, forms, commands and notebooks have them from here. Loads nothing: the help of commands needs it.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class NumberLimits(NamedTuple):
    """The smallest and the largest value of a number, and the one that counts if nobody names one."""

    least: int
    most: int
    default: int


SEED: Final = NumberLimits(0, (1 << 64) - 1, 0)
"""The default is that of answers which are played again each time; new games have a random seed."""
SIMULATION_GAMES: Final = NumberLimits(1, 1_000_000, 300)
"""300 games take about a second and give intervals that are narrow enough to be useful. A command may ask for more, up to
the limit of a run; so it may for blocks of a comparison."""
COMPARISON_BLOCKS: Final = NumberLimits(1, 1_000_000, 1_000)
MAX_BLOCKS_UNTIL_DECIDED: Final = 100_000
"""Blocks at most of a comparison that a command plays until it is decided, if no number is given."""
LIVE_BLOCKS: Final = NumberLimits(10, 20_000, 400)
"""Blocks of an answer that is played while somebody waits for it: a card, and the effect of a rule."""
CONTINUATIONS: Final = NumberLimits(1, 100_000, 1_000)
"""Continuations of each branch of one game. All of an answer stay in memory, with their actions: some 800 bytes each."""
CONTINUATIONS_PER_GAME: Final = NumberLimits(2, 10_000, 100)
"""Continuations of each game where there are many: the interval depends mostly on the number of blocks. One continuation says
nothing about the effect at a position, so it could not count in a mean."""
FORKED_GAMES: Final = NumberLimits(2, 10_000, 200)
LISTED_GAMES: Final = NumberLimits(1, 200, 20)
MAX_RANGE_END: Final = (1 << 31) - 1
SCORE_RANGE: Final = NumberLimits(-MAX_RANGE_END, MAX_RANGE_END, 0)
"""An end of a range of scores; without one, the range is open."""
