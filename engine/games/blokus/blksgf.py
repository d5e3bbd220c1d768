"""Read and write games in Pentobi's file format `.blksgf` (libpentobi_base/Pentobi-SGF.md), which rests on the Smart Game Format (red-bean.com/sgf, FF[4]).

A node contains one placement; for a colour that is out there is no node, or one without squares. If a file has variations, only its main line is
read. A file that begins with pieces already on the board is refused, because the games of a run start on an empty board.

`read_trees` and `format_node` know the syntax only: trees of nodes with properties. The rest interprets the properties.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from engine.errors import InvalidError
from engine.game import GameFormat
from engine.games.blokus.gtp import pentobi_colour_name, pentobi_game_name
from engine.games.blokus.ruleset import COLOUR_NAMES, BlokusRuleset
from engine.notation import format_squares, read_cell
from engine.transcript import Transcript, TranscriptLine


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
        notes=(*tree.notes, *((skipped,) if tree.variations else ())),
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
    letter = COLOUR_NAMES[variant.colours.index(colour)][0]
    if not any(point.strip() for point in node.properties[moves[0]]):
        return TranscriptLine(place, f"{letter}:out", is_pass=True)
    points = (
        ",".join(node.properties[moves[0]]).lower().split(",")
    )  # Pentobi before 0.3 wrote each point in its own brackets
    try:
        cells = [read_cell(point.strip(), variant.side, variant.side) for point in points]
    except InvalidError as error:
        raise InvalidError(f"{place}: {error}") from None
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


_TOKEN_PATTERN: Final = re.compile(
    r"(?P<space>\s+)|(?P<mark>[();])|(?P<key>[A-Za-z0-9]+)|\[(?P<value>(?:[^\]\\]++|\\.)*+)\]", re.DOTALL
)


_TREE_START_PATTERN: Final = re.compile(r"\((?=\s*+;)")


class SgfNode(NamedTuple):
    """A node and the line on which it begins."""

    line: int
    properties: dict[str, list[str]]


@dataclass
class SgfTree:
    """The main line of a game tree."""

    line: int
    nodes: list[SgfNode] = field(default_factory=list)
    variations: int = 0
    """Number of branches that were not read."""
    notes: list[str] = field(default_factory=list)
    """Remarks on text that was skipped."""


def read_trees(text: str) -> list[SgfTree]:
    r"""Read all trees of a text; raise InvalidError with the line number if the text is not valid SGF.

    Words outside the trees are skipped, with a remark in the tree before them or, before the first one, in that.

    >>> [node.properties for tree in read_trees(r"(;GM[1]C[a\]b];B[c](;W[d])(;W[e]))") for node in tree.nodes]
    [{'GM': ['1'], 'C': ['a]b']}, {'B': ['c']}, {'W': ['d']}]
    """
    reader = _TreeReader()
    position = 0
    while position < len(text):
        if reader.is_outside:
            start = match.start() if (match := _TREE_START_PATTERN.search(text, position)) else len(text)
            reader.skip_words(text[position:start])
            position = start
        if token := _TOKEN_PATTERN.match(text, position):
            reader.take_token(token.lastgroup or "", token[token.lastgroup or 0])
            reader.line += token[0].count("\n")
            position = token.end()
        elif position < len(text):
            raise InvalidError(f"line {reader.line}: {text[position]!r} is not expected here")
    return reader.finished_trees()


class _TreeReader:
    """Build trees from tokens; remember the position in the tree."""

    def __init__(self) -> None:
        self.line = 1
        self._trees: list[SgfTree] = []
        self._branches: list[int] = []
        """For every open bracket, the number of branches opened in it so far."""
        self._skipped_brackets = 0
        """Number of brackets that are open in a branch that is not read."""
        self._key = ""
        self._notes: list[str] = []
        """Remarks that stand before the first tree."""

    @property
    def is_outside(self) -> bool:
        """Whether all brackets are closed."""
        return not self._branches

    def skip_words(self, words: str) -> None:
        """Note that words outside the trees are not read."""
        if words.strip("\x1a\0 \t\r\n"):  # editors of old systems ended a file with Ctrl-Z
            blank = len(words) - len(words.lstrip())
            line = self.line + words.count("\n", 0, blank)
            notes = self._trees[-1].notes if self._trees else self._notes
            notes.append(f"line {line}: the words outside the brackets of a game are not read")
        self.line += words.count("\n")

    def take_token(self, kind: str, content: str) -> None:
        if content == "(" and kind == "mark":
            self._open_branch()
        elif content == ")" and kind == "mark":
            self._branches.pop()
            self._skipped_brackets -= bool(self._skipped_brackets)
        elif not self._skipped_brackets and kind == "mark":
            self._begin_node()
        elif not self._skipped_brackets and kind != "space":
            self._read_property(kind, content)

    def _open_branch(self) -> None:
        if not self._branches:
            self._trees.append(SgfTree(self.line, notes=self._notes))
            self._notes = []
        elif self._skipped_brackets:
            self._skipped_brackets += 1
        else:
            self._branches[-1] += 1
            if self._branches[-1] > 1:
                self._trees[-1].variations += 1
                self._skipped_brackets = 1
        self._branches.append(0)

    def _begin_node(self) -> None:
        if self._branches[-1]:
            raise InvalidError(f"line {self.line}: a node follows after a branch")
        self._key = ""
        self._trees[-1].nodes.append(SgfNode(self.line, {}))

    def _read_property(self, kind: str, content: str) -> None:
        nodes = self._trees[-1].nodes if self._branches else []
        if not nodes or (kind == "value" and not self._key):
            raise InvalidError(f"line {self.line}: {content[:20]!r} stands outside a node")
        if kind == "key":
            self._key = content
        else:
            nodes[-1].properties.setdefault(self._key, []).append(_unescape_value(content))

    def finished_trees(self) -> list[SgfTree]:
        if self._branches:
            raise InvalidError(f"line {self.line}: a bracket is not closed")
        if not self._trees:
            raise InvalidError("the file contains no game")
        return self._trees


def _unescape_value(value: str) -> str:
    """Remove the escaping backslashes of a value; a backslash at the end of a line joins it with the next line."""
    return re.sub(r"\\(\r\n|\n|.)", lambda escape: escape[1].strip("\r\n"), value, flags=re.DOTALL)


def format_node(properties: dict[str, str]) -> str:
    r"""Return a node as text.

    >>> print(format_node({"GM": "Blokus", "C": "a]b"}))
    ;GM[Blokus]C[a\]b]
    """
    escaped = {key: re.sub(r"[\\\]]", r"\\\g<0>", value) for key, value in properties.items()}
    return ";" + "".join(f"{key}[{value}]" for key, value in escaped.items())
