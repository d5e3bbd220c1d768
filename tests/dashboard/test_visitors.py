"""Ten people at once, on all pages; without browsers, which would need more of a machine than the server does."""

from __future__ import annotations

import asyncio
import random
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from benchmarks.visits import browsers, walk
from benchmarks.visits.known import Knowledge, Known, known
from benchmarks.visits.told import Told
from benchmarks.visits.walk import VisitError
from benchmarks.visits.wire import Wire
from pipelines.runs.library import Library

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from pathlib import Path

    from playwright.sync_api import Page
    from streamlit.proto.ForwardMsg_pb2 import ForwardMsg


T = TypeVar("T")


def apart(work: Coroutine[Any, Any, T]) -> T:
    """Do it in a thread of its own, as Playwright keeps an event loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


@pytest.fixture
def visited(served: str, data: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Told]:
    """Let so many people go through all pages, in an order of their own each."""
    monkeypatch.setattr(walk, "PAUSE", (0.0, 0.2))

    def visit(people: int, change: Callable[[Known], object] = lambda _: None) -> Told:
        every = [known(run, random.Random(0)) for run in Library(data).runs()]
        for one in every:
            change(one)
        met = Told()

        async def together() -> None:
            knowledge = [Knowledge(every, random.Random(number)) for number in range(people)]
            visits = (walk.visit(Wire(served), one, met, time.monotonic()) for one in knowledge)
            await asyncio.gather(*visits)

        apart(together())
        return met

    return visit


def test_ten_visitors_at_once_meet_no_error_and_no_wrong_number(visited: Callable[..., Told]) -> None:
    met = visited(10)
    assert met.errors == []
    assert met.wrong == []
    assert {one.page for one in met.timed} >= {"Library", "Scores", "Replay", "What if", "Rules", "SQL"}


def test_a_visitor_who_knows_other_scores_complains(visited: Callable[..., Told]) -> None:
    """A check that pages with wrong numbers would be found."""

    def spoil(one: Known) -> None:
        for scores in one.games.values():
            scores[0] += 1

    assert any("game" in one for one in visited(1, spoil).wrong)


class Straggler(Wire):
    """Somebody of whom questions about a part of the page arrive when that has long been over."""

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.told: list[str] = []

    def _take(self, message: ForwardMsg) -> None:
        self.told.append(str(message.WhichOneof("type")))
        super()._take(message)

    async def ask_late(self) -> list[str]:
        """Ask what if, stop the work on it, and ask for its progress once more; return what is told of that."""
        await self.open("whatif", run="three", game="3", ply="4", seat="0", strategy="random", n="100000")
        await self._until(lambda: bool(self._repeated))
        (part,) = self._repeated
        await self.press("Stop")
        await self.heading("Watch one continuation on both branches")
        assert not self._repeated
        self.told.clear()
        await self._say(part, is_repeated=True)
        await asyncio.sleep(0.5)  # or else the server may do with one answer
        await self._say()
        await self._until(lambda: "script_finished" in self.told)
        await self.close()
        return self.told


def test_late_questions_about_work_that_is_over_go_unheard(served: str) -> None:
    """Streamlit would forget for them what it has not sent yet of the page, which would never say that it is whole."""
    told = apart(Straggler(served).ask_late())
    assert told.count("new_session") == 1, "only for the page as a whole, for which is asked after it"


def test_a_visitor_whom_the_server_leaves_complains_at_once(served: str) -> None:
    async def left() -> float:
        visitor = Wire(served)
        await visitor.open("rules")
        assert visitor._socket
        visitor._socket.transport.abort()
        begun = time.monotonic()
        with pytest.raises(VisitError, match="the server hung up"):
            await visitor.heading("What is played?")
        return time.monotonic() - begun

    assert apart(left()) < walk.PATIENCE / 2


def test_what_a_visitor_cannot_read_is_an_error(served: str) -> None:
    async def read() -> None:
        visitor = Wire(served)
        await visitor.open("rules")
        with pytest.raises(VisitError, match="no plotly_chart"):
            await visitor._until(lambda: bool(visitor._shown.bars))
        await visitor.close()

    apart(read())


def test_a_page_knows_since_when_it_shows_something(new_page: Callable[..., Page], served: str) -> None:
    """What browsers are timed by: moments of the page, on the clock of the one who measures."""
    page = new_page()
    page.add_init_script(path=browsers.WATCH)

    def moment(*wanted: str) -> float:
        found = page.wait_for_function("wanted => window.visited?.(...wanted)", arg=wanted).json_value()
        return float(found[0])

    begun = time.time()
    page.goto(f"{served}/scores", wait_until="commit")
    opened = moment("there", ".js-plotly-plot .main-svg")
    assert begun < opened <= time.time()
    assert begun < moment("rest") <= opened
    assert page.locator('[data-testid="stSkeleton"]').count() == 0
    page.get_by_role("radio", name="Cumulative").click()
    assert opened < moment("says", "band holds") <= time.time()
    assert moment("rest") > opened, "it worked in between"
    assert page.evaluate("visited('says', 'no page says this')") is None
    assert page.evaluate("visited('there', '.no-such-thing')") is None
