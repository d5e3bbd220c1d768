"""What was measured of strategies and predictions is of the rulesets that belong to Reroll."""

from __future__ import annotations

from engine.catalogue import Catalogue
from pipelines.records.strategies import (
    find_distance,
    find_perfect_play_record,
    find_robustness_record,
    recorded_calibration,
    recorded_perfect_play,
    recorded_robustness,
)
from pipelines.report.yardsticks import describe_robustness


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
