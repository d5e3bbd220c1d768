"""`greedy` prefers the largest piece, then most new corner points, then the middle of the board, then luck."""

from __future__ import annotations

from functools import cache

from engine.catalogue import Catalogue
from engine.games.blokus import GAME
from engine.games.blokus.rules import BlokusState, start_state
from engine.games.blokus.ruleset import BlokusRuleset
from engine.luck import Luck
from engine.play import play_out, replay_actions
from engine.strategies import read_player

GREEDY = read_player(GAME, "greedy").decide


@cache
def duo_ruleset() -> BlokusRuleset:
    ruleset = Catalogue().find_ruleset("blokus-duo")
    assert isinstance(ruleset, BlokusRuleset)
    return ruleset


def greedy_rank(state: BlokusState, action: int) -> tuple[int, int, int]:
    """Return the criteria of `greedy`, computed from the squares of the placement."""
    details = state.ruleset.action(action)
    side = state.ruleset.side
    distance = sum(
        (2 * (i % side) - side + 1) ** 2 + (2 * (i // side) - side + 1) ** 2 for i in details.cells
    )
    [corners] = state.new_corner_points([action])
    return len(details.cells), corners, -distance


def greedy_choices(state: BlokusState) -> set[int]:
    return {GREEDY(state, Luck(7, block).source(0, 0, 0)) for block in range(60)}


def test_greedy_plays_the_largest_then_most_corners_then_nearest_to_the_middle() -> None:
    _, plies = play_out(start_state(duo_ruleset()), [GREEDY, GREEDY], Luck(1, 0))
    for state in list(replay_actions(start_state(duo_ruleset()), [ply.action for ply in plies]))[:-1:3]:
        ranked = {
            action: greedy_rank(state, action)
            for action in state.actions
            if action < duo_ruleset().first_out_action
        }
        top = max(ranked.values(), default=None)
        best = {action for action, worth in ranked.items() if worth == top}
        assert greedy_choices(state) == (best or set(state.actions))


def test_greedy_opens_with_a_large_piece_that_opens_many_corners() -> None:
    state = start_state(duo_ruleset())
    opened = {state.ruleset.action(action).piece for action in greedy_choices(state)}
    assert opened <= {"F5", "W5", "X5", "T5", "Y5", "Z5"}
    assert "I5" not in opened


def test_greedy_beats_random_clearly() -> None:
    """A player as strong as random would win 20 of 20 games once in a million times."""
    deciders = [GREEDY, read_player(GAME, "random").decide]
    wins = 0
    for block in range(10):
        first, _ = play_out(start_state(duo_ruleset()), deciders, Luck(2, block))
        second, _ = play_out(start_state(duo_ruleset()), deciders[::-1], Luck(2, block))
        wins += (first.scores[0] > first.scores[1]) + (second.scores[1] > second.scores[0])
    assert wins >= 18
