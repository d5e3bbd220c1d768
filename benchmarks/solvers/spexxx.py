"""Perfect play of small rulesets of Spexxx for two players.

The seats share one board, so a position is the cubes of both. The dice of a turn are solved backwards, as in
`engine.games.spexxx.turn`, but with the leads of the positions after the turn in place of points.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, cast

import numpy as np

from benchmarks.expectimax import PerfectPlay, first_seat_lead
from engine.games.spexxx.dice import FIRST_THROW, HAND_PLUS_DIE, HANDS, legal_keeps
from engine.games.spexxx.rules import cube_gain
from engine.games.spexxx.ruleset import DISCARD_ACTION, FIRST_PLACEMENT, iter_cells

if TYPE_CHECKING:
    from engine.games.spexxx.rules import SpexxxState
    from engine.games.spexxx.ruleset import SpexxxRuleset
    from engine.state import State
    from pipelines.statistics.intervals import Floats

_MOST_KEEPS: Final = max(len(legal_keeps(throw)) for throw in range(FIRST_THROW, len(HANDS)))
_KEEPS: Final = np.array(
    [(legal_keeps(throw) * _MOST_KEEPS)[:_MOST_KEEPS] for throw in range(FIRST_THROW, len(HANDS))]
)
"""(252, keeps) The keeps of every throw, repeated to equal lengths."""


def _throw_chances() -> Floats:
    """Return the chance of every throw, (210, 252), for every hand that can be kept: more dice are thrown to it."""
    chances = np.zeros((len(HANDS), len(HANDS) - FIRST_THROW))
    chances[FIRST_THROW:] = np.eye(len(HANDS) - FIRST_THROW)
    for hand in sorted(range(FIRST_THROW), key=lambda hand: -len(HANDS[hand])):
        chances[hand] = chances[list(HAND_PLUS_DIE[hand])].mean(axis=0)
    return chances[:FIRST_THROW]


_CHANCES: Final = _throw_chances()


class SeatCubes(NamedTuple):
    """What a solver has to know of a seat. Sets of squares are integers with one bit per cell."""

    cubes: int
    counted: int
    """Squares of the blocks that have scored. SP-12"""
    left: int
    """Number of cubes that are not yet placed or discarded."""


class SolvedTurn(NamedTuple):
    """The leads that the throwing seat can expect to gain, for everything that it can do in a turn."""

    placements: dict[int, float]
    """By cell, for all free squares."""
    discard: float
    keeps: list[Floats]
    """Entry r - 1: (210,) the lead of every keep with r throws to come."""
    before: float
    """The lead before the first throw."""

    def action_lead(self, action: int, to_come: int) -> float:
        """Return the lead after a keep, a placement or a discard with `to_come` throws to come."""
        if action < FIRST_THROW:
            return float(self.keeps[to_come - 1][action])
        return self.discard if action == DISCARD_ACTION else self.placements[action - FIRST_PLACEMENT]


class PerfectSpexxx(PerfectPlay):
    """The exact values of all positions of a ruleset of Spexxx."""

    def __init__(self, ruleset: SpexxxRuleset) -> None:
        """Prepare the tables of the board. Positions are solved when they are needed."""
        super().__init__(ruleset)
        self._rules = ruleset
        self._cells = list(iter_cells(ruleset.squares))
        self._matches = np.array(
            [[squares >> cell & 1 for squares in ruleset.matching_squares] for cell in self._cells],
            dtype=bool,
        )
        """(squares of the board, 252) Whether a throw matches a square."""
        self._leads: dict[tuple[SeatCubes, SeatCubes], float] = {}
        self._turn_seats: tuple[SeatCubes, SeatCubes] | None = None
        self._turn = SolvedTurn({}, 0.0, [], 0.0)

    @property
    def position_count(self) -> int:
        return len(self._leads)

    def turn_lead(self, state: State) -> float | None:
        state = cast("SpexxxState", state)
        if state.throws:
            return None
        lead = self._turn_lead(*self._seats(state))
        return first_seat_lead(state) + (lead if state.thrower == 0 else -lead)

    def solved_lead(self, state: State) -> float | None:
        state = cast("SpexxxState", state)
        if state.is_over or not state.throws:
            return self.turn_lead(state)
        turn = self._current_turn(*self._seats(state))
        to_come = self._rules.options.throws - state.throws
        if state.dice < FIRST_THROW:
            lead = float(turn.keeps[to_come - 1][state.dice])
        else:
            lead = max(turn.action_lead(action, to_come) for action in state.actions)
        return first_seat_lead(state) + (lead if state.thrower == 0 else -lead)

    @staticmethod
    def _seats(state: SpexxxState) -> tuple[SeatCubes, SeatCubes]:
        """Return the throwing seat and the other one."""
        seats = [SeatCubes(seat.cubes, seat.counted, seat.left) for seat in state.seats]
        return seats[state.thrower], seats[1 - state.thrower]

    def _turn_lead(self, own: SeatCubes, other: SeatCubes) -> float:
        """Return the lead that the throwing seat can expect to gain from the start of its turn."""
        if not own.left:
            return 0.0  # SP-13
        lead = self._leads.get((own, other))
        if lead is None:
            lead = self._leads[own, other] = self._solve_turn(own, other).before
        return lead

    def _current_turn(self, own: SeatCubes, other: SeatCubes) -> SolvedTurn:
        """Return the solution of the turn that is being played; all its positions ask for the same one."""
        if self._turn_seats != (own, other):
            self._turn_seats, self._turn = (own, other), self._solve_turn(own, other)
        return self._turn

    def _solve_turn(self, own: SeatCubes, other: SeatCubes) -> SolvedTurn:
        taken = own.cubes | other.cubes
        free = [number for number, cell in enumerate(self._cells) if not taken >> cell & 1]
        placements = {
            self._cells[number]: self._placement_lead(own, other, self._cells[number]) for number in free
        }
        discard = -self._turn_lead(other, own._replace(left=own.left - 1))
        leads = np.array([placements[self._cells[number]] for number in free])[:, None]
        stopping = np.where(self._matches[free], leads, -np.inf).max(axis=0, initial=-np.inf)
        worth = np.where(
            np.isinf(stopping), discard, stopping
        )  # SP-4: a seat discards only if it cannot place
        keeps: list[Floats] = []
        for _ in range(self._rules.options.throws - 1):
            keeps.append(_CHANCES @ worth)
            worth = np.maximum(stopping, keeps[-1][_KEEPS].max(axis=1))  # SP-2: throw again or stop
        return SolvedTurn(placements, discard, keeps, float(_CHANCES[0] @ worth))

    def _placement_lead(self, own: SeatCubes, other: SeatCubes, cell: int) -> float:
        """Return the lead that a seat can expect to gain if it places a cube on a cell."""
        gain = cube_gain(self._rules, own.cubes, own.counted, cell)
        after = SeatCubes(own.cubes | 1 << cell, own.counted | gain.block, own.left - 1)
        return gain.points(self._rules) - self._turn_lead(other, after)


SOLVER: Final = PerfectSpexxx
