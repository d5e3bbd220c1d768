"""Time the pages of the dashboard in a headless browser: `python -m benchmarks.visits --data DIR`.

Every page is opened from the menu of the page before, and by its own link in a new tab. The time runs from the click,
or from the address, until the page is at rest: the script is over and all charts are drawn. The exit code is 1 if a page
shows an error, writes an error to the console, or asks another host for anything.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Final, Literal
from urllib.parse import urlencode

from playwright.sync_api import expect, sync_playwright

from dashboard.pages import FIRST_PAGE, MENU_PAGES, PAGES
from pipelines.runs.library import Library
from pipelines.service.server import start_dashboard
from tests.browser import CHROMIUM, CHROMIUM_ARGUMENTS, collect_complaints

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, BrowserContext
    from playwright.sync_api import Page as Tab

PAGE_TIMEOUT_SECONDS: Final = 60.0
AT_REST_SCRIPT: Final = """heading => {
  const app = document.querySelector('[data-testid="stApp"]');
  return app?.dataset.testScriptState === "notRunning"
    && [...document.querySelectorAll("h1")].some(one => one.innerText === heading || !heading)
    && !document.querySelector('[data-testid="stSkeleton"]')
    && [...document.querySelectorAll(".stPlotlyChart")].every(chart => chart.querySelector(".main-svg"));
}"""
"""True if the page with this heading (any if empty) is complete."""


def page_links(library: Library) -> dict[str, str]:
    """Return an address for each page that has something to show, by the title of the page."""
    runs = library.runs()
    logged = next((run for run in runs if run.summary.log != "scores"), None)
    compared = next((run for run in runs if run.summary.is_comparison), None)
    queries: dict[str, dict[str, str]] = {"sql": {"sql": "SELECT run, title, games FROM run"}}
    if logged:
        ruleset = logged.summary.rulesets[0].name
        queries["scores"] = queries["rules"] = {"rulesets": ruleset}
        queries["replay"] = {"run": logged.name, "game-number": "1", "move": "4"}
    if compared:
        queries["strategies"] = {"run": compared.name}
    return {
        page.title: ("" if page is FIRST_PAGE else page.script)
        + f"?{urlencode(queries.get(page.script, {}))}"
        for page in PAGES
    }


def wait_until_at_rest(tab: Tab, heading: str = "") -> None:
    """Wait until the page is complete; fail if it shows an error."""
    tab.wait_for_function(AT_REST_SCRIPT, arg=heading, timeout=1000 * PAGE_TIMEOUT_SECONDS)
    expect(tab.locator('[data-testid="stException"], [data-testid="stAlertContentError"]')).to_have_count(0)


def time_menu_walk(context: BrowserContext, address: str) -> Iterator[tuple[str, float]]:
    """Open every page of the menu, one after the other; yields titles and seconds.

    The heading of a page is its title in the menu; on the first page it is the name of the product.
    """
    tab = context.new_page()
    tab.goto(address)
    wait_until_at_rest(tab)
    for page in (*MENU_PAGES[1:], FIRST_PAGE):
        if page.section:
            tab.get_by_test_id("stTopNavSection").click()
        started = time.perf_counter()
        role: Literal["menuitem", "link"] = "menuitem" if page.section else "link"
        tab.get_by_role(role, name=page.title, exact=True).first.click()
        wait_until_at_rest(tab, "Reroll" if page is FIRST_PAGE else page.title)
        yield page.title, time.perf_counter() - started
    tab.close()


def time_links(context: BrowserContext, address: str, links: dict[str, str]) -> Iterator[tuple[str, float]]:
    """Open every page by its link in a new tab; yields titles and seconds."""
    for title, link in links.items():
        tab = context.new_page()
        started = time.perf_counter()
        tab.goto(f"{address}/{link}", wait_until="commit")
        wait_until_at_rest(tab)
        yield title, time.perf_counter() - started
        tab.close()


def time_pages(
    browser: Browser, address: str, links: dict[str, str], rounds: int
) -> tuple[dict[str, list[float]], list[str]]:
    """Return the seconds by kind of visit, and the complaints of the browser."""
    seconds: dict[str, list[float]] = defaultdict(list)
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    complaints = collect_complaints(context)
    for _ in range(rounds):
        for title, took in time_links(context, address, links):
            seconds[f"{title}, by its link"].append(took)
        for title, took in time_menu_walk(context, address):
            seconds[f"{title}, from the menu"].append(took)
    context.close()
    return seconds, complaints


def main() -> int:
    """Time the pages over a data folder and print a table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.visits", description="Time the pages of the dashboard."
    )
    parser.add_argument(
        "--data", type=Path, required=True, help="data folder with the runs to show; it is not changed"
    )
    parser.add_argument("--rounds", type=int, default=5, help="how often every page is opened")
    options = parser.parse_args()
    links = page_links(Library(options.data))
    with start_dashboard(options.data, None, quiet=True) as (_, address), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_ARGUMENTS)
        seconds, complaints = time_pages(browser, address, links, options.rounds)
        browser.close()
    lines = ["| seconds | first | median | most |", "|---|---|---|---|"]
    lines += [
        f"| {name} | {times[0]:.2f} | {median(times):.2f} | {max(times):.2f} |"
        for name, times in sorted(seconds.items())
    ]
    sys.stdout.write("\n".join([*lines, *complaints]) + "\n")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
