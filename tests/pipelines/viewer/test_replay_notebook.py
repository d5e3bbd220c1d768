"""The replay inside a notebook: a frame without an address of its own, shut off from everything."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipelines.notebook.api import Run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page

    from pipelines.runs.library import Library

pytestmark = pytest.mark.browser


def test_a_game_in_a_frame_steps_by_buttons_and_keys(
    new_page: Callable[..., Page], library: Library, tmp_path: Path
) -> None:
    game = Run(library.run("three").path)[0]
    notebook = tmp_path / "notebook.html"
    notebook.write_text(f"<!doctype html><meta charset='utf-8'><body>{game._repr_html_()}", encoding="utf-8")
    page = new_page(viewport={"width": 900, "height": 1000})
    page.goto(f"file://{notebook}")
    frame = page.frame_locator("iframe")
    place = frame.locator(".place")
    assert place.inner_text().startswith("Start")
    frame.get_by_role("button", name="Next ply").click()
    assert "ply 0 of" in place.inner_text()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert "ply 3 of" in place.inner_text()
    page.keyboard.press("End")
    assert frame.locator(".seat .score").all_inner_texts() == [
        str(seat.score).replace("-", "\u2212") for seat in game.seats
    ]
    page.wait_for_timeout(300)  # the ply is written into the address, where there is one
    assert page.url == f"file://{notebook}"
