"""What a page shows is kept with one click, found again on the page Notes, and changed there without losing anything."""

from __future__ import annotations

import json
import os
import re
import time
from base64 import b64decode
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import expect

from dashboard import cached
from dashboard.widgets.keep.give_away import write_page_study
from dashboard.widgets.markdown import escape_markdown
from engine.errors import GameError
from pipelines.notes.exchange import parse_notes
from pipelines.notes.note import NoteContent, NotePlace, place_of_game, place_of_run, title_of_place
from pipelines.notes.store import NoteFilter, NoteStore
from pipelines.report import wording
from pipelines.runs.library import Library
from tests.axe import find_faults
from tests.browser import find_box, wait_until_settled
from tests.dashboard.reading import open_menu, read_html, read_offered_files, read_page_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page
    from streamlit.testing.v1 import AppTest

    from pipelines.runs.run import Run

HOSTILE = "<img src=x onerror=alert(1)> **bold** [link](http://evil.example) :smile: $x$"


@pytest.fixture
def folder(small_run: Run, tmp_path: Path) -> Path:
    """A data folder with the run `made`."""
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "made.duckdb").symlink_to(small_run.path)
    return tmp_path


@pytest.fixture
def store(folder: Path) -> NoteStore:
    run = Library(folder).run("made")
    store = NoteStore(folder)
    store.add(place_of_game(run, 1, 4), NoteContent("Late", "why?", ("Lesson 1",)))
    store.add(place_of_game(run, 2), NoteContent("Close", is_favourite=True))
    store.add(NotePlace("game", "replay", {"run": ["gone"]}, "no such run"), NoteContent("Lost", HOSTILE))
    return store


def press_in_menu(at: AppTest, key: str, label: str) -> None:
    """Press a button of an open menu, which stays open."""
    button = next(button for button in at.button if button.label == label).click()
    at.session_state[key] = True  # AppTest forgets which menus are open
    button.run()
    assert not at.exception


def note_links(at: AppTest) -> list[Any]:
    """Return the links of notes; those of the menu have no bold labels."""
    return [link for link in at.get("page_link") if link.proto.label.startswith("**")]


def shown_titles(at: AppTest) -> list[str]:
    """Return the titles of the notes that the page shows, as links or, if their run is gone, as text."""
    assert not at.exception
    links = [link.proto.label.strip("*").removeprefix("★ ") for link in note_links(at)]
    texts = [text.value.strip("*") for text in at.markdown if text.value.startswith("**")]
    assert sum("the run is no longer here" in caption.value for caption in at.caption) == len(texts)
    return [*links, *texts]


def test_an_empty_page_says_how_to_keep_something(
    open_dashboard_page: Callable[..., AppTest], folder: Path
) -> None:
    at = open_dashboard_page("notes.py", folder)
    assert "press **Keep**" in at.info[0].value
    assert not at.text_input  # there is nothing to search
    assert {link.proto.label for link in at.get("page_link")} >= {
        "Open a game",
        "Open a comparison",
        "Open a chart",
    }
    assert not NoteStore(folder).path.exists()


