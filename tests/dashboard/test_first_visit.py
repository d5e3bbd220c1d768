"""A first visit in a real browser: the dashboard as `reroll dashboard` serves it."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Page

    from pipelines.library import Library

pytestmark = pytest.mark.browser


class Served(NamedTuple):
    """A dashboard and the data folder it shows."""

    address: str
    folder: Path


@contextmanager
def serving(folder: Path) -> Iterator[Served]:
    """Have the dashboard over a folder, started by the command that people use."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "pipelines", "dashboard", "--no-browser"]
    server = subprocess.Popen(  # noqa: S603 - our own command
        [*command, "--port", str(port), "--data", str(folder)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for _ in range(150):
            assert server.poll() is None, "the dashboard did not start"
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=1).close()
            except OSError:
                time.sleep(0.2)
            else:
                break
        yield Served(f"http://127.0.0.1:{port}", folder)
    finally:
        server.terminate()
        server.wait(10)


@pytest.fixture(scope="module")
def served(browser: object, library: Library, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The dashboard over a copy of the small library."""
    assert browser
    folder = tmp_path_factory.mktemp("data")
    shutil.copytree(library.runs_folder, folder / "runs")
    with serving(folder) as found:
        yield found


@pytest.fixture
def fresh(browser: object, tmp_path: Path) -> Iterator[Served]:
    """The dashboard over nothing."""
    assert browser
    with serving(tmp_path) as found:
        yield found


def place(page: Page) -> str:
    page.locator(".replay .seat").first.wait_for()
    return page.locator(".place").inner_text()


def test_a_visitor_finds_a_game_steps_through_it_and_passes_the_link_on(
    new_page: Callable[..., Page], served: Served
) -> None:
    page = new_page()
    page.goto(served.address)
    page.get_by_role("heading", name="What has been played?").wait_for()
    page.get_by_role("link", name="Replay").nth(1).click()
    page.locator(".replay .seat").first.wait_for()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile(r"ply=2"))
    seen, address = place(page), page.url
    assert "run=" in address
    assert "game=0" in address
    friend = new_page()
    friend.goto(address)
    assert place(friend) == seen


def test_the_next_game_starts_before_its_first_ply(new_page: Callable[..., Page], served: Served) -> None:
    page = new_page()
    page.goto(f"{served.address}/replay?run=three&game=4&ply=30")
    assert " ply 30 of" in place(page)
    page.get_by_role("button", name="→").click()
    page.wait_for_url(re.compile(r"game=5"))
    page.get_by_text("game 5", exact=False).first.wait_for()
    assert "ply 30" not in place(page)


def test_scores_are_drawn_for_the_rulesets_in_the_address(
    new_page: Callable[..., Page], served: Served
) -> None:
    page = new_page()
    page.goto(f"{served.address}/scores?rulesets=bloxx-3p&rulesets=bloxx-touch-3p&shape=Cumulative")
    page.locator(".js-plotly-plot").first.wait_for()
    titles = page.locator(".js-plotly-plot").first.locator(".annotation-text")
    assert titles.all_text_contents() == [
        "bloxx-3p · greedy n = 48 · random n = 24",
        "bloxx-touch-3p · greedy n = 48 · random n = 24",
    ]
    page.get_by_role("radio", name="Quantiles").click()
    page.wait_for_url(re.compile(r"shape=Quantiles"))


def test_a_new_run_appears_within_five_seconds_and_nobody_waits_for_anybody(
    new_page: Callable[..., Page], served: Served, played: Callable[..., None]
) -> None:
    """The page stays open on the library while a run is made beside it."""
    page = new_page()
    page.goto(served.address)
    page.get_by_text("in 3 runs of", exact=False).wait_for()
    played(served.folder, "fresh", "bloxx-4p", "greedy", "greedy", "random", "random", games=4)
    page.get_by_text("in 4 runs of", exact=False).wait_for(timeout=5_000)
    assert page.get_by_text("BLOXX!, 4 players", exact=False).first.is_visible()


def test_a_visitor_plays_in_two_clicks_and_follows_a_bin_to_a_game(
    new_page: Callable[..., Page], fresh: Served
) -> None:
    page = new_page()
    page.goto(fresh.address)
    page.get_by_text("Nothing has been played yet", exact=False).wait_for()
    page.get_by_role("button", name="Play").first.click()
    page.wait_for_url(re.compile(r"play="))
    page.get_by_role("button", name="Start").click()
    ready = page.get_by_role("link", name="Look at the scores")
    ready.wait_for(timeout=120_000)  # a first run may have to compile its game
    ready.click()
    page.locator(".js-plotly-plot .barlayer .point").first.wait_for()
    drawn = page.locator(".js-plotly-plot .barlayer .point").nth(10).bounding_box()
    assert drawn
    page.mouse.move(drawn["x"] + drawn["width"] / 2, drawn["y"] + drawn["height"] / 2)
    page.wait_for_timeout(300)
    page.mouse.click(drawn["x"] + drawn["width"] / 2, drawn["y"] + drawn["height"] / 2)
    page.wait_for_url(re.compile(r"from=-?\d+"))
    way = page.get_by_role("link", name=re.compile(r"Replay game \d+ of"))
    way.wait_for()
    way.click()
    page.locator(".replay .seat").first.wait_for()
    page.wait_for_url(re.compile(r"/replay\?"))
    assert f"run={next(path.stem for path in (fresh.folder / 'runs').glob('*.duckdb'))}" in page.url


def test_a_visitor_renames_uploads_and_deletes_runs(
    new_page: Callable[..., Page], served: Served, library: Library
) -> None:
    page = new_page()
    page.goto(served.address)
    page.get_by_role("button", name="More about hanging").or_(
        page.get_by_label("More about hanging")
    ).first.wait_for(state="attached")
    menus = page.locator('[data-testid="stPopover"] button')
    card = page.locator('[data-testid="stLayoutWrapper"]', has_text="hanging ·").last
    assert menus.count() >= 3
    card.locator('[data-testid="stPopover"] button').click()
    name = page.get_by_role("textbox", name="Name")
    name.fill("renamed-run")
    page.get_by_role("button", name="Rename").click()
    page.get_by_text("renamed-run ·", exact=False).wait_for()
    assert (served.folder / "runs" / "renamed-run.duckdb").exists()
    page.keyboard.press("Escape")

    page.locator('input[type="file"]').set_input_files(
        {"name": "bad.duckdb", "mimeType": "application/octet-stream", "buffer": b"no database " * 400}
    )
    page.get_by_text("it is not a DuckDB database", exact=False).wait_for()
    good = (library.runs_folder / "hanging.duckdb").read_bytes()
    page.locator('input[type="file"]').set_input_files(
        {"name": "gift.duckdb", "mimeType": "application/octet-stream", "buffer": good}
    )
    page.get_by_text("gift is in the library", exact=False).wait_for(timeout=90_000)
    assert (served.folder / "runs" / "gift.duckdb").exists()

    card = page.locator('[data-testid="stLayoutWrapper"]', has_text="gift ·").last
    card.locator('[data-testid="stPopover"] button').click()
    page.get_by_text("Delete this run for good").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_text("gift ·", exact=False).wait_for(state="detached")
    assert not (served.folder / "runs" / "gift.duckdb").exists()
