"""What-if questions: both branches of a forked game are continued many times, and their results are compared.

The original and the changed branch of a continuation have the same luck, so that most of the luck cancels in the
difference, and a change without any effect gives a difference of exactly zero. If the question is about other luck only,
the results are compared with the logged result instead.
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
from pipelines.statistics.rounding import split_sign
from pipelines.statistics.strata import stratified_interval

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from pipelines.experiments.whatif.continuations import Continuations
    from pipelines.experiments.whatif.fork import Fork
    from pipelines.statistics.arrays import Floats, Integers
    from pipelines.statistics.sequential import StopDecision

FIRST_LOOK_CONTINUATIONS: Final = 60
"""Continuations in the first step; every further step doubles their number."""
DEFAULT_CONTINUATIONS: Final = 1000


@dataclass(frozen=True)
class SeatEffect:
    """The effect of the change on one seat: means over continuations with 95 % intervals.

    Intervals are None for fewer than two continuations.
    """

    seat: int
    base: Interval | None
    """Final score on the original branch."""
    changed: Interval | None
    """Final score on the changed branch."""
    score: Interval | None
    """Final score, changed minus original."""
    margin: Interval | None
    """Lead over the best other seat, changed minus original; a lead is positive also where the lowest score wins."""
    rank: Interval | None
    """Rank, changed minus original."""
    win_share: Interval | None
    """Share of the win, changed minus original."""
    base_win_share: Interval | None
    changed_win_share: Interval | None


@dataclass(frozen=True)
class WhatIf:
    """The continuations of both branches so far; a continuation has the same index on both."""

    fork: Fork
    seed: int
    blocks: tuple[int, ...]
    """(n,) The block of each continuation, which determines its luck."""
    strata: Integers
    """(n,) The stratum of each continuation: the group of outcomes of the next roll."""
    shares: Floats
    """(strata,) The probability of each stratum."""
    base: Continuations
    changed: Continuations
    decision: StopDecision
    """The decision of the stopping rule on the score of the seat, changed minus original."""
    is_over: bool

    @property
    def n(self) -> int:
        return len(self.blocks)

    @cached_property
    def base_scores(self) -> Integers:
        """(n, seats) Final scores on the original branch; the logged result if only the luck changes."""
        if self.fork.change:
            return np.asarray(self.base.scores, dtype=np.int64)
        return np.tile(np.array(self.fork.result, dtype=np.int64), (self.n, 1))

    @cached_property
    def differences(self) -> Integers:
        """(n, seats) Final scores, changed minus original."""
        differences: Integers = self.changed.scores - self.base_scores
        return differences

    @cached_property
    def differing_share(self) -> Interval:
        """Share of continuations whose actions or results differ between the two branches."""
        if not self.fork.change:
            return wilson(int((self.differences != 0).any(axis=1).sum()), self.n)
        return wilson(int(self.base.differs_from(self.changed).sum()), self.n)

    @cached_property
    def base_win_shares(self) -> Floats:
        """(n, seats) The share that each seat has of the win on the original branch."""
        if self.fork.change:
            return self.base.win_shares
        return np.tile(win_shares(self.fork.result_ranks), (self.n, 1))

    def mean_over_luck(self, values: NDArray[Any]) -> Interval | None:
        """Return the mean of values of the continuations, shape (n,), weighted by the probability of their luck."""
        return stratified_interval(np.asarray(values, dtype=np.float64), self.strata, self.shares)

    def seat_effect(self, seat: int) -> SeatEffect:
        """Return the effect of the change on a seat."""
        sign = -1 if self.fork.ruleset.lowest_wins else 1
        before, after = self.base_scores, self.changed.scores.astype(np.int64)
        wins_before, wins_after = self.base_win_shares[:, seat], self.changed.win_shares[:, seat]
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
            win_share=self.mean_over_luck(wins_after - wins_before),
            base_win_share=self.mean_over_luck(wins_before),
            changed_win_share=self.mean_over_luck(wins_after),
        )

    @property
    def seat_effects(self) -> tuple[SeatEffect, ...]:
        return tuple(self.seat_effect(seat) for seat in range(self.fork.ruleset.players))

    def as_json(self) -> dict[str, Any]:
        """Return the results as JSON data."""
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


def whatif_sentence(whatif: WhatIf) -> str:
    """Return one sentence on the effect of the change on its seat; it claims no more than the intervals allow.

    The sentence begins with a small letter and has no full stop, so that pages can continue it.
    """
    effect = whatif.seat_effect(whatif.fork.seat)
    continuations = f"{whatif.n:,} continuation{'s' * (whatif.n != 1)}"
    if not whatif.differences.any() and not whatif.differing_share.estimate:
        return f"nothing changes in any of {continuations}"
    if effect.score is None or whatif.n < MIN_BLOCKS:
        return f"not enough continuations: {continuations}, but at least {MIN_BLOCKS} are needed"
    sign, (points, low, high) = split_sign(effect.score)
    fewer_wins = "fewer points win; " if whatif.fork.ruleset.lowest_wins else ""
    interval = f"({fewer_wins}95 % interval {low} to {high}; {continuations})"
    seat = f"seat {effect.seat}"
    if sign == 0:
        return f"the score of {seat} does not clearly change {interval}, and {seat} {_win_words(effect)}"
    return (
        f"{seat} scores {points} points {'more' if sign > 0 else 'fewer'} {interval} and {_win_words(effect)}"
    )


def _win_words(effect: SeatEffect) -> str:
    before, after, difference = effect.base_win_share, effect.changed_win_share, effect.win_share
    if before is None or after is None or difference is None:
        raise ValueError("The effect on wins of fewer than two continuations is not known.")
    if before == after and before.half_width == 0 and before.estimate in {0.0, 1.0}:
        return f"still {'wins' if before.estimate else 'loses'} every game"
    if difference.half_width == 0 and difference.estimate == 0:
        return "wins as often as before"
    sign, (games, low, high) = split_sign(Interval(*(100 * share for share in difference)), parts=2)
    if sign == 0:
        return f"wins about as often ({low} to {high} of 100 games more)"
    return f"wins {games} of 100 games {'more' if sign > 0 else 'fewer'} ({low} to {high})"


def score_margins(scores: NDArray[Any], seat: int) -> Integers:
    """Return the lead of a seat over the best other seat, shape (n,), from scores of shape (n, seats).

    Higher scores must be better. Without other seats the lead is the score.
    """
    if scores.shape[1] == 1:
        return scores[:, 0]
    leads: Integers = scores[:, seat].astype(np.int64) - np.delete(scores, seat, axis=1).max(axis=1)
    return leads


def play_whatif(  # noqa: PLR0913 - what makes an experiment, all named
    fork: Fork,
    *,
    n: int = DEFAULT_CONTINUATIONS,
    seed: int = 0,
    margin: float | None = None,
    until_decided: bool = False,
    stopped: Callable[[], bool] = lambda: False,
) -> Iterator[WhatIf]:
    """Continue both branches and yield the results after each step, the last time with `is_over`.

    `n` is the number of continuations of each branch. Play ends earlier when `stopped` returns True after a step. With
    `until_decided` it also ends when the sign of the difference in the seat's score is clear, or when the difference is
    clearly within `margin`.
    """
    dealer = BlockDealer(fork.next_roll, seed)
    rule = StoppingRule(budget=max(n, 2), margin=margin, first_look=min(FIRST_LOOK_CONTINUATIONS, max(n, 2)))

    def play_branches(numbers: range) -> _BranchResults:
        blocks, strata = dealer.deal_blocks(len(numbers))
        changed = play_branch(fork.changed, seed, blocks, fork.own)
        base = play_branch(fork.base, seed, blocks, fork.own) if fork.change else changed
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
    """The continuations of both branches; the fields are those of `WhatIf`."""

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
    """The same change at many positions: a position is one observation, however many continuations it has."""

    played: tuple[WhatIf, ...]
    skipped: dict[int, str]
    """The reason why a game could not be forked, by number of the game."""

    def mean_over_positions(self, value: Callable[[WhatIf], float]) -> Interval | None:
        """Return the mean of a value over the positions, with an interval that counts positions."""
        return t_interval(np.array([value(whatif) for whatif in self.played])) if self.played else None

    @property
    def score(self) -> Interval | None:
        """Mean final score of the seat, changed minus original."""
        return self.mean_over_positions(lambda whatif: float(whatif.differences[:, whatif.fork.seat].mean()))

    @property
    def win_share(self) -> Interval | None:
        """Mean share of the win of the seat, changed minus original."""

        def mean_difference(whatif: WhatIf) -> float:
            return float((whatif.changed.win_shares - whatif.base_win_shares)[:, whatif.fork.seat].mean())

        return self.mean_over_positions(mean_difference)

    @property
    def differing_share(self) -> Interval:
        """Share of positions at which at least one continuation differs between the branches."""
        return wilson(sum(whatif.differing_share.estimate > 0 for whatif in self.played), len(self.played))


def play_every_fork(forks: Iterable[Fork], *, n: int, seed: int) -> Iterator[WhatIf]:
    """Continue every fork `n` times and yield the results of each; every fork has its own luck."""
    for number, fork in enumerate(forks):
        *_, last = play_whatif(fork, n=n, seed=(seed + (number << 32)) % (1 << 64))
        yield last
