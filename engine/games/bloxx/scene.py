"""The scene of a game of BLOXX! for the replay: the sheets of all seats, and the two dice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal

from engine import scene
from engine.actions import CHANCE, Action
from engine.games.bloxx.rules import BloxxState, start_state
from engine.polyomino import read_drawing

if TYPE_CHECKING:
    from engine.games.bloxx.ruleset import BloxxRuleset

SCENE_MARKS: Final[dict[str, scene.Mark]] = {
    "o": {"glyph": "circle", "colour": "ink"},
    "x": {"glyph": "cross", "colour": "ink"},
    "gap": {"glyph": "gap", "colour": "muted"},
}


def bloxx_scene(ruleset: BloxxRuleset, actions: Sequence[int]) -> scene.Scene:
    """Return the scene of a game."""
    first = start_state(ruleset)
    return scene.build_scene(
        first,
        actions,
        marks=SCENE_MARKS,
        boards=[_make_board(ruleset, seat) for seat in range(ruleset.players)],
        start_status=_status_lines(first),
        change=_ply_change,
    )


def _make_board(ruleset: BloxxRuleset, seat: int) -> scene.SceneBoard:
    rows = list(reversed(ruleset.tables.numbers))
    return {
        "name": scene.seat_name(seat),
        "seat": seat,
        "columns": ruleset.columns,
        "rows": ruleset.rows,
        "fills": [
            ruleset.row_colours.get(row, "plain")
            for row in range(ruleset.rows)
            for _ in range(ruleset.columns)
        ],
        "labels": [mark.replace(".", "") for row in rows for mark in row],
        "column_labels": scene.column_letters(ruleset.columns),
        "row_labels": scene.row_numbers(ruleset.rows),
    }


def bloxx_dice(ruleset: BloxxRuleset) -> list[scene.Die]:
    """Return all faces of both dice."""
    tables = (ruleset.tables.dice.A, ruleset.tables.dice.B)
    return [
        _make_die(die, name, drawing, "open")
        for die, faces in zip("AB", tables, strict=True)
        for name, drawing in faces.items()
    ]


def _ply_change(before: BloxxState, action: Action, after: BloxxState) -> scene.PlyChange:
    if before.seat == CHANCE:
        names = [f"{name} on die {die}" for die, name in zip("AB", action.notation.split(), strict=True)]
        return {
            "caption": f"{scene.seat_name(before.active_seat)} rolls {' and '.join(names)}.",
            "dice": _make_dice(after, [None, None]),
            "status": _status_lines(after),
        }
    if action.kind == "forfeit":
        return {"caption": _forfeit_caption(before, after), "status": _status_lines(after)}
    return {
        "caption": _placement_caption(before, action, after),
        "paint": _painted_squares(before, after),
        "dice": _make_dice(
            before, [before.active_seat if die == _taken_die(before, action) else None for die in "AB"]
        ),
        "status": _status_lines(after),
    }


def _taken_die(before: BloxxState, action: Action) -> str | None:
    """Return the name of the die that the active seat has taken after this placement; None if it has taken none."""
    if before.acted == 0:
        return action.die
    return None if before.taken is None else "AB"[before.taken]


def _make_dice(state: BloxxState, takers: list[int | None]) -> list[scene.Die]:
    dice: list[scene.Die] = []
    tables = (state.ruleset.tables.dice.A, state.ruleset.tables.dice.B)
    for die, (table, face) in enumerate(zip(tables, state.roll or (), strict=True)):
        name, drawing = list(table.items())[face]
        taker = takers[die]
        taken: Literal["taken", "open"] = "open" if taker is None else "taken"
        note = "" if taker is None else f"{scene.seat_name(taker)} took it: a cross for the others"
        dice.append(_make_die("AB"[die], name, drawing, taken, note))
    return dice


def _make_die(
    die: str, face: str, drawing: str, state: Literal["taken", "open"], note: str = ""
) -> scene.Die:
    cells: list[list[int | str]] = [[x, y, mark] for (x, y), mark in read_drawing(drawing).items()]
    return {"name": die, "face": face, "pips": None, "cells": cells, "state": state, "note": note}


def _painted_squares(before: BloxxState, after: BloxxState) -> list[list[int | str]]:
    seat = before.seat
    old, new = before.sheets[seat], after.sheets[seat]
    return [
        [seat, cell, mark]
        for mark, squares in (
            ("o", new.circles & ~old.circles),
            ("x", new.crosses & ~old.crosses),
            ("gap", new.gaps & ~old.gaps),
        )
        for cell in range(before.ruleset.square_count)
        if squares >> cell & 1
    ]


def _placement_caption(before: BloxxState, action: Action, after: BloxxState) -> str:
    """Describe a placement: the shape, the numbers and rows that it scores, and the gaps that it leaves."""
    seat = before.seat
    effects = []
    old, new = (
        {part.part: part for part in before.parts[seat]},
        {part.part: part for part in after.parts[seat]},
    )
    if new["numbers"].points > old["numbers"].points:
        effects.append(f"circles a {new['numbers'].points - old['numbers'].points}")
    elif "o" not in action.notation:
        effects.append("a cross in place of the circle")
    for row, colour in enumerate(before.ruleset.tables.coloured_rows):
        if before.completed[row][seat] < 0 <= after.completed[row][seat]:
            effects.append(f"completes the {colour} row for {after.row_points(row, seat)}")
    gaps = new["gaps"].count - old["gaps"].count
    if gaps:
        effects.append(f"{gaps} gap{'s' * (gaps > 1)}")
    tail = f": {', '.join(effects)}" if effects else ""
    return (
        f"{scene.seat_name(seat)} draws {action.piece} from die {action.die}{tail}.{_ending_sentence(after)}"
    )


def _forfeit_caption(before: BloxxState, after: BloxxState) -> str:
    return f"{scene.seat_name(before.seat)} can draw neither shape.{_ending_sentence(after)}"


def _ending_sentence(after: BloxxState) -> str:
    return " Two players could draw nothing: the game is over." if after.is_over else ""


def _status_lines(state: BloxxState) -> list[str]:
    """Return one line for each seat: whether it is the active seat, and its coloured rows with their points."""
    lines = []
    for seat in range(state.ruleset.players):
        rows = [
            f"{colour} {state.row_points(row, seat)}"
            for row, colour in enumerate(state.ruleset.tables.coloured_rows)
            if state.completed[row][seat] >= 0
        ]
        lines.append(
            " · ".join((["active"] if seat == state.active_seat and not state.is_over else []) + rows)
        )
    return lines
