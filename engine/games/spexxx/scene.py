"""The scene of a game of Spexxx for the replay: the shared board, the five dice, and the cubes of each seat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from engine import scene
from engine.actions import CHANCE, Action
from engine.games.spexxx.dice import HANDS
from engine.games.spexxx.rules import Gain, ScoredLine, SpexxxState, cube_gain, start_state
from engine.games.spexxx.ruleset import METALS, ZONES, SpexxxRuleset, iter_cells

ZONE_FILLS: Final = {mark: "violet" if zone == "purple" else zone for mark, zone in ZONES.items()}


def spexxx_scene(ruleset: SpexxxRuleset, actions: Sequence[int]) -> scene.Scene:
    """Return the scene of a game."""
    first = start_state(ruleset)
    marks: dict[str, scene.Mark] = {
        str(seat): {"glyph": "cube", "colour": f"seat{seat}", "letter": str(seat)}
        for seat in range(ruleset.players)
    }
    return scene.build_scene(
        first,
        actions,
        marks=marks,
        boards=[_make_board(ruleset)],
        start_status=_status_lines(first),
        change=_ply_change,
    )


def _make_board(ruleset: SpexxxRuleset) -> scene.SceneBoard:
    """Return the board; the notes beside its columns and rows are the dice that they require."""
    required = [ruleset.required_dice(place) for place in range(len(ruleset.marks))]
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
        "column_labels": scene.column_letters(ruleset.columns),
        "row_labels": scene.row_numbers(ruleset.rows),
        "column_notes": [f"{count}x{face}" for (count, face), _ in required[: ruleset.columns]],
        "row_notes": [f"{count}x{face}" for _, (count, face) in required[:: ruleset.columns]],
    }


def _ply_change(before: SpexxxState, action: Action, after: SpexxxState) -> scene.PlyChange:
    who = scene.seat_name(before.thrower)
    if before.seat == CHANCE:
        which = f" (throw {after.throws} of {before.ruleset.options.throws})" if before.throws else ""
        return {
            "caption": f"{who} throws {action.notation}{which}.",
            "dice": _make_dice(HANDS[after.dice], HANDS[before.dice]),
        }
    if action.kind == "keep":
        kept_faces = HANDS[after.dice]
        choice = f"keeps {action.notation}" if kept_faces else "keeps nothing"
        return {"caption": f"{who} {choice}.", "dice": _make_dice(HANDS[before.dice], kept_faces)}
    ending = " The game is over." if after.is_over else ""
    if action.kind == "discard":
        caption = f"{who} has no square to place on and discards a cube."
        return {"caption": caption + ending, "status": _status_lines(after)}
    (place,) = action.cells
    seat_state = before.seats[before.thrower]
    gain = cube_gain(before.ruleset, seat_state.cubes, seat_state.counted, place)
    scored = {cell for line in gain.lines for cell in line.cells} | set(iter_cells(gain.block))
    return {
        "caption": f"{who} places a cube on {action.notation}{_format_gain(before, gain)}.{ending}",
        "paint": [[0, place, str(before.thrower)]],
        "glow": [[0, cell] for cell in sorted(scored - {place})],
        "status": _status_lines(after),
    }


def _format_gain(before: SpexxxState, gain: Gain) -> str:
    """Describe the points of a cube: the total, and each line and block."""
    if not gain.lines:
        return ""
    ruleset = before.ruleset
    items = [_format_line(ruleset, line) for line in gain.lines]
    if gain.block:
        items.append(f"a block of nine ({ruleset.options.block_bonus})")
    return f" for {gain.points(ruleset)}: {', '.join(items)}"


def _format_line(ruleset: SpexxxRuleset, line: ScoredLine) -> str:
    bonus = f" + {ruleset.options.line_bonus * line.bonus}" if line.bonus else ""
    kind = ("a line", "a longer line", "two lines joined to one")[line.taken_up]
    return f"{kind} of {len(line.cells)} ({line.points}{bonus})"


def spexxx_dice(_: SpexxxRuleset) -> list[scene.Die]:
    """Return the dice of an example throw. It has a pair and a six, so that nobody takes it for the faces of one die."""
    return _make_dice((2, 3, 3, 5, 6), ())


def _make_dice(hand: tuple[int, ...], kept_faces: tuple[int, ...]) -> list[scene.Die]:
    """Return the dice of a hand; those in `kept_faces` are marked as set aside."""
    aside = list(kept_faces)
    dice: list[scene.Die] = []
    for number, face in enumerate(hand, start=1):
        state: Literal["open", "kept"] = "kept" if face in aside else "open"
        if face in aside:
            aside.remove(face)
        dice.append(
            {"name": str(number), "face": str(face), "pips": face, "cells": [], "state": state, "note": ""}
        )
    return dice


def _status_lines(state: SpexxxState) -> list[str]:
    """Return one line for each seat: its cubes left, lines, blocks and discards."""
    lines = []
    for seat in state.seats:
        counts = (
            (seat.left, "cube left", "cubes left"),
            (seat.lines, "line", "lines"),
            (seat.blocks, "block", "blocks"),
            (seat.discards, "discard", "discards"),
        )
        lines.append(
            " · ".join(
                f"{count} {singular if count == 1 else plural}"
                for index, (count, singular, plural) in enumerate(counts)
                if count or index == 0
            )
        )
    return lines
