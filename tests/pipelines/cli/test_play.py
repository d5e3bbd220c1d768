"""`reroll play` in a terminal, and `reroll whatif` on a game by hand."""

from __future__ import annotations

import json
import re
import signal
from types import SimpleNamespace
from typing import TYPE_CHECKING, Final

import pytest
from typer.testing import CliRunner

from engine.errors import InvalidError
from engine.strategies import STRENGTHS, list_opponents
from pipelines.cli import app
from pipelines.design.own_strategies import BUILT_IN_ONLY
from pipelines.experiments.fork import find_strategy_action
from pipelines.play import compare_choices, continue_game, keep_game, prepare_game
from pipelines.runs.library import Library

if TYPE_CHECKING:
    from pathlib import Path

    from engine.catalogue import Catalogue
    from pipelines.play import HandGame


QUESTION: Final = " Enter plays it, u takes it back: "


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("played")


@pytest.fixture(scope="module")
def finished_game(catalogue: Catalogue) -> HandGame:
    """A game in which the person always makes the last legal move."""
    game = continue_game(prepare_game(catalogue.find_ruleset("blokus-dice-7-2p"), ["me", "greedy"], 6))
    game.let_strategies_play()
    while not game.state.is_over:
        game.choose(game.state.actions[-1])
        game.let_strategies_play()
    return game


def run_reroll(*words: str, answers: str = "") -> tuple[int, str, str]:
    """Run a command; return its exit code, stdout and stderr."""
    done = CliRunner().invoke(app, words, input=answers)
    return done.exit_code, done.stdout, done.stderr


def test_a_game_in_the_terminal_can_be_left_and_continued_to_its_end(
    folder: Path, finished_game: HandGame
) -> None:
    words = ("play", "blokus-dice-7-2p", "--seats", "me,greedy", "--seed", "6", "--data", str(folder))
    code, _, told = run_reroll(*words, answers="hint\nzz\n1\nundo\nquit\n")
    assert code == 1
    assert "greedy would play " in told
    assert "'zz' is not an action" in told
    command = told.rstrip().splitlines()[-1]
    assert command.startswith("reroll play blokus-dice-7-2p --seats me,greedy --seed 6")
    assert command.split()[-1].strip("'").startswith("~greedy.")
    code, answer, _ = run_reroll(*words, "--moves", finished_game.text, "--json")
    assert code == 0
    assert json.loads(answer)["kind"] == "hand"
    assert f"--moves {finished_game.text}" in json.loads(answer)["command"]


def test_ctrl_c_at_the_table_says_how_to_go_on(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter(["1"])

    def answer_or_interrupt(_: str) -> str:
        try:
            return next(answers)
        except StopIteration:
            raise KeyboardInterrupt from None

    monkeypatch.setattr("builtins.input", answer_or_interrupt)
    words = ("play", "blokus-dice-7-2p", "--seats", "me,greedy", "--seed", "6", "--data", str(folder))
    code, _, told = run_reroll(*words)
    assert code == 128 + signal.SIGINT
    *_, command, interrupted = told.splitlines()
    assert command.startswith("reroll play blokus-dice-7-2p --seats me,greedy --seed 6")
    assert "." in command.split()[-1]  # one move of each player
    assert interrupted == "interrupted"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("bloxx-2p", "--seats", "me"), "takes 2 players, not 1"),
        (("--seats", "me,greedy"), "name either a RULESET"),
        (
            ("bloxx-2p", "--seats", "me,greedy", "--moves", "zzzz"),
            "entry 1, 'zzzz': this move is not legal here",
        ),
        (
            ("--run", "nothing", "--game", "1", "--move", "1", "--seats", "me,greedy"),
            "unknown run 'nothing'",
        ),
        (("--run", "nothing", "--game", "1", "--seats", "me,greedy"), "name either a RULESET"),
    ],
)
def test_a_game_that_cannot_be_played_is_refused_in_one_line(
    folder: Path, words: tuple[str, ...], message: str
) -> None:
    code, _, told = run_reroll("play", *words, "--data", str(folder))
    assert code == 2
    assert message in told
    assert len(told.strip().splitlines()) == 1


def test_a_what_if_compares_a_move_of_a_person_with_that_of_a_strategy(
    tmp_path: Path, finished_game: HandGame
) -> None:
    run = keep_game(Library(tmp_path), finished_game)
    compared = compare_choices(finished_game, "greedy")
    other = next(choice for choice in compared if choice.own != choice.other)
    words = (
        "whatif",
        run.name,
        "--game",
        "1",
        "--move",
        str(other.ply + 1),
        "--data",
        str(tmp_path),
        "--continuations",
        "20",
        "--json",
    )
    code, answer, told = run_reroll(*words, "--action-of", "greedy")
    assert code == 0, told
    notation = finished_game.setup.ruleset.action(other.other).notation
    change = json.loads(answer)["change"]
    assert change == f"the move was {notation} (with greedy as player 1 on both branches)"
    # The person may also be replaced from there on.
    code, answer, told = run_reroll(*words, "--player", "1", "--strategy", "random")
    assert code == 0, told
    assert json.loads(answer)["change"] == "random played on for player 1"


