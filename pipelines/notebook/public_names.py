"""The names on the objects of a notebook that people use; `pipelines.notebook.completion` offers them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, Final

from engine.errors import InvalidError, unknown_name_error

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
    "LoggedGame": (
        *("run", "game_id", "summary", "ruleset", "seats", "actions", "scene", "plies", "state"),
        *("text", "save", "whatif", "review", "widget"),
    ),
    "Answer": _OF_ANSWERS,
    "Comparison": (
        *_OF_ANSWERS,
        *("pairs", "sides", "ratings", "seats", "controls", "strategies", "metric", "blocks", "games"),
        *("seed", "run", "ruleset"),
    ),
    "WhatIf": (*_OF_ANSWERS, "seat_effects", "differences", "base_scores", "n", "seed", "fork"),
    "ReplayWidget": ("ply", "height", "answer", "fork", "on_fork", "observe", "run", "game_id"),
    "Review": (
        *_OF_ANSWERS,
        *("decisions", "rolls", "ledger", "class_counts", "loss_per_decision", "total_luck", "win_shares"),
        *("scores", "seats", "playouts", "run", "game_id"),
    ),
    "Ruleset": ("name", "game", "title", "players", "options", "tables", "document", "with_options"),
    "Design": (
        *("kind", "title", "ruleset", "rules", "lineup", "seatings", "opening", "blocks", "games"),
        *("seed", "log", "code", "command"),
    ),
}
"""By the name of the class."""


class NoSuchAttributeError(InvalidError, AttributeError):
    """An object of a notebook has no attribute of that name."""


class NoSuchNameError(InvalidError, KeyError):
    """A library has no run of that name, or a run no table."""

    __str__ = InvalidError.__str__  # that of a KeyError puts the message into quotation marks


def list_public_names(kind: type) -> tuple[str, ...]:
    """Return the names that documentation describes of a class of this project, or of the one that it extends; of others none."""
    documented = (
        base.__name__ for base in kind.__mro__ if base.__module__.startswith(("pipelines.", "engine."))
    )
    return next((PUBLIC_NAMES[name] for name in documented if name in PUBLIC_NAMES), ())


class ListsPublicNames:
    """An object that lists its `PUBLIC_NAMES`, or those of the class that it extends. Its other attributes work, but documentation does not describe them."""

    __slots__ = ()

    def __dir__(self) -> tuple[str, ...]:
        return list_public_names(type(self))

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - it never returns
        """Raise NoSuchAttributeError, which suggests the nearest names; private ones are asked for by Python and IPython."""
        if name.startswith("_"):
            raise AttributeError(name)
        names = {*dir(self)} - {"remove"}  # no guess may delete anything
        raise NoSuchAttributeError(str(unknown_name_error("attribute", name, names)))

    @abstractmethod
    def list_names(self, argument: str, call: str = "", first_value: str = "") -> Iterable[str]:
        """Return the names that an argument of a call takes; `first_value` is the first text or number of the call before it."""
