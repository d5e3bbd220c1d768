"""Arrays that the compiled functions of Blokus work in: nothing is allocated during a game."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from engine.games.blokus.kernel.position import Position, make_position
from engine.games.blokus.kernel.tables import CHUNK_SPOTS, WINDOW_ROWS, Tables
from engine.games.blokus.prior import FEATURES, FIELDS, PARTS
from engine.polyomino import SHAPES

if TYPE_CHECKING:
    from numpy.typing import NDArray


SPOT_STRIDE = 128
"""A placement as one number is spot x SPOT_STRIDE + orientation: the order of these numbers is that of the actions."""


class Workspace(NamedTuple):
    """Room for one decision."""

    counts: NDArray[np.int64]
    """(chunks,) legal placements of the colour on turn in the chunks up to and including each one."""
    row_counts: NDArray[np.int64]
    """(11,) legal placements in the rows of a window up to and including each one."""
    untouched: NDArray[np.uint64]
    """(side + 10,) empty squares that no piece of the colour on turn touches; rows and bits as in
    `Position.covered`."""
    placements: NDArray[np.int64]
    """(actions of a colour,) the best placements, or those that are equally good."""
    worths: NDArray[np.float64]
    """(actions of a colour,) the worths of these placements."""
    spot_words: NDArray[np.uint64]
    """(spots + 1,) words with legal placements."""
    spots: NDArray[np.int64]
    """(spots + 1,) the spots of these words."""
    decisions: NDArray[np.int64]
    """(seats,) decisions that each seat has made in this round."""
    relations: NDArray[np.int64]
    """(colours,) of each colour to the one on turn: 1 for an ally, -1 for an opponent, 0 for neither."""
    corner_points: NDArray[np.uint64]
    """(colours, side + 10) corner points of each colour; rows and bits as in `Position.covered`."""
    nearby_corner_points: NDArray[np.uint64]
    """(colours,) the corner points around one spot; bits as in `Tables.neighbourhoods`."""
    big: NDArray[np.uint64]
    """(colours x plane_words,) big words of all legal placements of each colour."""
    small: NDArray[np.uint32]
    """(colours x plane_words,) small words of all legal placements of each colour."""
    legal_counts: NDArray[np.int64]
    """(colours,) how many legal placements these are."""
    without_piece: NDArray[np.int64]
    """(21,) how many of the acting colour's are not of this piece; -1 if not counted yet."""

    square_sets: NDArray[np.uint64]
    """(fields + 5, side + 10) sets of squares that fields are made of, then room for five more; rows and bits as in
    `Position.covered`."""
    fields: NDArray[np.float64]
    """(fields, map_side x map_side) the fields of `engine.games.blokus.prior`, in its order. The place of a square in a map
    is that of its row, plus 1, times `map_side`, plus that of its column, plus 1."""
    prior_weights: NDArray[np.float64]
    """(features,) the weights of the prior for this decision."""
    square_worths: NDArray[np.float64]
    """(3, map_side x map_side) what it is worth to cover a square, to lie beside it, and to touch it at a corner only."""


class SearchWorkspace(NamedTuple):
    """Room for playouts and for a search tree."""

    position: Position
    """The position within a playout."""
    latest: NDArray[np.int64]
    """(colours,) the latest placement of each colour within a playout; -1 for none."""
    stamps: NDArray[np.int32]
    """(colours, spots x SPOT_STRIDE) number of the last playout in which this placement was made."""
    values: NDArray[np.float64]
    """(seats,) what the end of a playout is worth to each seat, from 0 to 1."""
    totals: NDArray[np.float64]
    """(seats,) 0.5 and the values of all playouts of this search."""
    first: NDArray[np.int64]
    """(nodes,) the first child of a node; its children follow each other."""
    children: NDArray[np.int64]
    """(nodes,) how many children a node has."""
    seat: NDArray[np.int64]
    """(nodes,) the seat that chooses."""
    colour: NDArray[np.int64]
    """(nodes,) the colour that it plays."""
    placement: NDArray[np.int32]
    """(children,)"""
    prior: NDArray[np.float32]
    """(children,) probability with which the search starts."""
    start: NDArray[np.float32]
    """(children,) what a child is worth before it is visited, as a share of the mean value of its node: the square root of its
    prior divided by the highest one."""
    node: NDArray[np.int32]
    """(children,) the node that the child leads to, or 0 before its first visit."""
    visits: NDArray[np.int32]
    """(children,)"""
    value: NDArray[np.float64]
    """(children,) sum of the values of the visits to the seat that chooses."""
    shared_visits: NDArray[np.int32]
    """(children,) playouts through the node in which its colour made this placement at any later time."""
    shared_value: NDArray[np.float64]
    """(children,) sum of the values of these playouts."""
    path: NDArray[np.int64]
    """(plies, 2) node and child at each step from the root."""


class GameWorkspace(NamedTuple):
    """Room for a game."""

    position: Position
    """The game that is played."""
    decision: Workspace
    search: SearchWorkspace


def make_workspace(tables: Tables) -> Workspace:
    """Return room for decisions under one ruleset."""
    spots = tables.chunks * CHUNK_SPOTS + 1
    return Workspace(
        counts=np.zeros(tables.chunks, np.int64),
        row_counts=np.zeros(WINDOW_ROWS, np.int64),
        untouched=np.zeros(tables.side + 10, np.uint64),
        placements=np.empty(tables.actions_per_colour, np.int64),
        worths=np.empty(tables.actions_per_colour, np.float64),
        spot_words=np.empty(spots, np.uint64),
        spots=np.empty(spots, np.int64),
        decisions=np.zeros(tables.players, np.int64),
        relations=np.zeros(tables.colours, np.int64),
        corner_points=np.zeros((tables.colours, tables.side + 10), np.uint64),
        nearby_corner_points=np.zeros(tables.colours, np.uint64),
        big=np.zeros(tables.colours * tables.plane_words, np.uint64),
        small=np.zeros(tables.colours * tables.plane_words, np.uint32),
        legal_counts=np.zeros(tables.colours, np.int64),
        without_piece=np.zeros(len(SHAPES), np.int64),
        square_sets=np.zeros((len(FIELDS) + 5, tables.side + 10), np.uint64),
        fields=np.zeros((len(FIELDS), tables.map_side**2)),
        prior_weights=np.zeros(FEATURES),
        square_worths=np.zeros((len(PARTS), tables.map_side**2)),
    )


def make_search_workspace(tables: Tables, playouts: int, width: int) -> SearchWorkspace:
    """Return room for a tree of `playouts` playouts with `width` children a node.

    Pages of memory that are never written cost nothing.
    """
    nodes = playouts + 1
    children = nodes * width
    spots = tables.side * tables.row_stride
    return SearchWorkspace(
        position=make_position(tables),
        latest=np.zeros(tables.colours, np.int64),
        stamps=np.zeros((tables.colours, spots * SPOT_STRIDE), np.int32),
        values=np.zeros(tables.players, np.float64),
        totals=np.zeros(tables.players, np.float64),
        first=np.empty(nodes, np.int64),
        children=np.empty(nodes, np.int64),
        seat=np.empty(nodes, np.int64),
        colour=np.empty(nodes, np.int64),
        placement=np.empty(children, np.int32),
        prior=np.empty(children, np.float32),
        start=np.empty(children, np.float32),
        node=np.empty(children, np.int32),
        visits=np.empty(children, np.int32),
        value=np.empty(children, np.float64),
        shared_visits=np.empty(children, np.int32),
        shared_value=np.empty(children, np.float64),
        path=np.empty((tables.colours * (tables.pieces + 1), 2), np.int64),
    )
