"""The contract: what every game gives, and all that the rest of the house may know of a game."""

from __future__ import annotations

import difflib
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

from engine.printable import escape_control_characters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from engine.luck import Luck, Source
    from engine.ruleset import Ruleset
    from engine.scene import Die, Scene
    from engine.transcript import Transcript

MAX_MESSAGE_CHARACTERS: Final = 1_500
"""Characters. The longest that say something list what is known."""

CHANCE: Final = -1
"""The seat of the dice: chance is an actor in the same history as everybody else."""


class GameError(ValueError):
    """Something that a person wrote does not fit a game; the message is one or two clear lines.

    It may quote what a stranger wrote: whatever that is, the message stays two lines at most, short enough to be read, and
    nothing in it commands a terminal.
    """

    def __init__(self, message: str = "") -> None:
        super().__init__(clean_message(message))


def clean_message(message: str) -> str:
    r"""Return a message in two lines at most, without what cannot be printed, the middle of a very long one left out.

    >>> clean_message("no\x1b[2J such\nname\nhere")
    'no\\x1b[2J such\nname here'
    """
    first, *others = message.split("\n")
    lines = [first, " ".join(others)] if others else [first]
    shown = escape_control_characters("\n".join(lines))
    half = MAX_MESSAGE_CHARACTERS // 2
    return shown if len(shown) <= MAX_MESSAGE_CHARACTERS else f"{shown[:half]} ... {shown[-half:]}"


class InvalidError(GameError):
    """It cannot be read: no such notation, name, key or value."""


class IllegalError(GameError):
    """It can be read, but it cannot be played here."""


class AmbiguousError(GameError):
    """It can be read in several ways."""


def unknown_name_error(what: str, name: str, known: Iterable[str]) -> InvalidError:
    """Return the error for a name that does not exist, with the nearest names that do.

    >>> print(unknown_name_error("strategy", "gredy", ["random", "greedy"]))
    unknown strategy 'gredy'; did you mean greedy?
    >>> print(unknown_name_error("strategy", "zzz", ["random", "greedy"]))
    unknown strategy 'zzz'; known: greedy, random
    """
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(names) or 'none'}"
    return InvalidError(f"unknown {what} {name!r}; {hint}")


class Action(NamedTuple):
    """What an action number means: one row of the run file's table `actions`."""

    kind: str
    notation: str
    piece: str | None = None
    die: str | None = None
    cells: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ScorePart:
    """One part of a seat's score. The points of all parts add up to the score."""

    part: str
    count: int
    points: int


class State(ABC):
    """A position of one game under one ruleset: an immutable value.

    An action is an integer with one fixed meaning under its ruleset, whatever the position
    (`ruleset.action(number)` tells it, `ruleset.read(notation)` finds it).
    """

    ruleset: Ruleset
    seat: int
    """Who acts: a seat from 0, or CHANCE. Of no meaning when the game is over."""
    round: int

    @property
    @abstractmethod
    def actions(self) -> Sequence[int]:
        """Legal actions, ascending; where chance acts, the possible outcomes. Empty only when the game is over."""

    @property
    def is_over(self) -> bool:
        return not self.actions

    @abstractmethod
    def play(self, action: int) -> Self:
        """Return the position after a legal action; raise IllegalError for any other."""

    @abstractmethod
    def chance_outcome(self, luck: Luck) -> int:
        """Return the outcome that this luck brings here. Only where chance acts."""

    @property
    @abstractmethod
    def probabilities(self) -> Sequence[float]:
        """Chances of the outcomes in `actions`, in their order. Only where chance acts."""

    @property
    @abstractmethod
    def scores(self) -> tuple[int, ...]:
        """The score of every seat if the game ended here."""

    def score(self, seat: int) -> int:
        """Return one of the scores; a game whose scores take work does that work for one seat only."""
        return self.scores[seat]

    @property
    @abstractmethod
    def parts(self) -> tuple[tuple[ScorePart, ...], ...]:
        """The parts of every seat's score, the same parts in the same order for each."""

    @property
    def standings(self) -> tuple[tuple[int, ...], ...]:
        """What decides the ranks, per seat: greater is better."""
        sign = -1 if self.ruleset.lowest_wins else 1
        return tuple((sign * score,) for score in self.scores)

    @property
    def ranks(self) -> tuple[int, ...]:
        """1 + the number of strictly better seats."""
        standings = self.standings
        return tuple(1 + sum(other > own for other in standings) for own in standings)

    @abstractmethod
    def __str__(self) -> str:
        """Return the position as text, boards drawn with characters."""


def illegal_action_error(state: State, action: int) -> IllegalError:
    """Return the error for an action that is not legal in this position."""
    try:
        named = state.ruleset.action(action).notation
    except InvalidError:
        named = f"number {action}"
    who = "chance" if state.seat == CHANCE else f"seat {state.seat}"
    why = "the game is over" if state.is_over else f"{who} has {len(state.actions)} other actions"
    return IllegalError(
        f"{state.ruleset.name}, round {state.round}: action {named} is not legal here ({why})"
    )


@dataclass(frozen=True)
class Parameter:
    """A number that a strategy takes, with the range in which it makes sense."""

    name: str
    title: str
    default: float
    low: float
    high: float
    is_weight: bool = False
    """A tuned number: the full name of a player tells it only where it is not the default."""


@dataclass(frozen=True)
class TextParameter:
    """A text that a strategy takes, written `name="..."`."""

    name: str
    title: str


@dataclass(frozen=True)
class StrategyCode:
    """Where a strategy comes from that is not part of Reroll."""

    file: str
    """Name of the file, without folders; of an installed strategy its own name. So `--code` names it."""
    sha256: str
    """Of the file."""
    package: str = ""
    """Name and version of the installed package that brings it."""


@dataclass(frozen=True)
class Strategy:
    """A way to play: `make(**parameters, **texts)` returns a function of a state and a source of luck."""

    name: str
    title: str
    make: Callable[..., Callable[[Any, Source], int]] | None
    """None: only the game's kernel plays it."""
    parameters: tuple[Parameter, ...] = ()
    texts: tuple[TextParameter, ...] = ()
    """They have to be given."""
    code: StrategyCode | None = None
    """None: it comes with Reroll."""


@dataclass(frozen=True)
class GameFormat:
    """A way to keep single games in a file, as text."""

    suffix: str
    """How names of such files end, without the dot; also what the format is called."""
    title: str
    write: Callable[[Any, Transcript], str]
    """From a ruleset and one of its games; raises InvalidError if the format has no room for them."""
    read: Callable[[str], list[Transcript]]
    """Raises InvalidError that names the line."""


@dataclass(frozen=True)
class Game:
    """A game's table of contents: everything that the rest of the house needs to find in its folder."""

    name: str
    title: str
    rules_version: int
    """Raised whenever the same seed no longer gives the same game."""
    ruleset: type[Ruleset]
    start: Callable[[Any], State]
    """The position before anything has happened, under a ruleset of this game."""
    strategies: tuple[Strategy, ...]
    scene: Callable[[Any, Sequence[int]], Scene]
    parts: dict[str, str]
    """Score parts and what they are called on a page."""
    dice: Callable[[Any], list[Die]] = lambda _: []
    """Under a ruleset: every face of every die, as it would lie on the table."""
    programs: tuple[Strategy, ...] = ()
    """Strategies that start a program of the user's: nothing but a command line that names one may use them."""
    formats: tuple[GameFormat, ...] = ()
    """Files in which other programs keep this game."""
