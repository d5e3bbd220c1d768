"""Playing by the plain rules: play a game to its end, and replay a recorded game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from engine.actions import CHANCE

if TYPE_CHECKING:
    from engine.luck import Luck, Source
    from engine.state import State


MAX_PLIES: Final = 1 << 16
"""Plies of a game at most: a run file numbers them from 0 with 16 bits."""

S = TypeVar("S", bound="State")


class Ply(NamedTuple):
    """One logged action of a game. Chance has neither options nor a score."""

    round: int
    seat: int
    action: int
    options: int | None
    """Number of legal actions."""
    score: int | None
    """Score of the acting seat after the ply, as if the game ended there."""


class DecisionCounter:
    """Counts the decisions of each seat in the current round. The number is a key of the strategy's luck."""

    def __init__(self) -> None:
        self._round = -1
        self._taken: Counter[int] = Counter()

    def next_number(self, state: State) -> int:
        """Return the number of the decision that the acting seat is about to take, from 0, and count it."""
        if state.round != self._round:
            self._round = state.round
            self._taken.clear()
        number = self._taken[state.seat]
        self._taken[state.seat] += 1
        return number


def play_out(
    state: S,
    deciders: Sequence[Callable[[State, Source], int]],
    luck: Luck,
    decisions: DecisionCounter | None = None,
    plies: list[Ply] | None = None,
) -> tuple[S, list[Ply]]:
    """Play from a position to the end of the game; return the last position and the plies.

    `deciders[s]` decides for seat `s`. If the position is in the middle of a round, `decisions` must have counted the
    decisions of that round so far. Plies are appended to `plies` as they are played, so that a caller who passes a list
    still has them if an error ends the game.
    """
    decisions = decisions or DecisionCounter()
    plies = [] if plies is None else plies
    while not state.is_over:
        if state.seat == CHANCE:
            action = state.chance_outcome(luck)
        else:
            source = luck.source(state.round, state.seat, decisions.next_number(state))
            action = deciders[state.seat](state, source)
        state = play_action(state, action, plies)
    return state, plies


def play_action(state: S, action: int, plies: list[Ply]) -> S:
    """Play an action and append its ply to `plies`; return the next position. Raises IllegalError for an illegal action."""
    after = state.play(action)
    if state.seat == CHANCE:
        plies.append(Ply(state.round, CHANCE, action, None, None))
    else:
        plies.append(Ply(state.round, state.seat, action, len(state.actions), after.score(state.seat)))
    return after


def replay_actions(state: S, actions: Iterable[int]) -> Iterator[S]:
    """Yield the position, and the position after each action; raise IllegalError at the first illegal action."""
    yield state
    for action in actions:
        state = state.play(action)
        yield state
