"""Following work behind a page: the latest answer, how far it is, and the page drawn once more when all is there."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
from streamlit.testing.v1 import AppTest

from engine.errors import InvalidError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LAST_ANSWER_GATE = threading.Event()
"""Open when the work may go on from its first answer to its last."""


def yield_two_answers(stopped: Callable[[], bool]) -> Iterator[int]:
    yield 1
    while not LAST_ANSWER_GATE.wait(0.01):
        if stopped():
            return
    yield 2


def fail_at_once(_stopped: Callable[[], bool]) -> Iterator[int]:
    yield from ()
    raise InvalidError("no such <seat>")


def draw_work_page(work: object) -> None:
    """Count how often the page is drawn. Its text is run elsewhere, where no names of types are known."""
    import streamlit as st

    from dashboard.widgets.background_work import find_or_start_work
    from dashboard.widgets.follow_work import show_work_progress

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
    assert [one.value for one in at.header] == ["answer 2"]
    assert [one.value for one in at.text] == ["details of 2", "whole"]
    assert not at.button


def test_slow_work_shows_progress_and_redraws_the_page_at_its_end(
    open_work_page: Callable[..., AppTest],
) -> None:
    at = open_work_page(yield_two_answers)
    assert [one.value for one in at.text] == ["details of 1"]
    assert [one.label for one in at.button] == ["Stop"]
    LAST_ANSWER_GATE.set()
    at.run()
    assert [one.value for one in at.text] == ["details of 2", "whole"]
    assert not at.button


def test_stopped_work_keeps_its_latest_answer(open_work_page: Callable[..., AppTest]) -> None:
    at = open_work_page(yield_two_answers)
    at.button[0].click().run()
    assert [one.value for one in at.text] == ["details of 1"]
    assert not at.button


def test_an_error_of_the_work_is_shown(open_work_page: Callable[..., AppTest]) -> None:
    at = open_work_page(fail_at_once)
    assert [one.value for one in at.error] == ["no such \\<seat\\>"]
