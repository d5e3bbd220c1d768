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


def run_in_thread(work: Coroutine[Any, Any, T]) -> T:
    """Do it in a thread of its own, as Playwright keeps an event loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


@pytest.fixture
def visit_pages(
    dashboard_address: str, copied_data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Told]:
    """Let so many people go through all pages, in an order of their own each."""
    monkeypatch.setattr(walk, "PAUSE", (0.0, 0.2))

    def send_visitors(people: int, change: Callable[[Known], object] = lambda _: None) -> Told:
        every = [known(run, random.Random(0)) for run in Library(copied_data_folder).runs()]
        for one in every:
            change(one)
        met = Told()

        async def visit_all() -> None:
            knowledge = [Knowledge(every, random.Random(number)) for number in range(people)]
            visits = (walk.visit(Wire(dashboard_address), one, met, time.monotonic()) for one in knowledge)
            await asyncio.gather(*visits)

        run_in_thread(visit_all())
        return met

    return send_visitors


def test_ten_visitors_at_once_meet_no_error_and_no_wrong_number(visit_pages: Callable[..., Told]) -> None:
    met = visit_pages(10)
    assert met.errors == []
    assert met.wrong == []
    assert {one.page for one in met.timed} >= {"Library", "Scores", "Replay", "What if", "Rules", "SQL"}


def test_a_visitor_reports_wrong_scores(visit_pages: Callable[..., Told]) -> None:
    """A check that pages with wrong numbers would be found."""

    def spoil_scores(one: Known) -> None:
        for scores in one.games.values():
            scores[0] += 1

    assert any("game" in one for one in visit_pages(1, spoil_scores).wrong)


class LateVisitor(Wire):
    """Somebody of whom questions about a part of the page arrive when that has long been over."""

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.told: list[str] = []

    def _take(self, message: ForwardMsg) -> None:
        self.told.append(str(message.WhichOneof("type")))
        super()._take(message)

    async def send_late_question(self) -> list[str]:
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


def test_late_questions_about_finished_work_are_ignored(dashboard_address: str) -> None:
    """Streamlit would forget for them what it has not sent yet of the page, which would never say that it is whole."""
    told = run_in_thread(LateVisitor(dashboard_address).send_late_question())
    assert told.count("new_session") == 1, "only for the page as a whole, for which is asked after it"


def test_a_visitor_reports_a_lost_server_at_once(dashboard_address: str) -> None:
    async def time_lost_server() -> float:
        visitor = Wire(dashboard_address)
        await visitor.open("rules")
        assert visitor._socket
        visitor._socket.transport.abort()
        begun = time.monotonic()
        with pytest.raises(VisitError, match="the server hung up"):
            await visitor.heading("What is played?")
        return time.monotonic() - begun

    assert run_in_thread(time_lost_server()) < walk.PATIENCE / 2


def test_what_a_visitor_cannot_read_is_an_error(dashboard_address: str) -> None:
    async def wait_for_missing_chart() -> None:
        visitor = Wire(dashboard_address)
        await visitor.open("rules")
        with pytest.raises(VisitError, match="no plotly_chart"):
            await visitor._until(lambda: bool(visitor._shown.bars))
        await visitor.close()

    run_in_thread(wait_for_missing_chart())


def test_a_page_reports_when_it_first_showed_something(
    new_page: Callable[..., Page], dashboard_address: str
) -> None:
    """What browsers are timed by: moments of the page, on the clock of the one who measures."""
    page = new_page()
    page.add_init_script(path=browsers.WATCH)

    def wait_for_moment(*wanted: str) -> float:
        found = page.wait_for_function("wanted => window.visited?.(...wanted)", arg=wanted).json_value()
        return float(found[0])

    begun = time.time()
    page.goto(f"{dashboard_address}/scores", wait_until="commit")
    opened = wait_for_moment("there", ".js-plotly-plot .main-svg")
    assert begun < opened <= time.time()
    assert begun < wait_for_moment("rest") <= opened
    assert page.locator('[data-testid="stSkeleton"]').count() == 0
    page.get_by_role("radio", name="Cumulative").click()
    assert opened < wait_for_moment("says", "band holds") <= time.time()
    assert wait_for_moment("rest") > opened, "it worked in between"
    assert page.evaluate("visited('says', 'no page says this')") is None
    assert page.evaluate("visited('there', '.no-such-thing')") is None
