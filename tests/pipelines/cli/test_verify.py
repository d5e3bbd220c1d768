"""The command verify says what is wrong with a run, and what it cannot check."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import duckdb
import pytest

from pipelines.runs.schema import schema_columns
from tests.command_line import LINE_UP_OPTIONS, run_reroll

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pipelines.runs.library import Run


def test_verify_names_what_is_wrong_and_ends_with_1(small_run: Run, tmp_path: Path) -> None:
    path = tmp_path / "changed.duckdb"
    path.write_bytes(small_run.path.read_bytes())
    with duckdb.connect(path) as connection:
        connection.execute("UPDATE ply_rows SET score = 99 WHERE game_id = 6 AND ply = 4")
    result = run_reroll("verify", small_run.path, path, "--workers", "1")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[0] == "made: all 20 games agree with the rules"
    assert result.stdout.splitlines()[1].startswith(
        "changed: game 7, move 5: score: the file has 99, by the rules it is "
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("log", "said"),
    [
        ("scores", "all 8 games were played again from the seed, with the same results"),
        (
            "sample=0.5",
            "all 8 games were played again from the seed, with the same results; the moves of 4 games agree with the rules",
        ),
    ],
)
@pytest.mark.parametrize("command", ["simulate", "compare"])
def test_verify_plays_games_without_moves_again(tmp_path: Path, command: str, log: str, said: str) -> None:
    lineup = LINE_UP_OPTIONS if command == "simulate" else ("greedy", "random", *LINE_UP_OPTIONS[2:])
    options = ("--blocks", 4, "--log", log, "--out", tmp_path / "made")
    assert run_reroll(command, "bloxx-2p", *lineup, *options).exit_code == 0
    result = run_reroll("verify", tmp_path / "made.duckdb", "--workers", 1)
    assert (result.exit_code, result.stdout) == (0, f"made: {said}\n")


@pytest.mark.slow
def test_verify_says_which_results_it_cannot_check(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def last(state, source):\n    return state.actions[-1]\n", encoding="utf-8")
    lineup = ("--strategies", "last,random", "--code", file, "--workers", 1)
    made = run_reroll(
        "simulate", "bloxx-2p", *lineup, "--blocks", 4, "--log", "sample=0.5", "--out", tmp_path / "made"
    )
    assert made.exit_code == 0, made.stderr
    words = ("verify", tmp_path / "made.duckdb", "--workers", 1)
    result = run_reroll(*words)
    assert result.exit_code == 3
    assert "4 of 8 games agree with the rules; the results of 4 games could not be checked" in result.stdout
    (check,) = json.loads(run_reroll(*words, "--json").stdout)
    assert (check["ok"], check["fault"], check["replayed"], check["unchecked"]) == (False, None, 4, 4)
    allowed = run_reroll(*words, "--code", file)
    assert allowed.exit_code == 0, allowed.stderr
    assert "all 8 games were played again from the seed" in allowed.stdout


@pytest.mark.slow
def test_verify_names_a_view_that_older_clients_cannot_read_and_renew_replaces_it(
    small_run: Run, change_run: Callable[[str], Run]
) -> None:
    old = change_run(
        "CREATE OR REPLACE VIEW log AS SELECT lag(seat, 2) OVER (ORDER BY ply) AS earlier FROM ply_rows"
    )
    created_at = old.summary.created_at
    said = run_reroll("verify", old.path, "--workers", "1")
    assert (said.exit_code, said.stdout.splitlines()[1:]) == (
        0,
        ["its view log needs DuckDB 2.0 or newer; for older clients: reroll renew changed"],
    )
    assert old.pandas("log").equals(small_run.pandas("log")), "older files are read as before"
    renewed = run_reroll("renew", old.path)
    assert renewed.stdout == (
        "changed: written anew; every DuckDB client from version 1.5 reads its view log\n"
    )
    assert [path.name for path in old.path.parent.iterdir()] == ["changed.duckdb"]
    assert not old.path.stat().st_mode & 0o222
    run = type(old)(old.path)
    assert run.summary.created_at == created_at
    for table in schema_columns():
        with (
            duckdb.connect(old.path, read_only=True) as now,
            duckdb.connect(small_run.path, read_only=True) as before,
        ):
            rows = f"FROM {table} ORDER BY ALL"
            assert now.sql(rows).fetchall() == before.sql(rows).fetchall(), table
            comments = "SELECT comment FROM duckdb_columns() WHERE NOT internal ORDER BY ALL"
            assert now.execute(comments).fetchall() == before.execute(comments).fetchall()
    assert (
        run_reroll("verify", old.path, "--workers", "1").stdout
        == "changed: all 20 games agree with the rules\n"
    )
    assert run_reroll("renew", old.path).stdout == "changed: nothing to renew\n"
