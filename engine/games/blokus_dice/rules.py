"""The rules of Blokus Dice: clauses BD-1 to BD-13 of `clauses.md` (Mattel 2019).

The placements that a seat may draw are sets (see `ruleset.PlayArea`), which are updated with every shape drawn. A drawn
shape excludes the placements that overlap it. For its own colour it also excludes those that cover a square beside it,
and allows those that cover a square at its corners.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import factorial, prod
from typing import NamedTuple

from engine.actions import CHANCE, ScorePart
from engine.games.blokus_dice.ruleset import (
    COLOUR_LETTERS,
    COLOUR_NAMES,
    FACE_COUNT,
    BlokusDiceRuleset,
    PlayArea,
)
from engine.luck import PURPOSE_DICE, Luck
from engine.notation import COLUMN_LETTERS
from engine.number_sets import Members, make_set
from engine.state import State, illegal_action_error


class SeatBoard(NamedTuple):
    """The board of one seat. Tuples have one entry per colour; placements are those of the ruleset's play area."""

    filled: tuple[int, ...]
    """For each colour: the set of squares drawn in it."""
    free: int
    """Set of the placements of unused shapes that cover no drawn square."""
    joined: tuple[int, ...]
    """For each colour: the placements that touch it corner to corner; before its first shape, those on a corner square."""
    beside: tuple[int, ...]
    """For each colour: the placements that touch it along an edge."""
    unfilled: int
    """Number of squares not drawn."""
    strikes: int = 0
    """Number of strikes crossed out."""

    def fitting_placements(self, colour: int) -> int:
        """Return the set of placements of unused shapes of any row that may be drawn in a colour. BD-4, BD-5."""
        return self.free & self.joined[colour] & ~self.beside[colour]


