"""What-if questions: both branches of a forked game are continued many times, their results are compared, and a run may keep them.

The original and the changed branch of a continuation have the same luck, so that most of the luck cancels in the
difference, and a change without any effect gives a difference of exactly zero. If the question is about other luck only,
the results are compared with the logged result instead.

Every interval says that it was computed from few continuations: if all of them are equal, it still allows for those that
were not played. Only what the rules determine, such as the result of a game that is over, is known exactly.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from engine.errors import InvalidError
from pipelines.design.designs import ForkOrigin, WhatIfDesign
from pipelines.design.limits import CONTINUATIONS, choose_title
from pipelines.design.own_strategies import code_of_players
from pipelines.experiments.continuations import (
    BlockDealer,
    Continuations,
    continuation_seed,
    join_continuations,
    play_branch,
    roll_strata,
)
from pipelines.experiments.fork import Change, Fork, format_option
from pipelines.experiments.progressive import doubling_steps, play_steps
from pipelines.simulate.shards import timed_steps
from pipelines.statistics import Interval, StoppingRule, bounded_means, wilson, win_shares
from pipelines.statistics.planning import MIN_BLOCKS
from pipelines.statistics.sequential import MIN_DIFFERING_BLOCKS, StopDecision

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pipelines.statistics.intervals import Floats, Integers

FIRST_LOOK_CONTINUATIONS: Final = 60
"""Continuations in the first step; the next steps double their number."""
PART_SECONDS: Final = 0.2
"""About how long continuations are played before `stopped` is called again within a step. One continuation of a strategy
that plays out games takes longer."""


@dataclass(frozen=True)
class SeatEffect:
    """The effect of the change on one seat: means over continuations with 95 % intervals.

    Intervals are None for fewer than two continuations. If the results decided when to stop, all of them are valid at
    every look, under the condition that `pipelines.statistics.sequential` states.
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
    """The seed that a person chose."""
    luck_seed: int
    """The seed of the luck of the continuations, derived from `seed`."""
    rule: StoppingRule
    is_sequential: bool
    """True if the results decide when to stop; all intervals are then valid at every look. They do not use the strata,
    which makes them wider than necessary."""
    blocks: tuple[int, ...]
    """(n,) The block of each continuation, which determines its luck."""
    strata: Integers
    """(n,) The stratum of each continuation: the group of outcomes of the next roll."""
    shares: Floats
    """(strata,) The probability of each stratum."""
    base: Continuations
    changed: Continuations
    differing: NDArray[np.bool_]
    """(n,) Whether the actions or the results differ between the two branches."""
    is_over: bool

    @property
    def n(self) -> int:
        return len(self.blocks)

    @property
    def has_enough(self) -> bool:
        """Whether there are enough continuations for a statement."""
        return self.n >= MIN_BLOCKS

    @property
    def different(self) -> int:
        """Number of continuations that count: one if all are the same."""
        return 1 if self.is_single else self.n

    @cached_property
    def is_single(self) -> bool:
        """True if all continuations of each branch are the same, action by action: without rolls, between players who draw nothing.

        They are one continuation, however often it is played, so intervals have no width and claim nothing about luck.
        """
        return (
            self.n > 1
            and self.fork.next_roll is None
            and not self.fork.is_determined
            and self.base.is_one_game
            and self.changed.is_one_game
        )

    @property
    def weights_rolls(self) -> bool:
        """Whether means weight the continuations by how likely their next roll is."""
        return len(self.shares) > 1 and not self.is_single and not self.is_sequential

    @cached_property
    def decision(self) -> StopDecision:
        """What the interval of the score of the seat decides, changed minus original."""
        if self.is_single:
            return self.rule.decide_from_interval(self.score_difference(self.fork.seat), MIN_DIFFERING_BLOCKS)
        interval = self.score_difference(self.fork.seat)
        differing = int(np.count_nonzero(self.differences[:, self.fork.seat]))
        if self.is_sequential and not self.fork.is_determined:
            return self.rule.decide_from_interval(interval, differing)
        # Without looks on the way, the interval is reliable also if few continuations differ.
        return self.rule.decide_from_interval(
            interval if self.n >= MIN_BLOCKS else None, max(differing, MIN_DIFFERING_BLOCKS)
        )

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
        differing = self.differing.astype(np.float64)
        if self.fork.is_determined:
            return Interval(*[float(differing.mean())] * 3)
        return self.mean_over_luck(differing, bounded_means.SHARE_BOUNDS) or wilson(
            float(differing.sum()), self.n
        )

    @cached_property
    def base_win_shares(self) -> Floats:
        """(n, seats) The share that each seat has of the win on the original branch."""
        if self.fork.change:
            return self.base.win_shares
        return np.tile(win_shares(self.fork.result_ranks), (self.n, 1))

    @cached_property
    def is_base_certain(self) -> bool:
        """True if the original branch has a known result: the rules determine it, or it is the logged result."""
        return not self.fork.change or self.fork.base.is_determined

    @cached_property
    def is_changed_certain(self) -> bool:
        """True if the rules determine the result of the changed branch."""
        return self.fork.changed.is_determined

    def mean_over_luck(
        self, values: NDArray[Any], bounds: bounded_means.ValueBounds, level: float = 0.95
    ) -> Interval | None:
        """Return the mean of values of the continuations, shape (n,), weighted by the probability of their luck.

        `bounds` are the possible values.
        """
        floats = np.asarray(values, dtype=np.float64)
        if self.is_single:
            return Interval(*[float(floats[0])] * 3)
        if self.is_sequential:
            return replace(self.rule, level=level).bounded_interval(floats, bounds)
        return bounded_means.stratified_interval(floats, self.strata, self.shares, bounds, level)

    @cached_property
    def score_bounds(self) -> bounded_means.ValueBounds:
        """The scores that are taken to be possible."""
        return bounded_means.plausible_bounds(
            np.concatenate([self.base_scores, self.changed.scores, [self.fork.result]])
        )

    def score_difference(self, seat: int) -> Interval | None:
        """Return the mean difference of the final score of a seat, changed minus original."""
        before, after = self.base_scores[:, seat], self.changed.scores[:, seat].astype(np.int64)
        return self._effect_intervals(before, after, self.score_bounds)[2]

    def _effect_intervals(
        self, before: NDArray[Any], after: NDArray[Any], bounds: bounded_means.ValueBounds
    ) -> tuple[Interval | None, Interval | None, Interval | None]:
        """Return the means on the original branch and on the changed branch, and the mean difference.

        `before` and `after` have the shape (n,), and `bounds` are those of their values.
        """
        before_bounds = _exact_bounds(before) if self.is_base_certain else bounds
        after_bounds = _exact_bounds(after) if self.is_changed_certain else bounds
        differences = after - before
        difference_bounds = after_bounds.minus(before_bounds)
        if self.fork.is_determined:
            difference_bounds = _exact_bounds(differences)
        direct = self.mean_over_luck(differences, difference_bounds)
        of_branches = [
            self.mean_over_luck(after, after_bounds, bounded_means.BRANCH_LEVEL),
            self.mean_over_luck(before, before_bounds, bounded_means.BRANCH_LEVEL),
        ]
        return (
            self.mean_over_luck(before, before_bounds),
            self.mean_over_luck(after, after_bounds),
            bounded_means.narrow_difference(direct, *of_branches),
        )

    def seat_effect(self, seat: int) -> SeatEffect:
        """Return the effect of the change on a seat, which is computed once."""
        if seat not in self._effects:
            self._effects[seat] = self._measure_effect(seat)
        return self._effects[seat]

    @cached_property
    def _effects(self) -> dict[int, SeatEffect]:
        return {}

    def _measure_effect(self, seat: int) -> SeatEffect:
        players = self.fork.ruleset.players
        sign = -1 if self.fork.ruleset.lowest_wins else 1
        before, after = self.base_scores, self.changed.scores.astype(np.int64)
        spread = self.score_bounds.high - self.score_bounds.low
        lead_bounds = bounded_means.ValueBounds(-spread, spread) if players > 1 else self.score_bounds
        ranks_before = self.base.ranks if self.fork.change else np.tile(self.fork.result_ranks, (self.n, 1))
        scores = self._effect_intervals(before[:, seat], after[:, seat], self.score_bounds)
        leads = self._effect_intervals(
            score_margins(sign * before, seat), score_margins(sign * after, seat), lead_bounds
        )
        ranks = self._effect_intervals(
            ranks_before[:, seat].astype(np.int64),
            self.changed.ranks[:, seat].astype(np.int64),
            bounded_means.ValueBounds(1, players),
        )
        wins = self._effect_intervals(
            self.base_win_shares[:, seat], self.changed.win_shares[:, seat], bounded_means.SHARE_BOUNDS
        )
        return SeatEffect(
            seat=seat,
            base=scores[0],
            changed=scores[1],
            score=scores[2],
            margin=leads[2],
            rank=ranks[2],
            win_share=wins[2],
            base_win_share=wins[0],
            changed_win_share=wins[1],
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
            "different": self.different,
            "seat": self.fork.seat,
            "decision": self.decision,
            "margin": self.rule.margin,
            "valid_at_every_look": self.is_sequential,
            "differing": self.differing_share._asdict(),
            "seats": [
                {
                    "seat": effect.seat,
                    "original_strategy": self.fork.base.seating[effect.seat].label,
                    "strategy": self.fork.changed.seating[effect.seat].label,
                    "n": self.n,
                    **{
                        key: value._asdict() if hasattr(value, "_asdict") else value
                        for key, value in vars(effect).items()
                    },
                }
                for effect in self.seat_effects
            ],
        }


