"""Pages over run files of strangers: names are shown as text, and broken values give a message."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Final

import duckdb
import pytest
import streamlit as st

from dashboard.widgets.markdown import WORD_JOINER

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page
    from streamlit.testing.v1 import AppTest

    from pipelines.runs.library import Library

VIEWS_FOLDER: Final = Path(__file__).parents[2] / "dashboard" / "views"
PAGE_SCRIPTS: Final = sorted(path.name for path in VIEWS_FOLDER.glob("[a-z]*.py"))
HOSTILE_NAME: Final = "<img src=x onerror=alert(1)> [x](javascript:alert(1)) :red[y] $x$ =HYPERLINK(1)"
LIVE_MARKUP_PATTERN: Final = re.compile(r"(?<!\\)(<img|\[x\]\(javascript|:red\[)")
"""Markup that is not escaped."""

HOSTILE_UPDATES: Final = {
    "names": "UPDATE run SET title = '{n}', command = '{n}'; UPDATE rulesets SET title = '{n}'; "
    "UPDATE strategies SET strategy = '{n}' WHERE strategy = 'greedy'; UPDATE seats SET strategy = '{n}' WHERE strategy = 'greedy'; "
    "UPDATE score_histogram SET strategy = '{n}' WHERE strategy = 'greedy'; UPDATE part_totals SET part = '{n}'; "
    "UPDATE block_scores SET strategy = '{n}' WHERE strategy = 'greedy'",
    "sums": "UPDATE block_scores SET n = 0; UPDATE part_totals SET n = 0; UPDATE score_by_round SET n = 0",
    "actions": "UPDATE ply_rows SET action = -1; UPDATE squares SET cell = 65535",
}


@pytest.mark.parametrize("page", PAGE_SCRIPTS)
@pytest.mark.parametrize("kind", HOSTILE_UPDATES)
def test_a_page_over_a_hostile_run_shows_text_or_a_message(
    open_dashboard_page: Callable[..., AppTest], library: Library, tmp_path: Path, page: str, kind: str
) -> None:
    (tmp_path / "runs").mkdir()
    path = tmp_path / "runs" / "three.duckdb"
    shutil.copyfile(library.runs_folder / "three.duckdb", path)
    with duckdb.connect(path) as connection:
        connection.execute(HOSTILE_UPDATES[kind].format(n=HOSTILE_NAME))
    at = open_dashboard_page(page, tmp_path)
    assert not at.exception
    kinds = (at.title, at.header, at.markdown, at.caption, at.info, at.warning, at.error)
    texts = [str(element.value) for elements in kinds for element in elements]
    assert not [text for text in texts if LIVE_MARKUP_PATTERN.search(text)]
    assert json.dumps(texts)


@pytest.mark.parametrize("page", PAGE_SCRIPTS)
def test_a_broken_unfinished_run_breaks_no_page(
    open_dashboard_page: Callable[..., AppTest], library: Library, tmp_path: Path, page: str
) -> None:
    shutil.copytree(library.runs_folder, tmp_path / "runs", copy_function=shutil.copyfile)
    (tmp_path / "runs" / "odd.partial").mkdir()
    (tmp_path / "runs" / "odd.partial" / "design.json").write_text("{}", encoding="utf-8")
    at = open_dashboard_page(page, tmp_path)
    assert not at.exception


def test_markup_in_a_title_is_shown_as_text_in_a_browser(
    empty_dashboard_address: str, empty_data_folder: Path, new_page: Callable[..., Page], library: Library
) -> None:
    """Streamlit makes links and icons of a text after it has parsed the Markdown, so only a browser shows them."""
    title = "1. www.evil.example https://evil.example/x HTTP://evil.example me@evil.example :material/home: :smile: :red[y] ~~z~~"
    (empty_data_folder / "runs").mkdir(exist_ok=True)
    path = empty_data_folder / "runs" / "three.duckdb"
    shutil.copyfile(library.runs_folder / "three.duckdb", path)
    with duckdb.connect(path) as connection:
        connection.execute("UPDATE run SET title = $1", [title])
    page = new_page()
    page.goto(f"{empty_dashboard_address}/runs")
    page.get_by_text("evil.example/x", exact=False).first.wait_for()
    shown = [element.inner_text() for element in page.get_by_text("evil.example/x", exact=False).all()]
    assert shown
    assert all(text.replace(WORD_JOINER, "").startswith(title) for text in shown)
    assert not [link for link in page.locator("a").all() if "evil" in (link.get_attribute("href") or "")]


def test_a_dashboard_on_a_network_shows_a_warning(
    open_dashboard_page: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not [element for element in open_dashboard_page("scores.py").warning if "network" in element.value]
    get_option = st.get_option
    public_address = "0.0.0.0"  # noqa: S104 - the address that the warning is about
    monkeypatch.setattr(
        st, "get_option", lambda key: public_address if key == "server.address" else get_option(key)
    )
    assert "can be reached from the network" in open_dashboard_page("scores.py").warning[0].value
