"""The linked histograms in a browser, on data made up here."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from playwright.sync_api import expect

import dashboard.widgets.linked_histograms

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

SCRIPT = Path(dashboard.widgets.linked_histograms.__file__).with_name("linked.js").read_text(encoding="utf-8")


def encode(*values: int, kind: str = "<u1") -> str:
    return base64.b64encode(np.array(values, dtype=kind).tobytes()).decode("ascii")


def make_data() -> dict[str, Any]:
    """Return 12 results of two strategies; all games have 23 rounds."""
    return {
        "measures": [
            {"key": "score", "title": "Score", "edges": [-10, 0, 10], "bins": 2},
            {"key": "rounds", "title": "Length in rounds", "edges": [23, 24], "bins": 1},
        ],
        "groups": [{"key": "strategy", "title": "Strategy", "names": ["greedy", "random"]}],
        "line": "strategy",
        "lines": [
            {"name": "greedy", "colour": "#1F83C2", "dash": "solid"},
            {"name": "random", "colour": "#8A8A8A", "dash": "dot"},
        ],
        "columns": {"score": encode(0, 1, 0), "rounds": encode(0, 0, 0), "strategy": encode(0, 0, 1)},
        "counts": encode(3, 1, 8, kind="<u4"),
        "selected": {},
    }


def test_a_measure_with_one_value_is_a_sentence_and_the_mouse_reads_the_bins(
    new_page: Callable[..., Page],
) -> None:
    page = new_page()
    page.evaluate(
        """async ([script, data]) => {
          const { default: mount } = await import(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
          mount({ parentElement: document.body, data, setTriggerValue() {} });
        }""",
        [SCRIPT, make_data()],
    )
    expect(page.locator(".single")).to_have_text(
        "The same in all results that are drawn: Length in rounds 23."
    )
    expect(page.locator(".chart")).to_have_count(1)
    expect(page.locator(".group button svg")).to_have_count(2)  # the buttons are the key of the lines
    expect(page.locator(".key")).to_have_count(0)
    expect(page.get_by_role("button", name="greedy 4")).to_be_visible()
    reading = page.locator(".reading")
    scale = page.locator("text.scale")
    expect(scale).to_have_text(["100 %", "50 %"])
    expect(scale.first).to_be_visible()
    expect(reading).to_have_text("")
    picture = page.locator(".chart > svg")
    picture.hover(position={"x": 5, "y": 50})
    expect(reading).to_have_text("\u221210 to \u22121: 11")
    page.get_by_role("button", name="greedy").click()
    expect(scale).to_have_text(["100 %", "50 %"])  # that of all results of random, drawn thin
    page.locator(".chart > svg").hover(position={"x": 5, "y": 50})
    expect(reading).to_have_text("\u221210 to \u22121: 3")


def test_a_range_that_ends_inside_of_bins_selects_what_is_in_it(new_page: Callable[..., Page]) -> None:
    data = make_data()
    data["columns"] |= {
        name: encode(*values)
        for name, values in {
            "score": (0, 0, 1, 0),
            "score-inside": (0, 1, 1, 0),
            "rounds": (0, 0, 0, 0),
            "strategy": (0, 0, 0, 1),
        }.items()
    }
    data["counts"] = encode(2, 1, 1, 8, kind="<u4")
    data["selected"] = {"score": [-5, 9]}
    page = new_page()
    page.evaluate(
        """async ([script, data]) => {
          const { default: mount } = await import(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
          mount({ parentElement: document.body, data, setTriggerValue(name, value) { window.compared = value; } });
        }""",
        [SCRIPT, data],
    )
    status = page.locator(".status")
    expect(status).to_contain_text("2 of 12 results are selected")
    expect(page.locator(".chart .range")).to_have_text("\u22125 to 9")
    page.get_by_role("button", name="Compare").click()
    assert page.evaluate("window.compared") == '{"score":[-5,9]}'
    page.get_by_role("slider", name="Score, from").press("ArrowRight")
    expect(status).to_contain_text("1 of 12 results are selected")
    expect(page.locator(".chart .range")).to_have_text("0 to 9")
