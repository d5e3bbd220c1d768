"""Who plays better? Strategies compared on the same luck, with what may be said about the difference.

The address is the comparison: `?run=…` for one that has been or is being played, and `&pair=1` for a pair of it.
"""

from __future__ import annotations

import json
import secrets
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import pandas as pd
import streamlit as st

from dashboard import charts, comparing, queries, series, source, tables, words
from dashboard.live import Live, live
from engine import games, strategies
from engine.game import GameError
from pipelines import jobs
from pipelines.compare import Comparison, comparison
from pipelines.compare import live as look_at
from pipelines.contest import contest
from pipelines.design import LARGEST_SEED
from pipelines.library import Run
from pipelines.numeral import whole as whole_number
from pipelines.preview import preview
from pipelines.twin_games import parting, twin_games

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pipelines.design import Design
    from pipelines.library import Partial
    from pipelines.pairs import PairResult
    from pipelines.seatings import Pair
    from pipelines.twin_games import Parting, TwinGames

LOOK_EVERY: Final = 0.5
MOST_STRATEGIES: Final = 6
METRICS: Final = {"score": "points", "margin": "lead over the best other", "win": "share of the win"}
STARTED: Final = "strategies-started"
"""Where the session keeps the designs of comparisons that were started here, by run, for the first look at them."""

library = source.library()
st.title("Who plays better?")


def comparable() -> dict[str, Run | Partial]:
    """Return what can be looked at, by name: comparisons, and simulations with a different strategy on every seat."""
    finished: dict[str, Run | Partial] = {
        run.name: run
        for run in source.runs()
        if run.summary.kind == "compare"
        or (run.summary.kind == "simulate" and len(run.summary.strategies) == _players(run) > 1)
    }
    unfinished = {one.name: one for one in library.partials() if one.design.kind == "compare"}
    return {**unfinished, **finished}


def _players(run: Run) -> int:
    return run.summary.rulesets[0].players


def ask() -> None:
    """Ask what to compare, and start it in the background."""
    catalogue = library.catalogue.rulesets
    what, who = st.columns([2, 3])
    name = what.selectbox(
        "Ruleset",
        [name for name, one in catalogue.items() if one.players > 1],
        key="ask-ruleset",
        format_func=lambda name: f"{catalogue[name].title} · {name}",
    )
    game = games.game(catalogue[name].game)
    known = list(strategies.known(game))
    chosen = who.multiselect(
        "Strategies",
        known,
        default=known[:2],
        key=f"ask-strategies-{game.name}",
        max_selections=MOST_STRATEGIES,
        accept_new_options=True,
        help="Two or more. Parameters are written behind the name: noisy:sigma=3.",
    )
    how, many, until, luck = st.columns([2, 1, 2, 1], vertical_alignment="bottom")
    metric = how.selectbox("Compare", list(METRICS), format_func=METRICS.__getitem__, key="ask-metric")
    blocks = many.number_input(
        "Blocks",
        10,
        1_000_000,
        400,
        step=100,
        key="ask-blocks",
        help="A block is one luck, played with every seating of the strategies.",
    )
    decide = until.checkbox(
        "Stop as soon as it is decided",
        key="ask-until",
        help="Looks as often as it likes and still errs in no more than 5 of 100 comparisons; blocks are then the most that are played.",
    )
    seed = luck.text_input("Seed", key="ask-seed", placeholder="any")
    if not st.button("Compare", type="primary", key="ask-go"):
        return
    if seed and ((number := whole_number(seed)) is None or number > LARGEST_SEED):
        st.error("The seed is a whole number from 0 to 18,446,744,073,709,551,615.")
        return
    try:
        settled = contest(
            catalogue[name],
            chosen,
            blocks=max(int(blocks), 100) if decide else int(blocks),
            until_decided=decide,
            metric=metric,
            seed=int(seed) if seed else secrets.randbelow(10**6),
        )
    except GameError as error:
        st.error(source.escaped(str(error)))
        return
    job = jobs.start_compare(
        library,
        name,
        settled.lineup,
        blocks=settled.blocks,
        until_decided=decide,
        metric=metric,
        seed=settled.seed,
    )
    st.session_state.setdefault(STARTED, {})[job.name] = settled
    st.query_params.from_dict({"run": job.name})
    st.rerun()


