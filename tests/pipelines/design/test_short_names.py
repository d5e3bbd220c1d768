"""Short names of strategies."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import games, strategies
from engine.catalogue import Catalogue
from pipelines.design.short_names import base_name, short_names, shorten_names


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["greedy", "planner:candidates=4"], ["greedy", "planner"]),
        (["noisy:sigma=2.3", "noisy:sigma=9"], ["noisy (sigma 2.3)", "noisy (sigma 9)"]),
        (
            ["rollout:playouts=128,candidates=4", "rollout:playouts=1024,candidates=4"],
            ["rollout (128 playouts)", "rollout (1,024 playouts)"],
        ),
        (["planner:candidates=4", "planner:candidates=4,gap=-3"], ["planner", "planner (gap -3)"]),
        (["Pentobi: level 1", "a:b"], ["Pentobi: level 1", "a:b"]),
        (['gtp:command="a, b",seconds=5'], ["gtp"]),
        (["greedy", "greedy #2"], ["greedy", "greedy #2"]),
    ],
)
def test_a_name_has_only_the_parameters_that_tell_strategies_apart(
    labels: list[str], expected: list[str]
) -> None:
    assert list(short_names(labels).values()) == expected


labels_of_any_kind = st.one_of(
    st.text(max_size=12),
    st.from_regex(r"[a-c](:[k-m]s?=[0-9]{1,2}(,[n-p]s?=[0-9]{1,2})?)?", fullmatch=True),
)


@given(st.lists(labels_of_any_kind, max_size=8))
def test_different_strategies_never_have_the_same_short_name(labels: list[str]) -> None:
    names = short_names(labels)
    assert set(names) == set(labels)
    assert len(set(names.values())) == len(set(labels))


def test_every_strategy_alone_is_called_by_its_base_name() -> None:
    for ruleset in Catalogue().rulesets.values():
        game = games.find_game(ruleset.game)
        players = [strategies.read_player(game, name) for name in strategies.built_in_strategies(game)]
        names = short_names(player.label for player in players)
        assert list(names.values()) == [player.strategy.name for player in players]


def test_titles_are_shortened_where_a_whole_name_stands() -> None:
    labels = ["planner:candidates=1", "planner:candidates=16", "greedy"]
    title = "planner:candidates=16 against planner:candidates=1, greedy; planner:candidates=161"
    assert shorten_names(title, labels) == (
        "planner (16 candidates) against planner (1 candidate), greedy; planner:candidates=161"
    )
    assert base_name("planner:candidates=16") == "planner"