def test_a_note_shows_the_board_or_the_chart_that_it_is_about(
    open_dashboard_page: Callable[..., AppTest], folder: Path, store: NoteStore, small_library: Library
) -> None:
    run = Library(folder).run("made")
    for name in ("three", "hanging"):
        (folder / "runs" / f"{name}.duckdb").symlink_to(small_library.run(name).path)
    rulesets = {"rulesets": ["bloxx-3p", "bloxx-touch-3p"]}
    for way in ("", "Strategies", "Rulesets"):
        store.add(
            NotePlace("chart", "scores", rulesets | {"compare": [way]}), NoteContent(f"By {way}".strip())
        )
    store.add(place_of_run(run), NoteContent("Scores <b>"))
    duel = store.add(
        NotePlace("comparison", "strategies", {"run": ["made"]}), NoteContent("Duel", "Look again.")
    )
    store.add(NotePlace("rules", "rules", {"ruleset": [run.summary.rulesets[0].name]}), NoteContent("Rules"))
    store.add(NotePlace("question", "sql", {"sql": ["SELECT 1"]}), NoteContent("Question"))
    at = open_dashboard_page("notes.py", store.path.parent)
    assert not at.exception
    drawn = re.findall(
        'alt="([^"]*): the chart" src="data:image/svg[+]xml;base64,([^"]*)"', " ".join(read_html(at))
    )
    assert [title for title, _ in drawn] == [
        "Scores &lt;b&gt;",
        "By Rulesets",
        "By Strategies",
        "By",
    ]
    drawings = {title: b64decode(data).decode() for title, data in drawn}
    assert all(re.search("<polyline [^>]*fill=", one) for one in drawings.values())
    assert drawings["By"] == drawings["By Rulesets"] != drawings["By Strategies"]
    boards = [json.loads(board.proto.json) for board in at.get("bidi_component")]
    shown = {board["label"]: board["scene"] for board in boards if board.get("scene")}
    assert set(shown) == {"Close:", "Late:", "Rules:"}  # the run of the note Lost is gone
    assert "Look again." in [text.value for text in at.text]
    said = [line.value for line in at.caption if "(95" in line.value or "too few" in line.value]
    assert said
    store.change(
        duel, NoteContent("Duel", said[0].replace("\\", "").replace("\xa0", " "))
    )  # it is not said twice
    again = open_dashboard_page("notes.py", store.path.parent)
    assert said[0] not in [line.value for line in again.caption]
    logged = Library(folder).run("made").scene(1)["steps"]
    assert {step["ply"] for step in shown["Late:"]["steps"]} <= set(range(5))
    assert len(shown["Close:"]["steps"]) > len(shown["Late:"]["steps"])
    assert len(logged) > 5


def test_a_star_is_filled_and_only_a_collection_has_an_order(
    open_dashboard_page: Callable[..., AppTest], store: NoteStore
) -> None:
    at = open_dashboard_page("notes.py", store.path.parent)
    assert [link.proto.label for link in note_links(at)] == ["**★ Close**", "**Late**"]
    assert "3 notes" in read_page_text(at)
    assert "The arrows change their order" not in read_page_text(at)


def test_the_page_lists_notes_and_its_address_filters_them(
    open_dashboard_page: Callable[..., AppTest], folder: Path, store: NoteStore
) -> None:
    assert shown_titles(open_dashboard_page("notes.py", store.path.parent)) == ["Close", "Late", "Lost"]
    for address, titles in (
        ({"words": "WHY"}, ["Late"]),
        ({"collection": "Lesson 1"}, ["Late"]),
        ({"favourites": "true"}, ["Close"]),
        ({"kinds": ["game"]}, ["Close", "Lost"]),
        ({"words": "nothing like it"}, []),
    ):
        assert shown_titles(open_dashboard_page("notes.py", folder, **address)) == titles, address


def test_filters_that_fit_no_note_are_cleared_with_one_click(
    open_dashboard_page: Callable[..., AppTest], store: NoteStore
) -> None:
    at = open_dashboard_page("notes.py", store.path.parent, words="nothing like it", favourites="true")
    assert "No note fits" in at.info[0].value
    next(button for button in at.button if button.label == "Show all notes").click().run()
    assert shown_titles(at) == ["Close", "Late", "Lost"]


def test_a_note_leads_to_its_run_under_its_new_name(
    open_dashboard_page: Callable[..., AppTest], folder: Path, store: NoteStore
) -> None:
    assert store.path.parent == folder
    (folder / "runs" / "made.duckdb").rename(folder / "runs" / "other.duckdb")
    at = open_dashboard_page("notes.py", folder, words="late")
    (link,) = note_links(at)
    assert parse_qs(link.proto.query_string) == {"run": ["other"], "game-number": ["2"], "move": ["5"]}


