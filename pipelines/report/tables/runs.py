"""The table of the runs of a library."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.report.tables.table import make_table
from pipelines.report.wording import format_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pipelines.report.tables.table import Cell, Table
    from pipelines.runs.run import Run


def tabulate_runs(runs: Sequence[Run], more: Mapping[str, Sequence[str]] = {}) -> Table:
    """Return a row for each run; `more` holds further columns by title."""
    rows: list[dict[str, Cell]] = [
        {
            "run": run.name,
            "ruleset": ", ".join(ruleset.name for ruleset in run.summary.rulesets),
            "line-up": str(run.summary.lineup),
            "games": run.summary.games,
            "size": format_bytes(run.summary.bytes),
            "created (UTC)": f"{run.summary.created_at:%Y-%m-%d %H:%M}",
            **{title: texts[number] for title, texts in more.items()},
        }
        for number, run in enumerate(runs)
    ]
    return make_table("Runs", rows)
