"""The command line in this process, as tests of commands run it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from typer.testing import CliRunner

from pipelines.cli import app

if TYPE_CHECKING:
    from typer.testing import Result

LINE_UP_OPTIONS: Final = ("--strategies", "greedy,random", "--seed", "7", "--workers", "1")
"""What `reroll simulate` needs beside a ruleset and the number of games."""


def run_reroll(*words: object, answer: str | None = None) -> Result:
    """Run a command on a terminal of 200 columns; `answer` is what it reads from stdin."""
    return CliRunner().invoke(app, [str(word) for word in words], input=answer, env={"COLUMNS": "200"})