def _exact_bounds(values: NDArray[Any]) -> bounded_means.ValueBounds:
    """Return the bounds of values, shape (n,), that are known to be equal."""
    return bounded_means.ValueBounds(float(values[0]), float(values[0]))


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
    n: int = CONTINUATIONS.default,
    seed: int = 0,
    number: int = 0,
    margin: float | None = None,
    until_decided: bool = False,
    stopped: Callable[[], bool] = lambda: False,
) -> Iterator[WhatIf]:
    """Continue both branches and yield the results after each step, the last time with `is_over`.

    `n` is the number of continuations of each branch. Play ends earlier when `stopped` returns True. A step that is left
    adds nothing to the results, so nothing is yielded if it is the first one. With
    `until_decided` it also ends when the sign of the difference in the seat's score is clear, or when the difference is
    clearly within `margin`; all intervals are then valid at every look. `number` tells positions apart that have the same
    `seed`. Where all continuations of the first step are the same on each branch, there is a single one, and
    play ends. Raises InvalidError for a margin that is not a positive number.
    """
    if margin is not None and not 0 < margin < math.inf:
        raise InvalidError(f"margin: expected a difference above 0, not {margin:g}")
    luck_seed = continuation_seed(seed, number)
    dealer = BlockDealer(fork.next_roll, luck_seed)
    rule = _stopping_rule(n, margin)

    def play_branches(numbers: range) -> _BranchResults:
        blocks, strata = dealer.deal_blocks(len(numbers))
        return _play_blocks(fork, luck_seed, blocks, strata, stopped)

    steps = doubling_steps(n, FIRST_LOOK_CONTINUATIONS)
    answer: WhatIf | None = None
    try:
        for played, is_last in play_steps(steps, play_branches, _join_results, stopped):
            answer = WhatIf(
                fork=fork,
                seed=seed,
                luck_seed=luck_seed,
                rule=rule,
                is_sequential=until_decided,
                **played._asdict(),
                shares=dealer.shares,
                is_over=is_last,
            )
            if answer.is_single or (until_decided and answer.decision != "undecided"):
                answer = replace(answer, is_over=True)
            yield answer
            if answer.is_over:
                return
    except _StepLeftError:
        if answer:
            yield replace(answer, is_over=True)


