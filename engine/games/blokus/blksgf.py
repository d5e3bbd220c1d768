"""Read and write games in Pentobi's file format `.blksgf` (libpentobi_base/Pentobi-SGF.md).

A node contains one placement; there is no node for a colour that is out. If a file has variations, only its main line is
read. A file that begins with pieces already on the board is refused, because the games of a run start on an empty board.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from engine.errors import InvalidError
from engine.game import GameFormat
from engine.games.blokus.gtp import pentobi_colour_name, pentobi_game_name
from engine.games.blokus.ruleset import COLOUR_NAMES
from engine.games.blokus.sgf import format_node, read_trees
from engine.notation import format_squares, read_cell
from engine.transcript import Transcript, TranscriptLine

if TYPE_CHECKING:
    from engine.games.blokus.ruleset import BlokusRuleset
    from engine.games.blokus.sgf import SgfNode, SgfTree


class PentobiVariant(NamedTuple):
    """A game variant of Pentobi and the ruleset that it corresponds to."""

    ruleset: str
    side: int
    colours: tuple[str, ...]
    """The properties of the colours, in the order of play."""
    players: tuple[str, ...]
    """The properties with the players' names."""


_FOUR_COLOURS: Final = ("1", "2", "3", "4")
PENTOBI_VARIANTS: Final = {
    "Blokus": PentobiVariant("blokus-fixed-4p", 20, _FOUR_COLOURS, ("P1", "P2", "P3", "P4")),
    "Blokus Two-Player": PentobiVariant("blokus-fixed-2p", 20, _FOUR_COLOURS, ("PB", "PW")),
    "Blokus Three-Player": PentobiVariant("blokus-fixed-3p", 20, _FOUR_COLOURS, ("P1", "P2", "P3")),
    "Blokus Duo": PentobiVariant("blokus-duo", 14, ("B", "W"), ("PB", "PW")),
}
OLD_COLOUR_PROPERTIES: Final = {
    colour.upper(): name for colour, name in zip(COLOUR_NAMES, _FOUR_COLOURS, strict=True)
}
"""The properties of the four colours in files of Pentobi before version 0.2."""
MOVE_PROPERTIES: Final = {*_FOUR_COLOURS, "B", "W", *OLD_COLOUR_PROPERTIES}
SETUP_PROPERTIES: Final = {"AB", "AW", "A1", "A2", "A3", "A4", "AE", "PL"}
UNNAMED_PLAYER: Final = "unnamed"

APPLICATION_NAME: Final = "Reroll"
_PLACE_IN_RUN: Final = re.compile(r"block ([0-9]{1,9}), rotation ([0-9]{1,3})")


def read_blksgf(text: str) -> list[Transcript]:
    """Return the games of a file; raise InvalidError with the line number if the text cannot be read."""
    return [_read_transcript(tree) for tree in read_trees(text)]


def _read_transcript(tree: SgfTree) -> Transcript:
    if not tree.nodes:
        raise InvalidError(f"line {tree.line}: the game has no nodes")
    root = {key: values[0] for key, values in tree.nodes[0].properties.items()}
    name = root.get("GM", "")
    if name not in PENTOBI_VARIANTS:
        raise InvalidError(
            f"line {tree.nodes[0].line}: GM[{name[:40]}] is not a game that Reroll plays; expected one of: {', '.join(PENTOBI_VARIANTS)}"
        )
    variant = PENTOBI_VARIANTS[name]
    lines = [line for node in tree.nodes if (line := _read_move(node, name, variant))]
    is_reroll_file = root.get("AP", "").partition(":")[0] == APPLICATION_NAME
    place = _PLACE_IN_RUN.fullmatch(root.get("RO", "")) if is_reroll_file else None
    skipped = f"line {tree.line}: only the main line is read, without its {tree.variations} variations"
    return Transcript(
        ruleset=root.get("RU", variant.ruleset) if is_reroll_file else variant.ruleset,
        seats=tuple(root.get(key, "").strip() or UNNAMED_PLAYER for key in variant.players),
        lines=tuple(lines),
        title=root.get("EV", ""),
        block=int(place[1]) if place else None,
        rotation=int(place[2]) if place else None,
        notes=(skipped,) if tree.variations else (),
    )


def _read_move(node: SgfNode, name: str, variant: PentobiVariant) -> TranscriptLine | None:
    """Return the placement of a node; None if it has none."""
    setup = SETUP_PROPERTIES & node.properties.keys()
    if setup:
        raise InvalidError(
            f"line {node.line}: {min(setup)} sets up a position; the games of a run begin with an empty board"
        )
    moves = sorted(MOVE_PROPERTIES & node.properties.keys())
    if not moves:
        return None
    place = f"line {node.line}"
    if len(moves) > 1:
        raise InvalidError(f"{place}: two placements in one node: {' and '.join(moves)}")
    colour = OLD_COLOUR_PROPERTIES.get(moves[0], moves[0])
    if colour not in variant.colours:
        raise InvalidError(f"{place}: {moves[0]} is not a colour of {name}")
    points = (
        ",".join(node.properties[moves[0]]).lower().split(",")
    )  # Pentobi before 0.3 wrote each point in its own brackets
    try:
        cells = [read_cell(point.strip(), variant.side, variant.side) for point in points]
    except InvalidError as error:
        raise InvalidError(f"{place}: {error}") from None
    letter = COLOUR_NAMES[variant.colours.index(colour)][0]
    return TranscriptLine(place, f"{letter}:{format_squares(cells, variant.side)}")


def write_blksgf(ruleset: BlokusRuleset, game: Transcript) -> str:
    """Return a game as text; raise InvalidError for a ruleset that Pentobi does not have."""
    name = pentobi_game_name(ruleset)
    variant = PENTOBI_VARIANTS[name]
    root = {"GM": name, "CA": "UTF-8", "AP": APPLICATION_NAME, "RU": ruleset.name, "EV": game.title}
    if game.block is not None and game.rotation is not None:
        root["RO"] = f"block {game.block}, rotation {game.rotation}"
    root |= dict(zip(variant.players, game.seats, strict=True))
    nodes = [format_node({key: value for key, value in root.items() if value})]
    for line in game.lines:
        letter, _, squares = line.notation.partition(":")
        if squares != "out":
            nodes.append(
                format_node({pentobi_colour_name(ruleset, ruleset.colour_letters.index(letter)): squares})
            )
    return "\n".join(["(", *nodes, ")", ""])


BLKSGF_FORMAT: Final = GameFormat("blksgf", "Pentobi's files", write_blksgf, read_blksgf)
