"""Exact counts of Blokus Dice and figures from an independent prototype."""

from __future__ import annotations

import statistics
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import pytest

from engine.actions import CHANCE
from engine.games.blokus_dice import GAME
from engine.games.blokus_dice.rules import SeatBoard, start_state
from engine.games.blokus_dice.ruleset import BlokusDiceRuleset
from engine.luck import Luck
from engine.number_sets import iter_members
from engine.play import play_out, replay_actions
from engine.strategies import read_player
from tests.engine.playing import find_shipped, perft

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.games.blokus_dice.ruleset import Placement
    from engine.luck import Source
    from engine.state import State

STEM_BY_SIDE = {7: "blokus-dice-7", 8: "blokus-dice-8", 9: "blokus-dice", 10: "blokus-dice-10"}


def blokus_dice_ruleset(stem: str = "blokus-dice", players: int = 4) -> BlokusDiceRuleset:
    return find_shipped(BlokusDiceRuleset, f"{stem}-{players}p")


@pytest.mark.parametrize("side", STEM_BY_SIDE)
def test_first_placements_of_each_shape_are_the_same_on_every_side(side: int) -> None:
    area = blokus_dice_ruleset(STEM_BY_SIDE[side]).play_area
    fitting = start_state(blokus_dice_ruleset(STEM_BY_SIDE[side])).boards[0].fitting_placements(0)
    counts = Counter(area.placements[number].shape for number in iter_members(fitting))
    assert counts == {
        "I1": 4,
        "I2": 8,
        "I3": 8,
        "V3": 12,
        "I4": 8,
        "L4": 24,
        "O4": 4,
        "S4": 8,
        "T4": 8,
        "F5": 8,
        "I5": 8,
        "L5": 24,
        "N5": 16,
        "P5": 24,
        "T5": 8,
        "U5": 16,
        "V5": 12,
        "W5": 8,
        "Y5": 16,
        "Z5": 8,
    }
    assert counts["X5"] == 0
    assert counts.total() == 232


@pytest.mark.parametrize(("side", "placements"), [(7, 2522), (8, 3577), (9, 4814), (10, 6233)])
def test_placements_on_a_side(side: int, placements: int) -> None:
    area = blokus_dice_ruleset(STEM_BY_SIDE[side]).play_area
    assert area.side == side
    assert len(area.placements) == len(area.numbers) == placements


@pytest.mark.parametrize(
    ("roll", "options", "without_strike"),
    [("1 2 3 4", 1100, 172), ("3 3 3 3", 284, 52), ("1 1 2 6", 816, 120)],
)
def test_options_of_the_first_decision(roll: str, options: int, without_strike: int) -> None:
    rules = blokus_dice_ruleset()
    state = start_state(rules).play(rules.read_action(roll))
    notations = [rules.action(action).notation for action in state.actions]
    assert len(state.actions) == len(set(notations)) == options
    assert sum("!" not in notation for notation in notations) == without_strike


@pytest.mark.parametrize("players", [2, 3, 4])
def test_perft_of_a_first_round(players: int) -> None:
    """A roll has the placements of its different rows, and all 232 with a strike for each different die."""
    rules = blokus_dice_ruleset(players=players)
    offered = {
        face: (placements & rules.play_area.in_corners).bit_count()
        for face, placements in rules.offered_placements.items()
    }
    assert offered == {1: 48, 2: 48, 3: 52, 4: 24, 5: 36, 6: 24}
    rolls = [rules.roll_faces[action] for action in start_state(rules).actions]
    assert perft(start_state(rules), 2) == sum(offered[face] + 232 for roll in rolls for face in set(roll))


class GameFigures(NamedTuple):
    """Means over seats and games, and the standard error of the first figure over games."""

    unfilled: float
    error: float
    shapes: float
    rounds: float
    strikes: float


