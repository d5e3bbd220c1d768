"""Both drawers draw the same chart: a page shows the numbers and the words of a file."""

from __future__ import annotations

import html
import json
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from pipelines.report.show.chart_plan import LETTER_PX, NARROW_PANEL_PX
from pipelines.report.show.figures import build_figure
from pipelines.report.show.html import draw_chart, draw_picture
from tests.pipelines.report.show.charts import (
    EVERY_CHART,
    TWO_RULESETS,
    make_estimate,
    make_histogram,
    make_intervals,
)

if TYPE_CHECKING:
    from pipelines.report.charts import Chart

MAX_FIGURE_BYTES = 20_000


def draw_figure(chart: Chart, *, is_clickable: bool = False) -> dict[str, Any]:
    """Return a figure as the browser gets it."""
    figure: dict[str, Any] = json.loads(build_figure(chart, is_clickable=is_clickable).to_json())
    return figure


def list_texts(drawing: str, name: str) -> list[str]:
    """Return the texts of a class in SVG or HTML."""
    found = re.findall(rf'<(?:text|p) class="{name}[^"]*"[^>]*>(.*?)</(?:text|p)>', drawing, re.DOTALL)
    lines = [line for text in found for line in re.split(r"<br>|</tspan>(?=<tspan)", text)]
    return sorted(html.unescape(re.sub(r"<[^>]*>", "", line)).strip() for line in lines)


def list_figure_ticks(figure: dict[str, Any]) -> list[str]:
    axes = [axis for name, axis in figure["layout"].items() if re.match(r"[xy]axis", name)]
    texts = [text for axis in axes if axis.get("showticklabels", True) for text in axis["ticktext"]]
    return sorted(line for text in texts for line in text.split("<br>"))


def list_figure_texts(figure: dict[str, Any]) -> list[str]:
    lines = [line for note in figure["layout"]["annotations"] for line in note["text"].split("<br>")]
    return sorted(html.unescape(re.sub(r"<[^>]*>", "", line)) for line in lines)


def list_heights(figure: dict[str, Any]) -> list[int]:
    """Return the heights of the panels in pixels."""
    layout = figure["layout"]
    room = layout["height"] - layout["margin"]["t"] - layout["margin"]["b"]
    domains = [axis["domain"] for name, axis in layout.items() if name.startswith("yaxis")]
    return [round((high - low) * room) for low, high in domains]


@pytest.mark.parametrize("kind", EVERY_CHART)
def test_both_drawers_show_the_same_numbers_words_and_names(kind: str) -> None:
    chart = EVERY_CHART[kind]
    drawing, figure = draw_chart(chart), draw_figure(chart)
    assert list_texts(drawing, "chart-tick") == list_figure_ticks(figure)
    words = [list_texts(drawing, name) for name in ("chart-heading", "axis-name", "chart-label")]
    assert sorted(text for texts in words for text in texts) == list_figure_texts(figure)
    legend = [html.unescape(name) for name in re.findall(r"</svg>\s*([^<]*)</li>", drawing)]
    named = [trace["name"] for trace in figure["data"] if trace.get("showlegend")]
    assert legend == (named if figure["layout"]["showlegend"] else [])
    assert re.findall(r'height="(\d+)" role="img"', drawing) == [*map(str, list_heights(figure))]


@pytest.mark.parametrize("kind", EVERY_CHART)
def test_both_drawers_mark_the_same_points(kind: str) -> None:
    """What a mark says in a file when the pointer lies on it, a page says, too."""
    drawing, figure = draw_chart(EVERY_CHART[kind]), draw_figure(EVERY_CHART[kind])
    told = [html.unescape(words) for words in re.findall(r"<title>(.*?)</title>", drawing)]
    hovered = [
        words
        for trace in figure["data"]
        if trace["type"] == "bar" or "markers" in trace.get("mode", "")
        for words in trace["hovertext"]
    ]
    assert sorted(told) == sorted(hovered)


@pytest.mark.parametrize("kind", EVERY_CHART)
def test_a_picture_has_the_texts_of_the_chart_inside_its_frame(kind: str) -> None:
    chart = EVERY_CHART[kind]
    drawing, picture = draw_chart(chart), draw_picture([chart], chart.title, "What it shows.")
    for name in ("chart-tick", "chart-heading", "axis-name"):
        assert list_texts(picture, name) == list_texts(drawing, name)
    assert set(list_texts(picture, "chart-label")) >= set(list_texts(drawing, "chart-label"))
    assert list_texts(picture, "chart-title") == [chart.title]
    assert list_texts(picture, "chart-caption") == ["What it shows."]


