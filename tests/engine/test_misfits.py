"""Why a piece does not fit: a legal place has no reason against it, and every other place of the same shape has one."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from engine import games
from engine.actions import CHANCE
from engine.catalogue import Catalogue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.state import State

SAMPLED_PLACES = 6
RULESETS = (
    "bloxx-2p",
    "bloxx-touch-2p",
    "bloxx-rest-3p",
    "blokus-2p",
    "blokus-duo",
    "blokus-fixed-4p",
    "blokus-dice-2p",
    "spexxx-2p",
)


def iter_choices(name: str, seed: int) -> Iterator[State]:
    """Yield the positions of a random game in which a seat acts."""
    draw = random.Random(seed)
    ruleset = Catalogue().find_ruleset(name)
    state = games.find_game(ruleset.game).start(ruleset)
    while not state.is_over:
        if state.seat != CHANCE:
            yield state
        state = state.play(draw.choice(list(state.actions)))


@pytest.mark.parametrize("name", RULESETS)
def test_a_place_has_a_reason_against_it_if_it_is_not_legal(name: str) -> None:
    draw = random.Random(name)
    reasons = set()
    for state in iter_choices(name, seed=5):
        ruleset = state.ruleset
        board = games.find_game(ruleset.game).scene(ruleset, [])["boards"][0]
        columns, rows = board["columns"], board["rows"]
        legal = {
            frozenset((cell % columns, cell // columns) for cell in cells)
            for action in state.actions
            if (cells := ruleset.action(action).cells)
        }
        for points in draw.sample(sorted(legal, key=sorted), min(SAMPLED_PLACES, len(legal))):
            assert not state.explain_misfit(points)
            right, up = draw.randint(-columns, columns), draw.randint(-rows, rows)
            moved = frozenset((x + right, y + up) for x, y in points)
            reason = state.explain_misfit(moved)
            assert bool(reason) == (moved not in legal), (str(state), sorted(moved), reason)
            reasons.add(reason)
    assert len(reasons) >= 4


def test_a_misfit_is_told_in_the_words_of_the_game() -> None:
    duo = next(iter_choices("blokus-duo", 1))
    assert duo.explain_misfit(frozenset({(0, 0)})) == "the first piece covers a start square of its colour"
    assert duo.explain_misfit(frozenset({(13, 0), (14, 0)})) == "it would leave the board"
    own = next(state for state in iter_choices("blokus-duo", 1) if state.round and state.seat == 0)
    ((column, row), *_) = own._covered_points(own.colours[0])  # type: ignore[attr-defined]
    assert own.explain_misfit(frozenset({(column, row)})) == "it would lie on another piece"
    spexxx = next(iter_choices("spexxx-2p", 1))
    said = {spexxx.explain_misfit(frozenset({(x, y)})) for x in range(24) for y in range(24)}
    assert any(
        text.startswith("the dice do not match: the square needs ") and "\N{MULTIPLICATION SIGN}" in text
        for text in said
    )