def choose(found: dict[str, Run | Partial]) -> str | None:
    """Ask which comparison to look at; None for a new one."""
    asked = st.query_params.get("run")
    started = st.session_state.get(STARTED, {})
    is_there = asked and (asked in found or asked in started or is_begun(asked))
    if asked and not is_there:
        st.error(source.escaped(f"There is no comparison {asked} here."))
        asked = None
    options = ["", *dict.fromkeys([*([asked] if asked else []), *found])]
    if len(options) == 1:
        return None
    titles = {
        name: f"{title_of(name, found.get(name))} · {name}" if name else "a new comparison"
        for name in options
    }
    st.session_state["strategies-run"] = asked or ""
    st.selectbox(
        "Comparison",
        options,
        key="strategies-run",
        format_func=titles.__getitem__,
        on_change=lambda: st.query_params.from_dict(
            {"run": st.session_state["strategies-run"]} if st.session_state["strategies-run"] else {}
        ),
    )
    return asked


def is_begun(name: str) -> bool:
    """Say whether a comparison of this name, which may be any text, is being made or was."""
    return jobs.is_name(name) and jobs.Job(library, name).state != "failed"


def title_of(name: str, known: Run | Partial | None) -> str:
    """Return what a comparison is called, also before anything of it is on disk."""
    if isinstance(known, Run):
        return known.summary.title
    design: Design | None = known.design if known else st.session_state.get(STARTED, {}).get(name)
    return design.title if design else "comparison"


@st.cache_data(max_entries=32, show_spinner="Comparing …")
def finished(path: str, changed: int) -> Comparison:
    """Return a comparison of a run that is there; it never changes."""
    del changed
    return comparison(library.run(path))


@st.cache_data(max_entries=64, show_spinner=False)
def twins_of(path: str, changed: int, sides: Pair) -> list[TwinGames]:
    """Return the pairs of games in which a pair of strategies differs most."""
    del changed
    return twin_games(library.run(path), sides, most=200)


@st.cache_data(max_entries=256, show_spinner=False)
def parted(path: str, changed: int, game_a: int, game_b: int) -> Parting | None:
    """Return where two games part."""
    del changed
    return parting(library.run(path), game_a, game_b)


def under_way(name: str) -> None:
    """Show a comparison that is being played, again and again until it is there."""
    design: Design | None = st.session_state.get(STARTED, {}).get(name)
    first: Live[Comparison] | None = None
    if design:

        def answers(stopped: Callable[[], bool]) -> Iterator[Comparison]:
            return preview(design, stopped)

        first = live(st.session_state, "strategies-preview", name, answers)
        first.wait(0.3)

    @st.fragment(run_every=LOOK_EVERY)
    def follow() -> None:
        job = jobs.Job(library, name)
        state = job.state
        if state == "finished":
            if first:
                first.stop()
            st.rerun()
        if state == "failed":
            st.error(source.escaped(f"{name}: {job.last_line.removeprefix('reroll: ')}"))
            return
        progress(job, state)
        if seen := further(first, job):
            brief(seen)

    follow()


def further(first: Live[Comparison] | None, job: jobs.Job) -> Comparison | None:
    """Return what is known from the most blocks: those played here first, or the finished shards of the run."""
    seen = first.latest if first else None
    try:
        played = look_at(job.partial)
    except (GameError, OSError):  # nothing is finished yet, or it becomes a run at this moment
        return seen
    if seen and played.blocks < seen.blocks:
        return seen
    if first:
        first.stop()
    return played


