"""Harvest, the example of docs/new-game.md: the smallest game that has everything a game folder needs."""

from __future__ import annotations

from engine.game import Game
from tests.engine.example_game.harvest.rules import start_state
from tests.engine.example_game.harvest.ruleset import HarvestRuleset
from tests.engine.example_game.harvest.scene import harvest_dice, harvest_scene
from tests.engine.example_game.harvest.strategies import STRATEGIES

GAME = Game(
    name="harvest",
    title="Harvest",
    rules_version=1,
    ruleset=HarvestRuleset,
    start=start_state,
    strategies=STRATEGIES,
    scene=harvest_scene,
    dice=harvest_dice,
    parts={"fields": "Fields", "pairs": "Pairs side by side"},
)
