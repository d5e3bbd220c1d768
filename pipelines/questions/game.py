"""A logged game at one of its plies: the question, and its answer with the result, the scene and the review, which may be in progress."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, ClassVar, Final, TypeAlias

from pydantic import Field

from engine.errors import InvalidError
from engine.play import MAX_PLIES
from engine.wording import capitalise, format_count
from pipelines.design.metrics import DecisionMeasure
from pipelines.experiments.lessons import Lesson, find_lesson
from pipelines.experiments.review import start_review
from pipelines.questions.address import CountedFromOne, Question, format_path

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from engine.scene import Scene, SceneStep
    from pipelines.experiments.review_results import Review
    from pipelines.questions.source import QuestionSource
    from pipelines.runs.run import Run
    from pipelines.runs.summary import GameSummary, Seat

PANEL_KEY: Final = "whatif"
LESSON_KEY: Final = "lesson"
START_PLY = -1
"""The position before the first ply."""
EVERY_PLAYER: Final = -1
AddressedGame: TypeAlias = Annotated[
    int, Field(title="game", alias="game-number", ge=0, le=1 << 32), CountedFromOne()
]
"""A game of a run, as an address names it; so is a ply of it."""
AddressedPly: TypeAlias = Annotated[
    int, Field(title="move", alias="move", ge=0, le=MAX_PLIES), CountedFromOne()
]


class GameQuestion(Question):
    """A logged game."""

    page: ClassVar[str] = "replay"

    run: Annotated[str, Field(title="run")] = ""
    game: AddressedGame = 0
    ply: Annotated[int, Field(title="move", alias="move", ge=START_PLY, le=MAX_PLIES), CountedFromOne()] = (
        START_PLY
    )
    """The ply after which the replay opens."""
    is_reviewed: Annotated[bool, Field(title="value of review", alias="review")] = False
    measure: Annotated[
        DecisionMeasure,
        Field(
            title="measure of the review",
            description="What decisions are judged by: lost win chance (and points where the win was nearly decided), "
            "or points alone.",
            alias="by",
        ),
    ] = "win"
    only_player: Annotated[
        int, Field(title="player", alias="only-player", ge=EVERY_PLAYER, le=7), CountedFromOne()
    ] = EVERY_PLAYER
    """The player whose bad decisions the review lists."""
    is_lesson: Annotated[
        bool,
        Field(
            title="value of lesson",
            description="Ask for a good move in place of this one, and hide what was played until one has tried.",
            alias=LESSON_KEY,
        ),
    ] = False
    is_asking: Annotated[
        bool,
        Field(title="value of whatif", description="Open the panel of what-if questions.", alias=PANEL_KEY),
    ] = False

    def find_problems(self, plies: int, players: int) -> tuple[str, ...]:
        """Return a sentence on the ply and on the player if they are not in the game. People count both from 1."""
        game = f"Game {self.game + 1} of {self.run}"
        problems = []
        if self.ply >= plies:
            problems.append(f"{game} has no move {self.ply + 1:,}, only {format_count(plies, 'move')}.")
        if self.only_player >= players:
            problems.append(f"{game} has no player {self.only_player + 1}, only {players}.")
        return tuple(problems)

    @property
    def title(self) -> str:
        return self._make_title(f"game {self.game + 1} of {self.run}")

    def describe(self, match: str) -> str:
        """Return the title for people, with what they call the game (`name_match`)."""
        return self._make_title(f"a game of {match}")

    def _make_title(self, game: str) -> str:
        if self.ply == START_PLY:
            return capitalise(game)
        return f"{'Lesson: move' if self.is_lesson else 'Move'} {self.ply + 1} of {game}"

    @property
    def command(self) -> str:
        """The command that reviews the game if that is asked, else the one that shows it."""
        if not self.is_reviewed:
            return self.show_command
        words = ["reroll", "review", self.run, "--game", str(self.game + 1)]
        words += ["--by", self.measure] if self.measure != "win" else []
        words += ["--only-player", str(self.only_player + 1)] if self.only_player != EVERY_PLAYER else []
        return shlex.join(words)

    @property
    def show_command(self) -> str:
        """The command that shows the game after the ply."""
        words = ["reroll", "show", self.run, "--game", str(self.game + 1)]
        return shlex.join([*words, *(["--move", str(self.ply + 1)] if self.ply != START_PLY else [])])


def game_address(
    run: str, game: int, ply: int | None = None, *, is_lesson: bool = False
) -> dict[str, list[str]]:
    """Return the address of a game, or of a ply in it. It names the first game, too: labels of games are found by it.

    >>> game_address("demo", 3, 7)
    {'run': ['demo'], 'game-number': ['4'], 'move': ['8']}
    """
    address = {"run": [run], "game-number": [str(game + 1)]}
    if ply is not None:
        address["move"] = [str(ply + 1)]
    return {**address, LESSON_KEY: ["1"]} if is_lesson else address


def write_replay_link(run: str, game: int, ply: int | None = None) -> str:
    """Return the link to the replay of a game from another page.

    >>> write_replay_link("my run", 0, 7)
    'replay?run=my+run&game-number=1&move=8'
    """
    return format_path(GameQuestion.page, game_address(run, game, ply))[1:]


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
    lesson: Lesson | None = None
    """None if the question asks for no lesson."""

    @property
    def step(self) -> SceneStep | None:
        """The step of the scene after which the game opens; None for the start, and for a ply that the game does not have."""
        ply, steps = self.question.ply, self.scene["steps"]
        return steps[ply] if START_PLY < ply < len(steps) else None


def read_game(question: GameQuestion, run: Run) -> GameAnswer:
    """Return the game of a question without its review.

    Raises a GameError if the run has no such game, or has not logged its plies.
    """
    game = run.game(question.game)
    return GameAnswer(
        question,
        run,
        game,
        run.list_seats(question.game),
        run.ruleset(game.ruleset),
        run.scene(question.game),
    )


def answer_game(question: GameQuestion, source: QuestionSource) -> GameAnswer:
    """Return the game of a question with its whole review if that is asked for.

    Raises a GameError if the run has no such game or has not logged its plies, and InvalidError for a ply that the game does
    not have.
    """
    answer = read_game(question, source.find_run(question.run))
    if problems := question.find_problems(len(answer.scene["steps"]), len(answer.seats)):
        raise InvalidError(" ".join(problems))
    if question.is_lesson and question.ply != START_PLY:
        return replace(answer, lesson=find_lesson(answer.run, question.game, question.ply))
    if not question.is_reviewed:
        return answer
    return replace(answer, review=start_review(answer.run, question.game).finish())
