"""Keep holds what a page shows as one note, and opens again what was kept of the page."""

from __future__ import annotations

import re
import time
from html import unescape
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from streamlit.testing.v1.element_tree import Block

from pipelines.notes.note import NoteContent, place_of_game, place_of_run
from pipelines.notes.store import NoteFilter, NoteStore, find_question, list_questions
from pipelines.questions.address import write_address
from pipelines.questions.card import CardQuestion
from pipelines.questions.rule_effect import RuleEffectQuestion
from pipelines.questions.whatif import ManyGamesQuestion
from pipelines.runs.library import Library
from tests.browser import wait_until_settled
from tests.dashboard.reading import open_menu, read_page_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page
    from streamlit.testing.v1 import AppTest

    from pipelines.questions.address import Question
    from pipelines.runs.run import Run

HOSTILE = "<img src=x onerror=alert(1)> **bold** [link](http://evil.example) :smile: $x$"


@pytest.fixture
def store(small_run: Run, tmp_path: Path) -> NoteStore:
    """The notes of a library with the run `made`."""
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "made.duckdb").symlink_to(small_run.path)
    return NoteStore(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "address", "kept"),
    [
        ("sql", {"sql": "SELECT $n", "set": "n=3"}, {"sql": ["SELECT $n"], "set": ["n=3"]}),
        ("strategies", {"run": "made"}, {"run": ["made"]}),
        (
            "strategies",
            {"ruleset": "bloxx-3p", "strategies": ["greedy", "noisy:sigma=3"], "seed": "7"},
            {"ruleset": ["bloxx-3p"], "strategies": ["greedy", "noisy:sigma=3"], "seed": ["7"]},
        ),
        (
            "replay",
            {"run": "made", "game-number": "3", "move": "4", "luck": "1"},
            {"run": ["made"], "game-number": ["3"], "move": ["4"], "luck": ["1"]},
        ),
        ("whatif", {"run": "made", "many": "all"}, {"run": ["made"], "many": ["all"]}),
        (
            "games",
            {"sort": "margin", "lowest": "1"},
            {"rulesets": ["bloxx-2p"], "sort": ["margin"], "lowest": ["1"]},
        ),
        (
            "library",
            {"play": "bloxx", "ruleset": "bloxx-2p", "strategies": ["planner", "greedy"], "games": "40"},
            {
                "play": ["bloxx"],
                "ruleset": ["bloxx-2p"],
                "strategies": ["planner", "greedy"],
                "games": ["40"],
            },
        ),
    ],
)
def test_every_page_keeps_what_it_shows_once_and_opens_it_again(
    open_dashboard_page: Callable[..., AppTest],
    press_keep: Callable[[AppTest], None],
    store: NoteStore,
    page: str,
    address: dict[str, str | list[str]],
    kept: dict[str, list[str]],
) -> None:
    for words in ("", "Early points"):  # the same note is kept once
        at = open_dashboard_page(f"{page}.py", store.path.parent, **address)
        assert read_keep_label(at) == ("Keep · 1 note" if words else "Keep")
        press_keep(at)
        (note,) = store.search(NoteFilter()).notes
        assert (note.page, dict(note.address)) == (page, kept)
        title = at.text_input(key=f"keep-{note.note_id}-title")
        assert title.value == note.title
        title.set_value("Early points")
        open_menu(at, "keep-menu")
        assert store.find(note.note_id).title == "Early points"
        assert [button.label for button in at.button if button.key == "keep-undo"] == (
            [] if words else ["Undo"]
        )
    elsewhere = {"play": "spexxx"} if page == "library" else {}
    is_newest = (
        page == "strategies" and "run" in kept
    )  # the page shows this comparison without an address, too
    label = read_keep_label(open_dashboard_page(f"{page}.py", store.path.parent, **elsewhere))
    assert label == ("Keep · 1 note" if is_newest else "Keep")


def read_keep_label(at: AppTest) -> str:
    """Return the label of the button Keep, with the number of notes of what the page shows."""
    menu = at.main.get_by_key("keep-menu")
    assert isinstance(menu, Block)
    return str(menu.proto.popover.label)


def test_a_note_is_undone_with_the_click_that_closes_the_menu(
    open_dashboard_page: Callable[..., AppTest], press_keep: Callable[[AppTest], None], store: NoteStore
) -> None:
    at = open_dashboard_page("strategies.py", store.path.parent, run="made")
    press_keep(at)
    at.button(key="keep-undo").click().run()
    assert not at.exception
    assert store.search(NoteFilter()).total == 0
    assert at.session_state["keep-menu"] is False
    assert read_keep_label(at) == "Keep"


@pytest.mark.slow
def test_a_note_that_another_tab_has_changed_is_not_overwritten(
    open_dashboard_page: Callable[..., AppTest], press_keep: Callable[[AppTest], None], store: NoteStore
) -> None:
    at = open_dashboard_page("strategies.py", store.path.parent, run="made")
    press_keep(at)
    (note,) = store.search(NoteFilter()).notes
    store.change(note, NoteContent("Mine", "from another tab"))
    at.text_area(key=f"keep-{note.note_id}-text").set_value("from this tab")
    open_menu(at, "keep-menu")
    assert "was changed elsewhere" in at.toast[0].value
    assert store.find(note.note_id).text == "from another tab"
    assert at.text_area(key=f"keep-{note.note_id}-text").value == "from this tab"


