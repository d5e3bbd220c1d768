"""Terminals with another encoding, streams that are closed, and JSON of numbers that JSON does not have."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from pipelines.cli import app

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.runs.library import Library
    from tests.processes import RunProcess


def test_numbers_that_json_does_not_have_are_null(library: Library) -> None:
    sql = "SELECT 'nan'::DOUBLE AS x, 1.0/0 AS y, [-1.0/0, 1] AS z"
    result = CliRunner().invoke(app, ["sql", sql, "--json", "--data", str(library.folder)])

    def refuse_constant(name: str) -> None:
        pytest.fail(f"{name} is not JSON")

    read = json.loads(result.stdout, parse_constant=refuse_constant)
    assert read == [{"x": None, "y": None, "z": [None, 1.0]}]


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("ls >&-", 0),
        ("ls --json >&-", 0),
        ("ls 2>&-", 0),
        ("sql <&-", 2),
        ("play bloxx-mini --seats me,greedy <&-", 1),
        ("simulate bloxx-mini --strategies random,random --games 4 --name closed 2>&- >&- <&-", 0),
    ],
)
def test_a_closed_stream_is_an_empty_one(
    library: Library, tmp_path: Path, run_process: RunProcess, command: str, code: int
) -> None:
    (tmp_path / "runs").symlink_to(library.runs_folder, target_is_directory=True)
    if "simulate" in command:
        (tmp_path / "runs").unlink()
    words = f'exec "{sys.executable}" -m pipelines {command}'
    ended = run_process(["sh", "-c", words], env={**os.environ, "REROLL_DATA": str(tmp_path)})
    assert ended.returncode == code, ended.stderr
    assert "Traceback" not in ended.stderr
    assert (tmp_path / "runs" / "closed.duckdb").exists() == ("simulate" in command)


@pytest.mark.parametrize("encoding", ["latin-1", "latin-1:strict"])
def test_every_encoding_of_the_terminal_gets_a_replacement(
    tmp_path: Path, run_process: RunProcess, encoding: str
) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "REROLL_DATA": str(tmp_path)}
    command = [sys.executable, "-m", "pipelines", "sql", "SELECT '\u2192' AS arrow"]
    ended = run_process(command, env=environment, encoding="latin-1")
    assert ended.returncode == 0, ended.stderr
    assert "\\u2192" in ended.stdout
