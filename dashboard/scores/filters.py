"""Which results the page is about: rulesets, strategies, seats and runs, all of them in the address."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.queries import cached
from dashboard.widgets.charts import series
from engine import games

if TYPE_CHECKING:
    from dashboard.widgets.charts import ScoreSeries
    from dashboard.widgets.palette import SeriesLook
    from pipelines.runs.library import Run

MAX_RULESETS: Final = 6


@dataclass(frozen=True)
class ResultFilters:
    """What somebody wants to look at."""

    rules: list[cached.RulesetInRuns]
    runs: list[Run]
    strategies: list[str]
    seats: tuple[int, ...]
    """Empty: all."""
    look: dict[str, SeriesLook]

    @property
    def hashes(self) -> tuple[str, ...]:
        return tuple(one.sha256 for one in self.rules)

    @property
    def labels(self) -> dict[str, str]:
        """Label by hash."""
        return {one.sha256: one.label for one in self.rules}

    @property
    def part_titles(self) -> dict[str, str]:
        """What the parts of the score are called."""
        return {part: name for one in self.rules for part, name in games.find_game(one.game).parts.items()}

    @property
    def runs_by_ruleset(self) -> dict[str, list[Run]]:
        """The chosen runs that hold each ruleset, by hash."""
        names = {run.name for run in self.runs}
        return {one.sha256: [run for run in one.runs if run.name in names] for one in self.rules}


def ask_filters(shelf: dict[str, cached.RulesetInRuns]) -> ResultFilters | None:
    """Ask what to look at; None as long as no ruleset is chosen."""
    with st.container(border=True):
        first, second, third, fourth = st.columns([4, 3, 2, 3])
        with first:
            rules = _ask_rulesets(shelf)
        if not rules:
            st.info("Choose a ruleset to see how its scores spread.")
            return None
        with fourth:
            runs = _ask_runs(rules)
        known = sorted({name for run in runs for name in run.summary.strategies})
        wanted = second.multiselect(
            "Strategies",
            known,
            key="strategies",
            bind="query-params",
            max_selections=series.MAX_STRATEGIES,
            placeholder="All strategies",
        )
        players = max(ruleset.players for run in runs for ruleset in run.summary.rulesets)
        seats = third.multiselect(
            "Seats", list(range(players)), key="seats", bind="query-params", placeholder="All seats"
        )
    return ResultFilters(
        rules, runs, wanted or known[: series.MAX_STRATEGIES], tuple(seats), cached.strategy_looks()
    )


def _ask_rulesets(shelf: dict[str, cached.RulesetInRuns]) -> list[cached.RulesetInRuns]:
    names = st.multiselect(
        "Rulesets",
        list(shelf),
        default=[next(iter(shelf))],
        max_selections=MAX_RULESETS,
        key="rulesets",
        bind="query-params",
        placeholder="Choose one or more",
    )
    return [shelf[name] for name in names if name in shelf]


def _ask_runs(rules: list[cached.RulesetInRuns]) -> list[Run]:
    """Ask which runs count; all that hold the rulesets if none is named."""
    held = {run.name: run for one in rules for run in one.runs}
    names = st.multiselect(
        "Runs", list(held), key="runs", bind="query-params", placeholder="All runs with these rulesets"
    )
    return [held[name] for name in names if name in held] or list(held.values())


def show_data_basis(chosen: ResultFilters, shown: list[ScoreSeries]) -> None:
    """Say what the numbers rest on, and what is not known for sure."""
    results, units = sum(one.scores.n for one in shown), max(one.blocks for one in shown)
    lineups = sorted({", ".join(run.summary.strategies) for run in chosen.runs})
    against = (
        f" Line-ups differ between these runs ({'; '.join(lineups)}): choose one run to compare like with like."
        if len(lineups) > 1
        else ""
    )
    notes = [" The lowest score wins."] if any(one.lowest_wins for one in chosen.rules) else []
    made_up = {one.game: one.reconstructed_tables for one in chosen.rules if one.reconstructed_tables}
    notes += [
        f" Reconstructed in {games.find_game(game).title}, not known from the rulebook: {', '.join(made_up[game])}."
        for game in made_up
    ]
    runs = len(chosen.runs)
    st.caption(
        f"{results:,} results, from {runs} run{'s' * (runs > 1)}; up to {units:,} blocks of games on the same luck, "
        f"which is what intervals count.{against}{''.join(notes)}"
    )
