"""What the strategy `learned` of Blokus Dice knows: a small neural network, read from the folder `learned`.

The network tells how many squares a seat may still expect to draw, from what the seat sees of its own board after a
placement. Its inputs are facts such as these, `kernel/learned.py` has all of them:

- for each of the four colours, in the order in which they come round: how many placements fit, in how many rows of the
  list, how large the shapes are that the dice are likely to offer, and how much room the corners of the colour have;
- for the whole board: strikes, unfilled squares, squares that no colour can reach, the shapes that are left, the number of
  dice, and the round.

One hidden layer takes these inputs, and one sum of its units is the result. The inputs are shares of the board, so the
network plays on boards of every size; it has learned on the standard one. `python -m benchmarks.learn
blokus-dice-2p blokus-dice-3p blokus-dice-4p --games 25000` learns the weights by playing (`benchmarks/learners/blokus_dice.py`).
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from engine.games.blokus_dice.ruleset import COLOUR_NAMES
from engine.weights import read_value_file

if TYPE_CHECKING:
    from numpy.typing import NDArray

VALUES_FOLDER: Final = Path(__file__).with_name("learned")
"""A compressed file of weights for each number of players, and `index.toml`, which lists them."""

COLOUR_INPUTS: Final = 15
"""Inputs for each colour that comes round."""
ROUND_INPUTS: Final = 20
"""Inputs for the round: one of them is 1, the others are 0. The last one stands for all later rounds."""
BOARD_INPUTS: Final = 26 + ROUND_INPUTS
"""Inputs for the whole board."""
INPUTS: Final = COLOUR_INPUTS * len(COLOUR_NAMES) + BOARD_INPUTS
HIDDEN_UNITS: Final = 32
SQUARES_PER_UNIT: Final = 10.0
"""The network tells squares in units of ten."""
WEIGHTS: Final = (INPUTS + 2) * HIDDEN_UNITS + 1
"""Number of weights: from the inputs and a constant to each hidden unit, from each hidden unit and a constant to the
result."""


def value_file_name(players: int) -> str:
    """Return the name of the file with the weights for this number of players."""
    return f"{players}p.zlib"


@lru_cache(maxsize=4)
def read_learned_values(players: int) -> NDArray[np.float32]:
    """Return the weights for this number of players, (WEIGHTS,).

    They are those of the inputs, the constants of the hidden units, the weights of these units, and the constant of the
    result. Raises InvalidError if the file is not the one that `index.toml` lists.
    """
    content = read_value_file(VALUES_FOLDER, value_file_name(players))
    return np.frombuffer(content, "<f4").astype(np.float32)
