"""The tables of what there is to choose from: the rulesets, and the pages of the documentation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.report.tables.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from engine.ruleset import Ruleset


def tabulate_rulesets(rulesets: Iterable[Ruleset]) -> Table:
    """Return a row for each ruleset."""
    return Table(
        "Rulesets",
        ("ruleset", "game", "players", "title"),
        tuple((one.name, one.game, one.players, one.title) for one in rulesets),
    )


def tabulate_pages(titles: Mapping[str, str]) -> Table:
    """Return a row for each page of the documentation; `titles` are by its name."""
    return Table("Documentation", ("page", "title"), tuple(titles.items()))
