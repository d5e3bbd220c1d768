"""Sessions in headless browsers."""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

from playwright.async_api import Error, expect

from benchmarks.visits.told import HEADINGS, LISTED, SHAPES, pause, walk

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from playwright.async_api import Browser, Page

    from benchmarks.visits.known import Knowledge, Known
    from benchmarks.visits.told import Told

CHROMIUM: Final = "/usr/bin/chromium"
QUIET: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE: Final = 60_000
"""Milliseconds after which an interaction counts as failed."""
OVER: Final = """() => {
  const app = document.querySelector('[data-testid="stApp"]');
  return app && app.dataset.testScriptState === "notRunning" && !document.querySelector('[data-stale="true"]');
}"""


class Session:
    """Somebody who clicks."""

    def __init__(self, page: Page, address: str, knowledge: Knowledge, told: Told) -> None:
        self.page, self.address, self.knowledge, self.told = page, address, knowledge, told

    @contextlib.asynccontextmanager
    async def timing(self, page: str, what: str) -> AsyncIterator[None]:
        """Time what is done inside, until the page is settled."""
        async with self.told.timing(page, what, self._settled, in_browser=True):
            yield
        await pause(self.knowledge.luck)

    async def _settled(self) -> list[str]:
        await self.page.wait_for_function(OVER, timeout=PATIENCE)
        shown = self.page.locator('[data-testid="stException"], [data-testid="stAlertContentError"]')
        return await shown.all_inner_texts()

    async def there(self, selector: str) -> None:
        await self.page.locator(selector).first.wait_for(timeout=PATIENCE)

    async def reads(self, text: str | re.Pattern[str]) -> None:
        """Wait until something on the page says this."""
        await self.page.get_by_text(text).first.wait_for(timeout=PATIENCE)

    async def opened(self, page: str, **query: str) -> None:
        """Go to an address, as a link that somebody was given does."""
        await self.page.goto(
            f"{self.address}/{page}?{urlencode(query)}", wait_until="commit", timeout=PATIENCE
        )

    async def turned(self, page: str) -> None:
        """Go to another page by the line of links on top."""
        async with self.timing(page, "open from the menu"):
            await self.page.get_by_role("link", name=page, exact=True).first.click(timeout=PATIENCE)
            await self.page.get_by_role("heading", name=HEADINGS[page]).wait_for(timeout=PATIENCE)

    async def library(self) -> None:
        await self.turned("Library")
        total = self.knowledge.games
        text = await self.page.locator('[data-testid="stMain"]').inner_text()
        self.told.expect(f"{total:,} games" in text, f"Library does not tell of {total:,} games")

    async def scores(self) -> None:
        await self.turned("Scores")
        one = self.knowledge.simulated()
        if one is None:
            return
        async with self.timing("Scores", "open a run by its link"):
            await self.opened("scores", rulesets=one.ruleset, runs=one.run.name)
            await self.there(".js-plotly-plot .main-svg")
            await self.reads(re.compile(r"results, from 1 run"))
        await self._names_results(one)
        for shape, said in SHAPES.items():
            async with self.timing("Scores", shape.lower()):
                await self.page.get_by_role("radio", name=shape).click(timeout=PATIENCE)
                await self.reads(said)
        await self._bin()
        for view in ("Parts", "Course", "Seats", "Length"):
            async with self.timing("Scores", f"view {view.lower()}"):
                await self.page.get_by_role("radio", name=view, exact=True).click(timeout=PATIENCE)
                await self.page.wait_for_function(
                    f"new URLSearchParams(location.search).get('view') === '{view}'", timeout=PATIENCE
                )
                await self.there(".js-plotly-plot .main-svg")

    async def _names_results(self, one: Known) -> None:
        text = await self.page.get_by_text(re.compile(r"results, from 1 run")).first.inner_text()
        self.told.expect(
            f"{one.results:,} results" in text,
            f"Scores of {one.run.name}: {one.results:,} results, not {text}",
        )

    async def _bin(self) -> None:
        bars = self.page.locator(".js-plotly-plot .barlayer .point")
        await bars.first.wait_for(state="attached", timeout=PATIENCE)
        box = await bars.nth(await bars.count() // 2).bounding_box()
        if box is None:
            return
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        await self.page.mouse.move(x, y)
        await asyncio.sleep(0.3)
        async with self.timing("Scores", "click a bin"):
            await self.page.mouse.click(x, y)
            await self.reads(LISTED)

    async def strategies(self) -> None:
        await self.turned("Strategies")
        one = self.knowledge.compared()
        if one is None:
            return
        async with self.timing("Strategies", "open a comparison by its link"):
            await self.opened("strategies", run=one.run.name)
            await self.reads("Can it be trusted?")
        said = await self.page.get_by_text(re.compile(rf"^{one.ruleset}: ")).first.inner_text()
        seed = f"seed {one.run.summary.seed}"
        self.told.expect(seed in said, f"Strategies of {one.run.name}: {seed}, not {said}")

    async def replay(self) -> None:
        await self.turned("Replay")
        one = self.knowledge.replayable()
        if one is None:
            return
        game = self.knowledge.luck.choice(list(one.games))
        async with self.timing("Replay", "open a game by its link"):
            await self.opened("replay", run=one.run.name, game=str(game))
            await self.there(".replay .seat")
            await self.reads(re.compile(rf"game {game}\b"))
        await self.page.locator(".caption").click(timeout=PATIENCE)
        await self.page.keyboard.press("End")
        await asyncio.sleep(0.3)
        shown = await self.page.locator(".replay .seat .score").all_inner_texts()
        scores = [int(re.findall(r"[-\u2212]?\d+", text)[0].replace("\u2212", "-")) for text in shown]
        self.told.expect(
            scores == one.games[game], f"{one.run.name}, game {game}: {one.games[game]}, not {scores}"
        )
        if game + 1 < one.run.summary.games:
            async with self.timing("Replay", "next game"):
                await self.page.get_by_role("button", name="→").click(timeout=PATIENCE)
                await self.reads(re.compile(rf"game {game + 1}\b"))
        for wanted in ("A game at random", "The closest finish", "The record score"):
            before = self.page.url
            async with self.timing("Replay", wanted.lower()):
                await self.page.get_by_role("button", name="Go to").click(timeout=PATIENCE)
                await self.page.get_by_text(wanted, exact=True).click(timeout=PATIENCE)
                await self.page.wait_for_function(
                    "was => location.href !== was", arg=before, timeout=PATIENCE
                )
                await self.there(".replay .seat")

    async def whatif(self) -> None:
        await self.turned("What if")
        one = self.knowledge.replayable()
        if one is None:
            return
        game = self.knowledge.luck.choice(list(one.games))
        async with self.timing("What if", "ask by a link"):
            await self.opened(
                "whatif",
                run=one.run.name,
                game=str(game),
                ply="4",
                seat="0",
                strategy="random",
                n="100",
                seed="3",
            )
            await self.reads(re.compile("continuations of each branch"))
        shown = await self.page.get_by_role("spinbutton", name="Game").first.input_value()
        self.told.expect(shown == str(game), f"What if asks about game {shown} in place of {game}")

    async def rules(self) -> None:
        await self.turned("Rules")
        one = self.knowledge.luck.choice(self.knowledge.every)
        async with self.timing("Rules", "open a ruleset by its link"):
            await self.opened("rules", ruleset=one.ruleset)
            await self.there(".rulebook .clauses")
        async with self.timing("Rules", "side by side"):
            await self.page.get_by_role("radio", name="Rulesets side by side").click(timeout=PATIENCE)
            await self.there(".rulebook .side")
        head = await self.page.locator(".rulebook .side thead th").all_inner_texts()
        self.told.expect(one.ruleset in head, f"Rules: {one.ruleset} is none of {head}")

    async def sql(self) -> None:
        await self.turned("SQL")
        one = self.knowledge.luck.choice(self.knowledge.every)
        asked = "SELECT score, count(*) AS n FROM seats GROUP BY score ORDER BY score"
        async with self.timing("SQL", "ask by a link"):
            await self.opened("sql", sql=asked, runs=one.run.name)
            await self.reads(re.compile(r"^[\d,]+ rows?, "))
        said = await self.page.get_by_text(re.compile(r"^[\d,]+ rows?, ")).first.inner_text()
        self.told.expect(
            said.startswith(f"{one.scores:,} row"), f"SQL of {one.run.name}: {one.scores} rows, not {said}"
        )

    @property
    def pages(self) -> list[Callable[[], Awaitable[None]]]:
        return [self.library, self.scores, self.strategies, self.replay, self.whatif, self.rules, self.sql]


async def visit(browser: Browser, address: str, knowledge: Knowledge, told: Told, end: float) -> None:
    """Go through all pages in another order every time, until the time is over; always through all of them once."""
    context = await browser.new_context(viewport={"width": 1280, "height": 900})
    page = await context.new_page()
    listen(page, told)
    session = Session(page, address, knowledge, told)
    await session.opened("")
    await page.wait_for_function(OVER, timeout=PATIENCE)
    await walk(session.pages, knowledge.luck, told, end, (Error,))
    await context.close()


async def first_page(page: Page, address: str, begun: float) -> float:
    """Return the seconds from the start of the command until the first page can be used."""
    while True:
        with contextlib.suppress(Error):
            await page.goto(address, wait_until="commit", timeout=PATIENCE)
            break
        await asyncio.sleep(0.05)
    await page.get_by_role("heading", name=HEADINGS["Library"]).wait_for(timeout=PATIENCE)
    await page.wait_for_function(OVER, timeout=PATIENCE)
    return time.perf_counter() - begun


async def first_replay(page: Page, address: str, one: Known) -> float:
    """Return the seconds from a link to a game until an arrow key steps through it."""
    begun = time.perf_counter()
    await page.goto(f"{address}/replay?run={one.run.name}&game={next(iter(one.games))}", wait_until="commit")
    await page.locator(".replay .seat").first.wait_for(timeout=PATIENCE)
    before = await page.locator(".place").inner_text()
    await page.keyboard.press("ArrowRight")
    await expect(page.locator(".place")).not_to_have_text(before, timeout=PATIENCE)
    return time.perf_counter() - begun


def listen(page: Page, told: Told) -> None:
    """Take down whatever a page complains of; Streamlit's own probe below /replay/ is none of it."""
    probe = re.compile(r"127\.0\.0\.1:\d+/\w+/_stcore/(health|host-config)$")
    page.on("pageerror", lambda error: told.errors.append(f"error: {error}"))
    page.on(
        "console",
        lambda said: (
            told.errors.append(f"console: {said.text}")
            if said.type == "error" and not probe.search(said.location["url"])
            else None
        ),
    )
