"""A strategy: how it chooses, what it may see, and its parameters.

`engine.strategies` reads players from text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from engine.errors import InvalidError
from engine.wording import player_label

if TYPE_CHECKING:
    from engine.luck import Source
    from engine.ruleset import Ruleset
    from engine.state import State


@dataclass(frozen=True)
class Parameter:
    """A numeric parameter of a strategy, with the range of its sensible values."""

    name: str
    title: str
    default: float
    low: float
    high: float
    is_weight: bool = False
    """True for a tuned number. The full name of a player contains it only if it differs from the default."""


@dataclass(frozen=True)
class TextParameter:
    """A text parameter of a strategy, written `name="..."`."""

    name: str
    title: str
    choices: tuple[str, ...] = ()
    """The values that it may have, the default first; empty for any text, which must then be given."""


FAILURE_PARAMETER: Final = TextParameter(
    "failure",
    "what follows when the program fails in a game: the run stops, or random moves finish the game",
    ("stop", "random"),
)
"""A parameter of strategies that start a program."""


@dataclass(frozen=True)
class StrategyCode:
    """The source of a strategy that is not part of Reroll."""

    file: str
    """The name of the file without folders, as `--code` names it; for an installed strategy, its entry point's name."""
    sha256: str
    """SHA-256 of the file or of the function, in hexadecimal."""
    package: str = ""
    """Name and version of the installed package that contains the strategy; empty for a single file."""
    source: str = ""
    """The source of a function of a notebook, as far as Python knows it; empty for code that is elsewhere."""


@dataclass(frozen=True)
class Strategy:
    """A way to play. `make(**parameters, **texts)` returns a function of a state and a source of luck."""

    name: str
    title: str
    make: Callable[..., Callable[[Any, Source], int]] | None
    """None if only the game's kernel can play the strategy."""
    parameters: tuple[Parameter, ...] = ()
    texts: tuple[TextParameter, ...] = ()
    code: StrategyCode | None = None
    """None if the strategy is part of Reroll."""
    check_ruleset: Callable[[Any], object] | None = None
    """Takes a ruleset; raises InvalidError if the strategy cannot play it. None if it plays every ruleset of its games."""
    identify: Callable[..., str | None] | None = None
    """For a strategy that starts a program. Takes the text parameters; returns the name and version that the running
    program gives itself, None if it has not been started."""
    reads: frozenset[str] | None = None
    """Options and tables of a ruleset that its choices depend on, beside `Game.move_rules`; None if that is not known."""
    version: int = 1
    """Increase it whenever it chooses otherwise under some ruleset; if that is one that comes with Reroll, increase the
    `rules_version` of its game, too."""


@dataclass(frozen=True)
class Player:
    """A strategy with a value for every parameter, ready to decide."""

    name: str
    """The full text, so that equal players have equal names: every parameter in the declared order; weights and choices only
    where they differ from their defaults."""
    strategy: Strategy
    parameters: Mapping[str, float]
    decide: Callable[[State, Source], int]
    texts: Mapping[str, str] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """What tables and charts call the player: its `name="..."` if it has one, else its full text."""
        return player_label(self.name)

    @property
    def plays_on(self) -> bool:
        """True for a program in whose place random moves go on when it fails."""
        return self.texts.get(FAILURE_PARAMETER.name) == FAILURE_PARAMETER.choices[1]


def check_players(players: Iterable[Player], ruleset: Ruleset) -> None:
    """Raise InvalidError if a player cannot play a ruleset, or if two different players have the same label."""
    known: dict[str, Player] = {}
    for player in players:
        other = known.setdefault(player.label, player)
        if (other.name, other.strategy.code) != (player.name, player.strategy.code):
            raise InvalidError(
                f"two different strategies are called {player.label!r}: give them different names"
            )
        if player.strategy.check_ruleset:
            player.strategy.check_ruleset(ruleset)
