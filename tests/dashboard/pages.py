"""Fixtures that open pages of the dashboard without a server."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
import streamlit as st
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from dashboard import cached
from pipelines.experiments import comparison

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pipelines.runs.library import Library

APP_FILE: Final = Path(__file__).parents[2] / "dashboard" / "app.py"


@pytest.fixture(scope="session", autouse=True)
def scan_packages_once() -> Iterator[None]:
    """Keep Streamlit's list of installed components: each AppTest scans all packages, which takes half of its time."""
    name = "scan_component_manifests"  # not documented; tested with Streamlit 1.67
    with pytest.MonkeyPatch.context() as patch:
        if scan := getattr(manifest_scanner, name, None):
            patch.setattr(manifest_scanner, name, cache(scan))
        yield


@pytest.fixture
def open_dashboard_page(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., AppTest]]:
    """A function that opens a page of the dashboard at an address, by default over the shared library."""
    monkeypatch.setattr(cached, "READING_SECONDS", 60.0)  # the machine may be busy
    monkeypatch.setattr(comparison, "MEASURING_SECONDS", 0.02)  # no page needs a precise estimate

    def open_at_address(page: str, folder: Path = library.folder, **address: str | list[str]) -> AppTest:
        monkeypatch.setenv("REROLL_DATA", str(folder))
        at = AppTest.from_file(str(APP_FILE), default_timeout=30)
        at.query_params.from_dict(address) if hasattr(
            at.query_params, "from_dict"
        ) else at.query_params.update(address)
        at.switch_page(f"views/{page}")
        return at.run()

    yield open_at_address
    st.cache_data.clear()
    st.cache_resource.clear()
