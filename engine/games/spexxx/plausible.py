"""The priors of the Spexxx board and its points. Known are the axes, the zones and 1, 5 and 12 points for orange, blue and red."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from engine.game import PlausibleTable
from engine.games.spexxx.ruleset import METALS

if TYPE_CHECKING:
    from engine.luck import Source

ZONE_SIDE: Final = 6
TRIANGLES: Final = "OY"
"""The zones whose columns and rows ask for equally many dice, so that one half of the zone says it all."""


def draw_board(document: dict[str, Any], source: Source) -> None:
    """Draw on which side of the diagonal the triangles are, and how the metals are spread over the diagonals."""
    board = [list(row) for row in document["tables"]["board"]]
    zones = [
        (top, left) for top in range(0, len(board), ZONE_SIDE) for left in range(0, len(board[0]), ZONE_SIDE)
    ]
    is_spread_anew = source.below(10) == 0
    for top, left in zones:
        cells = [(top + y, left + x) for y in range(ZONE_SIDE) for x in range(ZONE_SIDE)]
        marks = {board[row][column] for row, column in cells}
        if marks & set(TRIANGLES) and source.below(2):
            # the rows are written from the top, so a mirror in the diagonal of equal numbers swaps x and 5 - y
            before = {(y, x): board[top + y][left + x] for y in range(ZONE_SIDE) for x in range(ZONE_SIDE)}
            for y, x in before:
                board[top + y][left + x] = before[ZONE_SIDE - 1 - x, ZONE_SIDE - 1 - y]
        if marks & set(METALS) and is_spread_anew:
            metal = source.choice(list(METALS))
            for row, column in cells:
                if board[row][column] in METALS:
                    board[row][column] = metal
    document["tables"]["board"] = ["".join(row) for row in board]


def draw_points(document: dict[str, Any], source: Source) -> None:
    """Draw the points that are not known, between those that are."""
    points: dict[str, int] = document["tables"]["points"]
    points["green"] = _between(points["orange"] + 1, points["blue"] - 1, source)
    points["yellow"] = _between(points["green"], points["blue"], source)
    points["purple"] = _between(points["blue"] + 1, points["red"] - 1, source)
    points["gold"] = _between(points["orange"] + 1, points["blue"], source)
    points["silver"] = _between(points["gold"] + 1, points["red"] - 1, source)


def _between(lowest: int, highest: int, source: Source) -> int:
    return lowest + source.below(max(1, highest - lowest + 1))


PLAUSIBLE_TABLES: Final = {
    "board": PlausibleTable(
        "The orange and the yellow triangle on either side of their diagonals; on one of ten boards each diagonal has either metal.",
        draw_board,
    ),
    "points": PlausibleTable(
        "Green from 2 to 4, yellow from green to 5, purple from 6 to 11, gold from 2 to 5, silver from more than gold to 11.",
        draw_points,
    ),
}
