"""A site is a folder of pages whose links all lead to pages of the folder, and it holds nothing private."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pytest
from typer.testing import CliRunner

from pipelines.cli import app
from pipelines.experiments import lessons
from pipelines.experiments.fork import Change, fork_logged_game
from pipelines.experiments.whatif import play_whatif, saved_run_design
from pipelines.notes.note import NoteContent, NotePlace, place_of_game, place_of_run
from pipelines.notes.store import NoteStore
from pipelines.report.estimates import set_sentence
from pipelines.report.whatif import whatif_sentence
from pipelines.report.wording import bind_percent_signs
from pipelines.runs.library import Library
from pipelines.simulate.simulate import simulate_run
from pipelines.studies.site import find_close_games, find_highlights, write_site
from pipelines.studies.study import StudySource
from tests.axe import find_faults

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page

HOSTILE = '</script><img src=x onerror=alert(1)><i>x</i> [a](javascript:alert(1)) {{ 7*7 }} \u202e"'
ALLOWED_LINK = re.compile(r"(?:[a-z0-9._-]+\.html)?(?:#[a-z0-9-]+)?")


class LinkReader(HTMLParser):
    """Collects the links, the names of elements, and everything that a page would load."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.names: set[str] = set()
        self.loads: list[str] = []
        self.tags: set[str] = set()
        self.handlers: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.tags.add(tag)
        self.handlers |= {name for name in values if name.startswith("on")}
        self.names |= {values["id"]} if "id" in values else set()
        if tag == "a":
            self.links.append(values["href"])
        elif "src" in values or "href" in values:
            self.loads.append(values.get("src") or values["href"])


def read_links(folder: Path) -> dict[str, LinkReader]:
    pages = {}
    for path in folder.iterdir():
        pages[path.name] = LinkReader()
        pages[path.name].feed(path.read_text(encoding="utf-8"))
    return pages


@pytest.fixture(scope="module")
def site(studied_library: Library, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    source = StudySource(studied_library)
    write_site(source, find_highlights(source), folder, title="Our <games>")
    return folder


@pytest.mark.slow
def test_every_link_leads_to_a_page_of_the_folder_and_every_page_can_be_reached(site: Path) -> None:
    pages = read_links(site)
    assert "index.html" in pages
    for name, page in pages.items():
        assert set(page.loads) == {"data:,"}, name
        for link in page.links:
            assert ALLOWED_LINK.fullmatch(link), f"{name} leads to {link}"
            file, _, place = unquote(link).partition("#")
            assert (file or name) in pages, f"{name} leads to {link}"
            assert not place or place in pages[file or name].names, f"{name} leads to {link}"
    linked = {link for link in pages["index.html"].links if not link.startswith("#")}
    assert linked == set(pages) - {"index.html"}
    kinds = {name.partition("-")[0] for name in linked}
    assert kinds == {"comparison", "game", "note", "scores"}


def test_a_site_names_no_folder_of_this_machine(site: Path, studied_library: Library) -> None:
    for path in site.iterdir():
        text = path.read_text(encoding="utf-8")
        assert str(studied_library.folder) not in text
        assert not re.search(r"(?<![\w./<])/(?:home|dev|tmp|work|usr|Users)/", text), path.name


def test_hostile_notes_are_text_on_a_site(studied_library: Library, tmp_path: Path) -> None:
    store, run = NoteStore(studied_library.folder), studied_library.run("made")
    notes = [
        store.add(place, NoteContent(HOSTILE, HOSTILE, (HOSTILE[:60],), is_favourite=True))
        for place in (place_of_run(run), place_of_game(run, 1, 3))
    ]
    try:
        source = StudySource(studied_library)
        write_site(source, find_highlights(source), tmp_path, title=HOSTILE, text=HOSTILE)
    finally:
        for note in notes:
            store.remove(note)
    pages = read_links(tmp_path)
    assert {f"note-{note.note_id[:8]}.html" for note in notes} < set(pages)
    for name, page in pages.items():
        assert set(page.loads) == {"data:,"}, name
        assert all(ALLOWED_LINK.fullmatch(link) for link in page.links), name
        assert not page.handlers, name
        assert "i" not in page.tags, name


def test_starred_lessons_of_a_collection_are_one_page_in_its_order(
    studied_library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lessons, "LESSON_PLAYOUTS", 80)
    store, run = NoteStore(studied_library.folder), studied_library.run("made")
    notes = [
        store.add(
            place_of_game(run, 0, ply, is_lesson=True),
            NoteContent(
                f"Lesson at {ply}",
                "Greedy finds a good move here.",
                ("Duo: 2 lessons",),
                is_favourite=is_starred,
            ),
        )
        for ply, is_starred in ((5, True), (7, True), (8, False))
    ]
    store.move(notes[1], "Duo: 2 lessons", -1)
    try:
        source = StudySource(studied_library, only_favourites=True)
        highlights = [one for one in find_highlights(source) if one.group in {"lesson", "note"}]
        write_site(source, highlights, tmp_path)
    finally:
        for note in notes:
            store.remove(store.find(note.note_id))
    page = (tmp_path / "lessons-duo-2-lessons.html").read_text(encoding="utf-8")
    assert re.findall(r"Lesson at \d", re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL))[-2:] == [
        "Lesson at 7",
        "Lesson at 5",
    ]
    assert page.count("data-lesson=") == 2
    index = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "2 positions to solve, easy ones first." in index
    assert len(list(tmp_path.glob("note-*"))) == 1  # the starred comparison


