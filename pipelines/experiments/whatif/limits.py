"""How many continuations and games a what-if question has if it does not say, and at most. Loads nothing: commands need it."""

from __future__ import annotations

from typing import Final

DEFAULT_CONTINUATIONS: Final = 1000
"""Continuations of each branch of one game."""
DEFAULT_CONTINUATIONS_PER_GAME: Final = 100
"""Continuations of each game where there are many: the interval depends mostly on the number of blocks."""
MIN_CONTINUATIONS: Final = 1
MIN_CONTINUATIONS_PER_GAME: Final = 2
"""One continuation says nothing about the effect at a position, so it could not count in a mean."""
MAX_CONTINUATIONS: Final = 100_000
"""All continuations of an answer stay in memory, with their actions: some 800 bytes each."""
MAX_CONTINUATIONS_PER_GAME: Final = 10_000
DEFAULT_GAMES: Final = 200
MIN_GAMES: Final = 2
MAX_GAMES: Final = 10_000
