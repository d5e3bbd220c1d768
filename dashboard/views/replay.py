"""The page Replay: any logged game, ply by ply, with a review on request.

The address says which game is open (`?run=…&game-number=…&move=…`), whether it is reviewed (`&review=1`), and which what-if
question the board answers at this move (`&action=…`). The component in the browser writes `move`, `review` and the question; this
page writes the address only when another game is opened.
"""

from __future__ import annotations

import random
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from dashboard import cached, replay
from dashboard.replay import ReviewWork, write_game_csv, write_game_json
from dashboard.widgets.address import (
    FOLLOWS_SLOT,
    PLAYS_SLOT,
    REPLAYS_ADDRESS_SLOT,
    ask_for_click,
    choose_default_run,
    find_addressed_game,
    invite_to_simulate,
    is_wanted,
    name_tab,
    read_query,
    show_address_problems,
    write_game_defaults,
)
from dashboard.widgets.background_work import refresh_until
from dashboard.widgets.components import Opening, PlaceInRun, show_replay
from dashboard.widgets.game_choice import ask_which_game
from dashboard.widgets.keep.give_away import OtherForm, offer_form
from dashboard.widgets.markdown import escape_markdown
from engine.errors import GameError
from pipelines.design.titles import name_match
from pipelines.exchange import game_formats
from pipelines.exchange.game_files import game_text
from pipelines.experiments.lessons import adopt_lessons
from pipelines.notes.lessons import find_kept_lesson
from pipelines.notes.note import names_by_key
from pipelines.notes.store import NoteStore, read_comments
from pipelines.questions.address import Address, list_keys, read_fields, write_address, write_path
from pipelines.questions.every_question import read_question
from pipelines.questions.game import START_PLY, GameAnswer, GameQuestion, game_address, read_game
from pipelines.questions.games import GamesQuestion, find_remarkable_game
from pipelines.questions.scores.scope import list_reconstructed_tables
from pipelines.questions.whatif import WhatifQuestion, resolve_whatif
from pipelines.report.game import write_review_document
from pipelines.runs import game_queries
from pipelines.studies.forms import WAITING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.questions.game_sorts import SortKey
    from pipelines.runs.library import Run

COMMAND_SLOT: Final = "replay-command"
"""The key of the session state that is set when a command of the replay has changed the page. While a review is computed, only a fragment
is drawn again, so this asks for the whole page."""
RANDOM_GAME, GAME_LIST = "A game at random", "All games in a list …"
REMARKABLE_GAMES: Final[dict[str, tuple[SortKey, bool]]] = {
    "The record score": ("score", False),
    "The closest finish": ("margin", True),
    "The largest comeback": ("comeback", False),
    "The most changes of the lead": ("lead", False),
}
"""Entries of the menu "Another game": by what games are sorted, and whether the smallest number comes first."""

st.session_state.pop(COMMAND_SLOT, None)  # this run draws the whole page
runs = {run.name: run for run in cached.all_runs()}
if not runs:
    st.title("Replay")
    invite_to_simulate()
    st.stop()


def open_game(run: str, game: int, ply: int | None = None) -> None:
    """Write a game into the address, from which the page is drawn; `ply` is the one after which it opens."""
    st.query_params.from_dict(game_address(run, game, ply))


def show_way_back() -> None:
    """Show the link to the list of games that this visitor has seen last, or to that of all games."""
    address = st.session_state.get(REPLAYS_ADDRESS_SLOT)
    st.page_link("views/games.py", label="Replays", icon=":material/chevron_left:", query_params=address)


def show_toolbar(
    run: Run, game: int, answer: GameAnswer | None = None, work: ReviewWork | None = None
) -> None:
    """Show the way back, the choice of the run and the game, and the buttons, all on one line: boards need the height.

    `answer` is the game; None if it is not logged.
    """
    last = run.summary.games - 1
    with st.container(horizontal=True, vertical_alignment="center", key="replay-title"):
        show_way_back()
        st.title("Replay", width="content")  # only screen readers say it
        ask_which_game(runs, run, game, open_game)
        with st.container(horizontal=True, vertical_alignment="center", width="content", key="replay-tools"):
            st.button(
                "←",
                key="replay-previous",
                help="Previous game",
                disabled=game == 0,
                on_click=open_game,
                args=(run.name, game - 1),
            )
            st.button(
                "→",
                key="replay-next",
                help="Next game",
                disabled=game == last,
                on_click=open_game,
                args=(run.name, game + 1),
            )
            st.menu_button(
                "Another game",
                [RANDOM_GAME, *REMARKABLE_GAMES, GAME_LIST],
                key="replay-goto",
                icon=":material/explore:",
                help="Open a remarkable game of this run, or choose one from a list",
                on_click=lambda: go_to_game(run, str(st.session_state["replay-goto"])),
            )
            if answer:
                show_review_button(run, game, work)
                offer_game_files(answer, work)
    if st.session_state.pop("replay-find", False):
        st.switch_page("views/games.py", query_params=write_address(GamesQuestion(runs=(run.name,))))