def test_the_closest_games_are_those_won_by_the_fewest_points(studied_library: Library) -> None:
    runs = studied_library.run("made"), studied_library.run("duel")
    (closest,) = find_close_games(StudySource(studied_library, only=runs), runs[0].summary.rulesets)
    leads = []
    for name in ("made", "duel"):
        run = studied_library.run(name)
        for game in range(run.summary.games):
            first, second = sorted(run.list_seats(game), key=lambda seat: seat.rank)
            if first.rank < second.rank:
                leads.append(first.score - second.score)
    assert closest.value == min(leads)


def test_two_pages_never_get_one_name_and_a_gone_highlight_is_left_out(
    studied_library: Library, tmp_path: Path
) -> None:
    (tmp_path / "data" / "runs").mkdir(parents=True)
    for name in ("Made (1)", "made-1"):
        path = tmp_path / "data" / "runs" / f"{name}.duckdb"
        path.symlink_to(studied_library.run("duel").path)
    library = Library(tmp_path / "data")
    NoteStore(library.folder).add(
        NotePlace("game", "replay", {"run": ["gone"]}, "no such run"), NoteContent("Lost", is_favourite=True)
    )
    source = StudySource(library)
    (tmp_path / "site").mkdir()
    number = write_site(source, find_highlights(source), tmp_path / "site")
    names = {path.name for path in (tmp_path / "site").iterdir()}
    assert len(names) == number
    assert {"comparison-made-1.html", "comparison-made-1-2.html"} <= names
    assert not [name for name in names if name.startswith("note")]


