"""The pictures of the documentation show the pages of today; `python -m benchmarks.pictures` makes them again."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from benchmarks.pictures import PICTURES, PICTURES_FOLDER, TEXTS_FILE, take_picture
from pipelines.runs.library import Library
from pipelines.service.demo import make_demo_runs, missing_demo_runs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def demo_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the runs that the pictures show."""
    library = Library(tmp_path_factory.mktemp("demo"))
    wanted = {picture.run for picture in PICTURES.values()}
    make_demo_runs(
        [plan for plan in missing_demo_runs(library) if plan.target.stem in wanted], lambda *_: None
    )
    return library.folder


def hide_numbers(texts: list[str]) -> Iterator[str]:
    """Yield texts without what depends on the notes of a library and on how many games a machine has played for it."""
    return (re.sub(r"[\d.,]*\d", "#", re.sub(r" · \d+ notes?", "", text)) for text in texts)


def test_there_are_texts_for_each_picture() -> None:
    recorded = json.loads(TEXTS_FILE.read_text(encoding="utf-8"))
    assert recorded.keys() == PICTURES.keys()
    assert all((PICTURES_FOLDER / f"{name}.png").is_file() for name in PICTURES)


def test_the_pictures_show_the_links_buttons_and_headings_of_today(
    browser: Browser, demo_folder: Path, serve_dashboard: Callable[[Path], AbstractContextManager[str]]
) -> None:
    recorded = json.loads(TEXTS_FILE.read_text(encoding="utf-8"))
    with serve_dashboard(demo_folder) as address:
        for name, picture in PICTURES.items():
            _, texts = take_picture(browser, address, picture)
            shown, known = list(hide_numbers(texts)), list(hide_numbers(recorded[name]))
            if picture.run:
                assert shown == known, f"{name}.png is old: python -m benchmarks.pictures"
            else:  # the whole demo library has more games than those of the other pictures
                assert set(shown) <= set(known), f"{name}.png is old: python -m benchmarks.pictures"