def go_to_game(run: Run, entry: str) -> None:
    """Open the game that a menu entry names, or the page with the list of games."""
    if entry == GAME_LIST:
        st.session_state["replay-find"] = True  # a callback cannot leave the page
    elif entry == RANDOM_GAME:
        open_game(run.name, random.randint(0, run.summary.games - 1))  # noqa: S311 - not for secrets
    else:
        sort, is_lowest = REMARKABLE_GAMES[entry]
        game = find_remarkable_game(run, sort, cached.question_source(), is_lowest=is_lowest)
        if game:
            open_game(run.name, game.game_id, game.ply)
        else:
            st.toast("This run has no such game.")


def show_review_button(run: Run, game: int, work: ReviewWork | None) -> None:
    """Show the button that starts the review, stops it, or hides it once it is done."""
    label = "Review this game"
    if work:
        label = "Hide the review" if work.review.is_done or work.error else "Stop the review"

    def toggle_review() -> None:
        st.session_state[_review_state_key(run, game)] = work is None
        if work:
            work.stop()

    st.button(
        label,
        key="replay-review",
        help="How much each choice lost, and how much luck changed the result",
        on_click=toggle_review,
        width="stretch",
    )


def review_so_far(answer: GameAnswer, work: ReviewWork | None) -> dict[str, Any] | None:
    """Return what is known of the review, as the replay draws it; None if the visitor does not want a review."""
    if work is None:
        return None
    review = adopt_lessons(work.review.summarise(), answer.run)
    return write_review_document(replace(answer, review=review), work.error)


def offer_game_files(answer: GameAnswer, work: ReviewWork | None) -> None:
    """Offer the game as JSON and as CSV, with the review if it is complete, and in the forms of `reroll export`."""

    def finished_review() -> dict[str, Any] | None:
        return review_so_far(answer, work if work and work.review.is_done else None)

    name = f"{answer.run.name}-{answer.question.game + 1}"
    for label, write, mime in (
        (
            "JSON",
            lambda: write_game_json(answer.scene, answer.ruleset, finished_review()),
            "application/json",
        ),
        ("CSV", lambda: write_game_csv(answer.scene, finished_review()), "text/csv"),
    ):
        offer_form(OtherForm("This game", label, write, f"{name}.{label.lower()}", mime))
    for suffix, chosen in game_formats(answer.ruleset.game).items():
        if suffix != "json":
            write_game = partial(game_text, answer.run, answer.question.game, chosen)
            offer_form(OtherForm("This game", suffix.upper(), write_game, f"{name}.{suffix}", "text/plain"))


def _review_state_key(run: Run, game: int) -> str:
    return f"replay-review-{run.name}-{game}"


def wanted_review(answer: GameAnswer) -> ReviewWork | None:
    """Return the work on the review of a game; None if the visitor does not want a review.

    The last press of the button decides, or the address if the button was not pressed.
    """
    run, question = answer.run, answer.question
    is_wanted = st.session_state.get(_review_state_key(run, question.game), question.is_reviewed)
    return replay.start_review_work(run, question.game) if is_wanted else None


def find_asked_query(question: WhatifQuestion, run: Run, problems: Sequence[str]) -> str:
    """Return the query of the what-if question of the address; empty if it is not possible or waits for a click. Say why."""
    question, impossible, _ = resolve_whatif(question, run)
    show_address_problems([*problems, *impossible])
    if problems or impossible or not question.has_change:
        return ""
    if is_wanted(question):
        return write_path(question).partition("?")[2]
    ask_for_click(question)
    return ""


