"""The one loop: play a game out, play a recorded one again, count the ways a game can go."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from engine.actions import CHANCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from engine.luck import Luck, Source
    from engine.state import State


S = TypeVar("S", bound="State")


class Ply(NamedTuple):
    """One event of a game as it is logged. Chance has neither options nor a score."""

    round: int
    seat: int
    action: int
    options: int | None
    """Legal actions there were."""
    score: int | None
    """Score of the acting seat after the ply, as if the game ended there."""


class DecisionCounter:
    """How many decisions each seat has taken in the current round: the last key of a strategy's luck."""

    def __init__(self) -> None:
        self._round = -1
        self._taken: Counter[int] = Counter()

    def next_number(self, state: State) -> int:
        """Number the decision that is due now."""
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
    """Play from a position to the end, seat `s` deciding by `deciders[s]`; return the end and the plies.

    From a position in the middle of a round, `decisions` has to hold the decisions of that round so far. `plies`
    takes the plies as they are played: who gives a list sees how far a game went that raised an error.
    """
    decisions = decisions or DecisionCounter()
    plies = [] if plies is None else plies
    while not state.is_over:
        before = state
        if state.seat == CHANCE:
            action = state.chance_outcome(luck)
            state = state.play(action)
            plies.append(Ply(before.round, CHANCE, action, None, None))
            continue
        source = luck.source(state.round, state.seat, decisions.next_number(state))
        action = deciders[state.seat](state, source)
        state = state.play(action)
        plies.append(Ply(before.round, before.seat, action, len(before.actions), state.score(before.seat)))
    return state, plies


def replay_actions(state: S, actions: Iterable[int]) -> Iterator[S]:
    """Yield the position and that after every action; raise IllegalError at the first wrong one."""
    yield state
    for action in actions:
        state = state.play(action)
        yield state


def perft(state: State, depth: int) -> int:
    """Count the action sequences of a length: the usual proof that two rule books agree."""
    if depth == 0:
        return 1
    if depth == 1:
        return len(state.actions)
    return sum(perft(state.play(action), depth - 1) for action in state.actions)
