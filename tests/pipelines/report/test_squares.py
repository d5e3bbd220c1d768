"""The sentence above the maps of squares names the extremes of the shares, with intervals that hold for all squares at once."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine import games
from engine.catalogue import Catalogue
from pipelines.questions.scores.distributions import add_half_widths
from pipelines.questions.scores.squares import SquareMap
from pipelines.report.sheet import SquareMaps
from pipelines.report.squares import (
    describe_precision,
    describe_square_maps,
    describe_squares,
    list_square_parts,
)
from pipelines.statistics import Interval, wilson
from pipelines.viewer.palette import CHOSEN_LOOK, SeriesLook

if TYPE_CHECKING:
    from pipelines.questions.scores.squares import SquaresAnswer


@settings(deadline=None)
@given(st.lists(st.integers(0, 40), min_size=2, max_size=30))
def test_the_most_and_the_least_covered_squares_are_named_with_their_shares(counts: list[int]) -> None:
    assume(len(set(counts)) > 1)
    said = describe_squares(
        "Greedy covered", {f"s{at}": count / 40 for at, count in enumerate(counts)}, 40, 80
    )
    most, least = (
        [at for at, count in enumerate(counts) if count == end] for end in (max(counts), min(counts))
    )
    first, second = said.split(" most often")
    named = re.findall(r"s\d+", first)
    assert named == ([f"s{at}" for at in most] if len(most) <= 3 else [])
    if max(counts) == 40:
        assert 0 < float(re.findall(r"in all of its results \(at least (\S+) %\)", second)[0]) < 100
    else:
        percent, low, high = map(
            float, re.findall(r"in about (\S+) % of .*? results \((\S+) to (\S+)\)", second)[0]
        )
        assert abs(percent - 100 * max(counts) / 40) < 2
        assert low < percent <= high
    if min(counts):
        assert re.findall(r"s\d+", second) == ([f"s{at}" for at in least] if len(least) <= 3 else [])
    else:
        bound = re.findall(
            rf"never {len(least)} of the {len(counts)} squares \(at most (\S+) of 100 results each\)", said
        )
        assert 0 < float(bound[0]) < 100
    assert "80 results" in said


def test_the_interval_of_the_highest_share_holds_although_it_was_chosen_among_many_squares() -> None:
    """All squares have the share 0.5, so the highest of 60 is too high by chance; an interval for one square would miss it."""
    random = np.random.default_rng(7)
    hits = 0
    for _ in range(400):
        shares = random.binomial(100, 0.5, 60) / 100
        said = describe_squares("It covered", {f"s{at}": share for at, share in enumerate(shares)}, 100, 100)
        low, high = map(float, re.findall(r"results \((\S+) to (\S+)\)", said)[0])
        hits += low <= 50 <= high
    assert hits >= 0.93 * 400


def test_equal_shares_and_an_empty_board_say_nothing() -> None:
    assert not describe_squares("It covered", {"a1": 0.5, "a2": 0.5}, 10, 10)
    assert not describe_squares("It covered", {}, 10, 10)


def make_map(strategy: str, shares: dict[int, float]) -> SquareMap:
    """Return the map of a board of 70 squares after 400 blocks, as its answer has it."""
    squares = {cell: wilson(400 * share, 400, 1 - 0.05 / 70) for cell, share in shares.items()}
    return SquareMap(strategy, squares, 800, 400)


def test_two_strategies_are_compared_on_the_square_where_they_differ_most() -> None:
    ruleset = Catalogue().find_ruleset("bloxx-2p")
    board = games.find_game(ruleset.game).scene(ruleset, [])["boards"][0]
    maps = [make_map("greedy", {0: 0.9, 1: 0.5}), make_map("planner", {0: 0.5, 1: 0.52, 2: 0.95})]
    said = describe_square_maps(maps, board, "Filled")
    assert said.startswith("planner covers c1 more often than greedy, by 95 percentage points (")
    assert said.endswith(
        "800 results each; 95 % intervals for all squares at once); 1 other square clearly differs"
    )
    low, high = map(float, re.findall(r"points \((\S+) to (\S+);", said)[0])
    wide = add_half_widths(maps[1].squares[2], wilson(0, 400, 1 - 0.05 / 70))
    assert (low, high) == pytest.approx((100 * wide.low, 100 * wide.high), abs=0.6)
    assert describe_square_maps(maps, board, "First placement").startswith(
        "the first placement of planner covers c1 more often than that of greedy, by 95 percentage points ("
    )
    alike = [make_map(name, {0: share}) for name, share in (("greedy", 0.5), ("planner", 0.51))]
    assert describe_square_maps(alike, board, "Filled").startswith(
        "greedy covers no square clearly more or less often than planner ("
    )
    assert "greedy covered a1 most often" in describe_square_maps(alike[:1], board, "Filled")


def test_a_map_of_differences_has_a_colour_for_each_strategy_and_none_where_they_are_equal() -> None:
    ruleset = Catalogue().find_ruleset("bloxx-2p")
    scene = games.find_game(ruleset.game).scene(ruleset, [])
    maps = (make_map("greedy", {0: 0.9, 1: 0.5, 2: 0.5}), make_map("planner", {0: 0.5, 1: 0.7, 2: 0.5}))
    answer = SimpleNamespace(
        question=SimpleNamespace(map="Filled", piece=""),
        maps=maps,
        board=scene,
        scope=SimpleNamespace(seats=(), names={"greedy": "greedy", "planner": "planner"}),
        sample=None,
    )
    looks = {"greedy": CHOSEN_LOOK, "planner": SeriesLook("#009E73", "dash")}
    (part, _) = list_square_parts(cast("SquaresAnswer", answer), looks)
    assert isinstance(part.content, SquareMaps)
    difference = part.content.maps[0]  # what the sentence speaks of comes first
    scale = difference.scale
    assert scale
    assert (scale.low_text, scale.high_text) == ("\N{MINUS SIGN}40, planner more", "+40, greedy more")
    strengths = [scale.place(value) for value in difference.values[:3] if value is not None]
    assert strengths == pytest.approx([1, -0.5, 0])
    assert difference.outlined == (0, 1)
    assert difference.notes[0].startswith("a1: greedy 40 percentage points more often than planner (")
    assert difference.notes[1].startswith("b1: planner 20 percentage points more often than greedy (")
    assert (
        difference.name
        == "Difference \N{MIDDLE DOT} greedy less planner, percentage points; outlined where clear"
    )
    assert part.content.scale.place(90) == 1
    assert (scale.high_colour, scale.low_colour) == (CHOSEN_LOOK.colour, "#009E73"), "as in charts"
    assert difference.write_numbers(scale)[:4] == ("+40", "\N{MINUS SIGN}20", "0", "0")
    greedy = part.content.maps[1]
    assert greedy.scale
    assert greedy.scale.high_colour == CHOSEN_LOOK.colour
    assert greedy.write_numbers(greedy.scale)[:4] == ("90", "50", "50", "")
    (alike, _) = list_square_parts(cast("SquaresAnswer", answer), dict.fromkeys(looks, CHOSEN_LOOK))
    assert isinstance(alike.content, SquareMaps)
    same = alike.content.maps[0].scale
    assert same
    assert same.high_colour != same.low_colour


def test_the_precision_of_each_strategy_is_its_own_and_not_that_of_the_least_exact_one() -> None:
    unknown = Interval(0.5, float("nan"), float("nan"))
    maps = [
        SquareMap("greedy", {0: Interval(0.5, 0.48, 0.53), 1: Interval(0.2, 0.19, 0.21)}, 900, 900),
        SquareMap("random", {0: Interval(0.5, 0.24, 0.7), 1: unknown}, 9, 9),
        SquareMap("planner", {0: unknown}, 1, 1),
    ]
    assert describe_precision(maps, "percentage points", 100) == (
        "The numbers are known to within 3 percentage points for greedy and 26 for random (95 %, for all squares at once)."
    )
    assert not describe_precision(maps[2:], "rounds")