def find_lesson(answer: GameAnswer) -> tuple[dict[str, Any] | None, Address | None]:
    """Return the lesson that the address asks for, and the address of the next one in its collection; None without one."""
    question, run = answer.question, answer.run
    if not question.is_lesson or not START_PLY < question.ply < len(answer.scene["steps"]):
        return None, None
    try:
        lesson = replay.read_lesson(*cached.file_version(run), question.game, question.ply, run, answer.scene)
    except GameError as error:
        show_address_problems([str(error)])
        return None, None
    store = NoteStore(cached.dashboard_library().folder)
    text, title, following, collection = find_kept_lesson(store, run, question, names_by_key(runs.values()))
    note = {"title": title, "text": text, "collection": collection, "hasNext": following is not None}
    return lesson | note, following


def follow_command(command: str, answer: GameAnswer, next_lesson: Address | None) -> None:
    """Do what a button of the replay asks for."""
    run, game = answer.run, answer.question.game
    if command == "open":
        open_game(run.name, min(run.summary.games - 1, game + 1))
    elif command == "lesson" and next_lesson:
        st.query_params.from_dict(next_lesson)
    elif command == "review":
        st.session_state[_review_state_key(run, game)] = True
    st.session_state[COMMAND_SLOT] = True


def show_game(answer: GameAnswer, work: ReviewWork | None, asked_query: str) -> None:
    """Show the game with the results of its review, and refresh it until the review is over.

    A command of the replay draws the whole page anew. `asked_query` is that of the what-if question of the address.
    """
    was_over = work is None or work.is_over
    if work and not was_over:
        work.wait(0.3)
    run, game, scene = answer.run, answer.question.game, answer.scene
    place = PlaceInRun(
        cached.query_runs(game_queries.score_standings, [run], game),
        cached.query_runs(game_queries.finish_closeness, [run], game),
        has_next=game < run.summary.games - 1,
        comments=read_comments(NoteStore(cached.dashboard_library().folder), run, game),
    )

    if why := st.session_state.pop(PLAYS_SLOT, ""):
        st.toast(why, icon=":material/play_circle:", duration="long")
    lesson, next_lesson = find_lesson(answer)
    opening = Opening(bool(why), st.session_state.get(FOLLOWS_SLOT, 0), asked_query, lesson)

    def redraw_game() -> None:
        if st.session_state.pop(COMMAND_SLOT, False):
            st.rerun()
        if work:
            work.keep_alive()
            if work.is_waiting and not work.is_over:
                st.caption(WAITING)
        show_replay(
            scene,
            key="replay",
            review=review_so_far(answer, work),
            is_reviewed=work is not None,
            place=place,
            opening=opening,
            on_command=lambda command: follow_command(command, answer, next_lesson),
        )

    refresh_until(lambda: work is None or work.is_over, redraw_game, was_over=was_over)


default_run = choose_default_run(list(runs.values()))
query = read_query()
reading = read_question(GameQuestion.page, query)
whatif = reading.question if isinstance(reading.question, WhatifQuestion) else None
known = query.keys() & set(list_keys(GameQuestion)) if whatif else query.keys()
question, problems = read_fields(GameQuestion, {key: query[key] for key in known})
if whatif:
    problems = tuple(dict.fromkeys([*reading.problems, *problems]))
if (question.run or default_run.name) not in runs:
    show_way_back()
    st.title("Replay")  # otherwise the toolbar shows both
run, game = find_addressed_game(runs, question.run, question.game, default_run)
try:
    answer = read_game(question.model_copy(update={"run": run.name, "game": game}), run)
    work = wanted_review(answer)
except GameError as error:
    show_toolbar(run, game)
    show_address_problems(problems)
    st.error(escape_markdown(str(error)))
    st.stop()
if whatif and whatif.game == game:
    asked_query = find_asked_query(whatif.model_copy(update={"run": run.name}), run, problems)
else:
    asked_query = ""
    show_address_problems([*problems, *question.find_problems(len(answer.scene["steps"]), len(answer.seats))])
name_tab(answer.question.describe(name_match(answer.ruleset, [seat.strategy for seat in answer.seats])))
show_toolbar(run, game, answer, work)
show_game(answer, work, asked_query)
write_game_defaults("replay", run.name, game)
reconstructed_tables = list_reconstructed_tables(answer.ruleset)
if reconstructed_tables:
    st.caption(f"Not printed in the rulebook text; our reconstruction: {', '.join(reconstructed_tables)}.")
