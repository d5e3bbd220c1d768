"""Parts of a library that are damaged or crafted: shards with too many rows, notes of another form, a torn file of notes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import duckdb
import pytest
from typer.testing import CliRunner

from engine.errors import InvalidError
from pipelines.cli import app
from pipelines.design.designs import design_simulation
from pipelines.design.own_strategies import OwnStrategies
from pipelines.notes.exchange import format_notes, parse_notes
from pipelines.notes.note import NoteContent, NotePlace
from pipelines.notes.store import NoteStore
from pipelines.runs.library import Library
from pipelines.runs.unfinished_run import begin_run
from pipelines.service.doctor import diagnose_notes
from pipelines.simulate.shards import play_shard
from pipelines.simulate.simulate import resume_run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from engine.ruleset import Ruleset


@pytest.mark.parametrize("table", ["games", "seats", "parts", "plies", "rollups"])
def test_a_shard_with_more_rows_than_its_games_have_is_refused(
    ruleset: Ruleset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: str
) -> None:
    monkeypatch.setattr("pipelines.runs.seal.MAX_ROLLUP_ROWS", 50_000)
    design = design_simulation(ruleset, ["random", "random"], blocks=4)
    partial = begin_run(tmp_path / "run.duckdb", design, free_name=False)
    play_shard(partial.folder, design.model_dump_json(), 0)
    file = partial.shards_folder / "000000" / f"{table}.parquet"
    larger = file.with_suffix(".larger")
    sql = f"SELECT rows.* FROM '{file}' AS rows, range(30000)"  # noqa: S608 - a path of this test
    with duckdb.connect() as connection:
        connection.sql(sql).write_parquet(str(larger))
    larger.replace(file)
    with pytest.raises(
        InvalidError, match=rf"000000: the shard has .* rows of {table}; expected .*; delete this folder"
    ):
        resume_run(partial, workers=1)
    assert not partial.target.exists()
    for path in file.parent.iterdir():
        path.unlink()
    file.parent.rmdir()
    assert resume_run(partial, workers=1).summary.games == design.games


def _replace_column(file: Path, column: str, expression: str) -> None:
    """Replace a column of a Parquet file by an SQL expression."""
    fresh = file.with_suffix(".fresh")
    with duckdb.connect() as connection:
        connection.read_parquet(str(file)).project(f"* REPLACE ({expression} AS {column})").write_parquet(
            str(fresh)
        )
    fresh.replace(file)


@pytest.mark.parametrize("damage", ["torn", "no score"])
def test_a_damaged_shard_is_named_with_what_to_do(ruleset: Ruleset, tmp_path: Path, damage: str) -> None:
    design = design_simulation(ruleset, ["random", "random"], blocks=4)
    partial = begin_run(tmp_path / "run.duckdb", design, free_name=False)
    play_shard(partial.folder, design.model_dump_json(), 0)
    file = partial.shards_folder / "000000" / "seats.parquet"
    if damage == "torn":
        file.write_bytes(file.read_bytes()[:100])
    else:
        _replace_column(file, "score", "NULL::INTEGER")
    with pytest.raises(InvalidError, match=r"000000: the shard is damaged: .*; delete this folder to play"):
        resume_run(partial, workers=1)
    assert not partial.target.exists()


@pytest.mark.slow
def test_shards_that_make_no_readable_run_leave_no_run(ruleset: Ruleset, tmp_path: Path) -> None:
    """A program may call itself anything, in a shard of a stranger by 20,000 letters: no reader would take the file."""
    code = tmp_path / "mine.py"
    code.write_text("def last(state, source):\n    return state.actions[-1]\n", encoding="utf-8")
    own = OwnStrategies.from_names([str(code)], ["last", "random"])
    design = design_simulation(ruleset, ["last", "random"], blocks=2, own_strategies=own)
    partial = begin_run(tmp_path / "run.duckdb", design, free_name=False)
    for number in range(len(design.shards)):
        play_shard(partial.folder, design.model_dump_json(), number, own)
        file = partial.shards_folder / f"{number:06}" / "decisions.parquet"
        _replace_column(file, "program", "repeat('y', 20000)")
    with pytest.raises(InvalidError, match=r"strategies\.program has 20000 bytes, more than 10000"):
        resume_run(partial, workers=1)
    assert not partial.target.exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tags": "abc"}, "'abc' is not a list of texts"),
        ({"collections": {"a": 1}}, "is not a list of texts"),
        ({"colour": "red"}, "unknown key 'colour'"),
        ({"favorite": True}, "unknown key 'favorite'; did you mean favourite"),
    ],
)
def test_a_note_that_is_no_note_is_refused(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    store = NoteStore(tmp_path)
    note = store.add(NotePlace("question", "sql", {"sql": ["SELECT 1"]}), NoteContent("kept"))
    document = json.loads(format_notes([note], store.orders([note])))
    assert parse_notes(json.dumps(document)).notes == [note]
    document["notes"][0] |= change
    with pytest.raises(InvalidError, match=f"note 1 of the document cannot be read: .*{message}"):
        parse_notes(json.dumps(document))
    with pytest.raises(InvalidError, match="unknown key 'more'"):
        parse_notes(json.dumps({**document, "notes": [], "more": 1}))


@pytest.mark.parametrize("how", ["other bytes", "a torn page"])
def test_runs_are_listed_without_the_notes_that_cannot_be_read(
    tmp_path: Path, how: str, play_run: Callable[..., None]
) -> None:
    library = Library(tmp_path)
    play_run(tmp_path, "first", "bloxx-mini", "random", "random", games=4)
    store = NoteStore(library.folder)
    for number in range(50):
        store.add(NotePlace("question", "sql", {"sql": [f"SELECT {number}"]}), NoteContent(f"kept {number}"))
    assert diagnose_notes(library).ok
    content = bytearray(store.path.read_bytes())
    content[:100] = b"x" * 100 if how == "other bytes" else content[:100]
    content[4096:] = b"x" * len(content[4096:])
    store.path.write_bytes(content)
    result = CliRunner().invoke(app, ["ls", "--data", str(library.folder)])
    assert result.exit_code == 0
    assert "first" in result.stdout
    assert "no run is marked as pinned" in result.stderr
    finding = diagnose_notes(library)
    assert not finding.ok
    assert str(store.path) in finding.remedy
