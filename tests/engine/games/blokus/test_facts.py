"""Exact counts of Blokus, and figures from an independent prototype."""

from __future__ import annotations

import json
import math
import statistics
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from engine.games.blokus import GAME
from engine.games.blokus.rules import BlokusState, start_state
from engine.games.blokus.ruleset import BlokusRuleset
from engine.games.blokus.strategies import largest_placements
from engine.games.blokus.windows import PlaneMembers
from engine.luck import Luck
from engine.play import play_out
from engine.strategies import read_player
from tests.engine.playing import find_shipped, perft

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.luck import Source

PERFT_ENTRIES = json.loads((Path(__file__).parent / "perft.json").read_text(encoding="utf-8"))
"""Numbers of action sequences by length. Those of small boards were counted again, square by square."""


blokus_ruleset = partial(find_shipped, BlokusRuleset)


def perft_ruleset(entry: dict[str, Any]) -> BlokusRuleset:
    if "ruleset" in entry:
        return blokus_ruleset(entry["ruleset"])
    document = blokus_ruleset("blokus-duo").document
    changes = {
        "players": entry["players"],
        "options": {**document["options"], "corners": entry["corners"]},
        "tables": {"board": entry["board"], "pieces": entry["pieces"]},
    }
    return BlokusRuleset.from_document({**document, **changes}, "perft.json")


def test_58_first_placements_from_a_corner_by_size() -> None:
    ruleset = blokus_ruleset("blokus-fixed-4p")
    sizes = Counter(len(ruleset.action(action).cells) for action in start_state(ruleset).actions)
    assert sizes == {1: 1, 2: 2, 3: 5, 4: 13, 5: 37}


def test_232_first_placements_with_free_corners_and_414_in_duo() -> None:
    assert len(start_state(blokus_ruleset("blokus-4p")).actions) == 232
    assert len(start_state(blokus_ruleset("blokus-duo")).actions) == 414


@pytest.mark.parametrize(("name", "placements"), [("blokus-4p", 30_433), ("blokus-duo", 13_729)])
def test_distinct_placements_on_the_board(name: str, placements: int) -> None:
    assert blokus_ruleset(name).windows.board.bit_count() == placements


def test_91_orientations_of_21_pieces_with_89_squares() -> None:
    ruleset = blokus_ruleset("blokus-4p")
    assert len(ruleset.pieces) == 21
    assert ruleset.windows.count == 91
    assert ruleset.total_squares == 89


@pytest.mark.parametrize("entry", PERFT_ENTRIES, ids=lambda entry: entry.get("ruleset", "small"))
def test_action_sequences_from_the_start(entry: dict[str, Any]) -> None:
    state = start_state(perft_ruleset(entry))
    assert [perft(state, depth + 1) for depth in range(len(entry["perft"]))] == entry["perft"]


class GameFigures(NamedTuple):
    """Means over many games of four players with fixed corners."""

    games: int
    placements: float
    options: float
    squares_left: list[float]
    win_shares: list[float]


def measure_figures(decide: Callable[[Any, Source], int], games: int) -> GameFigures:
    ruleset = blokus_ruleset("blokus-fixed-4p")
    left: list[list[int]] = []
    shares: list[list[float]] = []
    options: list[int] = []
    for block in range(games):
        end, plies = play_out(start_state(ruleset), [decide] * 4, Luck(20, block))
        left.append([parts[0].count for parts in end.parts])
        shares.append([(rank == 1) / end.ranks.count(1) for rank in end.ranks])
        options += [ply.options or 0 for ply in plies if ply.action < ruleset.first_out_action]
    return GameFigures(
        games,
        len(options) / games,
        statistics.mean(options),
        [statistics.mean(column) for column in zip(*left, strict=True)],
        [statistics.mean(column) for column in zip(*shares, strict=True)],
    )


def largest_first(state: BlokusState, source: Source) -> int:
    actions = state.actions
    return source.choice(
        largest_placements(state.ruleset, actions) if isinstance(actions, PlaneMembers) else actions
    )


def assert_random_figures(figures: GameFigures) -> None:
    """Compare within four standard errors; one game has sd 8 of squares left, sd 3 of placements, sd 15 of mean options.

    The prototype's 20,000 games and the rounding of its figures add half of the last digit.
    """
    errors = 4 / math.sqrt(figures.games)
    assert figures.placements == pytest.approx(59.0, abs=3 * errors + 0.1)
    assert figures.options == pytest.approx(176, abs=15 * errors + 1)
    assert figures.squares_left == pytest.approx([27.8, 28.6, 29.9, 30.6], abs=8 * errors + 0.25)
    assert figures.win_shares == pytest.approx([0.301, 0.273, 0.223, 0.203], abs=0.45 * errors + 0.005)


@pytest.mark.slow
def test_figures_of_random_play() -> None:
    assert_random_figures(measure_figures(read_player(GAME, "random").decide, 300))


@pytest.mark.night
def test_figures_of_random_play_in_many_games() -> None:
    assert_random_figures(measure_figures(read_player(GAME, "random").decide, 10_000))


@pytest.mark.parametrize("games", [100, pytest.param(4_000, marks=pytest.mark.night)])
def test_figures_of_the_largest_piece_first(games: int) -> None:
    """The tolerance is four standard errors, plus 0.3 because these figures come from fewer games."""
    means = measure_figures(largest_first, games)
    expected = [17.5, 18.5, 20.0, 21.0]
    assert means.squares_left == pytest.approx(expected, abs=8 * 4 / math.sqrt(games) + 0.3)
