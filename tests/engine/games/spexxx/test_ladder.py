"""The stronger strategies of Spexxx: each decides the same alone and in a batch, and beats the one before."""

from __future__ import annotations

import pytest

from engine.actions import CHANCE
from engine.catalogue import Catalogue
from engine.games.spexxx import GAME
from engine.games.spexxx.dice import FIRST_THROW
from engine.games.spexxx.rules import SpexxxState, start_state
from engine.games.spexxx.ruleset import DISCARD_ACTION, SpexxxRuleset
from engine.kernels.loader import can_compile_games
from engine.luck import Luck
from engine.play import play_out, replay_actions
from engine.strategies import read_player
from tests.engine.playing import check_games, compiled_kernel, make_seating

pytestmark = pytest.mark.skipif(not can_compile_games(), reason="no compiler is available")

SHIPPED_RULESETS = [rules for rules in Catalogue().rulesets.values() if isinstance(rules, SpexxxRuleset)]
SMALL_ROLLOUT = "rollout:playouts=16,candidates=2"


def spexxx_ruleset(players: int = 2, **options: object) -> SpexxxRuleset:
    document = Catalogue().find_ruleset(f"spexxx-{players}p").document
    return SpexxxRuleset.from_document({**document, "options": {**document["options"], **options}}, "test")


@pytest.mark.parametrize("rules", SHIPPED_RULESETS, ids=lambda rules: rules.name)
@pytest.mark.parametrize(
    "names", [("rollout", "noisy"), ("random", "builder", "greedy", "noisy")], ids="-".join
)
def test_single_decisions_equal_those_in_a_batch_for_every_shipped_ruleset(
    rules: SpexxxRuleset, names: tuple[str, ...]
) -> None:
    """All strategies play together; each decides in the batch as it does when the plain rules ask it."""
    players = make_seating(rules, *(SMALL_ROLLOUT if name == "rollout" else name for name in names))
    check_games(compiled_kernel(rules).play([players], 5, range(3, 4), logged=True), rules, players, 5, 3)


@pytest.mark.parametrize("throws", [1, 2])
def test_single_decisions_equal_those_in_a_batch_with_fewer_throws(throws: int) -> None:
    rules = spexxx_ruleset(3, throws=throws)
    players = make_seating(rules, SMALL_ROLLOUT, "builder", "noisy")
    check_games(compiled_kernel(rules).play([players], 6, range(1), logged=True), rules, players, 6, 0)


@pytest.mark.slow
@pytest.mark.parametrize("sigma", [0, 0.05, 5, 100])
def test_noisy_in_python_equals_noisy_in_the_kernel(sigma: float) -> None:
    """The games are equal byte for byte, for much smaller and greater errors than a square, in more games than lanes."""
    rules = spexxx_ruleset()
    players = make_seating(rules, f"noisy:sigma={sigma}")
    check_games(compiled_kernel(rules).play([players], 12, range(9), logged=True), rules, players, 12, 0)


def test_noisy_without_errors_is_greedy() -> None:
    rules = spexxx_ruleset(4)
    logs = [
        compiled_kernel(rules).play([make_seating(rules, name)], 3, range(8), logged=True).log
        for name in ("noisy:sigma=0", "greedy")
    ]
    assert logs[0] is not None
    assert logs[1] is not None
    assert logs[0].action.tolist() == logs[1].action.tolist()


