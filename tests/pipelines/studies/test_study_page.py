"""A study is one file: it opens from a disk without a request, on a phone and on paper, and shows every text as text."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Final

import pytest
from playwright.sync_api import expect
from typer.testing import CliRunner

from pipelines.cli import app
from pipelines.experiments.review import start_review
from pipelines.notes.note import NoteContent, place_of_game
from pipelines.notes.store import NoteFilter, NoteStore
from pipelines.report.sheet import Continuations, Part, Passage, Replay
from pipelines.report.show.chart_plan import FONT_FILES, font_style
from pipelines.report.table import Table
from pipelines.studies.study import find_items, find_note_items, iter_sections, make_study, write_study
from tests.axe import find_faults
from tests.browser import wait_until_settled

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import FloatRect, Locator, Page

    from pipelines.experiments.review_results import Ledger
    from pipelines.studies.study import StudySource

MAX_BYTES: Final = 5_000_000
HOSTILE: Final = (
    "</script><script>alert(1)</script><img src=x onerror=alert(2)> \"' {{ 7*7 }} javascript:alert(3)"
)


class TagReader(HTMLParser):
    """Collects the tags and the attributes of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        self.addresses += [value or "" for name, value in attrs if name in {"href", "src"}]


def test_twelve_replays_and_six_charts_are_one_small_file_that_loads_nothing(
    source: StudySource, new_page: Callable[..., Page], tmp_path: Path
) -> None:
    names = [*(f"made#{game}:{3 * game - 2}" for game in range(1, 13)), "duel", "made", "question", "duel"]
    study = make_study(iter_sections(source, find_items(source, names)), title="Twelve games")
    assert sum(len(section.sheet.list_contents(Replay)) for section in study.sections) >= 12
    assert sum(len(section.sheet.charts) for section in study.sections) >= 6
    file = tmp_path / "study.html"
    file.write_text(write_study(study), encoding="utf-8")
    assert file.stat().st_size <= MAX_BYTES

    page = new_page(color_scheme="dark", offline=True)
    requests: list[str] = []
    page.context.on("request", lambda request: requests.append(request.url))
    page.goto(f"file://{file}")
    assert requests == [f"file://{file}"]
    assert page.evaluate("[...document.fonts].map(font => font.status)") == ["loaded", "loaded"]
    assert page.locator(".replay").count() < 12, "replays that nobody sees are not drawn"
    third = page.locator("#part-3")
    third.scroll_into_view_if_needed()
    third.locator(".replay").wait_for()
    assert "move 7 of" in third.locator(".place").inner_text()

    third.locator(".replay").evaluate("node => node.scrollIntoView({ block: 'center', behavior: 'instant' })")
    page.keyboard.press(
        "ArrowRight"
    )  # the replay in the middle of the window takes the arrows, and with them the focus
    assert "move 8 of" in third.locator(".place").inner_text()
    page.keyboard.press("Home")
    assert "move 8 of" not in third.locator(".place").inner_text()
    assert page.evaluate("document.activeElement.closest('#part-3') !== null")
    assert page.url == f"file://{file}"
    assert find_faults(page) == []
    page.emulate_media(color_scheme="light")
    assert find_faults(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert requests == [f"file://{file}"]


def test_words_stand_beside_the_pictures_in_wide_windows_and_charts_below_them_in_others(
    source: StudySource, new_page: Callable[..., Page], tmp_path: Path
) -> None:
    page, file = new_page(viewport={"width": 1280, "height": 800}), tmp_path / "study.html"

    def find_box(part: str) -> FloatRect:
        return page.locator(part).first.bounding_box() or pytest.fail(part)

    for name, picture in (("made#2:5", ".replay"), ("duel", ".chart"), ("made", ".chart")):
        study = make_study(iter_sections(source, find_items(source, [name])))
        if picture == ".replay":
            section = replace(study.sections[0], text="A long note that goes on. " * 20)
            title = "How one roll turned a whole game around, which nobody had expected after its first six rounds"
            file.write_text(
                write_study(replace(study, title=title, sections=(section, section))), encoding="utf-8"
            )
            page.goto(f"file://{file}")
            page.locator(".side > .course").first.wait_for()
            wait_until_settled(page)
            assert find_box(picture)["y"] < 190, "a long title pushes the first board hardly down"
            study = replace(study, sections=(section,))
        file.write_text(write_study(study), encoding="utf-8")
        page.set_viewport_size({"width": 1280, "height": 800})
        page.goto(f"file://{file}")
        if picture == ".replay":
            page.locator(".side > .course").wait_for()  # it takes no height from the boards
            for part in ("h1", ".written-note", ".board >> nth=0", ".controls"):
                expect(page.locator(part)).to_be_in_viewport(ratio=1)
        answer = ".sheet-verdict" if picture == ".chart" else ".consequences"
        shown, words = find_box(picture), find_box(answer)
        assert shown["x"] + shown["width"] < words["x"]
        assert words["x"] + words["width"] > 1200, "the window is used"
        assert shown["y"] < 180, "the title and the picture are all that is above"
        page.set_viewport_size({"width": 390, "height": 844})
        shown, words = find_box(picture), find_box(answer)
        if picture == ".chart":
            assert words["y"] + words["height"] < shown["y"] < find_box(".basis")["y"]
        else:
            for part in ("h1", ".written-note", ".board >> nth=0", ".controls"):
                expect(page.locator(part)).to_be_in_viewport(ratio=1)
            board, controls = find_box("[data-replay] .board"), find_box(".controls")
            assert board["y"] + board["height"] <= controls["y"]
            assert page.locator(".written-note").evaluate("note => note.scrollHeight > note.clientHeight")
            assert find_faults(page) == []
            assert find_box(".controls .help")["width"] < 60
            assert shown["y"] + shown["height"] < words["y"]
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        assert (
            page.locator(".scroll").evaluate_all(
                "tables => tables.filter(table => table.scrollWidth > table.clientWidth).length"
            )
            == 0
        ), "all columns are seen"


def test_on_paper_each_replay_is_the_picture_of_its_boards_at_the_kept_ply(
    source: StudySource, new_page: Callable[..., Page], tmp_path: Path
) -> None:
    study = make_study(iter_sections(source, find_items(source, ["made#2:5", "made#3"])), title="Paper")
    file = tmp_path / "study.html"
    file.write_text(write_study(study), encoding="utf-8")
    page = new_page(color_scheme="dark")
    page.goto(f"file://{file}")
    page.locator(".replay").first.wait_for()
    page.keyboard.press("End")
    printed = page.pdf()
    assert printed.startswith(b"%PDF")
    assert page.locator(".picture").count() == 2, "Chromium draws the pictures before it prints"
    caption = (
        study.sections[0]
        .sheet.list_contents(Replay)[0]
        .scene["steps"][4]["caption"]
        .replace("Seat 0", "Player 1")
        .replace("Seat 1", "Player 2")
    )
    assert caption in page.locator(".picture p").first.text_content()  # type: ignore[operator]
    page.emulate_media(media="print")
    assert page.locator(".picture").first.is_visible()
    assert not page.locator(".replay:not(.picture)").first.is_visible()
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(35, 36, 31)"
    painted = {
        tuple(at[:2])
        for step in study.sections[0].sheet.list_contents(Replay)[0].scene["steps"][:5]
        for at in step["paint"]
        if at[2]
    }
    assert page.locator(".picture").first.locator(".mark").count() == len(painted)


def test_one_slider_steps_both_branches_of_a_whatif_and_paper_shows_both_ends(
    source: StudySource, new_page: Callable[..., Page], tmp_path: Path
) -> None:
    study = make_study(iter_sections(source, find_items(source, ["question", "made#3"])), title="Both")
    (watched,) = study.sections[0].sheet.list_contents(Continuations)
    file = tmp_path / "study.html"
    file.write_text(write_study(study), encoding="utf-8")
    page = new_page(color_scheme="dark", offline=True)
    page.goto(f"file://{file}")
    figure = page.locator("[data-continuations]")
    figure.scroll_into_view_if_needed()
    scores = figure.locator(".pair-score")
    scores.first.wait_for()
    page.keyboard.press("End")  # belongs to the page
    assert figure.locator(".pair-title").inner_text() == "Before the fork: both branches are the same."

    def shown_ends() -> list[str]:
        figure.get_by_role("slider", name="Move").fill(
            figure.get_by_role("slider").get_attribute("max") or ""
        )
        return [text.replace("\u2212", "-") for text in scores.all_inner_texts()]

    for name, at in (("in the middle", 1), ("largest loss", 0), ("largest gain", 2)):
        figure.get_by_role("button", name=name).click()
        pair = watched.choices[at].pair
        ends = [str(pair[branch]["steps"][-1]["scores"][1]) for branch in ("base", "changed")]
        assert shown_ends() == ends
        assert figure.get_by_role("button", name=name).get_attribute("aria-pressed") == "true"
    assert find_faults(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_timeout(200)  # the page forbids evaluated code, and with it wait_for_function
    assert page.evaluate("() => document.documentElement.scrollWidth") == 390
    page.pdf()
    page.emulate_media(media="print")
    headings = figure.locator(".picture:visible h4").all_inner_texts()
    assert headings == ["Before the fork", "As played: the end", "With the change: the end"]
    middle = watched.choices[1].pair["changed"]["steps"][-1]["scores"]
    last = figure.locator(".picture p").last.inner_text().replace("\u2212", "-")
    assert [int(text.rpartition(" ")[2]) for text in last.split(" \u00b7 ")] == middle
    assert not figure.locator(".replay[data-pair]").is_visible()


def test_a_reviewed_game_shows_its_verdicts_and_ledgers_without_a_server(
    source: StudySource, new_page: Callable[..., Page], tmp_path: Path
) -> None:
    run = source.library.run("made")
    reviewed = start_review(run, 3).finish()
    worst = max(
        (one for one in reviewed.decisions if one.best.action != one.chosen.action),
        key=lambda one: abs(one.lost_wins.estimate) if one.lost_wins else 0,
    )
    file = tmp_path / "study.html"
    words = [f"made#4:{worst.ply + 1}", "--review", "--out", str(file), "--data", str(source.library.folder)]
    done = CliRunner().invoke(app, ["study", *words, "--quiet"])
    assert done.exit_code == 0, done.output
    page = new_page(offline=True)
    requests: list[str] = []
    page.context.on("request", lambda request: requests.append(request.url))
    page.goto(f"file://{file}")
    assert page.locator(".basis").inner_text().endswith("ranges are 95\N{NO-BREAK SPACE}% intervals.")
    verdict = page.locator(".verdict-words")
    expect(verdict).to_contain_text("better: ")
    expect(page.locator(".review-verdict")).to_have_attribute("data-better", worst.best.notation)
    assert page.locator(".game").get_by_text("Where the results came from").count() == 1
    points, wins, choices = page.locator(".ledger table").all()

    def read_numbers(row: Locator) -> list[float]:
        cells = [cell.evaluate("cell => cell.firstChild.textContent") for cell in row.locator("td").all()]
        return [float(re.sub(r"[^-\d.]", "", text.replace("\u2212", "-"))) for text in cells]

    def ledger_parts(ledger: Ledger) -> tuple[float, ...]:
        return ledger.start, ledger.luck, ledger.own, ledger.others, ledger.result

    for seat, row in enumerate(points.locator("tbody tr").all()):
        assert read_numbers(row) == pytest.approx(ledger_parts(reviewed.ledger(seat)), abs=0.051)
    for seat, row in enumerate(wins.locator("tbody tr").all()):
        shares = [100 * share for share in ledger_parts(reviewed.ledger(seat, wins=True))]
        assert read_numbers(row) == pytest.approx(shares, abs=0.51)
    for seat, row in enumerate(choices.locator("tbody tr").all()):
        counts = [text if text.isdecimal() else "0" for text in row.locator("td").all_inner_texts()]
        assert counts == list(map(str, reviewed.class_counts(seat).values()))

    page.set_viewport_size({"width": 1280, "height": 600})  # lower than the boards
    expect(page.locator(".controls")).to_be_in_viewport(ratio=1)

    page.get_by_role("button", name="points", exact=True).click()
    judged = page.locator(".ledger table").nth(2).locator("tbody tr").first.locator("td").all_inner_texts()
    by_points = list(map(str, reviewed.class_counts(0, "points").values()))
    assert [text if text.isdecimal() else "0" for text in judged] == by_points
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        assert find_faults(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_timeout(200)  # the page forbids evaluated code, and with it wait_for_function
    assert page.evaluate("() => document.documentElement.scrollWidth") == 390
    assert requests == [f"file://{file}"]
    page.pdf()
    page.emulate_media(media="print")
    printed = page.locator(".ledger:visible table").first.locator("tbody tr").all()
    for seat, row in enumerate(printed):
        assert read_numbers(row) == pytest.approx(ledger_parts(reviewed.ledger(seat)), abs=0.051)


def test_the_fonts_of_a_study_take_less_than_sixty_kilobytes() -> None:
    style = font_style()
    assert style in write_study(make_study([]))
    assert style.count("font/woff2") == len(FONT_FILES)
    assert len(style) < 60_000


def test_hostile_texts_stay_text(source: StudySource) -> None:
    store = NoteStore(source.library.folder)
    place = place_of_game(source.library.run("made"), 0, 2)
    note = store.add(place, NoteContent(HOSTILE, HOSTILE, (HOSTILE[:50],)))
    try:
        study = make_study(
            iter_sections(source, find_note_items(store, NoteFilter(words="onerror"))),
            title=HOSTILE,
            text=HOSTILE,
        )
    finally:
        store.remove(note)
    section = study.sections[0]
    (replay,) = section.sheet.list_contents(Replay)
    hostile_scene = {**replay.scene, "title": HOSTILE, "strategies": [HOSTILE, HOSTILE]}
    sheet = replace(
        section.sheet,
        kind="game",
        verdict=f"{HOSTILE} in bloxx-touch-2p (as bloxx-2p). So",
        warnings=(HOSTILE,),
        commands=(HOSTILE,),
        parts=(
            Part("replay", replay._replace(scene=hostile_scene, comments={2: HOSTILE})),  # type: ignore[arg-type]
            Part("passage", Passage(HOSTILE, ((HOSTILE, HOSTILE),)), "details", HOSTILE),
            Part("table", Table(HOSTILE, (HOSTILE,), ((HOSTILE,),), HOSTILE)),
        ),
    )
    worse = replace(section, sheet=sheet, problem=HOSTILE)
    text = write_study(replace(study, sections=(worse,)))
    reader = TagReader()
    reader.feed(text)
    assert "img" not in reader.tags
    names = '<span class="whole">bloxx-touch-2p</span> (as <span class="whole">bloxx-2p).</span> So'
    assert f" in {names}" in text
    assert reader.tags.count("script") == 4, "two scripts, one scene and the comments on its moves"
    assert not [name for name in reader.attributes if name.startswith("on")]
    assert set(reader.addresses) <= {"data:,", "#part-1"}
    assert "49" not in text.split("<main")[1].split("</header>")[0]


def test_hostile_texts_run_nothing(
    source: StudySource, new_page: Callable[..., Page], tmp_path: Path
) -> None:
    """The fixture fails if the page opens a dialog or reports an error."""
    study = make_study(iter_sections(source, find_items(source, ["made#1:3"])), title=HOSTILE, text=HOSTILE)
    section = study.sections[0]
    scene = {**section.sheet.list_contents(Replay)[0].scene, "title": HOSTILE, "strategies": [HOSTILE, "x"]}
    replay = section.sheet.list_contents(Replay)[0]._replace(scene=scene)  # type: ignore[arg-type]
    shown = replace(section, text=HOSTILE, sheet=replace(section.sheet, parts=(Part("replay", replay),)))
    file = tmp_path / "study.html"
    file.write_text(write_study(replace(study, sections=(shown,))), encoding="utf-8")
    page = new_page()
    page.goto(f"file://{file}")
    assert page.locator("h1").inner_text() == HOSTILE
    assert HOSTILE in page.locator(".replay .title h3").inner_text()


def test_the_comments_on_moves_are_in_the_list_of_moves_for_screen_readers_and_on_paper(
    source: StudySource, new_page: Callable[..., Page], tmp_path: Path
) -> None:
    (section,) = make_study(iter_sections(source, find_items(source, ["made#2:5"]))).sections
    (replay,) = section.sheet.list_contents(Replay)
    commented = replay._replace(comments={4: f"{HOSTILE}\nsecond line", 6: "Better."})
    file = tmp_path / "study.html"
    file.write_text(
        write_study(
            make_study([replace(section, sheet=replace(section.sheet, parts=(Part("replay", commented),)))])
        ),
        encoding="utf-8",
    )
    page = new_page(viewport={"width": 1280, "height": 900})
    page.goto(f"file://{file}")
    current = page.locator(".ply[aria-selected=true]")
    assert current.locator(".comment").inner_text() == f"{HOSTILE}\nsecond line"
    assert page.locator(".ply .comment").count() == 2
    spoken = page.locator(".words[aria-live=polite]")
    assert "second line" in (spoken.text_content() or "")
    page.locator(".replay").focus()
    page.keyboard.press("ArrowRight")
    assert "second line" not in (spoken.text_content() or "")
    page.keyboard.press("ArrowRight")
    assert current.locator(".comment").inner_text() == "Better."
    assert not page.locator("dl.comments").is_visible()
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        assert find_faults(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    words = page.locator(".words .comment").bounding_box()
    assert words
    assert words["height"] > 15, (
        "on a phone it stands above the board, because the list of moves is far below"
    )
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.emulate_media(media="print")
    assert page.locator("dl.comments dd").all_inner_texts() == [f"{HOSTILE}\nsecond line", "Better."]
