"""Strategies of one's own at the table of a game by hand: they play, give hints, are recorded, and can be checked."""

from __future__ import annotations

import hashlib
import json
import shlex
from typing import TYPE_CHECKING, Final

import pytest
from typer.testing import CliRunner

from pipelines.cli import app
from pipelines.design.designs import read_design
from pipelines.design.own_strategies import OwnStrategies
from pipelines.play import continue_game, keep_game, prepare_game
from pipelines.runs.library import Library
from pipelines.simulate.errors import PlayError
from pipelines.simulate.verify import verify_run

if TYPE_CHECKING:
    from pathlib import Path

    from engine.catalogue import Catalogue

RULESET: Final = "blokus-dice-7-2p"
SOURCE: Final = '''
def last(state, source, back=1):
    """Play one of the last actions."""
    return state.actions[-min(int(back), len(state.actions))]


def any_one(state, source):
    return source.choice(state.actions)


def fails(state, source):
    return 1 // 0


def slow(state, source):
    while True:
        pass


def Illegal(state, source):
    return -7


def cheats(state, source):
    state.ruleset.options.__dict__["gap_penalty"] = 0
    return state.actions[0]
'''


@pytest.fixture
def code(tmp_path: Path) -> Path:
    """A file with strategies."""
    path = tmp_path / "mine.py"
    path.write_text(SOURCE, encoding="utf-8")
    return path


def run_reroll(*words: object, answers: str = "") -> tuple[int, str, str]:
    """Run a command; return its exit code, stdout and stderr."""
    done = CliRunner().invoke(app, list(map(str, words)), input=answers)
    return done.exit_code, done.stdout, done.stderr


@pytest.mark.slow
def test_an_own_strategy_plays_a_seat_and_its_game_can_be_checked_with_the_file(
    code: Path, tmp_path: Path
) -> None:
    words = ("play", RULESET, "--seats", "me,last:back=2", "--seed", "6", "--data", tmp_path)
    exit_code, _, said = run_reroll(*words)
    assert exit_code == 2
    assert "unknown strategy" in said
    exit_code, _, said = run_reroll(
        *words, "--code", code, answers="hint any-one\nhint noisy:sigma=0.5\n1\nquit\n"
    )
    assert exit_code == 1
    assert "any-one would play " in said
    goes_on = shlex.split(said.rstrip().splitlines()[-1])
    assert goes_on[goes_on.index("--code") + 1] == str(code)
    answers = "1\n" * 60
    exit_code, answer, said = run_reroll(*goes_on[1:], "--name", "mine", "--json", answers=answers)
    assert exit_code == 0, said
    command = json.loads(answer)["command"]
    assert "--code mine.py" in command
    assert "~any-one.~noisy:sigma=0%2E5." in command
    run = Library(tmp_path).run("mine")
    sha256 = hashlib.sha256(code.read_bytes()).hexdigest()
    with run.connect() as connection:
        (document,) = connection.execute("SELECT design FROM run").fetchall()[0]
        rows = connection.execute(
            "SELECT strategy, title, params->>'$.from.sha256' FROM strategies"
        ).fetchall()
    assert [(origin.file, origin.sha256) for origin in read_design(document, "").code] == [
        ("mine.py", sha256)
    ]
    assert ("last:back=2", "Play one of the last actions.", sha256) in rows
    verify_run(run)

    exit_code, answer, _ = run_reroll("verify", "mine", "--data", tmp_path)
    assert exit_code == 0
    assert "the game agrees with the rules" in answer
    assert "mine.py was not executed" in answer
    assert answer.rstrip().endswith("reroll verify mine --code mine.py")
    exit_code, answer, said = run_reroll("verify", "mine", "--data", tmp_path, "--code", code)
    assert (exit_code, "are the same" in answer) == (0, True), said
    code.write_text(SOURCE + "\n", encoding="utf-8")
    exit_code, _, said = run_reroll("verify", "mine", "--data", tmp_path, "--code", code)
    assert exit_code == 2
    assert "restore the file" in said


@pytest.mark.slow
def test_the_choices_of_simulated_games_are_checked_with_the_file(code: Path, tmp_path: Path) -> None:
    words = ("simulate", "bloxx-2p", "-s", "any-one,greedy", "--games", "2", "--seed", "3", "--name", "both")
    exit_code, _, said = run_reroll(*words, "--data", tmp_path, "--code", code, "--quiet")
    assert exit_code == 0, said
    exit_code, answer, said = run_reroll("verify", "both", "--data", tmp_path, "--code", code, "--json")
    assert exit_code == 0, said
    (check,) = json.loads(answer)
    expected = {"run": "both", "ok": True, "fault": None, "unchecked_code": [], "replayed": 2, "unchecked": 0}
    assert check.items() >= expected.items()


def test_another_choice_than_that_of_the_file_is_found(
    catalogue: Catalogue, code: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = OwnStrategies.from_names([code])
    game = continue_game(prepare_game(catalogue.find_ruleset(RULESET), ["me", "last"], 6, own))
    while not game.state.is_over:
        game.choose(game.state.actions[0])  # also for the strategy, which would have chosen otherwise
    run = keep_game(Library(tmp_path), game)
    exit_code, answer, _ = run_reroll("verify", run.name, "--data", tmp_path, "--code", code)
    assert exit_code == 1
    assert "last:back=1 of mine.py chooses " in answer
    monkeypatch.setenv("REROLL_OWN", "0")
    exit_code, _, said = run_reroll("play", RULESET, "--seats", "me,last", "--code", code)
    assert exit_code == 2
    assert "built-in strategies only" in said


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("fails", "fails raised ZeroDivisionError at mine.py line "),
        ("slow", "slow did not decide within 0.2 s"),
        ("Illegal", "Illegal returned -7, which is not one of"),
    ],
)
def test_an_own_strategy_that_fails_leaves_the_game_to_be_continued(
    code: Path, tmp_path: Path, name: str, message: str
) -> None:
    words = ("play", RULESET, "--seed", "6", "--data", tmp_path, "--code", code, "--decision-seconds", "0.2")
    exit_code, _, said = run_reroll(*words, "--seats", f"me,{name}", answers="1\n1\n")
    assert exit_code == 1
    assert message in said
    assert "continue with:\nreroll play " in said
    # As a hint it costs nothing: the game goes on.
    exit_code, _, said = run_reroll(*words, "--seats", "me,greedy", answers=f"hint {name}\n1\nquit\n")
    assert message in said
    assert f"~{name}" not in said


def test_code_that_changes_the_rules_saves_no_game(catalogue: Catalogue, code: Path, tmp_path: Path) -> None:
    shared = catalogue.find_ruleset("bloxx-2p")
    ruleset = type(shared).from_document(shared.document, "a copy that the code may change")
    game = continue_game(prepare_game(ruleset, ["me", "cheats"], 6, OwnStrategies.from_names([code])))
    while not game.state.is_over:
        game.let_strategies_play()
        if not game.state.is_over:
            game.choose(game.state.actions[0])
    with pytest.raises(PlayError, match=r"mine\.py changed the ruleset"):
        keep_game(Library(tmp_path), game)
