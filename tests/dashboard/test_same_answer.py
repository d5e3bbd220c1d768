"""Page, command, study and notebook give one answer to each class of questions: the same n, mean and interval.

A class without numbers is compared in what it shows: the rows of a query, the game and its result, the board and its moves,
the design of what is to be played. A new class of questions needs a case in `answer_cases.py`, with every front end that answers it.
"""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING, Any, Final

import pytest
from typer.testing import CliRunner

from engine.errors import GameError
from pipelines.cli import app
from pipelines.design.comparison import design_comparison
from pipelines.notebook import api as notebook
from pipelines.questions.address import write_address, write_path
from pipelines.questions.every_question import QUESTIONS
from pipelines.questions.hand_game.question import HandGameQuestion
from pipelines.questions.rule_effect.question import RuleEffectQuestion
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.questions.whatif.question import ManyGamesQuestion
from pipelines.report.estimates import set_sentence
from pipelines.runs.library import Library
from pipelines.service import jobs
from pipelines.simulate.simulate import simulate_run
from pipelines.studies.sections import describe_address
from pipelines.studies.sources import StudySource
from tests.dashboard.answer_cases import CASES, started_words
from tests.dashboard.front_ends import assert_same
from tests.dashboard.reading import open_menu, read_page_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from streamlit.testing.v1 import AppTest

    from pipelines.studies.study import Section
    from tests.dashboard.answer_cases import Case, Found


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory, play_run: Callable[..., None]) -> Library:
    """Runs of two line-ups, a comparison, and games of a few moves."""
    folder = tmp_path_factory.mktemp("answered")
    play_run(folder, "plain", "bloxx-2p", "greedy", "random")
    play_run(folder, "noise", "bloxx-2p", "greedy", "noisy", games=12, log="scores")
    play_run(folder, "mini", "bloxx-mini", "greedy", "random", games=2)
    library = Library(folder)
    ruleset = library.catalogue.find_ruleset("bloxx-2p")
    duel = design_comparison(ruleset, ["greedy", "random"], blocks=20, seed=3)
    simulate_run(duel, library.runs_folder / "duel.duckdb", workers=1)
    return library


@pytest.fixture(autouse=True)
def _start_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "_start_process", lambda _job, words: started_words.append(list(words)))


ASKED_IN_WORDS: Final = "its command is `reroll ask`, whose answer is read for every question"


NOT_ANSWERED: Final = {
    (ScoresQuestion, "command"): ASKED_IN_WORDS,
    (RuleEffectQuestion, "command"): ASKED_IN_WORDS,
    (RuleEffectQuestion, "notebook"): "a notebook has no method for it",
    (ManyGamesQuestion, "notebook"): "a notebook asks about one game",
    (HandGameQuestion, "command"): "it asks for moves and prints no data",
    (HandGameQuestion, "notebook"): "a notebook has no board to play on",
}


def test_every_class_of_questions_has_a_case_for_each_front_end() -> None:
    assert {type(case.question) for case in CASES} == set(QUESTIONS)
    for kind in QUESTIONS:
        own = [case for case in CASES if type(case.question) is kind]
        for front_end in ("command", "notebook"):
            is_read = any(getattr(case, front_end) for case in own)
            assert is_read != ((kind, front_end) in NOT_ANSWERED), (kind, front_end)


@pytest.mark.parametrize("case", CASES, ids=lambda case: write_path(case.question)[:60])
def test_every_front_end_gives_the_same_answer(
    case: Case, library: Library, tmp_path: Path, open_dashboard_page: Callable[..., AppTest]
) -> None:
    asked = Library(tmp_path) if case.is_played else library
    expected = case.answer(asked)
    at = open_page(case, asked.folder, open_dashboard_page)
    assert_same(case.page(at, asked), expected)
    section = check_reports(case, asked, expected)
    if case.says_verdict:
        assert section
        assert section.verdict
        assert set_sentence(section.verdict) in read_page_text(at)
    if case.command:
        words = [*shlex.split(case.question.command)[1:], "--json", "--data", str(asked.folder)]
        assert_same(case.command(print_json(words)), expected)
    if case.notebook:
        assert_same(case.notebook(notebook.Library(asked.folder)), expected)


def open_page(case: Case, folder: Path, open_dashboard_page: Callable[..., AppTest]) -> AppTest:
    """Return the page at the address of the question, after its work and with its drawer open."""
    at = open_dashboard_page(f"{case.question.page}.py", folder, **write_address(case.question))
    if case.work:
        at.session_state[case.work][1].wait(120)
        at.run()
    if case.opened:
        open_menu(at, case.opened)
    assert not at.exception
    assert not at.warning
    return at


def check_reports(case: Case, library: Library, expected: Found) -> Section | None:
    """Check the section of a study, and that `reroll ask` prints the same; both refuse what has no answer yet."""
    address = write_address(case.question)
    words = ["ask", write_path(case.question), "--json", "--data", str(library.folder)]
    if case.report is None:
        with pytest.raises(GameError, match=re.escape(case.question.command)):
            describe_address(StudySource(library), case.question.page, address)
        assert case.question.command in CliRunner().invoke(app, words).stderr
        return None
    section = describe_address(StudySource(library), case.question.page, address)
    document = print_json(words)
    for part in ("kind", "title", "verdict", "basis", "warning", "problem"):
        assert document[part] == getattr(section, part), part
    assert not section.warning
    of_study = [[dict(zip(one.columns, row, strict=True)) for row in one.rows] for one in section.tables]
    of_command = [table["rows"] for table in document["tables"]]
    assert of_command == of_study
    assert_same(case.report(section, of_command), expected)
    return section


def print_json(words: list[str]) -> Any:  # noqa: ANN401 - JSON has many types
    """Return what a command prints as JSON data."""
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)