class DealtContinuations(NamedTuple):
    """The luck of the continuations of a question, which is known before any is played."""

    fork: Fork
    seed: int
    luck_seed: int
    blocks: tuple[int, ...]
    """(n,) The block of each continuation, as in a `WhatIf`."""

    @property
    def n(self) -> int:
        return len(self.blocks)

    def play(self, number: int) -> WhatIf:
        """Play one continuation again and return an answer that holds nothing else."""
        played = _play_branches(self.fork, self.luck_seed, self.blocks[number : number + 1])
        return collect_whatif(self.fork, self.seed, self.luck_seed, self.blocks[number : number + 1], *played)


def deal_continuations(fork: Fork, n: int, seed: int) -> DealtContinuations:
    """Return the luck of `n` continuations: that with which `play_whatif` plays them; one if all are the same."""
    luck_seed = continuation_seed(seed, 0)
    dealer = BlockDealer(fork.next_roll, luck_seed)
    steps = doubling_steps(n, FIRST_LOOK_CONTINUATIONS)
    blocks = chain.from_iterable(dealer.deal_blocks(len(step.blocks))[0] for step in steps)
    dealt = DealtContinuations(fork, seed, luck_seed, tuple(blocks))
    if fork.next_roll:
        return dealt
    first = dealt.blocks[:FIRST_LOOK_CONTINUATIONS]
    whatif = collect_whatif(fork, seed, luck_seed, first, *_play_branches(fork, luck_seed, first))
    return dealt._replace(blocks=first[:1]) if whatif.is_single else dealt


