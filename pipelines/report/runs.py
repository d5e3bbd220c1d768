"""How a run was made, in words: its title and the facts that stand at the end of a sheet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.design.lineups import shorten_names
from pipelines.report.sheet import Fact

if TYPE_CHECKING:
    from pipelines.runs.run import Run


def title_run(run: Run) -> str:
    """Return the title of a run with the short names of its strategies."""
    return shorten_names(run.summary.title, run.summary.strategies)


def list_run_facts(run: Run) -> tuple[Fact, ...]:
    """Return how a run was made."""
    summary, versions = run.summary, run.versions
    made_with = ", ".join(
        f"{name} {versions[key]}"
        for key, name in (
            ("reroll", "Reroll"),
            ("rules", "rules"),
            ("python", "Python"),
            ("duckdb", "DuckDB"),
        )
        if key in versions
    )
    return (
        Fact("Run", run.name),
        Fact("Made", f"{summary.created_at:%d %B %Y}"),
        *(Fact("Ruleset", f"{ruleset.name}, SHA-256 {ruleset.sha256}") for ruleset in summary.rulesets),
        Fact("Seed", str(summary.seed)),
        Fact("Made with", made_with),
    )
