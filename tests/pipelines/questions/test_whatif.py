"""What-if questions: reading and writing them, and what a game does not have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from engine.errors import InvalidError
from pipelines.design.designs import ForkOrigin
from pipelines.experiments.fork import Change, fork_logged_game
from pipelines.experiments.whatif import play_whatif, saved_run_design
from pipelines.questions.address import Question, read_fields
from pipelines.questions.every_question import answer_question
from pipelines.questions.source import QuestionSource
from pipelines.questions.whatif import (
    ManyGamesQuestion,
    SavedWhatifQuestion,
    WhatifQuestion,
    answer_many_games,
    answer_saved_whatif,
    answer_whatif,
    read_saved_question,
    resolve_many_games,
    resolve_whatif,
)
from pipelines.runs.library import Library
from pipelines.simulate.simulate import simulate_run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pipelines.runs.run import Run


@pytest.mark.parametrize(
    ("kind", "query", "said"),
    [
        (WhatifQuestion, {"option": "nope"}, "Option: Expected KEY=VALUE"),
        (WhatifQuestion, {"stand-in": "x:greedy"}, "Stand-in: Expected PLAYER:STRATEGY"),
        (
            WhatifQuestion,
            {"continuations": "0"},
            "Continuations: expected a whole number from 1 to 100,000, not 0.",
        ),
        (WhatifQuestion, {"nope": "1"}, "The address has a field nope that means nothing here."),
        (
            ManyGamesQuestion,
            {"many": "drawn"},
            "Games: Expected all, lost:PLAYER or won:PLAYER, not 'drawn'.",
        ),
        (ManyGamesQuestion, {"move": "noon"}, "Move: Expected a move"),
        (ManyGamesQuestion, {"move": "0"}, "Move: Expected a move"),
    ],
)
def test_a_wrong_value_is_said(kind: type[Question], query: dict[str, str], said: str) -> None:
    _, (problem,) = read_fields(kind, {key: [text] for key, text in query.items()})
    assert problem.startswith(said)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, play_run: Callable[..., None]) -> Path:
    folder = tmp_path_factory.mktemp("library")
    play_run(folder, "three", "bloxx-3p", "greedy", "greedy", "random")
    return folder


@pytest.fixture(scope="module")
def run(folder: Path) -> Run:
    return Library(folder).run("three")


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"options": ("nope=3",)}, "There is no option nope."),
        ({"options": ("gap_penalty=many",)}, "gap_penalty"),
        ({"seats": (5,), "strategies": ("random",)}, "Player: expected a whole number from 1 to 3, not 6."),
        ({"seats": (0, 1), "strategies": ("random",)}, "every strategy its player"),
        ({"luck": True, "ply": 9998}, "not 9999"),
        ({"luck": True, "game": 9998}, "no game 9999"),
        ({"luck": True, "action": "r12"}, "luck alone"),
        ({"strategies": ("gredy",)}, "Unknown strategy"),
        ({"action": "zz"}, "'zz' is not"),
    ],
)
def test_what_a_game_does_not_have_is_said(run: Run, fields: dict[str, object], said: str) -> None:
    _, problems, _ = resolve_whatif(WhatifQuestion.model_validate({"run": "three", **fields}), run)
    assert said in " ".join(problems)


def test_the_last_ply_of_a_game_exists_and_the_next_one_does_not(run: Run) -> None:
    plies = len(run.actions(1))
    for ply, said in (
        (plies - 1, ()),
        (plies, (f"Move: expected a whole number from 1 to {plies}, not {plies + 1}.",)),
    ):
        question = WhatifQuestion(run="three", game=1, ply=ply, options=("gap_penalty=3",))
        assert resolve_whatif(question, run)[1] == said


def test_a_strategy_without_a_seat_replaces_the_one_that_acts(run: Run) -> None:
    ply = next(step["ply"] for step in run.scene(1)["steps"] if step["seat"] == 2)
    resolved = resolve_whatif(WhatifQuestion(run="three", game=1, ply=ply, strategies=("random",)), run)
    assert not resolved.problems
    assert resolved.question.seats == (2,)
    assert resolved.fork.change == Change({2: "random"})
    many, problems = resolve_many_games(ManyGamesQuestion(games="lost:7", strategies=("random",)), run)
    assert many.seats == (0,)
    assert problems == ("There is no choice of games lost:7.",)


def test_a_question_without_a_change_has_no_answer(run: Run) -> None:
    source = QuestionSource(only=(run,))
    with pytest.raises(InvalidError, match="names no change"):
        answer_whatif(WhatifQuestion(run="three"), source)
    with pytest.raises(InvalidError, match="names no change"):
        answer_many_games(ManyGamesQuestion(run="three", games="all"), source)
    for question in (WhatifQuestion(), ManyGamesQuestion(games="all")):
        with pytest.raises(InvalidError, match="names no run"):
            answer_question(question, source)


@pytest.mark.parametrize("change", [Change({1: "random"}), Change(), Change(action="last")])
def test_a_run_of_continuations_holds_the_answer(run: Run, tmp_path: Path, change: Change) -> None:
    if change.action:
        change = Change(action=run.ruleset("bloxx-3p").action(run.actions(1)[-1]).notation)
    fork = fork_logged_game(run, 1, -1 if change.action else 20, change)
    *_, played = play_whatif(fork, n=24, seed=3)
    kept = simulate_run(saved_run_design(played, "three", "kept"), tmp_path / "kept.duckdb", workers=1)
    source = QuestionSource(only=(run, kept))
    answer = answer_saved_whatif(kept, source)
    assert answer_question(SavedWhatifQuestion(run="kept"), source).question == answer.question
    assert answer.whatif.as_json() == played.as_json()
    assert (answer.whatif.differing == played.differing).all()
    assert answer.question.change == change
    with pytest.raises(InvalidError, match="holds no what-if"):
        answer_saved_whatif(run, source)
    with pytest.raises(InvalidError, match="no run 'three'"):
        answer_saved_whatif(kept, QuestionSource(only=(kept,)))


def test_a_run_of_an_older_version_names_its_seats_from_0() -> None:
    origin = ForkOrigin(run="a", game_id=3, ply=9, change="x", asked=(), prefixes=((1,),), luck=(0,))
    older = ("--seat", "1", "--strategy", "random", "--substitute", "0=greedy", "--save", "b", "--seed", "5")
    now = ("--player", "2", "--strategy", "random", "--stand-in", "1=greedy", "--name", "b", "--seed", "5")
    first, second = (
        read_saved_question(origin.model_copy(update={"asked": asked}), 40) for asked in (older, now)
    )
    assert first == second
    assert first.change == Change({1: "random"}, substitutes={0: "greedy"})
