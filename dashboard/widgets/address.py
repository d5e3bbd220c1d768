"""The address of a page, which says what the page shows: a game of a run (`?run=…&game-number=…`) and its settings."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.widgets.markdown import escape_markdown
from pipelines.questions.address import read_fields, write_address
from pipelines.questions.game import GameQuestion

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pipelines.questions.address import AnyQuestion, Question
    from pipelines.runs.library import Run

VISITS_SLOT: Final = "page-visits"
"""The session state counts here how many pages a visitor has opened. A page that remembers something of its address in the
session state forgets it with the next visit, because that may follow a link."""
_SHOWN_SLOT: Final = "shown-address"


def read_query() -> dict[str, list[str]]:
    """Return the query of the address: the texts of each key."""
    return {key: st.query_params.get_all(key) for key in st.query_params}


def read_page_question(kind: type[AnyQuestion]) -> tuple[AnyQuestion, tuple[str, ...]]:
    """Return the question of one class that the address asks, and a sentence on everything that is wrong with the address."""
    return read_fields(kind, read_query())


def is_in_address(kind: type[Question], field: str) -> bool:
    """Return whether the address names a field of a class of questions, with or without a value."""
    return (kind.model_fields[field].alias or field) in st.query_params


def write_page_question(question: Question) -> None:
    """Let the address, from which the page is drawn, ask a question and nothing else.

    Also for buttons: a link to the current page would redraw it without changing the address in the browser.
    """
    st.query_params.from_dict(write_address(question))


def show_link(question: Question, label: str, icon: str | None = None) -> None:
    """Show a link to the page that answers a question."""
    st.page_link(f"views/{question.page}.py", label=label, icon=icon, query_params=write_address(question))


def invite_to_simulate(lacking: str = "You have no games yet.") -> None:
    """Say that there is nothing to show, and lead to the page that simulates games."""
    st.info(f"{lacking} A first run takes a few seconds.")
    with st.container(key="invitations"):
        st.page_link("views/library.py", label="Simulate some games", icon=":material/casino:")


def declare_shown_question(question: Question) -> None:
    """Say which question this page answers, although its address does not ask it.

    For a page that chooses by itself what it shows: a visitor who keeps the page keeps what it has shown.
    """
    st.session_state[_SHOWN_SLOT] = write_address(question)


def read_shown_address() -> dict[str, list[str]]:
    """Return the address that the page has declared; empty if it has declared none."""
    return dict(st.session_state.get(_SHOWN_SLOT, {}))


def read_known_address() -> dict[str, list[str]]:
    """Return the address as the server knows it, with what the page has declared to show."""
    return {**read_shown_address(), **read_query()}


def forget_shown_address() -> None:
    """Forget what a page has declared, before it is drawn again or another page is."""
    st.session_state.pop(_SHOWN_SLOT, None)


def choose_default_run(runs: Sequence[Run]) -> Run:
    """Return the run whose game is shown if the address names no run: the newest with whole games that are logged.

    Continuations of a what-if begin in the middle of a game. They are shown if there is nothing else.
    """
    logged = [run for run in runs if run.summary.log != "scores"]
    whole = [run for run in logged if not run.summary.is_whatif]
    return next(iter([*whole, *logged, *runs]))


def find_addressed_game(
    runs: Mapping[str, Run], name: str, game: int, otherwise: Run, what: str = "run"
) -> tuple[Run, int]:
    """Return the run and the game that a question names; the first game of `otherwise` if `name` is empty.

    If the run does not exist, the page ends with a message and ways to go on: another run's game would be taken for
    the one that was asked for. If only the game does not exist, it shows a warning. `what` is the word for a run.
    """
    name = name or otherwise.name
    if name not in runs:
        st.warning(escape_markdown(f"There is no {what} named {name}. It may have been renamed or deleted."))
        for close in difflib.get_close_matches(name, runs, n=3):
            asked = GameQuestion(run=close)
            st.button(f"Open {close}", key=f"open-{close}", on_click=write_page_question, args=(asked,))
        another = GameQuestion(run=otherwise.name)
        st.button("Open another run", key="open-another", on_click=write_page_question, args=(another,))
        st.page_link("views/library.py", label="All runs are in the library")
        st.stop()
    run = runs[name]
    if game < run.summary.games:
        return run, game
    st.warning(
        escape_markdown(
            f"Run {name} has no game {game + 1}, only games 1 to {run.summary.games}. Showing game 1."
        )
    )
    return run, 0
