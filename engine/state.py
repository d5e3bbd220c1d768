"""State: a position of a game, and what every game's rules must answer about it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

from engine.actions import ScorePart, name_actor
from engine.errors import IllegalError, InvalidError
from engine.wording import format_count

if TYPE_CHECKING:
    from engine.luck import Luck
    from engine.ruleset import Ruleset


class State(ABC):
    """A position of one game under one ruleset: an immutable value.

    An action is an integer. Its meaning is fixed by the ruleset and does not depend on the position:
    `ruleset.action(number)` returns the meaning, `ruleset.read_action(notation)` returns the number.
    """

    ruleset: Ruleset
    seat: int
    """The seat that acts, from 0, or CHANCE. It has no meaning when the game is over."""
    round: int

    @property
    @abstractmethod
    def actions(self) -> Sequence[int]:
        """The legal actions, ascending; where chance acts, the possible outcomes. Empty only when the game is over."""

    @property
    def is_over(self) -> bool:
        return not self.actions

    @abstractmethod
    def play(self, action: int) -> Self:
        """Return the position after a legal action; raise IllegalError for any other action."""

    @abstractmethod
    def chance_outcome(self, luck: Luck) -> int:
        """Return the outcome that `luck` brings in this position. Call it only where chance acts."""

    @property
    @abstractmethod
    def probabilities(self) -> Sequence[float]:
        """The probabilities of the outcomes in `actions`, in the same order. Read it only where chance acts."""

    @property
    @abstractmethod
    def scores(self) -> tuple[int, ...]:
        """The score of every seat if the game ended now."""

    def score(self, seat: int) -> int:
        """Return the score of one seat. Games whose scores are slow to compute override this."""
        return self.scores[seat]

    @property
    @abstractmethod
    def parts(self) -> tuple[tuple[ScorePart, ...], ...]:
        """The parts of every seat's score; all seats have the same parts in the same order."""

    @property
    def standings(self) -> tuple[tuple[int, ...], ...]:
        """For every seat, the numbers that decide its rank, compared from the left; greater is better."""
        sign = -1 if self.ruleset.lowest_wins else 1
        return tuple((sign * score,) for score in self.scores)

    @property
    def ranks(self) -> tuple[int, ...]:
        """The rank of every seat: 1 + the number of strictly better seats."""
        standings = self.standings
        return tuple(1 + sum(other > standing for other in standings) for standing in standings)

    def explain_misfit(self, points: frozenset[tuple[int, int]]) -> str:  # noqa: ARG002 - games that place nothing have no reason
        """Return why the seat that acts may not place a piece on some squares, each (column, row) from 0 on the board of the seat.

        The text completes a sentence such as "L5 does not fit here: ...". It is empty if they may be a legal place, and in games that
        say nothing.
        """
        return ""

    @abstractmethod
    def __str__(self) -> str:
        """Return the position as text, with boards drawn as characters."""


def illegal_action_error(state: State, action: int) -> IllegalError:
    """Return the error for an action that is not legal in this position."""
    try:
        notation = state.ruleset.action(action).notation
    except InvalidError:
        notation = f"number {action}"
    why = (
        "the game is over"
        if state.is_over
        else f"{name_actor(state.seat)} has {format_count(len(state.actions), 'other action')}"
    )
    return IllegalError(
        f"{state.ruleset.name}, round {state.round + 1}: action {notation} is not legal here ({why})"
    )
