"""How a page follows the work behind it."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
from streamlit.testing.v1 import AppTest

from engine.errors import InvalidError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LAST_ANSWER_GATE = threading.Event()
"""Set when `yield_two_answers` may go on from its first answer to its last."""


def yield_two_answers(stopped: Callable[[], bool]) -> Iterator[int]:
    yield 1
    while not LAST_ANSWER_GATE.wait(0.01):
        if stopped():
            return
    yield 2


def yield_two_answers_deaf_to_stop(_stopped: Callable[[], bool]) -> Iterator[int]:
    yield 1
    LAST_ANSWER_GATE.wait(20)
    yield 2


def stop_without_answer(stopped: Callable[[], bool]) -> Iterator[int]:
    yield from ()
    while not LAST_ANSWER_GATE.wait(0.01):
        if stopped():
            return


def fail_at_once(_stopped: Callable[[], bool]) -> Iterator[int]:
    yield from ()
    raise InvalidError("no such <seat>")


def draw_work_page(work: object) -> None:
    """The script of a page that counts how often it is run. AppTest runs its text, so names of types are missing."""
    import streamlit as st

    from dashboard.widgets.background_work import show_work_progress
    from pipelines.experiments.background_work import find_or_start_work

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


def test_work_that_is_slow_to_stop_says_that_it_is_stopping(open_work_page: Callable[..., AppTest]) -> None:
    at = open_work_page(yield_two_answers_deaf_to_stop)
    at.button[0].click().run()
    assert at.get("progress")[0].proto.text == "Stopping … 1 of 2"
    assert at.button[0].disabled
    LAST_ANSWER_GATE.set()


def test_work_without_an_answer_can_be_stopped_and_started_again(
    open_work_page: Callable[..., AppTest],
) -> None:
    at = open_work_page(stop_without_answer)
    at.button[0].click().run()
    assert [info.value for info in at.info] == ["Stopped before the first answer."]
    assert [button.label for button in at.button] == ["Start again"]
    at.button[0].click().run()
    assert [button.label for button in at.button] == ["Stop"]


def test_an_error_of_the_work_is_shown(open_work_page: Callable[..., AppTest]) -> None:
    at = open_work_page(fail_at_once)
    assert [error.value for error in at.error] == ["no such \\<seat\\>"]
