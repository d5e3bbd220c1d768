"""What a page brings into view."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.browser import wait_until_settled

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

ALWAYS_LONG = ".stMainBlockContainer { min-height: 4000px }"
"""A style under which no page is ever short, as if every page arrived in one piece."""


def test_another_page_begins_at_its_top_and_a_rerun_leaves_it_where_it_is(
    new_page: Callable[..., Page], shared_dashboard_address: str
) -> None:
    page = new_page()
    page.goto(f"{shared_dashboard_address}/rules")
    wait_until_settled(page)
    page.add_style_tag(content=ALWAYS_LONG)
    main = page.get_by_test_id("stMain")
    heading = page.get_by_role("heading", level=1)
    for link, title in (("Play", "Play"), ("Scores", "Scores"), ("Rules", "Rules")):
        main.evaluate("node => { node.scrollTop = 700; }")
        page.get_by_role("link", name=link, exact=True).first.click()
        expect(heading).to_have_text(title)
        expect(heading).to_be_in_viewport()
        wait_until_settled(page)
        assert main.evaluate("node => node.scrollTop") == 0
    main.evaluate("node => { node.scrollTop = 700; }")
    address = page.url
    page.locator(".st-key-rules-part").get_by_role("radio").last.evaluate(
        "node => node.click()"
    )  # without scrolling
    expect(page).not_to_have_url(address)
    wait_until_settled(page)
    assert main.evaluate("node => node.scrollTop") > 600
