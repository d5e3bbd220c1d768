"""Keep holds what a page shows as one note, and opens again what was kept of the page."""

from __future__ import annotations

import re
import time
from html import unescape
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from pipelines.notes.note import NoteContent, NotePlace, run_key
from pipelines.notes.store import NoteFilter, NoteStore, find_question, list_questions, save_question
from pipelines.questions.address import write_address
from pipelines.questions.card import CardQuestion
from pipelines.questions.rule_effect import RuleEffectQuestion
from pipelines.questions.sql import SqlQuestion
from pipelines.questions.whatif import ManyGamesQuestion
from pipelines.runs.library import Library
from tests.browser import wait_until_settled
from tests.dashboard.reading import read_html, read_page_text

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
        ("whatif", {"run": "made", "game-number": "3"}, {"run": ["made"], "game-number": ["3"]}),
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
    store: NoteStore,
    page: str,
    address: dict[str, str | list[str]],
    kept: dict[str, list[str]],
) -> None:
    at = open_dashboard_page(f"{page}.py", store.path.parent, **address)
    for _ in range(2):  # the same note is kept once
        at.text_input(key="keep-title").set_value("Early points")
        next(button for button in at.button if button.label == "Keep").click().run()
        assert not at.exception
        assert at.toast[0].value.replace("\\", "") == "Kept in [Notes](notes): Early points"
        (note,) = store.search(NoteFilter()).notes
        assert (note.page, note.title, dict(note.address)) == (page, "Early points", kept)
    at = open_dashboard_page(
        f"{page}.py", store.path.parent, **({"play": "bloxx"} if page == "library" else {})
    )
    (link,) = kept_links(at)
    assert link.startswith(("?play", page))
    assert parse_qs(urlsplit(link).query) == kept
    is_comparison = page == "strategies" and "run" in kept
    assert (
        "Greedy beats random by" in " ".join(one for one in read_html(at) if "kept" in one)
    ) == is_comparison


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
    open_dashboard_page: Callable[..., AppTest], store: NoteStore, question: Question, slot: str
) -> None:
    at = open_dashboard_page(f"{question.page}.py", store.path.parent, **write_address(question))
    work = at.session_state[slot][1]
    work.wait(120)
    for words in ("", "My own words"):
        at.run()
        at.text_area(key="keep-text").set_value(words)
        next(button for button in at.button if button.label == "Keep").click().run()
    own, note = store.search(NoteFilter()).notes
    assert own.text == f"My own words\n{note.text}"
    kinds = {"rules-effect-work": "comparison", "rules-card-work": "rules"}
    assert note.kind == kinds.get(slot, "what-if")
    assert note.text
    assert note.text in read_page_text(at)
    at = open_dashboard_page("notes.py", store.path.parent)
    assert not at.exception
    boards = [one.proto.id for one in at.get("bidi_component") if "-picture-" in one.proto.id]
    assert len(boards) == (0 if slot == "whatif-many" else 2)


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
    keep_in_popover(page, "By seat", store, "scores")
    (note,) = list_questions(store, "scores")
    assert note.address.keys() == {"rulesets", "view"}
    page.goto(f"{dashboard_address}/scores")
    page.get_by_role("button", name="Keep · 1 note").click()
    page.get_by_role("link", name="By seat").click()
    page.wait_for_url(re.compile("view=Players"))
    page.get_by_role("heading", name="Mean score of each player").wait_for()

    page.goto(f"{dashboard_address}/sql?{urlencode({'sql': 'SELECT $n * 2 AS twice'})}")
    page.get_by_label("$n", exact=True).fill("21")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Answer", exact=True).wait_for()
    wait_until_settled(page)
    keep_in_popover(page, "Twice", store, "sql")
    assert dict(find_question(store, "twice").address) == {"sql": ["SELECT $n * 2 AS twice"], "set": ["n=21"]}


def keep_in_popover(page: Page, name: str, store: NoteStore, script: str) -> None:
    """Keep what a page shows, and wait until it is on disk."""
    page.get_by_role("button", name="Keep").first.click()
    page.get_by_role("textbox", name="Title").fill(name)
    wait_until_settled(page)  # the menu tells the server what the browser shows
    page.get_by_test_id("stFormSubmitButton").get_by_role("button", name="Keep").click()
    page.get_by_test_id("stToast").get_by_text(name).first.wait_for()
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
    open_dashboard_page: Callable[..., AppTest], store: NoteStore
) -> None:
    place = NotePlace("question", "sql", {"sql": [f"SELECT '{HOSTILE}'"]})
    store.add(place, NoteContent(HOSTILE, HOSTILE, ("odd",), is_favourite=True))
    save_question(store, "Plain", SqlQuestion(sql="SELECT 1"))
    at = open_dashboard_page("sql.py", store.path.parent)
    (shown,) = [str(element.proto.body) for element in at.get("html") if "<ul" in str(element.proto.body)]
    assert shown.count("&lt;img src=x onerror=alert(1)&gt; **bold**") == 2
    assert "<img" not in shown
    assert re.search(r"★ <a [^<]*</a><br><small>odd · &lt;img", shown)
    assert parse_qs(urlsplit(kept_links(at)[1]).query) == dict(place.address)


def test_a_question_follows_its_run_and_says_when_it_is_gone(
    open_dashboard_page: Callable[..., AppTest], store: NoteStore
) -> None:
    folder = store.path.parent
    run = Library(folder).run("made")
    store.add(NotePlace("comparison", "strategies", {"run": ["made"]}, run_key(run)), NoteContent("Who?"))
    (folder / "runs" / "made.duckdb").rename(folder / "runs" / "other name.duckdb")
    assert kept_links(open_dashboard_page("strategies.py", folder)) == ["strategies?run=other+name"]
    (folder / "runs" / "other name.duckdb").unlink()
    at = open_dashboard_page("strategies.py", folder)
    assert kept_links(at) == []
    assert any("the run is no longer here" in str(element.proto.body) for element in at.get("html"))
