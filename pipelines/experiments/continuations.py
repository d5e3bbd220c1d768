"""Continuations of a position: games that are played from it to the end, each with the luck of another block.

`BlockDealer` chooses the blocks so that the outcomes of the next roll occur in their true proportions.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from engine.kernels.loader import find_kernel
from engine.luck import Luck, philox
from engine.play import Ply, play_out
from pipelines.design.own_strategies import BUILT_IN_ONLY, OwnStrategies
from pipelines.simulate.checked_players import DecisionTimeout, DecisionTimer, DecisionTracker
from pipelines.statistics import win_shares

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.kernels.contract import Kernel
    from engine.state import State
    from pipelines.experiments.fork import Branch
    from pipelines.statistics.intervals import Floats, Integers

MAX_STRATA: Final = 64
"""If a roll has more outcomes than this, neighbouring outcomes form a stratum."""
MAX_TRIES_PER_BLOCK: Final = 50
"""Limit for the search for blocks: after this many tries for each block, any outcome is accepted. Otherwise very rare
outcomes would take too long."""

CONTINUATION_WORDS: Final = (0x636F_6E74, 0x696E_7565)
"""Two words, "continue" in ASCII, that keep the seeds of continuations apart from those of games."""


def continuation_seed(seed: int, number: int = 0) -> int:
    """Return the seed of the luck of continuations, for the seed that a person chose.

    The luck of games is keyed by (seed, block) itself. With the same seed, a continuation would therefore repeat the
    logged dice of the game of its block. `number` keeps the continuations of several positions apart; it has 32 bits.

    >>> continuation_seed(7) != 7, continuation_seed(7) == continuation_seed(7), continuation_seed(7) == continuation_seed(7, 1)
    (True, True, False)
    """
    high, low, *_ = philox(*CONTINUATION_WORDS, number, 0, seed)
    return high << 32 | low


@dataclass(frozen=True)
class Continuations:
    """Games that were played from one position, one for each block, as arrays over the games."""

    plies: Integers
    """(games,) Plies after the position."""
    scores: NDArray[np.int32]
    """(games, seats)"""
    ranks: NDArray[np.uint8]
    """(games, seats)"""
    actions: NDArray[np.int32]
    """(sum of plies,) The actions of the first game, then those of the second, and so on."""

    @property
    def win_shares(self) -> Floats:
        """(games, seats) The share that each seat has of the win."""
        return win_shares(self.ranks)

    @property
    def is_one_game(self) -> bool:
        """True if all games have the same actions and results."""
        if (
            not len(self.plies)
            or (self.plies != self.plies[0]).any()
            or (self.scores != self.scores[0]).any()
        ):
            return False
        rows = self.actions.reshape(len(self.plies), -1)
        return bool((rows == rows[0]).all())

    def game_actions(self, number: int) -> list[int]:
        """Return the actions of one game."""
        first = int(self.plies[:number].sum())
        return [int(action) for action in self.actions[first : first + int(self.plies[number])]]

    def differs_from(self, other: Continuations) -> NDArray[np.bool_]:
        """Return which games have other actions or results than those of the other branch, shape (games,)."""
        different = (self.plies != other.plies) | (self.scores != other.scores).any(axis=1)
        alike = np.flatnonzero(~different)  # so far: their actions are still to be compared
        first_plies, other_first_plies = _first_indices(self.plies), _first_indices(other.plies)
        lengths = self.plies[alike]
        steps = np.arange(int(lengths.sum())) - np.repeat(_first_indices(lengths), lengths)
        unequal = (
            self.actions[np.repeat(first_plies[alike], lengths) + steps]
            != other.actions[np.repeat(other_first_plies[alike], lengths) + steps]
        )
        different[alike] = np.bincount(np.repeat(np.arange(len(alike)), lengths), unequal, len(alike)) > 0
        result: NDArray[np.bool_] = different
        return result


def join_continuations(parts: Sequence[Continuations]) -> Continuations:
    """Return the games of all parts, in order. One call for many parts: each call copies every game."""
    return Continuations(
        *(np.concatenate(columns) for columns in zip(*(vars(part).values() for part in parts), strict=True))
    )


def _first_indices(lengths: Integers) -> Integers:
    """Return the index of the first action of each game."""
    indices: Integers = np.cumsum(lengths) - lengths
    return indices


def play_branch(
    branch: Branch, seed: int, blocks: Sequence[int], own_strategies: OwnStrategies = BUILT_IN_ONLY
) -> Continuations:
    """Continue a branch once with the luck of each block.

    The compiled game plays where there is one, the readable rules otherwise: the results are the same. Raises PlayError
    if an own strategy or a program fails; `own_strategies` has the time limit of its decisions.
    """
    ruleset = branch.state.ruleset
    if branch.state.is_over:  # the changed ply can be the last of the game
        count, seats = len(blocks), ruleset.players
        return Continuations(
            np.zeros(count, dtype=np.int64),
            np.tile(np.array(branch.state.scores, dtype=np.int32), (count, 1)).reshape(count, seats),
            np.tile(np.array(branch.state.ranks, dtype=np.uint8), (count, 1)).reshape(count, seats),
            np.zeros(0, dtype=np.int32),
        )
    compiled = find_branch_kernel(branch)
    if compiled:
        start = compiled.pack(branch.state)
        batch = compiled.play([branch.seating], seed, blocks, start=start, logged=True)
        log = batch.log
        if log is None:
            raise AssertionError("A batch that was played with logged=True has a log.")
        return Continuations(batch.plies.astype(np.int64), batch.scores, batch.ranks, log.action)
    ends = _play_by_rules(branch, seed, blocks, own_strategies.decision_seconds)
    return Continuations(
        np.array([len(plies) for _, plies in ends], dtype=np.int64),
        np.array([end.scores for end, _ in ends], dtype=np.int32),
        np.array([end.ranks for end, _ in ends], dtype=np.uint8),
        np.array([ply.action for _, plies in ends for ply in plies], dtype=np.int32),
    )


def _play_by_rules(
    branch: Branch, seed: int, blocks: Sequence[int], decision_seconds: float
) -> list[tuple[State, list[Ply]]]:
    """Return the end and the plies of each continuation, played by the plain rules."""
    if all(player.strategy.code is None and not player.texts for player in branch.seating):
        deciders = [player.decide for player in branch.seating]
        return [play_out(branch.state, deciders, Luck(seed, block)) for block in blocks]
    with ExitStack() as stack:
        timer = None
        if threading.current_thread() is threading.main_thread():  # only there can a decision be interrupted
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            timer = stack.enter_context(DecisionTimer(folder, decision_seconds, lambda: False))
        return [_play_tracked(branch, seed, block, timer) for block in blocks]


def _play_tracked(
    branch: Branch, seed: int, block: int, timer: DecisionTimer | None
) -> tuple[State, list[Ply]]:
    """Play one continuation with own strategies or programs. Raises PlayError if one of them fails."""
    tracker = DecisionTracker(block, timer, noun="a continuation")
    deciders = [tracker.wrap_player(player) for player in branch.seating]
    try:
        return play_out(branch.state, deciders, Luck(seed, block), tracker, tracker.plies)
    except (Exception, DecisionTimeout) as error:
        raise tracker.make_play_error(error) from error


def find_branch_kernel(branch: Branch) -> Kernel | None:
    """Return the kernel if it can play this branch."""
    return find_kernel(branch.state.ruleset, branch.seating)


def roll_strata(roll: State | None, seed: int, blocks: Sequence[int]) -> tuple[Integers, Floats]:
    """Return the stratum of a roll for each block, (blocks,), and the probability of each stratum, (strata,)."""
    strata = RollStrata(roll)
    return np.array([strata.stratum_of(Luck(seed, block)) for block in blocks], dtype=np.int64), strata.shares


class RollStrata:
    """The strata of a roll: its outcomes, or groups of neighbouring outcomes if there are many."""

    def __init__(self, roll: State | None) -> None:
        """`roll` is a position in which chance acts; without one there is a single stratum."""
        self._roll = roll
        probabilities = np.array(roll.probabilities if roll else [1.0])
        group = np.arange(len(probabilities))
        if len(group) > MAX_STRATA:
            middles = np.cumsum(probabilities) - probabilities / 2
            _, group = np.unique((middles * MAX_STRATA).astype(np.int64), return_inverse=True)
        self.shares: Floats = np.bincount(group, probabilities).astype(np.float64)
        """(strata,) The probability of each stratum."""
        self._group = dict(zip(roll.actions, group.tolist(), strict=True)) if roll else {}

    def stratum_of(self, luck: Luck) -> int:
        """Return the stratum of the outcome that this luck gives."""
        return self._group[self._roll.chance_outcome(luck)] if self._roll else 0


class BlockDealer:
    """Chooses blocks for continuations so that each outcome of the next roll occurs as often as its probability demands.

    The outcome depends on the block alone. Blocks are tried in order, and a block is used if its outcome is still needed.
    Among the blocks with the same outcome nothing is selected, so the rest of the luck remains random.
    """

    def __init__(self, roll: State | None, seed: int) -> None:
        self._strata = RollStrata(roll)
        self._seed = seed
        self._next = 0
        self.shares: Floats = self._strata.shares
        """(strata,) The probability of each stratum."""
        self._dealt = np.zeros(len(self.shares), dtype=np.int64)

    def deal_blocks(self, count: int) -> tuple[list[int], Integers]:
        """Return the next `count` blocks and the stratum of each, shape (count,)."""
        needed = self._needed_counts(count)
        blocks: list[int] = []
        strata: list[int] = []
        tries = MAX_TRIES_PER_BLOCK * count
        while len(blocks) < count:
            stratum = self._strata.stratum_of(Luck(self._seed, self._next))
            tries -= 1
            if needed[stratum] > 0 or tries < 0:
                needed[stratum] -= 1
                blocks.append(self._next)
                strata.append(stratum)
            self._next += 1
        new_strata = np.array(strata, dtype=np.int64)
        self._dealt += np.bincount(new_strata, minlength=len(self.shares))
        return blocks, new_strata

    def _needed_counts(self, count: int) -> Integers:
        """Return how many of the next `count` blocks each stratum needs, shape (strata,).

        Together with the blocks before, every stratum then has its share of all blocks, rounded to whole numbers. Strata
        with equal remainders are rounded up at random.
        """
        total = int(self._dealt.sum()) + count
        missing = np.maximum(self.shares * total - self._dealt, 0)
        missing *= count / missing.sum()
        needed = np.floor(missing).astype(np.int64)
        random_order = np.random.default_rng([self._seed, total]).permutation(len(missing))
        by_remainder = random_order[np.argsort(-(missing - needed)[random_order], kind="stable")]
        needed[by_remainder[: count - int(needed.sum())]] += 1
        return needed