def _play_branches(fork: Fork, luck_seed: int, blocks: Sequence[int]) -> tuple[Continuations, Continuations]:
    """Continue the original and the changed branch with the luck of each block; for other luck, both are the same."""
    changed = play_branch(fork.changed, luck_seed, blocks, fork.own)
    return play_branch(fork.base, luck_seed, blocks, fork.own) if fork.change else changed, changed


def collect_whatif(  # noqa: PLR0913, PLR0917 - the parts of an answer
    fork: Fork, seed: int, luck_seed: int, blocks: Sequence[int], base: Continuations, changed: Continuations
) -> WhatIf:
    """Return the whole answer from continuations that were played before; without a change both branches are the same."""
    strata, shares = roll_strata(fork.next_roll, luck_seed, blocks)
    return WhatIf(
        fork=fork,
        seed=seed,
        luck_seed=luck_seed,
        rule=_stopping_rule(len(blocks), None),
        is_sequential=False,
        blocks=tuple(blocks),
        strata=strata,
        shares=shares,
        base=base,
        changed=changed,
        differing=_find_differing(fork, base, changed),
        is_over=True,
    )


def _stopping_rule(n: int, margin: float | None) -> StoppingRule:
    return StoppingRule(budget=max(n, 2), margin=margin, first_look=min(FIRST_LOOK_CONTINUATIONS, max(n, 2)))


def _find_differing(fork: Fork, base: Continuations, changed: Continuations) -> NDArray[np.bool_]:
    """Return in which continuations the branches differ, (n,); for other luck, those that do not end like the logged game."""
    if fork.change:
        return base.differs_from(changed)
    differing: NDArray[np.bool_] = (changed.scores != fork.result).any(axis=1)
    return differing


class _StepLeftError(Exception):
    """The experiment was stopped within a step."""


class _BranchResults(NamedTuple):
    """The continuations of both branches; the fields are those of `WhatIf`."""

    blocks: tuple[int, ...]
    strata: Integers
    base: Continuations
    changed: Continuations
    differing: NDArray[np.bool_]