@dataclass(frozen=True)
class BlokusDiceState(State):
    """A position of Blokus Dice."""

    ruleset: BlokusDiceRuleset
    round: int
    boards: tuple[SeatBoard, ...]
    starter: int
    """The seat that rolls in this round."""
    waiting: tuple[int, ...]
    """Seats that have not acted in this round, in order of play. Empty only when the game is over."""
    roll: tuple[int, ...] | None = None
    """The dice of this round, ascending; None before the roll."""
    takers: tuple[int | None, ...] = ()
    """For each die of the roll: the seat that took it, or None."""
    gone: tuple[int, ...] = ()
    """Seats that are out of the game, in the order in which they went out."""

    @property
    def seat(self) -> int:  # type: ignore[override]  # computed here, a plain attribute elsewhere
        """The seat that acts. BD-2: CHANCE rolls first, then the starter acts, then the others clockwise."""
        return CHANCE if self.roll is None or not self.waiting else self.waiting[0]

    @property
    def is_over(self) -> bool:
        return not self.waiting  # BD-12

    @property
    def free_dice(self) -> tuple[int, ...]:
        """The faces of the dice that no seat has taken, ascending."""
        return tuple(die for die, taker in zip(self.roll or (), self.takers, strict=True) if taker is None)

    def held_colour(self, seat: int) -> int:
        """Return the colour of the marker that a seat holds. BD-10, BD-11: the markers move in a cycle of four places."""
        return (seat - self.round) % len(COLOUR_NAMES)

    @cached_property
    def actions(self) -> Sequence[int]:
        if self.is_over:
            return ()
        if self.roll is None:
            return self.ruleset.roll_actions[len(self.waiting)]  # BD-2, BD-9: one die per seat still in
        return Members(self._action_blocks()) or (self.ruleset.out_action,)  # BD-8

    def _action_blocks(self) -> Iterator[tuple[int, int]]:
        """Yield the legal placements of every different die, first without and then with a strike. BD-7.

        Each block is a pair: the action number of placement 0, and a set of placements.
        """
        ruleset, seat = self.ruleset, self.waiting[0]
        colour, board = self.held_colour(seat), self.boards[seat]
        fitting = board.fitting_placements(colour)
        for die in sorted(set(self.free_dice)):
            yield (
                ruleset.first_action(die, colour, struck=False),
                fitting & ruleset.offered_placements[die],
            )  # BD-3
            if board.strikes < ruleset.options.strikes:
                yield ruleset.first_action(die, colour, struck=True), fitting  # BD-6

    def explain_misfit(self, points: frozenset[tuple[int, int]]) -> str:
        side, area = self.ruleset.side, self.ruleset.play_area
        if not all(0 <= place < side for point in points for place in point):
            return "it would leave the board"
        shape, board = make_set(x + side * y for x, y in points), self.boards[self.seat]
        filled_in_colour = board.filled[self.held_colour(self.seat)]
        if any(shape & filled for filled in board.filled):
            return "it would lie on another shape"
        if not filled_in_colour:  # BD-4
            corners = make_set((0, side - 1, side * (side - 1), side * side - 1))
            return "" if shape & corners else "the first shape of a colour covers a corner square"
        if area.squares_beside(filled_in_colour) & shape:  # BD-5
            return "it would touch an edge of its own colour"
        diagonal = {(x + dx, y + dy) for x, y in points for dx in (-1, 1) for dy in (-1, 1)}
        touched = make_set(x + side * y for x, y in diagonal if 0 <= x < side and 0 <= y < side)
        return "" if touched & filled_in_colour else "it touches no corner of its own colour"

    def play(self, action: int) -> BlokusDiceState:
        if action not in self.actions:
            raise illegal_action_error(self, action)
        ruleset = self.ruleset
        if self.roll is None:
            roll = ruleset.roll_faces[action]
            return BlokusDiceState(
                ruleset,
                self.round,
                self.boards,
                self.starter,
                self.waiting,
                roll,
                (None,) * len(roll),
                self.gone,
            )
        seat = self.waiting[0]
        draft = ruleset.find_draft(action)
        if draft is None:  # BD-8: out for the rest of the game; BD-9: takes no die
            return self._state_after(self.boards, self.takers, (*self.gone, seat))
        board = draw_placement(
            ruleset.play_area, self.boards[seat], draft.placement, draft.colour, struck=draft.struck
        )
        boards = (*self.boards[:seat], board, *self.boards[seat + 1 :])
        return self._state_after(boards, self.takers_after(draft.die), self.gone)

    def takers_after(self, face: int) -> tuple[int | None, ...]:
        """Return `takers` after the next seat has taken a die with this face; of equal dice, the first free one."""
        die = self.roll.index(face) if self.roll else 0
        while self.takers[die] is not None:
            die += 1
        return (*self.takers[:die], self.waiting[0], *self.takers[die + 1 :])

    def _state_after(
        self, boards: tuple[SeatBoard, ...], takers: tuple[int | None, ...], gone: tuple[int, ...]
    ) -> BlokusDiceState:
        """Return the position with the next seat, in the next round, or at the end of the game."""
        ruleset, players = self.ruleset, self.ruleset.players
        if len(self.waiting) > 1:
            return BlokusDiceState(
                ruleset, self.round, boards, self.starter, self.waiting[1:], self.roll, takers, gone
            )
        # BD-10: the next seat clockwise that is still in starts the next round
        clockwise = ((self.starter + step) % players for step in range(1, players + 1))
        waiting = tuple(seat for seat in clockwise if seat not in gone)
        if not waiting:  # BD-12: the game ends when no seat can draw
            return BlokusDiceState(ruleset, self.round, boards, self.starter, (), self.roll, takers, gone)
        return BlokusDiceState(ruleset, self.round + 1, boards, waiting[0], waiting, gone=gone)

    def chance_outcome(self, luck: Luck) -> int:
        """Roll the dice. BD-2: one die per seat still in the game."""
        dice = (
            luck.below(FACE_COUNT, PURPOSE_DICE, self.round, CHANCE, die) + 1
            for die in range(len(self.waiting))
        )
        return self.ruleset.roll_numbers[tuple(sorted(dice))]

    @property
    def probabilities(self) -> tuple[float, ...]:
        dice = len(self.waiting)
        return tuple(
            factorial(dice) / prod(factorial(roll.count(face)) for face in set(roll)) / FACE_COUNT**dice
            for roll in (self.ruleset.roll_faces[action] for action in self.actions)
        )

    @property
    def scores(self) -> tuple[int, ...]:
        """BD-12: the number of unfilled squares; the lowest score wins."""
        return tuple(board.unfilled for board in self.boards)

    @property
    def parts(self) -> tuple[tuple[ScorePart, ...], ...]:
        """BD-12: unfilled squares. BD-13: strikes cost no points, but decide between equal scores."""
        return tuple(
            (ScorePart("squares", board.unfilled, board.unfilled), ScorePart("strikes", board.strikes, 0))
            for board in self.boards
        )

    @property
    def standings(self) -> tuple[tuple[int, ...], ...]:
        """BD-13: of two equal scores, the one with fewer strikes used is better."""
        return tuple((-board.unfilled, -board.strikes) for board in self.boards)

    def __str__(self) -> str:
        """Show the dice, taken ones in brackets, then all boards side by side, with a letter for the colour of a square.

        Below each board stand the number of unfilled squares, the marker held or `out`, and the strikes used with `!`.
        """
        side = self.ruleset.side
        dice = " ".join(
            f"{die}" if taker is None else f"({die})"
            for die, taker in zip(self.roll or (), self.takers, strict=True)
        )
        rows: list[tuple[str, list[str]]] = [
            (
                str(row + 1),
                [
                    "".join(_square_character(board, x + side * row) for x in range(side))
                    for board in self.boards
                ],
            )
            for row in reversed(range(side))
        ]
        rows.append(("", [COLUMN_LETTERS[:side] for _ in self.boards]))
        rows.append(("", [self._seat_summary(seat) for seat in range(self.ruleset.players)]))
        width = max(side, 9)  # length of the longest summary of a board of 81 squares: `81 out 3!`
        return "\n".join(
            [f"round {self.round + 1}: {dice or 'no dice yet'}"]
            + [
                (f"{label:>2} " + "   ".join(f"{text:<{width}}" for text in texts)).rstrip()
                for label, texts in rows
            ]
        )

    def _seat_summary(self, seat: int) -> str:
        colour = "out" if seat in self.gone else COLOUR_LETTERS[self.held_colour(seat)]
        return f"{self.boards[seat].unfilled} {colour} {self.boards[seat].strikes}!"


