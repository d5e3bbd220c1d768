"""Spexxx (Ruben Dijkstra and Ruurd Lammers, Waterfall Games 2013): five dice decide on which squares a cube may be placed."""

from __future__ import annotations

from engine.game import Game
from engine.games.spexxx.rules import start_state
from engine.games.spexxx.ruleset import SpexxxRuleset
from engine.games.spexxx.scene import spexxx_dice, spexxx_scene
from engine.games.spexxx.strategies import STRATEGIES, list_restrictions

GAME = Game(
    name="spexxx",
    title="Spexxx",
    summary="Throw five dice, then place a cube where they allow it. Three or more in a line score.",
    rules_version=2,
    ruleset=SpexxxRuleset,
    start=start_state,
    strategies=STRATEGIES,
    scene=spexxx_scene,
    dice=spexxx_dice,
    parts={
        "lines": "Cubes in lines",
        "line-bonus": "Bonus for lines of five",
        "block-bonus": "Bonus for blocks of nine",
        "discards": "Discarded cubes",
    },
    move_rules=frozenset({"cubes", "throws", "board"}),
    restrictions=list_restrictions,
)
