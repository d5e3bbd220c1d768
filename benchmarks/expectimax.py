"""Perfect play by the plain rules: the definition that every solver must agree with.

`lead_by_rules` follows every outcome of the dice and every action to the end of the game. That takes too long for all
but the smallest games, so a `PerfectPlay` of a game knows the values of all positions at the start of a turn.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, Final, Generic, TypeAlias, TypeVar

from engine.actions import CHANCE
from engine.errors import InvalidError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from engine.luck import Source
    from engine.ruleset import Ruleset
    from engine.state import State

VALUE_TOLERANCE: Final = 1e-9
"""Values of actions that differ by less are equal: the difference is an error of rounding."""
Board = TypeVar("Board", bound=Hashable)
Offers: TypeAlias = "dict[int, tuple[tuple[int, int], ...]]"
"""For every key of a die: the draws that it offers, each as a pair of the points gained and the number of the next board."""


def first_seat_lead(state: State) -> int:
    """Return by how many points seat 0 leads seat 1; positive is better also where the lowest score wins."""
    first, second = state.scores
    return second - first if state.ruleset.lowest_wins else first - second


def lead_by_rules(
    state: State,
    known: dict[Any, float],
    find_lead: Callable[[State], float | None] = lambda _: None,
) -> float:
    """Return the lead of seat 0 that perfect players can expect at the end of the game.

    `known` keeps the leads of positions that have been computed. `find_lead` returns the lead in positions that need
    not be followed further, otherwise None.
    """
    if state.is_over:
        return first_seat_lead(state)
    if (found := find_lead(state)) is not None:
        return found
    if (found := known.get(state)) is not None:
        return found
    leads = [lead_by_rules(state.play(action), known, find_lead) for action in state.actions]
    if state.seat == CHANCE:
        lead = sum(chance * lead for chance, lead in zip(state.probabilities, leads, strict=True))
    else:
        lead = max(leads) if state.seat == 0 else min(leads)
    known[state] = lead
    return lead


class PerfectPlay(ABC):
    """A solved ruleset for two players: the value of every position, and a perfect player.

    A solver knows the values of positions at the start of a turn and between the decisions of two seats; `lead` and
    `decide` follow the rules from any other position to these.
    """

    def __init__(self, ruleset: Ruleset) -> None:
        """Raise InvalidError if the ruleset is not for two players."""
        if ruleset.players != 2:
            raise InvalidError(
                f"{ruleset.name} is for {ruleset.players} players; perfect play is known for two"
            )
        self.ruleset = ruleset

    @abstractmethod
    def turn_lead(self, state: State) -> float | None:
        """Return the lead of seat 0 that perfect players can expect; None if the position is not the start of a turn."""

    def solved_lead(self, state: State) -> float | None:
        """Return the lead of seat 0 that perfect players can expect; None if the solver does not store the position.

        Games in which both seats decide in a turn override this for the positions between their decisions.
        """
        return self.turn_lead(state)

    @property
    @abstractmethod
    def position_count(self) -> int:
        """The number of positions at the start of a turn whose values have been computed."""

    def lead(self, state: State) -> float:
        """Return the lead of seat 0 that perfect players can expect at the end of the game, in points."""
        return lead_by_rules(state, {}, self.solved_lead)

    def decide(self, state: State, _source: Source) -> int:
        """Return the best action of the acting seat; of equal ones, the one with the smallest number."""
        sign = 1 if state.seat == 0 else -1
        best, most = state.actions[0], float("-inf")
        for action in state.actions:
            lead = sign * self.lead(state.play(action))
            if lead > most + VALUE_TOLERANCE:
                best, most = action, lead
        return best


class MergedBoards(Generic[Board]):
    """All boards that one seat can reach, numbered; those that offer the same for the rest of the game have the same number.

    In BLOXX! and in Blokus Dice every seat draws on its own board. Two boards are equal for everything that can still happen
    if every die offers the same gains on them and leads to boards that are equal again.
    """

    def __init__(
        self,
        start: Board,
        list_draws: Callable[[Board], Mapping[int, Sequence[tuple[int, Board]]]],
        label: Callable[[Board], int],
    ) -> None:
        """Number the boards that can be reached from `start`.

        `list_draws` returns for every key of a die the draws that it offers: points gained and the next board. `label`
        returns a number; boards with different labels are never equal.
        """
        self._list_draws, self._label = list_draws, label
        self._numbers: dict[Board, int] = {}
        self._classes: dict[tuple[int, tuple[tuple[int, tuple[tuple[int, int], ...]], ...]], int] = {}
        self.offers: list[Offers] = []
        """For every number of a board: what the dice offer on it."""
        self.labels: list[int] = []
        """For every number of a board: its label."""
        self.start = self.number_board(start)

    def number_board(self, board: Board) -> int:
        """Return the number of a board."""
        number = self._numbers.get(board)
        if number is None:
            offers: Offers = {}
            for key, draws in self._list_draws(board).items():
                most: dict[int, int] = {}  # of several draws to equal boards only the dearest matters
                for gain, after in draws:
                    next_number = self.number_board(after)
                    most[next_number] = max(gain, most.get(next_number, gain))
                offers[key] = tuple(sorted((gain, after) for after, gain in most.items()))
            label = self._label(board)
            number = self._classes.setdefault((label, tuple(sorted(offers.items()))), len(self.offers))
            if number == len(self.offers):
                self.offers.append(offers)
                self.labels.append(label)
            self._numbers[board] = number
        return number