def measure_figures(decide: Callable[[State, Source], int], games: int) -> GameFigures:
    first = start_state(blokus_dice_ruleset())
    unfilled, shapes, rounds, strikes = [], [], [], []
    for block in range(games):
        end, plies = play_out(first, [decide] * 4, Luck(2019, block))
        unfilled.append(statistics.mean(end.scores))
        rounds.append(end.round + 1)
        shapes.append((len(plies) - rounds[-1] - 4) / 4)  # all plies except the rolls and four `out`
        strikes.append(statistics.mean(board.strikes for board in end.boards))
    return GameFigures(
        unfilled=statistics.mean(unfilled),
        error=statistics.stdev(unfilled) / games**0.5,
        shapes=statistics.mean(shapes),
        rounds=statistics.mean(rounds),
        strikes=statistics.mean(strikes),
    )


def sparing_random(state: State, source: Source) -> int:
    """Choose any action at random, but a strike only if every action has one."""
    actions = list(state.actions)
    drafts = map(blokus_dice_ruleset().find_draft, actions)
    plain = [action for action, draft in zip(actions, drafts, strict=True) if not draft or not draft.struck]
    return source.choice(plain or actions)


@pytest.mark.slow
def test_greedy_play_agrees_with_an_independent_prototype() -> None:
    """The tolerance is four standard errors of the difference to the prototype's 200 games.

    Standard deviations over games: unfilled 2.7, shapes 0.6, rounds 1.4, strikes 0.5.
    """
    figures = measure_figures(read_player(GAME, "greedy").decide, 200)
    assert abs(figures.unfilled - 25.0) < 4 * figures.error * 2**0.5
    assert abs(figures.shapes - 13.2) < 0.25
    assert abs(figures.rounds - 15.5) < 0.55
    assert abs(figures.strikes - 1.66) < 0.2


def test_uniformly_random_play_agrees_with_an_independent_prototype() -> None:
    figures = measure_figures(read_player(GAME, "random").decide, 200)
    assert abs(figures.unfilled - 40.2) < 4 * figures.error * 2**0.5
    assert figures.strikes > 2.95


@pytest.mark.slow
def test_random_play_that_spares_strikes_agrees_with_an_independent_prototype() -> None:
    figures = measure_figures(sparing_random, 200)
    assert abs(figures.unfilled - 34.3) < 4 * figures.error * 2**0.5


def test_greedy_takes_the_largest_shape_and_no_strike_unless_forced() -> None:
    rules = blokus_dice_ruleset()
    state = start_state(rules).play(rules.read_action("3 3 3 4"))
    action = rules.action(read_player(GAME, "greedy").decide(state, Luck(1, 0).source(0, 0, 0)))
    assert action.die == "4"
    assert "!" not in action.notation
    assert len(action.cells) == 5


def corner_points(board: SeatBoard, placement: Placement, colour: int) -> int:
    """Return the number of empty squares at the corners of a placement that share no edge with its colour."""
    filled = [{divmod(cell, 9) for cell in range(81) if squares >> cell & 1} for squares in board.filled]
    cells = {divmod(cell, 9) for cell in placement.cells}
    own = filled[colour] | cells
    diagonal = {(row + a, column + b) for row, column in cells for a in (-1, 1) for b in (-1, 1)}
    beside = {(row + a, column + b) for row, column in own for a, b in ((0, 1), (1, 0), (0, -1), (-1, 0))}
    on_board = {(row, column) for row, column in diagonal if 0 <= row < 9 and 0 <= column < 9}
    return len(on_board - set().union(*filled) - own - beside)


def test_greedy_draws_the_largest_shape_with_most_empty_squares_at_its_corners() -> None:
    rules = blokus_dice_ruleset()
    _, plies = play_out(start_state(rules), [read_player(GAME, "greedy").decide] * 4, Luck(8, 0))
    decided_by_corners = 0
    for state, ply in zip(
        replay_actions(start_state(rules), [ply.action for ply in plies]), plies, strict=False
    ):
        drafts = {action: draft for action in state.actions if (draft := rules.find_draft(action))}
        if state.seat == CHANCE or not drafts:
            continue
        spared = not all(draft.struck for draft in drafts.values())
        values = {}
        for action, draft in drafts.items():
            if not (spared and draft.struck):
                placement = rules.play_area.placements[draft.placement]
                points = corner_points(state.boards[state.seat], placement, draft.colour)
                values[action] = (len(placement.cells), points)
        assert values[ply.action] == max(values.values())
        decided_by_corners += (
            len({value for value in values.values() if value[0] == values[ply.action][0]}) > 1
        )
    assert decided_by_corners > 20
