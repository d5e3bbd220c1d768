"""The background work on reviews: values come first, visitors share it, and it pauses when nobody looks."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import pytest
import streamlit as st

from dashboard import replay
from dashboard.replay import ReviewWork, start_review_work
from engine.errors import InvalidError
from pipelines.experiments import background_work
from pipelines.experiments.reviewer import Reviewer
from tests.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipelines.experiments.review_results import Decision
    from pipelines.runs.library import Library


@pytest.fixture
def _few_playouts(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Use few playouts, and forget all reviews afterwards."""
    monkeypatch.setattr(replay, "PLAYOUT_EFFORT", 0.1)
    yield
    st.cache_resource.clear()


@pytest.mark.usefixtures("_few_playouts")
def test_a_review_is_computed_once(library: Library) -> None:
    run = library.run("three")
    work = start_review_work(run, 3)
    wait_until(lambda: start_review_work(run, 3).review.is_done)
    assert len(work.review.values) == run.game(3).plies + 1
    assert work.review.steps == len(work.review.values) + len(work.review.decisions)
    value = work.review.values[0]
    assert start_review_work(library.run("three"), 3) is work
    time.sleep(0.1)
    assert work.review.values[0] is value
    assert start_review_work(run, 4) is not work


@pytest.mark.usefixtures("_few_playouts")
def test_values_of_positions_come_before_decisions(library: Library) -> None:
    work = start_review_work(library.run("three"), 5)
    seen = []
    while not work.is_over:
        seen.append((len(work.review.values), len(work.review.decisions)))
        work.keep_alive()
        time.sleep(0.001)
    assert all(values > 0.8 * work.review.plies for values, decisions in seen if decisions)
    assert any(0 < values < work.review.plies for values, _ in seen)


@pytest.mark.slow
@pytest.mark.usefixtures("_few_playouts")
def test_work_pauses_when_nobody_looks_and_continues_where_it_stopped(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay, "PLAYOUT_EFFORT", 2.0)
    work = start_review_work(library.run("three"), 6)
    wait_until(lambda: len(work.review.values) > 3)
    monkeypatch.setattr(background_work, "IDLE_SECONDS", 0.3)
    work.wait(60)  # no page calls keep_alive
    assert not work.is_over
    monkeypatch.setattr(background_work, "IDLE_SECONDS", 60.0)
    known = dict(work.review.values)
    wait_until(lambda: start_review_work(library.run("three"), 6).review.is_done)
    assert all(work.review.values[ply] is value for ply, value in known.items())


@pytest.mark.usefixtures("_few_playouts")
def test_a_stopped_review_continues_when_it_is_opened_again(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_decide, review_decision = threading.Event(), Reviewer.review_decision

    def wait_and_review(reviewer: Reviewer, ply: int) -> Decision | None:
        may_decide.wait(60)
        return review_decision(reviewer, ply)

    monkeypatch.setattr(Reviewer, "review_decision", wait_and_review)
    work = start_review_work(library.run("three"), 7)
    wait_until(lambda: len(work.review.values) > 3)
    work.stop()
    may_decide.set()
    work.wait(10)
    assert not work.is_over
    known = len(work.review.values)
    time.sleep(0.2)
    assert len(work.review.values) == known
    wait_until(lambda: start_review_work(library.run("three"), 7).review.is_done)


@pytest.mark.usefixtures("_few_playouts")
def test_few_reviews_are_kept(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    run = library.run("three")
    monkeypatch.setattr(ReviewWork, "keep_alive", lambda _self: None)
    first = start_review_work(run, 0)
    games = [(effort, game) for effort in (0.1, 0.2) for game in range(1, 24)]
    for effort, game in games[: replay.MAX_REVIEWS_KEPT]:
        monkeypatch.setattr(replay, "PLAYOUT_EFFORT", effort)
        start_review_work(run, game)
    monkeypatch.setattr(replay, "PLAYOUT_EFFORT", 0.1)
    assert start_review_work(run, 0) is not first


@pytest.mark.usefixtures("_few_playouts")
def test_a_review_that_fails_shows_its_error_and_does_not_start_again(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = library.run("three")

    def raise_error(_self: object, _ply: int) -> None:
        raise InvalidError("this cannot be")

    monkeypatch.setattr("pipelines.experiments.reviewer.Reviewer.position_value", raise_error)
    work = start_review_work(run, 8)
    wait_until(lambda: work.is_over)
    assert (work.error, work.review.is_done) == ("this cannot be", False)
    assert start_review_work(run, 8) is work
    assert work.is_over


@pytest.mark.usefixtures("_few_playouts")
def test_a_game_that_is_not_logged_has_no_review(library: Library) -> None:
    with pytest.raises(InvalidError, match="--log scores"):
        start_review_work(library.run("scores-only"), 0)
