"""Review of a game: what every decision cost, what every roll brought, and how it stood after every ply.

A position is worth what its playouts bring: the mean final score and the mean share of the win of each seat when one
fast strategy plays everybody on, on luck that has nothing to do with the game's own. All positions and all candidates
of a review meet the same luck, so that differences between them are surer than the values themselves.

The values of the positions form a chain from the first to the result. What a roll adds to it is its luck, what an
action adds belongs to the seat that chose it; together with the first value they add up to the result, exactly.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import numpy as np

from engine import games
from engine.game import CHANCE, InvalidError, State
from engine.kernel import kernel
from engine.play import replay
from engine.strategies import player
from pipelines.continuations import play_on, strata_of
from pipelines.fork import Branch
from pipelines.statistics import t_interval
from pipelines.statistics.strata import stratified_interval
from pipelines.whatif import margins
from pipelines.workers import cpus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from engine.ruleset import Ruleset
    from engine.strategies import Player
    from pipelines.continuations import Continuations
    from pipelines.run import Run
    from pipelines.statistics import Interval
    from pipelines.statistics.distributions import Floats

Class: TypeAlias = Literal["best", "good", "inaccuracy", "mistake", "blunder"]
CLASSES: Final[tuple[tuple[float, Class], ...]] = (
    (0.20, "blunder"),
    (0.10, "mistake"),
    (0.05, "inaccuracy"),
)
"""From how much win chance lost an action is called what, if the whole interval of the loss lies there."""
NEGLIGIBLE: Final = 0.02
"""An action that is estimated to lose less of the win than this is as good as the best."""

CANDIDATES: Final = 12
"""Actions looked at in a decision, the one chosen not counted."""
POSITION: Final = 128
"""Playouts of every position of the game."""
SIFTING: Final = 24
"""Playouts of every candidate in the first stage; each stage after it has twice as many for half the candidates."""
DUEL: Final = 400
"""Playouts of the best candidate and of the action chosen, on luck that had no part in choosing the candidate."""


@dataclass(frozen=True)
class Candidate:
    """An action that could have been chosen."""

    action: int
    notation: str
    score: Interval | None
    """Mean final score of the acting seat."""
    win_share: Interval | None
    n: int
    """Playouts."""


@dataclass(frozen=True)
class Decision:
    """One ply at which a seat had a choice."""

    ply: int
    seat: int
    options: int
    chosen: Candidate
    best: Candidate
    """The best of the others; the chosen one again where none was found better."""
    lost_points: Interval | None
    """Final score of the best less that of the chosen; the reverse where the lowest score wins."""
    lost_wins: Interval | None
    """The same of the win share: the regret."""
    judged: Class
    candidates: tuple[Candidate, ...]
    """Those that came through the first stage, best first."""


@dataclass(frozen=True)
class Roll:
    """One ply of chance."""

    ply: int
    notation: str
    luck_points: tuple[float, ...]
    """For each seat, value after less expected value before, in points; more is better, whichever score wins."""
    luck_wins: tuple[float, ...]


@dataclass(frozen=True)
class Ledger:
    """Where a seat's result came from: start + luck + own + others = result."""

    seat: int
    start: float
    luck: float
    own: float
    """What its own decisions added to what the playouts' strategy would have made of them."""
    others: float
    result: float


@dataclass(frozen=True)
class Review:
    """A reviewed game."""

    run: str
    game_id: int
    policy: str
    ruleset: str
    lowest_wins: bool
    seats: tuple[int | None, ...]
    """(plies,) Who acted; -1 for chance."""
    scores: Floats
    """(plies + 1, seats) Expected final score before each ply, and the result."""
    score_halves: Floats
    """(plies + 1, seats) Half widths of their 95 % intervals."""
    win_shares: Floats
    """(plies + 1, seats)"""
    win_share_halves: Floats
    decisions: tuple[Decision, ...]
    rolls: tuple[Roll, ...]

    def ledger(self, seat: int, *, wins: bool = False) -> Ledger:
        """Return the ledger of a seat, in points or in shares of the win."""
        course = (self.win_shares if wins else self.scores)[:, seat]
        steps = np.diff(course)
        acted = np.array(self.seats)
        return Ledger(
            seat,
            float(course[0]),
            float(steps[acted == CHANCE].sum()),
            float(steps[acted == seat].sum()),
            float(steps[(acted != CHANCE) & (acted != seat)].sum()),
            float(course[-1]),
        )

    def counts(self, seat: int) -> dict[Class, int]:
        """Return how many of a seat's decisions are of each class."""
        own = [decision.judged for decision in self.decisions if decision.seat == seat]
        return {name: own.count(name) for name in ("best", "good", "inaccuracy", "mistake", "blunder")}

    def document(self) -> dict[str, Any]:
        """Return all of it as JSON data."""
        players = self.scores.shape[1]
        return {
            "run": self.run,
            "game_id": self.game_id,
            "ruleset": self.ruleset,
            "policy": self.policy,
            "lowest_wins": self.lowest_wins,
            "seats": list(self.seats),
            "scores": self.scores.round(3).tolist(),
            "score_halves": self.score_halves.round(3).tolist(),
            "win_shares": self.win_shares.round(4).tolist(),
            "win_share_halves": self.win_share_halves.round(4).tolist(),
            "decisions": [_plain(decision) for decision in self.decisions],
            "rolls": [_plain(roll) for roll in self.rolls],
            "ledgers": [vars(self.ledger(seat)) for seat in range(players)],
            "win_ledgers": [vars(self.ledger(seat, wins=True)) for seat in range(players)],
        }


