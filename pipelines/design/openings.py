"""Openings: random plies at the start of a block, the same for every seating.

In a game without chance, two deterministic strategies play the same game in every block, so a thousand blocks tell no
more than one. A few random plies at the start make the games of the blocks different.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from engine import games
from engine.actions import CHANCE
from engine.kernels.results import PlyLog, join_batches
from engine.luck import PURPOSE_OPENING, Luck
from engine.play import DecisionCounter, Ply, play_action, play_out
from engine.strategies import read_player

if TYPE_CHECKING:
    from engine.kernels.contract import Kernel
    from engine.kernels.results import Batch, IntArray
    from engine.ruleset import Ruleset
    from engine.state import State
    from engine.strategy import Player


def has_chance(ruleset: Ruleset) -> bool:
    """Return whether the game has chance events, such as dice."""
    return any(ply.seat == CHANCE for ply in _play_sample_game(ruleset))


def opening_plies_needed(ruleset: Ruleset) -> int:
    """Return the length of the opening that a ruleset needs: the plies of the first round, or 0 if it has chance."""
    return 0 if has_chance(ruleset) else sum(ply.round == 0 for ply in _play_sample_game(ruleset))


def decisions_per_game(ruleset: Ruleset) -> int:
    """Return the number of decisions of a sample game."""
    return sum(ply.seat != CHANCE for ply in _play_sample_game(ruleset))


@lru_cache(maxsize=64)
def _play_sample_game(ruleset: Ruleset) -> tuple[Ply, ...]:
    """Play one random game. A ruleset has chance if chance acts in this game."""
    decide = read_player(games.find_game(ruleset.game), "random").decide
    return tuple(play_out(games.start_state(ruleset), [decide] * ruleset.players, Luck(0, 0))[1])


def play_opening(ruleset: Ruleset, luck: Luck, length: int) -> tuple[State, list[Ply]]:
    """Play the opening of a block: `length` random decisions; events of chance are played but not counted.

    Each decision is drawn from the legal actions by the luck of the purpose `PURPOSE_OPENING`.
    """
    state, plies, decisions = games.start_state(ruleset), list[Ply](), DecisionCounter()
    while length and not state.is_over:
        if state.seat == CHANCE:
            action = state.chance_outcome(luck)
        else:
            legal, number = state.actions, decisions.next_number(state)
            action = legal[luck.below(len(legal), PURPOSE_OPENING, state.round, state.seat, number)]
            length -= 1
        state = play_action(state, action, plies)
    return state, plies


def play_with_opening(  # noqa: PLR0913 - the parameters of a batch and the length of the opening
    compiled: Kernel,
    seatings: Sequence[Sequence[Player]],
    seed: int,
    blocks: Sequence[int],
    length: int,
    *,
    logged: bool,
) -> Batch:
    """Play blocks with openings: the plain rules play the opening, the compiled game the rest."""
    openings, rest = [], []
    for block in blocks:
        state, plies = play_opening(compiled.ruleset, Luck(seed, block), length)
        openings += [plies] * len(seatings)
        rest.append(compiled.play(seatings, seed, [block], start=compiled.pack(state), logged=logged))
    return prepend_openings(join_batches(rest), openings)


def prepend_openings(batch: Batch, openings: Sequence[Sequence[Ply]]) -> Batch:
    """Return a batch with the opening plies of every game added at its front."""
    lengths = np.array([len(plies) for plies in openings], np.int32)
    log = None if batch.log is None else _prepend_logged_openings(batch.log, batch.plies, openings, lengths)
    return replace(batch, plies=batch.plies + lengths, log=log)


def _prepend_logged_openings(
    log: PlyLog, plies: IntArray, openings: Sequence[Sequence[Ply]], lengths: IntArray
) -> PlyLog:
    """Return a log with the opening plies of every game added at its front."""
    starts = np.repeat(np.cumsum(plies) - plies, lengths)
    rows = [ply for opening in openings for ply in opening]
    columns = {}
    for field, nothing in (("round", 0), ("seat", 0), ("action", 0), ("options", -1), ("score", 0)):
        played = getattr(log, field)
        first = [nothing if (value := getattr(ply, field)) is None else value for ply in rows]
        columns[field] = np.insert(played, starts, np.array(first, played.dtype))
    return PlyLog(**columns)
