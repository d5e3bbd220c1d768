"""Questions give the same answers over packs as over the run files."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from pipelines.questions.game_sorts import SORTS
from pipelines.questions.games import GamesQuestion, answer_games
from pipelines.questions.scores.answer import answer_scores
from pipelines.questions.scores.distributions import list_results_in_range
from pipelines.questions.scores.question import VIEWS, ScoresQuestion
from pipelines.questions.scores.scope import find_played_rulesets, find_scope
from pipelines.questions.source import QuestionSource
from pipelines.runs import pack
from pipelines.runs import pack as packing_module
from pipelines.runs.library import Library
from pipelines.runs.pack import look_up_sources

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipelines.runs.run import Run


@pytest.fixture(scope="module")
def library(
    play_run: Callable[..., None], small_library: Library, tmp_path_factory: pytest.TempPathFactory
) -> Library:
    """Runs of two line-ups and three seeds, some with few plies, one under other rules, and a copy."""
    folder = tmp_path_factory.mktemp("packed")
    for seed, log in enumerate(("full", "sample=0.5", "scores")):
        play_run(folder, f"run-{seed}", "bloxx-2p", "greedy", "random", seed=seed, log=log)
    play_run(folder, "noisy", "bloxx-2p", "greedy", "noisy", seed=1)
    shutil.copy(small_library.run("three").path, folder / "runs")
    shutil.copyfile(folder / "runs" / "run-0.duckdb", folder / "runs" / "copy.duckdb")
    return Library(folder)


def answer_all(library: Library) -> dict[str, object]:
    """Return answers to questions about all runs, by name."""
    source = QuestionSource(library)
    answers: dict[str, object] = {}
    for view, lineups in ((VIEWS[0], ""), *((view, "all") for view in VIEWS)):
        asked = ScoresQuestion(rulesets=("bloxx-2p",), lineups=lineups, view=view)
        answers[f"{view} {lineups}"] = repr(answer_scores(asked, source))
    both = ScoresQuestion(rulesets=("bloxx-2p", "bloxx-3p"), select='{"score": [0, 9]}', view="Explore")
    answers["both"] = repr(answer_scores(both, source))
    question = ScoresQuestion(rulesets=("bloxx-2p",), lineups="all")
    scope = find_scope(question, find_played_rulesets(question, source))
    for part in ("", "gaps"):
        for most in (3, 500):
            answers[f"range {part} {most}"] = list_results_in_range(scope, source, part, (-9, 30), most)
    for sort in SORTS:
        answers[sort] = answer_games(GamesQuestion(sort=sort), source)
    return answers


@pytest.mark.slow
def test_packed_runs_are_answered_as_their_files_are(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = answer_all(library)
    monkeypatch.setattr(pack, "FEW_RUNS", 1)
    monkeypatch.setattr(packing_module, "MAX_OPEN_RUNS", 1)
    monkeypatch.setattr("pipelines.runs.attach.run_pool._held", {})
    packed = answer_all(library)
    assert look_up_sources(library.runs()).files == ()
    for name, answer in right.items():
        assert packed[name] == answer, name


def read_scores(run: Run) -> list[int]:
    """Return the scores of the second player in the order of the games."""
    table = run.arrow("SELECT score FROM seats WHERE seat = 1 ORDER BY game_id")
    scores: list[int] = table["score"].to_pylist()
    return scores


@pytest.mark.parametrize("most", [1, 30, 500])
def test_results_in_a_range_are_listed_from_the_newest_run_on(library: Library, most: int) -> None:
    source = QuestionSource(library)
    question = ScoresQuestion(rulesets=("bloxx-2p",), lineups="all", seats=(1,))
    scope = find_scope(question, find_played_rulesets(question, source))
    assert len(scope.runs) == 4
    expected = [
        (run.name, game, 1)
        for run in scope.runs
        for game, score in enumerate(read_scores(run))
        if 20 <= score <= 60
    ]
    assert len(expected) > 10
    found = list_results_in_range(scope, source, "", (20, 60), most)
    assert [(one.run, one.game, one.seat) for one in found] == expected[:most]
