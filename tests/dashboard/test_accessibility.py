"""Every page is checked with axe-core, with the light and the dark theme."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import quote_plus

import pytest

from pipelines.report.query_examples import QUERY_EXAMPLES
from tests.axe import find_faults
from tests.browser import wait_until_settled

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from engine.scene import Scene

COLOUR_SCHEMES: Final = ("light", "dark")
BACKGROUND_COLOUR_SCRIPT: Final = (
    "getComputedStyle(document.querySelector('[data-testid=\"stApp\"]')).backgroundColor"
)
"""A script that returns the background colour of the page."""
LENGTHS_SQL: Final = next(one.sql for one in QUERY_EXAMPLES if one.title == "How long do games last?")
PAGE_SELECTORS: Final = {
    "": ".st-key-game-tile-spexxx",
    "runs": ".st-key-card-three",
    "?play=bloxx": ".st-key-new-play",
    "scores": ".js-plotly-plot",
    "scores?shape=Quantiles&compare=One%20by%20one": ".js-plotly-plot",
    "scores?shape=Cumulative&score=20&from=10&to=30": ".numbers >> nth=0",
    "scores?view=Explore&rulesets=bloxx-3p": ".linked .chart >> nth=0",
    "scores?view=Parts": ".js-plotly-plot",
    "scores?view=Course&rulesets=bloxx-3p": ".js-plotly-plot",
    "scores?view=Players": ".js-plotly-plot",
    "scores?view=Length": ".js-plotly-plot",
    "scores?view=Squares&rulesets=bloxx-3p": '[class*="st-key-map-"]',
    "scores?view=Moves&rulesets=bloxx-3p&by=first+piece": ".st-key-details-scores",
    "strategies": ".st-key-strategies-new",
    "strategies?ruleset=bloxx-2p": ".st-key-ask-go",
    "strategies?run=scores-only": ".js-plotly-plot",
    "games": ".st-key-record-score-0",
    "replay?run=three&game-number=2&move=31": ".replay .seat",
    "play": ".st-key-play-now-bloxx",
    "whatif": ".st-key-whatif-ask",
    "replay?run=three&game-number=2&move=21&whatif=1": ".whatif-panel .choices button",
    "replay?run=three&game-number=2&move=21&player=2&strategy=random&seed=3&continuations=100": ".answer-saving",
    "rules?ruleset=bloxx-2p": ".how-to-play",
    "rules?ruleset=spexxx-2p": ".how-to-play",
    "rules?ruleset=bloxx-2p&part=side-by-side": ".scale",
    "rules?ruleset=bloxx-2p&part=effect": '[data-testid="stSelectbox"]',
    "rules?ruleset=blokus-duo&part=openings&first=move&blocks=10": '[class*="st-key-map-"]',
    "rules?ruleset=bloxx-2p&vary=gap_penalty%3D0..2&strategies=greedy%2Cgreedy&blocks=20": ".st-key-chart-seats .js-plotly-plot",
    "rules?ruleset=bloxx-2p&part=own": ".printed .board",
    "sql": "textarea",
    "notes": '.stMainBlockContainer :is([data-testid="stAlert"], [class*="st-key-note-card-"])',
    f"sql?kind=bar&sql={quote_plus(LENGTHS_SQL)}&set=ruleset%3Dbloxx-3p": ".js-plotly-plot",
}
"""Addresses of all pages and of their different states, each with a selector of an element to wait for."""
OPENED_PAGES: Final = (
    "runs",
    "scores",
    "replay?run=three&game-number=2&move=31",
    "replay?run=three&game-number=2&move=21&player=2&strategy=random&seed=3&continuations=100",
    "rules?ruleset=bloxx-2p&part=own",
    "notes",
)
"""The addresses at which all drawers and menus are opened. At the others drawers stay closed."""
OPEN_DRAWERS_SCRIPT: Final = """() => {
  const open = (root) => {
    for (const summary of root.querySelectorAll("details:not([open]) > summary")) summary.click();
    for (const node of root.querySelectorAll("*")) if (node.shadowRoot) open(node.shadowRoot);
  };
  open(document);
}"""
"""A script that opens all drawers of a page, also those inside its components."""


def find_lasting_faults(
    page: Page, *rules: str, part: str = "", has_known_colours: bool = False
) -> list[str]:
    """Return the faults that do not disappear within seconds: text that is fading in has too little contrast."""
    for _ in range(5):
        if not find_faults(page, *rules, part=part, has_known_colours=has_known_colours):
            return []
        page.wait_for_timeout(1000)
    return find_faults(page, *rules, part=part, has_known_colours=has_known_colours)


def check_menus(page: Page, *rules: str) -> None:
    """Open the menus of a page one after the other, with all drawers in them; of buttons with equal names the first.

    All rules are checked, or only the given ones.
    """
    buttons = page.locator('[data-testid="stPopoverButton"]:enabled:visible')
    opened: set[str] = set()
    for number in range(buttons.count()):
        name = buttons.nth(number).inner_text()
        if name in opened:
            continue
        opened.add(name)
        wait_until_settled(page)  # the answer to the menu that was closed before would close this one
        buttons.nth(number).click()
        # it opens before the server answers, and a menu that is closed by then opens again
        page.get_by_test_id("stPopoverBody").get_by_test_id("stElementContainer").first.wait_for(
            state="attached"
        )
        page.evaluate(OPEN_DRAWERS_SCRIPT)
        assert find_lasting_faults(page, *rules, part='[data-testid="stPopoverBody"]') == [], name
        page.keyboard.press("Escape")
        page.get_by_test_id("stPopoverBody").wait_for(state="detached")
        page.mouse.move(0, 0)  # the tooltip of this button may lie over the next one
    assert opened


@pytest.mark.parametrize("address", PAGE_SELECTORS)
def test_no_page_has_an_accessibility_fault(
    new_page: Callable[..., Page], shared_dashboard_address: str, address: str
) -> None:
    """The dark theme differs only in its colours, so only the contrast is checked again."""
    page = new_page()
    page.emulate_media(color_scheme="light")
    page.goto(f"{shared_dashboard_address}/{address}")
    page.locator(PAGE_SELECTORS[address]).first.wait_for()
    page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]').wait_for(state="attached")
    page.locator('[data-stale="true"]').first.wait_for(state="detached")
    if address in OPENED_PAGES:
        page.evaluate(OPEN_DRAWERS_SCRIPT)
    assert find_lasting_faults(page) == []
    if address in OPENED_PAGES:
        check_menus(page)
    light = page.evaluate(BACKGROUND_COLOUR_SCRIPT)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"light => {BACKGROUND_COLOUR_SCRIPT} !== light", arg=light)
    assert find_lasting_faults(page, "color-contrast") == [], "with the dark theme"
    if address == OPENED_PAGES[2]:  # once, because *Keep* and *Give away* are the menus of all pages
        check_menus(page, "color-contrast")


@pytest.mark.parametrize("scheme", COLOUR_SCHEMES)
def test_no_exported_replay_has_an_accessibility_fault(
    show_scene: Callable[..., Page], bloxx_3p_scene: Scene, scheme: str
) -> None:
    page = show_scene(bloxx_3p_scene, "?move=31", color_scheme=scheme)
    page.locator(".replay .seat").first.wait_for()
    assert find_faults(page) == []
    page.keyboard.press("?")
    page.locator(".help-dialog").wait_for()
    assert find_faults(page) == []


def test_planted_accessibility_faults_are_found(new_page: Callable[..., Page]) -> None:
    """The check finds a button without a name and text with too little contrast."""
    page = new_page()
    page.set_content(
        '<html lang="en"><title>t</title><main><h1>t</h1><button></button><p style="color:#aaa;background:#fff">Faint print, of some length.</p>'
    )
    assert {fault.split(":")[0] for fault in find_faults(page)} == {
        "serious color-contrast",
        "critical button-name",
    }
