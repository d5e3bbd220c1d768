"""The command `reroll openings`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from pipelines.cli import app

if TYPE_CHECKING:
    from pathlib import Path

    from typer.testing import Result


def run_openings(folder: Path, *words: str) -> Result:
    return CliRunner().invoke(app, ["openings", *words, "--data", str(folder), "--quiet"])


@pytest.mark.slow
def test_the_first_line_says_which_first_move_does_best(tmp_path: Path) -> None:
    words = "blokus-duo", "--blocks", "10", "--seed", "3"
    outcome = run_openings(tmp_path, *words)
    assert outcome.exit_code == 0
    assert "212 first moves" in outcome.stdout.splitlines()[0]
    assert "reroll openings blokus-duo --first move --blocks 10 --seed 3" in outcome.stdout
    again, document = (
        run_openings(tmp_path, *words),
        json.loads(run_openings(tmp_path, *words, "--json").stdout),
    )
    assert again.stdout == outcome.stdout
    assert (document["tried"], len(document["values"])) == (212, 12)


def test_what_cannot_be_compared_is_said_in_a_line(tmp_path: Path) -> None:
    for words, reason in (
        (("spexxx-2p",), "none can be compared"),
        (("bloxx-2p", "--first", "move"), "ask which first piece does best"),
        (("blokus-duo", "--strategies", "nope"), "nope"),
        (("blokus-duo", "--first", "roll"), "roll"),
    ):
        outcome = run_openings(tmp_path, *words)
        assert outcome.exit_code == 2
        assert reason in outcome.stderr


def test_first_pieces_are_ordered_by_what_they_win_with_the_same_rolls(tmp_path: Path) -> None:
    """A piece of bad rolls may stand before one with more wins, so the order says what it counts."""
    outcome = run_openings(tmp_path, "bloxx-mini", "--blocks", "100")
    assert outcome.exit_code == 0
    order = " ".join(outcome.stdout.split()).partition("In the order of ")[2]
    assert order.startswith("wins against the other first pieces of the same rolls.")
