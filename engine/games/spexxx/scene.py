"""Spexxx as a scene: one shared board, the five dice, and how many cubes everybody has left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from engine.actions import CHANCE
from engine.games.spexxx.dice import HANDS
from engine.games.spexxx.rules import start_state
from engine.games.spexxx.ruleset import METALS, ZONES, iter_cells
from engine.games.spexxx.scoring import cube_gain
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

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.actions import Action
    from engine.games.spexxx.rules import SpexxxState
    from engine.games.spexxx.ruleset import SpexxxRuleset
    from engine.games.spexxx.scoring import Gain, ScoredLine

ZONE_FILLS: Final = {mark: "violet" if zone == "purple" else zone for mark, zone in ZONES.items()}


def spexxx_scene(ruleset: SpexxxRuleset, actions: Sequence[int]) -> Scene:
    """Return the scene of a game."""
    first = start_state(ruleset)
    marks: dict[str, Mark] = {
        str(seat): {"glyph": "cube", "colour": f"seat{seat}", "letter": str(seat)}
        for seat in range(ruleset.players)
    }
    return build_scene(
        first,
        actions,
        marks=marks,
        boards=[_make_board(ruleset)],
        start_status=_status_lines(first),
        change=_ply_change,
    )


def _make_board(ruleset: SpexxxRuleset) -> SceneBoard:
    """Draw the board: letters and numbers for reading squares, and beside them the dice they stand for."""
    asked = [ruleset.required_dice(place) for place in range(len(ruleset.marks))]
    return {
        "name": "Board: * four in a row, # five in a row",
        "seat": None,
        "columns": ruleset.columns,
        "rows": ruleset.rows,
        "fills": [ZONE_FILLS.get(mark) for mark in ruleset.marks],
        "labels": [
            "" if mark == "." else f"{points}{mark}" if mark in METALS else str(points)
            for mark, points in zip(ruleset.marks, ruleset.points, strict=True)
        ],
        "column_labels": column_letters(ruleset.columns),
        "row_labels": row_numbers(ruleset.rows),
        "column_notes": [f"{some}x{face}" for (some, face), _ in asked[: ruleset.columns]],
        "row_notes": [f"{some}x{face}" for _, (some, face) in asked[:: ruleset.columns]],
    }


def _ply_change(before: SpexxxState, action: Action, after: SpexxxState) -> PlyChange:
    who = seat_name(before.thrower)
    if before.seat == CHANCE:
        which = f" (throw {after.throws} of {before.ruleset.options.throws})" if before.throws else ""
        return {
            "caption": f"{who} throws {action.notation}{which}.",
            "dice": _make_dice(HANDS[after.dice], HANDS[before.dice]),
        }
    if action.kind == "keep":
        kept = HANDS[after.dice]
        said = f"keeps {action.notation}" if kept else "keeps nothing"
        return {"caption": f"{who} {said}.", "dice": _make_dice(HANDS[before.dice], kept)}
    ending = " The game is over." if after.is_over else ""
    if action.kind == "discard":
        said = f"{who} has no square to place on and discards a cube."
        return {"caption": said + ending, "status": _status_lines(after)}
    (place,) = action.cells
    own = before.seats[before.thrower]
    brought = cube_gain(before.ruleset, own.cubes, own.counted, place)
    scored = {cell for line in brought.lines for cell in line.cells} | set(iter_cells(brought.block))
    return {
        "caption": f"{who} places a cube on {action.notation}{_format_gain(before, brought)}.{ending}",
        "paint": [[0, place, str(before.thrower)]],
        "glow": [[0, cell] for cell in sorted(scored - {place})],
        "status": _status_lines(after),
    }


def _format_gain(before: SpexxxState, brought: Gain) -> str:
    """Tell what a cube scored: in all, and line by line."""
    if not brought.lines:
        return ""
    ruleset = before.ruleset
    news = [_format_line(ruleset, line) for line in brought.lines]
    if brought.block:
        news.append(f"a block of nine ({ruleset.options.block_bonus})")
    return f" for {brought.points(ruleset)}: {', '.join(news)}"


def _format_line(ruleset: SpexxxRuleset, line: ScoredLine) -> str:
    bonus = f" + {ruleset.options.line_bonus * line.bonus}" if line.bonus else ""
    said = ("a line", "a longer line", "two lines joined to one")[line.taken_up]
    return f"{said} of {len(line.cells)} ({line.points}{bonus})"


def spexxx_dice(_: SpexxxRuleset) -> list[Die]:
    """Lay out five dice."""
    return _make_dice((1, 2, 3, 4, 5), ())


def _make_dice(hand: tuple[int, ...], kept: tuple[int, ...]) -> list[Die]:
    """Lay out five dice, those set aside marked."""
    aside = list(kept)
    dice: list[Die] = []
    for number, face in enumerate(hand, start=1):
        state: Literal["open", "kept"] = "kept" if face in aside else "open"
        if face in aside:
            aside.remove(face)
        note = "set aside" if state == "kept" else ""
        dice.append(
            {"name": str(number), "face": str(face), "pips": face, "cells": [], "state": state, "note": note}
        )
    return dice


def _status_lines(state: SpexxxState) -> list[str]:
    """Say of every seat how many cubes it has left, and what it has built."""
    said = []
    for seat in state.seats:
        counts = (
            (seat.left, "cube left", "cubes left"),
            (seat.lines, "line", "lines"),
            (seat.blocks, "block", "blocks"),
            (seat.discards, "discard", "discards"),
        )
        said.append(
            " · ".join(
                f"{count} {one if count == 1 else many}"
                for index, (count, one, many) in enumerate(counts)
                if count or index == 0
            )
        )
    return said
