"""Review of a game: what every decision cost, what every roll brought, and how it stood after every ply.

A position is worth what its playouts bring: the mean final score and the mean share of the win of each seat when one
fast strategy plays everybody on, on luck that has nothing to do with the game's own. All positions and all candidates
of a review meet the same luck, so that differences between them are surer than the values themselves.

The values of the positions form a chain from the first to the result. What a roll adds to it is its luck, what an
action adds belongs to the seat that chose it; together with the first value they add up to the result, exactly.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate
from threading import Lock
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from engine import games
from engine.actions import CHANCE
from engine.kernels.loader import find_kernel
from engine.play import replay_actions
from engine.strategies import built_in_strategies, read_player
from pipelines.design.openings import has_chance
from pipelines.experiments.review.classes import (
    CLASS_THRESHOLDS,
    NEGLIGIBLE_LOSS,
    Candidate,
    Decision,
    DecisionClass,
    Ledger,
    Review,
    Roll,
    classify_loss,
)
from pipelines.experiments.review.playouts import PlayoutResults, Playouts, join_results
from pipelines.experiments.whatif.continuations import roll_strata
from pipelines.experiments.whatif.whatif import score_margins
from pipelines.simulate.workers import usable_cpus
from pipelines.statistics import Interval, t_interval
from pipelines.statistics.strata import stratified_interval

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from engine.ruleset import Ruleset
    from engine.state import State
    from pipelines.runs.run import Run
    from pipelines.statistics.arrays import Floats

__all__ = [
    "CLASS_THRESHOLDS",
    "MAX_CANDIDATES",
    "NEGLIGIBLE_LOSS",
    "Candidate",
    "Decision",
    "DecisionClass",
    "Ledger",
    "Review",
    "Reviewer",
    "Roll",
    "build_review",
    "candidate_actions",
    "classify_loss",
    "default_policy",
    "is_class_settled",
    "iter_ply_reviews",
    "review_game",
]

MAX_CANDIDATES: Final = 12
"""Actions looked at in a decision, the one chosen not counted."""
POSITION_PLAYOUTS: Final = 96
"""Playouts of every position of the game."""
SIFTING_PLAYOUTS: Final = (16, 24, 48)
"""Playouts of every candidate, stage by stage: each stage is for the better half of the one before."""
DUEL_PLAYOUTS: Final = (96, 192, 384)
"""Playouts of the best candidate and of the action chosen, on luck that had no part in choosing the candidate: fewer
where the class is plain before."""
SETTLED_STANDARD_ERRORS: Final = 3.3
"""Standard errors that a duel is beyond the worst class to end early with it: so many that further looks cost the
interval next to nothing (Haybittle 1971, Peto et al. 1976)."""
HOPELESS_STANDARD_DEVIATIONS: Final = 2.0
"""Standard deviations that the rest of a duel would have to bring for any bad class to be found: it ends early, too.
That can only leave a fault unfound, never find one."""
MAX_SEPARATE_OUTCOMES: Final = 36
"""Outcomes of a roll, up to which each is played on by itself."""
LONG_GAME_PLIES: Final = 120
"""Plies from which a game is long: positions and sifting get fewer playouts, in proportion, so that a review of Spexxx
does not take three times as long as one of BLOXX!."""
FIRST_POSITION_BLOCK: Final = 1 << 20
"""First block of luck of the positions of the game and of duels, far from that of the sifting."""
PLAYOUT_POLICIES: Final = ("greedy", "noisy", "random")
"""Who plays on: the first that the game has. A strategy that does not draw would play on a game without dice in one way,
so that there greedy does not."""


def default_policy(ruleset: Ruleset) -> str:
    """Return who plays on if nobody says otherwise."""
    names = built_in_strategies(games.find_game(ruleset.game))
    return next(
        name for name in PLAYOUT_POLICIES if name in names and (name != "greedy" or has_chance(ruleset))
    )


class Reviewer:
    """Reviews one game; each ply can be looked at by itself, in any order and in several threads."""

    def __init__(
        self,
        ruleset: Ruleset,
        actions: Sequence[int],
        *,
        policy: str | None = None,
        seed: int = 0,
        effort: float = 1.0,
    ) -> None:
        """`effort` multiplies all numbers of playouts. Raises InvalidError for a strategy that does not exist."""
        game = games.find_game(ruleset.game)
        one = read_player(game, policy or default_policy(ruleset))
        self.ruleset = ruleset
        self.actions = list(actions)
        self.policy = one.name
        self.states: list[State] = list(replay_actions(game.start(ruleset), actions))
        self._playouts = Playouts(self.states[0], one, seed)
        played = self._playouts.make_position(self.states[0])
        self._positions = list(accumulate(actions, self._playouts.position_after, initial=played))
        self._known: dict[int, PlayoutResults] = {}
        self._locks = [Lock() for _ in self.states]
        self._seed = seed
        self._effort = effort
        self._thrift = min(1.0, LONG_GAME_PLIES / max(1, len(actions)))
        self._sign = -1 if ruleset.lowest_wins else 1

    @property
    def is_compiled(self) -> bool:
        """Say whether playouts let other threads work."""
        return self._playouts.compiled is not None

    def play_out_state(self, state: State, first: int, count: int) -> PlayoutResults:
        """Play on from any position with the luck of some blocks."""
        return self._playouts.play_position(self._playouts.make_position(state), first, count)

    @property
    def position_playouts(self) -> int:
        """Playouts of every position of the game."""
        return self._scale_by_length(POSITION_PLAYOUTS)

    def _scale_by_length(self, playouts: int) -> int:
        return self._scale_by_effort(round(playouts * self._thrift))

    def _scale_by_effort(self, playouts: int) -> int:
        return max(4, round(playouts * self._effort))

    def _play_from_ply(self, ply: int, count: int) -> PlayoutResults:
        """Play on from before a ply; what was played before, for its value or in a duel, is not played again."""
        with self._locks[ply]:
            ends = [self._known[ply]] if ply in self._known else []
            there = sum(map(len, ends))
            if there < count:
                ends.append(
                    self._playouts.play_position(
                        self._positions[ply], FIRST_POSITION_BLOCK + there, count - there
                    )
                )
            self._known[ply] = join_results(ends)
            return self._known[ply].first_playouts(count)

    def position_value(self, ply: int) -> tuple[list[Interval], list[Interval]]:
        """Return the expected final score and win share of each seat before a ply.

        Before a roll of few outcomes every outcome is played on and weighted by its probability.
        """
        state, count = self.states[ply], self.position_playouts
        strata, shares = np.zeros(count, np.int64), np.ones(1)
        if state.is_over or state.seat != CHANCE:
            ends = self._play_from_ply(ply, 1 if state.is_over else count)
        elif len(state.actions) > MAX_SEPARATE_OUTCOMES:
            ends = self._play_from_ply(ply, count)
            strata, shares = roll_strata(
                state, self._seed, range(FIRST_POSITION_BLOCK, FIRST_POSITION_BLOCK + count)
            )
        else:
            shares = np.array(state.probabilities)
            counts = np.maximum(2, np.rint(shares * count)).astype(np.int64)
            strata = np.repeat(np.arange(len(shares)), counts)
            ends = self._play_outcomes(ply, counts.tolist())
        columns = [*np.asarray(ends.scores, dtype=np.float64).T, *ends.win_shares.T]
        if state.is_over:
            found = [Interval(*[float(column[0])] * 3) for column in columns]
        else:
            values = (stratified_interval(column, strata, shares) for column in columns)
            found = [value for value in values if value]
        return found[: self.ruleset.players], found[self.ruleset.players :]

    def _play_outcomes(self, ply: int, counts: Sequence[int]) -> PlayoutResults:
        """Play on from every outcome of a roll, each on luck of its own."""
        firsts = accumulate(counts, initial=FIRST_POSITION_BLOCK)
        return join_results(
            [
                self._playouts.play_position(
                    self._playouts.position_after(self._positions[ply], outcome), first, count
                )
                for outcome, first, count in zip(self.states[ply].actions, firsts, counts, strict=False)
            ]
        )

    def review_decision(self, ply: int) -> Decision | None:
        """Judge what was chosen at a ply; None for a roll and where there was one action only."""
        state = self.states[ply]
        if state.is_over or state.seat == CHANCE or len(state.actions) < 2:
            return None
        chosen = self.actions[ply]
        sifted = self._sift_candidates(ply)
        rival = next(iter(sifted))
        mine, other = self._play_duel(ply, rival)
        points, wins = self._playout_losses(state.seat, mine, other)
        is_best = float(wins.mean()) <= 0 and float(points.mean()) <= 0
        ends = {**sifted, rival: other, chosen: mine}
        shown = {
            action: self._make_candidate(state, action, ends[action])
            for action in self._order_actions(ends, state.seat)
        }
        return Decision(
            ply=ply,
            seat=state.seat,
            options=len(state.actions),
            chosen=shown[chosen],
            best=shown[chosen if is_best else rival],
            lost_points=t_interval(points),
            lost_wins=t_interval(wins),
            judged=classify_loss(t_interval(wins), is_best=is_best),
            candidates=tuple(shown.values()),
        )

    def _sift_candidates(self, ply: int) -> dict[int, PlayoutResults]:
        """Return actions other than the one chosen, the best first: those that came through the first stage."""
        state, chosen = self.states[ply], self.actions[ply]
        likely = [action for action in candidate_actions(state, MAX_CANDIDATES + 1) if action != chosen][
            :MAX_CANDIDATES
        ]
        positions = {action: self._playouts.position_after(self._positions[ply], action) for action in likely}
        ends: dict[int, PlayoutResults] = {}
        left, kept, first = likely, likely, 0
        for stage, playouts in enumerate(SIFTING_PLAYOUTS):
            count = self._scale_by_length(playouts)
            for action in left:
                fresh = self._playouts.play_position(positions[action], first, count)
                ends[action] = join_results([ends[action], fresh]) if stage else fresh
            first += count
            left = self._order_actions({action: ends[action] for action in left}, state.seat)
            kept = [*left, *(action for action in kept if action not in left)]
            left = left[: (len(left) + 1) // 2]
            if not stage:
                kept = list(left)
            if len(left) == 1:
                break
        return {action: ends[action] for action in kept}

    def _play_duel(self, ply: int, rival: int) -> tuple[PlayoutResults, PlayoutResults]:
        """Play on from the chosen action and from another one, on the same luck, until it is plain or long enough."""
        position = self._playouts.position_after(self._positions[ply], rival)
        mine = other = PlayoutResults.no_results(self.ruleset.players)
        first, *later = DUEL_PLAYOUTS
        for count in (self._scale_by_length(first), *map(self._scale_by_effort, later)):
            there = len(other)
            other = join_results(
                [other, self._playouts.play_position(position, FIRST_POSITION_BLOCK + there, count - there)]
            )
            mine = self._play_from_ply(ply + 1, count)
            if is_class_settled(
                self._playout_losses(self.states[ply].seat, mine, other)[1],
                self._scale_by_effort(DUEL_PLAYOUTS[-1]),
            ):
                break
        return mine, other

    def _playout_losses(
        self, seat: int, mine: PlayoutResults, other: PlayoutResults
    ) -> tuple[Floats, Floats]:
        """Return what a seat lost by its own action, playout by playout: points, and shares of the win."""
        points: Floats = self._sign * (other.scores[:, seat].astype(np.float64) - mine.scores[:, seat])
        return points, other.win_shares[:, seat] - mine.win_shares[:, seat]

    def _order_actions(self, ends: dict[int, PlayoutResults], seat: int) -> list[int]:
        """Return actions, best first: by win share and, in units of its spread, by the margin over the best other."""
        leads = {action: score_margins(self._sign * one.scores, seat) for action, one in ends.items()}
        spread = max(1.0, float(np.concatenate(list(leads.values())).std()))
        worth = {
            action: float(one.win_shares[:, seat].mean() + leads[action].mean() / (4 * spread))
            for action, one in ends.items()
        }
        return sorted(worth, key=lambda action: -worth[action])

    def _make_candidate(self, state: State, action: int, ends: PlayoutResults) -> Candidate:
        return Candidate(
            action,
            self.ruleset.action(action).notation,
            t_interval(ends.scores[:, state.seat].astype(np.float64)),
            t_interval(ends.win_shares[:, state.seat]),
            len(ends),
        )


def is_class_settled(lost: Floats, most: int) -> bool:
    """Say whether `most` playouts could hardly make another class of a loss: none of the bad ones, or the worst."""
    mean, spread = float(lost.mean()), float(lost.std(ddof=1))
    now, then = spread / math.sqrt(len(lost)), spread / math.sqrt(most)
    most_found = mean + HOPELESS_STANDARD_DEVIATIONS * math.sqrt(max(0.0, now**2 - then**2)) - 1.96 * then
    return (
        most_found < CLASS_THRESHOLDS[-1][0] or mean - SETTLED_STANDARD_ERRORS * now >= CLASS_THRESHOLDS[0][0]
    )


def candidate_actions(state: State, most: int) -> list[int]:
    """Return the actions that look best, by the game's own heuristic or else by the score right after them."""
    if len(state.actions) <= most:
        return list(state.actions)
    compiled = find_kernel(state.ruleset)
    if compiled:
        return compiled.candidates(state, most)
    sign = -1 if state.ruleset.lowest_wins else 1
    return sorted(state.actions, key=lambda action: -sign * state.play(action).score(state.seat))[:most]


