"""Exact counts of BLOXX! and figures from an independent prototype."""

from __future__ import annotations

import statistics

import pytest

from engine.catalogue import Catalogue
from engine.games.bloxx import GAME
from engine.games.bloxx.rules import BloxxState, Sheet, start_state
from engine.games.bloxx.ruleset import BloxxRuleset
from engine.luck import Luck
from engine.play import play_out
from engine.strategies import read_player
from tests.engine.playing import perft, play_notations

CONTACTS = {"drop": "bloxx", "touch": "bloxx-touch", "rest": "bloxx-rest"}


def bloxx_ruleset(contact: str, players: int) -> BloxxRuleset:
    ruleset = Catalogue().find_ruleset(f"{CONTACTS[contact]}-{players}p")
    assert isinstance(ruleset, BloxxRuleset)
    return ruleset


def play_from_start(contact: str, *notations: str) -> BloxxState:
    return play_notations(start_state(bloxx_ruleset(contact, 2)), *notations)


def placement_counts(state: BloxxState) -> tuple[int, int]:
    """Return the numbers of legal placements with die A and with die B."""
    notations = [state.ruleset.action(action).notation for action in state.actions]
    return sum(n.startswith("A") for n in notations), sum(n.startswith("B") for n in notations)


@pytest.mark.parametrize("contact", CONTACTS)
def test_first_placements_with_circle_and_with_cross(contact: str) -> None:
    state = start_state(bloxx_ruleset(contact, 2))
    counts = {
        name: tuple(
            len(state.legal_placements(Sheet(), die, face, circled=circled)) for circled in (True, False)
        )
        for die, names in enumerate(state.ruleset.face_names)
        for face, name in enumerate(names)
    }
    assert counts == {
        "I2": (26, 13),
        "V3": (48, 24),
        "I3": (12, 12),
        "O4": (24, 6),
        "T4": (22, 22),
        "S4": (44, 22),
        "I4": (22, 11),
        "L4": (44, 44),
        "P5": (44, 44),
        "U5": (22, 22),
        "V5": (20, 20),
        "L5": (40, 40),
    }
    assert sum(count for count, _ in list(counts.values())[:6]) == 176
    assert sum(count for count, _ in list(counts.values())[6:]) == 192


def test_the_sheet_has_23_numbers_of_65_in_all() -> None:
    numbers = [number for _, number in bloxx_ruleset("drop", 2).numbered_squares]
    assert (len(numbers), sum(numbers)) == (23, 65)


OPENING = ("I3 I4", "A:d1,d2o,d3", "B:a1,b1,c1o,d1")


@pytest.mark.parametrize(
    ("roll", "drop", "touch", "rest"),
    [
        ("I2 L4", (20, 38), (20, 38), (16, 31)),
        ("O4 P5", (20, 38), (20, 38), (16, 32)),
        ("T4 V5", (18, 18), (18, 18), (16, 14)),
    ],
)
def test_placements_on_a_row_of_four(
    roll: str, drop: tuple[int, int], touch: tuple[int, int], rest: tuple[int, int]
) -> None:
    for contact, expected in (("drop", drop), ("touch", touch), ("rest", rest)):
        assert placement_counts(play_from_start(contact, *OPENING, roll)) == expected


@pytest.mark.parametrize(
    ("roll", "drop", "touch", "rest"),
    [
        ("I2 L4", (7, 36), (15, 64), (3, 20)),
        ("O4 P5", (4, 36), (8, 64), (2, 20)),
        ("T4 V5", (18, 20), (30, 34), (10, 12)),
    ],
)
def test_placements_beside_a_tower_when_die_a_is_taken(
    roll: str, drop: tuple[int, int], touch: tuple[int, int], rest: tuple[int, int]
) -> None:
    for contact, expected in (("drop", drop), ("touch", touch), ("rest", rest)):
        state = play_from_start(contact, *OPENING, roll)
        taken = next(action for action in state.actions if state.ruleset.action(action).die == "A")
        assert placement_counts(state.play(taken)) == expected


@pytest.mark.parametrize(("contact", "count"), [("drop", 36), ("touch", 36), ("rest", 36)])
def test_perft_starts_with_36_rolls_and_2208_first_placements(contact: str, count: int) -> None:
    """Every face of a die is rolled with six faces of the other: 6 x (176 + 192) placements."""
    state = start_state(bloxx_ruleset(contact, 2))
    assert [perft(state, depth) for depth in (0, 1, 2)] == [1, count, 6 * (176 + 192)]


def score_statistics(contact: str, players: int, strategy: str, games: int) -> tuple[float, float, float]:
    """Return the mean score of a seat, its standard error over games, and the mean number of turns."""
    rules = bloxx_ruleset(contact, players)
    decide = read_player(GAME, strategy).decide
    means, turns = [], []
    for block in range(games):
        end, plies = play_out(start_state(rules), [decide] * players, Luck(20181, block))
        means.append(statistics.mean(end.scores))
        turns.append(plies[-1].round + 1)
    return statistics.mean(means), statistics.stdev(means) / games**0.5, statistics.mean(turns)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("contact", "players", "strategy", "published"),
    [
        ("drop", 2, "greedy", 41),
        ("drop", 3, "greedy", 37),
        ("drop", 4, "greedy", 34),
        ("touch", 2, "greedy", 42),
        ("touch", 3, "greedy", 36),
        ("touch", 4, "greedy", 34),
        ("rest", 2, "greedy", -18),
        ("rest", 3, "greedy", -21),
        ("rest", 4, "greedy", -23),
        ("drop", 2, "random", -25),
        ("drop", 3, "random", -27),
        ("drop", 4, "random", -29),
    ],
)
def test_mean_scores_agree_with_an_independent_prototype(
    contact: str, players: int, strategy: str, published: float
) -> None:
    """The tolerance is four standard errors of the difference to the prototype's 200 games, plus its rounding."""
    mean, error, _ = score_statistics(contact, players, strategy, 120)
    assert abs(mean - published) < 4 * error * (1 + 120 / 200) ** 0.5 + 0.5


@pytest.mark.slow
@pytest.mark.parametrize(("players", "published"), [(2, 18), (3, 17), (4, 17)])
def test_greedy_games_last_17_to_18_turns(players: int, published: float) -> None:
    assert abs(score_statistics("drop", players, "greedy", 120)[2] - published) < 0.9
