"""A kernel and the plain rules are two implementations of one game: they agree at every ply of random games."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given
from hypothesis import strategies as st

from engine import games
from engine.kernels.loader import find_kernel
from engine.luck import Luck
from engine.play import play_out, replay_actions
from tests.engine.every_ruleset import RULESETS, CheckList, RulesetCheck, changed_rulesets, seeds
from tests.engine.playing import check_positions, compiled_kernel, make_seating
from tests.examples import scale_examples

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from engine.kernels.results import Batch
    from engine.play import Ply
    from engine.ruleset import Ruleset
    from engine.state import State
    from engine.strategy import Player

HAS_KERNEL = {
    name: (Path(games.__path__[0]) / name.replace("-", "_") / "kernel" / "batches.py").is_file()
    for name in games.game_names()
}
CHECKS = CheckList(ruleset for ruleset in RULESETS.values() if HAS_KERNEL[ruleset.game])
pytestmark = pytest.mark.skipif(
    os.environ.get("REROLL_KERNELS") == "0", reason="REROLL_KERNELS=0 disables the kernels"
)


def play_by_rules(state: State, players: Sequence[Player], seed: int, block: int) -> tuple[State, list[Ply]]:
    return play_out(state, [player.decide for player in players], Luck(seed, block))


def check_equal(batch: Batch, game: int, end: State, plies: list[Ply]) -> None:
    """Check that a game of a batch is equal to the given game of the plain rules."""
    assert batch.log is not None
    first = int(batch.plies[:game].sum())
    rows = slice(first, first + len(plies))
    assert int(batch.plies[game]) == len(plies)
    assert int(batch.rounds[game]) == plies[-1].round + 1
    assert batch.log.action[rows].tolist() == [ply.action for ply in plies]
    assert batch.log.round[rows].tolist() == [ply.round for ply in plies]
    assert batch.log.seat[rows].tolist() == [ply.seat for ply in plies]
    assert batch.log.options[rows].tolist() == [-1 if ply.options is None else ply.options for ply in plies]
    assert batch.log.score[rows].tolist() == [ply.score or 0 for ply in plies]
    assert batch.scores[game].tolist() == list(end.scores)
    assert batch.ranks[game].tolist() == list(end.ranks)
    assert batch.counts[game].tolist() == [[part.count for part in parts] for parts in end.parts]
    assert batch.points[game].tolist() == [[part.points for part in parts] for parts in end.parts]


@pytest.mark.parametrize("ruleset", CHECKS.rulesets, ids=lambda ruleset: ruleset.name)
def test_a_game_that_has_a_kernel_plays_every_shipped_ruleset_with_it(ruleset: Ruleset) -> None:
    assert find_kernel(ruleset) is not None


def test_a_game_without_a_kernel_is_played_by_the_rules() -> None:
    for ruleset in RULESETS.values():
        if not HAS_KERNEL[ruleset.game]:
            assert find_kernel(ruleset) is None


@CHECKS.drawn(names=st.sampled_from([("random",), ("greedy",), ("greedy", "random")]))
def test_the_same_seed_gives_the_same_games(ruleset: Ruleset, names: tuple[str, ...]) -> None:
    both = [make_seating(ruleset, *names), make_seating(ruleset, *reversed(names))]
    batch = compiled_kernel(ruleset).play(both, 2**63 + 11, range(5, 8), logged=True)
    assert len(batch.plies) == 6
    assert batch.log is not None
    assert len(batch.log.action) == int(batch.plies.sum())
    for game in range(6):
        check_equal(
            batch, game, *play_by_rules(games.start_state(ruleset), both[game % 2], 2**63 + 11, 5 + game // 2)
        )


@scale_examples(0.2, list(HealthCheck))
@given(ruleset=changed_rulesets(CHECKS.rulesets), name=st.sampled_from(["random", "greedy", "noisy"]))
def test_the_same_seed_gives_the_same_games_with_other_options(ruleset: Ruleset, name: str) -> None:
    kernel = find_kernel(ruleset)
    assume(kernel)
    assert kernel is not None
    seated = make_seating(ruleset, name)
    batch = kernel.play([seated], 5, range(2), logged=True)
    for block in range(2):
        check_equal(batch, block, *play_by_rules(games.start_state(ruleset), seated, 5, block))


@pytest.mark.parametrize("penalty", range(5))
def test_players_agree_on_what_a_gap_costs(penalty: int) -> None:
    """Choices of `greedy` depend on the penalty in the plain rules and in the kernel."""
    base = RULESETS["bloxx-2p"]
    ruleset = type(base).from_document(
        {**base.document, "options": {**base.document["options"], "gap_penalty": penalty}}, "my.toml"
    )
    for name in ("greedy", "noisy"):
        seated = make_seating(ruleset, name)
        batch = compiled_kernel(ruleset).play([seated], 6, range(3), logged=True)
        for block in range(3):
            check_equal(batch, block, *play_by_rules(games.start_state(ruleset), seated, 6, block))


@CHECKS.drawn()
def test_a_game_is_the_same_with_and_without_a_log(ruleset: Ruleset) -> None:
    seated = [make_seating(ruleset, "greedy", "random")]
    logged = compiled_kernel(ruleset).play(seated, 3, range(4), logged=True)
    bare = compiled_kernel(ruleset).play(seated, 3, range(4), logged=False)
    assert bare.log is None
    for name in ("rounds", "plies", "scores", "ranks", "counts", "points"):
        assert np.array_equal(getattr(logged, name), getattr(bare, name))


@CHECKS.drawn(seed=seeds)
def test_legal_actions_agree_at_every_ply(ruleset: Ruleset, seed: int) -> None:
    check_positions(compiled_kernel(ruleset), ruleset, seed)


@CHECKS.drawn(seed=seeds, share=st.floats(0, 1))
def test_playing_on_from_a_position_gives_the_same_games(ruleset: Ruleset, seed: int, share: float) -> None:
    _, plies = play_by_rules(games.start_state(ruleset), make_seating(ruleset, "random"), seed, 0)
    *_, state = replay_actions(
        games.start_state(ruleset), [ply.action for ply in plies[: int(share * (len(plies) - 1))]]
    )
    seated = make_seating(ruleset, "greedy", "random")
    kernel = compiled_kernel(ruleset)
    batch = kernel.play([seated], seed, range(2, 5), start=kernel.pack(state), logged=True)
    for game in range(3):
        check_equal(batch, game, *play_by_rules(state, seated, seed, 2 + game))


@CHECKS.drawn()
def test_a_position_reached_by_the_kernel_plays_like_one_of_the_plain_rules(ruleset: Ruleset) -> None:
    """Playing on from a position must not change it."""

    def position_arrays(packed: object) -> list[NDArray[Any]]:
        parts = packed if isinstance(packed, tuple) else ()
        return [
            array
            for part in parts
            for array in (position_arrays(part) if isinstance(part, tuple) else [np.array(part)])
        ]

    kernel = compiled_kernel(ruleset)
    seated = make_seating(ruleset, "noisy", "greedy")
    _, plies = play_by_rules(games.start_state(ruleset), make_seating(ruleset, "random"), 4, 0)
    actions = [ply.action for ply in plies]
    carried = kernel.pack(games.start_state(ruleset))
    for number, state in enumerate(replay_actions(games.start_state(ruleset), actions)):
        before = position_arrays(carried)
        batch = kernel.play([seated], 5, range(3), start=carried, logged=False)
        assert all(np.array_equal(a, b) for a, b in zip(before, position_arrays(carried), strict=True))
        if number % 7 == 0 or state.is_over:
            again = kernel.play([seated], 5, range(3), start=kernel.pack(state), logged=False)
            assert batch.scores.tolist() == again.scores.tolist()
            assert batch.ranks.tolist() == again.ranks.tolist()
            assert kernel.unpack(carried) == state
        if not state.is_over:
            carried = kernel.apply_action(carried, actions[number])


@CHECKS.drawn()
def test_forty_random_games_have_the_same_results(ruleset: Ruleset) -> None:
    """Results of many games, without their plies."""
    seated = make_seating(ruleset, "random")
    batch = compiled_kernel(ruleset).play([seated], 77, range(40), logged=False)
    for block in range(40):
        end, plies = play_by_rules(games.start_state(ruleset), seated, 77, block)
        assert batch.scores[block].tolist() == list(end.scores)
        assert int(batch.plies[block]) == len(plies)


@CHECKS.drawn()
def test_a_game_does_not_depend_on_the_others_of_its_batch(ruleset: Ruleset) -> None:
    """Seventeen blocks are two full sets of lanes and one more game; two seatings alternate, in one call and in many."""
    kernel = compiled_kernel(ruleset)
    both = [make_seating(ruleset, "greedy", "random"), make_seating(ruleset, "random")]
    whole = kernel.play(both, 9, range(100, 117), logged=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(kernel), "games_per_call", 16)
        pieces = kernel.play(both, 9, range(100, 117), logged=True)
    assert whole.log is not None
    assert pieces.log is not None
    for name in ("round", "seat", "action", "options", "score"):
        in_one, in_many = getattr(whole.log, name), getattr(pieces.log, name)
        assert in_one.dtype == in_many.dtype
        assert np.array_equal(in_one, in_many)
    row = 0
    for game in range(34):
        alone = kernel.play([both[game % 2]], 9, range(100 + game // 2, 101 + game // 2), logged=True)
        assert alone.log is not None
        rows = slice(row, row + int(alone.plies[0]))
        row = rows.stop
        assert np.array_equal(whole.log.action[rows], alone.log.action)
        assert whole.scores[game].tolist() == pieces.scores[game].tolist() == alone.scores[0].tolist()
    assert row == len(whole.log.action)


@CHECKS.drawn()
def test_without_blocks_no_games_are_played(ruleset: Ruleset) -> None:
    batch = compiled_kernel(ruleset).play([make_seating(ruleset, "greedy")], 4, range(0), logged=True)
    assert batch.scores.shape == (0, ruleset.players)
    assert batch.log is not None
    assert not len(batch.plies)
    assert not len(batch.log.action)


@CHECKS.drawn()
def test_no_plies_are_played_from_the_end_of_a_game(ruleset: Ruleset) -> None:
    seated = make_seating(ruleset, "random")
    end, plies = play_by_rules(games.start_state(ruleset), seated, 9, 9)
    kernel = compiled_kernel(ruleset)
    batch = kernel.play([seated], 1, range(2), start=kernel.pack(end), logged=True)
    assert batch.plies.tolist() == [0, 0]
    assert batch.rounds.tolist() == [plies[-1].round + 1] * 2
    assert batch.scores.tolist() == [list(end.scores)] * 2
    assert batch.ranks.tolist() == [list(end.ranks)] * 2


@pytest.mark.night
@pytest.mark.parametrize("ruleset", CHECKS.rulesets, ids=lambda ruleset: ruleset.name)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.check.__name__)
def test_every_check_holds_for_every_ruleset(check: RulesetCheck, ruleset: Ruleset) -> None:
    check.run_for(ruleset)
