"""In a real browser: a visitor makes a ruleset with the form, and runs SQL queries."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from pipelines.runs.library import Library
from tests.browser import open_other_forms

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page

    from pipelines.runs.run import Run

SIMULATION_TIMEOUT_SECONDS = 120.0
"""Maximum time until a simulation is finished; the first simulation of a game compiles it."""


def wait_for_run(library: Library, ruleset: str) -> Run:
    """Wait until the library has a run of a ruleset; return the run."""
    deadline = time.monotonic() + SIMULATION_TIMEOUT_SECONDS
    while time.monotonic() < deadline:
        for run in library.runs():
            if run.summary.rulesets[0].name == ruleset:
                return run
        time.sleep(0.5)
    pytest.fail(f"there is no run of {ruleset}")


def test_a_ruleset_is_made_with_the_form_corrected_saved_and_simulated(
    new_page: Callable[..., Page], dashboard_address: str, copied_data_folder: Path
) -> None:
    page = new_page()
    page.set_default_timeout(60_000)
    page.goto(f"{dashboard_address}/rules?ruleset=bloxx-2p&part=own")
    page.locator(".printed .board").wait_for()
    expect(page.get_by_role("button", name="Save this ruleset")).to_be_in_viewport()
    page.get_by_role("textbox", name="Name", exact=True).fill("harsh")
    page.get_by_role("spinbutton", name="Points that a gap costs", exact=True).fill("300")
    page.keyboard.press("Tab")
    page.get_by_text("Input should be less than or equal to 100, not 300").wait_for()
    expect(page.get_by_role("button", name="Save this ruleset")).to_be_disabled()
    page.get_by_role("spinbutton", name="Points that a gap costs", exact=True).fill("3")
    page.keyboard.press("Tab")
    page.get_by_text("Input should be less than").wait_for(state="detached")
    page.get_by_text("Coloured rows as text").click()
    page.get_by_role("textbox", name="Coloured rows", exact=True).fill("green = 5\nblue = 8")
    page.keyboard.press("Control+Enter")
    page.locator(".printed .squares .c-orange").first.wait_for(state="detached")
    expect(page.locator(".printed .squares .c-green")).to_have_count(7)
    page.wait_for_url(re.compile("draft="))
    page.get_by_role("button", name="Save this ruleset").click()
    expect(page.get_by_text("Saved as harsh.")).to_be_in_viewport()
    expect(page.get_by_role("button", name="Compare with BLOXX!")).to_be_in_viewport()
    ruleset = Library(copied_data_folder).catalogue.find_ruleset("harsh")
    assert ruleset.document["options"]["gap_penalty"] == 3
    assert ruleset.provenance["coloured_rows"] == "own"
    page.get_by_role("button", name="Simulate 300 games").click()
    page.get_by_role("heading", name="Reroll").wait_for()
    run = wait_for_run(Library(copied_data_folder), "harsh")
    assert run.summary.games >= 300
    page.goto(f"{dashboard_address}/rules?ruleset=harsh")
    page.get_by_text("in 1 run by these rules").wait_for()
    page.get_by_text("own idea", exact=True).wait_for()


def test_a_draft_is_restored_from_the_address_in_another_tab(
    new_page: Callable[..., Page], shared_dashboard_address: str
) -> None:
    page = new_page()
    page.set_default_timeout(60_000)
    page.goto(f"{shared_dashboard_address}/rules?ruleset=spexxx-2p&part=own")
    page.get_by_role("spinbutton", name=re.compile("block of 3 x 3")).fill("77")
    page.keyboard.press("Tab")
    page.wait_for_url(re.compile(r"\?.*77"))
    other = new_page()
    other.set_default_timeout(60_000)
    other.goto(page.url)
    other.locator(".printed .board").wait_for()
    expect(other.get_by_role("spinbutton", name=re.compile("block of 3 x 3"))).to_have_value("77")


def test_a_query_is_answered_drawn_downloaded_and_shared(
    new_page: Callable[..., Page], shared_dashboard_address: str
) -> None:
    page = new_page()
    page.set_default_timeout(60_000)
    page.goto(f"{shared_dashboard_address}/sql")
    page.get_by_role("textbox", name="Your query", exact=True).fill(
        "SELECT seat, count(*) AS n, avg(score) AS mean FROM seats GROUP BY seat"
    )
    page.get_by_role("button", name="Ask", exact=True).click()
    page.get_by_text(re.compile(r": 3 rows\.$")).wait_for()
    page.get_by_role("radio", name="Bars").click()
    page.locator(".js-plotly-plot .bars").first.wait_for()
    page.wait_for_url(re.compile("sql=.*kind=bar"))
    menu = open_other_forms(page)
    with page.expect_download() as download:
        menu.get_by_role("button", name="CSV", exact=True).click()
    assert download.value.path().read_text().startswith("seat,n,mean\n")
    other_page = new_page()
    other_page.set_default_timeout(60_000)
    other_page.goto(page.url)
    other_page.get_by_role("button", name="Answer it").click()
    other_page.get_by_text(re.compile(r": 3 rows\.$")).wait_for()
    other_page.locator(".js-plotly-plot .bars").first.wait_for()
    other_page.get_by_role("textbox", name="Your query", exact=True).fill("SELECT seat,\n  scor FROM seats")
    other_page.keyboard.press("Control+Enter")
    other_page.get_by_text("Line 2, column 3.").wait_for()
