"""The planes of placements agree with the readable generator, square by square."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.catalogue import Catalogue
from engine.games.blokus.placements import (
    CORNER_STEPS,
    EDGE_STEPS,
    ColourView,
    legal_placements,
    points_beside,
)
from engine.games.blokus.rules import BlokusState, start_state
from engine.games.blokus.ruleset import BlokusRuleset
from engine.games.blokus.windows import PlaneMembers, Windows
from engine.notation import format_square
from engine.polyomino import SHAPES
from tests.examples import scale_examples

if TYPE_CHECKING:
    from engine.polyomino import Point


def covered_points(state: BlokusState, colour: int) -> frozenset[Point]:
    side, spot = state.ruleset.side, state.ruleset.windows.spot
    squares = state.colours[colour].squares
    return frozenset((x, y) for x in range(side) for y in range(side) if squares >> spot((x, y)) & 1)


def colour_view(state: BlokusState, colour: int) -> ColourView:
    """Return the view of a colour for the readable generator of placements."""
    ruleset = state.ruleset
    starts = [(index % ruleset.side, index // ruleset.side) for index in ruleset.start_cells]
    others = [covered_points(state, other) for other in range(len(state.colours)) if other != colour]
    return ColourView(
        side=ruleset.side,
        own=covered_points(state, colour),
        others=frozenset().union(*others),
        starts=frozenset(starts if ruleset.options.corners == "free" else [starts[colour]]),
        pieces=tuple(
            name for piece, name in enumerate(ruleset.pieces) if state.colours[colour].left >> piece & 1
        ),
    )


def legal_by_planes(state: BlokusState, colour: int) -> set[frozenset[Point]]:
    ruleset, side = state.ruleset, state.ruleset.side
    placements = [ruleset.action(action).cells for action in state.legal_placements(colour)]
    point_sets = {frozenset((index % side, index // side) for index in cells) for cells in placements}
    assert len(point_sets) == len(placements)
    return point_sets


@st.composite
def rulesets(draw: st.DrawFn) -> BlokusRuleset:
    """Draw rulesets with small boards and any start cells, pieces and seats."""
    side = draw(st.integers(5, 8))
    colours = draw(st.integers(2, 4))
    cells = draw(st.lists(st.integers(0, side * side - 1), min_size=colours, max_size=colours, unique=True))
    pieces = draw(st.lists(st.sampled_from(list(SHAPES)), min_size=1, max_size=8, unique=True))
    document = Catalogue().find_ruleset("blokus-duo").document
    return BlokusRuleset.from_document(
        {
            **document,
            "players": draw(st.integers(2, colours)),
            "options": {**document["options"], "corners": draw(st.sampled_from(["free", "fixed"]))},
            "tables": {
                "board": {"side": side, "start": [format_square(index, side) for index in cells]},
                "pieces": pieces,
            },
        },
        "drawn",
    )


@pytest.mark.slow
@given(ruleset=rulesets(), data=st.data())
@scale_examples(0.3)
def test_planes_contain_the_placements_that_are_legal_square_by_square(
    ruleset: BlokusRuleset, data: st.DataObject
) -> None:
    """BK-2, BK-3, BK-4, BK-5."""
    state = start_state(ruleset)
    while not state.is_over:
        for colour in range(len(ruleset.colours)):
            assert legal_by_planes(state, colour) == legal_placements(colour_view(state, colour))
        state = state.play(state.actions[data.draw(st.integers(0, len(state.actions) - 1))])


@given(ruleset=rulesets(), data=st.data())
@scale_examples(0.15)
def test_new_corner_points_are_counted_square_by_square(ruleset: BlokusRuleset, data: st.DataObject) -> None:
    state = start_state(ruleset)
    while not state.is_over:
        if isinstance(state.actions, PlaneMembers):
            own = covered_points(state, state.turn)
            everything = set().union(*(covered_points(state, colour) for colour in range(len(state.colours))))
            board = {(x, y) for x in range(ruleset.side) for y in range(ruleset.side)}
            before = (points_beside(own, CORNER_STEPS) & board) - points_beside(own, EDGE_STEPS) - everything
            actions = state.actions[:20]
            for action, counted in zip(actions, state.new_corner_points(actions), strict=True):
                cells = {(i % ruleset.side, i // ruleset.side) for i in ruleset.action(action).cells}
                after = (
                    (points_beside(own | cells, CORNER_STEPS) & board)
                    - points_beside(own | cells, EDGE_STEPS)
                    - everything
                    - cells
                )
                assert counted == len(after - before)
        state = state.play(state.actions[data.draw(st.integers(0, len(state.actions) - 1))])


def test_windows_of_a_piece_in_the_middle_change_what_is_near_it_and_nothing_else() -> None:
    windows = Windows(9, ("I1",))
    [orientation] = windows.orientations
    spot = windows.spot((4, 4))
    assert windows.move_window(orientation.hits, spot) == 1 << spot
    for window, steps in ((orientation.edges, EDGE_STEPS), (orientation.corners, CORNER_STEPS)):
        assert windows.move_window(window, spot) == sum(
            1 << windows.spot(point) for point in points_beside({(4, 4)}, steps)
        )