def test_a_change_is_saved_and_a_change_of_an_old_version_is_not(
    open_dashboard_page: Callable[..., AppTest], folder: Path, store: NoteStore
) -> None:
    at = open_dashboard_page("notes.py", folder, words="late")
    (late,) = store.search(NoteFilter(words="late")).notes
    open_menu(at, f"menu-{late.note_id}")
    next(area for area in at.text_area if area.label == "Note").input("because")
    next(button for button in at.button if button.label == "Save").click().run()
    (note,) = store.search(NoteFilter(words="late")).notes
    assert (note.text, note.collections, note.version) == ("because", ("Lesson 1",), 2)
    assert not [area for area in at.text_area if area.label == "Note"], "saving closes the menu"
    open_menu(at, f"menu-{note.note_id}-1")
    store.change(note, NoteContent("Late", "from another tab"))
    next(area for area in at.text_area if area.label == "Note").input("from this tab")
    next(button for button in at.button if button.label == "Save").click().run()
    assert store.find(note.note_id).text == "from another tab"
    assert "was changed elsewhere" in at.warning[0].value
    assert any("from this tab" in str(html.proto) for html in at.get("html"))


def test_a_move_becomes_a_lesson_and_shows_the_position_before_it(
    open_dashboard_page: Callable[..., AppTest], folder: Path, store: NoteStore
) -> None:
    at = open_dashboard_page("notes.py", folder, words="late")
    (late,) = store.search(NoteFilter(words="late")).notes
    run, game, move = (late.address[key][0] for key in ("run", "game-number", "move"))
    moment = f"Move {move} of game {game} of {run} · BLOXX\\!, "
    said = next(caption.value for caption in at.caption if "Move " in caption.value)
    assert said.startswith(moment), "a title of its own does not say where it is"
    assert "lesson ·" not in read_page_text(at)
    open_menu(at, f"menu-{late.note_id}")
    next(box for box in at.checkbox if box.label == "Lesson").check()
    next(button for button in at.button if button.label == "Save").click().run()
    (lesson,) = store.search(NoteFilter(words="late")).notes
    assert lesson.address == {**late.address, "lesson": ["1"]}
    assert "lesson ·" in read_page_text(at)
    open_menu(at, f"menu-{late.note_id}-1")
    next(box for box in at.checkbox if box.label == "Lesson").uncheck()
    next(button for button in at.button if button.label == "Save").click().run()
    assert store.find(late.note_id).address == late.address


def test_hostile_texts_are_shown_letter_by_letter(
    open_dashboard_page: Callable[..., AppTest], folder: Path, store: NoteStore
) -> None:
    store.add(NotePlace("run", "scores"), NoteContent(HOSTILE, HOSTILE, (HOSTILE[:40],)))
    at = open_dashboard_page("notes.py", folder, words="onerror")
    assert not at.exception
    assert HOSTILE in [text.value for text in at.text]
    for markdown in at.markdown:
        assert not re.search(r"(?<!\\)(<img|\]\(http)", markdown.value)


@pytest.mark.parametrize("suffix", ["", "-journal"])
def test_a_pipe_in_the_place_of_the_notes_closes_no_other_page(
    open_dashboard_page: Callable[..., AppTest], folder: Path, store: NoteStore, suffix: str
) -> None:
    path = store.path.with_name(f"{store.path.name}{suffix}")
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    menu = open_menu(open_dashboard_page("runs.py", folder), "menu-made")
    assert [button.label for button in menu.button if button.key == "delete-made"] == ["Delete"]
    assert not menu.error
    shown = open_dashboard_page("notes.py", folder)
    assert [error.value for error in shown.error] == [
        escape_markdown(f"This cannot be shown: {path}: not a regular file")
    ]


