"""Perfect play of small rulesets of Blokus Dice for two players."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from benchmarks.expectimax import MergedBoards, PerfectPlay, first_seat_lead
from engine.games.blokus_dice.rules import BlokusDiceState, SeatBoard, draw_placement, start_state
from engine.games.blokus_dice.ruleset import COLOUR_NAMES, FACE_COUNT
from engine.number_sets import iter_members

if TYPE_CHECKING:
    from engine.games.blokus_dice.ruleset import BlokusDiceRuleset
    from engine.state import State

TurnedBoard: TypeAlias = tuple[int, tuple[int, ...], int]
"""The rounds played, the squares of the four colours in the order in which the seat meets them, and the strikes used.

Of the eight rotations and reflections of a board it is the one with the smallest numbers: all offer the same.
"""

OUT: int = -1
"""Stands for the board of a seat that is out of the game."""


class PerfectBlokusDice(PerfectPlay):
    """The exact values of all positions of a ruleset of Blokus Dice."""

    def __init__(self, ruleset: BlokusDiceRuleset) -> None:
        """Number all boards. Positions are solved when they are needed."""
        super().__init__(ruleset)
        self._rules = ruleset
        self._symmetries = _square_symmetries(ruleset.side)
        start = start_state(ruleset).boards[0]
        self._examples: dict[TurnedBoard, SeatBoard] = {}
        """For every turned board: one of the boards that it stands for, in the colours of seat 0 in round 0 and so on."""
        first = self._turn_board(start.filled, 0, 0)
        self._examples[first] = start
        self._boards = MergedBoards(first, self._list_draws, lambda _: 0)
        self._examples.clear()
        self._leads: dict[tuple[int, int], float] = {}
        self._replies: dict[tuple[int | None, int | None, int, int], float] = {}

    @property
    def position_count(self) -> int:
        return len(self._leads)

    def turn_lead(self, state: State) -> float | None:
        state = cast("BlokusDiceState", state)
        if state.roll is not None:
            return None
        numbers = [self._number_board(state, seat, state.round) for seat in range(2)]
        lead = self._starter_lead(numbers[state.starter], numbers[1 - state.starter])
        return first_seat_lead(state) + (lead if state.starter == 0 else -lead)

    def solved_lead(self, state: State) -> float | None:
        state = cast("BlokusDiceState", state)
        if state.roll is None or len(state.roll) < 2 or state.waiting != (1 - state.starter,):
            return self.turn_lead(state)
        seat, starter = state.waiting[0], state.starter
        dice = state.free_dice
        lead = self._reply(
            dice[0],
            dice[1] if len(dice) > 1 else None,
            self._number_board(state, seat, state.round),
            self._number_board(state, starter, state.round + 1),
        )
        return first_seat_lead(state) + (lead if seat == 0 else -lead)

    def _number_board(self, state: BlokusDiceState, seat: int, rounds: int) -> int:
        """Return the number of the board of a seat that has drawn in `rounds` rounds; OUT if it has dropped out."""
        if seat in state.gone:
            return OUT
        board, colours = state.boards[seat], len(COLOUR_NAMES)
        filled = tuple(board.filled[(seat - number) % colours] for number in range(colours))
        return self._boards.number_board(self._turn_board(filled, rounds, board.strikes))

    def _turn_board(self, filled: tuple[int, ...], rounds: int, strikes: int) -> TurnedBoard:
        images = (
            tuple(_map_squares(squares, symmetry) for squares in filled) for symmetry in self._symmetries
        )
        return rounds, min(images), strikes

    def _list_draws(self, board: TurnedBoard) -> dict[int, list[tuple[int, TurnedBoard]]]:
        """Return for every face of a die the draws that it offers: the squares drawn, and the next board."""
        rounds, _, strikes = board
        ruleset, example = self._rules, self._examples[board]
        colour = rounds % len(COLOUR_NAMES)
        fitting = example.fitting_placements(colour)
        draws: dict[int, list[tuple[int, TurnedBoard]]] = {face: [] for face in range(1, FACE_COUNT + 1)}
        for struck in (False, True):
            if struck and strikes == ruleset.options.strikes:
                continue
            offered_by_any_die: list[tuple[int, TurnedBoard]] = []
            for face, row in ruleset.offered_placements.items():
                for number in iter_members(fitting & row):
                    after = draw_placement(ruleset.play_area, example, number, colour, struck=struck)
                    turned = self._turn_board(after.filled, rounds + 1, after.strikes)
                    self._examples.setdefault(turned, after)
                    draw = (example.unfilled - after.unfilled, turned)
                    (offered_by_any_die if struck else draws[face]).append(draw)
            for face in draws:
                draws[face] += offered_by_any_die  # BD-6: with a strike, a shape of any row
        return draws

    def _starter_lead(self, starter: int, other: int) -> float:
        """Return the lead that the starting seat can expect to gain from the start of a round; the seats by their boards."""
        if starter == OUT:
            return -self._starter_lead(other, OUT)
        lead = self._leads.get((starter, other))
        if lead is None:
            faces = range(1, FACE_COUNT + 1)
            if other == OUT:  # BD-9: one die
                lead = sum(self._best_draw(starter, (face,)) for face in faces) / FACE_COUNT
            else:
                rolls = [(first, second) for first in faces for second in faces]
                lead = sum(self._roll_lead(starter, other, *roll) for roll in rolls) / len(rolls)
            self._leads[starter, other] = lead
        return lead

    def _best_draw(self, board: int, dice: tuple[int, ...]) -> float:
        """Return the points that a seat which plays on alone can expect to gain; none if it must drop out. BD-8."""
        return max(
            (
                gain + self._starter_lead(after, OUT)
                for face in dice
                for gain, after in self._boards.offers[board][face]
            ),
            default=0.0,
        )

    def _roll_lead(self, starter: int, other: int, first: int, second: int) -> float:
        """Return the lead that the starting seat can expect to gain after a roll. BD-2."""
        leads = [
            gain - self._reply(left, None, other, after)
            for taken, left in ((first, second), (second, first))
            for gain, after in self._boards.offers[starter][taken]
        ]
        if leads:
            return max(leads)
        return -self._reply(first, second, other, OUT)  # BD-9: a seat that drops out takes no die

    def _reply(self, die: int, second_die: int | None, seat: int, starter: int) -> float:
        """Return the lead that the second seat can expect to gain from its draw on; `starter` has drawn or is out."""
        key = (die, second_die, seat, starter)
        found = self._replies.get(key)
        if found is None:
            dice = (die,) if second_die is None else (die, second_die)
            if starter == OUT:
                found = self._best_draw(seat, dice)
            else:
                leads = [
                    gain + self._starter_lead(after, starter)
                    for face in dice
                    for gain, after in self._boards.offers[seat][face]
                ]
                found = max(leads) if leads else -self._starter_lead(starter, OUT)
            self._replies[key] = found
        return found


def _square_symmetries(side: int) -> list[tuple[int, ...]]:
    """Return the eight rotations and reflections of a square board; each has the new cell of every cell."""
    symmetries = []
    for is_reflected in (False, True):
        for turns in range(4):
            cells = []
            for cell in range(side * side):
                x, y = cell % side, cell // side
                if is_reflected:
                    x = side - 1 - x
                for _ in range(turns):
                    x, y = side - 1 - y, x
                cells.append(x + side * y)
            symmetries.append(tuple(cells))
    return symmetries


@lru_cache(maxsize=1 << 16)
def _map_squares(squares: int, cells: tuple[int, ...]) -> int:
    """Return a set of squares with every cell replaced by its new cell."""
    return sum(1 << cells[member] for member in iter_members(squares))


SOLVER: Final = PerfectBlokusDice
