"""The scene of a game of Blokus Dice for the replay: the board and list of each seat, and the dice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine import scene
from engine.actions import CHANCE, Action
from engine.games.blokus_dice.rules import BlokusDiceState, start_state
from engine.games.blokus_dice.ruleset import COLOUR_LETTERS, COLOUR_NAMES, BlokusDiceRuleset
from engine.polyomino import SHAPES
from engine.wording import count_or_no

SCENE_MARKS: Final[dict[str, scene.Mark]] = {
    letter: {"glyph": "block", "colour": colour, "letter": letter}
    for letter, colour in zip(COLOUR_LETTERS, COLOUR_NAMES, strict=True)
}


def blokus_dice_scene(ruleset: BlokusDiceRuleset, actions: Sequence[int]) -> scene.Scene:
    """Return the scene of a game."""
    first = start_state(ruleset)
    return scene.build_scene(
        first,
        actions,
        marks=SCENE_MARKS,
        boards=[_make_board(ruleset, seat) for seat in range(ruleset.players)],
        trays=[_make_tray(ruleset, seat) for seat in range(ruleset.players)],
        start_status=_status_lines(first),
        change=_ply_change,
    )


def blokus_dice_dice(ruleset: BlokusDiceRuleset) -> list[scene.Die]:
    """Return the faces of a die, each with the shapes that it offers."""
    return [
        {
            "name": "die",
            "face": str(face),
            "pips": face,
            "cells": [],
            "state": "open",
            "note": " ".join(names),
        }
        for face, names in ruleset.shapes_by_row.items()
    ]


def _make_board(ruleset: BlokusDiceRuleset, seat: int) -> scene.SceneBoard:
    return {
        "name": scene.seat_name(seat),
        "seat": seat,
        "columns": ruleset.side,
        "rows": ruleset.side,
        "fills": ["plain"] * ruleset.side**2,
        "labels": [""] * ruleset.side**2,
        "column_labels": scene.column_letters(ruleset.side),
        "row_labels": scene.row_numbers(ruleset.side),
    }


def _make_tray(ruleset: BlokusDiceRuleset, seat: int) -> scene.Tray:
    """Return the list of a seat: the shapes in the order of the rows, then the strikes."""
    pieces: list[scene.Piece] = [
        {"name": name, "cells": [[x, y] for x, y in SHAPES[name]], "group": str(row)}
        for row, names in ruleset.shapes_by_row.items()
        for name in names
    ]
    pieces += [{"name": "strike", "cells": [], "group": "strikes"} for _ in range(ruleset.options.strikes)]
    return {"name": "List", "seat": seat, "colour": "ink", "pieces": pieces}


def _ply_change(before: BlokusDiceState, action: Action, after: BlokusDiceState) -> scene.PlyChange:
    if before.seat == CHANCE:
        return {
            "caption": f"{scene.seat_name(before.starter)} rolls {_format_list(action.notation.split(), 'and')}.",
            "dice": _make_dice(after),
            "status": _status_lines(after),
        }
    if action.kind == "out":
        return {
            "caption": _out_caption(before, after),
            "dice": _make_dice(before, after),
            "status": _status_lines(after),
        }
    seat = before.seat
    return {
        "caption": _placement_caption(before, action, after),
        "paint": [[seat, cell, COLOUR_LETTERS[before.held_colour(seat)]] for cell in action.cells],
        "spend": _spent_pieces(before, action),
        "dice": _make_dice(before, after, action),
        "status": _status_lines(after),
    }


def _is_struck(action: Action) -> bool:
    return "!" in action.notation


def _spent_pieces(before: BlokusDiceState, action: Action) -> list[list[int]]:
    """Return the pieces of the tray that are crossed out: the shape and, if one is used, a strike."""
    seat = before.seat
    names = [name for row in before.ruleset.shapes_by_row.values() for name in row]
    spent = [[seat, next(piece for piece, name in enumerate(names) if name == action.piece)]]
    if _is_struck(action):
        spent.append([seat, len(names) + before.boards[seat].strikes])
    return spent


def _make_dice(
    before: BlokusDiceState, after: BlokusDiceState | None = None, action: Action | None = None
) -> list[scene.Die]:
    """Return the dice of a round; `action` is a placement that takes one of them now."""
    takers = before.takers_after(int(action.die)) if action and action.die else before.takers
    is_last = after is not None and (after.is_over or after.round > before.round)
    dice: list[scene.Die] = []
    for number, (face, taker) in enumerate(zip(before.roll or (), takers, strict=True), start=1):
        left = "left over" if is_last else ""  # BD-9
        dice.append(
            {
                "name": f"die {number}",
                "face": str(face),
                "pips": face,
                "cells": [],
                "state": "open" if taker is None else "taken",
                "note": left if taker is None else f"{scene.seat_name(taker)} took it",
            }
        )
    return dice


def _placement_caption(before: BlokusDiceState, action: Action, after: BlokusDiceState) -> str:
    draws = "crosses out a strike to draw" if _is_struck(action) else "draws"
    return (
        f"{scene.seat_name(before.seat)} takes the {action.die} and {draws} {action.piece} "
        f"in {COLOUR_NAMES[before.held_colour(before.seat)]} ({count_or_no(len(action.cells), 'square')}).{_ending_sentence(before, after)}"
    )


def _out_caption(before: BlokusDiceState, after: BlokusDiceState) -> str:
    """Describe why a seat is out, and in which other colours a shape would still fit. BD-8."""
    seat, board = before.seat, before.boards[before.seat]
    held_colour = before.held_colour(seat)
    why = f"nothing fits in {COLOUR_NAMES[held_colour]}"
    if board.fitting_placements(held_colour):
        why = f"no die left brings a shape that fits in {COLOUR_NAMES[held_colour]}, and no strike is left"
    left = count_or_no(board.unfilled, "square")
    others = [
        name
        for colour, name in enumerate(COLOUR_NAMES)
        if colour != held_colour and board.fitting_placements(colour)
    ]
    alternative = f" In {_format_list(others, 'or')} something would still fit." if others else ""
    return f"{scene.seat_name(seat)} is out: {why} ({left} unfilled).{alternative}{_ending_sentence(before, after)}"


def _ending_sentence(before: BlokusDiceState, after: BlokusDiceState) -> str:
    """Return the sentence that follows the last ply of a round or of the game. BD-10, BD-12."""
    if after.is_over:
        return " Nobody is left: the game is over."
    return " The markers pass to the left." if after.round > before.round else ""


def _status_lines(state: BlokusDiceState) -> list[str]:
    """Return one line for each seat: the marker that it holds or that it is out, and the strikes left."""
    strikes = state.ruleset.options.strikes
    return [
        " · ".join(
            [
                "out" if seat in state.gone else f"holds {COLOUR_NAMES[state.held_colour(seat)]}",
                f"{count_or_no(strikes - board.strikes, 'strike')} left",
            ]
        )
        for seat, board in enumerate(state.boards)
    ]


def _format_list(words: Sequence[str], last: str) -> str:
    """Join words for use in a sentence.

    >>> _format_list(["1", "3", "3"], "and")
    '1, 3 and 3'
    """
    *first, final = words
    return f"{', '.join(first)} {last} {final}" if first else final