def _join_results(*parts: _BranchResults) -> _BranchResults:
    """Return the continuations of all parts, in order."""
    blocks, strata, base, changed, differing = zip(*parts, strict=True)
    return _BranchResults(
        tuple(chain.from_iterable(blocks)),
        np.concatenate(strata),
        join_continuations(base),
        join_continuations(changed),
        np.concatenate(differing),
    )


def _play_blocks(
    fork: Fork, luck_seed: int, blocks: Sequence[int], strata: Integers, stopped: Callable[[], bool]
) -> _BranchResults:
    """Continue both branches with the luck of each block. Raises _StepLeftError if `stopped` returns True meanwhile.

    The parts between two questions are measured in seconds; the results do not depend on where a part ends.
    """
    parts: list[_BranchResults] = []
    for numbers, _ in timed_steps(len(blocks), first=1, seconds=PART_SECONDS):
        if parts and stopped():
            raise _StepLeftError
        part = slice(numbers.start, numbers.stop)
        base, changed = _play_branches(fork, luck_seed, blocks[part])
        differing = _find_differing(fork, base, changed)
        parts.append(_BranchResults(tuple(blocks[part]), strata[part], base, changed, differing))
    return _join_results(*parts)


def saved_run_design(whatif: WhatIf | DealtContinuations, parent: str, name: str) -> WhatIfDesign:
    """Return a design whose games are the continuations of both branches, be they played or not.

    `parent` is the name of the run with the forked game, `name` that of the new run. Raises InvalidError if the question
    changes an option of the ruleset, because a run has only one ruleset.
    """
    fork, change = whatif.fork, whatif.fork.change
    luck = whatif.blocks[:1] if isinstance(whatif, WhatIf) and whatif.is_single else whatif.blocks
    if change.options:
        raise InvalidError("a run has one ruleset, so a what-if with a changed option cannot be saved")
    branches = (fork.base, fork.changed) if change else (fork.changed,)
    seatings = [[player.name for player in branch.seating] for branch in branches]
    lineup = tuple(dict.fromkeys(strategy for seating in seatings for strategy in seating))
    seated = [player.label for player in fork.base.seating]
    design = WhatIfDesign(
        title=choose_title(
            None,
            f"What if {change.describe(fork.ruleset, seated, fork.base.state.actions)}? Move {fork.ply + 1} of a game of {fork.ruleset.title}",
        ),
        ruleset=fork.ruleset.document,
        lineup=lineup,
        seatings=tuple(tuple(map(lineup.index, seating)) for seating in seatings),
        blocks=len(luck),
        seed=whatif.luck_seed,
        shard_blocks=len(luck),
        fork=ForkOrigin(
            run=parent,
            game_id=fork.game_id,
            ply=fork.ply,
            change=str(change),
            asked=(*command_options(change), "--name", name, "--seed", str(whatif.seed)),
            prefixes=tuple(branch.actions for branch in branches),
            luck=luck,
        ),
        code=code_of_players(player for branch in branches for player in branch.seating),
    )
    return design.with_own_strategies(fork.own, "this design")


def command_options(change: Change) -> tuple[str, ...]:
    """Return a change as options of the command `reroll whatif`.

    >>> from pipelines.experiments.fork import Change
    >>> command_options(Change({0: "random"}, "r12", {"gap_penalty": 2}))
    ('--player', '1', '--strategy', 'random', '--action', 'r12', '--option', 'gap_penalty=2')
    """
    words = [
        word
        for seat, name in sorted(change.strategies.items())
        for word in ("--player", str(seat + 1), "--strategy", name)
    ]
    words += ["--action", change.action] if change.action is not None else []
    words += [
        word for key, value in change.options.items() for word in ("--option", format_option(key, value))
    ]
    words = words or ["--luck"]
    for seat, name in sorted(change.substitutes.items()):
        words += ["--stand-in", f"{seat + 1}={name}"]
    words += ["--quick"] if change.quick else []
    return tuple(words)