def _plain(value: Any) -> Any:  # noqa: ANN401 - JSON has many types
    if hasattr(value, "_asdict"):
        return {key: round(number, 4) for key, number in value._asdict().items()}
    if hasattr(value, "__dataclass_fields__"):
        return {key: _plain(part) for key, part in vars(value).items()}
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    return round(value, 4) if isinstance(value, float) else value


def judged(lost: Interval | None, *, is_best: bool) -> Class:
    """Return the class of an action from the share of the win that it lost.

    >>> from pipelines.statistics import Interval
    >>> [judged(Interval(0.15, low, 0.3), is_best=False) for low in (0.01, 0.06, 0.12, 0.21)]
    ['good', 'inaccuracy', 'mistake', 'blunder']
    """
    if is_best or lost is None:
        return "best"
    for least, name in CLASSES:
        if lost.low >= least:
            return name
    return "best" if lost.estimate < NEGLIGIBLE else "good"


class Reviewer:
    """Reviews one game; each ply can be looked at by itself, in any order and in several threads."""

    def __init__(
        self,
        ruleset: Ruleset,
        actions: Sequence[int],
        *,
        policy: str = "greedy",
        seed: int = 0,
        effort: float = 1.0,
    ) -> None:
        """`effort` multiplies all numbers of playouts. Raises InvalidError for a strategy that does not exist."""
        game = games.game(ruleset.game)
        self.ruleset = ruleset
        self.actions = list(actions)
        self.policy = player(game, policy).name
        self.states: list[State] = list(replay(game.start(ruleset), actions))
        self._seating: tuple[Player, ...] = (player(game, policy),) * ruleset.players
        self._seed = seed
        self._effort = effort
        self._sign = -1 if ruleset.lowest_wins else 1

    def playouts(self, state: State, first: int, count: int) -> Continuations:
        """Play on from a position with the luck of some blocks."""
        return play_on(Branch(state, (), self._seating), self._seed, range(first, first + count))

    def _count(self, playouts: int) -> int:
        return max(4, round(playouts * self._effort))

    def value(self, ply: int) -> tuple[list[Interval], list[Interval]]:
        """Return the expected final score and win share of each seat before a ply."""
        state = self.states[ply]
        ends = self.playouts(state, 0, self._count(POSITION))
        columns = [*np.asarray(ends.scores, dtype=np.float64).T, *ends.win_shares.T]
        if not state.is_over and state.seat == CHANCE:
            strata, shares = strata_of(state, self._seed, range(len(ends.plies)))
            found = [stratified_interval(column, strata, shares) for column in columns]
        else:
            found = [t_interval(column) for column in columns]
        values = [one for one in found if one]
        return values[: self.ruleset.players], values[self.ruleset.players :]

    def decision(self, ply: int) -> Decision | None:
        """Judge what was chosen at a ply; None for a roll and where there was one action only."""
        state = self.states[ply]
        if state.is_over or state.seat == CHANCE or len(state.actions) < 2:
            return None
        chosen = self.actions[ply]
        sifted = self._sifted(state, chosen)
        best = sifted[0][0]
        rival = best if best != chosen else sifted[1][0]
        first, count = self._count(SIFTING) << 6, self._count(DUEL)
        mine = self.playouts(state.play(chosen), first, count)
        other = self.playouts(state.play(rival), first, count)
        seat = state.seat
        points = self._sign * (other.scores[:, seat].astype(np.float64) - mine.scores[:, seat])
        wins = other.win_shares[:, seat] - mine.win_shares[:, seat]
        is_best = float(wins.mean()) <= 0 and float(points.mean()) <= 0
        shown = [self._candidate(state, action, ends) for action, ends in sifted]
        own, others = self._candidate(state, chosen, mine), self._candidate(state, rival, other)
        return Decision(
            ply=ply,
            seat=seat,
            options=len(state.actions),
            chosen=own,
            best=own if is_best else others,
            lost_points=t_interval(points),
            lost_wins=t_interval(wins),
            judged=judged(t_interval(wins), is_best=is_best),
            candidates=tuple(shown),
        )

    def _sifted(self, state: State, chosen: int) -> list[tuple[int, Continuations]]:
        """Return half of the candidates, best first: stage by stage the better half gets twice as many playouts."""
        actions = candidates(state, CANDIDATES)
        if chosen not in actions:
            actions = [*actions, chosen]
        count = self._count(SIFTING)
        ends = {action: self.playouts(state.play(action), 0, count) for action in actions}
        order = self._ordered(ends, state.seat)
        kept = order[: max(2, (len(order) + 1) // 2)]
        left, first = kept, count
        while len(left) > 2:
            count *= 2
            for action in left:
                ends[action] = ends[action].joined(self.playouts(state.play(action), first, count))
            first += count
            left = self._ordered({action: ends[action] for action in left}, state.seat)
            left = left[: (len(left) + 1) // 2]
        rest = [action for action in kept if action not in left]
        return [(action, ends[action]) for action in (*left, *rest)]

    def _ordered(self, ends: dict[int, Continuations], seat: int) -> list[int]:
        """Return actions, best first: by win share and, in units of its spread, by the margin over the best other."""
        leads = {action: margins(self._sign * one.scores, seat) for action, one in ends.items()}
        spread = max(1.0, float(np.concatenate(list(leads.values())).std()))
        worth = {
            action: float(one.win_shares[:, seat].mean() + leads[action].mean() / (4 * spread))
            for action, one in ends.items()
        }
        return sorted(worth, key=lambda action: -worth[action])

    def _candidate(self, state: State, action: int, ends: Continuations) -> Candidate:
        return Candidate(
            action,
            self.ruleset.action(action).notation,
            t_interval(ends.scores[:, state.seat].astype(np.float64)),
            t_interval(ends.win_shares[:, state.seat]),
            len(ends.plies),
        )


def candidates(state: State, most: int) -> list[int]:
    """Return the actions that look best, by the game's own heuristic or else by the score right after them."""
    if len(state.actions) <= most:
        return list(state.actions)
    try:
        compiled = kernel(state.ruleset)
    except InvalidError:
        compiled = None
    if compiled:
        return compiled.candidates(state, most)
    sign = -1 if state.ruleset.lowest_wins else 1
    return sorted(state.actions, key=lambda action: -sign * state.play(action).score(state.seat))[:most]


def review(  # noqa: PLR0913 - what makes a review, all named
    run: Run,
    game_id: int,
    *,
    policy: str = "greedy",
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
    for ply, look in looked_at(reviewer):
        looks[ply] = look
        if not progress(len(looks), len(reviewer.actions) + 1):
            return None
    return reviewed(reviewer, looks, run=run.name, game_id=game_id)


Look: TypeAlias = "tuple[list[Interval], list[Interval], Decision | None]"


def looked_at(reviewer: Reviewer) -> Iterator[tuple[int, Look]]:
    """Yield every ply with its value and its decision, in order, and behind the last the result."""

    def look(ply: int) -> Look:
        return *reviewer.value(ply), reviewer.decision(ply)

    plies = range(len(reviewer.states))
    if all(state.is_over or kernel_of(state) is None for state in reviewer.states[:1]):
        yield from ((ply, look(ply)) for ply in plies)  # plain rules gain nothing from threads
        return
    with ThreadPoolExecutor(cpus()) as threads:  # compiled games let go of the interpreter
        futures = [threads.submit(look, ply) for ply in plies]
        try:
            for ply, future in zip(plies, futures, strict=True):
                yield ply, future.result()
        finally:
            threads.shutdown(wait=False, cancel_futures=True)


def kernel_of(state: State) -> object | None:
    """Return the compiled game of a position, if there is one."""
    try:
        return kernel(state.ruleset)
    except InvalidError:
        return None


def reviewed(reviewer: Reviewer, looks: dict[int, Look], *, run: str = "", game_id: int = 0) -> Review:
    """Put the looks at all plies together."""
    plies = len(reviewer.actions)
    points = np.array([[one.estimate for one in looks[ply][0]] for ply in range(plies + 1)])
    wins = np.array([[one.estimate for one in looks[ply][1]] for ply in range(plies + 1)])
    sign = -1 if reviewer.ruleset.lowest_wins else 1
    rolls = [
        Roll(
            ply,
            reviewer.ruleset.action(reviewer.actions[ply]).notation,
            tuple(float(step) for step in sign * (points[ply + 1] - points[ply])),
            tuple(float(step) for step in wins[ply + 1] - wins[ply]),
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
        scores=points,
        score_halves=np.array([[one.half for one in looks[ply][0]] for ply in range(plies + 1)]),
        win_shares=wins,
        win_share_halves=np.array([[one.half for one in looks[ply][1]] for ply in range(plies + 1)]),
        decisions=tuple(decision for ply in range(plies) if (decision := looks[ply][2])),
        rolls=tuple(rolls),
    )
