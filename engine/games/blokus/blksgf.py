"""Games in files as Pentobi keeps them, `.blksgf` (libpentobi_base/Pentobi-SGF.md).

One placement a node, no node for a colour that is out. Of a file that a person made the main line is read; one that
begins with pieces set up is refused, because a run holds games from the empty board to the end.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from engine.game import Format, InvalidError
from engine.games.blokus.gtp import colour_name, game_name
from engine.games.blokus.ruleset import COLOURS
from engine.games.blokus.sgf import trees, written
from engine.notation import cell, squares
from engine.transcript import Line, Transcript

if TYPE_CHECKING:
    from engine.games.blokus.ruleset import BlokusRuleset
    from engine.games.blokus.sgf import Node, Tree


class Variant(NamedTuple):
    """What Pentobi calls a game, and what it is here."""

    ruleset: str
    side: int
    colours: tuple[str, ...]
    """The properties of the colours, in the order of play."""
    players: tuple[str, ...]
    """The properties with the players' names."""


_FOUR: Final = ("1", "2", "3", "4")
VARIANTS: Final = {
    "Blokus": Variant("blokus-fixed-4p", 20, _FOUR, ("P1", "P2", "P3", "P4")),
    "Blokus Two-Player": Variant("blokus-fixed-2p", 20, _FOUR, ("PB", "PW")),
    "Blokus Three-Player": Variant("blokus-fixed-3p", 20, _FOUR, ("P1", "P2", "P3")),
    "Blokus Duo": Variant("blokus-duo", 14, ("B", "W"), ("PB", "PW")),
}
OLD_COLOURS: Final = {colour.upper(): name for colour, name in zip(COLOURS, _FOUR, strict=True)}
"""How Pentobi before 0.2 named the four colours."""
MOVES: Final = {*_FOUR, "B", "W", *OLD_COLOURS}
SETUP: Final = {"AB", "AW", "A1", "A2", "A3", "A4", "AE", "PL"}
UNNAMED: Final = "unnamed"

APPLICATION: Final = "Reroll"
_PLACE: Final = re.compile(r"block ([0-9]{1,9}), rotation ([0-9]{1,3})")


def read(text: str) -> list[Transcript]:
    """Read the games of a file; raise InvalidError that names the line for what cannot be read."""
    return [_transcript(tree) for tree in trees(text)]


def _transcript(tree: Tree) -> Transcript:
    if not tree.nodes:
        raise InvalidError(f"line {tree.line}: the game has no nodes")
    root = {key: values[0] for key, values in tree.nodes[0].properties.items()}
    name = root.get("GM", "")
    if name not in VARIANTS:
        raise InvalidError(
            f"line {tree.nodes[0].line}: GM[{name[:40]}] is not played here; known: {', '.join(VARIANTS)}"
        )
    variant = VARIANTS[name]
    lines = [line for node in tree.nodes if (line := _line(node, name, variant))]
    ours = root.get("AP", "").partition(":")[0] == APPLICATION
    place = _PLACE.fullmatch(root.get("RO", "")) if ours else None
    left_out = f"line {tree.line}: {tree.variations} variations are left out, the main line is read"
    return Transcript(
        ruleset=root.get("RU", variant.ruleset) if ours else variant.ruleset,
        seats=tuple(root.get(key, "").strip() or UNNAMED for key in variant.players),
        lines=tuple(lines),
        title=root.get("EV", ""),
        block=int(place[1]) if place else None,
        rotation=int(place[2]) if place else None,
        notes=(left_out,) if tree.variations else (),
    )


def _line(node: Node, name: str, variant: Variant) -> Line | None:
    """Return the placement of a node; None if it has none."""
    setup = SETUP & node.properties.keys()
    if setup:
        raise InvalidError(
            f"line {node.line}: {min(setup)} sets a position up; a run holds games that begin with the empty board"
        )
    moves = sorted(MOVES & node.properties.keys())
    if not moves:
        return None
    place = f"line {node.line}"
    if len(moves) > 1:
        raise InvalidError(f"{place}: two placements in one node: {' and '.join(moves)}")
    colour = OLD_COLOURS.get(moves[0], moves[0])
    if colour not in variant.colours:
        raise InvalidError(f"{place}: {moves[0]} is no colour of {name}")
    points = ",".join(node.properties[moves[0]]).lower().split(",")  # before 0.3 each had brackets of its own
    try:
        cells = [cell(point.strip(), variant.side, variant.side) for point in points]
    except InvalidError as error:
        raise InvalidError(f"{place}: {error}") from None
    letter = COLOURS[variant.colours.index(colour)][0]
    return Line(place, f"{letter}:{squares(cells, variant.side)}")


def write(ruleset: BlokusRuleset, game: Transcript) -> str:
    """Write a game; raise InvalidError for a ruleset that Pentobi does not have."""
    name = game_name(ruleset)
    variant = VARIANTS[name]
    root = {"GM": name, "CA": "UTF-8", "AP": APPLICATION, "RU": ruleset.name, "EV": game.title}
    if game.block is not None and game.rotation is not None:
        root["RO"] = f"block {game.block}, rotation {game.rotation}"
    root |= dict(zip(variant.players, game.seats, strict=True))
    nodes = [written({key: value for key, value in root.items() if value})]
    for line in game.lines:
        letter, _, listed = line.notation.partition(":")
        if listed != "out":
            nodes.append(written({colour_name(ruleset, ruleset.letters.index(letter)): listed}))
    return "\n".join(["(", *nodes, ")", ""])


BLKSGF: Final = Format("blksgf", "Pentobi's files", write, read)
