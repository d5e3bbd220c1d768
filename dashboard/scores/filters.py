"""The filters of the page Scores: rulesets, strategies, seats and runs. The address holds all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.queries import cached
from dashboard.widgets import number_fields
from dashboard.widgets.baseline import show_pin_choice
from dashboard.widgets.charts import series
from dashboard.widgets.form_address import show_address_problems
from dashboard.widgets.labels import add_run_labels
from dashboard.widgets.markdown import escape_markdown
from engine import games
from pipelines.design.short_names import short_names
from pipelines.questions.address import describe_unknown
from pipelines.report import wording

if TYPE_CHECKING:
    from pipelines.report.charts import ScoreSeries
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
    def names(self) -> dict[str, str]:
        """The short names of the strategies by full name."""
        return short_names(self.strategies)

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
    _warn_of_unknown_rulesets(played)
    with st.container(horizontal=True, vertical_alignment="bottom", key="filters"):
        rulesets = _ask_rulesets(played)
        if not rulesets:
            st.info("Choose a ruleset to see its scores.")
            return None
        label, is_set = _describe_more_filters()
        with st.container(key="set-filters" if is_set else "unset-filters", width="content"):
            more = st.popover(label, key="more-filters", icon=":material/filter_alt:")
        pin_place = st.container(key="pin-place", width="content")
    with more:
        runs = _ask_runs(rulesets)
        names = sorted({name for run in runs for name in run.summary.strategies})
        strategies = _ask_strategies(names)
        players = max(ruleset.players for run in runs for ruleset in run.summary.rulesets)
        seats = _ask_seats(players)
    show_address_problems(_find_unknown_filters(rulesets, names, players))
    with pin_place:
        show_pin_choice(names, runs)
    return ResultFilters(
        rulesets, runs, strategies or names[: series.MAX_STRATEGIES], seats, cached.strategy_looks()
    )


def _warn_of_unknown_rulesets(played: dict[str, cached.RulesetInRuns]) -> None:
    """Name the rulesets in the address that nobody has played."""
    unknown = [name for name in st.query_params.get_all("rulesets") if name not in played]
    if unknown:
        st.warning(escape_markdown(f"You have no games of {', '.join(unknown)}."))


def _find_unknown_filters(
    rulesets: list[cached.RulesetInRuns], strategies: list[str], players: int
) -> list[str]:
    """Return a sentence on each run, strategy and player of the address that the rulesets do not have."""
    runs = [run.name for ruleset in rulesets for run in ruleset.runs]
    problems = [
        describe_unknown(what, name, "in these games")
        for what, key, known in (("run", "runs", runs), ("strategy", "strategies", strategies))
        for name in st.query_params.get_all(key)
        if name not in known
    ]
    for text in st.query_params.get_all("seats"):
        seat = number_fields.parse_whole_number(text)
        if seat not in range(players):
            named = text if seat is None else str(seat + 1)  # people count players from 1
            problems.append(describe_unknown("player", named, "in these games"))
    return problems


def _describe_more_filters() -> tuple[str, bool]:
    """Return the label of the button that opens the other filters, and whether any of them is set."""
    state = st.session_state
    count = sum(
        bool(state.get(key) or st.query_params.get_all(key)) for key in ("strategies", "seats", "runs")
    )
    label = wording.format_count(count, "more filter") if count else "All strategies, players and runs"
    return label, count > 0


def _ask_rulesets(played: dict[str, cached.RulesetInRuns]) -> list[cached.RulesetInRuns]:
    """Ask for the rulesets, at first the newest one."""

    def drop_runs_of_others() -> None:
        """Remove the runs that have none of the chosen rulesets from the address."""
        held = {
            run.name for name in st.session_state["rulesets"] if name in played for run in played[name].runs
        }
        addressed = st.query_params.get_all("runs")
        if not held.issuperset(addressed):
            st.query_params["runs"] = [name for name in addressed if name in held]

    names = st.multiselect(
        "Rulesets",
        list(played),
        label_visibility="collapsed",
        default=[next(iter(played))],
        max_selections=MAX_RULESETS,
        key="rulesets",
        bind="query-params",
        on_change=drop_runs_of_others,
        placeholder="Choose one or more",
    )
    return [played[name] for name in names if name in played]


def _ask_strategies(names: list[str]) -> list[str]:
    """Ask which strategies count; empty for all. People read short names, the address has the full ones."""
    addressed = set(st.query_params.get_all("strategies"))
    st.session_state["strategies"] = [name for name in names if name in addressed][: series.MAX_STRATEGIES]

    def write_address_strategies() -> None:
        st.query_params["strategies"] = st.session_state["strategies"]

    return st.multiselect(
        "Strategies",
        names,
        format_func=short_names(names).__getitem__,
        key="strategies",
        on_change=write_address_strategies,
        max_selections=series.MAX_STRATEGIES,
        placeholder="All strategies",
    )


def _ask_seats(players: int) -> tuple[int, ...]:
    """Ask which players count; empty for all. People count players from 1, the address has seats from 0."""
    seats = range(players)
    addressed = {number_fields.parse_whole_number(text) for text in st.query_params.get_all("seats")}
    st.session_state["seats"] = [seat for seat in seats if seat in addressed]

    def write_address_seats() -> None:
        st.query_params["seats"] = [str(seat) for seat in st.session_state["seats"]]

    chosen = st.multiselect(
        "Players",
        list(seats),
        format_func=wording.format_player,
        key="seats",
        on_change=write_address_seats,
        placeholder="All players",
    )
    return tuple(chosen)


def _ask_runs(rulesets: list[cached.RulesetInRuns]) -> list[Run]:
    """Ask which runs count; without a choice all runs of the rulesets. The address has their names without labels."""
    runs = {run.name: run for ruleset in rulesets for run in ruleset.runs}
    addressed = set(st.query_params.get_all("runs"))
    st.session_state["runs"] = [name for name in runs if name in addressed]

    def write_address_runs() -> None:
        st.query_params["runs"] = st.session_state["runs"]

    names = st.multiselect(
        "Runs",
        list(runs),
        format_func=add_run_labels({name: name for name in runs}, runs.values()).__getitem__,
        key="runs",
        on_change=write_address_runs,
        placeholder="All runs with these rulesets",
    )
    return [runs[name] for name in names if name in runs] or list(runs.values())


def show_data_basis(filters: ResultFilters, shown: list[ScoreSeries]) -> None:
    """Show how many results and blocks the numbers rest on, and what limits them."""
    results, blocks = sum(one.scores.n for one in shown), max(one.blocks for one in shown)
    names = short_names(name for run in filters.runs for name in run.summary.strategies)
    lineups = sorted({", ".join(names[name] for name in run.summary.strategies) for run in filters.runs})
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
        f"{results:,} results from {wording.format_count(len(filters.runs), 'run')}.{lineup_note}{''.join(notes)}",
        help=f"Up to {blocks:,} blocks. The games of a block share their luck, so intervals count blocks, not games.",
    )
