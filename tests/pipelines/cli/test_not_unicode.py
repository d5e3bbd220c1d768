"""Names of files and texts that are not UTF-8: one line says so, and what stands beside them is not affected."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from engine.errors import InvalidError
from pipelines.cli import app
from pipelines.notes.exchange import format_notes, parse_notes
from pipelines.notes.note import NoteContent, NotePlace
from pipelines.notes.store import NoteStore
from pipelines.runs.library import Library
from pipelines.service.doctor import diagnose_runs

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.runs.run import Run

NAME = os.fsdecode(b"caf\xe9")
SHOWN = r"caf\udce9"


@pytest.fixture
def folder(tmp_path: Path, small_run: Run) -> Path:
    """A library with a good run, and with a run, an unfinished one and a ruleset whose names are not UTF-8."""
    runs = tmp_path / "runs"
    (runs / f"{NAME}.partial").mkdir(parents=True)
    (tmp_path / "rulesets").mkdir()
    (tmp_path / "rulesets" / f"{NAME}.toml").write_text('extends = "bloxx"\n', encoding="utf-8")
    for name in ("good", NAME):
        shutil.copyfile(small_run.path, runs / f"{name}.duckdb")
    return tmp_path


def run_reroll(folder: Path, *words: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, [*words, "--data", str(folder)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exc_info
    return result.exit_code, result.stdout, result.stderr


def test_one_name_that_is_not_utf8_does_not_stop_the_other_files(folder: Path) -> None:
    code, listed, errors = run_reroll(folder, "ls")
    assert code == 0
    assert "good" in listed
    assert f"{SHOWN}.duckdb: its name is not UTF-8 text; rename the file" in errors
    assert f"{SHOWN}.partial" in errors
    code, answer, errors = run_reroll(folder, "sql", "SELECT DISTINCT run FROM games")
    assert (code, answer.split()) == (0, ["run", "good"])
    assert SHOWN in errors
    assert Library(folder).pandas("games")["run"].unique().tolist() == ["good"]
    findings = {finding.about: finding for finding in diagnose_runs(Library(folder))}
    assert findings["not readable"].remedy == "rename the file"
    assert run_reroll(folder, "rulesets", "bloxx-2p")[0] == 0
    assert run_reroll(folder, "rm", NAME, "--yes")[:2] == (0, f"deleted {SHOWN}\n")


@pytest.mark.parametrize(
    "words",
    [
        ("note", "good", "--text"),
        ("note", "good", "--collection"),
        ("notes",),
        ("sql", "SELECT 1", "--save"),
        ("sql",),
        ("study",),
        ("games", "--where"),
        ("publish", "--title"),
        ("simulate", "bloxx-mini", "--strategies", "random,random", "--games", "2", "--title"),
    ],
)
def test_a_text_that_is_not_utf8_gets_one_line(folder: Path, words: tuple[str, ...]) -> None:
    code, _, errors = run_reroll(folder, *words, NAME)
    assert code == 2
    assert "UTF-8" in errors
    assert [line for line in errors.splitlines() if "UTF-8" in line and "rename" not in line] == [
        errors.splitlines()[-1]
    ]


@pytest.mark.parametrize("field", ["title", "text", "tags", "address"])
def test_notes_with_half_characters_are_refused(tmp_path: Path, field: str) -> None:
    store = NoteStore(tmp_path)
    note = store.add(NotePlace("question", "sql", {"sql": ["SELECT 1"]}), NoteContent("kept"))
    document = json.loads(format_notes([note], {}))
    half = "\ud800"
    document["notes"][0][field] = {"tags": [half], "address": {"sql": [half]}}.get(field, half)
    with pytest.raises(InvalidError, match=r"note 1 .* is not UTF-8 text"):
        parse_notes(json.dumps(document))
