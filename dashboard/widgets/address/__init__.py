"""The address of a page, which says what the page shows: a game of a run (`?run=…&game-number=…`) and its settings.

What a page shows by default is written into its address by a script, without a new entry in the history of the browser:
`st.query_params` would add one, and the Back button would lead to the same page once more.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.cached import describe_absent_folder
from dashboard.widgets.components import script_renderer
from dashboard.widgets.markdown import escape_markdown
from pipelines.design.limits import normal_form
from pipelines.questions.address import AnyQuestion, Question, read_fields, write_address
from pipelines.questions.game import GameQuestion, game_address
from pipelines.studies.forms import describe_cost

if TYPE_CHECKING:
    from pipelines.runs.library import Run

VISITS_SLOT: Final = "page-visits"
"""The session state counts here how many pages a visitor has opened. A page that remembers something of its address in the
session state forgets it with the next visit, because that may follow a link."""
_WISHES_SLOT: Final = "wished-answers"
"""The session state holds here how much work, and which SQL, this visitor has asked for with a click."""
REPLAYS_ADDRESS_SLOT: Final = "replays-address"
"""The session state holds here which list of games this visitor has seen last."""
PLAYS_SLOT: Final = "replay-plays"
"""The session state says here why the replay that opens next begins to play; nothing if it does not."""
FOLLOWS_SLOT: Final = "replay-follows"
"""The session state counts here how often a replay that may be open already goes where the address leads."""
_SHOWN_SLOT: Final = "shown-address"


def read_query() -> dict[str, list[str]]:
    """Return the query of the address: the texts of each key."""
    return {key: list(map(normal_form, st.query_params.get_all(key))) for key in st.query_params}


def read_page_question(kind: type[AnyQuestion]) -> tuple[AnyQuestion, tuple[str, ...]]:
    """Return the question of one class that the address asks, and a sentence on everything that is wrong with the address."""
    return read_fields(kind, read_query())


def is_in_address(kind: type[Question], field: str) -> bool:
    """Return whether the address names a field of a class of questions, with or without a value."""
    return (kind.model_fields[field].alias or field) in st.query_params


def write_page_question(question: Question) -> None:
    """Let the address, from which the page is drawn, ask a question and nothing else.

    Call it for a click only, which is the wish to have the answer (`is_wanted`). Also for buttons: a link to the current page would
    redraw it without changing the address in the browser.
    """
    _keep_wish(question)
    st.query_params.from_dict(write_address(question))


def _keep_wish(question: Question) -> None:
    """Note how much work or which SQL this visitor asks for."""
    wishes: dict[str, int] = st.session_state.setdefault(_WISHES_SLOT, {})
    key = _wish_key(question)
    wishes[key] = max(wishes.get(key, 0), question.work.amount if question.work else 0)


def _wish_key(question: Question) -> str:
    return f"{type(question).__name__}: {question.typed_sql}"


def is_wanted(question: Question, seconds: float | None = None) -> bool:
    """Return whether a page may answer a question of its address by itself: a link of another site may have led to it.

    What costs much (`describe_cost`) waits for a click in this session.
    """
    wished = st.session_state.get(_WISHES_SLOT, {}).get(_wish_key(question))
    if question.typed_sql:
        return wished is not None
    if question.work is None or question.work.amount <= (wished or 0):
        return True
    return not describe_cost(question, seconds)


def ask_for_click(question: Question, seconds: float | None = None) -> None:
    """Show the button that has a question answered which waits for a click."""
    cost = describe_cost(question, seconds)
    st.info(f"The address asks for {cost}. It is answered when you say so: anybody can make such a link.")
    st.button("Answer it", type="primary", key="answer-address", on_click=_keep_wish, args=(question,))


def show_link(question: Question, label: str, icon: str | None = None) -> None:
    """Show a link to the page that answers a question. A click on it is the wish to have the answer."""
    _keep_wish(question)
    st.page_link(f"views/{question.page}.py", label=label, icon=icon, query_params=write_address(question))


def invite_to_simulate(lacking: str = "You have no games yet.") -> None:
    """Say that there is nothing to show, and lead to the page that simulates games."""
    st.info(f"{lacking} A first run takes a few seconds. {escape_markdown(describe_absent_folder())}".strip())
    with st.container(key="invitations"):
        st.page_link("views/library.py", label="Simulate some games", icon=":material/casino:")


def name_tab(subject: str) -> None:
    """Let the tab, the history and bookmarks of the browser name what the page is about before the page itself."""
    page = st.session_state.get("page")
    st.set_page_config(page_title=" · ".join(filter(None, (subject, page, "Reroll"))))


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
    runs: Mapping[str, Run], name: str, game: int, otherwise: Run, noun: str = "run"
) -> tuple[Run, int]:
    """Return the run and the game that a question names; the first game of `otherwise` if `name` is empty.

    If the run does not exist, the page ends with a message and ways to go on: another run's game would be taken for
    the one that was asked for. If only the game does not exist, it shows a warning. `noun` is the word for a run.
    """
    name = name or otherwise.name
    if name not in runs:
        st.warning(escape_markdown(f"There is no {noun} named {name}. It may have been renamed or deleted."))
        for close in difflib.get_close_matches(name, runs, n=3):
            close_question = GameQuestion(run=close)
            st.button(
                f"Open {close}", key=f"open-{close}", on_click=write_page_question, args=(close_question,)
            )
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


def show_address_problems(problems: Sequence[str]) -> None:
    """Show what in the address does not exist, in one message."""
    if problems:
        st.warning(escape_markdown(" ".join(problems)))


_SEEN_GAMES_SLOT: Final = "seen-games"


def read_seen_games() -> dict[str, int]:
    """Return the number of the game that a visitor has seen last of each run, the run that was opened last first."""
    return dict(reversed(st.session_state.get(_SEEN_GAMES_SLOT, {}).items()))


def write_address_defaults(page: str, defaults: Mapping[str, Sequence[str]]) -> None:
    """Write these values into the address of the page `page`, each only if the address does not hold its key."""
    # The browser runs the script again whenever the data change, so they hold the address as the server knows it.
    listed = {key: list(values) for key, values in defaults.items()}
    data = {"page": page, "defaults": listed, "held": read_query()}
    script_renderer(Path(__file__).with_name("defaults.js"))(
        key="address-defaults", data=data, height="content"
    )


def write_game_defaults(page: str, run: str, game: int) -> None:
    """Write the game that a page shows into its address where the address names no run or no game, and remember it."""
    seen: dict[str, int] = st.session_state.setdefault(_SEEN_GAMES_SLOT, {})
    seen.pop(run, None)
    seen[run] = game
    write_address_defaults(page, game_address(run, game))
