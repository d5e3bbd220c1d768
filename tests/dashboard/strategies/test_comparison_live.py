"""In a real browser: a comparison from the click to the verdict, without pulsing, and nothing is asked after its end."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.dashboard.test_accessibility import find_lasting_faults

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

WATCH_OPACITY = """() => {
  window.lowestOpacity = 1; window.opacitySamples = 0;
  window.opacityTimer = setInterval(() => {
    for (const element of document.querySelectorAll('.stMain .js-plotly-plot, .stMain h2')) {
      for (let one = element; one && one !== document.body; one = one.parentElement)
        window.lowestOpacity = Math.min(window.lowestOpacity, Number(getComputedStyle(one).opacity));
      window.opacitySamples += 1;
    }
  }, 40);
}"""
AGREEMENT_SCRIPT = """() => {
  const texts = [...document.querySelectorAll('.stMain p, .stMain h2')].map(one => one.textContent);
  const bar = texts.map(one => one.match(/^([\\d,]+) of [\\d,]+ games/)).find(Boolean);
  const verdict = texts.map(one => one.match(/; ([\\d,]+) games\\)/)).find(Boolean);
  return bar && verdict && bar[1] === verdict[1];
}"""
"""A script that says whether the bar of the progress and the verdict below it name the same number of games."""
QUIET_MILLISECONDS = 2500


def count_requests_of_a_quiet_page(page: Page, sent: list[object]) -> int:
    """Return how many messages the page sends to the server while nobody touches it."""
    page.wait_for_timeout(1500)
    before = len(sent)
    page.wait_for_timeout(QUIET_MILLISECONDS)
    return len(sent) - before


def start_comparison(page: Page, address: str, blocks: int) -> None:
    page.goto(f"{address}/strategies?ruleset=blokus-2p&strategies=random&strategies=greedy")
    expect(page.get_by_text(re.compile(r"on this machine \(an estimate from"))).to_be_visible()
    page.get_by_text("Measure, number of blocks and seed").click()
    page.get_by_role("spinbutton", name="Blocks").fill(str(blocks))
    page.keyboard.press("Tab")
    expect(page.get_by_text(re.compile(f"^{2 * blocks:,} games, "))).to_be_visible()
    page.get_by_role("button", name="Compare", exact=True).click()


def test_a_comparison_goes_from_the_click_to_the_verdict_without_pulsing(
    empty_dashboard_address: str, new_page: Callable[..., Page]
) -> None:
    page = new_page()
    page.set_default_timeout(90_000)
    sent: list[object] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))  # noqa: PLW0108
    start_comparison(page, empty_dashboard_address, 1500)
    page.evaluate(WATCH_OPACITY)
    expect(page.get_by_text("Details", exact=True)).to_be_visible(timeout=120_000)
    verdict = page.get_by_role("heading", name=re.compile(r"Greedy beats random by .*; 3,000 games"))
    expect(verdict).to_have_count(1)
    expect(verdict).to_be_visible()
    expect(page.get_by_text(re.compile("Checking this comparison"))).to_have_count(0)
    assert page.evaluate("window.opacitySamples") > 10
    assert page.evaluate("window.lowestOpacity") == 1
    assert count_requests_of_a_quiet_page(page, sent) == 0
    assert find_lasting_faults(page) == []

    start_comparison(page, empty_dashboard_address, 900_000)
    page.wait_for_function(AGREEMENT_SCRIPT)
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.get_by_text(re.compile(r"^Stopped after [1-9][\d,]* of 1,800,000 games"))).to_be_visible()
    assert count_requests_of_a_quiet_page(page, sent) == 0
