"""Games by hand as questions: the address holds all of a game, and nothing else becomes another game."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from engine.errors import GameError
from pipelines.questions.address import read_fields, write_address
from pipelines.questions.hand_game import HandGameQuestion, prepare_hand_game

if TYPE_CHECKING:
    from pipelines.runs.library import Library

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
