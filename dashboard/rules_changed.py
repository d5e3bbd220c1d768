"""The part of the page Rules that plays two rulesets on the same luck and tells what the change of rules changes."""

from __future__ import annotations

import json
import secrets
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
import streamlit as st

from dashboard import charts, source, tables
from dashboard.charts import Estimate, Series
from dashboard.live import live
from dashboard.palette import Look, looks
from engine import games
from engine.strategies import known
from pipelines.design import LARGEST_SEED, split_strategies
from pipelines.numeral import whole, whole_within
from pipelines.rules_effect import RulesEffect, rules_effect, sentence
from pipelines.statistics import Distribution

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from dashboard.live import Live
    from engine.ruleset import Ruleset
    from pipelines.rules_effect import Change
    from pipelines.statistics import Interval

BLOCKS: Final = 400
MOST_BLOCKS: Final = 20_000
LOOK_EVERY: Final = 0.5
A, B = Look("#8A8A8A", "dot"), Look("#1F83C2", "solid")


def ask(rulesets: Mapping[str, Ruleset], ruleset: Ruleset) -> None:
    """Ask against which ruleset, by whom and how often; show the answer to what the address asks."""
    rivals = [
        name
        for name, one in rulesets.items()
        if one.game == ruleset.game and one.players == ruleset.players and name != ruleset.name
    ]
    st.markdown(
        "The same strategies play both rulesets on the same luck: what is left is what the rules do. "
        "Make a ruleset of your own to ask about any rule."
    )
    if not rivals:
        st.info(
            f"There is no other ruleset of this game for {ruleset.players} players. Make one under **Make your own**."
        )
        return
    game = games.game(ruleset.game)
    asked = st.query_params.to_dict()
    with st.form("rules-effect", border=True):
        first, second, third = st.columns([3, 1, 1])
        given = asked.get("against", rivals[0])
        against = first.selectbox(
            f"{ruleset.name} against",
            rivals,
            index=rivals.index(given) if given in rivals else 0,
            format_func=lambda name: f"{rulesets[name].title} · {name}",
        )
        blocks = second.number_input(
            "Blocks",
            10,
            MOST_BLOCKS,
            whole_within(10, MOST_BLOCKS, asked.get("blocks", ""), BLOCKS),
            step=100,
            help="A block is one luck, played with every rotation of the line-up over the seats, under both rulesets.",
        )
        seed = third.text_input("Seed", asked.get("seed", ""), placeholder="any")
        names = list(known(game))
        lineup = split_strategies(asked.get("lineup", ""))
        usual = [
            names[min(len(names) - 1, 1 if seat < ruleset.players - 1 else 0)]
            for seat in range(ruleset.players)
        ]
        lineup = lineup if len(lineup) == ruleset.players else usual
        seated = [
            column.selectbox(
                f"Seat {seat}",
                list(dict.fromkeys([lineup[seat], *names])),
                accept_new_options=True,
                help="A strategy by name, with parameters if you like: noisy:sigma=3",
            )
            for seat, column in enumerate(st.columns(ruleset.players))
        ]
        if st.form_submit_button("Play both", type="primary"):
            if seed and ((number := whole(seed)) is None or number > LARGEST_SEED):
                st.error("The seed is a whole number from 0 to 18,446,744,073,709,551,615.")
                return
            st.query_params.from_dict(
                {
                    "ruleset": ruleset.name,
                    "part": "effect",
                    "against": against,
                    "lineup": ",".join(name or "" for name in seated),
                    "blocks": str(int(blocks)),
                    "seed": seed or str(secrets.randbelow(10**6)),
                }
            )
            st.rerun()
    if "against" in asked:
        show(rulesets, ruleset, asked)


