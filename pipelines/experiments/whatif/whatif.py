"""What if: a logged game is played on many times as it was and changed, on the same luck, and the results compared.

Every continuation meets the same rolls on both branches, so that most of the luck cancels in the difference, and a
change that changes nothing gives a difference of exactly zero. If only the luck is to change, the other side of the
difference is the logged result.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from pipelines.experiments.progressive import doubling_steps, play_steps
from pipelines.experiments.whatif.continuations import BlockDealer, play_branch
from pipelines.statistics import Interval, StoppingRule, t_interval, wilson, win_shares
from pipelines.statistics.planning import MIN_BLOCKS
from pipelines.statistics.rounding import format_interval_numbers
from pipelines.statistics.strata import stratified_interval

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from pipelines.experiments.whatif.continuations import Continuations
    from pipelines.experiments.whatif.fork import Fork
    from pipelines.statistics.arrays import Floats, Integers
    from pipelines.statistics.sequential import StopDecision

FIRST_LOOK_CONTINUATIONS: Final = 60
"""Continuations before the first look; then the number is doubled from look to look."""
DEFAULT_CONTINUATIONS: Final = 1000


@dataclass(frozen=True)
class SeatEffect:
    """What the change does to one seat; every interval is a mean over continuations, with its 95 % interval.

    The margin is the score less the best score of another seat, for fewer points where the lowest score wins.
    """

    seat: int
    base: Interval | None
    """Final score as it was."""
    changed: Interval | None
    score: Interval | None
    """Changed less base, as are the following."""
    margin: Interval | None
    rank: Interval | None
    win_share: Interval | None
    base_win_share: Interval | None
    changed_win_share: Interval | None


@dataclass(frozen=True)
class WhatIf:
    """The continuations of both branches so far; the same continuation has the same number on both."""

    fork: Fork
    seed: int
    blocks: tuple[int, ...]
    """(n,) The blocks of luck under the seed."""
    strata: Integers
    """(n,) Which outcomes of the next roll each block brings."""
    shares: Floats
    """(strata,) How likely each stratum is."""
    base: Continuations
    changed: Continuations
    decision: StopDecision
    """What is settled about the difference of the seat's score."""
    is_over: bool

    @property
    def n(self) -> int:
        return len(self.blocks)

    @cached_property
    def base_scores(self) -> Integers:
        """(n, seats) With nothing changed but the luck, the logged result throughout."""
        if self.fork.change:
            return np.asarray(self.base.scores, dtype=np.int64)
        return np.tile(np.array(self.fork.result, dtype=np.int64), (self.n, 1))

    @cached_property
    def differences(self) -> Integers:
        """(n, seats) Final score of the changed branch less that of the other."""
        found: Integers = self.changed.scores - self.base_scores
        return found

    @cached_property
    def differing_share(self) -> Interval:
        """Share of continuations that went or ended differently on the two branches."""
        if not self.fork.change:
            return wilson(int((self.differences != 0).any(axis=1).sum()), self.n)
        return wilson(int(self.base.differs_from(self.changed).sum()), self.n)

    @cached_property
    def base_win_shares(self) -> Floats:
        """(n, seats) As it was: what each seat had of the win."""
        if self.fork.change:
            return self.base.win_shares
        return np.tile(win_shares(self.fork.result_ranks), (self.n, 1))

    def mean_over_luck(self, values: NDArray[Any]) -> Interval | None:
        """Return the mean of one value a continuation, (n,), over all luck."""
        return stratified_interval(np.asarray(values, dtype=np.float64), self.strata, self.shares)

    def seat_effect(self, seat: int) -> SeatEffect:
        """Return what the change does to a seat."""
        sign = -1 if self.fork.ruleset.lowest_wins else 1
        before, after = self.base_scores, self.changed.scores.astype(np.int64)
        old_wins, new_wins = self.base_win_shares[:, seat], self.changed.win_shares[:, seat]
        ranks_before = self.base.ranks if self.fork.change else np.tile(self.fork.result_ranks, (self.n, 1))
        return SeatEffect(
            seat=seat,
            base=self.mean_over_luck(before[:, seat]),
            changed=self.mean_over_luck(after[:, seat]),
            score=self.mean_over_luck(self.differences[:, seat]),
            margin=self.mean_over_luck(
                score_margins(sign * after, seat) - score_margins(sign * before, seat)
            ),
            rank=self.mean_over_luck(self.changed.ranks[:, seat].astype(np.int64) - ranks_before[:, seat]),
            win_share=self.mean_over_luck(new_wins - old_wins),
            base_win_share=self.mean_over_luck(old_wins),
            changed_win_share=self.mean_over_luck(new_wins),
        )

    @property
    def seat_effects(self) -> tuple[SeatEffect, ...]:
        return tuple(self.seat_effect(seat) for seat in range(self.fork.ruleset.players))

    def as_json(self) -> dict[str, Any]:
        """Return the figures as JSON data."""
        return {
            "game_id": self.fork.game_id,
            "ply": self.fork.ply,
            "change": str(self.fork.change),
            "ruleset": self.fork.ruleset.name,
            "seed": self.seed,
            "n": self.n,
            "seat": self.fork.seat,
            "decision": self.decision,
            "differing": self.differing_share._asdict(),
            "seats": [
                {
                    key: value._asdict() if hasattr(value, "_asdict") else value
                    for key, value in vars(effect).items()
                }
                for effect in self.seat_effects
            ],
        }


