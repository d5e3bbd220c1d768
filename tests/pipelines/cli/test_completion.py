"""What the shell completes."""

from __future__ import annotations

from typer.testing import CliRunner

from pipelines.cli import app


def complete_words(*words: str) -> set[str]:
    """Return what the shell is told to complete after the words of a command line; the last one is incomplete."""
    environment = {
        "_REROLL_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(words),
        "COMP_CWORD": str(len(words) - 1),
    }
    return set(CliRunner().invoke(app, [], prog_name="reroll", env=environment).stdout.split())


def test_the_shell_completes_strategies_and_formats() -> None:
    assert complete_words("reroll", "simulate", "bloxx-2p", "--strategies", "pl") == {"planner"}
    assert complete_words("reroll", "simulate", "blokus-duo", "--strategies", "pl") == set()
    assert complete_words("reroll", "simulate", "bloxx-2p", "-s", "greedy,pl") == {"greedy,planner"}
    assert "mcts" in complete_words("reroll", "compare", "blokus-duo", "greedy", "m")
    assert complete_words("reroll", "whatif", "made", "--game", "1", "--strategy", "kee") == {"keeper"}
    assert complete_words("reroll", "export", "made", "--as", "p") == {"parquet"}
    assert {"txt", "json", "html", "csv", "blksgf"} <= complete_words("reroll", "export", "made", "--as", "")
    assert complete_words("reroll", "docs", "first") == {"first-hour"}
    assert complete_words("reroll", "help", "sim") == {"simulate"}