def test_a_removed_note_is_gone_until_that_is_undone(
    open_dashboard_page: Callable[..., AppTest], folder: Path, store: NoteStore
) -> None:
    at = open_dashboard_page("notes.py", folder, words="late")
    (late,) = store.search(NoteFilter(words="late")).notes
    open_menu(at, f"menu-{late.note_id}")
    next(button for button in at.button if button.label == "Remove").click().run()
    assert store.search(NoteFilter()).total == 2
    assert shown_titles(at) == []
    at.button(key="notes-undo").click().run()
    assert store.find(late.note_id) == late
    assert len(shown_titles(at)) == 1
    assert "notes-undo" not in [button.key for button in at.button]


def test_a_run_is_kept_in_its_menu(open_dashboard_page: Callable[..., AppTest], folder: Path) -> None:
    at = open_menu(open_dashboard_page("runs.py", folder), "menu-made")
    press_in_menu(at, "menu-made", "Keep")
    run = Library(folder).run("made")
    (note,) = NoteStore(folder).search(NoteFilter()).notes
    assert NotePlace(note.kind, note.page, note.address, note.run_key) == place_of_run(run)
    assert note.title == wording.format_run_title(run.summary)
    press_in_menu(at, "menu-made", "Undo keeping")
    assert NoteStore(folder).search(NoteFilter()).total == 0
    NoteStore(folder).add(place_of_run(run), NoteContent("Mine"))
    at = open_menu(open_dashboard_page("runs.py", folder), "menu-made")
    assert [button.disabled for button in at.button if button.label == "Kept"] == [True]


@pytest.mark.parametrize("width", [1280, 390])
def test_a_run_is_kept_with_two_clicks(
    dashboard_address: str, copied_data_folder: Path, new_page: Callable[..., Page], width: int
) -> None:
    is_phone, store = width < 640, NoteStore(copied_data_folder)
    page = new_page(viewport={"width": width, "height": 844}, is_phone=is_phone)
    before = store.search(NoteFilter()).total
    page.goto(f"{dashboard_address}/runs")
    card = page.locator(".st-key-card-three")
    card.wait_for()
    wait_until_settled(page)
    card.evaluate("card => card.scrollIntoView({ block: 'center' })")
    card.get_by_role("button", name="More").click()
    menu = page.get_by_test_id("stPopoverBody")
    keep = menu.get_by_role("button", name="Keep")
    keep.wait_for()
    wait_until_settled(page)
    box, button = find_box(menu), find_box(keep)
    assert box["y"] < button["y"]
    assert button["y"] + button["height"] < min(box["y"] + box["height"], 844), "it is seen without scrolling"
    assert button["height"] >= (44 if is_phone else 0)
    assert menu.evaluate("menu => menu.scrollWidth <= menu.clientWidth")
    assert not find_faults(page)
    keep.click()
    menu.get_by_role("button", name="Undo keeping").wait_for()
    assert store.search(NoteFilter()).total == before + 1


