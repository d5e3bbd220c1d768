"""Visits of the dashboard in a real browser."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.browser import wait_until_settled

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Locator, Page

    from pipelines.runs.library import Library


def read_place_text(page: Page) -> str:
    """Return the text of a replay that says which ply is shown."""
    page.locator(".replay .seat").first.wait_for()
    return page.locator(".place").inner_text()


def test_a_visitor_opens_a_game_steps_through_it_and_shares_the_link(
    new_page: Callable[..., Page], shared_dashboard_address: str
) -> None:
    page = new_page()
    page.goto(shared_dashboard_address)
    page.get_by_role("heading", name="Reroll").wait_for()
    page.locator(".st-key-game-tiles").get_by_role("link", name="Replay").first.click()
    page.locator(".replay .seat").first.wait_for()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile(r"move=3"))
    assert page.evaluate("history.length") == 3  # the empty page of the browser, the library and this one
    place, address = read_place_text(page), page.url
    assert "run=" in address
    assert "game-number=1" in address
    other_page = new_page()
    other_page.goto(address)
    assert read_place_text(other_page) == place
    page.go_back()
    page.get_by_role("heading", name="Reroll").wait_for()
    assert page.url == f"{shared_dashboard_address}/"


def test_the_next_game_starts_before_its_first_ply(
    new_page: Callable[..., Page], shared_dashboard_address: str
) -> None:
    page = new_page()
    page.goto(f"{shared_dashboard_address}/replay?run=three&game-number=5&move=31")
    assert " move 31 of" in read_place_text(page)
    page.get_by_role("button", name="→").click()
    page.wait_for_url(re.compile(r"game-number=6"))
    expect(page.locator(".title")).to_contain_text("game 6")
    assert "move 31" not in read_place_text(page)


def test_scores_are_drawn_for_the_rulesets_in_the_address(
    new_page: Callable[..., Page], shared_dashboard_address: str
) -> None:
    page = new_page()
    page.goto(f"{shared_dashboard_address}/scores?rulesets=bloxx-3p&rulesets=bloxx-touch-3p&shape=Cumulative")
    page.locator(".js-plotly-plot").first.wait_for()
    titles = page.locator(".js-plotly-plot").first.locator(".annotation-text", has_text="n = ")
    expect(titles).to_have_text(
        [
            "greedy · n = 48 each",
            "random · n = 24 each",
        ]
    )
    page.locator(".st-key-more-filters button").click()
    page.get_by_role("combobox", name="Drawn as").click()
    page.get_by_role("option", name="Quantiles").click()
    page.wait_for_url(re.compile(r"shape=Quantiles"))


def test_a_new_run_appears_on_an_open_page_within_five_seconds(
    new_page: Callable[..., Page],
    dashboard_address: str,
    copied_data_folder: Path,
    play_run: Callable[..., None],
) -> None:
    page = new_page()
    page.goto(dashboard_address)
    expect(page.get_by_role("link", name="All 3 runs")).to_be_visible()
    play_run(copied_data_folder, "fresh", "bloxx-4p", "greedy", "greedy", "random", "random", games=4)
    every_run = page.get_by_role("link", name="All 4 runs")
    expect(every_run).to_be_visible(timeout=5_000)
    every_run.click()
    expect(page.get_by_text("BLOXX!, 4 players", exact=False).first).to_be_visible()


def test_a_visitor_plays_in_two_clicks_and_follows_a_bin_to_a_game(
    empty_dashboard_address: str, empty_data_folder: Path, new_page: Callable[..., Page]
) -> None:
    page = new_page()
    page.goto(empty_dashboard_address)
    page.get_by_role("button", name="Load the examples").wait_for()
    page.get_by_role("button", name="Simulate").first.click()
    page.wait_for_url(re.compile(r"play="))
    page.get_by_role("button", name="Start").click()
    ready = page.get_by_role("link", name="All about these scores")
    ready.wait_for(timeout=120_000)  # the first run may have to compile the game
    ready.click()
    page.locator(".js-plotly-plot .barlayer .point").first.wait_for()
    wait_until_settled(page)
    bars = [bar.bounding_box() for bar in page.locator(".js-plotly-plot .barlayer .point").all()]
    bar = max(filter(None, bars), key=lambda box: box["height"])  # its bin holds games, whatever the seed
    page.mouse.move(bar["x"] + bar["width"] / 2, bar["y"] + bar["height"] / 2)
    page.wait_for_timeout(300)
    page.mouse.click(bar["x"] + bar["width"] / 2, bar["y"] + bar["height"] / 2)
    page.wait_for_url(re.compile(r"from=-?\d+"))
    page.get_by_role("link", name=re.compile(r"^\d+$")).first.click()
    page.locator(".replay .seat").first.wait_for()
    page.wait_for_url(re.compile(r"/replay\?"))
    assert f"run={next(path.stem for path in (empty_data_folder / 'runs').glob('*.duckdb'))}" in page.url


def run_menu_button(page: Page, run: str) -> Locator:
    """Return the button that opens the menu of a run."""
    return page.locator(f".st-key-card-{run}").locator('[data-testid="stPopoverButton"]').first


def test_a_visitor_renames_uploads_and_deletes_runs(
    new_page: Callable[..., Page], dashboard_address: str, copied_data_folder: Path, library: Library
) -> None:
    page = new_page()
    page.goto(f"{dashboard_address}/runs")
    run_menu_button(page, "hanging").click()
    name = page.get_by_role("textbox", name="Name")
    name.fill("renamed-run")
    page.get_by_role("button", name="Rename").click()
    page.get_by_text("renamed-run ·", exact=False).wait_for()
    assert (copied_data_folder / "runs" / "renamed-run.duckdb").exists()
    page.keyboard.press("Escape")

    page.locator('input[type="file"]').set_input_files(
        {"name": "bad.duckdb", "mimeType": "application/octet-stream", "buffer": b"no database " * 400}
    )
    page.get_by_text("it is not a DuckDB file", exact=False).wait_for()
    run_file = (library.runs_folder / "hanging.duckdb").read_bytes()
    page.locator('input[type="file"]').set_input_files(
        {"name": "gift.duckdb", "mimeType": "application/octet-stream", "buffer": run_file}
    )
    page.get_by_text("gift is in the library", exact=False).wait_for(timeout=90_000)
    assert (copied_data_folder / "runs" / "gift.duckdb").exists()

    run_menu_button(page, "gift").click()
    page.get_by_text("Delete this run permanently").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_text("gift ·", exact=False).wait_for(state="detached")
    assert not (copied_data_folder / "runs" / "gift.duckdb").exists()


def test_a_visitor_asks_what_if_stops_saves_and_comes_back(
    new_page: Callable[..., Page], dashboard_address: str
) -> None:
    page = new_page()
    page.set_default_timeout(60_000)
    question = f"{dashboard_address}/replay?run=three&game-number=2&move=21&player=2&strategy=random&seed=3"
    page.goto(f"{question}&continuations=100000")
    page.get_by_role("button", name="Answer it").click()  # more continuations than usual wait for a click
    answer = page.locator(".answer")
    basis = answer.locator(".basis")
    # Stopped before the first answer there would be nothing to watch.
    expect(basis).to_contain_text(re.compile(r"[\d,]+ continuations of each branch"))
    answer.get_by_role("button", name="Stop").click()
    expect(answer.get_by_text("Stopped.", exact=True)).to_be_visible()
    assert "100,000 continuations" not in basis.inner_text()
    page.locator(".answer-below .reroll-chart").first.wait_for()  # all numbers of what was played
    answer.get_by_role("button", name="in the middle").click()
    pair = page.locator(".replay[data-pair]")
    pair.locator(".seat").first.wait_for()
    expect(pair).to_have_count(1)
    captions = page.locator(".pair-caption")
    expect(captions).to_have_count(2)
    before = captions.all_inner_texts()
    page.keyboard.press("End")  # steps both branches, without a click into them first
    assert all(now != then for now, then in zip(captions.all_inner_texts(), before, strict=True))
    expect(page.locator(".pair-plot")).to_have_count(1)  # both scores on one axis
    expect(page.locator(".pair-plot .score-line")).to_have_count(2)
    first_question = page.url
    page.goto(f"{question}&continuations=100")
    expect(basis).to_contain_text(" 100 continuations of each branch")
    page.get_by_role("textbox", name="Name of the run").fill("from-the-page")
    page.keyboard.press("Enter")
    saved = page.get_by_text("Added 200 games as from")
    expect(saved).to_be_in_viewport()
    replay = page.get_by_role("link", name="Replay the first game from the fork").get_attribute("href") or ""
    assert replay.endswith("/replay?run=from-the-page&game-number=1&move=21")
    page.goto(f"{dashboard_address}/replay?run=from-the-page&game-number=2&move=21")
    assert " move 21 of " in read_place_text(page)
    page.goto(first_question)
    page.get_by_role("button", name="Answer it").click()
    expect(basis).to_contain_text(re.compile(r"[\d,]+ continuations of each branch"))
    assert "continuations=100000" in page.url


def test_a_place_is_found_by_its_name(new_page: Callable[..., Page], shared_dashboard_address: str) -> None:
    page = new_page()
    page.goto(f"{shared_dashboard_address}/sql")
    page.get_by_role("heading", name="SQL", exact=True).wait_for()
    wait_until_settled(page)
    page.locator("h1").click()  # the page has the keyboard, no field has
    page.keyboard.press("/")
    field = page.get_by_role("dialog").get_by_role("combobox")
    expect(field).to_be_focused()
    page.keyboard.type("three run")
    page.get_by_role("option", name=re.compile(r"three\s+run")).first.click()
    page.wait_for_url(re.compile("/replay.*run=three"))
    page.locator(".replay .seat").first.wait_for()
    page.get_by_role("link", name="Replays").last.click()
    page.get_by_role("heading", name="Replays", exact=True).wait_for()
    expect(page).to_have_title("Replays · Reroll")
    page.keyboard.press("Control+k")
    expect(field).to_be_focused()
