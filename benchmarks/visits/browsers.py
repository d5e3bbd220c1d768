"""Visitors with headless browsers."""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

from playwright.async_api import Error

from benchmarks.visits.told import Settled
from benchmarks.visits.walk import PATIENCE, VisitError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from playwright.async_api import Browser, BrowserContext, Page

    from benchmarks.visits.known import Known
    from benchmarks.visits.told import Told

MOST: Final = PATIENCE * 1000
"""The same patience in milliseconds."""
HOVER: Final = 0.3
"""Seconds that a chart and a replay take to notice the mouse or a key."""
WATCH: Final = Path(__file__).with_name("watch.js")
"""What every page keeps on itself, and is asked."""
CHANGED: Final = """(element, before) => new Promise(resolve => {
  const look = () => element.innerText === before ? requestAnimationFrame(look) : resolve();
  look();
})"""


class Tab:
    """A page of a browser, clicked and read."""

    in_browser: Final = True
    faults: Final = (Error,)

    def __init__(self, page: Page, address: str) -> None:
        self.page, self.address = page, address
        self.moment = 0.0
        """When the last thing was there that was waited for, in seconds of `time.time()`."""

    async def open(self, page: str, **query: str) -> None:
        await self.page.goto(f"{self.address}/{page}?{urlencode(query)}", wait_until="commit", timeout=MOST)

    async def turn(self, page: str) -> None:
        await self.page.get_by_role("link", name=page, exact=True).first.click(timeout=MOST)

    async def choose(self, row: str, option: str) -> None:
        buttons = self.page.get_by_role("radiogroup", name=row, exact=True)
        await buttons.get_by_role("radio", name=option, exact=True).click(timeout=MOST)

    async def press(self, button: str) -> None:
        await self.page.get_by_role("button", name=button).first.click(timeout=MOST)

    async def pick(self, menu: str, option: str) -> None:
        before = self.page.url
        await self.page.get_by_role("button", name=menu).click(timeout=MOST)
        await self.page.get_by_text(option, exact=True).click(timeout=MOST)
        await self.page.wait_for_function("was => location.href !== was", arg=before, timeout=MOST)

    async def middle_bin(self) -> Callable[[], Awaitable[None]]:
        bars = self.page.locator(".js-plotly-plot .barlayer .point")
        await bars.first.wait_for(state="attached", timeout=MOST)
        box = await bars.nth(await bars.count() // 2).bounding_box()
        if box is None:
            raise VisitError("the middle bin is not to be seen")
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        await self.page.mouse.move(x, y)
        await asyncio.sleep(HOVER)
        return lambda: self.page.mouse.click(x, y)

    async def heading(self, title: str) -> None:
        await self._wait("says", f"^{re.escape(title)}$", "h1, h2, h3")

    async def says(self, pattern: str) -> str:
        return await self._wait("says", pattern)

    async def text(self) -> str:
        return await self.page.locator('[data-testid="stMain"]').inner_text(timeout=MOST)

    async def address_says(self, key: str, value: str) -> None:
        await self._wait("address", key, value)

    async def chart(self) -> None:
        await self._wait("there", ".js-plotly-plot .main-svg")

    async def game(self, number: int | None = None) -> None:
        await self._wait("there", ".replay .seat")
        if number is not None:
            await self.says(rf"game {number}\b")

    async def final_scores(self) -> list[int]:
        await self.page.locator(".caption").click(timeout=MOST)
        await self.page.keyboard.press("End")
        await asyncio.sleep(HOVER)
        shown = await self.page.locator(".replay .seat .score").all_inner_texts()
        return [int(re.findall(r"[-\u2212]?\d+", text)[0].replace("\u2212", "-")) for text in shown]

    async def number(self, label: str) -> str:
        return await self.page.get_by_role("spinbutton", name=label).first.input_value(timeout=MOST)

    async def rulebook(self, kind: str) -> list[str]:
        await self._wait("there", f".rulebook .{kind}")
        return await self.page.locator(f".rulebook .{kind} thead th").all_inner_texts()

    async def settled(self) -> Settled:
        await self._wait("rest")
        shown = self.page.locator('[data-testid="stException"], [data-testid="stAlertContentError"]')
        return Settled(self.moment, await shown.all_inner_texts())

    async def close(self) -> None:
        await self.page.context.close()

    async def _wait(self, kind: str, *wanted: str) -> str:
        """Wait until the settled page shows what is wanted; return it, and keep the moment."""
        moment, found = await wait(self.page, kind, *wanted)
        self.moment = max(self.moment, moment)
        return found


async def wait(page: Page, kind: str, *wanted: str) -> tuple[float, str]:
    """Wait until a settled page shows what is wanted, as `watch.js` looks for it; return since when, and what is there."""
    look = "wanted => window.visited?.(...wanted)"
    seen = await page.wait_for_function(look, arg=[kind, *wanted], timeout=MOST)
    moment, found = await seen.json_value()
    return moment, found


async def tab(browser: Browser, address: str, told: Told) -> Tab:
    """Open a tab that shares nothing with others; `told` takes down what its pages complain of."""
    context = await browser.new_context(viewport={"width": 1280, "height": 900})
    page = await watched(context)
    listen(page, told)
    return Tab(page, address)


async def watched(context: BrowserContext) -> Page:
    """Open a page that watches itself."""
    page = await context.new_page()
    await page.add_init_script(path=WATCH)
    return page


async def first_page(page: Page, address: str, begun: float) -> float:
    """Return the seconds until the first page can be used, from the start of the command at `begun` (`time.time()`)."""
    port = int(address.rpartition(":")[2])
    while True:  # a browser that knocks in vain has less time for what else it does
        with contextlib.suppress(OSError):
            _, connection = await asyncio.open_connection("127.0.0.1", port)
            connection.close()
            break
        await asyncio.sleep(0.02)
    await page.goto(address, wait_until="commit", timeout=MOST)
    moment, _ = await wait(page, "there", "h1")
    return moment - begun


async def first_replay(page: Page, address: str, one: Known) -> float:
    """Return the seconds from a link to a game until an arrow key steps through it."""
    begun = time.perf_counter()
    await page.goto(f"{address}/replay?run={one.run.name}&game={next(iter(one.games))}", wait_until="commit")
    await wait(page, "there", ".replay .seat")
    place = page.locator(".place")
    before = await place.inner_text()
    await page.keyboard.press("ArrowRight")
    await place.evaluate(CHANGED, before, timeout=MOST)
    return time.perf_counter() - begun


def listen(page: Page, told: Told) -> None:
    """Take down whatever a page complains of."""
    page.on("pageerror", lambda error: told.errors.append(f"error: {error}"))
    page.on(
        "console",
        lambda said: told.errors.append(f"console: {said.text}") if said.type == "error" else None,
    )