def review_game(  # noqa: PLR0913 - what makes a review, all named
    run: Run,
    game_id: int,
    *,
    policy: str | None = None,
    seed: int = 0,
    effort: float = 1.0,
    progress: Callable[[int, int], bool] = lambda _done, _plies: True,
) -> Review | None:
    """Review a logged game; None if `progress`, told plies done and plies in all, says False.

    Raises InvalidError if the game is not logged.
    """
    ruleset = run.ruleset(run.game(game_id).ruleset)
    reviewer = Reviewer(ruleset, run.actions(game_id), policy=policy, seed=seed, effort=effort)
    looks = {}
    for ply, look in iter_ply_reviews(reviewer):
        looks[ply] = look
        if not progress(len(looks), len(reviewer.actions) + 1):
            return None
    return build_review(reviewer, looks, run=run.name, game_id=game_id)


PlyReview: TypeAlias = "tuple[list[Interval], list[Interval], Decision | None]"


def iter_ply_reviews(reviewer: Reviewer) -> Iterator[tuple[int, PlyReview]]:
    """Yield every ply with its value and its decision, in order, and behind the last the result."""

    def review_ply(ply: int) -> PlyReview:
        decision = reviewer.review_decision(ply)  # first, for its playouts are of use to the value after it
        return *reviewer.position_value(ply), decision

    plies = range(len(reviewer.states))
    if not reviewer.is_compiled:  # plain rules gain nothing from threads
        yield from ((ply, review_ply(ply)) for ply in plies)
        return
    with ThreadPoolExecutor(usable_cpus()) as threads:  # compiled games let go of the interpreter
        futures = [threads.submit(review_ply, ply) for ply in plies]
        try:
            for ply, future in zip(plies, futures, strict=True):
                yield ply, future.result()
        finally:
            threads.shutdown(wait=False, cancel_futures=True)


