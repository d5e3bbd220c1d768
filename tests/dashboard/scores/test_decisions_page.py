"""The page Scores offers to review games that are not reviewed, stops on demand, and asks first questions of those that are."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

import pytest

from dashboard.widgets import review_all
from pipelines.design.limits import LESSONS
from pipelines.experiments import lessons
from pipelines.experiments.review_runs import choose_reviewed_games, find_review_kind, review_run
from pipelines.runs.library import Library
from pipelines.runs.review_writer import list_reviewed_games
from tests.dashboard.reading import read_page_links, read_page_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from streamlit.testing.v1 import AppTest

DEADLINE_SECONDS = 60.0


@pytest.fixture
def own_library(tmp_path: Path, play_run: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> Library:
    """A library with a run of 24 games, whose reviews have few playouts."""
    play_run(tmp_path, "plain", "bloxx-2p", "greedy", "random")
    monkeypatch.setattr(review_all, "find_review_kind", partial(find_review_kind, effort=0.1))
    return Library(tmp_path)


def wait_for_end(library: Library) -> None:
    work = review_all.review_works()[library.run("plain").key]
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not work.is_over and time.monotonic() < deadline:
        time.sleep(0.05)
    assert work.is_over
    assert not work.error


def test_all_games_are_reviewed_from_the_page(
    open_dashboard_page: Callable[..., AppTest], own_library: Library
) -> None:
    at = open_dashboard_page("scores.py", own_library.folder, runs="plain", view="Decisions")
    assert "These games are not reviewed yet" in read_page_text(at)
    at.button(key="review-all-plain").click().run()
    wait_for_end(own_library)
    at.run()
    text = read_page_text(at)
    assert "points a game by its choices" in text
    assert "24 games in 1 run" in text
    assert "review-all-plain" not in [button.key for button in at.button]
    (lucky,) = (button for button in at.button if button.label == "Who is lucky?")
    lucky.click().run()
    assert (at.query_params["measure"], at.query_params["grouped-by"]) == ("luck", "player")
    assert "by player" in read_page_text(at)


def test_lessons_are_made_from_the_page_and_found_in_notes(
    open_dashboard_page: Callable[..., AppTest], own_library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lessons, "LESSON_EFFORT", 0.2)
    monkeypatch.setattr(review_all, "LESSONS", LESSONS._replace(default=6))
    run = own_library.run("plain")
    for _ in review_run(run, find_review_kind(run, effort=0.1), choose_reviewed_games(run), threads=True):
        pass
    at = open_dashboard_page("scores.py", own_library.folder, runs="plain", view="Decisions")
    at.button(key="make-lessons-plain").click().run()
    work = review_all.lesson_works()[run.key]
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not work.is_over and time.monotonic() < deadline:
        time.sleep(0.05)
    assert (work.is_over, work.error, work.latest) == (True, "", 6)
    at.run()
    assert "make-lessons-plain" not in [button.key for button in at.button]
    assert "BLOXX!: 6 lessons" in read_page_links(at)
    notes = open_dashboard_page("notes.py", own_library.folder, collection="BLOXX!: 6 lessons")
    assert str(read_page_links(notes)).count(" is to move") == 6
    assert read_page_text(notes).count("· lesson ·") == 6


def test_a_review_that_is_stopped_keeps_what_is_done(
    open_dashboard_page: Callable[..., AppTest], own_library: Library
) -> None:
    at = open_dashboard_page("scores.py", own_library.folder, runs="plain", view="Decisions")
    at.button(key="review-all-plain").click().run()
    work = review_all.review_works()[own_library.run("plain").key]
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not (work.latest and work.latest.done) and time.monotonic() < deadline:
        time.sleep(0.01)
    work.stop()
    wait_for_end(own_library)
    run = own_library.run("plain")
    done = len(list_reviewed_games(run, find_review_kind(run, effort=0.1)))
    assert 1 <= done < 24
    at.run()
    assert at.button(key="review-all-plain").label == f"Review the other {24 - done} games"
