"""The first runs of pages happen one after the other, so that no two import the same packages at once."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from dashboard.widgets import import_lock
from dashboard.widgets.import_lock import run_alone_at_first

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def nothing_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_lock, "_parts_run", set())


@pytest.fixture
def running_page() -> Iterator[threading.Event]:
    """The page A, which runs for the first time until the event is set."""
    begun, may_end = threading.Event(), threading.Event()

    def run_page() -> None:
        with run_alone_at_first("A"):
            begun.set()
            may_end.wait(20)

    thread = threading.Thread(target=run_page)
    thread.start()
    assert begun.wait(20)
    yield may_end
    may_end.set()
    thread.join()


def test_a_first_run_waits_for_that_of_another_page(running_page: threading.Event) -> None:
    begun = threading.Event()

    def run_page() -> None:
        with run_alone_at_first("B"):
            begun.set()

    thread = threading.Thread(target=run_page)
    thread.start()
    assert not begun.wait(0.2)
    running_page.set()
    assert begun.wait(20)
    thread.join()


def test_a_first_run_does_not_wait_for_ever(
    running_page: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_lock, "FIRST_RUN_TIMEOUT_SECONDS", 0.05)
    with run_alone_at_first("B"):
        assert not running_page.is_set()


def test_a_later_run_waits_for_nobody(running_page: threading.Event, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_lock, "_parts_run", {"B"})
    with run_alone_at_first("B"):
        assert not running_page.is_set()


def test_a_first_run_that_fails_lets_others_run() -> None:
    with pytest.raises(KeyError), run_alone_at_first("A"):
        raise KeyError
    with run_alone_at_first("B"):
        pass