def test_a_game_does_not_depend_on_the_other_games_of_its_batch() -> None:
    """Nine blocks fill all lanes and leave one game; two seatings alternate."""
    rules = spexxx_ruleset(2, cubes={"2": 6})
    both = [make_seating(rules, SMALL_ROLLOUT, "noisy"), make_seating(rules, "builder", SMALL_ROLLOUT)]
    whole = compiled_kernel(rules).play(both, 9, range(9), logged=True)
    assert whole.log is not None
    row = 0
    for game in range(18):
        alone = compiled_kernel(rules).play([both[game % 2]], 9, range(game // 2, game // 2 + 1), logged=True)
        assert alone.log is not None
        assert whole.log.action[row : row + len(alone.log.action)].tolist() == alone.log.action.tolist()
        row += len(alone.log.action)


@pytest.mark.parametrize("name", ["noisy", "builder", SMALL_ROLLOUT])
def test_a_turn_has_one_solution_for_all_of_its_decisions(name: str) -> None:
    """If a game is played on from any throw of a turn, the rest of the turn is that of the whole game."""
    rules = spexxx_ruleset(3)
    players = make_seating(rules, name)
    _, plies = play_out(start_state(rules), [player.decide for player in players], Luck(3, 0))
    states = list(replay_actions(start_state(rules), [ply.action for ply in plies]))
    middle = [n for n, state in enumerate(states) if state.round == 8 and state.seat != CHANCE][:6]
    assert len(middle) > 3
    for n in middle:
        rest = [ply.action for ply in plies[n:] if (ply.round, ply.seat) == (8, plies[n].seat)]
        kernel = compiled_kernel(rules)
        batch = kernel.play([players], 3, range(1), start=kernel.pack(states[n]), logged=True)
        assert batch.log is not None
        own = (batch.log.round == 8) & (batch.log.seat == plies[n].seat)
        assert batch.log.action[own].tolist() == rest


def test_imagined_games_do_not_know_the_real_dice() -> None:
    """The values of squares are fixed before the first throw, so the answer to a throw does not depend on later dice."""
    rules = spexxx_ruleset()
    player = read_player(GAME, "rollout:playouts=64,candidates=4")
    state = start_state(rules)
    for notation in ("1 1 1 1 1", "s1", "1 1 1 1 1", "t1", "1 2 2 3 5"):
        state = state.play(rules.read_action(notation))
    other = SpexxxState(rules, 1, 0, state.seats, state.free, 1, state.dice)
    assert other == state
    answers = {player.decide(state, Luck(6, block).source(1, 0, 0)) for block in range(12)}
    assert answers <= set(state.actions)
    assert player.decide(state, Luck(6, 1).source(1, 0, 0)) == player.decide(
        state, Luck(6, 1).source(1, 0, 0)
    )


def test_rollout_with_one_candidate_plays_like_builder() -> None:
    rules = spexxx_ruleset(4)
    logs = [
        compiled_kernel(rules).play([make_seating(rules, name)], 2, range(4), logged=True).log
        for name in ("rollout:candidates=1", "builder")
    ]
    assert logs[0] is not None
    assert logs[1] is not None
    assert logs[0].action.tolist() == logs[1].action.tolist()


def test_candidates_are_the_best_actions_of_the_solved_turn() -> None:
    """The best come first, and the action of `builder` before all; for throws and for the end of a turn."""
    rules = spexxx_ruleset()
    builder = read_player(GAME, "builder")
    _, plies = play_out(start_state(rules), [builder.decide] * 2, Luck(3, 0))
    for state, ply in zip(
        replay_actions(start_state(rules), [ply.action for ply in plies]), plies, strict=False
    ):
        if state.seat != CHANCE and ply.round % 4 == 0:
            best = compiled_kernel(rules).candidates(state, 5)
            assert len(best) == min(5, len(state.actions))
            assert set(best) <= set(state.actions)
            assert best[0] == ply.action


def test_builder_blocks_others_if_it_has_no_line_of_its_own() -> None:
    """Seat 1 has two red squares in a line; with five of a kind, seat 0 places its first cube at an end of them."""
    rules = spexxx_ruleset()
    state = start_state(rules)
    for notation in (
        "1 1 1 1 1",
        "b1",
        "1 1 1 1 1",
        "u2",
        "1 1 1 1 1",
        "q12",
        "1 1 1 1 1",
        "v2",
        "1 1 1 1 1",
    ):
        state = state.play(rules.read_action(notation))
    chosen = read_player(GAME, "builder:deny_now=0.8,deny_now_likely=1").decide(
        state, Luck(1, 0).source(2, 0, 0)
    )
    assert rules.action(chosen).notation in {"t2", "w2"}
    assert FIRST_THROW < DISCARD_ACTION < chosen
