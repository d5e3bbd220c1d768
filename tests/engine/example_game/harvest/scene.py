"""What a replay of Harvest shows: the board and the die."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.actions import CHANCE
from engine.scene import (
    Die,
    Mark,
    PlyChange,
    Scene,
    SceneBoard,
    build_scene,
    column_letters,
    row_numbers,
    seat_name,
)
from tests.engine.example_game.harvest.rules import start_state

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.actions import Action
    from tests.engine.example_game.harvest.rules import HarvestState
    from tests.engine.example_game.harvest.ruleset import HarvestRuleset


def harvest_scene(ruleset: HarvestRuleset, actions: Sequence[int]) -> Scene:
    """Return the scene of a game."""
    board: SceneBoard = {
        "name": "Fields",
        "seat": None,
        "columns": ruleset.columns,
        "rows": ruleset.rows,
        "fills": ["plain"] * len(ruleset.values),
        "labels": [str(value) for value in ruleset.values],
        "column_labels": column_letters(ruleset.columns),
        "row_labels": row_numbers(ruleset.rows),
    }
    marks: dict[str, Mark] = {
        str(seat): {"glyph": "cube", "colour": f"seat{seat}", "letter": str(seat)}
        for seat in range(ruleset.players)
    }
    return build_scene(start_state(ruleset), actions, marks=marks, boards=[board], change=_ply_change)


def harvest_dice(ruleset: HarvestRuleset) -> list[Die]:
    """Return all faces of the die."""
    return [_die_face(row) for row in range(ruleset.rows)]


def _die_face(row: int) -> Die:
    return {
        "name": "die",
        "face": f"row {row + 1}",
        "pips": row + 1,
        "cells": [],
        "state": "open",
        "note": "",
    }


def _ply_change(before: HarvestState, action: Action, after: HarvestState) -> PlyChange:
    name = seat_name(before.player)
    if before.seat == CHANCE:
        return {"caption": f"{name} rolls row {after.roll + 1}.", "dice": [_die_face(after.roll)]}
    if action.kind == "pass":
        return {"caption": f"{name} finds no free field and passes.", "dice": []}
    (cell,) = action.cells
    return {
        "caption": f"{name} takes {action.notation} for {before.gain(cell)}.",
        "paint": [[0, cell, str(before.player)]],
        "dice": [],
    }
