"""Messages in a browser for what a page cannot show: an unknown address, and a server that has ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.sync_api import expect

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    from playwright.sync_api import Browser


def test_an_unknown_page_and_a_server_that_has_ended_are_explained(
    browser: Browser, serve_dashboard: Callable[[Path], AbstractContextManager[str]], tmp_path: Path
) -> None:
    """The page is not that of `new_page`, because the browser also reports both cases on the console."""
    page = browser.new_page()
    page.set_default_timeout(30_000)
    with serve_dashboard(tmp_path) as address:
        page.goto(f"{address}/nonsense")
        expect(page.get_by_text("There is no page nonsense.")).to_be_visible()
        expect(page.get_by_role("combobox", name="A few words")).to_be_focused()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)  # Streamlit's own message
        expect(page.get_by_role("button", name="Load the examples")).to_be_visible()
    title = page.get_by_role("dialog").locator("h2")
    title.wait_for()
    assert title.evaluate("node => getComputedStyle(node, '::after').content") == '"Reroll has stopped"'
    text = page.get_by_role("dialog").locator("> div > div").filter(has_text="internet")
    assert text.count() == 1  # Streamlit's own sentence, which is the wrong advice here
    assert "reroll dashboard" in text.evaluate("node => getComputedStyle(node, '::after').content")
    for own_words in (title, text):
        assert own_words.evaluate("node => getComputedStyle(node).fontSize") == "0px"
    page.close()
