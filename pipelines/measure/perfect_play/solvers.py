"""Which rulesets are solved, and by which solver."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from engine.errors import InvalidError
from pipelines.measure.perfect_play.blokus_dice import PerfectBlokusDice
from pipelines.measure.perfect_play.bloxx import PerfectBloxx
from pipelines.measure.perfect_play.spexxx import PerfectSpexxx

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.ruleset import Ruleset
    from pipelines.measure.perfect_play.expectimax import PerfectPlay

SOLVED_RULESETS: Final = ("bloxx-mini", "blokus-dice-mini", "spexxx-mini")
"""The rulesets of Reroll that are small enough. Each takes less than a minute."""

_SOLVERS: Final[dict[str, Callable[[Any], PerfectPlay]]] = {
    "bloxx": PerfectBloxx,
    "blokus-dice": PerfectBlokusDice,
    "spexxx": PerfectSpexxx,
}


def prepare_perfect_play(ruleset: Ruleset) -> PerfectPlay:
    """Return perfect play of a ruleset; it solves positions when they are needed.

    Raises InvalidError for a game without a solver and for more than two players. Nothing limits the size of the
    ruleset: a printed game would take longer than anybody can wait.
    """
    if ruleset.game not in _SOLVERS:
        raise InvalidError(f"{ruleset.name}: perfect play is known for {', '.join(_SOLVERS)} only")
    return _SOLVERS[ruleset.game](ruleset)