def test_the_notes_of_a_game_are_counted_without_those_of_others(
    open_dashboard_page: Callable[..., AppTest], press_keep: Callable[[AppTest], None], store: NoteStore
) -> None:
    run = Library(store.path.parent).run("made")
    for place in (place_of_run(run), place_of_game(run, 1), place_of_game(run, 1, 4), place_of_game(run, 2)):
        store.add(place, NoteContent("Noticed"))
    for game, label in ((2, "Keep · 2 notes"), (3, "Keep · 1 note"), (4, "Keep")):
        address = {"run": "made", "game-number": str(game), "move": "8"}
        at = open_dashboard_page("replay.py", store.path.parent, **address)
        assert read_keep_label(at) == label
        if game == 2:
            press_keep(at)
            assert [parse_qs(urlsplit(link).query)["game-number"] for link in kept_links(at)] == [
                ["2"],
                ["2"],
            ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("question", "slot"),
    [
        (
            ManyGamesQuestion(
                run="made", games="all", where="round:2", seats=(0,), strategies=("random",), n=4, limit=3
            ),
            "whatif-many",
        ),
        (
            RuleEffectQuestion(
                ruleset="bloxx-2p", against="bloxx-touch-2p", lineup="greedy,random", blocks=12
            ),
            "rules-effect-work",
        ),
        (CardQuestion(ruleset="bloxx-mini", strategy="greedy", blocks=10), "rules-card-work"),
    ],
)
def test_a_note_of_an_answer_that_was_played_takes_its_sentence_along(
    open_dashboard_page: Callable[..., AppTest],
    press_keep: Callable[[AppTest], None],
    store: NoteStore,
    question: Question,
    slot: str,
) -> None:
    at = open_dashboard_page(f"{question.page}.py", store.path.parent, **write_address(question))
    work = at.session_state[slot][1]
    work.wait(120)
    at.run()
    press_keep(at)
    (note,) = store.search(NoteFilter()).notes
    kinds = {"rules-effect-work": "comparison", "rules-card-work": "rules"}
    assert note.kind == kinds.get(slot, "what-if")
    assert note.text
    assert note.text in read_page_text(at)
    at = open_dashboard_page("notes.py", store.path.parent)
    assert not at.exception
    boards = [one.proto.id for one in at.get("bidi_component") if "-picture-" in one.proto.id]
    assert len(boards) == (0 if slot == "whatif-many" else 1)


def test_settings_and_values_are_kept_and_opened_again(
    dashboard_address: str, copied_data_folder: Path, new_page: Callable[[], Page]
) -> None:
    """The page Scores writes its default ruleset into the address without the server; the note has it, too."""
    page, store = new_page(), NoteStore(copied_data_folder)
    page.goto(f"{dashboard_address}/scores")
    page.locator(".st-key-ask-compared button").click()
    page.get_by_role("menuitem", name="who starts").click()
    page.wait_for_url(re.compile("view=Players"))
    page.wait_for_url(re.compile("rulesets="))
    wait_until_settled(page)
    keep_in_popover(page, "By seat", store, "scores")
    (note,) = list_questions(store, "scores")
    assert note.address.keys() == {"rulesets", "view"}
    page.goto(f"{dashboard_address}/notes?words=by+seat")
    page.get_by_role("link", name="By seat").click()
    page.wait_for_url(re.compile("view=Players"))
    page.get_by_role("button", name="Keep · 1 note").wait_for()

    page.goto(f"{dashboard_address}/sql?{urlencode({'sql': 'SELECT $n * 2 AS twice'})}")
    page.get_by_label("$n", exact=True).fill("21")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Answer", exact=True).wait_for()
    wait_until_settled(page)
    keep_in_popover(page, "Twice", store, "sql")
    assert dict(find_question(store, "twice").address) == {"sql": ["SELECT $n * 2 AS twice"], "set": ["n=21"]}


def keep_in_popover(page: Page, name: str, store: NoteStore, script: str) -> None:
    """Keep what a page shows, give the note a title, and wait until it is on disk."""
    page.get_by_role("button", name="Keep").first.click()
    page.get_by_role("textbox", name="Title").fill(name)
    page.keyboard.press("Escape")
    deadline = time.monotonic() + 10
    while name not in [note.title for note in list_questions(store, script)]:
        assert time.monotonic() < deadline
        time.sleep(0.1)


def kept_links(at: AppTest) -> list[str]:
    """Return the addresses of the notes in the list."""
    bodies = [str(element.proto.body) for element in at.get("html")]
    return [
        unescape(link)
        for body in bodies
        if '<ul class="kept">' in body
        for link in re.findall(r'href="([^"]*)"', body)
    ]


def test_hostile_titles_and_texts_are_text(
    open_dashboard_page: Callable[..., AppTest], press_keep: Callable[[AppTest], None], store: NoteStore
) -> None:
    run = Library(store.path.parent).run("made")
    store.add(place_of_game(run, 1, 4), NoteContent(HOSTILE, HOSTILE, is_favourite=True))
    at = open_dashboard_page("replay.py", store.path.parent, run="made", **{"game-number": "2"})
    press_keep(at)
    (shown,) = [str(element.proto.body) for element in at.get("html") if "<ul" in str(element.proto.body)]
    assert shown.count("&lt;img src=x onerror=alert(1)&gt; **bold**") == 2
    assert "<img" not in shown
    assert re.search(r"★ <a [^<]*</a><br><small>&lt;img", shown)
    assert parse_qs(urlsplit(kept_links(at)[0]).query)["move"] == ["5"]