def test_a_ply_is_kept_with_one_click(
    dashboard_address: str, copied_data_folder: Path, new_page: Callable[..., Page]
) -> None:
    """The replay writes its ply into the address without the server; the note has it all the same."""
    page, store = new_page(color_scheme="dark"), NoteStore(copied_data_folder)
    page.goto(f"{dashboard_address}/replay?run=three&game-number=2")
    page.get_by_label("Move", exact=True).wait_for()
    before = store.search(NoteFilter()).total
    for kept, (steps, move) in enumerate(((3, "3"), (2, "5"))):
        for _ in range(steps):
            page.get_by_label("Move", exact=True).press("ArrowRight")
        page.wait_for_url(re.compile(rf"&move={move}$"))
        page.get_by_role("button", name="Keep").first.click()
        page.get_by_role("button", name="Undo").wait_for()
        page.get_by_test_id("stPopoverBody").get_by_role("textbox", name="Note").fill(f"on move {move}")
        assert not find_faults(page)
        page.keyboard.press("Escape")
        page.get_by_test_id("stPopoverBody").wait_for(state="hidden")
        page.get_by_role("button", name=f"Keep · {wording.format_count(kept + 1, 'note')}").wait_for()
        deadline = time.monotonic() + 10
        while store.search(NoteFilter(words=f"on move {move}")).total == 0:
            assert time.monotonic() < deadline, (move, store.search(NoteFilter()).notes)
            time.sleep(0.1)
    assert store.search(NoteFilter()).total == before + 2
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{dashboard_address}/notes")
    page.get_by_role("button", name="Add notes from a file").wait_for()
    cards = page.locator("[class*=st-key-note-card-]")
    for number in (0, 1):
        cards.nth(number).get_by_role("img").first.wait_for()
    wait_until_settled(page)
    first, second = (find_box(cards.nth(number)) for number in (0, 1))
    assert (first["x"], first["width"]) == (second["x"], second["width"])
    assert second["y"] >= first["y"] + first["height"]
    assert not find_faults(page)
    cards.nth(1).click(position={"x": first["width"] / 2, "y": second["height"] - 4})  # below the title
    page.wait_for_url(re.compile("/replay.*&move=3$"))


@pytest.mark.parametrize("width", [1440, 390])
def test_a_file_of_what_a_page_shows_is_given_away_with_two_clicks(
    dashboard_address: str, copied_data_folder: Path, new_page: Callable[..., Page], width: int
) -> None:
    """The browser gets the file without another click; the move is that of the replay, which the server has not heard of."""
    is_phone, store = width < 640, NoteStore(copied_data_folder)
    page = new_page(viewport={"width": width, "height": 844}, is_phone=is_phone)
    page.goto(f"{dashboard_address}/replay?run=three&game-number=3")
    for _ in range(5):
        page.get_by_label("Move", exact=True).press("ArrowRight")
    page.wait_for_url(re.compile("&move=5$"))
    page.get_by_role("button", name="Give away").first.click()
    menu = page.get_by_test_id("stPopoverBody")

    def give_away() -> str:
        wait_until_settled(page)
        with page.expect_download() as download:
            menu.get_by_test_id("stFormSubmitButton").get_by_role("button", name="Give away").click()
        return download.value.path().read_text(encoding="utf-8")

    menu.get_by_role("textbox", name="Title").fill("A trap")
    menu.get_by_role("textbox", name="Note").fill("Nobody saw it.")
    assert not find_faults(page)
    typed = give_away()
    assert "<h1>A trap</h1>" in typed
    assert "Nobody saw it." in typed
    assert 'data-ply="4"' in typed
    place = place_of_game(Library(copied_data_folder).run("three"), 2, 4)
    note = store.add(place, NoteContent("Kept title", "Kept text"))
    menu.get_by_role("textbox", name="Title").fill("")
    menu.get_by_role("textbox", name="Note").fill("")
    kept = give_away()
    assert "<h1>Kept title</h1>" in kept
    assert "Kept text" in kept
    menu.get_by_text("Other forms").click()
    link = menu.locator(".verbatim").first.inner_text()
    assert link == page.url, "a link to exactly this"
    with page.expect_download() as download:
        menu.get_by_role("button", name="CSV").click()
    assert download.value.suggested_filename == "three-3.csv"
    store.remove(note)