def build_review(
    reviewer: Reviewer, looks: dict[int, PlyReview], *, run: str = "", game_id: int = 0
) -> Review:
    """Put the looks at all plies together."""
    plies = len(reviewer.actions)
    points, wins = (np.array([looks[ply][part] for ply in range(plies + 1)]) for part in (0, 1))
    point_halves, win_halves = ((part[..., 2] - part[..., 1]) / 2 for part in (points, wins))
    sign = -1 if reviewer.ruleset.lowest_wins else 1
    steps = sign * np.diff(points[..., 0], axis=0), np.diff(wins[..., 0], axis=0)
    noise = tuple(np.hypot(half[1:], half[:-1]) for half in (point_halves, win_halves))
    rolls = [
        Roll(
            ply,
            reviewer.ruleset.action(reviewer.actions[ply]).notation,
            *(tuple(float(value) for value in one[ply]) for one in (*steps, *noise)),
        )
        for ply in range(plies)
        if reviewer.states[ply].seat == CHANCE
    ]
    return Review(
        run=run,
        game_id=game_id,
        policy=reviewer.policy,
        ruleset=reviewer.ruleset.name,
        lowest_wins=reviewer.ruleset.lowest_wins,
        seats=tuple(state.seat for state in reviewer.states[:-1]),
        scores=points[..., 0],
        score_halves=point_halves,
        win_shares=wins[..., 0],
        win_share_halves=win_halves,
        decisions=tuple(decision for ply in range(plies) if (decision := looks[ply][2])),
        rolls=tuple(rolls),
    )
