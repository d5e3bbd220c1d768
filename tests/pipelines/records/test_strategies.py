"""What was measured of strategies and predictions is of the rulesets that belong to Reroll.

The opponents easy, medium and hard: the recorded ladder proves their order, and every one of them answers soon.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final

import pytest

from engine import games
from engine.catalogue import Catalogue
from engine.strategies import (
    DEFAULT_STRENGTH,
    STRENGTHS,
    choose_opponent,
    find_opponent,
    list_opponents,
    read_player,
)
from pipelines.records.strategies import (
    find_distance,
    find_perfect_play_record,
    find_robustness_record,
    list_ladder_records,
    recorded_calibration,
    recorded_perfect_play,
    recorded_robustness,
)
from pipelines.report.yardsticks import describe_robustness

if TYPE_CHECKING:
    from pathlib import Path


def test_the_recorded_distances_are_of_the_shipped_rulesets_and_no_strategy_is_above_the_optimum() -> None:
    records = recorded_perfect_play()
    assert records.keys() == {f"{game}-mini" for game in ("bloxx", "blokus-dice", "spexxx")}
    for name, measured in records.items():
        ruleset = Catalogue().find_ruleset(name)
        assert find_perfect_play_record(ruleset) == measured
        assert all(distance.lead.low <= 0 for distance in measured.strategies)
        assert all(distance.games == 2 * distance.blocks >= 2000 for distance in measured.strategies)
        random = find_distance(ruleset, "random")
        assert random
        assert random.lead.high < -1
        assert find_distance(ruleset, "nobody") is None
    other_rules = Catalogue().find_ruleset("bloxx-2p").model_copy(update={"name": "bloxx-mini"})
    assert find_perfect_play_record(other_rules) is None


def test_every_printed_game_with_reconstructed_tables_has_a_record(catalogue: Catalogue) -> None:
    names = {record.ruleset for record in recorded_robustness().values()}
    expected = {f"{game}-{players}p" for game in ("bloxx", "blokus-dice", "spexxx") for players in (2, 3, 4)}
    assert expected <= names
    for name in names:
        record = find_robustness_record(catalogue.find_ruleset(name).sha256)
        assert record is not None, f"{name} was measured with other tables"
        assert record.draws >= 200
        sentence = describe_robustness(record.sha256)
        assert f"in {record.ordered} of {record.draws} cases (95 % interval " in sentence
    assert describe_robustness("of no ruleset") == ""


def test_the_recorded_cases_are_of_the_shipped_rulesets() -> None:
    cases = recorded_calibration()
    assert {(case.ruleset, case.is_of_playouts) for case in cases} >= {
        (name, True) for name in ("bloxx-2p", "blokus-dice-2p", "spexxx-2p", "blokus-duo")
    }
    for case in cases:
        assert case.sha256 == Catalogue().find_ruleset(case.ruleset).sha256
        assert case.predictions <= 5 * case.blocks


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
