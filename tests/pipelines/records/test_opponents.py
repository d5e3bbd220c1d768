"""The opponents easy, medium and hard: the recorded ladder proves their order, and every one of them answers soon."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final

import pytest

from engine import games
from engine.strategies import (
    DEFAULT_STRENGTH,
    STRENGTHS,
    choose_opponent,
    find_opponent,
    list_opponents,
    read_player,
)
from pipelines.records.strategies import list_ladder_records

if TYPE_CHECKING:
    from pathlib import Path

    from engine.catalogue import Catalogue

LONGEST_DECISION_SECONDS: Final = 2.0


@pytest.mark.parametrize("game", games.game_names())
def test_every_game_has_three_opponents_with_a_sentence_each(game: str) -> None:
    opponents = list_opponents(game)
    assert [one.strength for one in opponents] == list(STRENGTHS)
    assert len({one.strategy for one in opponents}) == 3
    assert all(one.plays.endswith(".") and len(one.plays) <= 90 for one in opponents)
    for one in opponents:
        name = one.strategy.partition(":")[0]
        assert find_opponent(game, one.strategy) == find_opponent(game, name) == one
        assert read_player(games.find_game(game), name).name == one.strategy


def test_the_ladder_proves_for_every_number_of_players_that_each_opponent_is_stronger_than_the_one_before(
    catalogue: Catalogue,
) -> None:
    climbed = set()
    for ruleset in catalogue.rulesets.values():
        records = list_ladder_records(ruleset)
        if not records:
            continue
        climbed.add((ruleset.game, ruleset.players))
        rungs = list(records)
        places = [rungs.index(one.strategy) for one in list_opponents(ruleset.game)]
        assert places == sorted(set(places)), ruleset.name
        for step in rungs[places[0] + 1 : places[-1] + 1]:
            lead = records[step].lead
            assert lead, step
            assert lead.low > 0, f"{ruleset.name}: {step} is not clearly ahead of {records[step].below}"
        for place in places:
            assert (records[rungs[place]].microseconds or 0) < LONGEST_DECISION_SECONDS * 1e6
    shipped = catalogue.rulesets.values()
    assert climbed == {(ruleset.game, ruleset.players) for ruleset in shipped}


def test_the_strongest_playable_opponent_stands_in_for_one_that_needs_compiled_games(
    catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REROLL_KERNELS", "0")
    for game in games.game_names():
        ruleset = next(one for one in catalogue.rulesets.values() if one.game == game)
        chosen = [choose_opponent(ruleset, strength) for strength in STRENGTHS]
        for weaker, stronger in itertools.pairwise(chosen):
            assert STRENGTHS.index(weaker.strength) <= STRENGTHS.index(stronger.strength)
        for one in chosen:
            assert read_player(games.find_game(game), one.strategy).strategy.make is not None


def test_a_game_without_the_file_has_greedy_as_its_only_opponent(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("engine.strategies.files", lambda _: tmp_path)
    (one,) = list_opponents.__wrapped__("bloxx")
    assert (one.strength, one.strategy) == (DEFAULT_STRENGTH, "greedy")
    assert one.plays.startswith("Takes the most points now")
