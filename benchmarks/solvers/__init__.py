"""Which rulesets are solved, and by which solver: each module beside this one is the solver of the game of its name."""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, Final

from engine.errors import InvalidError

if TYPE_CHECKING:
    from benchmarks.expectimax import PerfectPlay
    from engine.ruleset import Ruleset

SOLVED_GAMES: Final = tuple(
    sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(__path__))
)
SOLVED_RULESETS: Final = tuple(f"{game}-mini" for game in SOLVED_GAMES)
"""The ruleset of each of these games that is small enough. Each takes less than a minute."""


def prepare_perfect_play(ruleset: Ruleset) -> PerfectPlay:
    """Return perfect play of a ruleset; it solves positions when they are needed.

    Raises InvalidError for a game without a solver and for more than two players. Nothing limits the size of the
    ruleset: a printed game would take longer than anybody can wait.
    """
    if ruleset.game not in SOLVED_GAMES:
        raise InvalidError(f"{ruleset.name}: perfect play is known for {', '.join(SOLVED_GAMES)} only")
    solver = importlib.import_module(f"{__name__}.{ruleset.game.replace('-', '_')}")
    perfect: PerfectPlay = solver.SOLVER(ruleset)
    return perfect
