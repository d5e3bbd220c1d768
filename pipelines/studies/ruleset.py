"""The section of a study on a ruleset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.design.ruleset_titles import format_ruleset_for
from pipelines.report.sentences.rulebook import find_clauses
from pipelines.report.sheet import Fact, Part, Sheet
from pipelines.report.tables.rulebook import tabulate_options, tabulate_origins

if TYPE_CHECKING:
    from engine.ruleset import Ruleset


def describe_ruleset(ruleset: Ruleset) -> Sheet:
    """Return the sheet of a ruleset: the game in short, who wins, the options, and the origin of the tables."""
    clauses = find_clauses(ruleset.game)
    wins = "The lowest score wins." if ruleset.lowest_wins else "The highest score wins."
    source = f" The game is {clauses.heading}." if clauses.heading else ""
    tables = tabulate_options(ruleset), tabulate_origins(ruleset)
    return Sheet(
        kind="rules",
        title=format_ruleset_for(ruleset),
        consequences=(clauses.short,) if clauses.short else (),
        basis=f"The ruleset {ruleset.name}. {wins}{source}",
        parts=tuple(Part(f"rules-{at}", table) for at, table in enumerate(tables) if table.rows),
        facts=(Fact("Ruleset", f"{ruleset.name}, SHA-256 {ruleset.sha256}"),),
        commands=(f"reroll rulesets {ruleset.name}",),
    )
