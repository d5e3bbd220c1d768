"""Blokus Dice (Mattel 2019): shapes chosen by dice and drawn in four colours, which pass from seat to seat."""

from __future__ import annotations

from engine.game import Game
from engine.games.blokus_dice.rules import start_state
from engine.games.blokus_dice.ruleset import BlokusDiceRuleset
from engine.games.blokus_dice.scene import blokus_dice_dice, blokus_dice_scene
from engine.games.blokus_dice.strategies import STRATEGIES, list_restrictions

GAME = Game(
    name="blokus-dice",
    title="Blokus Dice",
    summary="Dice say which shapes you draw, in colours that go round. The fewest empty squares win.",
    rules_version=1,
    ruleset=BlokusDiceRuleset,
    start=start_state,
    strategies=STRATEGIES,
    scene=blokus_dice_scene,
    dice=blokus_dice_dice,
    parts={"squares": "Unfilled squares", "strikes": "Strikes used"},
    move_rules=frozenset({"side", "strikes", "rows"}),
    restrictions=list_restrictions,
)
