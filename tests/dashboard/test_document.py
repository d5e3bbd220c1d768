"""The document behind every address."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from starlette.requests import Request
from streamlit import file_util

from dashboard.document import build_html_document
from dashboard.pages import PAGES
from dashboard.serving import build_routes

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from dashboard.pages import Page as Entry

STATIC_FOLDER = Path(file_util.get_static_dir())


def read_preloaded_scripts(document: str) -> list[str]:
    """What a document has loaded before it is asked for."""
    return re.findall(r'import\("(.*?)"\)', document)


def request_document(address: str) -> str:
    """What is answered at an address."""
    path, _, query = address.partition("?")
    route = next(one for one in build_routes() if one.path == path)
    request = Request({"type": "http", "path": path, "query_string": query.encode(), "headers": []})
    answer = asyncio.run(route.endpoint(request))
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-cache"
    return str(answer.body.decode())


@pytest.mark.parametrize("page", PAGES)
def test_every_page_is_answered_by_our_document(page: Entry) -> None:
    found = request_document(f"/{page.address}")
    assert "<title>Reroll</title>" in found
    assert "BACKEND_BASE_URL: location.origin" in found
    assert (Path(__file__).parents[2] / "dashboard" / "views" / f"{page.script}.py").is_file()


def test_charts_are_loaded_at_once_where_they_will_be_drawn() -> None:
    at_once = {
        address: "addEventListener" not in request_document(address)
        for address in (
            "/",
            "/scores",
            "/strategies",
            "/strategies?run=one",
            "/replay?run=one",
            "/whatif?run=one",
        )
    }
    assert [address for address, is_early in at_once.items() if is_early] == [
        "/scores", "/strategies?run=one", "/whatif?run=one",
    ]  # fmt: skip
    (script,) = read_preloaded_scripts(request_document("/scores"))
    assert (STATIC_FOLDER / script.lstrip("/")).stat().st_size > 1e6


def test_without_the_list_of_scripts_nothing_is_loaded_early(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<html><head></head></html>", encoding="utf-8")
    assert not read_preloaded_scripts(
        build_html_document(tmp_path, "<svg/>", ("#fff", "#000"), draws_charts=True)
    )
    (tmp_path / "manifest.json").write_text("[", encoding="utf-8")
    assert not read_preloaded_scripts(
        build_html_document(tmp_path, "<svg/>", ("#fff", "#000"), draws_charts=True)
    )
    (tmp_path / "manifest.json").write_text(json.dumps({"other.tsx": {"file": "x.js"}}), encoding="utf-8")
    assert not read_preloaded_scripts(
        build_html_document(tmp_path, "<svg/>", ("#fff", "#000"), draws_charts=True)
    )


@pytest.mark.browser
@pytest.mark.parametrize("address", ["", "replay?run=three&game=1", "scores"])
def test_no_page_asks_where_its_server_is(
    new_page: Callable[..., Page], dashboard_address: str, address: str
) -> None:
    page = new_page()
    asked: list[str] = []
    page.on("response", lambda answer: asked.append(f"{answer.status} {answer.url}"))
    page.goto(f"{dashboard_address}/{address}")
    page.locator("h1").first.wait_for()
    assert not [one for one in asked if not one.startswith("200 ")]
