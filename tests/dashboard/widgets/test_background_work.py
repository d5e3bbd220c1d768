"""How a page follows the work behind it.

While many new runs are prepared, pages show the progress and whatever needs no answer about all runs.

Parts of a page that are drawn anew, and their failures.
"""

from __future__ import annotations

import shutil
import threading
from typing import TYPE_CHECKING

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from dashboard import cached
from engine.errors import InvalidError
from pipelines.runs import pack
from pipelines.runs.pack import pack_runs
from tests.dashboard.reading import read_page_links, read_page_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from pipelines.runs.library import Library, Run

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


NEW_RUNS = "New runs are being prepared, which is done once"


@pytest.fixture
def release(library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Even few runs of a copy of the library have to be packed, which goes on only after this event."""
    shutil.copytree(library.runs_folder, tmp_path / "runs", copy_function=shutil.copyfile)
    event = threading.Event()

    def pack_slowly(runs: Sequence[Run]) -> Iterator[int]:
        yield 1
        event.wait(30)
        yield from pack_runs(runs)

    monkeypatch.setattr(pack, "FEW_RUNS", 1)
    monkeypatch.setattr(cached, "MAX_UNPACKED_RUNS", 0)
    monkeypatch.setattr(cached, "MAX_OPEN_RUNS", 0)
    monkeypatch.setattr(cached, "pack_runs", pack_slowly)
    yield event
    event.set()
    cached._packings[tmp_path].wait(30)


def read_progress(at: AppTest) -> list[str]:
    return [one.proto.text for one in at.get("progress")]


def test_pages_show_the_progress_of_packing_and_then_the_answer(
    release: threading.Event, tmp_path: Path, open_dashboard_page: Callable[..., AppTest]
) -> None:
    at = open_dashboard_page("scores.py", tmp_path, rulesets=["bloxx-3p", "bloxx-touch-3p"])
    assert read_progress(at) == [f"{NEW_RUNS}: 1 of 3 runs."]
    library = open_dashboard_page("library.py", tmp_path)
    assert read_progress(library) == [f"{NEW_RUNS}: 1 of 3 runs."]
    assert library.title[0].value == "Reroll"
    assert not at.exception
    assert not library.exception
    release.set()
    cached._packings[tmp_path].wait(30)
    for page in (at.run(), library.run()):
        assert read_progress(page) == []
        assert not page.exception
    assert "Greedy scores" in read_page_text(at)


def test_the_first_page_shows_that_run_files_are_read(
    library: Library,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    shutil.copytree(library.runs_folder, tmp_path / "runs", copy_function=shutil.copyfile)
    event, read = threading.Event(), type(library).iter_reading

    def read_slowly(one: Library) -> Iterator[tuple[int, int]]:
        yield 1, 3
        event.wait(30)
        yield from read(one)

    monkeypatch.setattr(type(library), "iter_reading", read_slowly)
    monkeypatch.setattr(cached, "READING_SECONDS", 0.1)
    at = open_dashboard_page("library.py", tmp_path)
    assert read_progress(at) == [f"{NEW_RUNS}: 1 of 3 runs."]
    event.set()
    cached._readings[tmp_path].wait(30)
    assert "All 3 runs" in read_page_links(at.run())
    assert (tmp_path / "index.sqlite").exists()


def draw_page_with_parts_that_fail(is_over: bool) -> None:  # noqa: FBT001 - AppTest passes it
    """The script of a page with two parts that cannot be shown, and a last line."""
    import streamlit as st

    from dashboard.widgets.background_work import refresh_until, show_fragment
    from engine.errors import InvalidError

    def fail() -> None:
        raise InvalidError("no such <seat>")

    show_fragment(fail)
    refresh_until(lambda: False, fail, was_over=is_over)
    st.text("the rest")


@pytest.mark.parametrize("is_over", [False, True])
def test_a_part_that_fails_says_so_in_its_place_and_the_rest_of_the_page_is_shown(is_over: bool) -> None:  # noqa: FBT001
    at = AppTest.from_function(draw_page_with_parts_that_fail, args=(is_over,)).run(timeout=30)
    assert not at.exception
    assert [error.value for error in at.error] == ["This cannot be shown\\: no such \\<seat\\>"] * 2
    assert [text.value for text in at.text] == ["the rest"]


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


def test_a_part_within_a_part_that_refreshes_itself_is_no_fragment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit would keep its messages and drop those of the outer part, and the browser would show an empty page."""

    def draw_page() -> None:
        import streamlit as st

        from dashboard.widgets.background_work import refresh_until, show_fragment

        def draw_parts() -> None:
            st.text("outer")
            show_fragment(lambda: st.text("inner"))

        refresh_until(lambda: False, draw_parts, seconds=60)
        show_fragment(lambda: st.text("beside"))

    made: list[float | None] = []
    fragment = st.fragment

    def count_fragment(draw: Callable[[], None], *, run_every: float | None = None) -> Callable[[], None]:
        made.append(run_every)
        return fragment(draw, run_every=run_every)

    monkeypatch.setattr(st, "fragment", count_fragment)
    at = AppTest.from_function(draw_page).run()
    assert not at.exception
    assert [text.value for text in at.text] == ["outer", "inner", "beside"]
    assert made == [60, None]