def progress(job: jobs.Job, state: str) -> None:
    """Say how far it is, and offer to stop."""
    bar, buttons = st.columns([6, 1], vertical_alignment="center")
    try:
        done, total, left = job.partial.games_done, job.partial.games, job.partial.seconds_left
    except GameError:
        bar.progress(0.0, "Starting …")
        return
    if state == "stopped":
        bar.progress(done / total, f"Stopped: {done:,} of {total:,} games are kept.")
        if buttons.button("Go on", key="strategies-on"):
            jobs.resume(library, job.partial)
        return
    more = f", {words.lasting(left)} left" if left is not None else ""
    most = "at most " if job.partial.design.contest and job.partial.design.contest.until_decided else ""
    bar.progress(min(1.0, done / total), f"{done:,} of {most}{total:,} games{more}")
    buttons.button("Stop", key="strategies-stop", on_click=job.cancel)


def brief(found: Comparison) -> None:
    """Show what the first blocks say."""
    headline(found)
    dots = comparing.difference_dots(found, source.looks(found.strategies))
    if dots:
        figure = charts.marked(
            charts.dots(dots, f"difference in {comparing.UNITS[found.metric]}"), 0, "equal"
        )
        st.plotly_chart(figure, key="brief-differences", alt="Differences with their intervals")


def headline(found: Comparison) -> None:
    """Say the verdict and what it rests on."""
    st.markdown(f"## {source.escaped(found.verdict[0].upper() + found.verdict[1:])}.")
    st.caption(
        source.escaped(
            f"{found.ruleset}: {found.blocks:,} blocks of {words.counted(found.games_per_block, 'game')}, seed {found.seed}. "
            f"The difference is {found.estimand}" + (" The lowest score wins." if found.lowest_wins else "")
        )
    )


def whole(run: Run) -> None:
    """Show everything that a finished comparison says."""
    found = finished(str(run.path), run.path.stat().st_mtime_ns)
    headline(found)
    pair = chosen_pair(found)
    st.header("Who is ahead of whom?")
    everybody(found)
    left, right = st.columns(2)
    name = f"{pair.a} - {pair.b}"
    with left:
        st.header("How do their scores spread?")
        spread(run, found, pair)
    with right:
        st.header("Where do the points come from?")
        parts = comparing.part_dots(found, pair, games.game(found.game).parts, source.looks(found.strategies))
        if parts:
            figure = charts.marked(charts.dots(parts, f"points of {name}"), 0, "equal")
            st.plotly_chart(figure, key="parts", alt="Difference by part of the score")
            st.caption(
                "Mean difference in each part of the score; together they are the difference of scores."
            )
        else:
            st.caption("Not enough games to say.")
    luck_for_luck(pair, found)
    left, right = st.columns(2)
    with left:
        st.header("Does the seat matter?")
        seats = comparing.seat_dots(found)
        if seats:
            figure = charts.dots(seats, "seat", horizontal=False)
            figure.update_xaxes(dtick=1)
            st.plotly_chart(figure, key="seats", alt="What each seat is worth")
            st.caption(
                "Score on each seat less the mean of its game, all strategies together. Seat 0 starts."
            )
    with right:
        st.header("How strong is each?")
        ratings = comparing.rating_dots(found, source.looks(found.strategies))
        if ratings:
            st.plotly_chart(charts.dots(ratings, "rating"), key="ratings", alt="Ratings with their intervals")
            st.caption("Plackett-Luce ratings; 400 points are odds of ten to one to end ahead. Mean 0.")
        else:
            more = "matrix says" if len(found.pairs) > 1 else "win shares above say"
            st.caption(f"One that always or never wins has no finite rating; the {more} more.")
    behind(run, found, pair)
    controls(found)


