"""While many new runs are prepared, pages show the progress and whatever needs no answer about all runs."""

from __future__ import annotations

import shutil
import threading
from typing import TYPE_CHECKING

import pytest

from dashboard import cached
from pipelines.runs import pack
from pipelines.runs.pack import pack_runs
from tests.dashboard.reading import read_page_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from streamlit.testing.v1 import AppTest

    from pipelines.runs.library import Library, Run

NEW_RUNS = "New runs are being prepared, which is done once"


@pytest.fixture
def release(library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Even few runs of a copy of the library have to be packed, which goes on only after this event."""
    shutil.copytree(library.runs_folder, tmp_path / "runs")
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
    assert "Runs" in read_page_text(library)
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
    shutil.copytree(library.runs_folder, tmp_path / "runs")
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
    assert "Runs" in read_page_text(at.run())
    assert (tmp_path / "index.sqlite").exists()
