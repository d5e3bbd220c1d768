"""What a session does: through which pages it goes, what it does there, and which facts it compares.

This is all that is known here; how a page is reached and read is known by a `Visitor`, in a browser or on the wire.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from benchmarks.visits.known import Knowledge, Known
    from benchmarks.visits.told import Settled, Told

PAUSE: Final = (1.0, 3.0)
"""Seconds between two interactions of a session."""
PATIENCE: Final = 60.0
"""Seconds after which an interaction counts as failed."""
HEADINGS: Final = {
    "Library": "What has been played?",
    "Scores": "How do scores spread?",
    "Strategies": "Who plays better?",
    "Replay": "What happened here?",
    "What if": "What if it had gone differently?",
    "Rules": "What is played?",
    "SQL": "What would you like to know?",
}
"""Every page, and what it says on top."""
SHAPES: Final = {"Cumulative": "band holds", "Quantiles": "middle half", "Histogram": "in each bin"}
"""What is said below each shape of a spread."""
LISTED: Final = "follow a game's number|plies were not kept|No game has such a score"
"""What is said of the games of a bin."""


class VisitError(Exception):
    """A page did not do what it should have."""


class Visitor(Protocol):
    """Hands and eyes in front of the dashboard. Whoever waits longer than `PATIENCE` meets one of the `faults`."""

    @property
    def in_browser(self) -> bool: ...

    @property
    def faults(self) -> tuple[type[Exception], ...]:
        """What may go wrong when the page does."""

    async def open(self, page: str, **query: str) -> None:
        """Go to an address, as a link that somebody was given does."""

    async def turn(self, page: str) -> None:
        """Choose a page from the line of links on top."""

    async def choose(self, row: str, option: str) -> None:
        """Press one of a named row of buttons."""

    async def press(self, button: str) -> None: ...

    async def pick(self, menu: str, option: str) -> None:
        """Choose from a menu of what leads to another address."""

    async def middle_bin(self) -> Callable[[], Awaitable[None]]:
        """Find the middle bin of the histogram; return the click on it."""

    async def heading(self, title: str) -> None:
        """Wait until the page has this heading."""

    async def says(self, pattern: str) -> str:
        """Wait until a line of the page matches; return what does."""

    async def text(self) -> str:
        """Return everything that the page says now."""

    async def address_says(self, key: str, value: str) -> None:
        """Wait until the address asks for this."""

    async def chart(self) -> None:
        """Wait until a chart is there."""

    async def game(self, number: int | None = None) -> None:
        """Wait until this game is there to be replayed, or any."""

    async def final_scores(self) -> list[int]:
        """Return the scores by seat at the end of the game that is there."""

    async def number(self, label: str) -> str:
        """Return what stands in a box for a number."""

    async def rulebook(self, kind: str) -> list[str]:
        """Wait until a table of this kind is in the rulebook; return the heads of its columns."""

    async def settled(self) -> Settled:
        """Wait until nothing is being worked out."""

    async def close(self) -> None: ...


class Session:
    """Somebody who looks at everything, and compares it with what is known."""

    def __init__(self, visitor: Visitor, knowledge: Knowledge, told: Told) -> None:
        self.visitor, self.knowledge, self.told = visitor, knowledge, told

    @property
    def pages(self) -> list[Callable[[], Awaitable[None]]]:
        return [self.library, self.scores, self.strategies, self.replay, self.whatif, self.rules, self.sql]

    async def walk(self, end: float) -> None:
        """Go through all pages in another order every time, until the time is over; always through all of them once."""
        pages = self.pages
        faults: tuple[type[Exception], ...] = (VisitError, *self.visitor.faults)
        is_first = True
        while is_first or time.monotonic() < end:
            before = pages[-1]
            self.knowledge.luck.shuffle(pages)
            if pages[0] == before and not is_first:  # whoever is there does not turn there
                pages.reverse()
            for page in pages:
                if not is_first and time.monotonic() > end:
                    break
                try:
                    await page()
                except faults as error:
                    self.told.errors.append(f"{page.__name__}: {str(error).splitlines()[0]}")
            is_first = False

    @contextlib.asynccontextmanager
    async def timing(self, page: str, what: str) -> AsyncIterator[None]:
        """Time what is done inside, until the page is settled; then pause as somebody does who reads."""
        visitor = self.visitor
        async with self.told.timing(page, what, visitor.settled, in_browser=visitor.in_browser):
            yield
        await asyncio.sleep(self.knowledge.luck.uniform(*PAUSE))

    async def turn(self, page: str) -> None:
        async with self.timing(page, "open from the menu"):
            await self.visitor.turn(page)
            await self.visitor.heading(HEADINGS[page])

    async def library(self) -> None:
        await self.turn("Library")
        games = f"{self.knowledge.games:,} games"
        self.told.expect(games in await self.visitor.text(), f"Library does not tell of {games}")

    async def scores(self) -> None:
        await self.turn("Scores")
        one = self.knowledge.simulated()
        if one is None:
            return
        results = r"[\d,]+ results, from 1 run"
        async with self.timing("Scores", "open a run by its link"):
            await self.visitor.open("scores", rulesets=one.ruleset, runs=one.run.name)
            await asyncio.gather(self.visitor.chart(), self.visitor.says(results))
        said = await self.visitor.says(results)
        self.told.expect(
            said.startswith(f"{one.results:,} "),
            f"Scores of {one.run.name}: {one.results:,} results, not {said}",
        )
        for shape, below in SHAPES.items():
            async with self.timing("Scores", shape.lower()):
                await self.visitor.choose("Shape", shape)
                await self.visitor.says(below)
        click = await self.visitor.middle_bin()
        async with self.timing("Scores", "click a bin"):
            await click()
            await self.visitor.says(LISTED)
        for view in ("Parts", "Course", "Seats", "Length"):
            async with self.timing("Scores", f"view {view.lower()}"):
                await self.visitor.choose("View", view)
                await asyncio.gather(self.visitor.address_says("view", view), self.visitor.chart())

    async def strategies(self) -> None:
        await self.turn("Strategies")
        one = self.knowledge.compared()
        if one is None:
            return
        async with self.timing("Strategies", "open a comparison"):
            await self.visitor.press(one.run.summary.title)
            await self.visitor.says(r"Can it be trusted\?")
        async with self.timing("Strategies", "open a comparison by its link"):
            await self.visitor.open("strategies", run=one.run.name)
            await self.visitor.says(r"Can it be trusted\?")
        said = await self.visitor.says(rf"^{re.escape(one.ruleset)}: .*")
        seed = f"seed {one.run.summary.seed}"
        self.told.expect(seed in said, f"Strategies of {one.run.name}: {seed}, not {said}")

    async def replay(self) -> None:
        await self.turn("Replay")
        one = self.knowledge.replayable()
        if one is None:
            return
        game = self._any_game(one)
        async with self.timing("Replay", "open a game by its link"):
            await self.visitor.open("replay", run=one.run.name, game=str(game))
            await self.visitor.game(game)
        scores = await self.visitor.final_scores()
        self.told.expect(
            scores == one.games[game], f"{one.run.name}, game {game}: {one.games[game]}, not {scores}"
        )
        if game + 1 < one.run.summary.games:
            async with self.timing("Replay", "next game"):
                await self.visitor.press("→")
                await self.visitor.game(game + 1)
        for wanted in ("A game at random", "The closest finish", "The record score"):
            async with self.timing("Replay", wanted.lower()):
                await self.visitor.pick("Go to", wanted)
                await self.visitor.game()

    async def whatif(self) -> None:
        await self.turn("What if")
        one = self.knowledge.replayable()
        if one is None:
            return
        game = self._any_game(one)
        query = {"game": str(game), "ply": "4", "seat": "0", "strategy": "random", "n": "100", "seed": "3"}
        async with self.timing("What if", "ask by a link"):
            await self.visitor.open("whatif", run=one.run.name, **query)
            await self.visitor.says("continuations of each branch")
        shown = await self.visitor.number("Game")
        self.told.expect(shown == str(game), f"What if asks about game {shown} in place of {game}")
        await self.visitor.heading("Watch one continuation on both branches")  # there when all are played
        async with self.timing("What if", "watch both branches"):
            await self.visitor.choose("Which", "largest loss")
            await self.visitor.game()

    async def rules(self) -> None:
        await self.turn("Rules")
        one = self._any_run()
        async with self.timing("Rules", "open a ruleset by its link"):
            await self.visitor.open("rules", ruleset=one.ruleset)
            await self.visitor.rulebook("clauses")
        async with self.timing("Rules", "side by side"):
            await self.visitor.choose("Part", "Rulesets side by side")
            await self.visitor.rulebook("side")
        heads = await self.visitor.rulebook("side")
        self.told.expect(one.ruleset in heads, f"Rules: {one.ruleset} is none of {heads}")

    async def sql(self) -> None:
        await self.turn("SQL")
        one = self._any_run()
        asked = "SELECT score, count(*) AS n FROM seats GROUP BY score ORDER BY score"
        rows = r"^[\d,]+ rows?, "
        async with self.timing("SQL", "ask by a link"):
            await self.visitor.open("sql", sql=asked, runs=one.run.name)
            await self.visitor.says(rows)
        said = await self.visitor.says(rows)
        self.told.expect(
            said.startswith(f"{one.scores:,} row"), f"SQL of {one.run.name}: {one.scores} rows, not {said}"
        )

    def _any_run(self) -> Known:
        return self.knowledge.luck.choice(self.knowledge.every)

    def _any_game(self, one: Known) -> int:
        return self.knowledge.luck.choice(list(one.games))


async def visit(visitor: Visitor, knowledge: Knowledge, told: Told, end: float) -> None:
    """Open the dashboard, walk through it until the time is over (of `time.monotonic`), and leave."""
    await visitor.open("")
    await visitor.heading(HEADINGS["Library"])
    await visitor.settled()
    await Session(visitor, knowledge, told).walk(end)
    await visitor.close()
