"""The prior of Blokus: how likely strong play is to choose each placement; the searches start from it.

The worth of a placement is a sum: a weight for its piece, and weights for the *fields* of the squares that it covers, that
lie beside it (along an edge), and that touch it at a corner only. A field gives every square a number, in most cases 1 for
the squares of a set and 0 for all others. The probability of a placement is proportional to e to the power of its worth.

The weights depend on the number of players, and on how many of its squares the colour has placed. Strong decisions
determine them: they were fitted to decisions of `mcts`, as `prior.toml` says of each table.

The kernel computes these numbers for all placements at once. `tests/engine/games/blokus/prior_by_squares.py` states them
square by square.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel, ConfigDict

from engine.polyomino import SHAPES

if TYPE_CHECKING:
    from engine.games.blokus.ruleset import BlokusRuleset

FIELDS: Final = {
    "corner_point": "a corner point of the colour on turn",
    "beside_corner_point": "available, and beside such a corner point",
    "untouched": "available, and no corner point",
    "open": "untouched, and all four squares beside it are available",
    "narrow": "untouched, and at most two squares beside it are available",
    "near": "at most two steps from a corner point, over available squares",
    "in_reach": "at most four steps from a corner point, over available squares",
    "new_ground": "untouched, and not in reach",
    "own": "covered by the colour on turn",
    "foe_corner_point": "a corner point of an opponent",
    "beside_foe_corner_point": "available to an opponent, and beside a corner point of his",
    "near_foe": "at most two steps from a corner point of an opponent, over squares available to him",
    "foe_in_reach": "at most four such steps from it",
    "contested": "untouched, and in reach of an opponent",
    "foe": "covered by an opponent",
    "closed_to_foes": "empty, and not available to any opponent",
    "ally_corner_point": "a corner point of the seat's other colour",
    "beside_ally_corner_point": "available to the seat's other colour, and beside a corner point of it",
    "ally_in_reach": "at most four steps from such a corner point",
    "ally": "covered by the seat's other colour",
    "outside": "not on the board",
    "share_of_own": "the share of the colour's legal placements that cover it",
    "share_of_foes": "the same share, added up over the opponents",
    "share_of_ally": "the same share of the seat's other colour",
    "distance": "the squared distance of its middle from that of the board, in half sides",
}
"""The fields by name. A square is *available* to a colour if it is empty and no piece of the colour lies beside it."""

PARTS: Final = ("covered", "beside", "corner")
"""The squares of a placement that count: those that it covers, those along its edges, those at its corners only."""

FEATURES: Final = len(SHAPES) + len(PARTS) * len(FIELDS)
"""Numbers that describe a placement: 1 for its piece and 0 for the other pieces; then, part by part, the sums of all fields."""

PHASES: Final = (0.0, 0.2, 0.5, 1.0)
"""Shares of a colour's squares that are placed. There is a weight for each; between two it lies on the straight line."""

PRIOR_FILE: Final = Path(__file__).parent / "prior.toml"

NEAR_STEPS: Final = 2
REACH_STEPS: Final = 4


class PriorWeights(BaseModel):
    """The weights of one kind of decision. Each list has one number for every phase."""

    model_config = ConfigDict(extra="forbid")

    fitted: str
    """How the weights were fitted."""
    pieces: dict[str, list[float]]
    covered: dict[str, list[float]]
    beside: dict[str, list[float]]
    corner: dict[str, list[float]]

    def table(self) -> list[list[float]]:
        """Return the weights by feature and phase; 0 for what the file does not name."""
        missing = [0.0] * len(PHASES)
        parts = (self.covered, self.beside, self.corner)
        return [
            *(self.pieces.get(name, missing) for name in SHAPES),
            *(part.get(name, missing) for part in parts for name in FIELDS),
        ]


def prior_kind(ruleset: BlokusRuleset, *, is_shared: bool = False) -> str:
    """Return the name of the weights for a ruleset, or for its colour that all seats play in turn (BK-10)."""
    if is_shared:
        return "shared"
    return "duo" if len(ruleset.colours) == 2 else f"{ruleset.players}p"


def read_prior(path: Path = PRIOR_FILE) -> dict[str, PriorWeights]:
    """Return the fitted weights by kind of decision."""
    tables = tomllib.loads(path.read_text(encoding="utf-8"))
    return {kind: PriorWeights.model_validate(table) for kind, table in tables.items()}
