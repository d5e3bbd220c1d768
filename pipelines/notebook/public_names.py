"""What the Tab key lists on the objects of a notebook: what people use, without the parts that other packages need."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_OF_ANSWERS: Final = ("verdict", "consequences", "tables", "charts", "columns", "pandas", "polars", "figure")
PUBLIC_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "Library": (
        *("folder", "runs", "run", "remove", "unfinished_runs", "unfinished_run", "broken_files"),
        *("rulesets", "ruleset", "strategies", "simulate", "compare", "import_games"),
        *("scores", "games", "card", "openings", "rule_effect", "ask", "pandas", "polars", "arrow"),
    ),
    "Run": (
        *("name", "path", "summary", "design", "ruleset", "remove", "tables", "columns", "pandas", "polars"),
        *("arrow", "scores", "comparison", "review_all", "decisions", "lessons"),
    ),
    "Answer": _OF_ANSWERS,
    "Comparison": (
        *_OF_ANSWERS,
        *("pairs", "sides", "ratings", "seats", "controls", "strategies", "metric", "blocks", "games"),
        *("seed", "run", "ruleset"),
    ),
    "WhatIf": (*_OF_ANSWERS, "seat_effects", "differences", "base_scores", "n", "seed", "fork"),
    "Review": (
        *_OF_ANSWERS,
        *("decisions", "rolls", "ledger", "class_counts", "loss_per_decision", "total_luck", "win_shares"),
        *("scores", "seats", "playouts", "run", "game_id"),
    ),
}
"""By the name of the class."""


class ListsPublicNames:
    """An object that lists its `PUBLIC_NAMES`, or those of the class that it extends. Its other attributes work, but documentation does not describe them."""

    __slots__ = ()

    def __dir__(self) -> tuple[str, ...]:
        kinds = (kind.__name__ for kind in type(self).__mro__)
        return next(PUBLIC_NAMES[kind] for kind in kinds if kind in PUBLIC_NAMES)
