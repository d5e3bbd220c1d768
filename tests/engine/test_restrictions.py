"""Restricted play: a restricted player never does what is forbidden, and the kernel plays the games of the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from engine import games
from engine.actions import CHANCE
from engine.kernels.loader import find_kernel
from engine.luck import Luck
from engine.play import play_out
from engine.strategies import read_player

if TYPE_CHECKING:
    from engine.actions import Action
    from engine.catalogue import Catalogue

NAMES = {
    "bloxx-3p": ["die A", "shape I2", "shape O4", "die B", "shape I4", "shape P5"],
    "blokus-dice-3p": ["strikes", *(f"shape {name}" for name in ("I1", "V3", "O4", "I5", "X5"))],
    "blokus-duo": [f"piece {name}" for name in ("I1", "V3", "O4", "I5", "X5")],
    "spexxx-3p": ["last throw", "3 of 4 throws"],
}


def is_forbidden(restriction: str, action: Action) -> bool:
    """Return whether a placement is what a restriction forbids, by its text."""
    kind, _, what = restriction.partition(" ")
    if kind == "die":
        return action.notation.startswith(f"{what}:")
    return "!" in action.notation if kind == "strikes" else action.piece == what


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("style", ["greedy", "random"])
def test_kernel_and_rules_play_the_same_restricted_games(name: str, style: str, catalogue: Catalogue) -> None:
    ruleset = catalogue.find_ruleset(name)
    game, kernel = games.find_game(ruleset.game), find_kernel(ruleset)
    assert kernel is not None
    restrictions = game.restrictions(ruleset)
    assert [one.name for one in restrictions] == NAMES[name]
    player, changed = read_player(game, style), 0
    free, _ = play_out(games.start_state(ruleset), [player.decide] * ruleset.players, Luck(7, 1))
    for number, restriction in enumerate(restrictions):
        seat = number % ruleset.players
        start = restriction.restrict(games.start_state(ruleset), seat)
        assert kernel.unpack(kernel.pack(start)) == start
        end, plies = play_out(start, [player.decide] * ruleset.players, Luck(7, 1))
        changed += end.scores != free.scores
        batch = kernel.play([[player] * ruleset.players], 7, [1], start=kernel.pack(start), logged=True)
        assert batch.log is not None
        columns = [np.array([getattr(ply, key) for ply in plies]) for key in ("seat", "action")]
        assert (batch.log.seat == columns[0]).all()
        assert (batch.log.action == columns[1]).all()
        decided = batch.log.seat != CHANCE
        for key in ("options", "score"):
            assert getattr(batch.log, key)[decided].tolist() == [
                getattr(ply, key) for ply in plies if ply.seat != CHANCE
            ]
        assert tuple(batch.scores[0]) == end.scores
        assert tuple(batch.ranks[0]) == end.ranks
        own = [ruleset.action(ply.action) for ply in plies if ply.seat == seat]
        assert not any(is_forbidden(restriction.name, action) for action in own)
    assert changed


def test_a_restricted_player_of_spexxx_throws_fewer_times(catalogue: Catalogue) -> None:
    ruleset = catalogue.find_ruleset("spexxx-3p")
    game = games.find_game(ruleset.game)
    decide = read_player(game, "greedy").decide
    for restriction, most in zip(game.restrictions(ruleset), (3, 1), strict=True):
        start = restriction.restrict(games.start_state(ruleset), 1)
        _, plies = play_out(start, [decide] * 3, Luck(3, 0))
        for seat, expected in ((0, 4), (1, most)):
            counts = [
                sum(
                    ply.seat == seat and ruleset.action(ply.action).kind == "keep"
                    for ply in plies
                    if ply.round == round_
                )
                for round_ in range(plies[-1].round + 1)
            ]
            assert max(counts) + 1 == expected
