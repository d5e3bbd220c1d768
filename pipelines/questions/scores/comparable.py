"""Which runs count together, and which can be compared: the only place that decides it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from pipelines.runs.run import Run


def choose_pooled_runs(runs: Sequence[Run], named: Collection[str] = ()) -> tuple[Run, ...]:
    """Return those of some runs whose results are pooled: the named ones, else all, whatever their line-ups are."""
    return tuple(run for run in runs if not named or run.name in named)


def choose_comparable_runs(runs_by_ruleset: Sequence[Sequence[Run]]) -> tuple[Run, ...]:
    """Return the runs whose line-up played under every ruleset. Scores against other opponents cannot be compared."""
    lineups = [{run.summary.strategies for run in runs} for runs in runs_by_ruleset]
    common = set.intersection(*lineups) if lineups else set()
    found = {run.name: run for runs in runs_by_ruleset for run in runs if run.summary.strategies in common}
    return tuple(found.values())


def play_in_same_runs(a: str, b: str, runs: Sequence[Run]) -> bool:
    """Return whether two strategies played in the same ones of some runs: only then their means can be compared."""
    return all((a in run.summary.strategies) == (b in run.summary.strategies) for run in runs)
