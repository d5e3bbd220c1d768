"""The Smart Game Format: a text as trees of nodes with properties. Knows no game.

Of each tree the main line is kept: the first branch wherever there are several (red-bean.com/sgf, FF[4]).
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
    """Branches that were left out."""


def read_trees(text: str) -> list[SgfTree]:
    r"""Read a text; raise InvalidError that names the line where it is no SGF.

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
        raise InvalidError(f"line {reader.line}: {text[position]!r} does not belong there")
    return reader.finished_trees()


class _TreeReader:
    """Takes token after token, and knows where in the tree it is."""

    def __init__(self) -> None:
        self.line = 1
        self._found: list[SgfTree] = []
        self._branches: list[int] = []
        """For every open bracket, how many branches it has had."""
        self._left_out = 0
        """How many brackets are open in a branch that is not read."""
        self._key = ""

    def take_token(self, kind: str, what: str) -> None:
        if what == "(" and kind == "mark":
            self._open_branch()
        elif kind == "mark" and not self._branches:
            raise InvalidError(f"line {self.line}: {what!r} stands outside of all brackets")
        elif what == ")" and kind == "mark":
            self._branches.pop()
            self._left_out -= bool(self._left_out)
        elif not self._left_out and kind == "mark":
            self._begin_node()
        elif not self._left_out and kind != "space":
            self._read_property(kind, what)

    def _open_branch(self) -> None:
        if not self._branches:
            self._found.append(SgfTree(self.line))
        elif self._left_out:
            self._left_out += 1
        else:
            self._branches[-1] += 1
            if self._branches[-1] > 1:
                self._found[-1].variations += 1
                self._left_out = 1
        self._branches.append(0)

    def _begin_node(self) -> None:
        if self._branches[-1]:
            raise InvalidError(f"line {self.line}: a node follows after a branch")
        self._key = ""
        self._found[-1].nodes.append(SgfNode(self.line, {}))

    def _read_property(self, kind: str, what: str) -> None:
        nodes = self._found[-1].nodes if self._branches else []
        if not nodes or (kind == "value" and not self._key):
            raise InvalidError(f"line {self.line}: {what[:20]!r} stands outside of a node")
        if kind == "key":
            self._key = what
        else:
            nodes[-1].properties.setdefault(self._key, []).append(_unescape_value(what))

    def finished_trees(self) -> list[SgfTree]:
        if self._branches:
            raise InvalidError(f"line {self.line}: a bracket is not closed")
        if not self._found:
            raise InvalidError("there is no game in it")
        return self._found


def _unescape_value(value: str) -> str:
    """Take the backslashes out of a value; one before the end of a line joins it with the next."""
    return re.sub(r"\\(\r\n|\n|.)", lambda escape: escape[1].strip("\r\n"), value, flags=re.DOTALL)


def format_node(properties: dict[str, str]) -> str:
    r"""Write a node.

    >>> print(format_node({"GM": "Blokus", "C": "a]b"}))
    ;GM[Blokus]C[a\]b]
    """
    escaped = {key: re.sub(r"[\\\]]", r"\\\g<0>", value) for key, value in properties.items()}
    return ";" + "".join(f"{key}[{value}]" for key, value in escaped.items())
