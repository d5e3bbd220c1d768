"""Exact counts and chances of Spexxx, and figures from independent prototypes."""

from __future__ import annotations

import itertools
import math
import statistics
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest

from engine.games.spexxx import GAME, dice
from engine.games.spexxx.rules import SpexxxState, start_state
from engine.games.spexxx.ruleset import ZONES, SpexxxRuleset, iter_cells
from engine.games.spexxx.strategies import greedy
from engine.games.spexxx.turn import THROW_SCALE, keep_values
from engine.luck import Luck
from engine.notation import format_squares
from engine.play import play_out
from engine.strategies import read_player
from tests.engine.playing import find_shipped, perft

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.luck import Source


def spexxx_ruleset(players: int) -> SpexxxRuleset:
    return find_shipped(SpexxxRuleset, f"spexxx-{players}p")


def test_the_board_has_174_squares_in_eight_zones() -> None:
    counts = Counter(ZONES[mark] for mark in spexxx_ruleset(2).marks if mark != ".")
    colours = {"orange": 15, "yellow": 15, "green": 30, "blue": 30, "purple": 30, "red": 30}
    assert counts == {**colours, "gold": 12, "silver": 12}
    assert spexxx_ruleset(2).squares.bit_count() == counts.total() == 174


def test_there_are_520_lines_of_three_and_109_blocks() -> None:
    assert len(spexxx_ruleset(2).lines_of_three) == len(set(spexxx_ruleset(2).lines_of_three)) == 520
    assert len({block for blocks in spexxx_ruleset(2).blocks for block in blocks}) == 109


def test_there_are_252_throws_and_210_hands_to_keep() -> None:
    assert len(dice.HANDS) - dice.FIRST_THROW == len(dice.throw_chances(0)) == 252
    assert dice.FIRST_THROW == 1 + 6 + 21 + 56 + 126


def test_a_full_house_matches_the_six_squares_that_reviews_quote() -> None:
    matched = spexxx_ruleset(2).matching_squares[dice.hand_number((2, 2, 5, 5, 5)) - dice.FIRST_THROW]
    assert format_squares(iter_cells(matched), 24) == "e2,k2,q2,h5,k8,q8"


def test_the_number_of_courses_of_a_first_turn() -> None:
    """Throws with their different keeps and squares, counted from all 7776 sequences of faces."""
    ways = 0
    for hand in {tuple(sorted(hand)) for hand in itertools.product(range(1, 7), repeat=5)}:
        keeps = math.prod(count + 1 for count in Counter(hand).values()) - 1
        ways += (
            keeps + spexxx_ruleset(2).matching_squares[dice.hand_number(hand) - dice.FIRST_THROW].bit_count()
        )
    assert perft(start_state(spexxx_ruleset(2)), 1) == 252
    assert perft(start_state(spexxx_ruleset(2)), 2) == ways


FIVE_OF_A_KIND = {dice.hand_number((face,) * 5) for face in dice.FACES}


def chance_within_four(throws: set[int]) -> float:
    """Return the percentage of turns of four throws that reach one of these throws with perfect keeps."""
    wanted = np.array([hand in throws for hand in range(dice.FIRST_THROW, len(dice.HANDS))], dtype=np.int64)
    return round(100 * int(keep_values(wanted, 4)[3][0]) / THROW_SCALE**4, 1)


@pytest.mark.parametrize(
    ("mark", "without", "with_five"),
    [
        ("O", 91.7, 91.7),
        ("G", 70.8, 71.0),
        ("Y", 43.8, 44.6),
        ("B", 35.9, 37.0),
        ("P", 13.1, 16.9),
        ("R", 8.4, 13.8),
        ("*", 75.9, 75.9),
        ("#", 39.0, 39.4),
    ],
)
def test_the_chance_to_fill_a_square(mark: str, without: float, with_five: float) -> None:
    """Four throws, first without and then with five of a kind; all squares of a zone have the same chance."""
    board = spexxx_ruleset(2)
    for place in [place for place, square_mark in enumerate(board.marks) if square_mark == mark][::7]:
        matching = {
            throw
            for throw, match in enumerate(board.matching_squares, start=dice.FIRST_THROW)
            if match >> place & 1
        }
        assert (chance_within_four(matching - FIVE_OF_A_KIND), chance_within_four(matching)) == (
            without,
            with_five,
        )


def test_the_chance_of_five_of_a_kind() -> None:
    assert chance_within_four(FIVE_OF_A_KIND) == 10.1


class SampleMeans(NamedTuple):
    """Means per seat and game, over games of equal players."""

    score: float
    discards: float
    """Mean per game, over all seats together."""
    blocks: float


@cache
def play_sample(players: int, potential: int | None, games: int = 60) -> SampleMeans:
    """Return the figures of some games of `greedy` with this potential, or of random players if it is None."""
    decide: Callable[[SpexxxState, Source], int]
    decide = read_player(GAME, "random").decide if potential is None else greedy(potential)
    start = start_state(spexxx_ruleset(players))
    deciders = [decide] * players
    ends = [play_out(start, deciders, Luck(1, block))[0] for block in range(games)]  # type: ignore[arg-type]  # decides in this game only
    seats = [seat for end in ends for seat in end.seats]
    return SampleMeans(
        statistics.mean(seat.score for seat in seats),
        sum(seat.discards for seat in seats) / games,
        sum(seat.blocks for seat in seats) / games,
    )


# Tolerances: three standard errors of the difference of two samples of 60 games; the standard deviation of a seat's
# score is 63, 49, 40 with the potential, 50, 35, 25 without, and 11 at random.


@pytest.mark.parametrize(
    ("players", "score", "within"),
    [
        pytest.param(2, 233, 25, marks=pytest.mark.slow),
        pytest.param(3, 139, 16, marks=pytest.mark.slow),
        pytest.param(4, 110, 11, marks=pytest.mark.slow),
    ],
)
def test_greedy_scores_like_the_prototypes(players: int, score: float, within: float) -> None:
    assert play_sample(players, 3).score == pytest.approx(score, abs=within)


@pytest.mark.slow
def test_greedy_hardly_discards_and_gets_a_block_about_once_a_game() -> None:
    assert play_sample(2, 3).discards < 0.1
    assert 0.6 < play_sample(2, 3).blocks < 1.5


def test_random_players_score_about_twenty() -> None:
    assert play_sample(2, None).score == pytest.approx(20, abs=4)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("players", "score", "within", "discards"), [(2, 135, 20, 0.2), (3, 70, 11, 0.5), (4, 48, 7, 1.0)]
)
def test_players_without_potential_score_half(
    players: int, score: float, within: float, discards: float
) -> None:
    assert play_sample(players, 0).score == pytest.approx(score, abs=within)
    assert play_sample(players, 0).discards == pytest.approx(discards, abs=0.6)


@pytest.mark.slow
@pytest.mark.parametrize(("players", "score", "within"), [(2, 259, 26), (3, 154, 15), (4, 112, 12)])
def test_more_weight_on_the_potential_scores_a_little_more(players: int, score: float, within: float) -> None:
    assert play_sample(players, 10).score == pytest.approx(score, abs=within)
