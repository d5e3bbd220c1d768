"""Legal actions of Blokus Dice, compared with a search square by square, and sums that hold at every ply."""

from __future__ import annotations

from itertools import product

import pytest

from engine.actions import CHANCE
from engine.games.blokus_dice import GAME
from engine.games.blokus_dice.rules import BlokusDiceState, SeatBoard, start_state
from engine.games.blokus_dice.ruleset import COLOUR_LETTERS, BlokusDiceRuleset
from engine.luck import Luck
from engine.notation import format_squares
from engine.play import play_out, replay_actions
from engine.polyomino import SHAPES, distinct_orientations
from engine.strategies import read_player
from tests.engine.playing import find_shipped


def blokus_dice_ruleset(players: int, stem: str = "blokus-dice") -> BlokusDiceRuleset:
    return find_shipped(BlokusDiceRuleset, f"{stem}-{players}p")


def search_legal_notations(state: BlokusDiceState) -> set[str]:
    """Return the legal notations of a seat, computed square by square without any table."""
    rules, seat, side = state.ruleset, state.seat, state.ruleset.side
    mine = state.boards[seat]
    colour = state.held_colour(seat)
    filled = [{divmod(c, side)[::-1] for c in range(side**2) if s >> c & 1} for s in mine.filled]
    taken = set().union(*filled)
    own, last = filled[colour], side - 1
    used = {
        rules.play_area.placements[number].shape for number in _drawn_placements(state.boards[seat], rules)
    }
    legal = set()
    for row, names in rules.shapes_by_row.items():
        for name in set(names) - used:
            for shape, x, y in product(distinct_orientations(SHAPES[name]), range(side), range(side)):
                cells = {(x + i, y + j) for i, j in shape}
                if cells & taken or any(not (0 <= i < side and 0 <= j < side) for i, j in cells):
                    continue
                edges = {(i + a, j + b) for i, j in cells for a, b in ((0, 1), (1, 0), (0, -1), (-1, 0))}
                corners = {(i + a, j + b) for i, j in cells for a in (-1, 1) for b in (-1, 1)}
                if edges & own or not (corners & own if own else cells & set(product((0, last), repeat=2))):
                    continue
                where = format_squares([i + side * j for i, j in cells], side)
                tail = f"{COLOUR_LETTERS[colour]}{name}:{where}"
                legal |= {f"{die}{tail}" for die in state.free_dice if die == row}
                if mine.strikes < rules.options.strikes:
                    legal |= {f"{die}!{tail}" for die in state.free_dice}
    return legal or {"out"}


def _drawn_placements(drawn: SeatBoard, rules: BlokusDiceRuleset) -> list[int]:
    """Return the placements on a board: the connected groups of each colour, which never touch along an edge."""
    numbers = []
    for whole in drawn.filled:
        rest = whole
        while rest:
            group = rest & -rest
            while (wider := group | rules.play_area.squares_beside(group) & whole) != group:
                group = wider
            numbers.append(rules.play_area.numbers[group])
            rest &= ~group
    return numbers


@pytest.mark.parametrize(
    ("stem", "players", "strategy"),
    [("blokus-dice", 2, "random"), ("blokus-dice-graded", 4, "greedy"), ("blokus-dice-7", 3, "greedy")],
)
def test_legal_actions_agree_with_a_search_square_by_square(stem: str, players: int, strategy: str) -> None:
    """BD-3 to BD-8, at every third decision of whole games."""
    first = start_state(blokus_dice_ruleset(players, stem))
    _, plies = play_out(first, [read_player(GAME, strategy).decide] * players, Luck(9, 0))
    states = [state for state in replay_actions(first, [ply.action for ply in plies]) if not state.is_over]
    decisions = [state for state in states if state.seat != CHANCE]
    for state in [*decisions[::3], *decisions[-4:]]:
        assert {state.ruleset.action(action).notation for action in state.actions} == search_legal_notations(
            state
        )


def test_squares_and_shapes_are_accounted_for_at_every_ply() -> None:
    first = start_state(blokus_dice_ruleset(3))
    _, plies = play_out(first, [read_player(GAME, "greedy").decide] * 3, Luck(2, 0))
    for state in replay_actions(first, [ply.action for ply in plies]):
        for drawn in state.boards:
            assert drawn.unfilled == 81 - sum(colour.bit_count() for colour in drawn.filled)
            names = [
                state.ruleset.play_area.placements[number].shape
                for number in _drawn_placements(drawn, state.ruleset)
            ]
            assert len(names) == len(set(names))
            assert 81 - drawn.unfilled == sum(len(SHAPES[name]) for name in names)