def test_a_review_judges_every_choice_of_a_person(tmp_path: Path, finished_game: HandGame) -> None:
    run = keep_game(Library(tmp_path), finished_game)
    words = ("review", run.name, "--game", "1", "--effort", "0.1", "--data", str(tmp_path), "--quiet")
    code, answer, told = run_reroll(*words, "--json")
    assert code == 0, told
    reviewed = json.loads(answer)
    ruleset = finished_game.setup.ruleset
    own = {
        ply: ruleset.action(row.action).notation
        for ply, row in enumerate(finished_game.plies)
        if row.seat == 0 and (row.options or 0) > 1
    }
    judged = {one["ply"]: one["chosen"]["notation"] for one in reviewed["decisions"] if one["seat"] == 0}
    assert judged == own
    assert [ledger["result"] for ledger in reviewed["ledgers"]] == [*finished_game.state.scores]
    code, text, told = run_reroll(*words)
    assert code == 0, told
    assert re.search(r"^ *1 +You ", text, re.MULTILINE)


def test_a_strategy_that_chooses_what_was_played_leaves_nothing_to_ask(
    tmp_path: Path, finished_game: HandGame
) -> None:
    run = keep_game(Library(tmp_path), finished_game)
    greedy = next(
        ply for ply, row in enumerate(finished_game.plies) if row.seat == 1 and (row.options or 0) > 1
    )
    with pytest.raises(
        InvalidError, match=r"greedy would have chosen .*, too, so nothing would be different"
    ):
        find_strategy_action(run, 0, greedy, "greedy", BUILT_IN_ONLY)
    with pytest.raises(InvalidError, match="move 1 of game 1 is a roll"):
        find_strategy_action(run, 0, 0, "greedy", BUILT_IN_ONLY)


def test_an_opponent_is_named_by_its_strength_and_the_result_is_counted(tmp_path: Path) -> None:
    words = ("play", "blokus-dice-7-2p", "--seed", "6", "--data", str(tmp_path))
    code, _, told = run_reroll(*words, "--opponent", "easy", answers="1\n" * 60)
    assert code == 0, told
    assert re.search(r"^Against easy \(noisy\) you won [01] of 1 game\.$", told, re.MULTILINE)
    (run,) = Library(tmp_path).runs()
    assert [seat.strategy.partition(":")[0] for seat in run.list_seats(0)] == ["me", "noisy"]
    _, _, told = run_reroll(*words, answers="quit\n")
    assert "--seats me,keeper" in told  # the medium one
    for more, message in (
        (("--seats", "me,easy", "--opponent", "hard"), "--seats and --opponent"),
        (("--opponent", "nobody"), "unknown strategy"),
    ):
        code, _, told = run_reroll(*words, *more)
        assert code == 2
        assert message in told
    code, _, told = run_reroll(
        "play", "--run", run.name, "--game", "1", "--move", "2", "--data", str(tmp_path)
    )
    assert (code, "--run needs --seats" in told) == (2, True)


def test_a_move_can_be_taken_back_at_a_terminal_before_it_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    answers = iter(["2", "u", "1", "", "quit"])

    def answer(prompt: str) -> str:
        asked.append(prompt)
        return next(answers)

    terminal = SimpleNamespace(isatty=lambda: True)
    monkeypatch.setattr("pipelines.cli.play.sys", SimpleNamespace(stdin=terminal, stdout=terminal))
    monkeypatch.setattr("builtins.input", answer)
    words = ("play", "blokus-dice-7-2p", "--seats", "me,greedy", "--seed", "6", "--data", str(tmp_path))
    _, _, told = run_reroll(*words)
    assert [prompt.partition("?")[2] for prompt in asked] == ["", QUESTION, "", QUESTION, ""]
    command = told.rstrip().splitlines()[-1]
    monkeypatch.undo()
    _, _, told = run_reroll(*words, answers="1\nquit\n")
    assert command == told.rstrip().splitlines()[-1]


def test_the_list_of_strategies_says_which_opponents_they_are() -> None:
    for game in ("bloxx", "blokus-dice"):
        code, listed, _ = run_reroll("strategies", game)
        assert code == 0
        lines = listed.splitlines()
        documents = json.loads(run_reroll("strategies", game, "--json")[1])
        strengths = {one["strategy"]: one["opponent"] for one in documents if one["opponent"]}
        for one in list_opponents(game):
            name = one.strategy.partition(":")[0]
            marked = lines.index(f"{'':<25} * {one.strength} opponent: {one.plays}")
            assert lines[marked - 1].startswith(f"{game:<12} {name} ")
            assert strengths.pop(name) == one.strength
        assert not strengths
    _, told, _ = run_reroll("play", "--help")
    assert f"{', '.join(STRENGTHS)} (reroll strategies" in " ".join(told.split())
