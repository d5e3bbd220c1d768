"""What if it had gone differently? A logged game, forked at a ply, played on many times on both branches.

The address is the question: `?run=…&game=…&ply=…` and what is different (`seat` and `strategy`, `action`, `option`,
or `luck`), `n` continuations, `seed`. `games=…` in place of `game` asks it of many; see `dashboard.manyforks`.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import streamlit as st

from dashboard import charts, manyforks, source, words
from dashboard.forking import address, figures, series
from dashboard.live import live
from dashboard.palette import Look
from dashboard.replay import replay
from dashboard.spreadsheets import as_csv
from engine import games
from engine.game import CHANCE, GameError
from engine.play import replay as played_again
from engine.strategies import known
from pipelines.fork import Change, Fork, fork, option
from pipelines.kept import design_of
from pipelines.numeral import whole, whole_within
from pipelines.simulate import simulate
from pipelines.whatif import DEFAULT, WhatIf, sentence, whatif

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from engine.game import State
    from engine.ruleset import Ruleset
    from pipelines.library import Run

WAYS: Final = ("Another strategy", "Another action", "Another rule", "Other luck")
BASE, CHANGED = Look("#8A8A8A", "dot"), Look("#1F83C2", "solid")
MOST: Final = 100_000
MOST_ACTIONS: Final = 4000
NAME: Final = r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}"

st.title("What if it had gone differently?")
runs = {run.name: run for run in source.runs() if run.summary.log != "scores"}
if not runs:
    st.info("Nothing has been played yet that could be asked about. A first run takes a few seconds.")
    st.page_link("views/library.py", label="Play some games")
    st.stop()


def asked(key: str, otherwise: str) -> str:
    """Read what the address says."""
    return str(st.query_params.get(key, otherwise))


def from_address() -> tuple[Run, int]:
    """Read which game is asked about."""
    newest = next(iter(runs.values()))
    name = asked("run", newest.name)
    if name not in runs:
        st.warning(source.escaped(f"There is no logged run {name} here; this is the newest one."))
        return newest, 0
    text, found = asked("game", "0"), runs[name]
    number = whole(text)
    if number is not None and number < found.summary.games:
        return found, number
    st.warning(source.escaped(f"Run {name} has games 0 to {found.summary.games - 1}, no game {text}."))
    return found, 0


def position(run: Run, game: int) -> tuple[Ruleset, list[int], list[State]]:
    """Return the rules, the actions and all positions of a game."""
    ruleset = run.ruleset(run.game(game).ruleset)
    actions = run.actions(game)
    return ruleset, actions, list(played_again(games.game(ruleset.game).start(ruleset), actions))


def choose_game(run: Run, game: int) -> None:
    """Offer other games; another game is another address."""
    which, number = st.columns([5, 1])
    which.selectbox(
        "Run",
        list(runs),
        index=list(runs).index(run.name),
        key=f"whatif-run-{run.name}",
        format_func=lambda name: f"{runs[name].summary.title} · {name}",
        on_change=lambda: st.query_params.from_dict({"run": st.session_state[f"whatif-run-{run.name}"]}),
    )
    key = f"whatif-game-{run.name}-{game}"
    number.number_input(
        "Game",
        0,
        run.summary.games - 1,
        game,
        key=key,
        on_change=lambda: st.query_params.from_dict({"run": run.name, "game": str(st.session_state[key])}),
    )


def first_way() -> str:
    """Which kind of question the address asks."""
    given = {"action": WAYS[1], "option": WAYS[2], "luck": WAYS[3]}
    return next((way for key, way in given.items() if key in st.query_params), WAYS[0])


def strategy_change(ruleset: Ruleset, state: State, seated: list[str]) -> Change:
    """Ask for another strategy of a seat."""
    names = list(known(games.game(ruleset.game)))
    acting = state.seat if state.seat != CHANCE else 0
    which, how = st.columns(2)
    seat = which.selectbox(
        "Seat",
        list(range(ruleset.players)),
        index=whole_within(0, ruleset.players - 1, asked("seat", ""), acting),
        format_func=lambda one: f"seat {one}, played by {seated[one]}",
    )
    otherwise = next((name for name in reversed(names) if name not in seated), names[0])
    given = asked("strategy", otherwise)
    strategy = how.selectbox(
        "plays from here on",
        list(dict.fromkeys([given, *names])),
        accept_new_options=True,
        help="A strategy by name, with parameters if you like: noisy:sigma=3",
    )
    return Change({seat: strategy or given})


def action_change(ruleset: Ruleset, state: State, logged: int) -> Change:
    """Ask for another action, or another roll, at this ply."""
    notations = [ruleset.action(action).notation for action in state.actions[:MOST_ACTIONS]]
    given = asked(
        "action", next((one for one in notations if one != ruleset.action(logged).notation), notations[0])
    )
    who = "the roll had been" if state.seat == CHANCE else f"seat {state.seat} had played"
    chosen = st.selectbox(
        f"Instead of {ruleset.action(logged).notation}, {who}",
        list(dict.fromkeys([given, *notations])),
        help=f"All {len(state.actions):,} that are legal here; type to search.",
    )
    return Change(action=chosen or given)


def rule_change(ruleset: Ruleset) -> Change:
    """Ask for another value of an option of the ruleset."""
    options: dict[str, Any] = ruleset.document["options"]
    key, _, value = asked("option", "").partition("=")
    which, what = st.columns(2)
    name = which.selectbox(
        "Option", list(options), index=list(options).index(key) if key in options else 0, format_func=str
    )
    now = json.dumps(options[name])
    text = what.text_input(f"in place of {now}", value if key == name else now, key=f"whatif-option-{name}")
    return Change(options=dict([option(f"{name}={text}")]))


def spread(found: WhatIf, seat: int) -> None:
    """Draw how the final score spreads on both branches, and the difference."""
    ruleset = found.fork.ruleset.name
    left, right = st.columns(2)
    both = [
        series(ruleset, name, values[:, seat], look)
        for name, values, look in (
            ("as it was", found.base_scores, BASE),
            ("changed", found.changed.scores, CHANGED),
        )
    ]
    with left:
        st.header(f"Final score of seat {seat}")
        if found.fork.change:
            st.plotly_chart(charts.histograms(both), key="whatif-scores", alt="Final scores on both branches")
        else:
            figure = charts.marked(charts.histograms(both[1:]), found.fork.result[seat], "what happened")
            st.plotly_chart(
                figure, key="whatif-scores", alt="Final scores with other luck, and the logged one"
            )
    with right:
        st.header("Difference, luck for luck")
        one = [series(ruleset, "changed less as it was", found.differences[:, seat], CHANGED)]
        st.plotly_chart(
            charts.marked(charts.histograms(one), 0, "no difference"),
            key="whatif-difference",
            alt="Distribution of the difference of the final score",
        )


def continuations(found: WhatIf, run: Run, seat: int) -> None:
    """Offer continuations to replay, both branches side by side."""
    st.header("Watch one continuation on both branches")
    order = np.argsort(found.differences[:, seat], kind="stable")
    marks = {
        "largest loss": int(order[0]),
        "in the middle": int(order[len(order) // 2]),
        "largest gain": int(order[-1]),
    }
    picked = st.segmented_control("Which", [*marks, "another"], default="in the middle", required=True)
    number = marks.get(picked or "", 0)
    if picked == "another":
        number = int(st.number_input("Continuation", 0, found.n - 1, 0))
    left, right = st.columns(2)
    fork_ = found.fork
    both = (
        (left, "As it was", fork_.base, found.base),
        (right, "Changed", fork_.changed, found.changed),
    )
    for column, title, branch, ends in both:
        ruleset = branch.state.ruleset
        if title == "As it was" and not fork_.change:
            scene, names = run.scene(fork_.game_id), [one.name for one in branch.seating]
        else:
            scene = games.game(ruleset.game).scene(ruleset, [*branch.actions, *ends.game(number)])
            names = [one.name for one in branch.seating]
        with column:
            score = ends.scores[number, seat] if title == "Changed" or fork_.change else fork_.result[seat]
            st.markdown(f"**{title}**: seat {seat} scores {score}")
            replay(
                {**scene, "strategies": names},
                key=f"whatif-{title}-{number}",
                ply=fork_.ply - 1,
                height=720,
            )


def keep(found: WhatIf) -> None:
    """Offer to save the continuations as a run, and say where they are."""
    fork_ = found.fork
    with st.popover("Save the continuations"):
        st.caption("Both branches become games of a new run, each with all that went before the fork.")
        name = st.text_input("Name", f"whatif-{run.name}-{fork_.game_id}-{fork_.ply}"[:80], key="whatif-name")
        if st.button("Save", key="whatif-save"):
            st.session_state["whatif-saved"] = saved(found, name)
    kept = st.session_state.get("whatif-saved")
    if kept and kept[0] == id(found):
        st.success(
            source.escaped(f"Saved {words.counted(kept[2], 'game')} as {kept[1]}; the Library has it.")
        )
        st.page_link(
            "views/replay.py",
            label="Replay the first from the fork",
            query_params={"run": kept[1], "game": "0", "ply": str(fork_.ply)},
        )


def saved(found: WhatIf, name: str) -> tuple[int, str, int] | None:
    """Save an answer under a name, or the next free one; say what stands in the way."""
    if not re.fullmatch(NAME, name):
        st.error("The name takes letters, digits, dots, underscores and dashes.")
        return None
    target = source.library().runs_folder / f"{name}.duckdb"
    try:
        with st.spinner(f"Playing {2 * found.n:,} games once more, to keep them …"):
            kept = simulate(design_of(found, run.name, name), target, workers=1)
    except GameError as error:
        st.error(source.escaped(str(error)))
        return None
    except OSError as error:
        st.error(f"{error.filename or target}: {error.strerror}")
        return None
    return id(found), kept.name, kept.summary.games


run, game = from_address()
if manyforks.is_asked():
    manyforks.page(run, runs)
    st.stop()
choose_game(run, game)
st.page_link(
    "views/whatif.py",
    label="Ask the same of many games",
    query_params={"run": run.name, "games": "all", "where": "last-roll"},
)
try:
    ruleset, actions, states = position(run, game)
except GameError as error:
    st.error(source.escaped(str(error)))
    st.stop()
seated = [seat.strategy for seat in run.seats(game)]

with st.container(border=True):
    place, way = st.columns([2, 3])
    ply = place.number_input(
        "From ply",
        0,
        len(actions) - 1,
        whole_within(0, len(actions) - 1, asked("ply", ""), len(actions) // 2),
        key=f"whatif-ply-{run.name}-{game}",
        help="The fork is before this ply. In the replay, “What if” brings you here.",
    )
    state = states[ply]
    who = "a roll" if state.seat == CHANCE else f"seat {state.seat} ({seated[state.seat]})"
    place.caption(
        source.escaped(f"Round {state.round}, {who}: {ruleset.action(actions[ply]).notation} was played.")
    )
    kind = way.segmented_control("What is different?", WAYS, default=first_way(), required=True)
    try:
        if kind == WAYS[1]:
            change = action_change(ruleset, state, actions[ply])
        elif kind == WAYS[2]:
            change = rule_change(ruleset)
        elif kind == WAYS[3]:
            change = Change()
        else:
            change = strategy_change(ruleset, state, seated)
        n_column, seed_column, _ = st.columns([1, 1, 3])
        n = n_column.number_input(
            "Continuations", 60, MOST, whole_within(60, MOST, asked("n", ""), DEFAULT), step=1000
        )
        seed = seed_column.number_input("Seed", 0, 10**9, whole_within(0, 10**9, asked("seed", ""), 0))
        forked: Fork = fork(run, game, ply, change)
    except GameError as error:
        st.error(source.escaped(str(error)))
        st.stop()
place_of_fork = {"run": run.name, "game": str(game), "ply": str(ply)}
st.query_params.from_dict({**place_of_fork, **address(change), "n": str(n), "seed": str(seed)})


def answers(stopped: Callable[[], bool]) -> Iterator[WhatIf]:
    """Play both branches on."""
    return whatif(forked, n=n, seed=seed, stopped=stopped)


work = live(st.session_state, "whatif", tuple(st.query_params.to_dict().items()), answers)
work.wait(0.6)


@st.fragment(run_every=None if work.is_over else 0.4)
def result() -> None:
    """Show what is known so far, and go on until all is."""
    if work.error:
        st.error(source.escaped(str(work.error)))
        return
    found = work.latest
    if found is None:
        st.progress(0.0, "The first continuations are being played …")
        return
    said = sentence(found)
    st.markdown(f"## {source.escaped(said[0].upper() + said[1:])}.")
    st.caption(source.escaped(f"What if, from ply {ply} on, {change}? {luck_words(found)}"))
    if not work.is_over:
        bar, stop = st.columns([6, 1], vertical_alignment="center")
        bar.progress(found.n / n, f"{found.n:,} of {n:,} continuations of each branch")
        stop.button("Stop", on_click=work.stop)
    st.dataframe(figures(found), hide_index=True)
    spread(found, forked.seat)
    if work.is_over and st.session_state.get("whatif-shown") != id(work):
        st.session_state["whatif-shown"] = id(work)
        st.rerun()


def luck_words(found: WhatIf) -> str:
    """Say what the figures rest on."""
    share = found.differing
    return (
        f"{found.n:,} continuations of each branch on the same luck, each value with half its 95 % interval; "
        f"{share.estimate:.0%} of them differ ({share.low:.0%} to {share.high:.0%}). {work.seconds:.1f} s."
    )


result()
if work.is_over and work.latest:
    st.download_button(
        "Download the figures as CSV",
        as_csv(figures(work.latest)),
        "whatif.csv",
        "text/csv",
        on_click="ignore",
    )
    keep(work.latest)
    continuations(work.latest, run, forked.seat)
