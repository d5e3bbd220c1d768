"""Perfect play of small rulesets of BLOXX! for two players."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from benchmarks.expectimax import MergedBoards, PerfectPlay, first_seat_lead
from engine.games.bloxx.rules import BloxxState, Sheet, draw_placement, start_state

if TYPE_CHECKING:
    from engine.games.bloxx.ruleset import BloxxRuleset
    from engine.state import State

DrawnSheet: TypeAlias = tuple[int, int]
"""The squares of a sheet that are drawn, and its gaps. Which of them are circled changes nothing that is still to come."""


class PerfectBloxx(PerfectPlay):
    """The exact values of all positions of a ruleset of BLOXX!."""

    def __init__(self, ruleset: BloxxRuleset) -> None:
        """Number all sheets. Positions are solved when they are needed."""
        super().__init__(ruleset)
        self._start = start_state(ruleset)
        self._rules = ruleset
        first, second = (len(faces) for faces in ruleset.orientations)
        self._rolls = list(product(range(first), range(second)))
        self._sheets = MergedBoards((0, 0), self._list_draws, self._completed_rows)
        self._leads: dict[tuple[int, int], float] = {}
        self._replies: dict[tuple[int, int, int | None, int, int], tuple[float, bool]] = {}

    @property
    def position_count(self) -> int:
        return len(self._leads)

    def turn_lead(self, state: State) -> float | None:
        state = cast("BloxxState", state)
        if state.roll is not None:
            return None
        active = state.active_seat
        lead = self._active_lead(self._number_sheet(state, active), self._number_sheet(state, 1 - active))
        return first_seat_lead(state) + (lead if active == 0 else -lead)

    def solved_lead(self, state: State) -> float | None:
        state = cast("BloxxState", state)
        if not state.acted or state.roll is None:
            return self.turn_lead(state)
        active = state.active_seat
        earlier = [0 <= turns[active] < state.round for turns in state.completed]
        lead, _ = self._reply(
            self._rolls.index(state.roll),
            self._number_sheet(state, active),
            state.taken,
            self._number_sheet(state, 1 - active),
            sum(1 << row for row, is_earlier in enumerate(earlier) if is_earlier),
        )
        return first_seat_lead(state) + (-lead if active == 0 else lead)

    def _number_sheet(self, state: BloxxState, seat: int) -> int:
        sheet = state.sheets[seat]
        return self._sheets.number_board((sheet.drawn_squares, sheet.gaps))

    def _list_draws(self, board: DrawnSheet) -> dict[int, list[tuple[int, DrawnSheet]]]:
        """Return for every key of a die the draws that it offers on a sheet: points without rows, and the next sheet."""
        ruleset, options = self._rules, self._rules.options
        drawn, gaps = board
        sheet = Sheet(0, drawn, gaps)
        draws: dict[int, list[tuple[int, DrawnSheet]]] = {}
        for die, faces in enumerate(ruleset.orientations):
            for face in range(len(faces)):
                for circled in (False, True):
                    offered = draws[_die_key(die, face, circled=circled)] = []
                    for action in self._start.legal_placements(sheet, die, face, circled=circled):
                        placement = ruleset.placement(action)
                        after = draw_placement(sheet, placement)
                        new_gaps = (after.gaps & ~gaps).bit_count()
                        new_squares = (after.closed_squares & ~sheet.closed_squares).bit_count()
                        gain = options.blank_penalty * new_squares - options.gap_penalty * new_gaps
                        number = placement.number if placement.circle else 0
                        offered.append((gain + number, (after.drawn_squares, after.gaps)))
        return draws

    def _completed_rows(self, board: DrawnSheet) -> int:
        """Return the coloured rows that a sheet has completed, as a set of their numbers."""
        return sum(1 << number for number, row in enumerate(self._rules.row_sets) if not row & ~board[0])

    def _row_gain(self, before: int, after: int, other: int) -> int:
        """Return the points for coloured rows that are new in `after`.

        BX-14: `other` is the set of rows that the other seat had completed at the start of the turn.
        """
        options, new = self._rules.options, self._sheets.labels[after] & ~self._sheets.labels[before]
        if not new:
            return 0
        later = new & other
        return options.row_later * later.bit_count() + options.row_first * (new ^ later).bit_count()

    def _active_lead(self, active: int, passive: int) -> float:
        """Return the lead that the active seat can expect to gain from the start of its turn; the seats by their sheets."""
        lead = self._leads.get((active, passive))
        if lead is None:
            total = sum(self._roll_lead(active, passive, roll) for roll in range(len(self._rolls)))
            lead = self._leads[active, passive] = total / len(self._rolls)
        return lead

    def _roll_lead(self, active: int, passive: int, roll: int) -> float:
        """Return the lead that the active seat can expect to gain after a roll. BX-3 to BX-6."""
        labels, best = self._sheets.labels, None
        for die, face in enumerate(self._rolls[roll]):
            for gain, after in self._sheets.offers[active][_die_key(die, face, circled=True)]:
                reply, _ = self._reply(roll, after, die, passive, labels[active])
                lead = gain + self._row_gain(active, after, labels[passive]) - reply
                best = lead if best is None or lead > best else best
        if best is not None:
            return best
        reply, drew = self._reply(roll, active, None, passive, labels[active])
        return -reply if drew else 0.0  # BX-15: the game ends if neither seat could draw

    def _reply(
        self, roll: int, active: int, taken: int | None, passive: int, active_rows: int
    ) -> tuple[float, bool]:
        """Return the lead that the passive seat can expect to gain from its draw on, and whether it can draw.

        `active`: the sheet of the active seat after its draw; `active_rows`: its rows at the start of the turn. BX-4, BX-5.
        """
        key = (roll, active, taken, passive, active_rows)
        found = self._replies.get(key)
        if found is None:
            leads = [
                gain + self._row_gain(passive, after, active_rows) + self._active_lead(after, active)
                for die, face in enumerate(self._rolls[roll])
                for gain, after in self._sheets.offers[passive][_die_key(die, face, circled=die != taken)]
            ]
            if leads:
                found = max(leads), True
            elif taken is None:
                found = 0.0, False
            else:
                found = self._active_lead(passive, active), False
            self._replies[key] = found
        return found


def _die_key(die: int, face: int, *, circled: bool) -> int:
    return (face * 2 + die) * 2 + circled


SOLVER: Final = PerfectBloxx
