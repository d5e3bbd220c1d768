"""How quick the dashboard is, and whether it is right, while people click through it: `python benchmarks/visits.py --help`.

Every session is a headless Chromium context of its own that goes from page to page as people do, with pauses. It times
every interaction until the page is settled, and compares what pages say with what the run files hold.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import platform
import random
import re
import signal
import subprocess
import sys
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from playwright.async_api import Error, async_playwright, expect

from pipelines.library import Library
from pipelines.server import free_port

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

    from playwright.async_api import BrowserContext, Page

    from pipelines.library import Run

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
PAUSE: Final = (1.0, 3.0)
"""Seconds between two interactions of a session."""
PEN: Final = 8
"""Games of a run whose scores are looked up beforehand."""
SHAPES: Final = {"Cumulative": "band holds", "Quantiles": "middle half", "Histogram": "in each bin"}
"""What is said below each shape of a spread."""
OVER: Final = """() => {
  const app = document.querySelector('[data-testid="stApp"]');
  return app && app.dataset.testScriptState === "notRunning" && !document.querySelector('[data-stale="true"]');
}"""


@dataclass(frozen=True)
class Known:
    """What the file of a run holds, to compare pages with."""

    run: Run
    results: int
    """Seats of all its games."""
    scores: int
    """How many different final scores there are."""
    games: dict[int, list[int]]
    """Final scores by seat of some logged games; none if no plies are kept."""

    @property
    def ruleset(self) -> str:
        return self.run.summary.rulesets[0].name


@dataclass
class Timed:
    """One interaction."""

    page: str
    what: str
    seconds: float
    is_first: bool
    """Whether nobody had done this since the server was started."""


@dataclass
class Told:
    """What all sessions met."""

    timed: list[Timed] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    done: set[tuple[str, str]] = field(default_factory=set)


def known(run: Run, luck: random.Random) -> Known:
    """Look up in the file what pages have to say."""
    with run.connect() as connection:
        results, scores = connection.execute("SELECT count(*), count(DISTINCT score) FROM seats").fetchall()[
            0
        ]
        logged = run.summary.log == "full"
        some = luck.sample(range(run.summary.games), min(PEN, run.summary.games)) if logged else []
        rows = connection.execute(
            "SELECT game_id, list(score ORDER BY seat) FROM seats WHERE game_id = ANY($some) GROUP BY game_id",
            {"some": some},
        ).fetchall()
    return Known(run, results, scores, dict(rows))


class Session:
    """Somebody who clicks."""

    def __init__(self, page: Page, address: str, every: list[Known], luck: random.Random, told: Told) -> None:
        self.page, self.address, self.every, self.luck, self.told = page, address, every, luck, told

    def one(self, fits: Callable[[Known], bool]) -> Known | None:
        """Choose a run that fits, if there is one."""
        fitting = [one for one in self.every if fits(one)]
        return self.luck.choice(fitting) if fitting else None

    @contextlib.asynccontextmanager
    async def timing(self, page: str, what: str) -> AsyncIterator[None]:
        """Time what is done inside, until the page is settled."""
        begun = time.perf_counter()
        yield
        await self.page.wait_for_function(OVER, timeout=PATIENCE)
        seconds = time.perf_counter() - begun
        key = (page, what)
        self.told.timed.append(Timed(page, what, seconds, key not in self.told.done))
        self.told.done.add(key)
        shown = self.page.locator('[data-testid="stException"], [data-testid="stAlertContentError"]')
        self.told.errors.extend([f"{page}, {what}: {text}" for text in await shown.all_inner_texts()])
        await asyncio.sleep(self.luck.uniform(*PAUSE))

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

    async def turned(self, page: str, title: str, heading: str) -> None:
        """Go to another page by the line of links on top."""
        async with self.timing(page, "open from the menu"):
            await self.page.get_by_role("link", name=title, exact=True).first.click(timeout=PATIENCE)
            await self.page.get_by_role("heading", name=heading).wait_for(timeout=PATIENCE)

    def expect(self, claim: bool, said: str) -> None:  # noqa: FBT001 - a claim is what it takes
        if not claim:
            self.told.wrong.append(said)

    async def library(self) -> None:
        await self.turned("Library", "Library", "What has been played?")
        total = sum(one.run.summary.games for one in self.every)
        text = await self.page.locator('[data-testid="stMain"]').inner_text()
        self.expect(f"{total:,} games" in text, f"Library does not tell of {total:,} games")

    async def scores(self) -> None:
        one = self.one(lambda one: one.run.summary.kind == "simulate")
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
        self.expect(
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
            await self.reads(re.compile("Choose a row to replay"))

    async def strategies(self) -> None:
        one = self.one(lambda one: one.run.summary.kind == "compare")
        if one is None:
            return
        async with self.timing("Strategies", "open a comparison by its link"):
            await self.opened("strategies", run=one.run.name)
            await self.reads("Can it be trusted?")
        said = await self.page.get_by_text(re.compile(rf"^{one.ruleset}: ")).first.inner_text()
        seed = f"seed {one.run.summary.seed}"
        self.expect(seed in said, f"Strategies of {one.run.name}: {seed}, not {said}")

    async def replay(self) -> None:
        one = self.one(lambda one: bool(one.games))
        if one is None:
            return
        game = self.luck.choice(list(one.games))
        async with self.timing("Replay", "open a game by its link"):
            await self.opened("replay", run=one.run.name, game=str(game))
            await self.there(".replay .seat")
            await self.reads(re.compile(rf"game {game}\b"))
        await self.page.locator(".caption").click(timeout=PATIENCE)
        await self.page.keyboard.press("End")
        await asyncio.sleep(0.3)
        shown = await self.page.locator(".replay .seat .score").all_inner_texts()
        scores = [int(re.findall(r"[-\u2212]?\d+", text)[0].replace("\u2212", "-")) for text in shown]
        self.expect(
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
        one = self.one(lambda one: bool(one.games))
        if one is None:
            return
        game = self.luck.choice(list(one.games))
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
        self.expect(shown == str(game), f"What if asks about game {shown} in place of {game}")

    async def rules(self) -> None:
        await self.turned("Rules", "Rules", "What is played?")
        one = self.luck.choice(self.every)
        async with self.timing("Rules", "open a ruleset by its link"):
            await self.opened("rules", ruleset=one.ruleset)
            await self.there(".rulebook .clauses")
        async with self.timing("Rules", "side by side"):
            await self.page.get_by_role("radio", name="Rulesets side by side").click(timeout=PATIENCE)
            await self.there(".rulebook .side")
        head = await self.page.locator(".rulebook .side thead th").all_inner_texts()
        self.expect(one.ruleset in head, f"Rules: {one.ruleset} is none of {head}")

    async def sql(self) -> None:
        one = self.luck.choice(self.every)
        asked = "SELECT score, count(*) AS n FROM seats GROUP BY score ORDER BY score"
        async with self.timing("SQL", "ask by a link"):
            await self.opened("sql", sql=asked, runs=one.run.name)
            await self.reads(re.compile(r"^[\d,]+ rows?, "))
        said = await self.page.get_by_text(re.compile(r"^[\d,]+ rows?, ")).first.inner_text()
        self.expect(
            said.startswith(f"{one.scores:,} row"), f"SQL of {one.run.name}: {one.scores} rows, not {said}"
        )

    @property
    def pages(self) -> list[Callable[[], Awaitable[None]]]:
        return [self.library, self.scores, self.strategies, self.replay, self.whatif, self.rules, self.sql]


async def visit(context: BrowserContext, session: Session, end: float) -> None:
    """Go through all pages in another order every time, until the time is over; always through all of them once."""
    await session.opened("")
    await session.page.wait_for_function(OVER, timeout=PATIENCE)
    is_first = True
    while is_first or time.monotonic() < end:
        pages = session.pages
        session.luck.shuffle(pages)
        for page in pages:
            if not is_first and time.monotonic() > end:
                break
            try:
                await page()
            except Error as error:
                session.told.errors.append(
                    f"{page.__name__}: {str(error).splitlines()[0]} at {session.page.url}"
                )
        is_first = False
    await context.close()


def resident(process: int) -> int:
    """Return the bytes that a process and all its children hold in memory."""
    total, found = 0, {process}
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with contextlib.suppress(OSError, IndexError, ValueError):
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    for _ in range(4):
        found |= {child for child, parent in parents.items() if parent in found}
    for one in found:
        with contextlib.suppress(OSError):
            pages = int(Path(f"/proc/{one}/statm").read_text().split()[1])
            total += pages * os.sysconf("SC_PAGE_SIZE")
    return total


async def watched(process: int, peak: list[int]) -> None:
    """Keep the most memory that the server ever held."""
    while True:
        peak[0] = max(peak[0], resident(process))
        await asyncio.sleep(0.5)


@contextlib.contextmanager
def serving(data: Path) -> Iterator[tuple[int, str]]:
    """Start the dashboard by the command that people use: its process and its address."""
    port = free_port(None)
    command = [
        sys.executable,
        "-m",
        "pipelines",
        "dashboard",
        "--no-browser",
        "--port",
        str(port),
        "--data",
        str(data),
    ]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True) as process:  # noqa: S603 - our own command
        try:
            yield process.pid, f"http://127.0.0.1:{port}"
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
            time.sleep(1)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


async def first_page(page: Page, address: str, begun: float) -> float:
    """Return the seconds from the start of the command until the first page can be used."""
    while True:
        with contextlib.suppress(Error):
            await page.goto(address, wait_until="commit", timeout=PATIENCE)
            break
        await asyncio.sleep(0.05)
    await page.get_by_role("heading", name="What has been played?").wait_for(timeout=PATIENCE)
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


async def measured(data: Path, sessions: int, seconds: float, seed: int) -> dict[str, Any]:
    """Run everything; return the figures."""
    luck = random.Random(seed)  # noqa: S311 - whichever
    every = [known(run, luck) for run in Library(data).runs()]
    told, peak = Told(), [0]
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
        idle = await browser.new_page()
        begun = time.perf_counter()
        with serving(data) as (process, address):
            started = await first_page(idle, address, begun)
            memory = asyncio.create_task(watched(process, peak))
            blokus = next(
                (one for one in every if one.games and one.run.summary.rulesets[0].game == "blokus"), None
            )
            replays = [await first_replay(idle, address, blokus) for _ in range(3)] if blokus else []
            await idle.close()
            end = time.monotonic() + seconds
            visits = []
            for number in range(sessions):
                context = await browser.new_context(viewport={"width": 1280, "height": 900})
                page = await context.new_page()
                listen(page, told)
                session = Session(page, address, every, random.Random(seed + number), told)  # noqa: S311
                visits.append(visit(context, session, end))
            await asyncio.gather(*visits)
            memory.cancel()
        await browser.close()
    return {
        "machine": {"processor": platform.processor() or platform.machine(), "cores": os.cpu_count()},
        "made": time.strftime("%Y-%m-%d %H:%M", time.gmtime()),
        "library": {
            "runs": len(every),
            "games": sum(one.run.summary.games for one in every),
            "bytes": sum(one.run.summary.bytes for one in every),
        },
        "sessions": sessions,
        "seconds": seconds,
        "first page": started,
        "replay of Blokus": replays,
        "peak bytes": peak[0],
        "errors": told.errors,
        "wrong": told.wrong,
        "interactions": [[one.page, one.what, round(one.seconds, 3), one.is_first] for one in told.timed],
    }


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


def table(found: dict[str, Any]) -> str:
    """Return the figures as Markdown."""
    rows: dict[tuple[str, str], list[tuple[float, bool]]] = defaultdict(list)
    for page, what, seconds, is_first in found["interactions"]:
        rows[page, what].append((seconds, is_first))
        rows["all", ""].append((seconds, is_first))
    lines = [
        "| page | interaction | n | first time | median | 95 % | most |",
        "|---|---|---|---|---|---|---|",
    ]
    for (page, what), timed in sorted(rows.items()):
        warm = sorted(seconds for seconds, is_first in timed if not is_first)
        first = max((seconds for seconds, is_first in timed if is_first), default=0.0)
        told = (
            f"{median(warm):.2f} | {warm[min(len(warm) - 1, int(0.95 * len(warm)))]:.2f} | {warm[-1]:.2f}"
            if warm
            else "· | · | ·"
        )
        lines.append(f"| {page} | {what} | {len(timed)} | {first:.2f} | {told} |")
    library = found["library"]
    replays = ", ".join(f"{one:.2f}" for one in found["replay of Blokus"])
    told = (
        f"{found['sessions']} sessions at once for {found['seconds']:g} s over {library['games']:,} games in "
        f"{library['runs']} runs ({library['bytes'] / 1e6:,.0f} MB); {found['made']} UTC, "
        f"{found['machine']['cores']} cores shared by server and browsers."
    )
    beginning = (
        f"First page {found['first page']:.2f} s after the start of `reroll dashboard`; replay of a Blokus game "
        f"steps {replays} s after its link was opened; the server held at most {found['peak bytes'] / 1e6:,.0f} MB."
    )
    faults = [f"error: {one}" for one in dict.fromkeys(found["errors"])]
    faults += [f"wrong: {one}" for one in dict.fromkeys(found["wrong"])]
    failed = f"{len(found['errors'])} errors, {len(found['wrong'])} wrong facts."
    return "\n".join([told, beginning, failed, "", *lines, *faults])


def main() -> int:
    """Measure and print; exit code 1 if a page failed or said something wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument(
        "--data", type=Path, required=True, help="data folder whose runs are looked at; not changed"
    )
    parser.add_argument(
        "--sessions", type=int, default=10, help="browsers at once; 1 measures a single visitor"
    )
    parser.add_argument(
        "--seconds", type=float, default=120, help="how long; every session goes through all pages once"
    )
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--json", type=Path, help="file for every single figure")
    asked = parser.parse_args()
    found = asyncio.run(measured(asked.data, asked.sessions, asked.seconds, asked.seed))
    if asked.json:
        asked.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(table(found) + "\n")
    return 1 if found["errors"] or found["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
