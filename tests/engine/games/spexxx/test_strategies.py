"""The strategy `greedy` of Spexxx: values of squares and decisions, compared with their definitions."""

from __future__ import annotations

from fractions import Fraction

import pytest

from engine.actions import CHANCE
from engine.games.spexxx import dice
from engine.games.spexxx.rules import SpexxxState, cube_gain, start_state
from engine.games.spexxx.ruleset import FIRST_PLACEMENT, SpexxxRuleset, iter_cells
from engine.games.spexxx.strategies import greedy, square_values
from engine.games.spexxx.turn import THROW_SCALE
from engine.luck import Luck
from engine.play import play_out
from tests.engine.playing import find_shipped, play_notations

FIVE_ONES = "1 1 1 1 1"


def spexxx_ruleset(players: int = 2) -> SpexxxRuleset:
    return find_shipped(SpexxxRuleset, f"spexxx-{players}p")


def greedy_answers(state: SpexxxState) -> set[str]:
    """Return all actions that `greedy` chooses in this state with different luck."""
    decide = greedy()
    chosen = {decide(state, Luck(seed, 0).source(0, 0, 0)) for seed in range(60)}
    return {state.ruleset.action(action).notation for action in chosen}


def value_in_thousandths(state: SpexxxState, place: int) -> Fraction:
    """Return the value of a free square, computed slowly from the definition."""
    board, own = state.ruleset, state.seats[state.thrower]
    others = board.squares & ~state.free & ~own.cubes
    potential = Fraction(0)
    for three in board.lines_of_three:
        if place in three and not any(others >> cell & 1 for cell in three):
            weight = {0: Fraction(1, 10), 1: Fraction(1)}.get(
                sum(own.cubes >> cell & 1 for cell in three), Fraction(0)
            )
            potential += weight * sum(board.points[cell] for cell in three)
    now = cube_gain(board, own.cubes, own.counted, place).points(board)
    return 1000 * (now + Fraction(3, 100) * potential)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_square_is_worth_what_it_scores_now_and_its_potential(players: int) -> None:
    state = start_state(spexxx_ruleset(players))
    decide = greedy(10)
    turns = 0
    while not state.is_over:
        if state.seat == CHANCE:
            state = state.play(state.chance_outcome(Luck(3, players)))
            continue
        if turns % 12 == 0:
            values = square_values(state.ruleset, state.seats, state.thrower).tolist()
            assert {place: values[place] for place in iter_cells(state.free)} == {
                place: value_in_thousandths(state, place) for place in iter_cells(state.free)
            }
            assert not any(values[place] for place in range(288) if not state.free >> place & 1)
        turns += 1
        state = state.play(decide(state, Luck(5, 0).source(turns, 0, 0)))


def test_a_line_with_two_own_cubes_scores_and_has_no_potential() -> None:
    state = play_notations(
        start_state(spexxx_ruleset()), FIVE_ONES, "d1", FIVE_ONES, "r12", FIVE_ONES, "e1", FIVE_ONES, "q12"
    )
    values = square_values(spexxx_ruleset(), state.seats, 0, 0)
    assert {place: value for place, value in enumerate(values.tolist()) if value} == {2: 3000, 5: 3000}


@pytest.mark.parametrize(("throw", "answer"), [("1 3 3 3 3", "u1"), ("1 3 3 3 5", "1 3 3 3")])
def test_greedy_stops_on_the_best_square_and_throws_again_for_a_better_one(throw: str, answer: str) -> None:
    """u1 needs four threes and a one and makes a line of four; after the second throw one die is still missing."""
    state = start_state(spexxx_ruleset())
    for square in ("s1", "b1", "t1", "c1", "v1", "d1"):
        state = play_notations(state, FIVE_ONES, square)
    assert greedy_answers(play_notations(state, throw)) == {answer}


def test_equal_squares_are_chosen_by_luck() -> None:
    """Without potential, all squares that make no line have the value 0."""
    state = play_notations(
        start_state(spexxx_ruleset()), "1 1 1 2 2", "0", "1 1 1 2 2", "0", "1 1 1 2 2", "0", "1 1 1 2 2"
    )
    decide = greedy(0)
    chosen = {decide(state, Luck(seed, 0).source(0, 0, 0)) for seed in range(60)}
    assert chosen == {action for action in state.actions if action >= FIRST_PLACEMENT}


def test_stopping_wins_a_tie_with_throwing_on() -> None:
    """Without potential, every square has the value 0 at the start of a game."""
    decide = greedy(0)
    state = play_notations(start_state(spexxx_ruleset()), "1 1 1 2 2")
    assert all(decide(state, Luck(seed, 0).source(0, 0, 0)) >= FIRST_PLACEMENT for seed in range(20))


def test_equal_keeps_are_chosen_by_luck() -> None:
    """If no throw matches a free square, every keep has the value 0."""
    document = spexxx_ruleset().document
    board = ["#....."] + ["......"] * 5
    rules = SpexxxRuleset.from_document(
        {**document, "tables": {**document["tables"], "board": board}}, "tiny"
    )
    state = play_notations(start_state(rules), FIVE_ONES, "a6", "1 1 2 2 2")
    assert len(greedy_answers(state)) == len(dice.legal_keeps(state.dice)) == 11


def test_a_discard_needs_no_decision() -> None:
    stuck = ["1 1 1 1 2", "1 1 1 1"] * 3 + ["1 1 1 1 2"]
    state = play_notations(
        start_state(spexxx_ruleset()),
        FIVE_ONES,
        "b1",
        FIVE_ONES,
        "g2",
        FIVE_ONES,
        "m2",
        FIVE_ONES,
        "s2",
        *stuck,
    )
    assert greedy_answers(state) == {"-"}


def test_the_cache_of_turns_does_not_change_the_game() -> None:
    """The game is the same whether two players share a cache of solutions or have one each."""
    shared = greedy()
    together = play_out(start_state(spexxx_ruleset()), [shared, shared], Luck(2, 0))[1]  # type: ignore[list-item]  # the player is for this game only
    apart = play_out(start_state(spexxx_ruleset()), [greedy(), greedy()], Luck(2, 0))[1]  # type: ignore[list-item]  # the player is for this game only
    assert together == apart


def test_values_with_all_throws_to_come_fit_a_machine_word() -> None:
    """The largest possible value of a square: four joined lines of five new cubes, 100 points each."""
    most = 1000 * (4 * 5 * 100 + 4 * 3 * 100 + 100) + 3 * 10 * 12 * 300
    assert most * THROW_SCALE**3 < 1 << 63
