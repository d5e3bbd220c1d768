"""The answer to a question about a logged game: its result, its scene, and its review, which may still be in progress."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from engine.errors import InvalidError
from pipelines.experiments.review.review import start_review
from pipelines.experiments.review.review_document import build_review_document
from pipelines.questions.game.question import START_PLY

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from engine.scene import Scene, SceneStep
    from pipelines.experiments.review.review_results import Review
    from pipelines.questions.game.question import GameQuestion
    from pipelines.runs.run import Run
    from pipelines.runs.summary import GameSummary, Seat


@dataclass(frozen=True)
class GameAnswer:
    """A logged game, read from its run when it is needed, and its review if that is asked for.

    The properties raise a GameError if the run has no such game, or has not logged its plies.
    """

    question: GameQuestion
    run: Run
    review: Review | None = None
    """None if the game is not reviewed; values that are not computed yet are NaN."""

    @cached_property
    def game(self) -> GameSummary:
        return self.run.game(self.question.game)

    @cached_property
    def seats(self) -> list[Seat]:
        return self.run.seats(self.question.game)

    @property
    def strategies(self) -> list[str]:
        """The names of the strategies by seat."""
        return [seat.strategy for seat in self.seats]

    @cached_property
    def ruleset(self) -> Ruleset:
        return self.run.ruleset(self.game.ruleset)

    @cached_property
    def scene(self) -> Scene:
        return self.run.scene(self.question.game)

    @cached_property
    def step(self) -> SceneStep | None:
        """The step of the scene after which the game opens; None for the start. Raises InvalidError for another ply."""
        ply, steps = self.question.ply, self.scene["steps"]
        if ply == START_PLY:
            return None
        if problems := self.question.find_problems(len(steps)):
            raise InvalidError(" ".join(problems))
        return steps[ply]

    def review_document(self, error: str = "") -> dict[str, Any] | None:
        """Return the review as the replay draws it; `error` says why it cannot be finished. None without a review."""
        if self.review is None:
            return None
        return build_review_document(self.review, self.ruleset, self.scene, error=error)


def answer_game(question: GameQuestion, run: Run, *, effort: float = 1.0) -> GameAnswer:
    """Return the game of a question with its whole review if that is asked for; `effort` multiplies its playouts.

    Raises InvalidError if a game that is to be reviewed is not logged.
    """
    if not question.is_reviewed:
        return GameAnswer(question, run)
    return GameAnswer(question, run, start_review(run, question.game, effort=effort).finish())
