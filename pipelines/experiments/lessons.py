"""Lessons: decisions of logged games at which a person finds a better move than the one that was played.

A reviewed run makes lessons of its clear slips. The review has found them among all its decisions, so some look worse than they were:
each is judged again with luck that the review has not seen, and counts only if it is clear again. This luck is that of the answer of a
what-if, so a lesson, the best moves at its ply and an answer about one of them have the same values.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from statistics import NormalDist
from typing import TYPE_CHECKING, Final, NamedTuple

from engine.errors import InvalidError
from engine.games import find_game
from engine.luck import Luck
from engine.strategies import built_in_strategies, list_obstacles, read_player
from pipelines.design.limits import CONTINUATIONS, SEED
from pipelines.experiments.fork import Change, fork_logged_game
from pipelines.experiments.review import start_review
from pipelines.experiments.review_results import BAD_CLASSES, Decision, Loss, Review
from pipelines.experiments.reviewer import PlayoutLuck, Reviewer, candidate_actions
from pipelines.experiments.whatif import deal_continuations
from pipelines.runs.reviews import list_clear_slips
from pipelines.simulate.checked_players import decide_once
from pipelines.simulate.compiled_games import play_prefix
from pipelines.simulate.workers import usable_cpus
from pipelines.statistics import Interval
from pipelines.statistics.intervals import hold_for_all

if TYPE_CHECKING:
    from engine.strategy import Player
    from pipelines.runs.run import Run

LESSON_LEVEL: Final = 0.99
"""Level of the intervals that are above zero for a slip to be clear: once in the review and once with fresh luck."""
LESSON_PLAYOUTS: Final = CONTINUATIONS.default
"""Playouts of each move, which are as many as a what-if has by default."""
LEAST_CHOICES: Final = 5
"""Legal moves of a lesson at least: among fewer one guesses."""
LIKELY_MOVES: Final = 60
"""Moves of a lesson that get a value in a file, where nobody can be asked for others."""
DRAWS: Final = 3
"""How often each strategy chooses at a lesson, each time with other luck."""
DRAW_SEED: Final = (1 << 63) + 4096
"""Seed of that luck."""
MAX_KEPT_DECISIONS: Final = 1000
_kept_decisions: Final[dict[tuple[str, int, int], Decision]] = {}
"""The decisions of the last lessons, by run, game and ply: the reviews of this process say the same of them."""


@dataclass(frozen=True)
class Lesson:
    """A decision of a logged game, and what its moves are worth."""

    game_id: int
    reviewer: Reviewer
    luck: PlayoutLuck
    decision: Decision

    def judge(self, action: int) -> Loss:
        """Return what a legal action loses against the best one."""
        return self.reviewer.judge_action(self.decision.ply, action, self.decision.best.action, self.luck)

    def judge_likely(self) -> dict[int, Loss]:
        """Return by action what it loses against the best one, on all processors: of the most promising actions, those of the decision first, and of their mirror images."""
        state = self.reviewer.states[self.decision.ply]
        valued = [move.action for move in self.decision.candidates]
        likely = [*valued, *candidate_actions(state, LIKELY_MOVES), *state.actions]
        actions = list(dict.fromkeys(likely))[:LIKELY_MOVES]
        with ThreadPoolExecutor(usable_cpus() if self.reviewer.is_compiled else 1) as threads:
            losses = dict(zip(actions, threads.map(self.judge, actions), strict=True))
        return losses | {
            image: loss
            for action, loss in losses.items()
            for image in self.reviewer.mirror_images(self.decision.ply, action)
        }

    @property
    def lost_wins(self) -> Interval:
        """The share of the win that the move lost, with its interval at `LESSON_LEVEL`."""
        lost = self.decision.lost_wins
        return hold_for_all(lost, round(0.05 / (1 - LESSON_LEVEL))) if lost else Interval(0.0, -1.0, 1.0)

    @property
    def is_clear_slip(self) -> bool:
        """Whether the move was bad, and the interval of what it lost is above zero at `LESSON_LEVEL`."""
        return self.decision.judged in BAD_CLASSES and self.lost_wins.low > 0


class RatedLesson(NamedTuple):
    """A lesson, and the strategies that find a good move."""

    lesson: Lesson
    found: Mapping[str, bool]
    """By strategy of the game: whether most of its choices are not clearly worse than the best move."""

    @property
    def finders(self) -> tuple[str, ...]:
        return tuple(name for name, is_found in self.found.items() if is_found)

    @property
    def level(self) -> str:
        """Easy if most strategies find a good move, hard if one does, very hard if none does, otherwise medium."""
        if 2 * len(self.finders) > len(self.found):
            return "easy"
        return ("very hard", "hard", "medium")[min(2, len(self.finders))]


def find_lesson(run: Run, game_id: int, ply: int) -> Lesson:
    """Return the lesson of a ply of a logged game. Raises InvalidError if the moves are not logged, and where nobody chose."""
    reviewer = start_review(run, game_id).reviewer
    if ply < len(reviewer.actions):
        luck = deal_lesson_luck(run, game_id, ply)
        if decision := reviewer.value_moves(ply, luck):
            _kept_decisions[run.key, game_id, ply] = decision
            if len(_kept_decisions) > MAX_KEPT_DECISIONS:
                _kept_decisions.pop(next(iter(_kept_decisions)))
            return Lesson(game_id, reviewer, luck, decision)
    raise InvalidError(
        f"nobody had a choice at move {ply + 1} of game {game_id + 1} of {run.name}: no lesson"
    )


def adopt_lessons(review: Review, run: Run) -> Review:
    """Return the review of a logged game in which decisions count as the lessons say that this process has found since."""
    adopted = (
        _kept_decisions.get((run.key, review.game_id, decision.ply), decision)
        for decision in review.decisions
    )
    return replace(review, decisions=tuple(adopted))


def deal_lesson_luck(run: Run, game_id: int, ply: int) -> PlayoutLuck:
    """Return the luck of the answer that a what-if with quick players has by default."""
    dealt = deal_continuations(
        fork_logged_game(run, game_id, ply, Change(quick=True)), LESSON_PLAYOUTS, SEED.default
    )
    return PlayoutLuck(dealt.luck_seed, dealt.blocks)


def list_lesson_slips(
    run: Run, strategies: Collection[str] = (), seats: Collection[int] = ()
) -> list[tuple[int, int]]:
    """Return the game and the ply of the clear slips of a reviewed run, of some strategies and seats only if they are given.

    Of each game its worst slip comes first. Raises InvalidError if the games of the run were not reviewed.
    """
    critical = NormalDist().inv_cdf((1 + LESSON_LEVEL) / 2)
    return list_clear_slips(run, critical, LEAST_CHOICES, strategies, seats)


def make_lessons(
    run: Run, limit: int, strategies: Collection[str] = (), seats: Collection[int] = ()
) -> Iterator[RatedLesson]:
    """Yield at most `limit` lessons of the slips of `list_lesson_slips`. Raises InvalidError as it does."""
    slips = iter(list_lesson_slips(run, strategies, seats))
    with ThreadPoolExecutor(workers := usable_cpus()) as threads:
        tasks = (threads.submit(_try_slip, run, *slip) for slip in slips)
        waiting = deque(islice(tasks, 2 * workers))
        try:
            made = 0
            while waiting and made < limit:
                lesson = waiting.popleft().result()
                waiting.extend(islice(tasks, 1))
                if lesson:
                    made += 1
                    yield lesson
        finally:
            threads.shutdown(wait=False, cancel_futures=True)


def _try_slip(run: Run, game_id: int, ply: int) -> RatedLesson | None:
    """Return the lesson of a slip with what strategies find; None if it is not clear with fresh luck."""
    lesson = find_lesson(run, game_id, ply)
    return RatedLesson(lesson, rate_lesson(lesson)) if lesson.is_clear_slip else None


def rate_lesson(lesson: Lesson) -> dict[str, bool]:
    """Return by strategy of the game whether most of its choices at a lesson are not clearly worse than the best move.

    The move that was played is a bad one, whatever fewer playouts say of it.
    """
    reviewer, decision = lesson.reviewer, lesson.decision
    state, plies = play_prefix(reviewer.ruleset, reviewer.actions[: decision.ply])

    @cache
    def is_good(action: int) -> bool:
        return action != decision.chosen.action and not is_clearly_worse(lesson.judge(action))

    def finds(player: Player) -> bool:
        choices = [decide_once(player, state, plies, Luck(DRAW_SEED, draw)) for draw in range(DRAWS)]
        return 2 * sum(map(is_good, choices)) > DRAWS

    game, obstacles = find_game(reviewer.ruleset.game), list_obstacles(reviewer.ruleset)
    return {name: finds(read_player(game, name)) for name in built_in_strategies(game) if not obstacles[name]}


def is_clearly_worse(loss: Loss) -> bool:
    """Return whether the whole interval of a loss is above zero, by points where the win was nearly decided."""
    lost = loss.points if loss.win_nearly_decided else loss.wins
    return lost is not None and lost.low > 0


def order_lessons(lessons: Sequence[RatedLesson]) -> list[RatedLesson]:
    """Return lessons, easy ones first: those that many strategies find, and of these the worst slips."""

    def find_rank(rated: RatedLesson) -> tuple[int, float]:
        return -len(rated.finders), -rated.lesson.lost_wins.estimate

    return sorted(lessons, key=find_rank)