def test_a_set_of_lessons_is_one_row_that_goes_on_with_the_first_unsolved_lesson(
    dashboard_address: str, copied_data_folder: Path, new_page: Callable[[], Page]
) -> None:
    store, run = NoteStore(copied_data_folder), Library(copied_data_folder).run("three")
    for ply in (21, 24, 27):
        store.add(place_of_game(run, 5, ply, is_lesson=True), NoteContent(f"Move {ply}", "", ("Drill",)))
    store.add(place_of_game(run, 2), NoteContent("My own"))
    page = new_page()
    page.goto(f"{dashboard_address}/notes")
    row = page.locator('[class*="st-key-lessons-of-"]')
    expect(row.get_by_text("0 of 3 solved in this browser")).to_be_visible()
    expect(row.get_by_role("button", name="Start")).to_be_visible()
    expect(page.get_by_role("link", name="Move 21")).to_be_hidden()
    own = find_box(page.get_by_role("link", name="My own"))
    assert own["y"] < find_box(row)["y"]
    assert not find_faults(page)

    def solve(*lessons: str) -> None:
        page.evaluate(
            "lessons => localStorage.setItem('reroll-solved Drill', JSON.stringify(lessons))", lessons
        )
        page.reload()

    solve("three 5 21", "three 5 24", "three 5 27")
    expect(row.get_by_text("All 3 solved in this browser")).to_be_visible()
    solve("three 5 21", "three 5 27")
    expect(row.get_by_text("2 of 3 solved in this browser")).to_be_visible()
    row.get_by_role("button", name="Go on").click()
    page.wait_for_url(lambda url: "move=25" in url and "lesson=1" in url)
    page.goto(f"{dashboard_address}/notes")
    row.get_by_role("button", name="Drill").click()
    page.wait_for_url("**/notes?collection=Drill")
    expect(page.get_by_role("link", name="Move 21")).to_be_visible()
    page.goto(f"{dashboard_address}/notes")
    page.get_by_role("link", name="Make lessons from a reviewed run").click()
    page.wait_for_url("**/scores?view=Decisions&measure=slips")  # no run is reviewed


def test_a_card_is_as_high_as_its_text_and_its_picture(
    dashboard_address: str, copied_data_folder: Path, new_page: Callable[[], Page]
) -> None:
    store = NoteStore(copied_data_folder)
    store.add(NotePlace("rules", "rules", {"ruleset": ["spexxx-2p"]}), NoteContent("A wide board"))
    page = new_page()
    page.goto(f"{dashboard_address}/notes")
    board = page.locator('[class*="st-key-note-picture-"] svg.board')
    board.wait_for()
    wait_until_settled(page)
    card, picture = find_box(page.locator('[class*="st-key-note-card-"]')), find_box(board)
    assert picture["width"] > 1.5 * picture["height"]
    assert card["height"] < picture["height"] + 60


