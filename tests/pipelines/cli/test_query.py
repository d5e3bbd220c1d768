"""Queries with parameters and kept questions from the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from pipelines.notes.note import NoteContent, NotePlace
from pipelines.notes.store import NoteStore, list_questions
from tests.command_line import run_reroll

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.runs.run import Run

SQL = "SELECT strategy, count(*) AS n FROM seats WHERE score >= $least AND strategy = $who GROUP BY ALL"


@pytest.fixture(autouse=True)
def library_of_one_run(small_run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "made.duckdb").symlink_to(small_run.path)
    monkeypatch.setenv("REROLL_DATA", str(tmp_path))


def test_only_one_form_of_an_answer_is_possible() -> None:
    result = run_reroll("sql", "FROM run", "--csv", "--json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "reroll: choose one of --csv and --json\n"


def answer(*words: object) -> list[dict[str, Any]]:
    result = run_reroll("sql", *words, "--json")
    assert result.exit_code == 0, result.stderr
    rows: list[dict[str, Any]] = json.loads(result.stdout)
    return rows


@pytest.mark.slow
def test_a_question_is_saved_asked_again_and_replaced() -> None:
    rows = [{"strategy": "greedy", "n": 20}]
    assert answer(SQL, "--set", "least=-999", "--set", "who=greedy", "--save", "How many?") == rows
    assert answer("--saved", "how many?") == rows
    assert answer("--saved", "How many?", "--set", "least=999") == []
    assert answer("--saved", "How many?", "--set", "who='; DROP TABLE seats; --") == []
    listed = json.loads(run_reroll("notes", "--kind", "question", "--json").stdout)
    assert [(note["title"], note["version"]) for note in listed] == [("How many?", 1)]
    replaced = run_reroll("sql", "SELECT 1 AS one", "--run", "made", "--save", "how many?")
    assert replaced.stderr == f"replaced {listed[0]['id'][:8]}: How many?\n"
    assert answer("--saved", listed[0]["id"][:8]) == [{"one": 1}]


def test_a_question_keeps_the_chart_that_the_page_saved_with_it(tmp_path: Path) -> None:
    store = NoteStore(tmp_path)
    chart = {"kind": ["bar"], "x": ["strategy"], "y": ["n"]}
    store.add(NotePlace("question", "sql", {"sql": [SQL], **chart}), NoteContent("How many?"))
    run_reroll("sql", SQL, "--set", "least=0", "--set", "who=greedy", "--save", "How many?")
    run_reroll("sql", "--saved", "How many?", "--set", "least=9", "--save", "How many from 9?")
    saved = {note.title: note.address for note in list_questions(store, "sql")}
    assert saved["How many?"] == {"sql": [SQL], "set": ["least=0", "who=greedy"], **chart}
    assert saved["How many from 9?"] == {"sql": [SQL], "set": ["least=9", "who=greedy"], **chart}


def test_a_question_about_one_run_follows_it_and_says_when_it_is_gone(tmp_path: Path) -> None:
    run_reroll("sql", "SELECT DISTINCT run FROM games", "--run", "made", "--save", "runs")
    (tmp_path / "runs" / "made.duckdb").rename(tmp_path / "runs" / "renamed.duckdb")
    assert answer("--saved", "runs") == [{"run": "renamed"}]
    (tmp_path / "runs" / "renamed.duckdb").unlink()
    assert run_reroll("sql", "--saved", "runs").stderr == (
        "reroll: the run of the kept question 'runs' is no longer here; choose one with --run\n"
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((SQL,), "the query needs a value for $least"),
        ((SQL, "--set", "least"), "expected NAME=VALUE, such as n=3, not 'least'"),
        ((SQL, "--set", "x=1"), "the query has no parameter $x; its parameters are $least, $who"),
        (("SELECT $run", "--set", "run=mad"), "unknown run 'mad'; did you mean made?"),
        (("--saved", "nothing"), "unknown kept question 'nothing'; known: none"),
        (("SELECT 1", "--saved", "x"), "give either a query or --saved NAME"),
        (("SELECT 1", "--save", " "), "a note needs a title"),
    ],
)
def test_bad_input_is_reported_in_a_line(words: tuple[str, ...], message: str) -> None:
    result = run_reroll("sql", *words)
    assert result.exit_code == 2
    assert result.stderr == f"reroll: {message}\n"
