"""Games by hand as questions: the address holds all of a game, and nothing else becomes another game.

The results of people against opponents, counted from the finished games of a library.
"""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING

import pytest

from engine.errors import GameError
from pipelines.play import continue_game, keep_game, prepare_continuation, prepare_game
from pipelines.questions.address import read_fields, write_address
from pipelines.questions.hand_game import HandGameQuestion, OwnResults, find_own_results, prepare_hand_game
from pipelines.questions.source import QuestionSource
from pipelines.report.characters import name_opponent, write_opponents, write_own_results
from pipelines.runs.library import Library

if TYPE_CHECKING:
    from pathlib import Path

    from engine.catalogue import Catalogue
    from pipelines.play import HandSetup
    from pipelines.runs.run import Run

NAMED = HandGameQuestion(ruleset="bloxx-2p", seats='me:name="Anna, the first",greedy', seed=12)


def test_names_of_people_and_seeds_pass_through_the_address(library: Library) -> None:
    game, problems = read_fields(HandGameQuestion, write_address(NAMED))
    assert not problems
    setup = prepare_hand_game(game, library)
    assert setup.seats == ('me:name="Anna, the first"', "greedy")
    assert setup.luck.seed == 12


def test_an_address_opens_no_file(library: Library) -> None:
    for game in (
        HandGameQuestion(run="a/b", seats="me,greedy"),
        HandGameQuestion(run="../three", seats="me,greedy"),
    ):
        with pytest.raises(GameError, match="no run"):
            prepare_hand_game(game, library)
    for name in ("../../etc/passwd", "/etc/hostname.toml", "bloxx-2p.toml"):
        with pytest.raises(GameError, match="no ruleset"):
            prepare_hand_game(HandGameQuestion(ruleset=name, seats="me,greedy"), library)


RULESET = "blokus-dice-7-2p"


def finish_game(library: Library, setup: HandSetup, *, is_helped: bool = False) -> Run:
    """Play the first legal moves of every person to the end and keep the game."""
    game = continue_game(setup)
    game.let_strategies_play()
    if is_helped:
        game.ask_hint("random")
    while not game.state.is_over:
        game.choose(game.state.actions[0])
        game.let_strategies_play()
    return keep_game(library, game)


def test_games_against_each_opponent_are_counted_from_the_runs_of_the_library(
    catalogue: Catalogue, tmp_path: Path
) -> None:
    library, ruleset = Library(tmp_path), catalogue.find_ruleset(RULESET)
    setups = [prepare_game(ruleset, ["me", "easy"], seed) for seed in range(4)]
    runs = [finish_game(library, setup, is_helped=seed == 2) for seed, setup in enumerate(setups)]
    easy = setups[0].seats[1]
    assert easy.startswith("noisy:")
    finish_game(library, prepare_game(ruleset, ["greedy", 'me:name="Anna"'], 1))
    # These are not games of one person against one opponent from the start.
    finish_game(library, prepare_game(ruleset, ["me", 'me:name="Ben"'], 1))
    finish_game(library, prepare_continuation(runs[0], 0, 4, ["me", "easy"]))
    shutil.copyfile(runs[1].path, runs[1].path.with_name("copy.duckdb"))
    first, second = find_own_results(QuestionSource(library))
    assert first[:3] == (ruleset.sha256, "greedy", 1)
    shares = [run.list_seats(0)[0].win_share for run in runs]
    counts = (4, shares.count(1), sum(0 < share < 1 for share in shares), 1)
    assert second == (ruleset.sha256, easy, *counts)
    assert find_own_results(QuestionSource(Library(tmp_path / "none"))) == []


def test_the_sentence_says_wins_shared_wins_and_the_number_of_games(catalogue: Catalogue) -> None:
    ruleset = catalogue.find_ruleset("bloxx-2p")
    own = [
        OwnResults(ruleset.sha256, "greedy", 3, 1, 0, 0),
        OwnResults(ruleset.sha256, "random", 2, 1, 1, 1),
        OwnResults("other rules", "planner", 2, 1, 1, 1),
    ]
    assert (
        write_own_results(own, ruleset, ["greedy", "greedy"])
        == "Against medium (greedy) you won 1 of 3 games."
    )
    assert write_own_results(own, ruleset, ["random"]) == (
        "Against random you won 1 and shared the win of 1 of 2 games (1 with help)."
    )
    assert not write_own_results(own, ruleset, ["planner"])
    assert name_opponent("bloxx", "rollout:playouts=128,candidates=4") == "hard (rollout)"


def test_what_stands_behind_an_opponent_is_its_strategy_with_parameters_and_measured_time(
    catalogue: Catalogue,
) -> None:
    easy, medium, hard, source = write_opponents(catalogue.find_ruleset("bloxx-2p"))
    assert re.fullmatch(r"Easy is noisy: .*, in points: 2\.3\. About \S+ µs a move\.", easy)
    assert medium.startswith("Medium is greedy: Takes the most points now")
    assert re.search(r"over all candidates: 128\. .* About \S+ ms a move\.$", hard)
    assert source.startswith("These times were measured on ")
    assert len(write_opponents(catalogue.find_ruleset("bloxx-touch-2p"))) == 3  # no times were measured
