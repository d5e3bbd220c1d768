"""Rulesets, seatings and games that tests of several games need, and the comparison of a batch with the plain rules."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pytest

from engine import games
from engine.actions import CHANCE
from engine.catalogue import Catalogue
from engine.errors import InvalidError
from engine.kernels.loader import find_kernel
from engine.luck import Luck
from engine.play import play_out, replay_actions
from engine.strategies import read_player
from pipelines.design.lineups import pair_duel_seatings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from engine.kernels.contract import Kernel
    from engine.kernels.results import Batch
    from engine.ruleset import Ruleset
    from engine.state import State
    from engine.strategy import Player

R = TypeVar("R", bound="Ruleset")
S = TypeVar("S")


@cache
def read_shipped(name: str) -> Ruleset:
    return Catalogue().find_ruleset(name)


def find_shipped(kind: type[R], name: str) -> R:
    """Return a shipped ruleset, which is of this class."""
    ruleset = read_shipped(name)
    assert isinstance(ruleset, kind)
    return ruleset


def compiled_kernel(ruleset: Ruleset) -> Kernel:
    kernel = find_kernel(ruleset)
    if kernel is None:
        pytest.skip("nothing can be compiled here")
    return kernel


def make_seating(ruleset: Ruleset, *names: str) -> list[Player]:
    """Return players for all seats that use these strategies in turn."""
    game = games.find_game(ruleset.game)
    return [read_player(game, names[seat % len(names)]) for seat in range(ruleset.players)]


def duel_advantages(
    compiled: Kernel, player: Player, opponent: Player, seed: int, blocks: range
) -> NDArray[np.float64]:
    """Return the advantage of a player over an opponent in each block, (blocks,), in points.

    In a duel each sits alone against the other on every seat. The advantage is the mean score of the player's seats minus
    that of the opponent's, averaged over the games; it has the opposite sign where the lowest score wins.
    """
    seats = compiled.ruleset.players
    is_player = np.array(pair_duel_seatings(1, 0, seats)) == 1
    seatings = [[player if wanted else opponent for wanted in row] for row in is_player]
    batch = compiled.play(seatings, seed, blocks, logged=False)
    scores = batch.scores.reshape(len(blocks), len(is_player), seats)
    mean_player = (scores * is_player).sum(axis=2) / is_player.sum(axis=1)
    mean_opponent = (scores * ~is_player).sum(axis=2) / (~is_player).sum(axis=1)
    sign = -1 if compiled.ruleset.lowest_wins else 1
    advantages: NDArray[np.float64] = (mean_player - mean_opponent).mean(axis=1) * sign
    return advantages


def perft(state: State, depth: int) -> int:
    """Return the number of action sequences of a length: the usual check that two implementations of rules agree."""
    if depth == 0:
        return 1
    if depth == 1:
        return len(state.actions)
    return sum(perft(state.play(action), depth - 1) for action in state.actions)


def play_notations(state: S, *notations: str) -> S:
    """Play actions by their notations from a state."""
    played: Any = state
    for notation in notations:
        played = played.play(played.ruleset.read_action(notation))
    end: S = played
    return end


def legal_notations(state: Any) -> list[str]:  # noqa: ANN401 - the state of any game
    return [state.ruleset.action(action).notation for action in state.actions]


def check_games(
    batch: Batch, ruleset: Ruleset, players: Sequence[Player], seed: int, first_block: int = 0
) -> None:
    """Check that every ply and every result of a batch are those of the plain rules, a game for each block."""
    assert batch.log is not None
    row = 0
    for game in range(len(batch.plies)):
        luck = Luck(seed, first_block + game)
        end, plies = play_out(games.start_state(ruleset), [player.decide for player in players], luck)
        rows = slice(row, row + len(plies))
        assert batch.log.action[rows].tolist() == [ply.action for ply in plies]
        assert batch.log.options[rows].tolist() == [
            -1 if ply.seat == CHANCE else ply.options for ply in plies
        ]
        assert batch.log.score[rows].tolist() == [ply.score or 0 for ply in plies]
        assert batch.scores[game].tolist() == list(end.scores)
        assert batch.ranks[game].tolist() == list(end.ranks)
        assert batch.counts[game].tolist() == [[part.count for part in parts] for parts in end.parts]
        assert batch.points[game].tolist() == [[part.points for part in parts] for parts in end.parts]
        row += len(plies)
    assert row == len(batch.log.action)


def check_positions(kernel: Kernel, ruleset: Ruleset, seed: int) -> None:
    """Check legal actions at each position of a random game, packed from the plain rules and reached by the kernel's plies."""
    players = make_seating(ruleset, "random")
    _, plies = play_out(games.start_state(ruleset), [player.decide for player in players], Luck(seed, 0))
    actions = [ply.action for ply in plies]
    reached = kernel.pack(games.start_state(ruleset))
    for ply, state in enumerate(replay_actions(games.start_state(ruleset), actions)):
        packed, again = kernel.pack(state), kernel.unpack(reached)
        assert kernel.actions(packed).tolist() == kernel.actions(reached).tolist() == list(state.actions)
        assert (again.seat, again.round, again.scores, again.is_over) == (
            state.seat,
            state.round,
            state.scores,
            state.is_over,
        )
        assert again == state
        if not state.is_over:
            after = kernel.apply_action(reached, actions[ply])
            if ply % 7 == 0:
                assert kernel.unpack(packed) == kernel.unpack(reached) == state  # it stays as it was
            reached = after


def reason_of_refusal(kind: type[Ruleset], document: dict[str, Any]) -> str:
    """Return why a class of rulesets refuses a document, in one line."""
    with pytest.raises(InvalidError) as error:
        kind.from_document(document, "my.toml")
    assert "\n" not in str(error.value)
    assert str(error.value).startswith("my.toml: ")
    return str(error.value)
