"""The reviewer of a game: values of positions and reviews of decisions, estimated by playouts.

A playout plays a position to the end by the same players many times. Only the results are kept.

`pipelines.experiments.review` explains the method and combines the results of all plies.

Playouts: positions of a game are played to the end many times by the same players, and only the results are kept.
Where there is a compiled game, a position has the form of the kernel, so that it is converted once and then updated ply
by ply. Otherwise it is a `State`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import numpy as np

from engine import games
from engine.actions import CHANCE
from engine.errors import InvalidError
from engine.kernels.loader import find_kernel
from engine.play import replay_actions
from engine.strategies import read_player
from pipelines.design.limits import MAX_EFFORT
from pipelines.experiments.continuations import (
    continuation_seed,
    find_branch_kernel,
    play_branch,
    roll_strata,
)
from pipelines.experiments.fork import Branch, choose_quick_strategy, is_result_determined
from pipelines.experiments.review_results import (
    POINT_THRESHOLDS,
    WIN_THRESHOLDS,
    Candidate,
    ClassThresholds,
    Decision,
    Loss,
    classify_loss,
    is_win_nearly_decided,
)
from pipelines.experiments.whatif import score_margins
from pipelines.simulate.workers import usable_cpus
from pipelines.statistics import Interval, win_shares
from pipelines.statistics.bounded_means import (
    SHARE_BOUNDS,
    ValueBounds,
    plausible_bounds,
    simple_interval,
    stratified_interval,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.ruleset import Ruleset
    from engine.state import State
    from engine.strategy import Player
    from pipelines.statistics.intervals import Floats

MAX_CANDIDATES: Final = 12
"""Largest number of actions that are compared with the chosen one."""
FIRST_CANDIDATES: Final = 60
"""Number of the first actions of a game among which mirror images are looked for: one of them is enough."""
POSITION_PLAYOUTS: Final = 96
"""Playouts of every position of the game."""
SIFTING_PLAYOUTS: Final = (16, 24, 48)
"""Playouts of every candidate in each stage; only the better half of the candidates enters the next stage."""
DUEL_PLAYOUTS: Final = (96, 192, 384)
"""Numbers of playouts after which the best candidate and the chosen action are compared. They have other luck than the
stages before, by which the best candidate was chosen. A duel ends as soon as the class is clear."""
TRY_PLAYOUTS: Final = (60, 240)
"""Numbers of playouts after which a move that a person may try is compared with the best one, before all; many legal moves are clearly bad."""
SETTLED_STANDARD_ERRORS: Final = 3.3
"""A duel ends early when the loss is this many standard errors above the threshold of the worst class. At this
distance, repeated looks hardly change the error rate of the interval (Haybittle 1971, Peto et al. 1976)."""
HOPELESS_STANDARD_DEVIATIONS: Final = 2.0
"""A duel also ends early when the rest of it would have to be this many standard deviations above expectation to reach
any bad class. This can miss a bad decision, but never blames a good one."""
VALUED_MOVES: Final = 5
"""Number of the most promising other actions that get a value; with the chosen one they contain the five best."""
MAX_SEPARATE_OUTCOMES: Final = 36
"""If a roll has at most this many outcomes, each outcome gets its own playouts."""
LONG_GAME_PLIES: Final = 120
"""In games with more plies than this, positions and stages get proportionally fewer playouts. Otherwise a review of
Spexxx would take three times as long as one of BLOXX!."""
FIRST_POSITION_BLOCK: Final = 1 << 20
"""First block for positions and duels, which give values."""
FIRST_CHOICE_BLOCK: Final = 1 << 21
"""First block for the playouts that choose and order the moves. They give no values, which they would flatter."""


class PlayoutLuck(NamedTuple):
    """The luck of a series of playouts."""

    seed: int
    blocks: Sequence[int]


class Reviewer:
    """Reviews one game. Plies can be reviewed in any order and in several threads."""

    def __init__(  # noqa: PLR0913 - all options but the first two have names
        self,
        ruleset: Ruleset,
        actions: Sequence[int],
        *,
        policy: str | None = None,
        seed: int = 0,
        number: int = 0,
        effort: float = 1.0,
    ) -> None:
        """Prepare the review of a game that is given by its actions.

        `policy` is the strategy of the playouts, whose luck depends on the seed and on the `number` of the game; `effort` multiplies all
        numbers of playouts. Raises InvalidError for a strategy that does not exist, and for an effort that is not above 0.
        """
        game = games.find_game(ruleset.game)
        player = read_player(game, policy or choose_quick_strategy(ruleset))
        self.ruleset = ruleset
        self.actions = list(actions)
        self.policy = player.name
        self.states: list[State] = list(replay_actions(game.start(ruleset), actions))
        self._seed = continuation_seed(seed, number)
        self._duel_luck = PlayoutLuck(self._seed, range(FIRST_POSITION_BLOCK, FIRST_CHOICE_BLOCK))
        self._playouts = Playouts(self.states[0], [player] * ruleset.players, self._seed)
        start = self._playouts.make_position(self.states[0])
        self._positions = list(accumulate(actions, self._playouts.position_after, initial=start))
        self._results_by_ply: dict[int, PlayoutResults] = {}
        self._results_by_action: dict[tuple[int, int, PlayoutLuck], PlayoutResults] = {}
        self._locks = [Lock() for _ in self.states]
        if not 0 < effort <= MAX_EFFORT:
            raise InvalidError(f"effort: expected a number above 0 and up to {MAX_EFFORT}, not {effort}")
        self._effort = effort
        self._length_factor = min(1.0, LONG_GAME_PLIES / max(1, len(actions)))
        self._sign = -1 if ruleset.lowest_wins else 1

    @property
    def is_compiled(self) -> bool:
        """True if a compiled game plays the playouts; it releases the interpreter lock."""
        return self._playouts.compiled is not None

    @property
    def position_playouts(self) -> int:
        """Playouts of every position of the game."""
        return self._scale_by_length(POSITION_PLAYOUTS)

    @cached_property
    def score_spread(self) -> float:
        """Standard deviation of the final score of a seat in playouts of the first position; at least one point."""
        scores = self._play_from_ply(0, self.position_playouts).scores
        return max(1.0, float(np.sqrt(scores.var(axis=0, ddof=1).mean())))

    def _scale_by_length(self, playouts: int) -> int:
        return self._scale_by_effort(round(playouts * self._length_factor))

    def _scale_by_effort(self, playouts: int) -> int:
        return max(4, round(playouts * self._effort))

    def _play_from_ply(self, ply: int, count: int) -> PlayoutResults:
        """Return `count` playouts of the position before a ply; only playouts that are missing are played."""
        with self._locks[ply]:
            series = [self._results_by_ply[ply]] if ply in self._results_by_ply else []
            done = sum(map(len, series))
            if done < count:
                series.append(
                    self._playouts.play_position(
                        self._positions[ply], FIRST_POSITION_BLOCK + done, count - done
                    )
                )
            self._results_by_ply[ply] = join_results(series)
            return self._results_by_ply[ply].first_playouts(count)

    def position_value(self, ply: int) -> tuple[list[Interval], list[Interval]]:
        """Return the expected final scores and the expected win shares of the seats before a ply.

        Before a roll with few outcomes, each outcome has its own playouts and is weighted by its probability.
        """
        state, count = self.states[ply], self.position_playouts
        strata, shares = np.zeros(count, np.int64), np.ones(1)
        if state.is_over or state.seat != CHANCE:
            results = self._play_from_ply(ply, 1 if state.is_over else count)
        elif len(state.actions) > MAX_SEPARATE_OUTCOMES:
            results = self._play_from_ply(ply, count)
            strata, shares = roll_strata(
                state, self._seed, range(FIRST_POSITION_BLOCK, FIRST_POSITION_BLOCK + count)
            )
        else:
            shares = np.array(state.probabilities)
            counts = np.maximum(2, np.rint(shares * count)).astype(np.int64)
            strata = np.repeat(np.arange(len(shares)), counts)
            results = self._play_outcomes(ply, counts.tolist())
        columns = [*np.asarray(results.scores, dtype=np.float64).T, *results.win_shares.T]
        if state.is_over:
            values = [Interval(*[float(column[0])] * 3) for column in columns]
        else:
            players = self.ruleset.players
            bounds = [plausible_bounds(results.scores)] * players + [SHARE_BOUNDS] * players
            intervals = (
                stratified_interval(column, strata, shares, possible)
                for column, possible in zip(columns, bounds, strict=True)
            )
            values = [interval for interval in intervals if interval]
        return values[: self.ruleset.players], values[self.ruleset.players :]

    def _play_outcomes(self, ply: int, counts: Sequence[int]) -> PlayoutResults:
        """Play playouts of every outcome of a roll, each with other luck."""
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
        """Review the action of a ply by comparing it with the most promising other one; None for a roll and if there was only one legal action."""
        chosen = self.actions[ply]
        if not _has_choice(self.states[ply]):
            return None
        order = order_actions(self._try_moves(ply), self.states[ply])
        rival = next(action for action in order if action != chosen)
        first, *later = DUEL_PLAYOUTS
        counts = (self._scale_by_length(first), *map(self._scale_by_effort, later))
        pair = self._play_duel(ply, (chosen, rival), counts, self._duel_luck)
        loss = self._measure_loss(ply, (chosen, rival), pair)
        results = dict(zip((chosen, rival), pair, strict=True))
        best = _choose_best(order, chosen, loss)
        return self._make_decision(ply, loss, {best: results[best], **results})

    def value_moves(self, ply: int, luck: PlayoutLuck) -> Decision | None:
        """Review the action of a ply by playouts of all likely moves with the luck of these blocks: the best one first, the others by their values.

        Half as many playouts with other luck choose the best one, which its value therefore does not flatter.
        None for a roll and if there was only one legal action.
        """
        state, chosen = self.states[ply], self.actions[ply]
        if not _has_choice(state):
            return None
        tried = self._try_moves(ply)
        self._play_on(ply, tried, list(tried), len(luck.blocks) // 2)
        order = _sort_by_value(tried, chosen, state)
        with ThreadPoolExecutor(usable_cpus()) as threads:
            played = threads.map(lambda action: self._play_action(ply, action, len(luck.blocks), luck), order)
            results = dict(zip(order, played, strict=True))
        rival = next(action for action in order if action != chosen)
        loss = self._measure_loss(ply, (chosen, rival), (results[chosen], results[rival]))
        best, others = _choose_best(order, chosen, loss), _sort_by_value(results, chosen, state)
        return self._make_decision(ply, loss, {action: results[action] for action in (best, *others)})

    def _make_decision(self, ply: int, loss: Loss, results: Mapping[int, PlayoutResults]) -> Decision:
        """Return a decision with its loss, and the results of its candidates, best first."""
        state, chosen = self.states[ply], self.actions[ply]
        candidates = self._make_candidates(state, results)
        return Decision(
            ply=ply,
            seat=state.seat,
            options=len(state.actions),
            chosen=candidates[chosen],
            best=next(iter(candidates.values())),
            lost_points=loss.points,
            lost_wins=loss.wins,
            judged=loss.judged,
            judged_by_points=loss.judged_by_points,
            win_nearly_decided=loss.win_nearly_decided,
            candidates=tuple(candidates.values()),
            legal=tuple(state.actions),
        )

    def _try_moves(self, ply: int) -> dict[int, PlayoutResults]:
        """Play the chosen action and the most promising others equally often, with luck that gives no values."""
        state, chosen = self.states[ply], self.actions[ply]
        likely = self._list_likely(ply)
        results = {action: PlayoutResults.no_results(self.ruleset.players) for action in (*likely, chosen)}
        left, order, total = likely, likely, 0
        for playouts in SIFTING_PLAYOUTS:
            total += self._scale_by_length(playouts)
            self._play_on(ply, results, left, total)
            left = order_actions({action: results[action] for action in left}, state)
            order = [*left, *(action for action in order if action not in left)]
            left = left[: (len(left) + 1) // 2]
            if len(left) == 1:
                break
        tried = [chosen, *order[:VALUED_MOVES]]
        self._play_on(ply, results, tried, total)
        return {action: results[action] for action in tried}

    def _list_likely(self, ply: int) -> list[int]:
        """Return the most promising actions but the chosen one, of mirror images one only if there are others."""
        state, chosen = self.states[ply], self.actions[ply]
        if not self._is_first(ply):
            return [action for action in candidate_actions(state, MAX_CANDIDATES + 1) if action != chosen][
                :MAX_CANDIDATES
            ]
        likely = candidate_actions(
            state, min(FIRST_CANDIDATES, max(MAX_CANDIDATES + 1, len(state.actions) - 1))
        )
        groups = {min(self.mirror_images(ply, action)): action for action in (*reversed(likely), chosen)}
        others = [action for action in likely if action != chosen]
        return ([action for action in others if action in groups.values()] or others)[:MAX_CANDIDATES]

    def _play_on(
        self, ply: int, results: dict[int, PlayoutResults], actions: Sequence[int], count: int
    ) -> None:
        """Add to the results of some actions until each has `count` playouts."""
        for action in actions:
            done = len(results[action])
            if done < count:
                position = self._playouts.position_after(self._positions[ply], action)
                played = self._playouts.play_position(position, FIRST_CHOICE_BLOCK + done, count - done)
                results[action] = join_results([results[action], played])

    def mirror_images(self, ply: int, action: int) -> tuple[int, ...]:
        """Return an action of a ply and, on an empty board, those that are as good because the rules are symmetric."""
        return self.ruleset.equal_actions(action) if self._is_first(ply) else (action,)

    def _is_first(self, ply: int) -> bool:
        return all(state.seat == CHANCE for state in self.states[:ply])

    def judge_action(self, ply: int, action: int, against: int, luck: PlayoutLuck) -> Loss:
        """Judge a legal action of a ply by what it loses against another one; against itself and its mirror images that is nothing."""
        images = self.mirror_images(ply, action)
        if against in images:
            return Loss(Interval(0, 0, 0), Interval(0, 0, 0), "best", "best", win_nearly_decided=False)
        pair, playouts = (min(images), against), len(luck.blocks)
        counts = [*(count for count in TRY_PLAYOUTS if count < playouts), playouts]
        duel = self._play_duel(ply, pair, counts, luck)
        return self._measure_loss(ply, pair, duel)

    def _measure_loss(
        self, ply: int, pair: tuple[int, int], results: tuple[PlayoutResults, PlayoutResults]
    ) -> Loss:
        """Return what the first action of a pair lost against the second one, by the results of both."""
        state = self.states[ply]
        points, wins = self._playout_losses(state.seat, *results)
        possible = plausible_bounds(np.concatenate([played.scores for played in results]))
        ends = all(is_result_determined(state.play(action)) for action in pair)
        lost_points = value_interval(points, possible.minus(possible), is_determined=ends)
        lost_wins = value_interval(wins, SHARE_BOUNDS.minus(SHARE_BOUNDS), is_determined=ends)
        nearly_decided = is_win_nearly_decided(
            *(float(played.win_shares[:, state.seat].mean()) for played in results)
        )
        judged_by_points = classify_loss(lost_points, POINT_THRESHOLDS.scale(self.score_spread))
        judged = judged_by_points if nearly_decided else classify_loss(lost_wins)
        return Loss(lost_points, lost_wins, judged, judged_by_points, nearly_decided)

    def _play_duel(
        self, ply: int, actions: tuple[int, int], counts: Sequence[int], luck: PlayoutLuck
    ) -> tuple[PlayoutResults, PlayoutResults]:
        """Play two actions with the same luck until the classes of the first are clear or all playouts are played."""
        results = PlayoutResults.no_results(self.ruleset.players)
        pair = results, results
        for count in counts:
            first, second = (self._play_action(ply, action, count, luck) for action in actions)
            pair = first, second
            points, wins = self._playout_losses(self.states[ply].seat, *pair)
            max_playouts = counts[-1]
            if is_class_settled(wins, max_playouts) and is_class_settled(
                points / self.score_spread, max_playouts, POINT_THRESHOLDS
            ):
                break
        return pair

    def _play_action(self, ply: int, action: int, count: int, luck: PlayoutLuck) -> PlayoutResults:
        """Return `count` playouts of the position after an action; only playouts that are missing are played."""
        if action == self.actions[ply] and luck is self._duel_luck:
            return self._play_from_ply(ply + 1, count)
        key = ply, action, luck
        known = self._results_by_action.get(key, PlayoutResults.no_results(self.ruleset.players))
        if len(known) < count:
            position = self._playouts.position_after(self._positions[ply], action)
            played = self._playouts.play(position, luck.blocks[len(known) : count], luck.seed)
            known = self._results_by_action[key] = join_results([known, played])
        return known.first_playouts(count)

    def _playout_losses(
        self, seat: int, chosen: PlayoutResults, rival: PlayoutResults
    ) -> tuple[Floats, Floats]:
        """Return the points and the shares of the win that a seat lost by its action, both of shape (playouts,)."""
        points: Floats = self._sign * (rival.scores[:, seat].astype(np.float64) - chosen.scores[:, seat])
        return points, rival.win_shares[:, seat] - chosen.win_shares[:, seat]

    def _make_candidates(self, state: State, results: Mapping[int, PlayoutResults]) -> dict[int, Candidate]:
        """Return the candidates by action, in the order of `results`, each compared with the first one by points and by wins."""
        seat, leader = state.seat, next(iter(results))
        determined = {action for action in results if is_result_determined(state.play(action))}
        gaps = plausible_bounds(np.concatenate([played.scores for played in results.values()]))
        candidates = {}
        for action, played in results.items():
            is_determined = action in determined
            points_behind, wins_behind = (
                value_interval(lost, bounds.minus(bounds), is_determined={action, leader} <= determined)
                if action != leader
                else Interval(0, 0, 0)
                for lost, bounds in zip(
                    self._playout_losses(seat, *_first_pairs(played, results[leader])),
                    (gaps, SHARE_BOUNDS),
                    strict=True,
                )
            )
            scores = played.scores[:, seat].astype(np.float64)
            candidates[action] = Candidate(
                action=action,
                notation=self.ruleset.action(action).notation,
                score=value_interval(scores, plausible_bounds(played.scores), is_determined=is_determined),
                win_share=value_interval(
                    played.win_shares[:, seat], SHARE_BOUNDS, is_determined=is_determined
                ),
                n=len(played),
                points_behind=points_behind,
                wins_behind=wins_behind,
            )
        return candidates


def _choose_best(order: Sequence[int], chosen: int, loss: Loss) -> int:
    """Return the first of some actions, or the other one of the two that are compared if that is clearly better."""
    rival = next(action for action in order if action != chosen)
    lost = loss.points if loss.win_nearly_decided else loss.wins
    if lost is None or lost.low <= 0 <= lost.high:
        return order[0]
    return rival if lost.low > 0 else chosen


def _sort_by_value(results: Mapping[int, PlayoutResults], chosen: int, state: State) -> list[int]:
    """Return actions by their values, the largest first: by points if the win is nearly decided between the chosen action and the best other one."""
    seat, sign = state.seat, -1 if state.ruleset.lowest_wins else 1
    wins = {action: float(played.win_shares[:, seat].mean()) for action, played in results.items()}
    points = {action: sign * float(played.scores[:, seat].mean()) for action, played in results.items()}
    rival = max(share for action, share in wins.items() if action != chosen)
    first, second = (points, wins) if is_win_nearly_decided(wins[chosen], rival) else (wins, points)
    return sorted(results, key=lambda action: (first[action], second[action]), reverse=True)


def _first_pairs(first: PlayoutResults, second: PlayoutResults) -> tuple[PlayoutResults, PlayoutResults]:
    """Return as many results of both as have the same luck: one of them may have been played more often."""
    count = min(len(first), len(second))
    return first.first_playouts(count), second.first_playouts(count)


def _has_choice(state: State) -> bool:
    """Return whether a seat chooses between several actions."""
    return not state.is_over and state.seat != CHANCE and len(state.actions) > 1


def value_interval(values: Floats, bounds: ValueBounds, *, is_determined: bool) -> Interval | None:
    """Return the mean of playouts, shape (playouts,), with its interval, which has no width if the rules determine it."""
    exact = ValueBounds(float(values[0]), float(values[0]))
    return simple_interval(values, exact if is_determined else bounds)


def is_class_settled(lost: Floats, max_playouts: int, thresholds: ClassThresholds = WIN_THRESHOLDS) -> bool:
    """Return whether a duel can end: `max_playouts` playouts would very probably not change the class.

    `lost` are the losses so far, shape (playouts,), in the unit of the thresholds. The class is clear if no bad class can be reached any
    more, or if the loss is far above the threshold of the worst class.
    """
    mean, spread = float(lost.mean()), float(lost.std(ddof=1))
    error_now, error_at_end = spread / math.sqrt(len(lost)), spread / math.sqrt(max_playouts)
    possible_change = HOPELESS_STANDARD_DEVIATIONS * math.sqrt(max(0.0, error_now**2 - error_at_end**2))
    largest_low_end = mean + possible_change - 1.96 * error_at_end
    return (
        largest_low_end < thresholds.inaccuracy
        or mean - SETTLED_STANDARD_ERRORS * error_now >= thresholds.blunder
    )


def candidate_actions(state: State, limit: int) -> list[int]:
    """Return the `limit` most promising actions: by the heuristic of the kernel, or else by the score after the action."""
    if len(state.actions) <= limit:
        return list(state.actions)
    compiled = find_kernel(state.ruleset)
    if compiled:
        return compiled.candidates(state, limit)
    sign = -1 if state.ruleset.lowest_wins else 1
    return sorted(state.actions, key=lambda action: -sign * state.play(action).score(state.seat))[:limit]


PlayoutPosition: TypeAlias = Any
"""A position in the form of the kernel, or a State."""


@dataclass(frozen=True)
class PlayoutResults:
    """The results of the playouts of a position, one row for each block."""

    scores: NDArray[np.int32]
    """(playouts, seats)"""
    ranks: NDArray[np.uint8]
    """(playouts, seats)"""

    @classmethod
    def no_results(cls, seats: int) -> PlayoutResults:
        """Return the results of zero playouts."""
        return cls(np.zeros((0, seats), np.int32), np.zeros((0, seats), np.uint8))

    def __len__(self) -> int:
        return len(self.scores)

    @property
    def win_shares(self) -> Floats:
        """(playouts, seats) The share that each seat has of the win."""
        return win_shares(self.ranks)

    def first_playouts(self, count: int) -> PlayoutResults:
        """Return the results of the first `count` playouts."""
        return PlayoutResults(self.scores[:count], self.ranks[:count])


def join_results(series: Sequence[PlayoutResults]) -> PlayoutResults:
    """Return the results of several series of playouts in one object."""
    return PlayoutResults(
        np.concatenate([results.scores for results in series]),
        np.concatenate([results.ranks for results in series]),
    )


def order_actions(results: Mapping[int, PlayoutResults], state: State) -> list[int]:
    """Return the actions of the acting seat, best first: by win share plus a quarter of the standardised lead over the best other seat.

    Where the win is nearly decided, points judge a decision, so the score alone decides.
    """
    seat, sign = state.seat, -1 if state.ruleset.lowest_wins else 1
    shares = {action: float(playouts.win_shares[:, seat].mean()) for action, playouts in results.items()}
    if is_win_nearly_decided(min(shares.values()), max(shares.values())):
        return sorted(results, key=lambda action: -sign * float(results[action].scores[:, seat].mean()))
    leads = {action: score_margins(sign * playouts.scores, seat) for action, playouts in results.items()}
    spread = max(1.0, float(np.concatenate(list(leads.values())).std()))
    return sorted(results, key=lambda action: -shares[action] - float(leads[action].mean()) / (4 * spread))


class Playouts:
    """Plays positions of one ruleset to the end, always with the same players. It can be shared by threads."""

    def __init__(self, start: State, seating: Sequence[Player], seed: int) -> None:
        """`start` is any position of the ruleset, `seating` has the player of each seat."""
        self.seating = tuple(seating)
        self.seed = seed
        self.compiled = find_branch_kernel(Branch(start, (), self.seating))

    def make_position(self, state: State) -> PlayoutPosition:
        """Return a state in the form that `play_position` takes."""
        return self.compiled.pack(state) if self.compiled else state

    def position_after(self, position: PlayoutPosition, action: int) -> PlayoutPosition:
        """Return the position after a legal action or an outcome of a roll."""
        return self.compiled.apply_action(position, action) if self.compiled else position.play(action)

    def make_state(self, position: PlayoutPosition) -> State:
        """Return a position as one of the plain rules."""
        return self.compiled.unpack(position) if self.compiled else position

    def play_position(self, position: PlayoutPosition, first: int, count: int) -> PlayoutResults:
        """Play a position to the end with the luck of `count` blocks, beginning with block `first`."""
        return self.play(position, range(first, first + count), self.seed)

    def play(self, position: PlayoutPosition, blocks: Sequence[int], seed: int) -> PlayoutResults:
        """Play a position to the end once with the luck of each block."""
        if self.compiled:
            batch = self.compiled.play([self.seating], seed, blocks, start=position, logged=False)
            return PlayoutResults(batch.scores, batch.ranks)
        continuations = play_branch(Branch(position, (), self.seating), seed, blocks)
        return PlayoutResults(continuations.scores, continuations.ranks)
