"""What-if questions about games that programs or own strategies played: they play on only if a person allows it."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.command_line import run_reroll

if TYPE_CHECKING:
    from typer.testing import Result

GTP_PROGRAM = Path(__file__).parents[2] / "engine" / "games" / "blokus" / "gtp_program.py"
PROGRAM = f'gtp:command="{shlex.join([sys.executable, str(GTP_PROGRAM)])}",name="Tester"'
MINE = '''
def mine(state, source):
    """As random."""
    return source.choice(state.actions)


def broken(state, source):
    return 1 // 0
'''


pytestmark = pytest.mark.slow  # programs are started


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library with a game of a program and a game of an own strategy."""
    folder = tmp_path_factory.mktemp("programs")
    (folder / "mine.py").write_text(MINE, encoding="utf-8")
    (folder / "runs").mkdir()
    for name, ruleset, lineup, *code in (
        ("program", "blokus-duo", f"{PROGRAM},greedy"),
        ("own", "bloxx-2p", "mine,greedy", "--code", folder / "mine.py"),
    ):
        done = run_reroll(
            "simulate", ruleset, "-s", lineup, "--no-rotate", "--blocks", 1, "--seed", 1, "--workers", 1,
            "--out", folder / "runs" / name, *code,
        )  # fmt: skip
        assert done.exit_code == 0, done.output
    return folder


def ask(folder: Path, run: str, *words: object) -> Result:
    return run_reroll(
        "whatif", run, "--game", 1, "--data", folder, "--move", -12, "--continuations", 2, "--quiet", *words
    )


def test_a_program_does_not_play_on_without_permission(folder: Path) -> None:
    refused = ask(folder, "program", "--player", 2, "--strategy", "random")
    assert refused.exit_code == 2
    assert refused.stderr.startswith("reroll: player 1 was Tester, which cannot play on: ")
    assert "--allow-programs" in refused.stderr
    assert "--stand-in 1=STRATEGY" in refused.stderr
    assert len(refused.stderr.splitlines()) <= 2


def test_a_program_plays_on_if_it_is_allowed_or_named(folder: Path) -> None:
    for words in (
        ("--player", 2, "--strategy", "random", "--allow-programs"),
        ("--player", 2, "--strategy", PROGRAM),
        ("--option", "bonus=20", "--stand-in", f"1={PROGRAM}"),
    ):
        answer = ask(folder, "program", *words, "--json")
        assert answer.exit_code == 0, answer.output
        assert json.loads(answer.stdout)["n"] == 2


def test_another_strategy_can_play_the_seat_of_a_program_on_both_branches(folder: Path) -> None:
    answer = ask(folder, "program", "--player", 2, "--strategy", "random", "--stand-in", "1=greedy", "--json")
    assert answer.exit_code == 0, answer.output
    change = json.loads(answer.stdout)["change"]
    assert change == "random played on for player 2 (with greedy as player 1 on both branches)"
    words = ("--player", 1, "--strategy", "random", "--stand-in", "1=greedy", "--details")
    replaced = ask(folder, "program", *words)
    assert replaced.exit_code == 0, replaced.output
    assert "greedy → random" in replaced.stdout


def test_naming_one_program_allows_no_other(folder: Path) -> None:
    other = PROGRAM.replace("gtp_program.py", "other_program.py").replace("Tester", "Other")
    refused = ask(folder, "program", "--player", 2, "--strategy", other)
    assert refused.exit_code == 2
    assert "--allow-programs" in refused.stderr


def test_an_own_strategy_plays_on_only_with_its_code(folder: Path, tmp_path: Path) -> None:
    refused = ask(folder, "own", "--player", 2, "--strategy", "random")
    assert refused.exit_code == 2
    assert "use --code mine.py" in refused.stderr
    allowed = ask(folder, "own", "--player", 2, "--strategy", "random", "--code", folder / "mine.py")
    assert allowed.exit_code == 0, allowed.output
    changed = tmp_path / "mine.py"
    changed.write_text(f"{MINE}# changed\n", encoding="utf-8")
    refused = ask(folder, "own", "--player", 2, "--strategy", "random", "--code", changed)
    assert refused.exit_code == 2
    assert "restore the file" in refused.stderr


def test_an_error_of_an_own_strategy_names_its_line(folder: Path) -> None:
    failed = ask(
        folder,
        "own",
        "--player",
        1,
        "--strategy",
        "broken",
        "--stand-in",
        "1=greedy",
        "--code",
        folder / "mine.py",
    )
    assert failed.exit_code == 1
    assert "broken raised ZeroDivisionError at mine.py line 8 (a continuation, round " in failed.stderr
    assert len(failed.stderr.splitlines()) == 1


def test_the_continuations_of_an_own_strategy_are_saved(folder: Path) -> None:
    saved = ask(
        folder, "own", "--player", 2, "--strategy", "random", "--code", folder / "mine.py", "--name", "kept"
    )
    assert saved.exit_code == 0, saved.output
    verified = run_reroll("verify", "kept", "--data", folder)
    assert verified.exit_code == 0, verified.output


@pytest.mark.parametrize("text", ["greedy", "x=greedy", "1=", "-1=greedy", "0=greedy", "9=greedy"])
def test_a_wrong_stand_in_is_refused_in_one_line(folder: Path, text: str) -> None:
    refused = ask(folder, "program", "--luck", f"--stand-in={text}")
    assert refused.exit_code == 2
    assert len(refused.stderr.splitlines()) == 1
