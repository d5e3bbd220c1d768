"""How do scores spread? Distributions by ruleset and strategy, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard import charts, queries, series, source
from dashboard.palette import looks
from engine import games

if TYPE_CHECKING:
    from pipelines.library import Run

MOST_RULESETS = 6

st.title("How do scores spread?")

runs = [run for run in source.runs() if run.summary.kind != "whatif"]  # all its games begin alike
shelf = source.rulesets(runs)
if not shelf:
    st.info("Nothing has been played yet. A first run takes a few seconds.")
    st.page_link("views/library.py", label="Play some games", icon="🎲")
    st.stop()


def chosen_rulesets() -> list[source.Rules]:
    """Ask which rulesets to look at."""
    names = st.multiselect(
        "Rulesets",
        list(shelf),
        default=[next(iter(shelf))],
        max_selections=MOST_RULESETS,
        key="rulesets",
        bind="query-params",
        placeholder="Choose one or more",
    )
    return [shelf[name] for name in names if name in shelf]


def chosen_runs(rules: list[source.Rules]) -> list[Run]:
    """Ask which runs count; all that hold the rulesets if none is named."""
    held = {run.name: run for one in rules for run in one.runs}
    names = st.multiselect(
        "Runs",
        list(held),
        key="runs",
        bind="query-params",
        placeholder="All runs with these rulesets",
    )
    return [held[name] for name in names if name in held] or list(held.values())


with st.container(border=True):
    first, second, third, fourth = st.columns([4, 3, 2, 3])
    with first:
        rules = chosen_rulesets()
    if not rules:
        st.info("Choose a ruleset to see how its scores spread.")
        st.stop()
    with fourth:
        among = chosen_runs(rules)
    with second:
        known = sorted({name for run in among for name in run.summary.strategies})
        wanted = st.multiselect(
            "Strategies",
            known,
            key="strategies",
            bind="query-params",
            max_selections=series.MOST_STRATEGIES,
            placeholder="All strategies",
        )
    with third:
        players = max(ruleset.players for run in among for ruleset in run.summary.rulesets)
        seats = st.multiselect(
            "Seats", list(range(players)), key="seats", bind="query-params", placeholder="All seats"
        )

strategies = wanted or known[: series.MOST_STRATEGIES]
labels = {one.sha256: one.label for one in rules}
hashes, places = tuple(labels), tuple(seats)
look = looks(name for run in runs for name in run.summary.strategies)

counts = source.ask(queries.score_counts, among, hashes, places)
counts = [row for row in counts if row.strategy in strategies]
if not counts:
    st.info("No games fit these filters. Clear one of them to see more.")
    st.stop()
sums = source.ask(queries.block_sums, among, hashes)
shown = series.score_series(counts, sums, labels, look, some_seats=bool(seats))

results, units = sum(one.scores.n for one in shown), max(one.blocks for one in shown)
lineups = sorted({", ".join(run.summary.strategies) for run in among})
against = (
    f" Line-ups differ between these runs ({'; '.join(lineups)}): choose one run to compare like with like."
)
st.caption(
    f"{results:,} results, from {len(among)} run{'s' * (len(among) > 1)}; up to {units:,} blocks of games on the same "
    f"luck, which is what intervals count.{against if len(lineups) > 1 else ''}"
)

notes = ["The lowest score wins."] if any(one.lowest_wins for one in rules) else []
made_up = {one.game: one.reconstructed for one in rules if one.reconstructed}
notes += [
    f"Reconstructed in {games.game(game).title}, not known from the rulebook: {', '.join(made_up[game])}."
    for game in made_up
]
if notes:
    st.caption(" ".join(notes))

shape = st.segmented_control(
    "Shape",
    ["Histogram", "Cumulative", "Quantiles"],
    default="Histogram",
    required=True,
    key="shape",
    bind="query-params",
)
draw, told = {
    "Histogram": (
        charts.histograms,
        "Share of results in each bin. All panels and strategies have the same bins.",
    ),
    "Cumulative": (
        charts.cumulative,
        "Share of results up to each score; the band holds the true curve with 95 %.",
    ),
    "Quantiles": (
        charts.boxes,
        "Box: middle half; whiskers: 5 and 95 %; diamond: mean with its 95 % interval.",
    ),
}[shape or "Histogram"]
st.plotly_chart(draw(shown), key="shape-chart", alt=f"{shape} of scores by ruleset and strategy")
st.caption(told)

numbers = series.table(shown)
st.dataframe(
    numbers,
    hide_index=True,
    column_config={
        **{name: st.column_config.NumberColumn(format="localized") for name in ("results", "blocks")},
        **{name: st.column_config.NumberColumn(format="%.2f") for name in ("mean", "± 95 %", "sd")},
    },
)
st.download_button(
    "Download as CSV", numbers.to_csv(index=False), "scores.csv", "text/csv", on_click="ignore"
)
if any(one.mean is None for one in shown):
    st.caption("Not enough games for an interval where it is missing: it takes two blocks.")

st.subheader("Where do the points come from?")
titles = {part: name for one in rules for part, name in games.game(one.game).parts.items()}
parts = source.ask(queries.part_points, among, hashes, places)
estimates = series.estimates(parts, shown, labels, titles)
if estimates:
    st.plotly_chart(
        charts.dots(estimates, "mean points"), key="parts-chart", alt="Mean points of each part of the score"
    )
    st.caption("Mean points of each part of the score, with 95 % intervals.")
else:
    st.caption("Not enough games to say.")

left, right = st.columns(2)
with left:
    st.subheader("In the course of a game")
    rounds = source.ask(queries.scores_by_round, among, hashes)
    lines = series.estimates(series.common_places(rounds, 0.1), shown, labels)
    if lines:
        st.plotly_chart(charts.course(lines), key="course-chart", alt="Mean score by round")
        st.caption(
            "Mean score after each round, as if the game ended there; rounds that one game in ten reached."
        )
    else:
        st.caption("These runs keep no plies (`--log scores`), so the course of their games is not known.")
with right:
    st.subheader("Does the seat matter?")
    spots = series.estimates(source.ask(queries.scores_by_seat, among, hashes), shown, labels)
    if spots:
        figure = charts.dots(spots, "seat", horizontal=False)
        figure.update_xaxes(dtick=1)
        st.plotly_chart(figure, key="seat-chart", alt="Mean score of each seat")
        st.caption("Mean score on each seat with its 95 % interval. Seat 0 starts.")
    else:
        st.caption("Not enough games to say.")
