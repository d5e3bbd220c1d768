"""The replay inside a notebook: a sandboxed frame without an address of its own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pipelines.notebook.played import Run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page

    from pipelines.runs import run as stored_run


def test_a_game_in_a_frame_steps_by_buttons_and_keys(
    new_page: Callable[..., Page], small_run: stored_run.Run, tmp_path: Path
) -> None:
    game = Run(small_run.path)[0]
    notebook = tmp_path / "notebook.html"
    notebook.write_text(f"<!doctype html><meta charset='utf-8'><body>{game._repr_html_()}", encoding="utf-8")
    page = new_page(viewport={"width": 900, "height": 1000})
    page.goto(f"file://{notebook}")
    frame = page.frame_locator("iframe")
    place = frame.locator(".place")
    assert place.inner_text().startswith("Start")
    frame.get_by_role("button", name="Next move").click()
    assert "move 1 of" in place.inner_text()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert "move 4 of" in place.inner_text()
    page.keyboard.press("End")
    assert frame.locator(".seat .score").all_inner_texts() == [
        str(seat.score).replace("-", "\u2212") for seat in game.seats
    ]
    page.wait_for_timeout(300)  # long enough for the ply to be written to the address, if there were one
    assert page.url == f"file://{notebook}"


def test_a_game_in_a_frame_has_the_theme_of_the_notebook(
    new_page: Callable[..., Page], small_run: stored_run.Run, tmp_path: Path
) -> None:
    game = Run(small_run.path)[0]
    notebook = tmp_path / "notebook.html"
    dark = "<style>body { background: rgb(17, 17, 17); color: #eee } body.day { background: #fff }</style>"
    notebook.write_text(
        f"<!doctype html><meta charset='utf-8'>{dark}<body>{game._repr_html_()}", encoding="utf-8"
    )
    page = new_page(viewport={"width": 900, "height": 1000}, color_scheme="light")
    page.goto(f"file://{notebook}")
    replay = page.frame_locator("iframe").locator(".replay")
    page.frame_locator("iframe").locator(".replay[data-theme=dark]").wait_for()
    assert replay.evaluate("node => getComputedStyle(node).backgroundColor") == "rgb(17, 17, 17)"
    page.evaluate("document.body.className = 'day'")
    page.frame_locator("iframe").locator(".replay[data-theme=light]").wait_for()
    line = page.get_by_text("The replay needs a notebook that is trusted")
    assert line.is_hidden()
    page.evaluate("document.querySelector('iframe').contentWindow.postMessage({ background: 'url(x)' }, '*')")
    page.wait_for_timeout(100)
    assert replay.get_attribute("data-theme") == "light"


def test_where_frames_are_taken_out_a_line_stands_for_the_game(
    new_page: Callable[..., Page], small_run: stored_run.Run, tmp_path: Path
) -> None:
    game = Run(small_run.path)[0]
    notebook = tmp_path / "notebook.html"
    cleaned = re.sub("<iframe.*</iframe>", "", game._repr_html_(), flags=re.DOTALL)
    notebook.write_text(f"<!doctype html><meta charset='utf-8'><body>{cleaned}", encoding="utf-8")
    page = new_page()
    page.goto(f"file://{notebook}")
    assert page.get_by_text(f"{game!r}. The replay needs a notebook that is trusted.").is_visible()
