"""What people call rulesets and games: titles, with what tells them apart only where it is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipelines.design.titles import (
    list_ruleset_choices,
    name_actions,
    name_match,
    name_rulesets,
    spell_rulesets,
)
from pipelines.runs.summary import RulesetSummary

if TYPE_CHECKING:
    from engine.catalogue import Catalogue


def test_rulesets_have_their_identifiers_only_if_titles_and_players_are_equal(catalogue: Catalogue) -> None:
    printed, touch, three = (
        catalogue.find_ruleset(name) for name in ("bloxx-2p", "bloxx-touch-2p", "bloxx-3p")
    )
    assert name_rulesets([printed]) == ["BLOXX!"]
    assert name_rulesets([printed, touch]) == ["BLOXX!", "BLOXX! (shapes may hang)"]
    assert name_rulesets([printed, touch, three])[1] == "BLOXX! (shapes may hang), 2 players"
    own = printed.model_copy(update={"name": "mine"})
    assert name_rulesets([printed, own, touch]) == [
        "BLOXX!",
        "BLOXX! (mine)",
        "BLOXX! (shapes may hang)",
    ]
    assert name_rulesets([printed, printed]) == ["BLOXX!", "BLOXX! again"]


def test_two_versions_of_one_identifier_have_the_start_of_their_hashes() -> None:
    versions = [
        RulesetSummary("mine", "bloxx", "BLOXX!", 2, lowest_wins=False, sha256=digit * 64) for digit in "ab"
    ]
    assert name_rulesets(versions) == ["BLOXX! (mine, aaaaaa)", "BLOXX! (mine, bbbbbb)"]


def test_the_names_in_a_menu_differ_from_each_other(catalogue: Catalogue) -> None:
    choices = list_ruleset_choices(catalogue.rulesets)
    assert choices["bloxx-touch-3p"] == "BLOXX! (shapes may hang), 3 players"
    assert len(set(choices.values())) == len(choices)


def test_only_whole_identifiers_are_spelt(catalogue: Catalogue) -> None:
    text = "Scores under bloxx-2p, my-bloxx-2p and bloxx-2p-old, bloxx-touch-2p"
    assert spell_rulesets(text, catalogue.rulesets) == (
        "Scores under BLOXX!, 2 players, my-bloxx-2p and bloxx-2p-old, BLOXX! (shapes may hang), 2 players"
    )


def test_a_game_has_one_name_whatever_the_seats(catalogue: Catalogue) -> None:
    duo = catalogue.find_ruleset("blokus-duo")
    names = {name_match(duo, seats) for seats in (["greedy", "noisy:sigma=2"], ["noisy:sigma=2", "greedy"])}
    assert names == {f"{duo.title}, greedy against noisy"}
    assert name_match(duo, []) == duo.title


@pytest.mark.parametrize(
    ("ruleset", "names"),
    [
        ("bloxx-2p", {"A:d8,d9": "I2 at d8\N{EN DASH}d9", "A:d8,e8": "I2 at d8\N{EN DASH}e8"}),
        ("bloxx-2p", {"A:d8,e8": "I2 at d8, no circle", "A:d8,e8o": "I2 at d8, circle on e8"}),
        ("bloxx-2p", {"A:d8,e8": "I2 at d8", "A:e8,f8": "I2 at e8", "B:d1,e1,f1,g1": "I4 at d1"}),
        ("blokus-dice-2p", {"2yI2:a1,b1": "I2 at a1 (die 2)", "6!yI2:a1,b1": "I2 at a1 (die 6, strike)"}),
        ("blokus-dice-2p", {"2yI2:a1,b1": "I2 at a1", "6!yI3:a1,b1,c1": "I3 at a1"}),
        (
            "blokus-duo",
            {
                "b:b1,c1,b2": "V3 at b1\N{EN DASH}c2, all but c2",
                "b:b1,c1,c2": "V3 at b1\N{EN DASH}c2, all but b2",
            },
        ),
        (
            "blokus-duo",
            {
                "b:b1,c1,b2": "V3 at b1\N{EN DASH}c2, all but c2",
                "b:b1,c1,c2": "V3 at b1\N{EN DASH}c2, all but b2",
                "b:b1,b2,c2": "V3 at b1\N{EN DASH}c2, all but c1",
                "b:b1,c1": "I2 at b1",
            },
        ),
        (
            "blokus-duo",
            {
                "b:a1,b1,a2,a3": "L4 at a1\N{EN DASH}b3 with b1, a2",
                "b:a1,b1,b2,b3": "L4 at a1\N{EN DASH}b3 with b2",
                "b:a1,a2,a3,b3": "L4 at a1\N{EN DASH}b3 with a2, b3",
                "b:a1,b1,c1,a2": "L4 at a1\N{EN DASH}c2",
            },
        ),
        ("blokus-duo", {"b:b1": "I1 at b1 (b)", "y:b1": "I1 at b1 (y)"}),
        ("blokus-duo", {"b:out": "out (b)", "y:out": "out (y)"}),
        ("spexxx-2p", {"0": "keeps nothing", "2 2": "keeps 2 2", "k7": "k7"}),
    ],
)
def test_a_name_of_a_move_says_what_tells_it_from_its_neighbours_and_no_more(
    catalogue: Catalogue, ruleset: str, names: dict[str, str]
) -> None:
    rules = catalogue.find_ruleset(ruleset)
    told = name_actions(rules, map(rules.read_action, names))
    assert {rules.action(number).notation: name for number, name in told.items()} == names
