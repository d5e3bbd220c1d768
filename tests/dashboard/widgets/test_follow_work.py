"""Following work behind a page: the latest answer, how far it is, and the page drawn once more when all is there."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
from streamlit.testing.v1 import AppTest

from engine.game import InvalidError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

GATE = threading.Event()
"""Open when the work may go on from its first answer to its last."""


def answers(stopped: Callable[[], bool]) -> Iterator[int]:
    yield 1
    while not GATE.wait(0.01):
        if stopped():
            return
    yield 2


def refused(_stopped: Callable[[], bool]) -> Iterator[int]:
    yield from ()
    raise InvalidError("no such <seat>")


def page(work: object) -> None:
    """Count how often the page is drawn. Its text is run elsewhere, where no names of types are known."""
    import streamlit as st

    from dashboard.widgets.background_work import live
    from dashboard.widgets.follow_work import follow

    st.session_state["drawn"] = st.session_state.get("drawn", 0) + 1
    found = live(st.session_state, "work", "question", work)  # type: ignore[arg-type, var-annotated]
    found.wait(0.3)
    follow(
        found,
        at_first="beginning",
        headline=lambda answer: st.header(f"answer {answer}"),
        progress=lambda answer: (answer / 2, f"{answer} of 2"),
        details=lambda answer: st.text(f"details of {answer}"),
    )
    if found.is_over and found.latest == 2:
        st.text("whole")


@pytest.fixture
def shown() -> Iterator[Callable[..., AppTest]]:
    yield lambda work: AppTest.from_function(page, args=(work,)).run(timeout=30)
    GATE.clear()


def test_what_is_there_at_once_is_drawn_once(shown: Callable[..., AppTest]) -> None:
    GATE.set()
    at = shown(answers)
    assert at.session_state["drawn"] == 1
    assert [one.value for one in at.header] == ["answer 2"]
    assert [one.value for one in at.text] == ["details of 2", "whole"]
    assert not at.button


def test_what_takes_longer_says_how_far_it_is_and_is_drawn_again_at_its_end(
    shown: Callable[..., AppTest],
) -> None:
    at = shown(answers)
    assert [one.value for one in at.text] == ["details of 1"]
    assert [one.label for one in at.button] == ["Stop"]
    GATE.set()
    at.run()
    assert [one.value for one in at.text] == ["details of 2", "whole"]
    assert not at.button


def test_what_is_stopped_keeps_what_it_has(shown: Callable[..., AppTest]) -> None:
    at = shown(answers)
    at.button[0].click().run()
    assert [one.value for one in at.text] == ["details of 1"]
    assert not at.button


def test_what_is_refused_is_told(shown: Callable[..., AppTest]) -> None:
    at = shown(refused)
    assert [one.value for one in at.error] == ["no such \\<seat\\>"]