def chosen_pair(found: Comparison) -> PairResult:
    """Return the pair that the address names."""
    text = st.query_params.get("pair", "0")
    number = whole_number(text) or 0
    return found.pairs[number if number < len(found.pairs) else 0]


def everybody(found: Comparison) -> None:
    """Show all pairs and all strategies, and let a click choose the pair that the page goes into."""
    shown = comparing.pairs_table(found)
    if len(found.pairs) > 1:
        grid = comparing.matrix(found)
        picked = st.dataframe(
            grid.reset_index(),
            hide_index=True,
            key=f"matrix-{found.run}",
            on_select="rerun",
            selection_mode="single-cell",
        )
        st.caption(
            f"The row's strategy less the column's, in {comparing.UNITS[found.metric]}, ± half its 95 % interval; "
            "* settled at 5 % after Holm's correction for all pairs. Click a cell to see that pair below."
        )
        follow_cell(picked, grid, found)
    percent = st.column_config.NumberColumn(format="percent")
    number = st.column_config.NumberColumn(format="%.3g")
    st.dataframe(
        shown,
        hide_index=True,
        column_config={
            **dict.fromkeys(["A wins", "wins from", "wins to", "A better", "differing"], percent),
            **dict.fromkeys(["A - B", "from", "to", "p (Holm)", "could detect", "pairing"], number),
        },
    )
    st.caption(
        "A better: how often A did better than B in the same place on the same luck, ties half. Could detect: the smallest "
        "true difference that so many blocks settle four times in five. Pairing: variance of the difference over what it "
        "would be on separate luck; below 1, the same luck makes it surer."
    )
    tables.downloads(shown, f"{found.run}-pairs")
    sides = comparing.sides_table(found)
    st.dataframe(
        sides,
        hide_index=True,
        column_config={
            **dict.fromkeys(["win share", "wins from", "wins to"], percent),
            **dict.fromkeys(
                ["mean score", "score from", "score to"], st.column_config.NumberColumn(format="%.2f")
            ),
            **dict.fromkeys(
                ["rating", "rating from", "rating to"], st.column_config.NumberColumn(format="%.0f")
            ),
        },
    )
    tables.downloads(sides, f"{found.run}-strategies")


Picked: TypeAlias = Any
"""What Streamlit says was selected."""


def follow_cell(picked: Picked, grid: pd.DataFrame, found: Comparison) -> None:
    """Put the pair of a clicked cell into the address."""
    for row, column in picked["selection"].get("cells", []):
        names = {str(grid.index[row]), str(column)}
        wanted = next((i for i, pair in enumerate(found.pairs) if {pair.a, pair.b} == names), None)
        if wanted is not None and str(wanted) != st.query_params.get("pair", "0"):
            st.query_params["pair"] = str(wanted)
            st.rerun()


def spread(run: Run, found: Comparison, pair: PairResult) -> None:
    """Draw the scores of both strategies of a pair, over all their games in the run."""
    one = next(iter(source.rulesets([run]).values()))
    labels = {one.sha256: one.label}
    counts = [
        row
        for row in source.ask(queries.score_counts, [run], tuple(labels), ())
        if row.strategy in {pair.a, pair.b}
    ]
    sums = source.ask(queries.block_sums, [run], tuple(labels))
    shown = series.score_series(counts, sums, labels, source.looks(found.strategies), some_seats=False)
    shape = st.segmented_control(
        "Shape",
        ["Histogram", "Cumulative", "Quantiles"],
        default="Histogram",
        required=True,
        key="spread-shape",
    )
    draw = {"Histogram": charts.histograms, "Cumulative": charts.cumulative, "Quantiles": charts.boxes}
    st.plotly_chart(draw[shape or "Histogram"](shown), key="spread", alt="Scores of both strategies")


