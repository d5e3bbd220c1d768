"""A chart on a page has its title above it, its caption below it, and can be saved as a picture."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import TYPE_CHECKING

from streamlit.testing.v1 import AppTest

from tests.browser import wait_until_settled

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Browser, Page

CAPTION = "How many of 100 results lie in each bin."


def show_one_chart() -> None:
    from dashboard.widgets.charts import show_chart
    from tests.pipelines.report.show.charts import EVERY_CHART

    show_chart(EVERY_CHART["course"], "one", caption="*What* it shows.")


def show_nothing() -> None:
    from dashboard.widgets.charts import show_chart
    from tests.pipelines.report.show.charts import make_course

    show_chart(make_course([]), "none", caption="What it shows.")


def test_a_chart_says_its_title_and_its_caption_once() -> None:
    at = AppTest.from_function(show_one_chart).run()
    assert not at.exception
    assert [one.value for one in at.subheader] == ["Means by round"]
    assert [one.value for one in at.caption] == [r"\*What\* it shows."]
    (chart,) = at.get("plotly_chart")
    assert "title" not in json.loads(chart.proto.spec)["layout"]
    assert json.loads(chart.proto.config) == {"displayModeBar": False}
    assert "round 4: 12.0 (11.0 to 13.0), 10 results" in chart.proto.alt, (
        "as people hear it who do not see it"
    )


def test_without_anything_to_draw_there_is_no_title_either() -> None:
    at = AppTest.from_function(show_nothing).run()
    assert not at.exception
    assert not at.subheader
    assert not at.get("plotly_chart")


def test_a_chart_is_saved_as_svg_and_as_png_without_a_rerun_of_the_page(
    new_page: Callable[..., Page], shared_dashboard_address: str
) -> None:
    page = new_page()
    page.goto(f"{shared_dashboard_address}/scores?rulesets=bloxx-3p")
    page.locator(".js-plotly-plot").first.wait_for()
    wait_until_settled(page)
    saved = {}
    for kind in ("SVG", "PNG"):
        button = page.get_by_role("button", name=f"Save picture as {kind}: Final scores")
        button.focus()
        with page.expect_download() as download:
            page.keyboard.press("Enter")
        assert download.value.suggested_filename == f"Final-scores.{kind.lower()}"
        saved[kind] = Path(download.value.path()).read_bytes()
        wait_until_settled(page)
        assert button.is_visible()
    drawing = saved["SVG"].decode()
    for text in ("Final scores", CAPTION, "share of results", "data:font/woff2;base64,"):
        assert text in drawing
    assert "Choose a bin" not in drawing
    width, height = struct.unpack(">II", saved["PNG"][16:24])
    assert saved["PNG"].startswith(b"\x89PNG")
    assert (width, height > 500) == (1440, True)


def test_the_first_picture_of_a_browser_has_its_words(
    browser: Browser, shared_dashboard_address: str
) -> None:
    """The fonts of an image are ready only some time after the image, in a browser that has not drawn them before."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{shared_dashboard_address}/scores?rulesets=bloxx-3p")
    page.locator(".js-plotly-plot").first.wait_for()
    wait_until_settled(page)
    pictures = []
    for _ in range(2):
        with page.expect_download() as download:
            page.get_by_role("button", name="Save picture as PNG: Final scores").click()
        pictures.append(Path(download.value.path()).read_bytes())
        wait_until_settled(page)
    context.close()
    assert pictures[0] == pictures[1]
