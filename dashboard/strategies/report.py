"""What a comparison says: its verdict first, then what that rests on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from dashboard.queries import cached
from dashboard.queries import scores as queries
from dashboard.strategies import tables as figures
from dashboard.strategies.twin_games import games_behind
from dashboard.widgets import charts, number_fields, tables, verbatim, words
from dashboard.widgets.charts import series
from engine import games
from pipelines.experiments.compare.comparison import Comparison, comparison

if TYPE_CHECKING:
    from pipelines.experiments.compare.pair_results import PairResult
    from pipelines.runs.library import Run
    from pipelines.statistics import Interval


def brief(found: Comparison) -> None:
    """Show what the first blocks say."""
    headline(found)
    dots = figures.difference_dots(found, cached.looks(found.strategies))
    if dots:
        chart = charts.dots(dots, f"difference in {figures.UNITS[found.metric]}", legend=False)
        figure = chart.marked(0, "equal").figure()
        st.plotly_chart(figure, key="brief-differences", alt="Differences with their intervals")


def whole(run: Run) -> None:
    """Show everything that a finished comparison says."""
    found = finished(*cached.version(run))
    headline(found)
    st.header("Who is ahead of whom?")
    if len(found.pairs) > 1:
        matrix(found)
    pairs(found)
    sides(found)
    pair = chosen_pair(found)
    left, right = st.columns(2)
    with left:
        st.header("How do their scores spread?")
        scores(run, found, pair)
    with right:
        st.header("Where do the points come from?")
        parts(found, pair)
    if pair.quantiles:
        left, right = st.columns(2)
        with left:
            st.header("Better on good days or on bad ones?")
            quantiles(found, pair)
    else:
        right = st.container()
    with right:
        st.header("Does the seat matter?")
        seats(found)
    ratings(found)
    st.header("Which games made the difference?")
    games_behind(run, pair)
    st.header("Can it be trusted?")
    controls(found)
    again(found)


@st.cache_data(max_entries=32, show_spinner="Comparing …")
def finished(path: str, changed: int) -> Comparison:
    """Return a comparison of a run that is there; it never changes."""
    del changed
    return comparison(cached.library().run(path))


def headline(found: Comparison) -> None:
    """Say the verdict and what it rests on."""
    st.markdown(f"## {cached.escaped(found.verdict[0].upper() + found.verdict[1:])}.")
    st.caption(
        cached.escaped(
            f"{found.ruleset}: {found.blocks:,} blocks of {words.counted(found.games_per_block, 'game')}, seed {found.seed}. "
            f"The difference is {found.estimand}" + (" The lowest score wins." if found.lowest_wins else "")
        )
    )


def chosen_pair(found: Comparison) -> PairResult:
    """Ask for the pair that the page goes into, if there are several, and put it into the address."""
    number = number_fields.whole(st.query_params.get("pair", "")) or 0
    number = number if number < len(found.pairs) else 0
    if len(found.pairs) > 1:
        key = f"pair-{found.run}"
        number = st.selectbox(
            "Pair",
            range(len(found.pairs)),
            index=number,
            format_func=lambda at: f"{found.pairs[at].a} against {found.pairs[at].b}",
            key=key,
            on_change=lambda: st.query_params.update(pair=str(st.session_state[key])),
        )
    return found.pairs[number]


def matrix(found: Comparison) -> None:
    """Show every strategy against every other."""
    tables.show(figures.matrix(found).reset_index(), "Every strategy against every other")
    st.caption(
        f"The row's strategy less the column's, in {figures.UNITS[found.metric]}, ± half its 95 % interval; "
        "* settled at 5 % after Holm's correction for all pairs."
    )


def pairs(found: Comparison) -> None:
    """Show every pair in numbers."""
    shown = [
        {
            "A": pair.a,
            "B": pair.b,
            "A - B": tables.told(pair.difference, signed=True),
            "p (Holm)": pair.p_holm,
            "A wins, %": tables.told(pair.win_share, scale=100),
            "A better, %": tables.told(pair.better, scale=100),
            "differing, %": tables.told(pair.differing, scale=100),
            "could detect": pair.detectable,
            "pairing": pair.variance_ratio,
            "blocks": pair.blocks,
        }
        for pair in found.pairs
    ]
    formats = {"p (Holm)": ".2g", "could detect": ".3g", "pairing": ".3g"}
    tables.show(pd.DataFrame(shown), "Every pair in numbers", formats)
    st.caption(
        "A better: how often A did better than B in the same place on the same luck, ties half. Could detect: the smallest "
        "true difference that so many blocks settle four times in five. Pairing: variance of the difference over what it "
        "would be on separate luck; below 1, the same luck makes it surer."
    )
    tables.downloads(figures.pairs_table(found), f"{found.run}-pairs")


def sides(found: Comparison) -> None:
    """Show every strategy's own results."""
    rated = {one.strategy: one.elo for one in found.ratings}
    shown = [
        {
            "strategy": side.strategy,
            "mean score": tables.told(side.score),
            "win share, %": tables.told(side.win_share, scale=100),
            **({"rating": _rating(rated[side.strategy])} if side.strategy in rated else {}),
            "results": found.blocks * side.seats_per_block,
        }
        for side in found.sides
    ]
    tables.show(pd.DataFrame(shown), "Every strategy's own results")
    if rated:
        st.caption(
            "Rating: Plackett-Luce; 400 points are odds of ten to one to end ahead, and the mean is 0. Where one "
            "of them always or never wins, some are not finite."
        )
    tables.downloads(figures.sides_table(found), f"{found.run}-strategies")


