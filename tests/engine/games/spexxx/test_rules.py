"""Tests of the clauses of Spexxx on turns, dice and squares, with positions reached by notation."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import replace

import pytest

from engine.actions import CHANCE
from engine.errors import IllegalError, InvalidError
from engine.games.spexxx import GAME
from engine.games.spexxx.dice import HANDS
from engine.games.spexxx.rules import SeatState, SpexxxState, start_state
from engine.games.spexxx.ruleset import SpexxxRuleset
from engine.luck import PURPOSE_DICE, Luck
from engine.notation import read_cell
from engine.play import play_out
from engine.strategies import read_player
from tests.engine.playing import find_shipped, play_notations

FIVE_ONES = "1 1 1 1 1"
"""SP-7: five of a kind allows every free square, so it can reach any position."""


def spexxx_ruleset(name: str = "spexxx-2p") -> SpexxxRuleset:
    return find_shipped(SpexxxRuleset, name)


def play_from_start(*notations: str) -> SpexxxState:
    return play_notations(start_state(spexxx_ruleset()), *notations)


def state_with_cubes(listed: str, to_come: str = "") -> SpexxxState:
    """Return a state with cubes of seat 0 on these squares, in this order, and others elsewhere; seat 0 throws next."""
    state = start_state(spexxx_ruleset())
    own, reserved = listed.split(), set(listed.split()) | set(to_come.split())
    spare = [
        square
        for square in legal_notations(play_notations(state, FIVE_ONES), "place")
        if square not in reserved
    ]
    for square in own:
        state = play_notations(state, FIVE_ONES, square)
        while state.thrower != 0:
            state = play_notations(state, FIVE_ONES, spare.pop())
    return state


def legal_notations(state: SpexxxState, *kinds: str) -> list[str]:
    actions = [state.ruleset.action(action) for action in state.actions]
    return [action.notation for action in actions if action.kind in kinds]


def ruleset_with_options(**options: object) -> SpexxxRuleset:
    document = spexxx_ruleset().document
    return SpexxxRuleset.from_document({**document, "options": {**document["options"], **options}}, "other")


@pytest.mark.parametrize(
    ("name", "cubes"),
    [
        ("spexxx-2p", 23),
        ("spexxx-3p", 18),
        ("spexxx-4p", 16),
        ("spexxx-children-2p", 12),
        ("spexxx-children-3p", 12),
        ("spexxx-children-4p", 10),
    ],
)
def test_sp_1_every_seat_has_its_cubes(name: str, cubes: int) -> None:
    assert [seat.left for seat in start_state(spexxx_ruleset(name)).seats] == [cubes] * spexxx_ruleset(
        name
    ).players


def test_sp_1_five_players_are_too_many() -> None:
    with pytest.raises(InvalidError, match="players: input should be less than or equal to 4, not 5"):
        SpexxxRuleset.from_document({**spexxx_ruleset().document, "players": 5}, "document")


def test_sp_2_a_turn_begins_with_a_throw_of_all_five_dice() -> None:
    state = start_state(spexxx_ruleset())
    assert state.seat == CHANCE
    assert len(state.actions) == 252
    assert math.isclose(
        dict(zip(state.actions, state.probabilities, strict=True))[read_action("1 2 2 5 6")], 60 / 6**5
    )


def read_action(notation: str) -> int:
    return spexxx_ruleset().read_action(notation)


def test_sp_2_any_dice_but_all_five_may_be_kept() -> None:
    keeps = legal_notations(play_from_start("1 1 1 2 2"), "keep")
    assert keeps == [*"012", "1 1", "1 2", "2 2", "1 1 1", "1 1 2", "1 2 2", "1 1 1 2", "1 1 2 2"]
    with pytest.raises(IllegalError):
        play_notations(play_from_start("1 1 1 2 2"), "1 1 1 1")


def test_sp_2_kept_dice_stay_while_the_others_are_thrown() -> None:
    state = play_from_start("1 2 2 5 6", "2 2")
    assert state.seat == CHANCE
    assert len(state.actions) == 56
    assert all(throw.count("2") >= 2 for throw in legal_notations(state, "throw"))
    odds = dict(zip(state.actions, state.probabilities, strict=True))
    assert math.isclose(odds[read_action("1 2 2 2 3")], 6 / 216)
    assert math.isclose(odds[read_action("2 2 2 2 2")], 1 / 216)
    with pytest.raises(IllegalError, match="round 1: action 1 2 3 4 5 is not legal here"):
        play_notations(state, "1 2 3 4 5")


def test_sp_2_dice_set_aside_earlier_may_be_thrown_again() -> None:
    state = play_from_start("1 2 2 5 6", "2 2", "2 2 4 4 4", "4 4 4", "3 4 4 4 6")
    assert "3 6" in legal_notations(state, "keep")


def test_sp_2_there_are_four_throws_at_most() -> None:
    state = play_from_start("1 2 2 5 6", "0", "1 2 2 5 6", "0", "1 2 2 5 6", "0", "1 2 2 5 6")
    assert state.throws == 4
    assert not legal_notations(state, "keep")
    assert legal_notations(state, "place")


def test_sp_2_fewer_throws_are_an_option() -> None:
    state = play_notations(start_state(ruleset_with_options(throws=1)), "1 2 2 5 6")
    assert not legal_notations(state, "keep")


def test_sp_2_each_thrown_die_has_luck_of_its_own() -> None:
    """The dice of throw t are the first base-six digits of word t of seat and round, whatever was kept."""
    luck = Luck(7, 3)
    state = play_notations(state_with_cubes("k7"), "1 2 2 5 6", "2 2")
    for throws in (1, 2, 3):
        number = luck.below(6**3, PURPOSE_DICE, 1, 0, throws)
        faces = [1 + number // 36, 1 + number // 6 % 6, 1 + number % 6]
        throw = state.chance_outcome(luck)
        assert HANDS[throw] == tuple(sorted((2, 2, *faces)))
        state = play_notations(state.play(throw), "2 2") if throws < 3 else state


@pytest.mark.parametrize("kept", ["0", "3", "2 2", "1 4 6", "5 5 5 5"])
def test_sp_2_throws_have_their_probabilities(kept: str) -> None:
    """Chi-square over 4,000 blocks, grouped by equal probability: it exceeds 45 once in ten million times."""
    state = play_notations(state_with_cubes("k7"), "1 2 2 5 6", "2 2")
    state = replace(state, dice=state.ruleset.read_action(kept))
    drawn = Counter(state.chance_outcome(Luck(11, block)) for block in range(4000))
    expected: defaultdict[float, float] = defaultdict(float)
    seen: Counter[float] = Counter()
    for throw, chance in zip(state.actions, state.probabilities, strict=True):
        expected[chance] += 4000 * chance
        seen[chance] += drawn.pop(throw, 0)
    assert not drawn
    assert sum((seen[kind] - expected[kind]) ** 2 / expected[kind] for kind in expected) < 45


def test_sp_2_every_face_of_every_die_is_equally_likely() -> None:
    """A single die in each of the four throws: chi-square exceeds 35 once in a million times."""
    state = play_notations(state_with_cubes("k7"), "1 2 2 5 6", "2 2")
    for throws in range(4):
        alone = replace(state, dice=state.ruleset.read_action("1 1 1 1"), throws=throws)
        drawn = Counter(alone.chance_outcome(Luck(12, block)) for block in range(3000))
        assert len(drawn) == 6
        assert sum((count - 500) ** 2 / 500 for count in drawn.values()) < 35


def test_sp_3_a_cube_goes_on_any_free_square_that_the_dice_match() -> None:
    state = play_from_start("1 1 2 2 2")
    assert legal_notations(state, "place") == ["b1", "h1", "n1", "g2", "h7", "n7"]
    after = play_notations(state, "h7")
    assert (after.seats[0].left, after.seats[1].left) == (22, 23)
    assert after.seats[0].cubes == 1 << read_cell("h7", 24, 12)


def test_sp_3_an_occupied_square_is_closed_to_all() -> None:
    state = play_notations(play_from_start("1 1 2 2 2"), "h7", "1 1 2 2 2")
    assert legal_notations(state, "place") == ["b1", "h1", "n1", "g2", "n7"]
    with pytest.raises(IllegalError, match="action h7 is not legal here"):
        play_notations(state, "h7")


def test_sp_3_after_the_cube_the_next_seat_throws() -> None:
    state = play_notations(start_state(spexxx_ruleset("spexxx-3p")), FIVE_ONES, "b1")
    assert (state.seat, state.thrower, state.throws, state.round) == (CHANCE, 1, 0, 0)
    assert play_notations(state, FIVE_ONES).seat == 1
    state = play_notations(state, FIVE_ONES, "c1", FIVE_ONES, "d1")
    assert (state.thrower, state.round) == (0, 1)


STUCK_THROWS = ("1 1 1 1 2", "1 1 1 1", "1 1 1 1 2", "1 1 1 1", "1 1 1 1 2", "1 1 1 1", "1 1 1 1 2")
"""Four throws that match four squares."""


def test_sp_4_a_seat_without_a_square_after_the_last_throw_discards_a_cube() -> None:
    state = play_notations(state_with_cubes("b1 g2 m2 s2"), *STUCK_THROWS)
    assert legal_notations(state, "keep", "place", "discard") == ["-"]
    after = play_notations(state, "-")
    assert after.seats[0].left == 23 - 5
    assert after.seats[0].discards == 1
    assert after.scores[0] == state.scores[0]
    assert after.free == state.free
    assert after.thrower == 1


def test_sp_4_a_seat_with_a_square_after_the_last_throw_must_place() -> None:
    state = play_notations(state_with_cubes("b1 g2 m2", "s2"), *STUCK_THROWS)
    assert legal_notations(state, "keep", "place", "discard") == ["s2"]
    with pytest.raises(IllegalError, match="action - is not legal here"):
        play_notations(state, "-")


def test_sp_4_before_the_last_throw_nobody_stops_without_a_square() -> None:
    state = play_notations(state_with_cubes("b1 g2 m2 s2"), "1 1 1 1 2")
    assert not legal_notations(state, "place", "discard")
    assert legal_notations(state, "keep")


@pytest.mark.parametrize(
    ("throw", "squares"),
    [
        ("1 1 1 2 4", "b1 d1 d2 g2 g4 m2 m4"),
        ("1 1 1 1 6", "f1 g6 m6 s6"),
        ("2 2 2 5 5", "e2 k2 h5 n5 k8 n11"),
    ],
)
def test_sp_5_a_square_needs_dice_of_two_numbers(throw: str, squares: str) -> None:
    assert sorted(legal_notations(play_from_start(throw), "place")) == sorted(squares.split())


def test_sp_5_there_is_no_square_where_the_frame_has_none() -> None:
    with pytest.raises(InvalidError, match="'a1' is not a square"):
        spexxx_ruleset().read_action("a1")


GOLD_SQUARES = {f"{column}{row}" for zone in ("ghijkl", "mnopqr") for row, column in enumerate(zone, start=1)}
SILVER_SQUARES = {f"{column}{row}" for row, column in enumerate("stuvwx", start=1)} | {
    f"{column}{row}" for row, column in enumerate("mnopqr", start=7)
}


def test_sp_6_four_in_a_row_opens_every_gold_square_and_no_silver_one() -> None:
    places = set(legal_notations(play_from_start("1 3 4 5 6"), "place"))
    assert places >= GOLD_SQUARES
    assert not places & SILVER_SQUARES


def test_sp_6_five_in_a_row_opens_gold_and_silver() -> None:
    assert set(legal_notations(play_from_start("2 3 4 5 6"), "place")) >= GOLD_SQUARES | SILVER_SQUARES


@pytest.mark.parametrize("throw", ["1 2 3 5 6", "1 1 1 3 3", "6 6 6 6 5"])
def test_sp_6_without_a_row_metal_is_closed(throw: str) -> None:
    ascending = " ".join(sorted(throw.split()))
    assert not set(legal_notations(play_from_start(ascending), "place")) & (GOLD_SQUARES | SILVER_SQUARES)


def test_sp_7_five_of_a_kind_opens_every_free_square() -> None:
    assert len(legal_notations(play_from_start("4 4 4 4 4"), "place")) == 174
    assert len(legal_notations(play_from_start("4 4 4 4 4", "r12", "6 6 6 6 6"), "place")) == 173


@pytest.mark.parametrize("name", ["spexxx-2p", "spexxx-3p", "spexxx-4p", "spexxx-children-3p"])
def test_sp_13_the_game_ends_when_all_cubes_are_placed_or_discarded(name: str) -> None:
    rules = spexxx_ruleset(name)
    end, plies = play_out(
        start_state(rules), [read_player(GAME, "random").decide] * rules.players, Luck(4, 0)
    )
    assert isinstance(end, SpexxxState)
    assert [seat.left for seat in end.seats] == [0] * rules.players
    for seat in end.seats:
        assert seat.cubes.bit_count() + seat.discards == rules.cubes
    assert {ply.round for ply in plies} == set(range(rules.cubes))
    assert end.is_over
    assert end.actions == ()


def test_sp_13_squares_are_free_or_have_one_cube() -> None:
    state = start_state(spexxx_ruleset("spexxx-4p"))
    source = Luck(1, 1).source(0, 0, 0)
    while not state.is_over:
        state = state.play(
            state.chance_outcome(Luck(8, 0)) if state.seat == CHANCE else source.choice(state.actions)
        )
        taken = [seat.cubes for seat in state.seats]
        assert sum(taken) + state.free == state.ruleset.squares


def test_sp_13_the_highest_score_wins_and_equal_scores_share() -> None:
    state = start_state(spexxx_ruleset("spexxx-3p"))
    state = replace(state, seats=(SeatState(0, score=7), SeatState(0, score=9), SeatState(0, score=9)))
    assert state.is_over
    assert state.ranks == (3, 1, 1)


def test_the_position_in_text() -> None:
    text = str(play_notations(state_with_cubes("k7 f1"), "1 2 2 5 6", "2 2")).splitlines()
    assert text[5] == "2x1  7        YYY1Y#PPPPP"
    assert text[11].startswith("1x1  1  OOOO1*GGGGG*BBBBB#RRR")
    assert text[12] == "       abcdefghijklmnopqrstuvwx"
    assert text[13] == "player 1: 0 points, 21 cubes left"
    assert text[-1] == "throw 1 of 4: 2 2 kept"