def test_the_page_of_a_what_if_shows_the_answer_that_was_saved(
    studied_library: Library, new_page: Callable[..., Page], tmp_path: Path
) -> None:
    folder = tmp_path / "data" / "runs"
    folder.mkdir(parents=True)
    (folder / "made.duckdb").symlink_to(studied_library.run("made").path)
    library = Library(tmp_path / "data")
    *_, answer = play_whatif(fork_logged_game(library.run("made"), 2, 9, Change({1: "greedy"})), n=60, seed=4)
    simulate_run(saved_run_design(answer, "made", "kept"), folder / "kept.duckdb", workers=1)
    out = tmp_path / "site"
    words = ["publish", "--data", str(library.folder), "--out", str(out), "--quiet"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("4 pages written")

    page = new_page(offline=True)
    requests: list[str] = []
    page.context.on("request", lambda request: requests.append(request.url))
    page.goto(f"file://{out}/index.html")
    card = page.get_by_role("region", name="What if?").locator(".highlight")
    assert card.locator(".written").inner_text() == set_sentence(whatif_sentence(answer))
    card.get_by_role("link", name="What if greedy played on for player 2?").click()
    shown = page.locator(".sheet-verdict").inner_text()
    assert shown == bind_percent_signs(set_sentence(whatif_sentence(answer)))
    page.get_by_text("Details", exact=True).click()
    rows = page.locator("table", has_text="change in score").locator("tbody tr").all()
    cells = [
        [cell.replace("\u2212", "-") for cell in row.locator("th, td").all_inner_texts()] for row in rows
    ]
    with library.run("kept").connect() as connection:
        stored = connection.execute(
            "SELECT seat, avg(score) FILTER (rotation = 0), avg(score) FILTER (rotation = 1) "
            "FROM seats JOIN games USING (game_id) GROUP BY seat ORDER BY seat"
        ).fetchall()
    for row, effect, (seat, before, after) in zip(cells, answer.seat_effects, stored, strict=True):
        assert row[0] == str(seat + 1)
        for text, interval, mean in ((row[2], effect.base, before), (row[3], effect.changed, after)):
            estimate, low, high = map(float, re.findall(r"-?[\d.]+", text))
            assert interval
            assert (estimate, low, high) == pytest.approx(interval, abs=0.051)
            assert low < mean < high
    assert page.locator(
        "code", has_text="reroll whatif made --game 3 --move 10 --player 2 --strategy greedy"
    ).count()
    pair = page.locator("[data-continuations]")
    pair.scroll_into_view_if_needed()
    pair.get_by_role("button", name="largest gain").click()
    pair.get_by_role("slider", name="Move").fill(pair.get_by_role("slider").get_attribute("max") or "")
    gain = int((answer.changed.scores[:, 1].astype(int) - answer.base_scores[:, 1]).max())
    ends = [int(text.replace("\u2212", "-")) for text in pair.locator(".pair-score").all_inner_texts()]
    assert ends[1] - ends[0] == gain
    assert find_faults(page) == []
    assert requests == [f"file://{out}/{name}" for name in ("index.html", "what-if-kept.html")]
    page.get_by_role("link", name="All highlights").click()
    page.get_by_role("heading", name="What if?").wait_for()


def test_a_site_opens_from_the_disk(site: Path, new_page: Callable[..., Page]) -> None:
    page = new_page(offline=True, viewport={"width": 390, "height": 844})
    page.goto(f"file://{site}/index.html")
    assert page.locator("h1").inner_text() == "Our <games>"
    assert find_faults(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.get_by_role("link", name="greedy against random").first.click()
    page.get_by_role("heading", name="greedy against random").first.wait_for()
    page.get_by_role("link", name="All highlights").click()
    page.get_by_role("link", name=re.compile("^A game of")).first.click()
    page.locator(".replay .board").first.wait_for()


@pytest.mark.slow
def test_publish_writes_a_new_folder_and_nothing_else(studied_library: Library, tmp_path: Path) -> None:
    words = ["publish", "--data", str(studied_library.folder), "--out", str(tmp_path / "site"), "--quiet"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert re.fullmatch(r"\d+ pages written to .*; open .*index\.html\n", done.stdout)
    again = CliRunner().invoke(app, words)
    assert again.exit_code == 2
    assert "exists already" in again.stderr
    (tmp_path / "empty").mkdir()
    words = ["publish", "--data", str(tmp_path / "empty"), "--out", str(tmp_path / "other")]
    nothing = CliRunner().invoke(app, words)
    assert "no runs to publish" in nothing.stderr
    assert not (tmp_path / "other").exists()