def _square_character(board: SeatBoard, cell: int) -> str:
    for letter, squares in zip(COLOUR_LETTERS, board.filled, strict=True):
        if squares >> cell & 1:
            return letter
    return "."


def start_state(ruleset: BlokusDiceRuleset) -> BlokusDiceState:
    """Return the first position. BD-1: every seat has an empty board, all shapes and all strikes."""
    area, empty_sets = ruleset.play_area, (0,) * len(COLOUR_NAMES)
    # BD-4: the first shape of any colour covers any corner square
    board = SeatBoard(
        empty_sets, area.everything, (area.in_corners,) * len(COLOUR_NAMES), empty_sets, ruleset.side**2
    )
    return BlokusDiceState(ruleset, 0, (board,) * ruleset.players, 0, tuple(range(ruleset.players)))


def draw_placement(area: PlayArea, board: SeatBoard, number: int, colour: int, *, struck: bool) -> SeatBoard:
    """Return a board after a placement is drawn. BD-3: its shape is used; BD-5: its colour continues at its corners."""
    placement = area.placements[number]
    # BD-4: only the first shape of a colour may use the corner squares of the play area
    joined = board.joined[colour] if board.filled[colour] else 0
    return SeatBoard(
        _replace_set(board.filled, colour, board.filled[colour] | placement.squares),
        board.free & ~(area.placements_covering(placement.cells) | area.shaped[placement.shape]),
        _replace_set(board.joined, colour, joined | area.placements_covering(placement.corners)),
        _replace_set(board.beside, colour, board.beside[colour] | area.placements_covering(placement.edges)),
        board.unfilled - len(placement.cells),
        board.strikes + struck,
    )


def _replace_set(sets: tuple[int, ...], colour: int, new: int) -> tuple[int, ...]:
    return (*sets[:colour], new, *sets[colour + 1 :])
