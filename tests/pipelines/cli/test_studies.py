"""`reroll study` makes one file of what a person names, and says what it does not find."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.command_line import run_reroll

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.runs.run import Run


@pytest.fixture(autouse=True)
def library_with_notes(small_run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A library with one run and two notes, and the current folder beside it."""
    (tmp_path / "data" / "runs").mkdir(parents=True)
    (tmp_path / "data" / "runs" / "made.duckdb").symlink_to(small_run.path)
    monkeypatch.setenv("REROLL_DATA", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    run_reroll("note", "made", "--game", 2, "--move", 3, "--text", "why?", "--collection", "a")
    run_reroll("note", "made", "--favourite", "--title", "the run")


def test_a_study_is_written_and_nothing_is_overwritten(tmp_path: Path) -> None:
    done = run_reroll("study", "made", "made#3:6", "--favourites", "--out", "one.html", "--json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert (told["sections"], told["title"].endswith(" and 2 more")) == (3, True)
    done = run_reroll("study", "--collection", "a", "--title", "Lesson 1", "--text", "For Friday.")
    assert done.stdout.startswith("1 section written to study.html (")
    text = (tmp_path / "study.html").read_text(encoding="utf-8")
    assert "<h1>Lesson 1</h1>" in text
    assert "For Friday." in text
    assert "why?" in text
    assert str(tmp_path) not in text
    again = run_reroll("study", "made")
    assert again.exit_code == 2
    assert "study.html exists already" in again.stderr


@pytest.mark.parametrize("words", [["lesson"], ["--collection", "lesson"]])
def test_a_study_of_several_notes_has_the_name_of_their_collection(words: list[str]) -> None:
    for game in (1, 2):
        run_reroll("note", "made", "--game", game, "--collection", "lesson")
    done = run_reroll("study", *words, "--out", "one.html", "--json")
    assert json.loads(done.stdout)["title"] == "lesson"


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ((), "name what the study shows"),
        (("nothing",), "no run, collection or note 'nothing'"),
        (("made", "--collection", "a", "--favourites"), "no note fits"),
        (("made#78",), "no game 78"),
        (("made#2:1000",), "no move 1,000"),
    ],
)
def test_what_is_not_there_is_said_in_a_line(words: tuple[str, ...], reason: str, tmp_path: Path) -> None:
    done = run_reroll("study", *words, "--out", "two.html")
    assert done.exit_code == 2
    assert reason in done.stderr
    assert len(done.stderr.splitlines()) <= 2
    assert not (tmp_path / "two.html").exists()
