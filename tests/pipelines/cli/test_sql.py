"""The command sql: queries from the command line and from stdin, their tables, and damaged runs."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.command_line import run_reroll

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pipelines.runs.run import Run


@pytest.mark.usefixtures("library_folder")
def test_sql_answers_in_csv_and_says_when_it_is_cut() -> None:
    result = run_reroll("sql", "SELECT game_id FROM games ORDER BY 1", "--csv", "--limit", "2")
    assert result.stdout == "game_id\n0\n1\n"
    assert result.stderr == "showing the first 2 rows; see --limit\n"


@pytest.mark.usefixtures("library_folder")
def test_a_plan_is_printed_as_the_drawing_that_it_is() -> None:
    lines = run_reroll("sql", "EXPLAIN SELECT 1").stdout.splitlines()
    assert any("Projection" in line for line in lines)
    assert any(line.startswith(("╰", "└")) for line in lines)


@pytest.mark.usefixtures("library_folder")
@pytest.mark.parametrize(
    ("words", "given"),
    [
        ((), "SELECT 2 AS two"),
        (("-",), "-- a comment\nSELECT 2 AS two\n"),
        (("-- a comment\nSELECT 2 AS two",), None),
        (("--comment\nSELECT 2 AS two", "--limit", "5"), None),
        (("--", "-- a comment\nSELECT 2 AS two"), None),
    ],
)
def test_a_query_may_come_from_stdin_and_begin_with_a_comment(
    words: tuple[str, ...], given: str | None
) -> None:
    result = run_reroll("sql", "--csv", *words, answer=given)
    assert (result.exit_code, result.stdout) == (0, "two\n2\n"), result.stderr


@pytest.mark.usefixtures("library_folder")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "reroll: the standard input has no query\n"),
        (("--limt=3",), "reroll: No such option: --limt"),
        (("-- only a comment",), "reroll: expected one query"),
    ],
)
def test_sql_without_a_query_says_so(words: tuple[str, ...], message: str) -> None:
    result = run_reroll("sql", *words, answer="")
    assert result.exit_code == 2
    assert result.stderr.startswith(message)


@pytest.mark.slow
def test_sql_names_damaged_runs_and_answers_from_the_others(
    small_run: Run, tmp_path: Path, damage_table: Callable[[Path, str], None]
) -> None:
    runs = tmp_path / "runs"
    runs.mkdir()
    for name in ("good", "damaged", "fine"):
        shutil.copyfile(small_run.path, runs / f"{name}.duckdb")
    (runs / "text.duckdb").write_text("hello")
    damage_table(runs / "damaged.duckdb", "ply_rows")
    query = "SELECT run, count(*) AS n, sum(score) > 0 AS good FROM plies GROUP BY run ORDER BY run"
    result = run_reroll("sql", query, "--csv", "--data", tmp_path)
    assert result.exit_code == 0, result.stderr
    assert [line.split(",")[0] for line in result.stdout.splitlines()] == ["run", "fine", "good"]
    unread, damaged = result.stderr.splitlines()
    assert unread.startswith(f"reroll: {runs / 'text.duckdb'}: not a run file")
    assert damaged.startswith(f"reroll: {runs / 'damaged.duckdb'}: the file is damaged: ")
    alone = run_reroll("sql", query, "--run", "damaged", "--data", tmp_path)
    assert (alone.exit_code, alone.stdout) == (2, "")
    assert alone.stderr.startswith(f"reroll: {runs / 'damaged.duckdb'}: the file is damaged: ")


def test_sql_asks_every_run_that_is_named(small_run: Run, tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    for name in ("a", "b", "c"):
        shutil.copyfile(small_run.path, tmp_path / "runs" / f"{name}.duckdb")
    query = "SELECT run FROM run ORDER BY run"
    result = run_reroll("sql", query, "--run", "a", "--run", "c", "--data", tmp_path, "--csv")
    assert result.stdout.split() == ["run", "a", "c"]
