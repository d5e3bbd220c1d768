"""Work behind a page ends when nobody looks any more, and begins anew for who comes back."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from dashboard.widgets.background_work import BackgroundWork, find_or_start_work, leave_all_work

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pytest


def count_forever(stopped: Callable[[], bool]) -> Iterator[int]:
    """Count without end."""
    number = 0
    while not stopped():
        number += 1
        yield number
        time.sleep(0.001)


def count_to_three(_stopped: Callable[[], bool]) -> Iterator[int]:
    yield from (1, 2, 3)


def is_over(work: BackgroundWork[int]) -> bool:
    return work.is_over


def test_the_same_question_keeps_its_work() -> None:
    state: dict[str, Any] = {}
    work = find_or_start_work(state, "slot", "question", count_forever)
    assert find_or_start_work(state, "slot", "question", count_forever) is work
    assert not is_over(work)
    work.stop()
    work.wait(30)
    assert is_over(work)
    assert find_or_start_work(state, "slot", "question", count_forever) is work, (
        "who stops it keeps what is there"
    )


def test_another_question_ends_the_work_on_the_last() -> None:
    state: dict[str, Any] = {}
    work = find_or_start_work(state, "slot", "question", count_forever)
    other = find_or_start_work(state, "slot", "another", count_forever)
    work.wait(30)
    assert is_over(work)
    assert not is_over(other)
    other.stop()


def test_leaving_a_page_ends_its_work_and_returning_starts_it_again() -> None:
    state: dict[str, Any] = {"another": ("thing", 7)}
    work = find_or_start_work(state, "slot", "question", count_forever)
    done = find_or_start_work(state, "other slot", "question", count_to_three)
    done.wait(30)
    leave_all_work(state)
    work.wait(30)
    assert is_over(work)
    anew = find_or_start_work(state, "slot", "question", count_forever)
    assert anew is not work
    anew.stop()
    assert find_or_start_work(state, "other slot", "question", count_to_three) is done, (
        "what was answered stays"
    )
    assert done.latest == 3


def test_work_ends_when_the_visitor_is_gone() -> None:
    there = [True]
    work: BackgroundWork[int] = BackgroundWork(count_forever, lambda: there[0])
    work.wait(0.05)
    assert not is_over(work)
    there[0] = False
    work.wait(30)
    assert is_over(work)
    assert work.was_left


def test_a_visitor_may_be_gone_for_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that is loaded again, or a connection that breaks, ends nothing; closing it does, within seconds."""

    class Server:
        def __init__(self) -> None:
            self.asked = 0
            self.is_gone = False

        def is_active_session(self, session: str) -> bool:
            assert session == "mine"
            self.asked += 1
            return not self.is_gone and self.asked % 2 == 0

    server = Server()
    monkeypatch.setattr(
        "dashboard.widgets.background_work.get_script_run_ctx", lambda: type("", (), {"session_id": "mine"})
    )
    monkeypatch.setattr("dashboard.widgets.background_work.runtime.exists", lambda: True)
    monkeypatch.setattr("dashboard.widgets.background_work.runtime.get_instance", lambda: server)
    monkeypatch.setattr("dashboard.widgets.background_work.VISITOR_TIMEOUT_SECONDS", 1.0)
    work = find_or_start_work({}, "slot", "question", count_forever)
    work.wait(1.5)
    assert not is_over(work)
    server.is_gone = True
    work.wait(30)
    assert work.was_left
