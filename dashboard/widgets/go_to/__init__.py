"""The button *Go to*, and its box, which finds pages, their views, rulesets, strategies, runs and notes by words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import streamlit as st

from dashboard import cached
from dashboard.pages import MAX_SHOWN_NAME, MENU_PAGES
from dashboard.view_names import (
    BOARD_VIEWS,
    DECISION_MEASURES,
    EVERYDAY_WORDS,
    MOVE_GROUPINGS,
    ORDERS,
    OTHER_COMPARISONS,
    OTHER_MEASURES,
    PAGE_PARTS,
    VIEWS_OF_DICE,
)
from dashboard.widgets.address import FOLLOWS_SLOT, read_page_question, read_seen_games
from dashboard.widgets.background_work import show_failures
from dashboard.widgets.components import script_renderer
from dashboard.widgets.game_choice import find_decision
from dashboard.widgets.markdown import escape_markdown, remove_direction_marks
from dashboard.widgets.review_all import ask_lesson_slips
from engine import games
from engine.errors import GameError
from engine.wording import capitalise
from pipelines.design.rule_values import list_rule_ranges
from pipelines.design.short_names import short_names
from pipelines.design.titles import format_ruleset, list_ruleset_choices
from pipelines.notes.note import NoteListQuestion, current_address, find_shown_title, names_by_key
from pipelines.notes.store import NoteFilter, NoteStore
from pipelines.questions.address import Address, Question, write_address
from pipelines.questions.comparison import KnownComparisonQuestion, has_different_strategies
from pipelines.questions.game import GameQuestion, game_address
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
MISSING_SLOT: Final = "go-to-missing"
"""The session state holds here the name of a page that does not exist, which the box looks for."""
MAX_WORDS_CHARACTERS: Final = 2000
"""Characters of the text of a note by which it is found here; the page Notes searches all of it."""

NUMBER_WORDS: Final = {1: "solo", 2: "two", 3: "three", 4: "four"}
"""By the number of players."""


class Place(NamedTuple):
    """A place of the dashboard that people call by a name."""

    name: str
    """What it is called, and after the last dot in the middle what it is."""
    page: str
    address: Address
    words: str = ""
    """Other words that lead there."""
    subject: str = ""
    """What a place is listed for only if a word that is typed is one of it: what tells a ruleset from the usual one of its game."""
    identifier: str = ""
    """What files and commands call it, which leads there, too."""
    games: int = 0
    """The games of a run that can be replayed, each of them by its number."""
    is_kept: bool = False
    """Whether it is a note, which stands below everything else that fits."""
    is_of_a_decision: bool = False
    """Whether its address lacks the game and the move, which are looked for when somebody goes there."""

    @property
    def sent(self) -> tuple[str | int, ...]:
        """What the box gets of it."""
        return (*self[:1], *self[3:])

    @classmethod
    def of(
        cls, name: str, question: Question, words: str = "", subject: str = "", identifier: str = ""
    ) -> Place:
        """Return the page that answers a question."""
        return cls(name, question.page, write_address(question), words, subject, identifier)


def show_go_to() -> None:
    """Show the button, which Ctrl+K and / press, too, and the box while it is open: also after work in the background has ended."""
    with st.container(key="go-to-row"):
        st.button(
            "Go to",
            key="go-to",
            icon=":material/search:",
            help="A page, view, ruleset, strategy, run or note (the key /)",
            shortcut="Ctrl+K",
            on_click=_open_box,
        )
    with st.container(key="go-to-keys"):
        script_renderer(FOLDER / "go_to.js")(key="go-to-script", data={}, height="content")
    if PLACES_SLOT in st.session_state:
        _show_box()


def seek_missing_page(name: str) -> None:
    """Open the box, which says that there is no page of a name and looks for the nearest one."""
    _open_box()
    st.session_state[MISSING_SLOT] = name[:MAX_SHOWN_NAME]


def _open_box() -> None:
    st.session_state[PLACES_SLOT] = list(list_places())


def close_box() -> None:
    """Let the box be closed when the page is drawn next."""
    for slot in (PLACES_SLOT, MISSING_SLOT):
        st.session_state.pop(slot, None)


@st.dialog("Go to", on_dismiss=close_box)
def _show_box() -> None:
    missing = st.session_state.get(MISSING_SLOT, "")
    if missing:
        st.warning(escape_markdown(f"There is no page {missing}."))
    with show_failures():
        _ask_place(st.session_state[PLACES_SLOT], missing)


def _ask_place(places: Sequence[Place], typed: str) -> None:
    box = script_renderer(FOLDER / "go_to_box.js", FOLDER / "go_to_box.css")
    data = {"label": "A few words", "typed": typed, "places": [place.sent for place in places]}
    chosen = box(key="go-to-box", data=data, on_chosen_change=lambda: None, height="content").chosen
    if chosen:
        number, game, view = chosen
        place = places[number]
        close_box()
        query = game_address(place.address["run"][0], game - 1) if game else place.address
        if view is not None:
            query = {**query, **places[view].address}
        if place.is_of_a_decision:
            query = {**find_decision({run.name: run for run in cached.all_runs()}), **query}
            st.session_state[FOLLOWS_SLOT] = st.session_state.get(FOLLOWS_SLOT, 0) + 1
        st.switch_page(f"views/{place.page}.py", query_params=query)


def list_places() -> Iterator[Place]:
    """Yield all places that have a name, each kind in the order of its lists: of views first those of the ruleset that is shown."""
    library, runs = cached.dashboard_library(), cached.all_runs()
    for page in MENU_PAGES:
        yield Place(f"{page.title} · page", page.script, {}, EVERYDAY_WORDS.get(page.title, ""))
    rulesets = library.catalogue.rulesets
    logged = {rules.name for run in runs for rules in run.summary.rulesets}
    shown_ruleset = _find_shown_ruleset(rulesets, runs)
    if runs:
        yield from _list_score_views(
            shown_ruleset if shown_ruleset and shown_ruleset.name in logged else None
        )
    yield from _list_rule_views(shown_ruleset)
    if runs:
        yield from _list_board_views()
        seen = list(read_seen_games())
        seen_ranks = dict(zip(seen, range(len(seen)), strict=True))
        runs = sorted(runs, key=lambda run: (seen_ranks.get(run.name, len(seen)), run.summary.is_whatif))
        yield Place.of("Make lessons · scores", ask_lesson_slips(runs), "learn practise practice")
    titles = list_ruleset_choices(rulesets)
    called = {name: _list_words(rulesets[name], title) for name, title in titles.items()}
    subjects = _name_variants(list(rulesets.values()), called, shown_ruleset)
    subjects_with_games = _name_variants(
        [rules for rules in rulesets.values() if rules.name in logged], called, shown_ruleset
    )
    for name, title in titles.items():
        rules, hand_game = RulesQuestion(ruleset=name), HandGameQuestion(ruleset=name)
        yield Place.of(f"{title} · rules", rules, called[name], subjects[name], name)
        yield Place.of(f"{title} · play", hand_game, called[name], subjects[name], name)
        if name in logged:
            scores, replays = ScoresQuestion(rulesets=(name,)), GamesQuestion(rulesets=(name,))
            words = f"{called[name]} average mean best better strategy strategies wins most winner"
            yield Place.of(f"{title} · scores", scores, words, subjects_with_games[name], name)
            yield Place.of(f"{title} · replays", replays, called[name], subjects_with_games[name], name)
    yield from _list_strategies(runs)
    yield from map(_place_run, runs)
    for name, title in titles.items():
        ruleset = rulesets[name]
        yield from _list_options(ruleset, title, subjects[name])
        yield from _list_rule_views(ruleset, title, subjects[name] or called[name])
        if name in logged:
            yield from _list_score_views(ruleset, title, subjects_with_games[name] or called[name])
    yield from _list_notes(NoteStore(library.folder), runs)


def _list_words(ruleset: Ruleset, title: str) -> str:
    """Return the words by which people call a ruleset, without "players", which all have."""
    number = NUMBER_WORDS.get(ruleset.players, "")
    words = re.findall(r"\w+", f"{title} {ruleset.name} {number}".casefold())
    return " ".join(word for word in dict.fromkeys(words) if word not in {"player", "players"})


def _name_variants(
    rulesets: Sequence[Ruleset], called: Mapping[str, str], shown_ruleset: Ruleset | None
) -> dict[str, str]:
    """Return by name the words that tell a ruleset from the usual one of its game, which is the one that is shown or the first one."""
    usual: dict[str, str] = {}
    for ruleset in sorted(rulesets, key=lambda ruleset: ruleset is not shown_ruleset):
        usual.setdefault(ruleset.game, called[ruleset.name])
    return {
        rules.name: " ".join(
            word for word in called[rules.name].split() if word not in usual[rules.game].split()
        )
        for rules in rulesets
    }


def _list_board_views() -> Iterator[Place]:
    """Yield what the board of a game shows."""
    for name, fields in BOARD_VIEWS.items():
        question = GameQuestion(**fields)
        yield Place.of(f"{name} · replay", question, EVERYDAY_WORDS[name])._replace(is_of_a_decision=True)


def _list_strategies(runs: Sequence[Run]) -> Iterator[Place]:
    """Yield the newest comparison of the same strategies under a ruleset, and for each strategy the games that it won."""
    compared: dict[str, Place] = {}
    for run in runs:
        if has_different_strategies(run.summary):
            strategies = short_names(run.summary.strategies)
            title = f"{' against '.join(strategies.values())}, {format_ruleset(run.summary.rulesets[0])}"
            words = f"{EVERYDAY_WORDS['Strategies']} {' '.join(strategies)}"
            place = Place.of(f"{title} · strategies", KnownComparisonQuestion(run=run.name), words)
            compared.setdefault(place.name, place)
    yield from compared.values()
    played = sorted({name for run in runs for name in run.summary.strategies})
    for name, short_name in short_names(played).items():
        games_won = GamesQuestion(winner=name)
        yield Place.of(f"{short_name}, games that it won · replays", games_won, identifier=name)


def _place_run(run: Run) -> Place:
    title = f"{wording.format_run_title(run.summary)} · {run.name} · run"
    if run.summary.log == "scores":
        scores = ScoresQuestion(rulesets=(run.summary.rulesets[0].name,), runs=(run.name,))
        return Place.of(title, scores, identifier=run.name)
    return Place.of(title, GameQuestion(run=run.name), identifier=run.name)._replace(games=run.summary.games)


def _find_shown_ruleset(rulesets: Mapping[str, Ruleset], runs: Sequence[Run]) -> Ruleset | None:
    """Return the ruleset in the address of the page that is shown, or that of its run."""
    scores, game = read_page_question(ScoresQuestion)[0], read_page_question(GameQuestion)[0]
    run_names = {game.run, *scores.runs}
    played = [rules.name for run in runs if run.name in run_names for rules in run.summary.rulesets]
    names = (read_page_question(RulesQuestion)[0].ruleset, *scores.rulesets, *played)
    return next((rulesets[name] for name in names if name in rulesets), None)


def _list_score_views(ruleset: Ruleset | None, title: str = "", subject: str = "") -> Iterator[Place]:
    """Yield the views of the page Scores and the orders of the page Replays, of a ruleset or of what these pages choose."""
    chosen: dict[str, Any] = {"rulesets": (ruleset.name,)} if ruleset else {}
    fields: dict[str, dict[str, Any]] = {
        **{name: {"view": view} for view, name in (OTHER_COMPARISONS | OTHER_MEASURES).items()},
        **{name: {"view": "Moves", "by": name} for name in MOVE_GROUPINGS},
        **{name: {"view": "Decisions", "measure": measure} for measure, name in DECISION_MEASURES.items()},
    }
    questions: dict[str, tuple[str, Question]] = {
        **{name: ("scores", ScoresQuestion(**chosen, **fields[name])) for name in fields},
        **{
            name: ("replays", GamesQuestion(**chosen, sort=sort, is_lowest=is_lowest))
            for name, (sort, is_lowest) in ORDERS.items()
        },
    }
    for name, (page, question) in questions.items():
        if not ruleset or _has_view(ruleset, name):
            yield _place_view(name, title, page, question, subject)


def _list_rule_views(ruleset: Ruleset | None, title: str = "", subject: str = "") -> Iterator[Place]:
    """Yield the parts of the page Rules on a ruleset, or on the one that the page chooses."""
    for part, name in PAGE_PARTS.items():
        if part != "rules":  # the rules themselves are a place of their own
            question = RulesQuestion(ruleset=ruleset.name if ruleset else "", part=part)
            yield _place_view(name, title, "rules", question, subject)


def _list_options(ruleset: Ruleset, title: str, subject: str) -> Iterator[Place]:
    """Yield what each option of a ruleset changes."""
    for option in list_rule_ranges(ruleset):
        rule = name_rule(ruleset.game, option.key)
        question = RuleEffectQuestion(ruleset=ruleset.name, vary=(option.key,))
        words = f"{option.key} {EVERYDAY_WORDS[PAGE_PARTS['effect']]} a rule"
        yield Place.of(f"What {rule} changes, {title} · rules", question, words, subject)


def _place_view(name: str, title: str, page: str, question: Question, subject: str) -> Place:
    start = f"by {name}" if name in {"part", "round", *MOVE_GROUPINGS} else name
    end = f", {title}" if title else ""
    return Place.of(f"{capitalise(start)}{end} · {page}", question, EVERYDAY_WORDS.get(name, ""), subject)


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
            yield Place(f"{title} · {note.kind_name}", note.page, address, words, is_kept=True)
