"""Rules that are turned: their values are read, proposed, and put into rulesets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from engine.catalogue import Catalogue
from engine.errors import InvalidError
from pipelines.design.rule_values import (
    MAX_VARIED_RULESETS,
    list_rule_ranges,
    list_varied_rulesets,
    propose_values,
    propose_varied_rules,
    read_varied_rule,
    vary_ruleset,
)
from pipelines.experiments.rule_games import _key_of_numbering

if TYPE_CHECKING:
    from engine.ruleset import Ruleset

RULESETS = Catalogue().rulesets


@pytest.mark.parametrize(
    ("name", "text", "read"),
    [
        ("bloxx-2p", "gap_penalty=0..3", "gap_penalty=0..3"),
        ("bloxx-2p", "gap_penalty = 5, 0 to 2", "gap_penalty=0,1,2,5"),
        ("bloxx-2p", "contact=rest", "contact=drop,rest"),
        ("bloxx-2p", "dice=bloxx-mini", "dice=bloxx-2p,bloxx-mini"),
        ("spexxx-3p", "cubes=10", "cubes.3=10,18"),
        ("blokus-duo", "board.side=13", "board.side=13,14"),
    ],
)
def test_a_rule_is_read_with_its_own_value(name: str, text: str, read: str) -> None:
    assert str(read_varied_rule(text, RULESETS[name], RULESETS)) == read


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("gap_penalti=1", "did you mean gap_penalty"),
        ("gap_penalty=x", "expected whole numbers"),
        ("gap_penalty=0..99", f"from 1 to {MAX_VARIED_RULESETS} values"),
        ("gap_penalty=4..0", f"from 1 to {MAX_VARIED_RULESETS} values"),
        ("dice=spexxx-2p", "unknown ruleset with another table dice"),
        ("dice.A=1", "A"),
    ],
)
def test_what_cannot_be_read_is_named(text: str, said: str) -> None:
    ruleset = RULESETS["bloxx-2p"]
    with pytest.raises(InvalidError, match=said):
        list_varied_rulesets(ruleset, [read_varied_rule(text, ruleset, RULESETS)], RULESETS)


def test_a_value_that_the_game_does_not_allow_is_named() -> None:
    ruleset = RULESETS["bloxx-2p"]
    with pytest.raises(InvalidError, match=r"gap_penalty=101.*less than or equal to 100"):
        vary_ruleset(ruleset, {"gap_penalty": 101}, RULESETS)
    with pytest.raises(InvalidError, match="contact=fly"):
        vary_ruleset(ruleset, {"contact": "fly"}, RULESETS)


def test_combinations_are_bounded() -> None:
    ruleset = RULESETS["bloxx-2p"]
    rules = [read_varied_rule(f"{key}=0..5", ruleset, RULESETS) for key in ("gap_penalty", "blank_penalty")]
    with pytest.raises(InvalidError, match="36 rulesets; expected from 2 to 32"):
        list_varied_rulesets(ruleset, rules, RULESETS)
    with pytest.raises(InvalidError, match="named twice"):
        list_varied_rulesets(ruleset, rules[:1] * 2, RULESETS)
    with pytest.raises(InvalidError, match="1 ruleset; expected"):
        list_varied_rulesets(ruleset, [read_varied_rule("gap_penalty=1", ruleset, RULESETS)], RULESETS)


def test_a_ruleset_with_its_own_values_is_itself() -> None:
    ruleset = RULESETS["bloxx-2p"]
    assert vary_ruleset(ruleset, {"gap_penalty": 1, "contact": "drop"}, RULESETS) is ruleset
    varied = vary_ruleset(ruleset, {"gap_penalty": 3, "dice": "bloxx-mini"}, RULESETS)
    assert varied.document["options"] == {**ruleset.document["options"], "gap_penalty": 3}
    assert varied.document["tables"]["dice"] == RULESETS["bloxx-mini"].document["tables"]["dice"]
    assert varied.provenance["dice"] == RULESETS["bloxx-mini"].provenance["dice"]


@pytest.mark.parametrize("name", ["bloxx-2p", "spexxx-2p", "blokus-dice-2p", "blokus-duo", "bloxx-mini"])
def test_all_values_that_a_form_proposes_make_rulesets(name: str) -> None:
    ruleset = RULESETS[name]
    options = list_rule_ranges(ruleset)
    assert {option.key.partition(".")[0] for option in options} == {*ruleset.document["options"]}
    for option in options:
        rule = propose_values(ruleset, option)
        assert rule.base_value in rule.values
        assert len({other.sha256 for other in list_varied_rulesets(ruleset, [rule], RULESETS)}) == len(
            rule.values
        )
    rules = propose_varied_rules(ruleset)
    assert [len(rule.values) for rule in rules] == [2] * len(options)
    assert len(list_varied_rulesets(ruleset, rules, RULESETS)) == 2 ** len(rules)


@pytest.mark.parametrize("name", ["bloxx-2p", "spexxx-2p", "blokus-dice-2p", "blokus-duo"])
def test_rulesets_with_one_key_number_their_actions_alike(name: str) -> None:
    """The moves of such rulesets are compared by their numbers."""
    ruleset = RULESETS[name]
    drawn = np.random.default_rng(1).integers(0, ruleset.actions_end, 200).tolist()
    for option in list_rule_ranges(ruleset):
        for value in propose_values(ruleset, option).values:
            varied = vary_ruleset(ruleset, {option.key: value}, RULESETS)
            if _key_of_numbering(varied) == _key_of_numbering(ruleset):
                assert [find_notation(varied, n) for n in drawn] == [find_notation(ruleset, n) for n in drawn]


def find_notation(ruleset: Ruleset, number: int) -> str:
    """Return the notation of an action; empty if no action has the number."""
    try:
        return ruleset.action(number).notation
    except InvalidError:
        return ""


def test_an_option_without_values_has_those_that_a_form_proposes() -> None:
    ruleset = RULESETS["bloxx-2p"]
    (proposed,) = [option for option in list_rule_ranges(ruleset) if option.key == "gap_penalty"]
    assert read_varied_rule("gap_penalty", ruleset, RULESETS) == propose_values(ruleset, proposed)
    with pytest.raises(InvalidError, match="expected rulesets, such as dice=bloxx-2p"):
        read_varied_rule("dice", ruleset, RULESETS)