def _rating(elo: Interval) -> str:
    """Write a rating with its interval, if it has a finite one."""
    return tables.told(elo) if figures.is_finite(elo) else "none that is finite"


def scores(run: Run, found: Comparison, pair: PairResult) -> None:
    """Draw the scores of both strategies of a pair, over all their games in the run."""
    one = next(iter(cached.rulesets([run]).values()))
    labels = {one.sha256: one.label}
    counts = [
        row
        for row in cached.ask(queries.score_counts, [run], tuple(labels), ())
        if row.strategy in {pair.a, pair.b}
    ]
    sums = cached.ask(queries.block_sums, [run], tuple(labels))
    shown = series.score_series(counts, sums, labels, cached.looks(found.strategies), some_seats=False)
    shape = st.segmented_control(
        "Shape",
        ["Histogram", "Cumulative", "Quantiles"],
        default="Histogram",
        required=True,
        key="spread-shape",
    )
    draw = {"Histogram": charts.histograms, "Cumulative": charts.cumulative, "Quantiles": charts.boxes}
    st.plotly_chart(draw[shape or "Histogram"](shown).figure(), key="spread", alt="Scores of both strategies")


def parts(found: Comparison, pair: PairResult) -> None:
    """Draw what each part of the score adds to the difference."""
    dots = figures.part_dots(found, pair, games.game(found.game).parts, cached.looks(found.strategies))
    if not dots:
        st.caption("Not enough games to say.")
        return
    chart = charts.dots(dots, f"points of {pair.a} - {pair.b}", legend=False)
    figure = chart.marked(0, "equal").figure()
    st.plotly_chart(figure, key="parts", alt="Difference by part of the score")
    st.caption("Mean difference in each part of the score; together they are the difference of scores.")


def quantiles(found: Comparison, pair: PairResult) -> None:
    """Show how the strategies differ on their worst and on their best days."""
    rows = [
        {
            "quantile": f"{one.share:.0%}",
            pair.a: one.a,
            f"{pair.b} ": one.b,
            "A - B": tables.told(one.difference, signed=True),
        }
        for one in pair.quantiles
    ]
    tables.show(pd.DataFrame(rows), "Quantiles of both")
    st.caption(
        f"Quantiles of single games in {figures.UNITS[found.metric]}, and their difference with its 95 % interval from "
        f"{pair.blocks:,} blocks."
    )


def seats(found: Comparison) -> None:
    """Show what each seat is worth."""
    shown = [
        {
            "seat": edge.seat,
            "edge": tables.told(edge.score, signed=True),
            "win share, %": tables.told(edge.win_share, scale=100),
        }
        for edge in found.seats
    ]
    tables.show(pd.DataFrame(shown), "What each seat is worth")
    st.caption(
        "Edge: score on the seat less the mean of its game, all strategies together, with its 95 % interval from "
        f"{found.blocks:,} blocks. Seat 0 starts."
    )


def ratings(found: Comparison) -> None:
    """Draw how strong each strategy is on one scale; of two, or without finite ratings, the tables say it all."""
    dots = figures.rating_dots(found, cached.looks(found.strategies))
    if dots and len(found.strategies) > 2:
        st.header("How strong is each?")
        figure = charts.dots(dots, "rating", legend=False).figure()
        st.plotly_chart(figure, key="ratings", alt="Ratings with their intervals")


def controls(found: Comparison) -> None:
    """Show what had to hold."""
    marks = {True: "✓", False: "✗", None: "·"}
    lines = [
        f"{marks[one.holds]} **{cached.escaped(one.name)}**: {cached.escaped(one.says)}"
        for one in found.controls
    ]
    st.markdown("  \n".join(lines))


def again(found: Comparison) -> None:
    """Show the command that plays the same, and give all figures away."""
    st.caption("The same again, from the command line:")
    verbatim.show(found.command)
    st.download_button(
        "Everything as JSON",
        lambda: json.dumps(found.document(), indent=1, ensure_ascii=False),
        f"{found.run}.json",
        "application/json",
        on_click="ignore",
    )
