"""The script of charts is loaded before there is a chart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.widgets.chart_preload import find_chart_script

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page


def test_this_version_of_streamlit_has_the_script() -> None:
    assert find_chart_script().startswith("PlotlyChart.")


def test_a_page_without_charts_loads_the_script_when_it_is_drawn(
    new_page: Callable[..., Page], shared_dashboard_address: str
) -> None:
    page = new_page()
    page.goto(f"{shared_dashboard_address}/notes")
    page.locator("h1").first.wait_for()
    loaded = "(name) => performance.getEntriesByType('resource').some((one) => one.name.endsWith(`/${name}`))"
    page.wait_for_function(loaded, arg=find_chart_script(), timeout=30_000)
    assert not page.locator(".st-key-chart-preload").is_visible()
