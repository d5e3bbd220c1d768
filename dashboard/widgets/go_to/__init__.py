"""The button *Go to*, and its box, which finds pages, their views, rulesets, strategies, runs and notes by words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import streamlit as st

from dashboard import cached
from dashboard.pages import MENU_PAGES
from dashboard.view_names import (
    DECISION_MEASURES,
    EVERYDAY_WORDS,
    MOVE_GROUPINGS,
    ORDERS,
    OTHER_COMPARISONS,
    OTHER_MEASURES,
    PAGE_PARTS,
    VIEWS_OF_DICE,
)
from dashboard.widgets.background_work import show_failures
from dashboard.widgets.components import script_renderer
from dashboard.widgets.markdown import remove_direction_marks
from engine import games
from engine.errors import GameError
from engine.wording import capitalise
from pipelines.design.rule_values import list_rule_ranges
from pipelines.design.short_names import short_names
from pipelines.design.titles import list_ruleset_choices
from pipelines.notes.note import NoteListQuestion, current_address, find_shown_title, names_by_key
from pipelines.notes.store import NoteFilter, NoteStore
from pipelines.questions.address import Address, Question, write_address
from pipelines.questions.game import GameQuestion
from pipelines.questions.games import GamesQuestion
from pipelines.questions.hand_game import HandGameQuestion
from pipelines.questions.rule_effect import RuleEffectQuestion
from pipelines.questions.rules import RulesQuestion
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.report import wording
from pipelines.report.ruleset_words import name_rule

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from pipelines.runs.run import Run

FOLDER: Final = Path(__file__).parent
PLACES_SLOT: Final = "go-to-places"
"""The session state holds here the places that the box offers."""
MAX_WORDS_CHARACTERS: Final = 2000
"""Characters of the text of a note by which it is found here; the page Notes searches all of it."""


class Place(NamedTuple):
    """A place of the dashboard that people call by a name."""

    name: str
    """What it is called, and after the last dot in the middle what it is."""
    page: str
    address: Address
    words: str = ""
    """Other words that lead there."""

    @classmethod
    def of(cls, name: str, question: Question, words: str = "") -> Place:
        """Return the page that answers a question."""
        return cls(name, question.page, write_address(question), words)


def show_go_to() -> None:
    """Show the button, which Ctrl+K and / press, too."""
    with st.container(key="go-to-row"):
        st.button(
            "Go to",
            key="go-to",
            icon=":material/search:",
            help="A page, view, ruleset, strategy, run or note (the key /)",
            shortcut="Ctrl+K",
            on_click=_ask_where,
        )
    with st.container(key="go-to-keys"):
        script_renderer(FOLDER / "go_to.js")(key="go-to-script", data={}, height="content")


def _ask_where() -> None:
    """Open the box."""
    st.session_state[PLACES_SLOT] = list(list_places())
    _show_box()


@st.dialog("Go to")
def _show_box() -> None:
    with show_failures():
        _ask_place(st.session_state[PLACES_SLOT])


def _ask_place(places: Sequence[Place]) -> None:
    box = script_renderer(FOLDER / "go_to_box.js", FOLDER / "go_to_box.css")
    data = {"label": "A few words", "places": [(place.name, place.words) for place in places]}
    number = box(key="go-to-box", data=data, on_chosen_change=lambda: None, height="content").chosen
    if isinstance(number, int) and 0 <= number < len(places):
        place = places[number]
        st.switch_page(f"views/{place.page}.py", query_params=place.address)


def list_places() -> Iterator[Place]:
    """Yield all places that have a name, each kind in the order of its lists: of views those of no ruleset first."""
    library, runs = cached.dashboard_library(), cached.all_runs()
    for page in MENU_PAGES:
        yield Place(f"{page.title} · page", page.script, {}, EVERYDAY_WORDS.get(page.title, ""))
    rulesets = library.catalogue.rulesets
    logged = {rules.name for run in runs for rules in run.summary.rulesets}
    if runs:
        yield from _list_score_views()
        yield from _list_orders()
    titles = list_ruleset_choices(rulesets)
    for name, title in titles.items():
        yield Place.of(f"{title} · rules", RulesQuestion(ruleset=name))
        yield Place.of(f"{title} · play", HandGameQuestion(ruleset=name))
        if name in logged:
            yield Place.of(f"{title} · scores", ScoresQuestion(rulesets=(name,)))
            yield Place.of(f"{title} · replays", GamesQuestion(rulesets=(name,)))
    yield from _list_notes(NoteStore(library.folder), runs)
    for name, title in titles.items():
        yield from _list_rule_views(rulesets[name], title)
        if name in logged:
            yield from _list_score_views(rulesets[name], title)
            yield from _list_orders(rulesets[name], title)
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


def _list_score_views(ruleset: Ruleset | None = None, title: str = "") -> Iterator[Place]:
    """Yield the views of the page Scores, of a ruleset or of the one that the page chooses."""
    fields: dict[str, dict[str, Any]] = {
        **{name: {"view": view} for view, name in (OTHER_COMPARISONS | OTHER_MEASURES).items()},
        **{name: {"view": "Moves", "by": name} for name in MOVE_GROUPINGS},
        **{name: {"view": "Decisions", "measure": measure} for measure, name in DECISION_MEASURES.items()},
    }
    chosen: dict[str, Any] = {"rulesets": (ruleset.name,)} if ruleset else {}
    for name, view in fields.items():
        if not ruleset or _has_view(ruleset, name):
            yield _place_view(name, title, "scores", ScoresQuestion(**chosen, **view))


def _list_orders(ruleset: Ruleset | None = None, title: str = "") -> Iterator[Place]:
    """Yield the orders of the page Replays, of a ruleset or of the game that the page chooses."""
    for name, (sort, is_lowest) in ORDERS.items():
        if not ruleset or _has_view(ruleset, name):
            names = (ruleset.name,) if ruleset else ()
            question = GamesQuestion(rulesets=names, sort=sort, is_lowest=is_lowest)
            yield _place_view(name, title, "replays", question)


def _list_rule_views(ruleset: Ruleset, title: str) -> Iterator[Place]:
    """Yield the parts of the page Rules on a ruleset, and what each of its options changes."""
    for part, name in PAGE_PARTS.items():
        if part != "rules":  # the rules themselves are a place of their own
            yield _place_view(name, title, "rules", RulesQuestion(ruleset=ruleset.name, part=part))
    for option in list_rule_ranges(ruleset):
        rule = name_rule(ruleset.game, option.key)
        question = RuleEffectQuestion(ruleset=ruleset.name, vary=(option.key,))
        words = EVERYDAY_WORDS[PAGE_PARTS["effect"]]
        yield Place.of(f"What {rule} changes, {title} · rules", question, f"{option.key} {words} a rule")


def _place_view(name: str, title: str, page: str, question: Question) -> Place:
    start = f"by {name}" if name in {"part", "round", *MOVE_GROUPINGS} else name
    end = f", {title}" if title else ""
    return Place.of(f"{capitalise(start)}{end} · {page}", question, EVERYDAY_WORDS.get(name, ""))


def _has_view(ruleset: Ruleset, name: str) -> bool:
    return bool(games.find_game(ruleset.game).dice(ruleset)) or name not in VIEWS_OF_DICE


def _list_notes(store: NoteStore, runs: Sequence[Run]) -> Iterator[Place]:
    """Yield the collections, named as lessons if one of their notes is a lesson, and the notes."""
    try:
        notes, collections = store.search(NoteFilter()).notes, store.collections()
    except GameError:  # the page Notes says why its file cannot be read
        return
    lessons = {name for note in notes if note.is_lesson for name in note.collections}
    for name in collections:
        kind = "lessons" if name in lessons else "notes"
        words = "learn practise practice" if name in lessons else ""
        yield Place.of(f"{remove_direction_marks(name)} · {kind}", NoteListQuestion(collection=name), words)
    names = names_by_key(runs)
    for note in notes:
        if (address := current_address(note, names)) is not None:
            title = remove_direction_marks(find_shown_title(note, address, runs))
            words = f"{note.text[:MAX_WORDS_CHARACTERS]} {' '.join(note.collections)}"
            yield Place(f"{title} · {note.kind_name}", note.page, address, words)
