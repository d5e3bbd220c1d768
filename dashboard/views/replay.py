"""What happened here? Any logged game, ply by ply.

The address says which game is open (`?run=…&game=…&ply=…`). The component in the browser owns `ply`; this page writes
the address only as a whole, when another game is opened.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard import queries, source
from dashboard.replay import replay
from engine.game import GameError

if TYPE_CHECKING:
    from pipelines.library import Run

MOST_FOUND: Final = 200

runs = {run.name: run for run in source.runs()}
if not runs:
    st.title("What happened here?")
    st.info("Nothing has been played yet. A first run takes a few seconds.")
    st.page_link("views/library.py", label="Play some games")
    st.stop()


def open_game(run: str, game: int) -> None:
    """Put a game into the address, from which the page is drawn."""
    st.query_params.from_dict({"run": run, "game": str(game)})


def from_address() -> tuple[Run, int]:
    """Read which game is asked for; the first game of the newest run if the address does not say."""
    newest = next((run for run in runs.values() if run.summary.log != "scores"), next(iter(runs.values())))
    name = st.query_params.get("run", newest.name)
    if name not in runs:
        st.warning(source.escaped(f"There is no run {name} here; this is the newest one."))
        return newest, 0
    text, run = st.query_params.get("game", "0"), runs[name]
    if text.isdecimal() and int(text) < run.summary.games:
        return run, int(text)
    st.warning(source.escaped(f"Run {name} has games 0 to {run.summary.games - 1}, no game {text}."))
    return run, 0


def choice(run: Run, game: int) -> None:
    """Offer other runs and other games, in the line of the title: boards need the height."""
    last = run.summary.games - 1
    st.session_state["replay-run"], st.session_state["replay-game"] = run.name, game
    title, which, number, steps = st.columns([7, 7, 3, 7], vertical_alignment="center")
    title.title("What happened here?")
    which.selectbox(
        "Run",
        list(runs),
        key="replay-run",
        label_visibility="collapsed",
        format_func=lambda name: f"{runs[name].summary.title} · {name}",
        on_change=lambda: open_game(st.session_state["replay-run"], 0),
    )
    number.number_input(
        "Game",
        min_value=0,
        max_value=last,
        step=1,
        key="replay-game",
        label_visibility="collapsed",
        help=f"Game 0 to {last:,}",
        on_change=lambda: open_game(run.name, min(max(0, st.session_state["replay-game"]), last)),
    )
    with steps, st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "←", help="Previous game", disabled=game == 0, on_click=open_game, args=(run.name, game - 1)
        )
        st.button("→", help="Next game", disabled=game == last, on_click=open_game, args=(run.name, game + 1))
        st.button(
            "Any",
            help="A game at random",
            on_click=lambda: open_game(run.name, random.randint(0, last)),  # noqa: S311 - whichever
        )
        find = st.toggle("Find a game", key="replay-find")
    if find:
        search(run)


def search(run: Run) -> None:
    """List games by how they ended; choosing one opens it."""
    with st.container(border=True):
        by, winner, low, high = st.columns([2, 3, 1, 1])
        order = by.selectbox("Sort by", list(queries.ORDERS), key="replay-order")
        won = winner.selectbox("Won by", ["anyone", *run.summary.strategies], key="replay-winner")
        least = low.number_input("A score from", value=None, step=1, key="replay-low", placeholder="any")
        most = high.number_input("to", value=None, step=1, key="replay-high", placeholder="any")
        scores = (
            None if least is None and most is None else (_bound(least, -(2**31)), _bound(most, 2**31 - 1))
        )
        winner_asked = "" if won == "anyone" else won
        found = source.ask(queries.games_of_run, [run], order, winner_asked, scores, MOST_FOUND)
        st.caption(
            f"{len(found):,} games"
            + (", the first of more" if len(found) == MOST_FOUND else "")
            + ". Click one to open it."
        )
        table = st.dataframe(
            found,
            hide_index=True,
            height=240,
            on_select="rerun",
            selection_mode="single-row",
            key=f"replay-found-{run.name}-{order}-{won}-{scores}",
            column_config={"game_id": "game"},
        )
        chosen = [int(found["game_id"].iloc[row]) for row in table["selection"]["rows"] if row < len(found)]
        if chosen and chosen[0] != st.session_state.get("replay-opened"):
            st.session_state["replay-opened"] = chosen[0]
            open_game(run.name, chosen[0])
            st.rerun()


def _bound(number: int | None, otherwise: int) -> int:
    return otherwise if number is None else max(-(2**31), min(2**31 - 1, number))


run, game = from_address()
choice(run, game)
try:
    scene = run.scene(game)
except GameError as error:
    st.error(source.escaped(str(error)))
    st.stop()
replay(scene, key="replay")
made_up = source.reconstructed(run.ruleset(scene["ruleset"]))
if made_up:
    st.caption(f"Reconstructed, not known from the rulebook: {', '.join(made_up)}.")
