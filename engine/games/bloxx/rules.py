"""The rules of BLOXX!: clauses BX-1 to BX-17 of `clauses.md` (Klaus-Juergen Wrede, Noris 2018).

A sheet is three sets of squares. A set is an integer with one bit per square: bit column + columns x row.

The legal positions of an orientation are found for the whole sheet at once. If a set of squares is shifted right by the
offset of one square of the shape, its bits are the positions at which this square of the shape lies in the set.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from engine.actions import CHANCE, ScorePart
from engine.games.bloxx.ruleset import BloxxRuleset, Orientation, Placement, face_bit
from engine.luck import PURPOSE_DICE, Luck
from engine.number_sets import make_set
from engine.state import State, illegal_action_error


class Sheet(NamedTuple):
    """The sheet of one seat, as three sets of squares. Squares in none of them are blank."""

    circles: int = 0
    crosses: int = 0
    gaps: int = 0
    barred: int = 0
    """Set of the faces that the seat may not draw: none by the rules. `strategies.list_restrictions` bars faces to measure their worth."""

    @property
    def drawn_squares(self) -> int:
        return self.circles | self.crosses

    @property
    def closed_squares(self) -> int:
        """Squares that can no longer be drawn. BX-11: in every column, all squares up to some height."""
        return self.circles | self.crosses | self.gaps


@dataclass(frozen=True)
class BloxxState(State):
    """A position of BLOXX!."""

    ruleset: BloxxRuleset
    round: int
    sheets: tuple[Sheet, ...]
    completed: tuple[tuple[int, ...], ...]
    """For each coloured row and seat: the turn in which the seat completed the row, or -1."""
    roll: tuple[int, int] | None = None
    """The faces of die A and die B; None before the roll."""
    acted: int = 0
    """Number of seats that have acted in this turn."""
    taken: int | None = None
    """The die that the active seat took: 0 or 1. BX-5: None if it has taken none."""
    forfeits: int = 0
    """Number of seats that could draw nothing in this turn."""
    ended: bool = False

    @property
    def active_seat(self) -> int:
        """BX-3: the active seat of turn t is seat t mod n."""
        return self.round % self.ruleset.players

    @property
    def seat(self) -> int:  # type: ignore[override]  # computed here, a plain attribute elsewhere
        """The seat that acts. BX-3: CHANCE rolls, then the active seat acts; BX-4: then the others, clockwise."""
        return CHANCE if self.roll is None else (self.active_seat + self.acted) % self.ruleset.players

    @cached_property
    def actions(self) -> tuple[int, ...]:
        if self.ended:
            return ()
        if self.roll is None:
            return self.ruleset.roll_actions
        placements = {
            number
            for die, face in enumerate(self.roll)
            if not self.sheets[self.seat].barred & face_bit(die, face)
            for number in self.legal_placements(self.sheets[self.seat], die, face, circled=die != self.taken)
        }
        # BX-6: a seat that can draw must draw; a seat that cannot forfeits
        return tuple(sorted(placements)) or (self.ruleset.forfeit_action,)

    @property
    def is_over(self) -> bool:
        return self.ended

    def legal_placements(self, sheet: Sheet, die: int, face: int, *, circled: bool) -> list[int]:
        """Return the actions that draw a face on a sheet. BX-4: if not `circled`, a cross replaces the circle."""
        placements: list[int] = []
        for orientation in self.ruleset.orientations[die][face]:
            actions = orientation.circled if circled else orientation.crossed
            anchors = self.legal_anchors(sheet, orientation)
            while anchors:
                lowest = anchors & -anchors
                placements += actions[lowest]
                anchors ^= lowest
        return placements

    def legal_anchors(self, sheet: Sheet, orientation: Orientation) -> int:
        """Return the set of positions at which an orientation may be drawn on a sheet."""
        ruleset, closed = self.ruleset, sheet.closed_squares
        fits = orientation.anchors  # BX-7: on the sheet, on blank squares; BX-11: above all closed squares
        for offset in orientation.offsets:
            fits &= ~(closed >> offset)
        if not closed:
            return fits & orientation.floor  # BX-8: the first shape touches the bottom edge
        drawn = sheet.drawn_squares
        halo = ruleset.squares_beside(drawn)
        # the squares just above closed ones: if such a square is blank, the square below it is drawn
        above = closed << ruleset.columns
        stands = touches = 0
        for offset in orientation.offsets:
            stands |= above >> offset
            touches |= halo >> offset
        match ruleset.options.contact:  # BX-9
            case "drop":
                return fits & (stands | orientation.floor) & touches
            case "touch":
                return fits & touches
            case "rest":
                return fits & stands

    def explain_misfit(self, points: frozenset[tuple[int, int]]) -> str:
        ruleset, sheet = self.ruleset, self.sheets[self.seat]
        if not all(0 <= x < ruleset.columns and 0 <= y < ruleset.rows for x, y in points):
            return "it would leave the sheet"
        shape = make_set(x + ruleset.columns * y for x, y in points)
        closed, is_on_floor = sheet.closed_squares, any(y == 0 for _, y in points)
        if shape & closed:  # BX-7, BX-11
            return "a square there is drawn or a gap"
        if not closed:  # BX-8
            return "" if is_on_floor else "the first shape touches the bottom edge"
        contact, stands = ruleset.options.contact, shape & closed << ruleset.columns
        if contact != "rest" and not shape & ruleset.squares_beside(sheet.drawn_squares):  # BX-9
            return "it touches no drawn shape"
        lies = stands or contact == "touch" or (contact == "drop" and is_on_floor)
        return "" if lies else "it rests on nothing"

    def play(self, action: int) -> BloxxState:
        if action not in self.actions:
            raise illegal_action_error(self, action)
        if self.roll is None:
            return replace(self, roll=divmod(action, len(self.ruleset.orientations[1])))
        if action == self.ruleset.forfeit_action:
            return self._state_after(self.sheets, self.completed, self.taken, self.forfeits + 1)
        placement = self.ruleset.placement(action)
        seat = self.seat
        sheet = draw_placement(self.sheets[seat], placement)
        completed = tuple(
            # BX-13: complete when every square of the row is drawn
            (*turns[:seat], self.round, *turns[seat + 1 :])
            if turns[seat] < 0 and row & ~sheet.drawn_squares == 0
            else turns
            for row, turns in zip(self.ruleset.row_sets, self.completed, strict=True)
        )
        sheets = (*self.sheets[:seat], sheet, *self.sheets[seat + 1 :])
        taken = placement.die if self.acted == 0 else self.taken
        return self._state_after(sheets, completed, taken, self.forfeits)

    def _state_after(
        self,
        sheets: tuple[Sheet, ...],
        completed: tuple[tuple[int, ...], ...],
        taken: int | None,
        forfeits: int,
    ) -> BloxxState:
        """Return the position with the next seat, in the next turn, or at the end of the game."""
        if self.acted + 1 < self.ruleset.players:
            return replace(
                self, sheets=sheets, completed=completed, taken=taken, forfeits=forfeits, acted=self.acted + 1
            )
        # BX-15: the game ends with a turn in which two seats could draw nothing
        ended = forfeits >= 2
        return BloxxState(
            self.ruleset, self.round if ended else self.round + 1, sheets, completed, ended=ended
        )

    def chance_outcome(self, luck: Luck) -> int:
        """Roll the dice. BX-2: two dice, every face equally likely."""
        first, second = (len(faces) for faces in self.ruleset.orientations)
        a = luck.below(first, PURPOSE_DICE, self.round, CHANCE, 0)
        b = luck.below(second, PURPOSE_DICE, self.round, CHANCE, 1)
        return a * second + b

    @property
    def probabilities(self) -> tuple[float, ...]:
        return (1 / len(self.ruleset.roll_actions),) * len(self.ruleset.roll_actions)

    @property
    def scores(self) -> tuple[int, ...]:
        return tuple(self.score(seat) for seat in range(self.ruleset.players))

    def score(self, seat: int) -> int:
        return sum(part.points for part in self.parts_of(seat))

    @property
    def parts(self) -> tuple[tuple[ScorePart, ...], ...]:
        return tuple(self.parts_of(seat) for seat in range(self.ruleset.players))

    def row_points(self, row: int, seat: int) -> int:
        """Return the points of a seat for a coloured row. BX-14: seats that complete it in the first such turn get more."""
        turns = self.completed[row]
        if turns[seat] < 0:
            return 0
        first = min(turn for turn in turns if turn >= 0)
        return self.ruleset.options.row_first if turns[seat] == first else self.ruleset.options.row_later

    def parts_of(self, seat: int) -> tuple[ScorePart, ...]:
        """Return the parts of the score of a seat. BX-16: rows and circled numbers add points, gaps and blanks cost points."""
        ruleset, options, sheet = self.ruleset, self.ruleset.options, self.sheets[seat]
        rows = [
            self.row_points(row, seat)
            for row in range(len(ruleset.row_sets))
            if self.completed[row][seat] >= 0
        ]
        # BX-12: a number scores only under a circle
        numbers = [number for square, number in ruleset.numbered_squares if sheet.circles & square]
        gaps = sheet.gaps.bit_count()
        blanks = ruleset.square_count - sheet.closed_squares.bit_count()
        return (
            ScorePart("rows", len(rows), sum(rows)),
            ScorePart("numbers", len(numbers), sum(numbers)),
            ScorePart("gaps", gaps, -options.gap_penalty * gaps),
            ScorePart("blanks", blanks, -options.blank_penalty * blanks),
        )

    def __str__(self) -> str:
        """Draw all sheets side by side: o circle, x cross, # gap, . blank square, a digit for a blank square with a number."""
        ruleset = self.ruleset
        lines = []
        for row in reversed(range(ruleset.rows)):
            boards = (
                "".join(self._square_character(sheet, row, x) for x in range(ruleset.columns))
                for sheet in self.sheets
            )
            lines.append(
                f"{row + 1:>2} " + "   ".join(boards) + f"  {ruleset.row_colours.get(row, '')}".rstrip()
            )
        lines.append("   " + "   ".join("abcdefghijklmnopqrstuvwx"[: ruleset.columns] for _ in self.sheets))
        lines.append("   " + "   ".join(f"{score:<{ruleset.columns}}" for score in self.scores).rstrip())
        return "\n".join(lines)

    def _square_character(self, sheet: Sheet, row: int, column: int) -> str:
        cell = column + self.ruleset.columns * row
        for squares, character in ((sheet.circles, "o"), (sheet.crosses, "x"), (sheet.gaps, "#")):
            if squares >> cell & 1:
                return character
        return self.ruleset.tables.numbers[self.ruleset.rows - 1 - row][column]


def start_state(ruleset: BloxxRuleset) -> BloxxState:
    """Return the first position. BX-1: every seat has an empty sheet."""
    nobody = (-1,) * ruleset.players
    return BloxxState(ruleset, 0, (Sheet(),) * ruleset.players, (nobody,) * len(ruleset.row_sets))


def draw_placement(sheet: Sheet, placement: Placement) -> Sheet:
    """Return a sheet after a placement is drawn. BX-10: blank squares below a drawn square become gaps."""
    drawn = sheet.drawn_squares | placement.squares
    return Sheet(
        sheet.circles | placement.circle,
        sheet.crosses | placement.squares & ~placement.circle,
        sheet.gaps | placement.shadow & ~drawn,
        sheet.barred,
    )
