"""The versions of the software and of the strategies that played a run, and whether this Reroll has other ones."""

from __future__ import annotations

import platform
from importlib import metadata
from typing import TYPE_CHECKING, Any, Final

import duckdb

from engine.strategies import built_in_strategies

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.design.design import Design

RULES_KEY: Final = "rules"
STRATEGIES_KEY: Final = "strategies"
FIRST_STRATEGY_VERSION: Final = 1
"""The version of the strategies of runs that record none: version 0.4.0 of Reroll and earlier ones made them."""


def software_versions(design: Design) -> dict[str, Any]:
    """Return the versions of the software that plays and writes the games of a design now."""
    return {
        "reroll": metadata.version("reroll"),
        RULES_KEY: design.game.rules_version,
        "python": platform.python_version(),
        "duckdb": duckdb.__version__,
        STRATEGIES_KEY: strategy_versions(design),
    }


def strategy_versions(design: Design) -> dict[str, int]:
    """Return the versions of the built-in strategies of a line-up by their names; nothing if Reroll does not play the games."""
    if design.has_finished_games:
        return {}
    built_in = built_in_strategies(design.game)
    names = sorted({text.partition(":")[0] for text in design.strategies})
    return {name: built_in[name].version for name in names if name in built_in}


def describe_other_strategies(versions: Mapping[str, Any], design: Design) -> str:
    """Return which strategies have another version now than in `versions`, such as "greedy 1, now 2"; nothing if none has."""
    recorded = versions.get(STRATEGIES_KEY)
    recorded = recorded if isinstance(recorded, dict) else {}
    changes = (
        (name, recorded.get(name, FIRST_STRATEGY_VERSION), now)
        for name, now in strategy_versions(design).items()
    )
    return "; ".join(f"{name} {before!s:.9}, now {now}" for name, before, now in changes if before != now)
