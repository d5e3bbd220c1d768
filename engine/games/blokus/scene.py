"""The scene of a game of Blokus for the replay: the shared board, and a tray of unplaced pieces for each colour."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine import scene
from engine.games.blokus.rules import BlokusState, start_state
from engine.polyomino import SHAPES
from engine.wording import count_or_no

if TYPE_CHECKING:
    from engine.actions import Action
    from engine.games.blokus.ruleset import BlokusRuleset


def blokus_scene(ruleset: BlokusRuleset, actions: Sequence[int]) -> scene.Scene:
    """Return the scene of a game."""
    first = start_state(ruleset)
    marks: dict[str, scene.Mark] = {
        letter: {"glyph": "block", "colour": colour, "letter": letter}
        for letter, colour in zip(ruleset.colour_letters, ruleset.colours, strict=True)
    }
    return scene.build_scene(
        first,
        actions,
        marks=marks,
        boards=[_make_board(ruleset)],
        trays=[_make_tray(ruleset, colour) for colour in range(len(ruleset.colours))],
        start_status=_status_lines(first),
        change=_ply_change,
    )


def _make_board(ruleset: BlokusRuleset) -> scene.SceneBoard:
    squares = ruleset.side * ruleset.side
    return {
        "name": "Board",
        "seat": None,
        "columns": ruleset.side,
        "rows": ruleset.side,
        "fills": ["plain"] * squares,
        "labels": ["•" if cell in ruleset.start_cells else "" for cell in range(squares)],
        "column_labels": scene.column_letters(ruleset.side),
        "row_labels": scene.row_numbers(ruleset.side),
    }


def _make_tray(ruleset: BlokusRuleset, colour: int) -> scene.Tray:
    return {
        "name": ruleset.colours[colour].capitalize(),
        "seat": ruleset.colour_owners[colour],
        "colour": ruleset.colours[colour],
        "pieces": [
            {"name": name, "cells": [list(point) for point in SHAPES[name]], "group": ""}
            for name in ruleset.pieces
        ],
    }


def _ply_change(before: BlokusState, action: Action, after: BlokusState) -> scene.PlyChange:
    if action.kind == "out":
        return {"caption": _out_caption(before, after), "status": _status_lines(after)}
    ruleset, turn = before.ruleset, before.turn
    return {
        "caption": _placement_caption(before, action, after),
        "paint": [[0, cell, ruleset.colour_letters[turn]] for cell in action.cells],
        "spend": [[turn, ruleset.pieces.index(str(action.piece))]],
        "status": _status_lines(after),
    }


def _placement_caption(before: BlokusState, action: Action, after: BlokusState) -> str:
    """Describe a placement: the seat, the colour, the piece, and the number of new corner points."""
    turn = before.turn
    shared = "shared " if before.ruleset.colour_owners[turn] is None else ""
    [corners] = before.new_corner_points([before.ruleset.read_action(action.notation)])
    caption = (
        f"{scene.seat_name(before.seat)} ({shared}{before.ruleset.colours[turn]}) places {action.piece}, "
        f"{count_or_no(len(action.cells), 'square')}, {count_or_no(corners, 'new corner')}."
    )
    if after.colours[turn].left:
        return caption
    last = ", the single square last" if before.colours[turn].left == before.ruleset.single_square_set else ""
    return f"{caption} That was its last piece{last}: {count_or_no(after.colours[turn].points, 'point')}."


def _out_caption(before: BlokusState, after: BlokusState) -> str:
    turn = before.turn
    name = before.ruleset.colours[turn].capitalize()
    left = before.squares_left(turn)
    outcome = (
        f"{name} is out: {count_or_no(left, 'square')} left" if left else f"{name} has placed all its pieces"
    )
    nobody = ", which count for nobody" if left and before.ruleset.colour_owners[turn] is None else ""
    ending = " No colour can place any more: the game is over." if after.is_over else ""
    return f"{outcome}{nobody}.{ending}"


def _status_lines(state: BlokusState) -> list[str]:
    """Return one line for each seat: the squares its colours have left, and whether it places the shared colour next."""
    ruleset = state.ruleset
    lines = [
        [_format_squares_left(state, colour) for colour in colours_of_seat]
        for colours_of_seat in ruleset.seat_colours
    ]
    for colour, owner in enumerate(ruleset.colour_owners):
        if owner is None and not state.colours[colour].is_out:
            next_seat = state.pieces_placed(colour) % ruleset.players
            lines[next_seat].append(f"places {_format_squares_left(state, colour)} next")
    return [" · ".join(words) for words in lines]


def _format_squares_left(state: BlokusState, colour: int) -> str:
    name, left = state.ruleset.colours[colour], state.squares_left(colour)
    if not left:
        return f"{name} all placed"
    return f"{name} {left} left" + (", out" if state.colours[colour].is_out else "")
