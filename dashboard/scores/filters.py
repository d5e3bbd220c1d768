"""The filters of the page Scores: rulesets, strategies, seats and runs. The address holds all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.queries import cached
from dashboard.widgets import words
from dashboard.widgets.charts import series
from dashboard.widgets.markdown import escape_markdown
from engine import games

if TYPE_CHECKING:
    from dashboard.widgets.charts import ScoreSeries
    from pipelines.runs.library import Run
    from pipelines.viewer.palette import SeriesLook

MAX_RULESETS: Final = 6


@dataclass(frozen=True)
class ResultFilters:
    """The results that the page shows."""

    rulesets: list[cached.RulesetInRuns]
    runs: list[Run]
    strategies: list[str]
    seats: tuple[int, ...]
    """All seats if empty."""
    looks: dict[str, SeriesLook]

    @property
    def hashes(self) -> tuple[str, ...]:
        return tuple(one.sha256 for one in self.rulesets)

    @property
    def labels(self) -> dict[str, str]:
        """The labels of the rulesets by hash."""
        return {one.sha256: one.label for one in self.rulesets}

    @property
    def part_titles(self) -> dict[str, str]:
        """The titles of the parts of the score by name."""
        return {part: name for one in self.rulesets for part, name in games.find_game(one.game).parts.items()}

    @property
    def runs_by_ruleset(self) -> dict[str, list[Run]]:
        """By the hash of a ruleset: the chosen runs in which it was played."""
        names = {run.name for run in self.runs}
        return {one.sha256: [run for run in one.runs if run.name in names] for one in self.rulesets}


def ask_filters(played: dict[str, cached.RulesetInRuns]) -> ResultFilters | None:
    """Ask for the filters; None as long as no ruleset is chosen. `played` holds the rulesets of the library by label."""
    with st.container(border=True):
        first, second, third, fourth = st.columns([4, 3, 2, 3])
        with first:
            rulesets = _ask_rulesets(played)
        if not rulesets:
            st.info("Choose a ruleset to see its scores.")
            return None
        with fourth:
            runs = _ask_runs(rulesets)
        names = sorted({name for run in runs for name in run.summary.strategies})
        strategies = second.multiselect(
            "Strategies",
            names,
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
        rulesets, runs, strategies or names[: series.MAX_STRATEGIES], tuple(seats), cached.strategy_looks()
    )


def _ask_rulesets(played: dict[str, cached.RulesetInRuns]) -> list[cached.RulesetInRuns]:
    """Ask for the rulesets, at first the newest one; name those in the address that nobody has played."""
    unknown = [name for name in st.query_params.get_all("rulesets") if name not in played]
    if unknown:
        st.warning(escape_markdown(f"You have no games of {', '.join(unknown)}."))
    names = st.multiselect(
        "Rulesets",
        list(played),
        default=[next(iter(played))],
        max_selections=MAX_RULESETS,
        key="rulesets",
        bind="query-params",
        placeholder="Choose one or more",
    )
    return [played[name] for name in names if name in played]


def _ask_runs(rulesets: list[cached.RulesetInRuns]) -> list[Run]:
    """Ask which runs count; without a choice all runs of the rulesets."""
    runs = {run.name: run for ruleset in rulesets for run in ruleset.runs}
    names = st.multiselect(
        "Runs", list(runs), key="runs", bind="query-params", placeholder="All runs with these rulesets"
    )
    return [runs[name] for name in names if name in runs] or list(runs.values())


def show_data_basis(filters: ResultFilters, shown: list[ScoreSeries]) -> None:
    """Show how many results and blocks the numbers rest on, and what limits them."""
    results, blocks = sum(one.scores.n for one in shown), max(one.blocks for one in shown)
    lineups = sorted({", ".join(run.summary.strategies) for run in filters.runs})
    lineup_note = (
        f" These runs have different line-ups ({'; '.join(lineups)}). Choose one run for a fair comparison."
        if len(lineups) > 1
        else ""
    )
    notes = [" The lowest score wins."] if any(one.lowest_wins for one in filters.rulesets) else []
    reconstructed = {
        one.game: one.reconstructed_tables for one in filters.rulesets if one.reconstructed_tables
    }
    notes += [
        f" Not printed in the rulebook of {games.find_game(game).title}, our reconstruction: {', '.join(tables)}."
        for game, tables in reconstructed.items()
    ]
    st.caption(
        f"{results:,} results from {words.format_count(len(filters.runs), 'run')}.{lineup_note}{''.join(notes)}",
        help=f"Up to {blocks:,} blocks. The games of a block share their luck, so intervals count blocks, not games.",
    )
