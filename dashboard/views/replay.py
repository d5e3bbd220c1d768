"""What happened here? Any logged game, ply by ply.

The address says which game is open (`?run=…&game=…&ply=…`), and whether it is reviewed (`&review=1`). The component in
the browser owns `ply` and writes `review`; this page writes the address only as a whole, when another game is opened.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from dashboard.queries import cached
from dashboard.queries import scores as queries
from dashboard.replay import downloads, review_work
from dashboard.replay.component import show_replay
from dashboard.replay.review_document import build_review_document
from dashboard.widgets.address import read_addressed_game
from dashboard.widgets.background_work import refresh_until
from engine.errors import GameError

if TYPE_CHECKING:
    from dashboard.replay.review_work import ReviewWork
    from engine.ruleset import Ruleset
    from engine.scene import Scene
    from pipelines.runs.library import Run

MAX_GAMES_LISTED: Final = 200
RANDOM_GAME, CLOSEST_FINISH, RECORD_SCORE, WILDEST_GAME, GAME_LIST = (
    "A game at random",
    "The closest finish",
    "The record score",
    "The wildest: most changes of the lead",
    "A list to choose from …",
)

runs = {run.name: run for run in cached.all_runs()}
if not runs:
    st.title("What happened here?")
    st.info("You have no games yet. A first run takes a few seconds.")
    st.page_link("views/library.py", label="Play some games")
    st.stop()


def open_game(run: str, game: int) -> None:
    """Put a game into the address, from which the page is drawn."""
    st.query_params.from_dict({"run": run, "game": str(game)})


def show_toolbar(run: Run, game: int, work: ReviewWork | None, *, is_logged: bool) -> None:
    """Offer other runs, other games and a review, in the line of the title: boards need the height."""
    last = run.summary.games - 1
    st.session_state["replay-run"], st.session_state["replay-game"] = run.name, game
    title, which, number, steps = st.columns([6.3, 5.6, 3.2, 10.5], vertical_alignment="center")
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
        st.menu_button(
            "Go to",
            [RANDOM_GAME, CLOSEST_FINISH, RECORD_SCORE, WILDEST_GAME, GAME_LIST],
            key="replay-goto",
            help="Another game of this run",
            on_click=lambda: go_to_game(run, str(st.session_state["replay-goto"])),
        )
        if is_logged:
            show_review_button(run, game, work)
            show_save_menu(run, game, work)
    if st.session_state.get("replay-find"):
        show_game_search(run)


def go_to_game(run: Run, wanted: str) -> None:
    """Open a game that is somehow remarkable, or the list of all."""
    if wanted == GAME_LIST:
        st.session_state["replay-find"] = not st.session_state.get("replay-find")
    elif wanted == RANDOM_GAME:
        open_game(run.name, random.randint(0, run.summary.games - 1))  # noqa: S311 - whichever
    elif wanted == WILDEST_GAME:
        found = cached.query_runs(queries.wildest_game, [run], queries.MAX_GAMES_SEARCHED)
        if run.summary.games > queries.MAX_GAMES_SEARCHED:
            st.toast(f"The wildest of the first {queries.MAX_GAMES_SEARCHED:,} games.")
        open_game(run.name, found or 0)
    else:
        is_low = any(ruleset.lowest_wins for ruleset in run.summary.rulesets)
        order = (
            "closest finish" if wanted == CLOSEST_FINISH else "lowest score" if is_low else "highest score"
        )
        rows = cached.query_runs(queries.games_of_run, [run], order, "", None, 1)
        open_game(run.name, int(rows["game_id"].iloc[0]) if len(rows) else 0)


def show_review_button(run: Run, game: int, work: ReviewWork | None) -> None:
    """Offer to review, to stop that, or to hide it: whatever comes next."""
    label = "Review this game"
    if work:
        label = "Hide the review" if work.is_over else "Stop the review"

    def toggle_review() -> None:
        st.session_state[_review_state_key(run, game)] = work is None
        if work:
            work.stop()

    st.button(label, help="What every choice gave away and what luck brought", on_click=toggle_review)


def show_save_menu(run: Run, game: int, work: ReviewWork | None) -> None:
    """Offer the game as files, with the review if there is a whole one."""

    def finished_review() -> dict[str, Any] | None:
        return build_review_document(work, run.scene(game)) if work and work.is_done else None

    def game_ruleset() -> Ruleset:
        return run.ruleset(run.game(game).ruleset)

    name = f"{run.name}-{game}"
    with st.popover("Save", help="This game as a file, with the review once that is done"):
        st.download_button(
            "A page that replays it",
            lambda: downloads.write_game_html(run.scene(game), finished_review()),
            f"{name}.html",
            "text/html",
            on_click="ignore",
            help="HTML, one file, needs no server and no network",
        )
        st.download_button(
            "JSON",
            lambda: downloads.write_game_json(run.scene(game), game_ruleset(), finished_review()),
            f"{name}.json",
            "application/json",
            on_click="ignore",
            help="Rules, seats, every ply with its scores",
        )
        st.download_button(
            "CSV",
            lambda: downloads.write_game_csv(run.scene(game), finished_review()),
            f"{name}.csv",
            "text/csv",
            on_click="ignore",
            help="A row for every ply",
        )


def show_game_search(run: Run) -> None:
    """List games by how they ended; choosing one opens it."""
    with st.container(border=True):
        by, winner, low, high = st.columns([2, 3, 1, 1])
        order = by.selectbox("Sort by", list(queries.GAME_ORDERS), key="replay-order")
        won = winner.selectbox("Won by", ["anyone", *run.summary.strategies], key="replay-winner")
        least = low.number_input("A score from", value=None, step=1, key="replay-low", placeholder="any")
        most = high.number_input("to", value=None, step=1, key="replay-high", placeholder="any")
        scores = (
            None
            if least is None and most is None
            else (_clamp_score(least, -(2**31)), _clamp_score(most, 2**31 - 1))
        )
        winner_asked = "" if won == "anyone" else won
        found = cached.query_runs(queries.games_of_run, [run], order, winner_asked, scores, MAX_GAMES_LISTED)
        st.caption(
            f"{len(found):,} games"
            + (", the first of more" if len(found) == MAX_GAMES_LISTED else "")
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


def _clamp_score(number: int | None, otherwise: int) -> int:
    return otherwise if number is None else max(-(2**31), min(2**31 - 1, number))


def _review_state_key(run: Run, game: int) -> str:
    return f"replay-review-{run.name}-{game}"


def wanted_review(run: Run, game: int) -> ReviewWork | None:
    """Return the work on the review of a game if it is asked for: as last said here, else as the address says."""
    is_wanted = st.session_state.get(_review_state_key(run, game), st.query_params.get("review") == "1")
    return review_work.start_review_work(run, game) if is_wanted else None


def show_game(run: Run, scene: Scene, work: ReviewWork | None) -> None:
    """Show the game with what its review has found, and look again until that is over."""
    if work and not work.is_over:
        work.wait(0.3)
    standings = cached.query_runs(queries.score_standings, [run], scene["game_id"])

    def redraw_game() -> None:
        if work:
            work.keep_alive()
        show_replay(
            scene,
            key="replay",
            review=build_review_document(work, scene) if work else None,
            is_reviewed=work is not None,
            whatif="whatif",
            standings=standings,
        )

    refresh_until(lambda: work is None or work.is_over, redraw_game)


default_run = next((run for run in runs.values() if run.summary.log != "scores"), next(iter(runs.values())))
run, game = read_addressed_game(runs, default_run)
try:
    scene = run.scene(game)
    work = wanted_review(run, game)
except GameError as error:
    show_toolbar(run, game, None, is_logged=False)
    st.error(cached.escape_markdown(str(error)))
    st.stop()
show_toolbar(run, game, work, is_logged=True)
show_game(run, scene, work)
reconstructed_tables = cached.list_reconstructed_tables(run.ruleset(scene["ruleset"]))
if reconstructed_tables:
    st.caption(f"Reconstructed, not known from the rulebook: {', '.join(reconstructed_tables)}.")
