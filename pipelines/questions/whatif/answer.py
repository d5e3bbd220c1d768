"""Answers to what-if questions while they become more precise: the continuations of both branches, and what they rest on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.errors import InvalidError
from pipelines.design.designs import WhatIfDesign
from pipelines.experiments.continuations import Continuations
from pipelines.experiments.fork import NONE_ALLOWED
from pipelines.experiments.many_games import WhatIfPositions, iter_forks, play_every_fork, select_logged_games
from pipelines.experiments.whatif import collect_whatif, play_whatif
from pipelines.questions.whatif.question import (
    NO_CHANGE,
    WhatifQuestion,
    fork_whatif,
    read_saved_question,
    resolve_many_games,
    resolve_whatif,
)
from pipelines.runs.game_queries import read_branch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from engine.scene import Scene
    from pipelines.experiments.fork import AllowedStrategies
    from pipelines.experiments.whatif import WhatIf
    from pipelines.questions.source import QuestionSource
    from pipelines.questions.whatif.question import ManyGamesQuestion
    from pipelines.runs.run import Run


@dataclass(frozen=True)
class WhatifAnswer:
    """The continuations of both branches so far."""

    question: WhatifQuestion
    whatif: WhatIf
    run: Run
    """The run with the game."""
    logged_scene: Scene | None = None
    """The scene of the game, if the answer compares other luck with what happened; else None."""


@dataclass(frozen=True)
class ManyGamesAnswer:
    """The positions that have been played so far."""

    question: ManyGamesQuestion
    positions: WhatIfPositions
    total: int
    """Number of the games that are selected."""
    run: Run

    @property
    def done(self) -> int:
        return len(self.positions.played) + len(self.positions.skipped)

    @property
    def is_over(self) -> bool:
        return self.done == self.total


def iter_whatif_answers(  # noqa: PLR0913 - what makes an experiment, all named
    question: WhatifQuestion,
    run: Run,
    *,
    allowed: AllowedStrategies = NONE_ALLOWED,
    margin: float | None = None,
    until_decided: bool = False,
    stopped: Callable[[], bool] = lambda: False,
) -> Iterator[WhatifAnswer]:
    """Play both branches and yield ever more precise answers, as `play_whatif` does.

    Raises a GameError if the question is not possible.
    """
    fork = fork_whatif(question, run, allowed)
    logged_scene = None if fork.change else run.scene(fork.game_id)
    for whatif in play_whatif(
        fork, n=question.n, seed=question.seed, margin=margin, until_decided=until_decided, stopped=stopped
    ):
        yield WhatifAnswer(question, whatif, run, logged_scene)


def iter_many_games_answers(
    question: ManyGamesQuestion,
    run: Run,
    *,
    allowed: AllowedStrategies = NONE_ALLOWED,
    stopped: Callable[[], bool] = lambda: False,
) -> Iterator[ManyGamesAnswer]:
    """Fork the games one after another and yield an answer after each.

    Raises a GameError if the question is not possible, or if none of the games can be forked.
    """
    if not question.has_change:
        raise InvalidError(NO_CHANGE)
    chosen = select_logged_games(run, question.games or "all", question.most)
    played: tuple[WhatIf, ...] = ()
    skipped: dict[int, str] = {}
    forks = iter_forks(run, chosen, question.where, question.change, skipped, allowed)
    for whatif in play_every_fork(forks, n=question.n, seed=question.seed, stopped=stopped):
        played = (*played, whatif)
        yield ManyGamesAnswer(question, WhatIfPositions(played, dict(skipped)), len(chosen), run)
    if not played and skipped:
        raise InvalidError(next(iter(skipped.values())))
    yield ManyGamesAnswer(question, WhatIfPositions(played, skipped), len(chosen), run)


def answer_whatif(question: WhatifQuestion, source: QuestionSource) -> WhatifAnswer:
    """Return the whole answer. A run of continuations that is asked nothing answers the question that it holds.

    Raises a GameError if the question is not possible.
    """
    run = source.find_run(question.run)
    if run.summary.is_whatif and question == WhatifQuestion(run=run.name):
        return answer_saved_whatif(run, source)
    question, problems = resolve_whatif(question, run)
    if problems:
        raise InvalidError(" ".join(problems))
    *_, answer = iter_whatif_answers(question, run)
    return answer


def answer_saved_whatif(run: Run, source: QuestionSource) -> WhatifAnswer:
    """Return the answer that a run of continuations holds; nothing is played. The source has the run with the forked game.

    Raises a GameError if the run holds no continuations, if the source does not have that game, or if it is no longer the one
    that was forked.
    """
    design = run.design
    if not isinstance(design, WhatIfDesign):
        raise InvalidError(f"{run.name} holds no what-if question")
    origin, parent = design.fork, source.find_run(design.fork.run)
    if tuple(parent.actions(origin.game_id)[: origin.ply]) != origin.prefixes[0][: origin.ply]:
        raise InvalidError(
            f"game {origin.game_id + 1} of {origin.run} is no longer the game that the question was about"
        )
    question = read_saved_question(origin, design.blocks)
    fork = fork_whatif(question, parent)
    with run.open_tables() as connection:
        branches = [
            read_branch(connection, rotation, len(prefix)) for rotation, prefix in enumerate(origin.prefixes)
        ]
    shape = (design.blocks, fork.ruleset.players)
    played = [
        Continuations(rows.plies, rows.scores.reshape(shape), rows.ranks.reshape(shape), rows.actions)
        for rows in branches
    ]
    whatif = collect_whatif(fork, question.seed, design.seed, origin.luck, played[0], played[-1])
    return WhatifAnswer(question, whatif, parent, None if fork.change else parent.scene(fork.game_id))


def answer_many_games(question: ManyGamesQuestion, source: QuestionSource) -> ManyGamesAnswer:
    """Return the whole answer. Raises a GameError if the question is not possible."""
    run = source.find_run(question.run)
    question, problems = resolve_many_games(question, run)
    if problems:
        raise InvalidError(" ".join(problems))
    *_, answer = iter_many_games_answers(question, run)
    return answer
