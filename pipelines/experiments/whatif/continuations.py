"""Continuations: a position played on many times, on luck that is fresh, keyed, and dealt out evenly at the next roll."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from engine.kernels.loader import find_kernel
from engine.luck import Luck
from engine.play import play_out
from pipelines.statistics import win_shares

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from engine.kernels.contract import Kernel
    from engine.state import State
    from pipelines.experiments.whatif.fork import Branch
    from pipelines.statistics.arrays import Floats, Integers

MAX_STRATA: Final = 64
"""A roll with more outcomes is dealt out by groups of neighbouring ones."""
MAX_TRIES_PER_BLOCK: Final = 50
"""A stratum is filled up from this many times the blocks that it takes on average, then left short: rare outcomes are
not waited for."""


@dataclass(frozen=True)
class Continuations:
    """Games played on from one position, one for each block; columns over the blocks."""

    plies: Integers
    """(games,) From the position on."""
    scores: NDArray[np.int32]
    """(games, seats)"""
    ranks: NDArray[np.uint8]
    """(games, seats)"""
    actions: NDArray[np.int32]
    """(sum of plies,) Game after game."""

    @property
    def win_shares(self) -> Floats:
        """(games, seats) The share that each seat has of the win."""
        return win_shares(self.ranks)

    def game_actions(self, number: int) -> list[int]:
        """Return the actions of one game."""
        first = int(self.plies[:number].sum())
        return [int(action) for action in self.actions[first : first + int(self.plies[number])]]

    def differs_from(self, other: Continuations) -> NDArray[np.bool_]:
        """(games,) Say which games went or ended differently from those on the other branch."""
        different = (self.plies != other.plies) | (self.scores != other.scores).any(axis=1)
        alike = np.flatnonzero(~different)
        own, others = _first_indices(self.plies), _first_indices(other.plies)
        lengths = self.plies[alike]
        steps = np.arange(int(lengths.sum())) - np.repeat(_first_indices(lengths), lengths)
        unequal = (
            self.actions[np.repeat(own[alike], lengths) + steps]
            != other.actions[np.repeat(others[alike], lengths) + steps]
        )
        different[alike] = np.bincount(np.repeat(np.arange(len(alike)), lengths), unequal, len(alike)) > 0
        found: NDArray[np.bool_] = different
        return found

    def join_continuations(self, other: Continuations) -> Continuations:
        """Return these and the others behind them."""
        columns = zip(vars(self).values(), vars(other).values(), strict=True)
        return Continuations(*(np.concatenate(pair) for pair in columns))


def _first_indices(lengths: Integers) -> Integers:
    found: Integers = np.cumsum(lengths) - lengths
    return found


def play_branch(branch: Branch, seed: int, blocks: Sequence[int]) -> Continuations:
    """Play a branch on, once with the luck of each block: by the kernel where it can, else by the plain rules."""
    ruleset = branch.state.ruleset
    if branch.state.is_over:  # a forced ply can be the last
        count, seats = len(blocks), ruleset.players
        return Continuations(
            np.zeros(count, dtype=np.int64),
            np.tile(np.array(branch.state.scores, dtype=np.int32), (count, 1)).reshape(count, seats),
            np.tile(np.array(branch.state.ranks, dtype=np.uint8), (count, 1)).reshape(count, seats),
            np.zeros(0, dtype=np.int32),
        )
    compiled = find_branch_kernel(branch)
    if compiled:
        batch = compiled.play_from_state(branch.state, branch.seating, seed, blocks, logged=True)
        log = batch.log
        if log is None:
            raise AssertionError("a logged batch has a log")
        return Continuations(batch.plies.astype(np.int64), batch.scores, batch.ranks, log.action)
    deciders = [one.decide for one in branch.seating]
    ends = [play_out(branch.state, deciders, Luck(seed, block)) for block in blocks]
    return Continuations(
        np.array([len(plies) for _, plies in ends], dtype=np.int64),
        np.array([end.scores for end, _ in ends], dtype=np.int32),
        np.array([end.ranks for end, _ in ends], dtype=np.uint8),
        np.array([ply.action for _, plies in ends for ply in plies], dtype=np.int32),
    )


def find_branch_kernel(branch: Branch) -> Kernel | None:
    """Return the kernel if it can play this branch."""
    return find_kernel(branch.state.ruleset, branch.seating)


def roll_strata(roll: State, seed: int, blocks: Sequence[int]) -> tuple[Integers, Floats]:
    """Return the stratum of a roll that each block brings, (blocks,), and how likely each stratum is."""
    strata = RollStrata(roll)
    return np.array([strata.stratum_of(Luck(seed, block)) for block in blocks], dtype=np.int64), strata.shares


class RollStrata:
    """The outcomes of one roll, in groups of neighbours where they are many."""

    def __init__(self, roll: State | None) -> None:
        """Without a roll there is one stratum."""
        self._roll = roll
        probabilities = np.array(roll.probabilities if roll else [1.0])
        group = np.arange(len(probabilities))
        if len(group) > MAX_STRATA:
            middles = np.cumsum(probabilities) - probabilities / 2
            _, group = np.unique((middles * MAX_STRATA).astype(np.int64), return_inverse=True)
        self.shares: Floats = np.bincount(group, probabilities).astype(np.float64)
        """(strata,) How likely each is."""
        self._group = dict(zip(roll.actions, group.tolist(), strict=True)) if roll else {}

    def stratum_of(self, luck: Luck) -> int:
        """Return the stratum that this luck brings."""
        return self._group[self._roll.chance_outcome(luck)] if self._roll else 0


class BlockDealer:
    """Chooses the blocks of continuations so that the next roll comes up as often as it should.

    The outcome of a roll depends on the block alone, so blocks are drawn in order and those are kept whose outcome is
    still wanted. Within an outcome nothing is chosen: the rest of the luck is as random as ever.
    """

    def __init__(self, roll: State | None, seed: int) -> None:
        self._strata = RollStrata(roll)
        self._seed = seed
        self._next = 0
        self.shares: Floats = self._strata.shares
        """(strata,) How likely each stratum is."""
        self._dealt = np.zeros(len(self.shares), dtype=np.int64)

    def deal_blocks(self, count: int) -> tuple[list[int], Integers]:
        """Return the next blocks and the stratum of each, (count,)."""
        wanted = self._wanted_counts(count)
        blocks: list[int] = []
        strata: list[int] = []
        tries = MAX_TRIES_PER_BLOCK * count
        while len(blocks) < count:
            stratum = self._strata.stratum_of(Luck(self._seed, self._next))
            tries -= 1
            if wanted[stratum] > 0 or tries < 0:
                wanted[stratum] -= 1
                blocks.append(self._next)
                strata.append(stratum)
            self._next += 1
        found = np.array(strata, dtype=np.int64)
        self._dealt += np.bincount(found, minlength=len(self.shares))
        return blocks, found

    def _wanted_counts(self, count: int) -> Integers:
        """Share out so that, with what was dealt before, every stratum comes as near its share as whole numbers can."""
        total = int(self._dealt.sum()) + count
        exact = self.shares * total
        short = np.maximum(exact - self._dealt, 0)
        short *= count / short.sum()
        wanted = np.floor(short).astype(np.int64)
        rest = np.random.default_rng([self._seed, total]).permutation(len(short))
        by_need = rest[np.argsort(-(short - wanted)[rest], kind="stable")]
        wanted[by_need[: count - int(wanted.sum())]] += 1
        return wanted
