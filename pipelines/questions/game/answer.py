"""The answer to a question about a logged game: its result, its scene, and its review, which may still be in progress."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from engine.errors import InvalidError
from pipelines.experiments.review import build_review_document, start_review
from pipelines.questions.game.question import START_PLY

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from engine.scene import Scene, SceneStep
    from pipelines.experiments.review_results import Review
    from pipelines.questions.game.question import GameQuestion
    from pipelines.questions.source import QuestionSource
    from pipelines.runs.run import Run
    from pipelines.runs.summary import GameSummary, Seat


@dataclass(frozen=True)
class GameAnswer:
    """A logged game, and its review if that is asked for."""

    question: GameQuestion
    run: Run
    game: GameSummary
    seats: list[Seat]
    ruleset: Ruleset
    scene: Scene
    review: Review | None = None
    """None if the game is not reviewed; values that are not computed yet are NaN."""

    @property
    def step(self) -> SceneStep | None:
        """The step of the scene after which the game opens; None for the start, and for a ply that the game does not have."""
        ply, steps = self.question.ply, self.scene["steps"]
        return steps[ply] if START_PLY < ply < len(steps) else None

    def review_document(self, error: str = "") -> dict[str, Any] | None:
        """Return the review as the replay draws it; `error` says why it cannot be finished. None without a review."""
        if self.review is None:
            return None
        return build_review_document(self.review, self.ruleset, self.scene, error=error)


def read_game(question: GameQuestion, run: Run) -> GameAnswer:
    """Return the game of a question without its review.

    Raises a GameError if the run has no such game, or has not logged its plies.
    """
    game = run.game(question.game)
    return GameAnswer(
        question,
        run,
        game,
        run.seats(question.game),
        run.ruleset(game.ruleset),
        run.scene(question.game),
    )


def answer_game(question: GameQuestion, source: QuestionSource) -> GameAnswer:
    """Return the game of a question with its whole review if that is asked for.

    Raises a GameError if the run has no such game or has not logged its plies, and InvalidError for a ply that the game does
    not have.
    """
    answer = read_game(question, source.find_run(question.run))
    if problems := question.find_problems(len(answer.scene["steps"])):
        raise InvalidError(" ".join(problems))
    if not question.is_reviewed:
        return answer
    return replace(answer, review=start_review(answer.run, question.game).finish())
