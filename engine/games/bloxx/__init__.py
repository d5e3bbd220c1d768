"""BLOXX! (Klaus-Juergen Wrede, Noris 2018): each player draws the shapes of two dice on a sheet of their own."""

from __future__ import annotations

from engine.game import Game
from engine.games.bloxx.rules import start_state
from engine.games.bloxx.ruleset import BloxxRuleset
from engine.games.bloxx.scene import bloxx_dice, bloxx_scene
from engine.games.bloxx.strategies import STRATEGIES, list_restrictions

GAME = Game(
    name="bloxx",
    title="BLOXX!",
    summary="Two dice give two shapes: draw one on your own sheet. Numbers and full rows score, gaps cost.",
    rules_version=1,
    ruleset=BloxxRuleset,
    start=start_state,
    strategies=STRATEGIES,
    scene=bloxx_scene,
    dice=bloxx_dice,
    parts={"rows": "Coloured rows", "numbers": "Circled numbers", "gaps": "Gaps", "blanks": "Blank squares"},
    move_rules=frozenset({"contact", "numbers", "dice"}),
    restrictions=list_restrictions,
)