def test_a_collection_is_given_away_in_the_order_that_the_keyboard_has_made(
    dashboard_address: str, copied_data_folder: Path, new_page: Callable[[], Page]
) -> None:
    store, run = NoteStore(copied_data_folder), Library(copied_data_folder).run("three")
    for title, place in (
        ("First", place_of_game(run, 1, 4)),
        ("Second", place_of_run(run)),
        ("Third", place_of_game(run, 1, 6)),
    ):
        store.add(place, NoteContent(title, f"on {title}", ("Lesson 7",)))
    page = new_page()
    page.goto(f"{dashboard_address}/notes?collection=Lesson+7")
    page.get_by_text("the chapters of a study").wait_for()
    cards = page.locator(".st-key-chapters > *")

    def wait_for_order(*titles: str) -> None:
        for number, title in enumerate(titles):
            expect(cards.nth(number)).to_contain_text(re.compile(f"{title}.*Chapter {number + 1}", re.DOTALL))

    wait_for_order("First", "Second", "Third")
    assert not find_faults(page)
    cards.nth(2).get_by_role("button", name="Up").focus()
    page.keyboard.press("Enter")
    wait_for_order("First", "Third", "Second")
    expect(cards.nth(1).get_by_role("button", name="Up")).to_be_focused()
    page.keyboard.press("Enter")
    wait_for_order("Third", "First", "Second")
    expect(cards.nth(0).get_by_role("button", name="Up")).to_be_disabled()
    page.get_by_role("button", name="Give away").click()
    wait_until_settled(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Give away 3 notes").click()
    text = download.value.path().read_text(encoding="utf-8")
    assert "<h1>Lesson 7</h1>" in text
    assert re.findall(r'<h2 id="title-\d">(.*?)</h2>', text) == ["Third", "First", "Second"]
    assert re.findall(r"on (\w+)</p>", text) == ["Third", "First", "Second"]
    comments = [json.loads(found) for found in re.findall(r'id="comments-[^"]*">(.*?)</script>', text)]
    # A replay has the comments of other chapters; its own stands above it.
    assert comments == [{"4": "First\non First"}, {"6": "Third\non Third"}]


def test_a_file_is_made_of_the_notes_that_were_found(
    open_dashboard_page: Callable[..., AppTest], folder: Path, store: NoteStore
) -> None:
    assert store.path.parent == folder
    at = open_menu(open_dashboard_page("notes.py", folder, words="late"), "give-away")
    at.text_input(key="give-away-title").input("Mine")
    press_in_menu(at, "give-away", "Give away 1 note")
    found: list[Any] = []
    for _ in range(60):
        assert not at.exception
        found = [one for one in at.get("download_button") if one.proto.label.startswith("Mine.html")]
        if found:
            break
        time.sleep(0.2)
        open_menu(at, "give-away")
    assert found
    assert re.fullmatch(r"Mine\.html \(\d+ kB\)", found[0].proto.label)
    notes, orders = parse_notes(str(read_offered_files(at)["notes.json"].write()))
    assert [note.title for note in notes] == ["Late"]
    assert orders == {"Lesson 1": [notes[0].note_id]}


def test_what_a_page_shows_is_a_study_and_a_page_without_an_answer_says_so(
    open_dashboard_page: Callable[..., AppTest], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = open_menu(
        open_dashboard_page("replay.py", folder, run="made", **{"game-number": "2"}, move="5"), "give-away"
    )
    press_in_menu(at, "give-away", "Give away")
    assert [
        one for one in at.get("download_button") if one.proto.label.startswith("Move-5-of-a-game-of-BLOXX")
    ]
    at = open_menu(open_dashboard_page("sql.py", folder / "empty"), "give-away")
    assert "shows nothing to give away yet" in read_page_text(at)
    at = open_menu(open_dashboard_page("strategies.py", folder, ruleset="bloxx-2p"), "give-away")
    press_in_menu(at, "give-away", "Give away")
    assert "this has not been played yet" in read_page_text(at)
    monkeypatch.setattr(cached, "dashboard_library", lambda: Library(folder))
    place = place_of_game(Library(folder).run("made"), 1, 4)
    page = write_page_study(place, NoteContent(title_of_place(place)))
    assert "<h1>Move 5 of a game of BLOXX!, greedy against random</h1>" in page
    gone = NotePlace("game", "replay", {"run": ["gone"], "game-number": ["1"]})
    with pytest.raises(GameError, match=r"^there is no run 'gone' in the library$"):
        write_page_study(gone, NoteContent("Gone"))


def test_a_run_is_given_away_in_its_menu(open_dashboard_page: Callable[..., AppTest], folder: Path) -> None:
    at = open_menu(open_dashboard_page("runs.py", folder), "menu-made")
    press_in_menu(at, "menu-made", "Give away")
    assert [one for one in at.get("download_button") if ".html (" in one.proto.label]
    assert NoteStore(folder).search(NoteFilter()).total == 0, "giving away keeps nothing"


def test_the_comment_on_a_move_stands_in_the_list_of_moves_of_the_page(
    open_dashboard_page: Callable[..., AppTest], folder: Path, store: NoteStore
) -> None:
    assert store.path.parent == folder
    at = open_dashboard_page("replay.py", folder, run="made", **{"game-number": "2"})
    (data,) = [
        read
        for read in (json.loads(one.proto.json) for one in at.get("bidi_component"))
        if "comments" in read
    ]
    assert data["comments"] == {"4": "Late\nwhy?"}