def whatif_sentence(found: WhatIf) -> str:
    """Say in words what the change does to the seat that it is about, and no more than the intervals allow."""
    fork, effect = found.fork, found.seat_effect(found.fork.seat)
    over = f"{found.n:,} continuation{'s' * (found.n != 1)}"
    if not found.differences.any() and not found.differing_share.estimate:
        return f"nothing changes in any of {over}"
    if effect.score is None or effect.win_share is None or found.n < MIN_BLOCKS:
        return f"not enough continuations: {over}, at least {MIN_BLOCKS} are needed"
    return f"{_score_words(effect.score, fork)} (95 %, {over}), {_win_words(effect.win_share)}"


def _score_words(difference: Interval, fork: Fork) -> str:
    if not difference.low <= 0 <= difference.high:
        side = 1 if difference.estimate > 0 else -1
        ends = sorted((side * difference.low, side * difference.high))
        amount, low, high = format_interval_numbers(Interval(side * difference.estimate, *ends))
        better = " (fewer is better)" if fork.ruleset.lowest_wins else ""
        return f"seat {fork.seat} scores {amount} {'more' if side > 0 else 'fewer'}{better}, {low} to {high}"
    amount, low, high = format_interval_numbers(difference)
    return f"no difference to be told in the score of seat {fork.seat}: {amount}, {low} to {high}"


def _win_words(difference: Interval) -> str:
    side = 1 if difference.estimate >= 0 else -1
    ends = sorted((100 * side * difference.low, 100 * side * difference.high))
    amount, low, high = format_interval_numbers(Interval(100 * side * difference.estimate, *ends), parts=2)
    if difference.low <= 0 <= difference.high:
        return f"and wins about as often ({low} to {high} of 100 games {'more' if side > 0 else 'fewer'})"
    return f"and wins {amount} of 100 games {'more' if side > 0 else 'fewer'}, {low} to {high}"


def score_margins(scores: NDArray[Any], seat: int) -> Integers:
    """Return by how much a seat is ahead of the best other, (n,), from scores (n, seats) of which more is better."""
    if scores.shape[1] == 1:
        return scores[:, 0]
    found: Integers = scores[:, seat].astype(np.int64) - np.delete(scores, seat, axis=1).max(axis=1)
    return found


def play_whatif(  # noqa: PLR0913 - what makes an experiment, all named
    fork: Fork,
    *,
    n: int = DEFAULT_CONTINUATIONS,
    seed: int = 0,
    margin: float | None = None,
    until_decided: bool = False,
    stopped: Callable[[], bool] = lambda: False,
) -> Iterator[WhatIf]:
    """Play both branches on and yield what is known after each batch, the last time with `is_over`.

    Ends after n continuations, or when `stopped` says so, or, if asked to, when the sign of the seat's difference is
    settled or equality within `margin` is.
    """
    dealer = BlockDealer(fork.next_roll, seed)
    rule = StoppingRule(budget=max(n, 2), margin=margin, first_look=min(FIRST_LOOK_CONTINUATIONS, max(n, 2)))

    def play_branches(numbers: range) -> _BranchResults:
        blocks, strata = dealer.deal_blocks(len(numbers))
        changed = play_branch(fork.changed, seed, blocks)
        base = play_branch(fork.base, seed, blocks) if fork.change else changed
        return _BranchResults(tuple(blocks), strata, base, changed)

    steps = doubling_steps(n, FIRST_LOOK_CONTINUATIONS)
    for played, is_last in play_steps(steps, play_branches, _BranchResults.join_results, stopped):
        base_scores = played.base.scores[:, fork.seat] if fork.change else fork.result[fork.seat]
        differences = (played.changed.scores[:, fork.seat] - base_scores).astype(np.float64)
        look = rule.judge_differences(differences)
        is_over = is_last or (until_decided and look.is_over)
        yield WhatIf(
            fork=fork,
            seed=seed,
            **played._asdict(),
            shares=dealer.shares,
            decision=look.decision,
            is_over=is_over,
        )
        if is_over:
            return


class _BranchResults(NamedTuple):
    """What was played on both branches: fields as in `WhatIf`."""

    blocks: tuple[int, ...]
    strata: Integers
    base: Continuations
    changed: Continuations

    def join_results(self, other: _BranchResults) -> _BranchResults:
        return _BranchResults(
            self.blocks + other.blocks,
            np.concatenate([self.strata, other.strata]),
            self.base.join_continuations(other.base),
            self.changed.join_continuations(other.changed),
        )


@dataclass(frozen=True)
class WhatIfPositions:
    """The same change at many positions: each position is one observation, whatever was played on from it."""

    played: tuple[WhatIf, ...]
    skipped: dict[int, str]
    """Why a game had no such position, by game."""

    def mean_over_positions(self, value: Callable[[WhatIf], float]) -> Interval | None:
        """Return the mean over positions: does it help in general, not only here."""
        return t_interval(np.array([value(one) for one in self.played])) if self.played else None

    @property
    def score(self) -> Interval | None:
        """Difference of the seat's final score."""
        return self.mean_over_positions(lambda one: float(one.differences[:, one.fork.seat].mean()))

    @property
    def win_share(self) -> Interval | None:
        """Difference of the seat's share of the win."""
        return self.mean_over_positions(
            lambda one: float((one.changed.win_shares - one.base_win_shares)[:, one.fork.seat].mean())
        )

    @property
    def differing_share(self) -> Interval:
        """Share of positions at which any continuation differed."""
        return wilson(sum(one.differing_share.estimate > 0 for one in self.played), len(self.played))


def play_every_fork(forks: Iterable[Fork], *, n: int, seed: int) -> Iterator[WhatIf]:
    """Play on from every fork, n times each, every fork on luck of its own."""
    for number, fork in enumerate(forks):
        *_, last = play_whatif(fork, n=n, seed=(seed + (number << 32)) % (1 << 64))
        yield last
