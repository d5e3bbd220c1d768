"""The button *Go to*, and its box, which finds pages, games, rulesets, strategies, runs and notes by their names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import streamlit as st

from dashboard import cached
from dashboard.pages import MENU_PAGES
from dashboard.widgets.background_work import show_failures
from dashboard.widgets.components import script_renderer
from dashboard.widgets.focus import request_focus, show_when_requested
from dashboard.widgets.markdown import remove_direction_marks
from engine.errors import GameError
from pipelines.design.short_names import short_names
from pipelines.design.titles import list_ruleset_choices
from pipelines.notes.note import current_address, find_shown_title, names_by_key
from pipelines.notes.store import NoteFilter, NoteStore
from pipelines.questions.address import Address, Question, write_address
from pipelines.questions.game import GameQuestion
from pipelines.questions.games import GamesQuestion
from pipelines.questions.hand_game import HandGameQuestion
from pipelines.questions.rules import RulesQuestion
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.report import wording

SCRIPT: Final = Path(__file__).with_name("go_to.js")


class Place(NamedTuple):
    """A place of the dashboard that people call by a name."""

    name: str
    page: str
    address: Address

    @classmethod
    def of(cls, name: str, question: Question) -> Place:
        """Return the page that answers a question."""
        return cls(name, question.page, write_address(question))


def show_go_to() -> None:
    """Show the button, which Ctrl+K and / press, too."""
    with st.container(key="go-to-row"):
        st.button(
            "Go to",
            key="go-to",
            icon=":material/search:",
            help="A page, game, ruleset, strategy, run or note, by its name (the key /)",
            shortcut="Ctrl+K",
            on_click=_ask_where,
        )
    with st.container(key="go-to-keys"):
        script_renderer(SCRIPT)(key="go-to-script", data={}, height="content")


def _ask_where() -> None:
    """Open the box, with the keyboard in its field."""
    request_focus("go-to-box")
    _show_box()


@st.dialog("Go to")
def _show_box() -> None:
    with show_failures():
        _ask_name()


def _ask_name() -> None:
    places = list(list_places())
    with st.container(key="go-to-box"):
        number = st.selectbox(
            "The name of a page, game, ruleset, strategy, run or note",
            range(len(places)),
            index=None,
            format_func=lambda number: places[number].name,
            placeholder="Type a few letters",
            key="go-to-name",
        )
    show_when_requested("go-to-box")
    if number is not None:
        del st.session_state["go-to-name"]
        place = places[number]
        st.switch_page(f"views/{place.page}.py", query_params=place.address)


def list_places() -> Iterator[Place]:
    """Yield all places that have a name, each kind in the order of its lists."""
    library, runs = cached.dashboard_library(), cached.all_runs()
    for page in MENU_PAGES:
        yield Place(f"{page.title} · page", page.script, {})
    rulesets, logged = (
        library.catalogue.rulesets,
        {rules.name for run in runs for rules in run.summary.rulesets},
    )
    for name, title in list_ruleset_choices(rulesets).items():
        yield Place.of(f"{title} · rules", RulesQuestion(ruleset=name))
        yield Place.of(f"{title} · play", HandGameQuestion(ruleset=name))
        if name in logged:
            yield Place.of(f"{title} · scores", ScoresQuestion(rulesets=(name,)))
            yield Place.of(f"{title} · replays", GamesQuestion(rulesets=(name,)))
    played = sorted({name for run in runs for name in run.summary.strategies})
    for name, short_name in short_names(played).items():
        yield Place.of(f"{short_name} · games that it won", GamesQuestion(winner=name))
    for run in runs:
        title = f"{wording.format_run_title(run.summary)} · {run.name}"
        if run.summary.log == "scores":
            question: Question = ScoresQuestion(rulesets=(run.summary.rulesets[0].name,), runs=(run.name,))
        else:
            question = GameQuestion(run=run.name)
        yield Place.of(f"{title} · run", question)
    try:
        notes = NoteStore(library.folder).search(NoteFilter()).notes
    except GameError:  # the page Notes says why its file cannot be read
        return
    names = names_by_key(runs)
    for note in notes:
        if (address := current_address(note, names)) is not None:
            title = remove_direction_marks(find_shown_title(note, address, runs))
            yield Place(f"{title} · note", note.page, address)