def show(rulesets: Mapping[str, Ruleset], ruleset: Ruleset, asked: Mapping[str, str]) -> None:
    """Play what the address asks, and show what is known so far until all is."""
    other = rulesets.get(asked["against"])
    if other is None:
        st.error(source.escaped(f"There is no ruleset {asked['against']} here."))
        return
    lineup = split_strategies(asked.get("lineup", "random," * ruleset.players).strip(","))
    blocks = whole_within(2, MOST_BLOCKS, asked.get("blocks", ""), BLOCKS)
    seed = whole_within(0, LARGEST_SEED, asked.get("seed", ""), 0)

    def answers(stopped: Callable[[], bool]) -> Iterator[RulesEffect]:
        return rules_effect(ruleset, other, lineup, blocks=blocks, seed=seed, stopped=stopped)

    question = (ruleset.sha256, other.sha256, tuple(lineup), blocks, seed)
    work: Live[RulesEffect] = live(st.session_state, "rules-effect-work", question, answers)
    work.wait(0.3)

    @st.fragment(run_every=None if work.is_over else LOOK_EVERY)
    def result() -> None:
        if work.error:
            st.error(source.escaped(str(work.error)))
            return
        found = work.latest
        if found is None:
            st.progress(
                0.0,
                "The first games are being played … (the first time a game is compiled, which takes a while)",
            )
            return
        if not work.is_over:
            bar, stop = st.columns([6, 1], vertical_alignment="center")
            bar.progress(found.blocks / blocks, f"{found.blocks:,} of {blocks:,} blocks of each ruleset")
            stop.button("Stop", on_click=work.stop, key="rules-effect-stop")
        answer(found, is_whole=work.is_over, is_early=work.was_stopped and found.blocks < blocks)
        if work.is_over and st.session_state.get("rules-effect-shown") != id(work):
            st.session_state["rules-effect-shown"] = id(work)
            st.rerun()

    result()


def answer(found: RulesEffect, *, is_whole: bool, is_early: bool) -> None:
    """Tell what the change of rules changes."""
    said = sentence(found) if found.is_over and not is_early else f"so far, {sentence(found)}"
    st.markdown(f"## {source.escaped(said[0].upper() + said[1:])}.")
    if not found.is_over or is_early:
        st.caption(
            "The intervals are meant for the number of blocks that was asked for: who looks again and again, or stops when it "
            "looks good, errs more often than in 5 of 100."
        )
    st.caption(source.escaped(_resting_on(found)))
    left, right = st.columns(2)
    with left:
        st.header("Scores under both")
        strategy = found.strategies[0]
        if len(found.strategies) > 1:
            strategy = st.segmented_control(
                "Strategy", found.strategies, default=strategy, required=True, key="rules-effect-strategy"
            )
        spread = [
            _series(found, ends.design.rules.name, ends.results(strategy), mean, look)
            for ends, mean, look in (
                (found.a, _one(found.scores, strategy).a, A),
                (found.b, _one(found.scores, strategy).b, B),
            )
        ]
        figure = charts.histograms(spread)
        figure.update_layout(legend={"y": -0.3, "yanchor": "top", "x": 0, "xanchor": "left"}, height=360)
        st.plotly_chart(
            figure,
            key="rules-effect-scores",
            alt=f"Scores of {strategy} under both rulesets",
        )
    with right:
        st.header("What changes, luck for luck")
        look = looks(found.strategies)
        marks = [
            Estimate(one.of, "difference in score", one.of, one.difference, found.blocks, look[one.of])
            for one in found.scores
            if one.difference
        ]
        figure = charts.marked(
            charts.dots(marks, f"points more under {found.b.design.rules.name}"), 0, "no change"
        )
        st.plotly_chart(figure, key="rules-effect-changes", alt="Difference of the score of each strategy")
        st.caption(
            "Mean difference of each strategy's score with its 95 % interval, from blocks on the same luck."
        )
    everything = figures(found)
    st.dataframe(everything, hide_index=True, key="rules-effect-table")
    st.caption(
        f"Each value with its 95 % interval; n = {found.blocks:,} blocks of {found.games_per_block} "
        f"game{'s' * (found.games_per_block > 1)} under each ruleset. Seats: score less the mean of the game."
    )
    left, right = st.columns([2, 3])
    with left:
        st.header("Does the seat matter more or less?")
        edges = [
            Estimate(int(one.of), "edge of the seat", name, interval, found.blocks, look)
            for name, side, look in ((found.a.design.rules.name, "a", A), (found.b.design.rules.name, "b", B))
            for one in found.seats
            if (interval := getattr(one, side))
        ]
        if edges:
            figure = charts.dots(edges, "seat", horizontal=False)
            figure.update_xaxes(dtick=1)
            st.plotly_chart(
                figure, key="rules-effect-seats", alt="What each seat is worth under both rulesets"
            )
            st.caption(
                "Score on each seat less the mean of its game, all strategies together. Seat 0 starts."
            )
    with right:
        st.header("Does another strategy come out ahead?")
        orders(found)
    if is_whole:
        tables.downloads(everything, "rules-effect")
        st.download_button(
            "Everything as JSON",
            json.dumps(found.document(), indent=1, ensure_ascii=False),
            "rules-effect.json",
            "application/json",
            on_click="ignore",
        )


