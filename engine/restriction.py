"""Restricted play: what a game can forbid one player, so that its worth to that player can be measured.

Jaffe, Miller, Andersen, Liu, Karlin and Popovic 2012, "Evaluating Competitive Game Balance with Restricted Play".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


class Restriction(NamedTuple):
    """Something that a player may not use, to the end of the game."""

    name: str
    """What the player may not use, such as `piece I5`."""
    fallback: str
    """What the player does who could do nothing else, as a sentence."""
    restrict: Callable[[Any, int], Any]
    """Takes a position at the start of a turn and a seat; returns the position in which the seat may not use it."""
