"""Blokus (Bernard Tavitian, Mattel): polyominoes placed corner to corner on a shared board."""

from __future__ import annotations

from engine.game import Game
from engine.games.blokus.blksgf import BLKSGF_FORMAT
from engine.games.blokus.gtp import GTP_STRATEGY
from engine.games.blokus.rules import start_state
from engine.games.blokus.ruleset import BlokusRuleset
from engine.games.blokus.scene import blokus_scene
from engine.games.blokus.strategies import STRATEGIES, list_restrictions

GAME = Game(
    name="blokus",
    title="Blokus",
    summary="Place 21 pieces on a shared board, where your own may touch at their corners only.",
    rules_version=3,
    ruleset=BlokusRuleset,
    start=start_state,
    strategies=STRATEGIES,
    scene=blokus_scene,
    parts={"squares": "Squares left", "bonus": "All placed"},
    programs=(GTP_STRATEGY,),
    formats=(BLKSGF_FORMAT,),
    move_rules=frozenset({"corners", "board", "pieces"}),
    restrictions=list_restrictions,
)
