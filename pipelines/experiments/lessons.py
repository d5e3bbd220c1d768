"""Lessons: decisions of logged games at which a person finds a better move than the one that was played.

A reviewed run makes lessons of its clear slips. The review has found them among all its decisions, so some look worse than they were:
each is judged again with luck that the review has not seen, and counts only if it is clear again. A lesson always shows the values of
this second evaluation.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import islice
from statistics import NormalDist
from typing import TYPE_CHECKING, Final, NamedTuple

from engine.errors import InvalidError
from engine.games import find_game
from engine.luck import Luck
from engine.strategies import built_in_strategies, list_obstacles, read_player
from pipelines.experiments.review import start_review
from pipelines.experiments.review_results import BAD_CLASSES
from pipelines.experiments.reviewer import candidate_actions
from pipelines.runs.reviews import list_clear_slips
from pipelines.simulate.checked_players import decide_once
from pipelines.simulate.compiled_games import play_prefix
from pipelines.simulate.workers import usable_cpus
from pipelines.statistics import Interval
from pipelines.statistics.intervals import hold_for_all

if TYPE_CHECKING:
    from engine.strategy import Player
    from pipelines.experiments.review_results import Decision, Loss
    from pipelines.experiments.reviewer import Reviewer
    from pipelines.runs.run import Run

LESSON_LEVEL: Final = 0.99
"""Level of the intervals that are above zero for a slip to be clear: once in the review and once with fresh luck."""
LESSON_EFFORT: Final = 4.0
"""Factor of the number of playouts of a lesson."""
LESSON_SEED: Final = (1 << 63) + 4096
"""Seed of the luck of lessons, which no review has by default."""
LEAST_CHOICES: Final = 5
"""Legal moves of a lesson at least: among fewer one guesses."""
LIKELY_MOVES: Final = 60
"""Moves of a lesson that get a value in a file, where nobody can be asked for others."""
DRAWS: Final = 3
"""How often each strategy chooses at a lesson, each time with other luck."""


@dataclass(frozen=True)
class Lesson:
    """A decision of a logged game, and what its moves are worth."""

    game_id: int
    reviewer: Reviewer
    decision: Decision

    def judge(self, action: int) -> Loss:
        """Return what a legal action loses against the best one."""
        return self.reviewer.judge_action(self.decision.ply, action, self.decision.best.action)

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
    reviewer = start_review(run, game_id, seed=LESSON_SEED, effort=LESSON_EFFORT).reviewer
    decision = reviewer.review_decision(ply) if ply < len(reviewer.actions) else None
    if decision is None:
        raise InvalidError(
            f"nobody had a choice at move {ply + 1} of game {game_id + 1} of {run.name}: no lesson"
        )
    return Lesson(game_id, reviewer, decision)


def make_lessons(run: Run, limit: int) -> Iterator[RatedLesson]:
    """Yield at most `limit` lessons of the clear slips of a reviewed run: of each game its worst slip first.

    Raises InvalidError if the games of the run were not reviewed.
    """
    critical = NormalDist().inv_cdf((1 + LESSON_LEVEL) / 2)
    slips = iter(list_clear_slips(run, critical, LEAST_CHOICES))
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
    """Return by strategy of the game whether most of its choices at a lesson are not clearly worse than the best move."""
    reviewer, decision = lesson.reviewer, lesson.decision
    state, plies = play_prefix(reviewer.ruleset, reviewer.actions[: decision.ply])
    is_good = cache(lambda action: not is_clearly_worse(lesson.judge(action)))

    def finds(player: Player) -> bool:
        choices = [decide_once(player, state, plies, Luck(LESSON_SEED, draw)) for draw in range(DRAWS)]
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
