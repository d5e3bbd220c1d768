"""Hostile files that are uploaded on the page Library: the check shows its progress, and its refusal is one clear line.

`tests/faults/test_strangers.py` says of every hostile file what `verify` says, which is the check of an upload.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Final

import duckdb
import pytest
from playwright.sync_api import expect
from streamlit.testing.v1 import AppTest

from pipelines.runs.library import Library
from tests.faults.test_strangers import HOSTILE_MARKUP, HOSTILE_SQL, SECRET_TEXT

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from pipelines.runs.run import Run

APP_FILE: Final = Path(__file__).parents[2] / "dashboard" / "app.py"
CHECK_SECONDS: Final = 150


@pytest.fixture
def make_hostile_file(small_run: Run, tmp_path: Path) -> Callable[[str], bytes]:
    """A function that returns the content of the hostile file of this name."""
    secret = tmp_path / "elsewhere" / "secret.txt"
    secret.parent.mkdir()
    secret.write_text(SECRET_TEXT, encoding="utf-8")

    def copy_and_change(name: str) -> bytes:
        path = secret.with_name("hostile.duckdb")
        shutil.copyfile(small_run.path, path)
        with duckdb.connect(path) as connection:
            connection.execute(HOSTILE_SQL[name].format(secret=secret, markup=HOSTILE_MARKUP))
        return path.read_bytes()

    return copy_and_change


@pytest.fixture
def upload_file(
    make_hostile_file: Callable[[str], bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], AppTest]:
    """A function that uploads the hostile file of this name to an empty library and returns the page after the check."""

    def upload(name: str) -> AppTest:
        monkeypatch.setenv("REROLL_DATA", str(tmp_path / "data"))
        at = AppTest.from_file(str(APP_FILE), default_timeout=CHECK_SECONDS)
        at.switch_page("views/runs.py").run()
        content = make_hostile_file(name)
        at.file_uploader[0].set_value(("hostile.duckdb", content, "application/octet-stream")).run()
        assert not at.exception, at.exception
        return at

    return upload


@pytest.mark.slow
def test_views_and_functions_of_an_upload_are_never_used(
    upload_file: Callable[[str], AppTest], tmp_path: Path
) -> None:
    """The games of such a file are sound; the page reads its tables only."""
    at = upload_file("a view that reads another file")
    assert [one.value.replace("\\", "") for one in at.success] == [
        "hostile is in the library: all 20 games agree with the rules."
    ]
    assert SECRET_TEXT not in str([one.value for one in (*at.markdown, *at.success, *at.caption)])
    assert [run.name for run in Library(tmp_path / "data").runs()] == ["hostile"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["a title without end", "another view", "markup everywhere", "no tables", "seats of nobody"]
)
def test_a_hostile_upload_is_refused_in_one_line(
    upload_file: Callable[[str], AppTest], tmp_path: Path, name: str
) -> None:
    """Its tables are too large, are not those of a run, or hold what Reroll never writes."""
    at = upload_file(name)
    said = [str(one.value) for one in at.error]
    assert len(said) == 1, [one.value for one in at.success]
    plain = said[0].replace("\\", "")
    assert plain.startswith("hostile.duckdb was not added: ")
    assert len(plain.splitlines()) == 1
    assert 45 < len(plain) < 2_000
    assert SECRET_TEXT not in plain
    assert str(tmp_path) not in plain
    assert "Traceback" not in plain
    assert list((tmp_path / "data" / "runs").iterdir()) == []


def test_a_check_shows_how_long_it_takes_and_ends_with_the_refusal(
    empty_dashboard_address: str,
    make_hostile_file: Callable[[str], bytes],
    new_page: Callable[..., Page],
    empty_data_folder: Path,
) -> None:
    page = new_page()
    page.set_default_timeout(60_000)
    page.goto(f"{empty_dashboard_address}/runs")
    content = make_hostile_file("scores beyond reason")
    page.locator('input[type="file"]').set_input_files(
        {"name": "hostile.duckdb", "mimeType": "application/octet-stream", "buffer": content}
    )
    expect(page.get_by_text("Checking hostile.duckdb …")).to_be_visible()
    expect(page.get_by_text("of at most 2 min. Remove the file to stop.")).to_be_visible()
    expect(page.get_by_text("hostile.duckdb was not added: ")).to_be_visible(timeout=CHECK_SECONDS * 1000)
    assert list((empty_data_folder / "runs").iterdir()) == []
