"""The looks of strategies: those that stand beside each other in charts can be told apart."""

from __future__ import annotations

from engine.catalogue import Catalogue
from pipelines.records.strategies import list_ladder_records
from pipelines.viewer.palette import TOGETHER_LOOK, assign_looks, assign_strategy_looks


def list_ladders() -> dict[str, tuple[str, list[str]]]:
    """Return the game and the strategies of the ladder of each ruleset that has one."""
    ladders = {
        name: (ruleset.game, list(list_ladder_records(ruleset)))
        for name, ruleset in Catalogue().rulesets.items()
    }
    return {name: (game, ladder) for name, (game, ladder) in ladders.items() if ladder}


def test_the_strategies_of_every_ladder_differ_in_colour_and_in_dash() -> None:
    ladders = list_ladders()
    assert {"blokus-duo", "blokus-dice-4p", "bloxx-3p", "spexxx-2p"} <= set(ladders)
    looks = assign_strategy_looks(ladders.values())  # a library in which all of them played
    for name, (_, ladder) in ladders.items():
        assert len({looks[strategy].colour for strategy in ladder}) == len(ladder), name
        others = [strategy for strategy in ladder if strategy != "random"]
        assert len({looks[strategy].dash for strategy in others}) == len(others), name


def test_several_strategies_together_have_an_ink_of_their_own() -> None:
    looks = assign_strategy_looks(list_ladders().values())
    assert TOGETHER_LOOK.colour not in {look.colour for look in looks.values()}
    red, green, blue = (int(TOGETHER_LOOK.colour[at : at + 2], 16) for at in (1, 3, 5))
    assert max(red, green, blue) - min(red, green, blue) < 32, "it is neutral"


def test_a_strategy_of_a_game_has_the_same_look_in_every_library() -> None:
    played = [("blokus", ["aaa", "mcts:playouts=1", "greedy"]), ("spexxx", ["builder", "rollout:playouts=9"])]
    alone, among = assign_strategy_looks(), assign_strategy_looks(played, ["mine"])
    assert {name: among[name] for name in alone} == alone
    assert {"aaa", "mcts:playouts=1", "rollout:playouts=9", "mine"} <= set(among)


def test_strategies_of_one_group_have_different_colours_while_there_are_any() -> None:
    looks = assign_looks(["a", "b", "shared"], ["shared", "c", "d", "e"])
    for group in (["a", "b", "shared"], ["shared", "c", "d", "e"]):
        assert len({looks[name].colour for name in group}) == len(group)
