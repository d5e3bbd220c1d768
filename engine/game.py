"""Game: the table of contents of a game's folder. The rest of the project reaches a game through it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from engine.scene import Die, Scene
    from engine.state import State
    from engine.strategy import Strategy
    from engine.transcript import Transcript


class Restriction(NamedTuple):
    """Something that a player may not use, to the end of the game.

    Jaffe, Miller, Andersen, Liu, Karlin and Popovic 2012, "Evaluating Competitive Game Balance with Restricted Play".
    """

    name: str
    """What the player may not use, such as `piece I5`."""
    fallback: str
    """What the player does who could do nothing else, as a sentence."""
    restrict: Callable[[Any, int], Any]
    """Takes a position at the start of a turn and a seat; returns the position in which the seat may not use it."""


@dataclass(frozen=True)
class GameFormat:
    """A text format for files that hold single games."""

    suffix: str
    """The file name extension without the dot; also the name of the format."""
    title: str
    write: Callable[[Any, Transcript], str]
    """Takes a ruleset and one of its games; raises InvalidError if the format cannot express the game."""
    read: Callable[[str], list[Transcript]]
    """Raises InvalidError that names the line."""


@dataclass(frozen=True)
class Game:
    """Everything that the rest of the project needs to know about a game."""

    name: str
    title: str
    rules_version: int
    """Increase it whenever the same seed no longer gives the same game."""
    ruleset: type[Ruleset]
    start: Callable[[Any], State]
    """Takes a ruleset of this game; returns the position at the start."""
    strategies: tuple[Strategy, ...]
    scene: Callable[[Any, Sequence[int]], Scene]
    """Takes a ruleset and the actions of a game; returns the scene that draws it."""
    parts: dict[str, str]
    """Score parts and their titles on a page."""
    summary: str = ""
    """What players do and what counts, in one or two short sentences."""
    dice: Callable[[Any], list[Die]] = lambda _: []
    """Takes a ruleset; returns every face of every die, to be drawn."""
    programs: tuple[Strategy, ...] = ()
    """Strategies that start a program on the user's computer. Only a command line that names one may use it."""
    formats: tuple[GameFormat, ...] = ()
    """File formats of other programs for this game."""
    move_rules: frozenset[str] = frozenset()
    """Options and tables that decide which actions are legal, or when the game ends: all strategies play other games by them."""
    restrictions: Callable[[Any], Sequence[Restriction]] = lambda _: ()
    """Takes a ruleset; returns what a player may be forbidden, to measure what it is worth."""
