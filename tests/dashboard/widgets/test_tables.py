"""Tables on a page, and their downloads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from dashboard.widgets import tables
from tests.browser import open_other_forms, wait_until_settled

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page


def test_all_values_of_a_table_are_escaped() -> None:
    frame = pd.DataFrame({"<i>": ["<b>bold</b>"], "n": [1234], "share": [-0.5], "none": [float("nan")]})
    html = tables.write_table_html(frame, 'a "label"', {"share": ".2f"}, {"n": ['replay?run="><script>']})
    assert "<b>" not in html
    assert "<i>" not in html
    assert "<script>" not in html
    assert 'aria-label="a &quot;label&quot;"' in html
    assert ">1,234</a>" in html
    assert ">\u22120.50<" in html  # a minus sign, not a hyphen
    assert ">\u2013<" in html


def test_long_cells_take_several_lines() -> None:
    frame = pd.DataFrame({"a": ["x " * 10], "b": ["x " * 25], "c": ["x " * 40]})
    html = tables.write_table_html(frame, "texts", {}, {})
    assert html.count("<td>") == html.count('<td class="phrase">') == html.count('<td class="words">') == 1


def test_a_page_shows_the_first_rows_of_a_long_table() -> None:
    html = tables.write_table_html(pd.DataFrame({"n": range(tables.MAX_ROWS_SHOWN + 5)}), "many", {}, {})
    assert html.count("<tr>") == 1 + tables.MAX_ROWS_SHOWN


def test_a_table_shows_short_names_of_strategies_with_the_full_ones_in_tooltips() -> None:
    names = ["greedy", "planner:candidates=4", 'own:text="<b>"']
    frame = pd.DataFrame({"strategy": names, "winners": ["greedy, planner:candidates=4", "", "greedy"]})
    html = tables.write_table_html(frame, "scores", {}, {}, names)
    assert '<td title="planner:candidates=4">planner</td>' in html
    assert '<td title="greedy, planner:candidates=4">greedy, planner</td>' in html
    assert "<td>greedy</td>" in html
    assert "<b>" not in html
    two = pd.DataFrame({"strategy": ["planner:candidates=1", "planner:candidates=4"]})
    html = tables.write_table_html(two, "scores", {}, {}, list(two["strategy"]))
    assert ">planner (1 candidate)<" in html
    assert ">planner (4 candidates)<" in html


def test_downloads_hold_the_table_as_shown(
    new_page: Callable[..., Page], shared_dashboard_address: str
) -> None:
    page = new_page()
    page.goto(f"{shared_dashboard_address}/scores?rulesets=bloxx-3p")
    page.get_by_text("Details", exact=True).click()
    shown = page.locator(".numbers tbody tr").first
    shown.wait_for()
    cells = shown.locator("td").all_inner_texts()
    found, menu = {}, open_other_forms(page)
    for kind, read in (("CSV", pd.read_csv), ("Parquet", pd.read_parquet)):
        wait_until_settled(page)  # the page is drawn anew after a download
        with page.expect_download() as given:
            menu.get_by_role("button", name=kind).first.click()
        found[kind] = read(given.value.path())
    pd.testing.assert_frame_equal(found["CSV"], found["Parquet"], check_dtype=False)
    first = found["CSV"].iloc[0]
    assert cells[:2] == [first["ruleset"], first["strategy"]]
    assert cells[4] == f"{first['mean']:.2f}"


def test_only_a_long_table_scrolls_inside_itself() -> None:
    for rows, is_scrolling in ((12, False), (40, False), (41, True)):
        html = tables.write_table_html(pd.DataFrame({"n": range(rows)}), "rows", {}, {})
        assert ("max-height" in html) == is_scrolling
