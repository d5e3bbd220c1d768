"""Work behind a page: how it starts and ends, and how a page follows it."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.widgets import background_work
from dashboard.widgets.background_work import BackgroundWork, find_or_start_work, leave_all_work
from engine.errors import InvalidError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LAST_ANSWER_GATE = threading.Event()
"""Set when `yield_two_answers` may go on from its first answer to its last."""


def count_forever(stopped: Callable[[], bool]) -> Iterator[int]:
    number = 0
    while not stopped():
        number += 1
        yield number
        time.sleep(0.001)


def count_to_three(_stopped: Callable[[], bool]) -> Iterator[int]:
    yield from (1, 2, 3)


def yield_two_answers(stopped: Callable[[], bool]) -> Iterator[int]:
    yield 1
    while not LAST_ANSWER_GATE.wait(0.01):
        if stopped():
            return
    yield 2


def fail_at_once(_stopped: Callable[[], bool]) -> Iterator[int]:
    yield from ()
    raise InvalidError("no such <seat>")


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
    monkeypatch.setattr(background_work, "IDLE_SECONDS", 0.5)
    work = BackgroundWork(count_forever)
    unattended = BackgroundWork(count_forever, ends_when_idle=False)
    until = time.monotonic() + 1.0
    while time.monotonic() < until:
        work.keep_alive()
        time.sleep(0.02)
    assert not is_over(work)
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


def draw_work_page(work: object) -> None:
    """The script of a page that counts how often it is run. AppTest runs its text, so names of types are missing."""
    import streamlit as st

    from dashboard.widgets.background_work import find_or_start_work, show_work_progress

    st.session_state["drawn"] = st.session_state.get("drawn", 0) + 1
    found = find_or_start_work(st.session_state, "work", "question", work)  # type: ignore[arg-type, var-annotated]
    found.wait(0.3)
    show_work_progress(
        found,
        at_first="beginning",
        headline=lambda answer: st.header(f"answer {answer}"),
        progress=lambda answer: (answer / 2, f"{answer} of 2"),
        details=lambda answer: st.text(f"details of {answer}"),
    )
    if found.is_over and found.latest == 2:
        st.text("whole")


@pytest.fixture
def open_work_page() -> Iterator[Callable[..., AppTest]]:
    yield lambda work: AppTest.from_function(draw_work_page, args=(work,)).run(timeout=30)
    LAST_ANSWER_GATE.clear()


def test_an_immediate_answer_is_drawn_once(open_work_page: Callable[..., AppTest]) -> None:
    LAST_ANSWER_GATE.set()
    at = open_work_page(yield_two_answers)
    assert at.session_state["drawn"] == 1
    assert [header.value for header in at.header] == ["answer 2"]
    assert [text.value for text in at.text] == ["details of 2", "whole"]
    assert not at.button


def test_slow_work_shows_progress_and_redraws_the_page_at_its_end(
    open_work_page: Callable[..., AppTest],
) -> None:
    at = open_work_page(yield_two_answers)
    assert [text.value for text in at.text] == ["details of 1"]
    assert [button.label for button in at.button] == ["Stop"]
    LAST_ANSWER_GATE.set()
    at.run()
    assert [text.value for text in at.text] == ["details of 2", "whole"]
    assert not at.button


def test_stopped_work_keeps_its_latest_answer(open_work_page: Callable[..., AppTest]) -> None:
    at = open_work_page(yield_two_answers)
    at.button[0].click().run()
    assert [text.value for text in at.text] == ["details of 1"]
    assert not at.button


def test_an_error_of_the_work_is_shown(open_work_page: Callable[..., AppTest]) -> None:
    at = open_work_page(fail_at_once)
    assert [error.value for error in at.error] == ["no such \\<seat\\>"]


def draw_page_that_ends_meanwhile() -> None:
    """The script of a page whose part is over when it is drawn for the first time."""
    import streamlit as st

    from dashboard.widgets.background_work import refresh_until

    def draw_part() -> None:
        st.text("part")

    st.session_state["drawn"] = st.session_state.get("drawn", 0) + 1
    refresh_until(lambda: True, draw_part, was_over=st.session_state["drawn"] > 1)


def test_a_part_that_ends_while_its_page_is_drawn_redraws_the_page() -> None:
    at = AppTest.from_function(draw_page_that_ends_meanwhile).run(timeout=30)
    assert at.session_state["drawn"] == 2
    assert [text.value for text in at.text] == ["part"]
