"""The replay in a browser, inside a Streamlit page."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from engine import games
from engine.luck import Luck
from engine.play import play_out
from engine.strategies import read_player
from tests.browser import wait_until_settled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Page

    from engine.catalogue import Catalogue
    from engine.scene import Scene
    from tests.processes import StartProcess

APP_SCRIPT = """
import json
from pathlib import Path

import streamlit as st

from pipelines.runs.game_queries import ScoreStanding
from dashboard.widgets.components import PlaceInRun, show_replay

name = st.selectbox("Game", ["bloxx", "handmade", "four"])
note = st.text_input("Note")
st.button("Again")
is_reviewed = st.checkbox("Review")
review = json.loads(Path("review.json").read_text()) if is_reviewed and name == "bloxx" else None
scene = json.loads(Path(f"{name}.json").read_text())
standings = {"bloxx": [ScoreStanding(0.835, 1200)] * 3, "four": [ScoreStanding(0.835, 2400)] * 4}.get(name)
place = PlaceInRun(standings) if standings else None
show_replay(scene, key="replay", review=review, is_reviewed=is_reviewed, place=place)
st.write(f"Runs with note {note!r}.")
"""
PROJECT_ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def app_address(
    start_process: StartProcess,
    tmp_path_factory: pytest.TempPathFactory,
    bloxx_3p_scene: Scene,
    handmade_scene: Scene,
    catalogue: Catalogue,
    browser: object,
) -> Iterator[str]:
    """The address of a small Streamlit app with a replay."""
    assert browser
    folder = tmp_path_factory.mktemp("app")
    (folder / "app.py").write_text(APP_SCRIPT)
    (folder / "bloxx.json").write_text(json.dumps(bloxx_3p_scene))
    (folder / "handmade.json").write_text(json.dumps(handmade_scene))
    (folder / "four.json").write_text(json.dumps(play_four_seats(catalogue)))
    (folder / "review.json").write_text(json.dumps(make_review(bloxx_3p_scene)))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = {
        "server.port": port,
        "server.address": "127.0.0.1",
        "server.headless": "true",
        "server.fileWatcherType": "none",
        "browser.gatherUsageStats": "false",
    }
    command = [sys.executable, "-m", "streamlit", "run", "app.py"]
    command += [f"--{name}={value}" for name, value in options.items()]
    with (folder / "log").open("w") as log:
        server = start_process(
            command,
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(PROJECT_ROOT)},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            _wait_for_server(port, server)
            yield f"http://127.0.0.1:{port}/"
        finally:
            server.terminate()
            server.wait(10)


def play_four_seats(catalogue: Catalogue) -> Scene:
    """Return the scene of a game of four players; the strategy of one player has a very long name."""
    ruleset = catalogue.find_ruleset("bloxx-4p")
    game = games.find_game(ruleset.game)
    _, plies = play_out(games.start_state(ruleset), [read_player(game, "random").decide] * 4, Luck(5, 0))
    scene = game.scene(ruleset, [ply.action for ply in plies])
    names = ["greedy", "rollout:playouts=256,candidates=16", "random", "planner:candidates=4"]
    return {**scene, "strategies": names, "run": "crowd", "game_id": 3}


def make_review(scene: Scene) -> dict[str, object]:
    """Return a review with a single mistake, at ply 22."""
    plies, players = len(scene["steps"]) + 1, len(scene["start_scores"])
    same = [[[0.25, 0.01]] * players] * plies
    slip = {
        "ply": 22,
        "judged": "mistake",
        "options": 9,
        "better": "A:a1 & b=2",
        "points": [1, 1],
        "wins": [0.2, 0.1],
    }
    ledgers = [[[0, 0]] * 5] * players
    return {"scores": same, "wins": same, "ledgers": ledgers, "win_ledgers": ledgers, "decisions": [slip]}


def _wait_for_server(port: int, server: subprocess.Popen[bytes]) -> None:
    for _ in range(150):
        assert server.poll() is None, "Streamlit did not start"
        try:
            socket.create_connection(("127.0.0.1", port), 0.2).close()
        except OSError:
            time.sleep(0.2)
        else:
            return
    pytest.fail("Streamlit does not answer")


def open_replay(page: Page, address: str) -> Page:
    """Open the app and wait for the replay."""
    page.goto(address)
    page.locator(".replay .seat").first.wait_for()
    return page


def read_place_text(page: Page) -> str:
    return page.locator(".place").inner_text()


def test_keys_work_while_nothing_else_has_the_focus(new_page: Callable[..., Page], app_address: str) -> None:
    page = open_replay(new_page(), f"{app_address}?move=18")
    assert " move 18 of 72" in read_place_text(page)
    page.keyboard.press("ArrowRight")
    assert " move 19 of 72" in read_place_text(page)
    page.locator(".caption").click()
    page.keyboard.press("End")
    assert " move 72 of 72" in read_place_text(page)
    page.wait_for_url(re.compile(r"\?move=72$"))


def test_keys_in_another_field_are_left_alone(new_page: Callable[..., Page], app_address: str) -> None:
    page = open_replay(new_page(), f"{app_address}?move=18")
    page.get_by_role("textbox", name="Note").click()
    page.keyboard.type("l1 ?")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    assert page.get_by_role("textbox", name="Note").input_value() == "l1 ?"
    assert " move 18 of 72" in read_place_text(page)
    assert not page.locator("dialog[open]").count()


def test_the_ply_survives_a_rerun(new_page: Callable[..., Page], app_address: str) -> None:
    page = open_replay(new_page(), app_address)
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile(r"\?move=5$"))
    page.locator(".replay").evaluate("node => { node.dataset.seen = 'yes'; }")
    page.get_by_role("textbox", name="Note").fill("hello")
    page.keyboard.press("Enter")
    page.get_by_text("Runs with note 'hello'.").wait_for()
    assert " move 5 of 72" in read_place_text(page)
    assert page.locator(".replay").get_attribute("data-seen") == "yes"
    assert page.url.endswith("?move=5")


def test_another_game_starts_at_its_own_beginning(new_page: Callable[..., Page], app_address: str) -> None:
    page = open_replay(new_page(), f"{app_address}?move=2")
    page.get_by_role("combobox", name="Game").click()
    page.get_by_role("option", name="handmade").click()
    page.get_by_text("Made by hand").wait_for()
    assert read_place_text(page).startswith("Start")
    assert page.locator(".replay").count() == 1
    page.keyboard.press("Escape")
    page.locator(".caption").click()
    page.keyboard.press("ArrowRight")
    assert " move 1 of 3" in read_place_text(page)


def test_a_review_arrives_without_disturbing_the_game(
    new_page: Callable[..., Page], app_address: str
) -> None:
    page = open_replay(new_page(), f"{app_address}?move=18")
    page.keyboard.press("ArrowRight")
    page.get_by_text("Review", exact=True).click()
    page.locator(".review-verdict").wait_for()
    assert " move 19 of 72" in read_place_text(page)
    page.wait_for_url(re.compile(r"\?move=19&review=1$"))
    page.locator(".caption").click()
    page.keyboard.press("m")
    assert " move 23 of 72" in read_place_text(page)
    page.get_by_text("Review", exact=True).click()
    page.locator(".review-verdict").wait_for(state="hidden")
    page.wait_for_url(re.compile(r"\?move=23$"))
    assert not page.locator(".ply-mark").count()


def test_after_a_mistake_a_link_asks_about_the_better_choice(
    new_page: Callable[..., Page], app_address: str
) -> None:
    page = open_replay(new_page(), f"{app_address}?move=18")
    page.get_by_text("Review", exact=True).click()
    page.locator(".review-verdict").wait_for()
    page.locator(".caption").click()
    page.keyboard.press("m")
    better = page.locator(".review-verdict a").get_attribute("href") or ""
    assert (
        better == f"{app_address}replay?run=first-look&game-number=13&move=23&action=A%3Aa1+%26+b%3D2&quick=1"
    )


def test_the_end_says_who_won_and_how_scores_stand_in_their_run(
    new_page: Callable[..., Page], app_address: str
) -> None:
    page = open_replay(new_page(), app_address)
    assert page.locator(".finish").is_hidden()  # no spoiler
    wait_until_settled(page)
    tops = page.locator(".board").evaluate_all(
        "boards => boards.map(board => board.getBoundingClientRect().top)"
    )
    page.keyboard.press("End")
    said = [text.replace("\u202f", " ") for text in page.locator(".finish .standing").all_inner_texts()]
    assert said == ["beats 84 %"] * 3
    assert "equal scores count half" in (page.locator(".standing").first.get_attribute("title") or "")
    assert re.match(r"Player \d wins by \d+", page.locator(".finish h2").inner_text())
    assert read_place_text(page).endswith(f" move 72 of 72 · {page.locator('.finish h2').inner_text()}")
    assert sorted(page.locator(".finish .who").all_inner_texts()) == ["Player 1", "Player 2", "Player 3"]
    assert (
        page.locator(".board").evaluate_all(
            "boards => boards.map(board => board.getBoundingClientRect().top)"
        )
        == tops
    )  # the boards do not jump
    page.get_by_role("button", name="From the start").click()
    assert page.locator(".finish").is_hidden()


def test_the_end_of_a_game_of_four_shows_all_names_in_full(
    new_page: Callable[..., Page], app_address: str
) -> None:
    page = open_replay(new_page(), app_address)
    page.get_by_role("combobox", name="Game").click()
    page.get_by_role("option", name="four").click()
    expect(page.locator(".seat .name")).to_have_count(4)
    page.locator(".caption").click()
    page.keyboard.press("End")
    page.locator(".finish").wait_for()
    for width, height in ((1440, 900), (1280, 800), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        wait_until_settled(page)  # the boards are drawn anew for the width
        lines = page.locator(".seat .name, .finish .who").evaluate_all(
            """names => names.map(name => [name.textContent, name.scrollWidth <= name.clientWidth,
                 name.getBoundingClientRect().height < 2 * parseFloat(getComputedStyle(name).fontSize)])"""
        )
        assert sorted(lines) == sorted([f"Player {seat}", True, True] for seat in (1, 2, 3, 4) for _ in "ab")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_replay_follows_the_theme_of_the_page(
    new_page: Callable[..., Page], app_address: str, scheme: str
) -> None:
    page = open_replay(new_page(color_scheme=scheme), app_address)
    replay = page.locator(".replay")
    expect(replay).to_have_attribute("data-theme", scheme)
    wait_until_settled(page)
    around = page.locator(".stApp").evaluate("node => getComputedStyle(node).backgroundColor")
    assert replay.evaluate("node => getComputedStyle(node).backgroundColor") == around
