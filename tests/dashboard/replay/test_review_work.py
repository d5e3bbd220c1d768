"""The work on reviews behind the page: values first, kept for everybody, paused when nobody looks."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
import streamlit as st

from dashboard.replay import review_work
from dashboard.replay.review_work import ReviewWork, start_review_work
from dashboard.widgets import background_work
from engine.errors import InvalidError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pipelines.runs.library import Library


@pytest.fixture
def _few_playouts(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Few playouts, and nothing kept afterwards."""
    monkeypatch.setattr(review_work, "PLAYOUT_EFFORT", 0.1)
    yield
    st.cache_resource.clear()


def wait_until(claim: Callable[[], bool]) -> None:
    """Wait until something is so."""
    end = time.monotonic() + 60
    while not claim():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.usefixtures("_few_playouts")
def test_a_review_is_worked_out_once(library: Library) -> None:
    run = library.run("three")
    found = start_review_work(run, 3)
    wait_until(lambda: start_review_work(run, 3).is_done)
    assert len(found.values) == run.game(3).plies + 1
    assert found.steps == len(found.values) + len(found.decisions)
    value = found.values[0]
    assert start_review_work(library.run("three"), 3) is found
    time.sleep(0.1)
    assert found.values[0] is value
    assert start_review_work(run, 4) is not found


@pytest.mark.usefixtures("_few_playouts")
def test_values_of_positions_come_before_decisions(library: Library) -> None:
    found = start_review_work(library.run("three"), 5)
    seen = []
    while not found.is_over:
        seen.append((len(found.values), len(found.decisions)))
        found.keep_alive()
        time.sleep(0.001)
    assert all(values > 0.8 * found.plies for values, decisions in seen if decisions)
    assert any(0 < values < found.plies for values, _ in seen)


@pytest.mark.usefixtures("_few_playouts")
def test_work_pauses_when_nobody_looks_and_goes_on_where_it_was(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(review_work, "PLAYOUT_EFFORT", 2.0)
    monkeypatch.setattr(background_work, "IDLE_SECONDS", 0.3)
    found = start_review_work(library.run("three"), 6)
    wait_until(lambda: len(found.values) > 3)
    found.wait(60)  # nobody asks
    assert not found.is_over
    known = dict(found.values)
    wait_until(lambda: start_review_work(library.run("three"), 6).is_done)
    assert all(found.values[ply] is value for ply, value in known.items())


@pytest.mark.usefixtures("_few_playouts")
def test_a_review_that_was_stopped_rests_until_somebody_asks(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(review_work, "PLAYOUT_EFFORT", 2.0)
    found = start_review_work(library.run("three"), 7)
    wait_until(lambda: len(found.values) > 3)
    found.stop()
    found.wait(10)
    assert not found.is_over
    known = len(found.values)
    time.sleep(0.2)
    assert len(found.values) == known
    wait_until(lambda: start_review_work(library.run("three"), 7).is_done)


@pytest.mark.usefixtures("_few_playouts")
def test_few_reviews_are_kept(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    run = library.run("three")
    monkeypatch.setattr(ReviewWork, "keep_alive", lambda _self: None)
    first = start_review_work(run, 0)
    games = [(effort, game) for effort in (0.1, 0.2) for game in range(1, 24)]
    for effort, game in games[: review_work.MAX_REVIEWS_KEPT]:
        monkeypatch.setattr(review_work, "PLAYOUT_EFFORT", effort)
        start_review_work(run, game)
    monkeypatch.setattr(review_work, "PLAYOUT_EFFORT", 0.1)
    assert start_review_work(run, 0) is not first


@pytest.mark.usefixtures("_few_playouts")
def test_a_review_that_breaks_off_says_so_and_does_not_begin_again(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = library.run("three")

    def raise_error(_self: object, _ply: int) -> None:
        raise InvalidError("this cannot be")

    monkeypatch.setattr("pipelines.experiments.review.reviewer.Reviewer.position_value", raise_error)
    found = start_review_work(run, 8)
    wait_until(lambda: found.is_over)
    assert (found.error, found.is_done) == ("this cannot be", False)
    assert start_review_work(run, 8) is found
    assert found.is_over


@pytest.mark.usefixtures("_few_playouts")
def test_a_game_that_is_not_logged_has_no_review(library: Library) -> None:
    with pytest.raises(InvalidError, match="--log scores"):
        start_review_work(library.run("scores-only"), 0)
