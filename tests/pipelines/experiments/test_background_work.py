"""Work behind a page: how it starts and ends."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from pipelines.experiments import background_work
from pipelines.experiments.background_work import (
    IDLE_SECONDS,
    BackgroundWork,
    find_or_start_work,
    leave_all_work,
)
from tests.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def count_forever(stopped: Callable[[], bool]) -> Iterator[int]:
    number = 0
    while not stopped():
        number += 1
        yield number
        time.sleep(0.001)


def count_to_three(_stopped: Callable[[], bool]) -> Iterator[int]:
    yield from (1, 2, 3)


def fail_by_mistake(_stopped: Callable[[], bool]) -> Iterator[int]:
    yield from ()
    raise ZeroDivisionError


def is_over(work: BackgroundWork[int]) -> bool:
    """The state now; mypy would take a second look at the property for the first."""
    return work.is_over


def test_the_same_question_keeps_its_work() -> None:
    state: dict[str, Any] = {}
    work = find_or_start_work(state, "slot", "question", count_forever)
    assert find_or_start_work(state, "slot", "question", count_forever) is work
    assert not is_over(work)
    work.stop()
    work.wait(30)
    assert is_over(work)
    assert find_or_start_work(state, "slot", "question", count_forever) is work


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
    finished = find_or_start_work(state, "other slot", "question", count_to_three)
    finished.wait(30)
    leave_all_work(state)
    work.wait(30)
    assert is_over(work)
    restarted = find_or_start_work(state, "slot", "question", count_forever)
    assert restarted is not work
    restarted.stop()
    assert find_or_start_work(state, "other slot", "question", count_to_three) is finished
    assert finished.latest == 3


def test_work_ends_when_no_page_asks_about_it(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(background_work, "time", SimpleNamespace(monotonic=lambda: now[0]))
    work = BackgroundWork(count_forever)
    unattended = BackgroundWork(count_forever, ends_when_idle=False)
    for _ in range(2):
        now[0] += 0.7 * IDLE_SECONDS
        work.keep_alive()
    known = work.latest or 0
    wait_until(lambda: (work.latest or 0) > known + 1)
    assert not is_over(work)
    now[0] += 1.1 * IDLE_SECONDS
    work.wait(30)
    assert is_over(work)
    assert work.was_left
    assert not is_over(unattended)
    unattended.stop()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_an_internal_error_becomes_a_message() -> None:
    work = BackgroundWork(fail_by_mistake)
    work.wait(30)
    assert "internal error (ZeroDivisionError)" in work.error