def _resting_on(found: RulesEffect) -> str:
    ratio, share = found.variance_ratio, found.differing
    pairing = (
        f" The same luck makes the difference as sure as {1 / ratio:.1f} times as many games would."
        if ratio and ratio < 1
        else ""
    )
    opening = (
        f" No dice fall, so every block starts with {found.a.design.opening} random plies."
        if found.a.design.opening
        else ""
    )
    lowest = " The lowest score wins." if found.a.design.rules.lowest_wins else ""
    return (
        f"{', '.join(found.a.design.lineup)} in every rotation, {found.blocks:,} blocks under each ruleset, seed "
        f"{found.a.design.seed}; {share.estimate:.0%} of the blocks end differently ({share.low:.0%} to {share.high:.0%})."
        f"{pairing}{opening}{lowest}"
    )


def figures(found: RulesEffect) -> pd.DataFrame:
    """Return all differences as a table."""
    a, b = found.a.design.rules.name, found.b.design.rules.name
    rows: list[dict[str, Any]] = []

    def row(what: str, one: Change, scale: float = 1.0) -> None:
        rows.append(
            {
                "what": what,
                f"{a}": tables.told(one.a, scale=scale),
                f"{b} ": tables.told(one.b, scale=scale),
                "difference": tables.told(one.difference, signed=True, scale=scale),
                "blocks": found.blocks,
            }
        )

    for one in found.scores:
        row(f"score of {one.of}", one)
    for one in found.win_shares:
        row(f"wins of a seat of {one.of}, %", one, 100.0)
    for one in found.lengths:
        row(f"{one.of} of a game", one)
    for one in found.seats:
        row(f"edge of seat {one.of}", one)
    return pd.DataFrame(rows)


def orders(found: RulesEffect) -> None:
    """Say who is ahead of whom under both."""
    if not found.orders:
        st.caption("All seats play the same strategy: seat two different ones to see who comes out ahead.")
        return
    a, b = found.a.design.rules.name, found.b.design.rules.name
    marks = {"same": "the same one is ahead", "turned": "turned round", "not to be told": "cannot be told"}
    st.dataframe(
        pd.DataFrame(
            [
                {
                    "ahead": f"{one.first} of {one.second}",
                    "order": marks[one.order],
                    f"{a}": tables.told(one.a, signed=True),
                    f"{b} ": tables.told(one.b, signed=True),
                    "change": tables.told(one.difference, signed=True),
                }
                for one in found.orders
            ]
        ),
        hide_index=True,
        key="rules-effect-orders",
    )
    st.caption(
        f"How many points the first is ahead of the second{' (fewer points are ahead)' if found.a.design.rules.lowest_wins else ''}, "
        f"from {found.blocks:,} blocks. The order is told only where both leads are beyond doubt."
    )


def _one(changes: tuple[Change, ...], of: str) -> Change:
    return next(one for one in changes if one.of == of)


def _series(found: RulesEffect, name: str, scores: Any, mean: Interval | None, look: Look) -> Series:  # noqa: ANN401 - an array of whole numbers
    values, counts = np.unique(scores, return_counts=True)
    return Series(found.a.design.game.title, name, Distribution(values, counts), found.blocks, mean, look)