@pytest.mark.parametrize("kind", EVERY_CHART)
def test_a_figure_is_small(kind: str) -> None:
    assert len(build_figure(EVERY_CHART[kind], is_clickable=True).to_json()) < MAX_FIGURE_BYTES


def test_both_drawers_draw_the_same_bins() -> None:
    """The steps of the outlines are equally high, up to the scale, and are counted alike."""
    chart = make_histogram(TWO_RULESETS)
    outlines = re.findall(r'<polyline points="([^"]*)"', draw_chart(chart))
    figure = draw_figure(chart)
    traces = [trace for trace in figure["data"] if trace.get("fill")]
    assert [trace["y"] for trace in traces] == [
        [0, 0, pytest.approx(1 / 3, abs=1e-6), pytest.approx(2 / 3, abs=1e-6), 0, 0],
        [0, 0.5, 0.5, 0, 0, 0],
        [0, 0, 0, 0, 1, 0],
    ]
    for outline, trace in zip(outlines, traces, strict=True):
        top = figure["layout"][f"yaxis{trace['yaxis'][1:]}"]["range"][1]
        heights = [100 - float(corner.split(",")[1]) for corner in outline.split()[2::2]]
        assert heights == pytest.approx([100 / top * share for share in trace["y"][1:]], abs=0.01)


def test_overlapping_areas_are_both_seen() -> None:
    chart = make_histogram(TWO_RULESETS[:2])
    colours = [one.look.colour for one in chart.series]
    assert re.findall(r'<polyline [^>]*fill="(#\w+)" fill-opacity="0.14"', draw_chart(chart)) == colours
    fills = [trace["fillcolor"] for trace in draw_figure(chart)["data"] if trace.get("fill")]
    assert len(set(fills)) == 2
    assert all(fill.endswith(",0.14)") for fill in fills)


def test_both_drawers_shade_the_same_range() -> None:
    chart = EVERY_CHART["histogram"]
    shades = [one for one in draw_figure(chart)["layout"]["shapes"] if one["type"] == "rect"]
    assert [(one["xref"], one["x0"], one["x1"], one["opacity"]) for one in shades] == [
        ("x", 0.5, 3.5, 0.18),
        ("x2", 0.5, 3.5, 0.18),
    ]
    found = re.findall(r'class="chart-shade" x="([\d.]+)%" width="([\d.]+)%"[^>]*"0.18"', draw_chart(chart))
    assert [(float(left), float(width)) for left, width in found] == 2 * [(25.0, 75.0)], "of −0.5 to 3.5"


@pytest.mark.parametrize("width", [NARROW_PANEL_PX, 1300])
@pytest.mark.parametrize("estimate", [0.2, 3.0, 8.0, 9.8])
def test_the_numbers_of_a_row_stand_near_its_mark_and_cover_no_name(width: int, estimate: float) -> None:
    rows = {"rounds 1 to 4": 0.0, "rounds 13 to 16": estimate, "rounds 17 to 20": 10.0}
    chart = make_intervals([make_estimate("r", "greedy", name, mean) for name, mean in rows.items()])
    figure, name = draw_figure(chart), "rounds 13 to 16"
    notes = figure["layout"]["annotations"]
    note = next(after for before, after in pairwise(notes) if before["text"] == name)
    left = width * note["x"] + note["xshift"]
    right = left + LETTER_PX * len(note["text"])
    assert left >= LETTER_PX * len(name)
    assert right <= width + 0.1  # rounded
    low, high = figure["layout"]["xaxis"]["range"]
    mark = width * (estimate - low) / (high - low)
    assert max(left - mark, mark - right) <= LETTER_PX * len(name)
    if estimate == 8.0:  # it is far from the name and from the end of the line
        assert (left + right) / 2 == pytest.approx(mark, abs=1)
    found = re.search(rf'x="([0-9.]+)%" dx="([-0-9.]+)"[^>]*>{re.escape(note["text"])}<', draw_chart(chart))
    assert found
    assert width * float(found[1]) / 100 + float(found[2]) == pytest.approx(left, abs=0.1)