def luck_for_luck(pair: PairResult, found: Comparison) -> None:
    """Show how quantiles differ and what pairing brought."""
    if not pair.quantiles:
        return
    st.header("Better on good days or on bad ones?")
    quantiles = pd.DataFrame(
        [
            {
                "quantile": f"{one.share:.0%}",
                pair.a: one.a,
                f"{pair.b} ": one.b,
                "A - B": tables.told(one.difference, signed=True),
            }
            for one in pair.quantiles
        ]
    )
    st.dataframe(quantiles, hide_index=True)
    st.caption(
        f"Quantiles of single games in {comparing.UNITS[found.metric]}, and their difference with its 95 % interval from "
        f"{pair.blocks:,} blocks."
    )


def behind(run: Run, found: Comparison, pair: PairResult) -> None:
    """List the pairs of games in which it made the greatest difference, and where they part."""
    st.header("Which games made the difference?")
    try:
        twins = twins_of(str(run.path), run.path.stat().st_mtime_ns, pair.sides)
    except GameError as error:
        st.caption(source.escaped(str(error)))
        return
    listed = pd.DataFrame([one._asdict() for one in twins]).rename(
        columns={
            "game_a": f"game of {pair.a}",
            "game_b": f"game of {pair.b} ",
            "score_a": f"{pair.a} scores",
            "score_b": f"{pair.b} scores ",
        }
    )
    picked: Picked = st.dataframe(
        listed,
        hide_index=True,
        height=240,
        key=f"twins-{found.run}-{pair.sides}",
        on_select="rerun",
        selection_mode="single-row",
    )
    st.caption(
        f"Twin games: the same luck and the same seat, once with {source.escaped(pair.a)} and once with "
        f"{source.escaped(pair.b)}. Those that differ most come first; choose a row to see where they part."
    )
    tables.downloads(listed, f"{found.run}-games")
    if found.log == "scores":
        st.caption("This run keeps no plies, so its games cannot be replayed.")
        return
    rows = picked["selection"]["rows"]
    twin = twins[rows[0] if rows and rows[0] < len(twins) else 0]
    try:
        where = parted(str(run.path), run.path.stat().st_mtime_ns, twin.game_a, twin.game_b)
    except GameError as error:
        st.caption(source.escaped(str(error)))
        return
    if where is None:
        st.caption("These two games are one and the same.")
        return
    with st.container(border=True):
        st.markdown(
            source.escaped(
                f"Block {twin.block}, seat {twin.seat}: the games part at ply {where.ply} in round {where.round}, where "
                f"{'the dice' if where.seat < 0 else f'seat {where.seat}'} went {where.action_a or 'no further'} with "
                f"{pair.a} and {where.action_b or 'no further'} with {pair.b}. They end {twin.score_a} and {twin.score_b}."
            )
        )
        with st.container(horizontal=True):
            for name, game in ((pair.a, twin.game_a), (pair.b, twin.game_b)):
                st.page_link(
                    "views/replay.py",
                    label=source.escaped(f"Replay the game of {name}"),
                    query_params={"run": run.name, "game": str(game), "ply": str(where.ply)},
                )


def controls(found: Comparison) -> None:
    """Show what had to hold, and the command."""
    st.header("Can it be trusted?")
    marks = {True: "✓", False: "✗", None: "·"}
    for one in found.controls:
        st.markdown(f"{marks[one.holds]} **{source.escaped(one.name)}**: {source.escaped(one.says)}")
    st.caption("The same again, from the command line:")
    st.code(found.command, language=None, wrap_lines=True)
    st.download_button(
        "Everything as JSON",
        json.dumps(found.document(), indent=1, ensure_ascii=False),
        f"{found.run}.json",
        "application/json",
        on_click="ignore",
    )


there = comparable()
name = choose(there)
if not there and not source.runs():
    st.info(
        "Nothing has been played yet. Choose strategies and press **Compare**: the first verdict is there in a second."
    )
if name is None:
    with st.container(border=True):
        ask()
elif isinstance(chosen := there.get(name), Run):
    whole(chosen)
else:
    under_way(name)
