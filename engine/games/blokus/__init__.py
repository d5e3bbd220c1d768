"""Blokus (Bernard Tavitian, Mattel): polyominoes on a board that all share, corner to corner."""

from __future__ import annotations

from engine.game import Game
from engine.games.blokus.blksgf import BLKSGF
from engine.games.blokus.gtp import GTP
from engine.games.blokus.rules import start
from engine.games.blokus.ruleset import BlokusRuleset
from engine.games.blokus.scene import blokus_scene
from engine.games.blokus.strategies import STRATEGIES

GAME = Game(
    name="blokus",
    title="Blokus",
    rules_version=1,
    ruleset=BlokusRuleset,
    start=start,
    strategies=STRATEGIES,
    scene=blokus_scene,
    parts={"squares": "Squares left", "bonus": "All placed"},
    programs=(GTP,),
    formats=(BLKSGF,),
)
