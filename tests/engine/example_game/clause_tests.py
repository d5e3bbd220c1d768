"""A test for every clause of Harvest. `test_example_game.py` copies this file into a project that has the game."""

from __future__ import annotations

from functools import cache

import pytest

from engine.actions import CHANCE
from engine.catalogue import Catalogue
from engine.errors import InvalidError
from tests.engine.example_game.harvest.rules import HarvestState, start_state
from tests.engine.example_game.harvest.ruleset import HarvestRuleset


@cache
def harvest_ruleset(players: int) -> HarvestRuleset:
    ruleset = Catalogue().find_ruleset(f"harvest-{players}p")
    assert isinstance(ruleset, HarvestRuleset)
    return ruleset


def play_notations(players: int, text: str) -> HarvestState:
    """Play actions by their notations from the start."""
    state = start_state(harvest_ruleset(players))
    for notation in text.split():
        state = state.play(state.ruleset.read_action(notation))
    return state


def test_a_game_starts_without_owners() -> None:
    """HV-1."""
    assert set(start_state(harvest_ruleset(3)).owners) == {-1}
    with pytest.raises(InvalidError, match="fields"):
        HarvestRuleset.from_document(
            {**harvest_ruleset(2).document, "tables": {"fields": ["12a456", "123456"]}}, "test"
        )


def test_the_die_has_a_face_for_every_row() -> None:
    """HV-2."""
    state = start_state(harvest_ruleset(2))
    assert state.seat == CHANCE
    assert state.actions == (0, 1, 2, 3, 4)
    assert state.probabilities == (0.2,) * 5


def test_a_seat_takes_a_free_field_of_the_row_or_passes() -> None:
    """HV-3."""
    state = play_notations(2, "die2 b2 die2")
    assert [state.ruleset.action(action).notation for action in state.actions] == [
        "a2",
        "c2",
        "d2",
        "e2",
        "f2",
    ]
    state = play_notations(2, "die1 a1 die1 b1 die1 c1 die1 d1 die1 e1 die1 f1 die1")
    assert [state.ruleset.action(action).notation for action in state.actions] == ["pass"]


def test_seats_take_turns_until_the_last_round_ends() -> None:
    """HV-4."""
    state = play_notations(3, "die1 a1 die1 b1")
    assert (state.player, state.round) == (2, 0)
    assert play_notations(3, "die1 a1 die1 b1 die1 c1").round == 1
    end = play_notations(2, "die1 a1 die1 b1 die1 c1 die1 d1 die1 e1 die1 f1 " + "die1 pass " * 10)
    assert end.is_over


def test_fields_score_their_numbers_and_pairs_score_extra() -> None:
    """HV-5: 3 + 3 for a1 and b1, 8 for a2, and two pairs for seat 0; 7 for seat 1."""
    state = play_notations(2, "die1 a1 die1 f1 die1 b1 die5 a5 die2 a2")
    assert state.scores == (3 + 3 + 8 + 2 * 2, 7 + 3)


def test_the_highest_score_wins() -> None:
    """HV-6."""
    assert play_notations(2, "die1 a1 die1 f1").ranks == (2, 1)
    assert play_notations(2, "die1 a1 die1 b1").ranks == (1, 1)
