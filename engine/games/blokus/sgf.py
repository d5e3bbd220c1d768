"""Read and write the Smart Game Format (red-bean.com/sgf, FF[4]): trees of nodes with properties.

This module knows the syntax only, no game; `blksgf.py` interprets the properties. Only the main line of each tree is
read: the first branch wherever a node has several.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from engine.errors import InvalidError

_TOKEN_PATTERN: Final = re.compile(
    r"(?P<space>\s+)|(?P<mark>[();])|(?P<key>[A-Za-z0-9]+)|\[(?P<value>(?:[^\]\\]|\\.)*)\]", re.DOTALL
)


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


def read_trees(text: str) -> list[SgfTree]:
    r"""Read all trees of a text; raise InvalidError with the line number if the text is not valid SGF.

    >>> [node.properties for tree in read_trees(r"(;GM[1]C[a\]b];B[c](;W[d])(;W[e]))") for node in tree.nodes]
    [{'GM': ['1'], 'C': ['a]b']}, {'B': ['c']}, {'W': ['d']}]
    """
    reader = _TreeReader()
    position = 0
    while token := _TOKEN_PATTERN.match(text, position):
        reader.take_token(token.lastgroup or "", token[token.lastgroup or 0])
        reader.line += token[0].count("\n")
        position = token.end()
    if position < len(text):
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

    def take_token(self, kind: str, content: str) -> None:
        if content == "(" and kind == "mark":
            self._open_branch()
        elif kind == "mark" and not self._branches:
            raise InvalidError(f"line {self.line}: {content!r} stands outside all brackets")
        elif content == ")" and kind == "mark":
            self._branches.pop()
            self._skipped_brackets -= bool(self._skipped_brackets)
        elif not self._skipped_brackets and kind == "mark":
            self._begin_node()
        elif not self._skipped_brackets and kind != "space":
            self._read_property(kind, content)

    def _open_branch(self) -> None:
        if not self._branches:
            self._trees.append(SgfTree(self.line))
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
