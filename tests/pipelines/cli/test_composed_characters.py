"""Names from a Mac: a letter and its accent, apart or together, are the same text wherever people type or read it."""

from __future__ import annotations

import shutil
import unicodedata
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from pipelines.cli import app
from pipelines.notes.note import NoteContent, NotePlace
from pipelines.notes.store import NoteFilter, NoteStore
from pipelines.questions.address import read_fields
from pipelines.questions.game import GameQuestion
from pipelines.questions.source import QuestionSource
from pipelines.runs.library import Library

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.runs.run import Run

TOGETHER = "Zürich"
APART = unicodedata.normalize("NFD", TOGETHER)
both_forms = pytest.mark.parametrize("typed", [TOGETHER, APART], ids=["together", "apart"])


@both_forms
@pytest.mark.parametrize("stored", [TOGETHER, APART], ids=["stored together", "stored apart"])
def test_a_run_is_found_by_its_name(tmp_path: Path, small_run: Run, stored: str, typed: str) -> None:
    (tmp_path / "runs").mkdir()
    shutil.copyfile(small_run.path, tmp_path / "runs" / f"{stored}.duckdb")
    library = Library(tmp_path)
    assert library.run(typed).name == TOGETHER
    assert QuestionSource(library).find_run(typed).name == TOGETHER
    assert read_fields(GameQuestion, {"run": [typed]})[0].run == TOGETHER
    result = CliRunner().invoke(
        app,
        ["sql", "SELECT count(*) AS found FROM run WHERE run = 'Zürich'", "--data", str(tmp_path)],
    )
    assert result.stdout.split() == ["found", "1"]
    assert CliRunner().invoke(app, ["rm", typed, "--yes", "--data", str(tmp_path)]).exit_code == 0
    assert library.runs() == []


@both_forms
@pytest.mark.parametrize("stored", [TOGETHER, APART], ids=["stored together", "stored apart"])
def test_notes_are_found_by_words_and_collections(tmp_path: Path, stored: str, typed: str) -> None:
    store = NoteStore(tmp_path)
    note = store.add(
        NotePlace("question", "sql", {"sql": ["SELECT 1"]}),
        NoteContent(stored, f"in {stored}", (stored,)),
    )
    assert note.collections == (TOGETHER,)
    for wanted in (NoteFilter(words=typed), NoteFilter(collection=typed)):
        assert store.search(wanted).total == 1
