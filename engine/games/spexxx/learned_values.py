"""What the strategy `learned` knows of Spexxx: how many points patterns of cubes are worth, read from the folder `learned`.

The points that a seat may still expect are the sum of the values of the *patterns* on the board, as this seat sees them:

- a *window* is a line of five places with at least three squares in a row: each place is free, has an own cube or the
  cube of another seat. Windows over the same zones share their values;
- a block of 3 x 3 squares has a number of own cubes, or cannot count any more.

Each pattern has a value for every *stage*, which is how many cubes the seat has left. A cube on a square is worth its
points now, plus what it adds to the points that its seat may expect, less what it takes from the others.

`python -m benchmarks.learn spexxx-2p spexxx-3p` learns the values by playing (`benchmarks/learners/spexxx.py`). They are integers in
thousandths of a point, so that plain Python and compiled code add them to equal sums.
"""

from __future__ import annotations

import hashlib
import json
import sys
from array import array
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from engine.errors import InvalidError
from engine.games.spexxx.ruleset import DIRECTIONS, SpexxxRuleset, iter_cells
from engine.weights import read_value_file, read_value_index

VALUES_FOLDER: Final = Path(__file__).with_name("learned")
"""A compressed file of values for two and for three or more players, and `index.toml`, which lists them."""
MOST_PLAYERS_LEARNED: Final = 3
"""With more players `learned` plays by the values for this number of players."""

WINDOW_SIZE: Final = 5
PATTERNS: Final = 3**WINDOW_SIZE
"""Patterns of a window: digit i in base three says whose cube is on place i."""
OWN_CUBE: Final = 1
OTHERS_CUBE: Final = 2
"""Digits of a pattern; 0 is a free square, or a place without a square."""

BLOCK_STATES: Final = 10
"""States of a block: the number of own cubes in it, or BLOCK_CLOSED."""
BLOCK_CLOSED: Final = 9
"""The block is complete, or it cannot count any more (SP-12)."""

STAGE_ENDS: Final = (1, 2, 4, 7, 10, 14)
"""Largest number of cubes left in each stage but the last."""
STAGES: Final = len(STAGE_ENDS) + 1

DENIAL_PERCENT: Final = 100
"""Weight of a point that the other seats, on average, may expect less."""

OFF_FRAME: Final = -1
"""In place of a cell outside of the frame."""


class Window(NamedTuple):
    """A line of five places."""

    cells: tuple[int, ...]
    """Its cells, or OFF_FRAME for places that are not squares."""
    kind: int
    """Windows of one kind share their values: they lie over the same zones, along the dice or diagonally."""


class ValueLayout(NamedTuple):
    """The patterns of a board, and where their values are."""

    windows: tuple[Window, ...]
    kinds: int
    blocks: tuple[int, ...]
    """The set of squares of each block, ordered by its lowest square."""
    blocks_at: int
    """First value of the blocks; those of the windows begin at 0."""
    end: int
    """Number of all values."""

    def window_value_at(self, kind: int, stage: int) -> int:
        """Return where the value of pattern 0 of a kind of windows is."""
        return (stage * self.kinds + kind) * PATTERNS

    def block_value_at(self, block: int, stage: int) -> int:
        """Return where the value of state 0 of a block is."""
        return self.blocks_at + (stage * len(self.blocks) + block) * BLOCK_STATES


def stage_of(left: int) -> int:
    """Return the stage of a seat with `left` cubes left, at least one.

    >>> [stage_of(left) for left in (1, 2, 3, 4, 5, 23)]
    [0, 1, 2, 2, 3, 6]
    """
    return sum(left > end for end in STAGE_ENDS)


@lru_cache(maxsize=16)
def make_value_layout(ruleset: SpexxxRuleset) -> ValueLayout:
    """Return the layout of the values for a ruleset's board."""
    kinds: dict[tuple[str, bool], int] = {}
    windows = []
    margin = WINDOW_SIZE - 3
    for row in range(-margin, ruleset.rows + margin):
        for column in range(-margin, ruleset.columns + margin):
            for dx, dy in DIRECTIONS:
                cells = [_cell_at(ruleset, column + i * dx, row + i * dy) for i in range(WINDOW_SIZE)]
                if any(OFF_FRAME not in cells[i : i + 3] for i in range(WINDOW_SIZE - 2)):
                    zones = "".join("." if cell == OFF_FRAME else ruleset.marks[cell] for cell in cells)
                    if zones[::-1] < zones:
                        zones, cells = zones[::-1], cells[::-1]
                    kind = kinds.setdefault((zones, dx * dy != 0), len(kinds))
                    windows.append(Window(tuple(cells), kind))
    blocks = tuple(
        sorted({block for at in ruleset.blocks for block in at}, key=lambda block: next(iter_cells(block)))
    )
    blocks_at = STAGES * len(kinds) * PATTERNS
    end = blocks_at + STAGES * len(blocks) * BLOCK_STATES
    return ValueLayout(tuple(windows), len(kinds), blocks, blocks_at, end)


def _cell_at(ruleset: SpexxxRuleset, column: int, row: int) -> int:
    """Return the cell at a column and a row, or OFF_FRAME if there is no square."""
    if column not in range(ruleset.columns) or row not in range(ruleset.rows):
        return OFF_FRAME
    cell = column + ruleset.columns * row
    return cell if ruleset.squares >> cell & 1 else OFF_FRAME


def rules_hash(ruleset: SpexxxRuleset) -> str:
    """Return the SHA-256 of all of a ruleset that the values depend on: not the number of cubes."""
    options = ruleset.options.model_dump(exclude={"cubes"})
    document = {"options": options, "tables": ruleset.tables.model_dump()}
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()


def value_file_name(ruleset: SpexxxRuleset) -> str:
    """Return the name of the file with the values for a ruleset: four players play by those of three.

    It begins with the hash of the board and the points, so that every board has its own files.
    """
    return f"{rules_hash(ruleset)[:8]}-{min(ruleset.players, MOST_PLAYERS_LEARNED)}p.zlib"


def require_learned_values(ruleset: SpexxxRuleset) -> None:
    """Raise InvalidError unless there are values for the board and the players of a ruleset."""
    read_learned_values(ruleset)


@lru_cache(maxsize=16)
def read_learned_values(ruleset: SpexxxRuleset) -> array[int]:
    """Return the values for a ruleset, in thousandths of a point.

    They are the same for rulesets that differ only in the number of cubes. Raises InvalidError if they do not exist for the
    board, the points and the players of the ruleset, or if the file with them is not the one that `index.toml` lists.
    """
    name = value_file_name(ruleset)
    entry = read_value_index(VALUES_FOLDER).get(name)
    if entry is None or entry["rules_sha256"] != rules_hash(ruleset):
        raise InvalidError(
            f"{ruleset.name}: strategy 'learned' has not learned this board with these points; "
            "it plays the rulesets that come with Reroll and those that change only the number of cubes"
        )
    values = array("h", read_value_file(VALUES_FOLDER, name))
    if sys.byteorder == "big":
        values.byteswap()
    return values
