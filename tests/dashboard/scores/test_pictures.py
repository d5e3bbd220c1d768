"""The picture of every view draws the numbers of the sentence above it, in a library of runs with other line-ups and rulesets."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from pipelines.report.estimates import write_about
from pipelines.report.score_sentences import write_span
from pipelines.runs.library import Library
from pipelines.statistics import Interval
from tests.dashboard.reading import read_page_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamlit.testing.v1 import AppTest

ONE, TWO = ["bloxx-2p"], ["bloxx-2p", "bloxx-touch-2p"]
ADDRESSES: tuple[dict[str, str | list[str]], ...] = (
    *({"view": view, "rulesets": rulesets} for view in ("Scores", "Parts", "Course", "Players", "Length") for rulesets in (ONE, TWO)),
    {"compare": "One by one", "rulesets": ONE},
    {"compare": "One by one", "rulesets": TWO},
    {"of": "Gaps", "rulesets": TWO},
    {"strategies": "noisy:sigma=2.3", "rulesets": TWO},
    {"players": "1", "rulesets": ONE},
)  # fmt: skip


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory, play_run: Callable[..., None]) -> Library:
    """Two line-ups under each of two rulesets; greedy scores otherwise against another opponent."""
    folder = tmp_path_factory.mktemp("mixed")
    play_run(folder, "pair", "bloxx-2p", "greedy", "random", games=60)
    play_run(folder, "noise", "bloxx-2p", "greedy", "noisy", games=40, seed=3)
    play_run(folder, "touch", "bloxx-touch-2p", "greedy", "random", games=60)
    play_run(folder, "touch-noise", "bloxx-touch-2p", "greedy", "noisy", games=50, seed=4)
    return Library(folder)


def read_headline(at: AppTest) -> str:
    (said,) = [one.value for one in at.markdown if one.value.startswith("## ")]
    return said.removeprefix("## ").replace("\\", "").replace("\u00a0", " ")


def read_figure(at: AppTest) -> dict[str, Any]:
    """Return the last picture: before the means by round stands that of their difference."""
    figure: dict[str, Any] = json.loads(at.get("plotly_chart")[-1].proto.spec)
    return figure


def list_means(figure: dict[str, Any]) -> list[Interval]:
    """Return all means that a figure draws with their intervals: of marks with error bars, and of lines with bands."""
    means, bands = [], dict[tuple[str, str], list[list[float]]]()
    for trace in figure["data"]:
        line = (trace.get("legendgroup", ""), trace["yaxis"])
        if trace.get("line", {}).get("width") == 0:  # the upper end of a band, then the lower one
            bands.setdefault(line, []).append(trace["y"])
            continue
        errors = trace.get("error_x") or trace.get("error_y")
        if errors:
            values = trace["x" if "error_x" in trace else "y"]
            ends = zip(values, errors["arrayminus"], errors["array"], strict=True)
            means += [Interval(mean, mean - down, mean + up) for mean, down, up in ends]
        elif line in bands:
            high, low = bands[line]
            means += [Interval(*ends) for ends in zip(trace["y"], low, high, strict=True)]
    return means


def list_counts(figure: dict[str, Any]) -> set[int]:
    """Return all numbers of results that a figure names."""
    texts = [note["text"] for note in figure["layout"].get("annotations", [])]
    texts += [trace.get("name") or "" for trace in figure["data"]]
    lists = [words for text in texts for words in re.findall(r"n = ([\d,]+(?:(?:, | and )[\d,]+)*)", text)]
    counts = {int(n.replace(",", "")) for words in lists for n in re.split(r", | and ", words)}
    hovered = "\n".join(words for trace in figure["data"] for words in trace.get("hovertext") or ())
    return counts | {
        int(n.replace(",", "")) for n in re.findall(r", ([\d,]+) (?:result|block)s?$", hovered, re.MULTILINE)
    }


@pytest.mark.parametrize("address", ADDRESSES, ids=lambda address: "-".join(map(str, address.values())))
def test_the_picture_draws_the_numbers_of_the_sentence(
    open_dashboard_page: Callable[..., AppTest], mixed: Library, address: dict[str, str | list[str]]
) -> None:
    at = open_dashboard_page("scores.py", mixed.folder, **address)
    assert not at.exception
    said, figure = read_headline(at), read_figure(at)
    said = said.replace(" of 100 games", " of 100")
    counted = re.findall(r"([\d,]+(?:(?:, | and | to )[\d,]+)*) (?:results|games|blocks)", said)
    assert counted
    counts = {int(n.replace(",", "")) for text in counted for n in re.findall(r"[\d,]*\d", text)}
    assert counts <= list_counts(figure)
    if address.get("view") == "Length":
        check_lengths(said, figure)
        return
    means = list_means(figure)
    told = re.findall(r"(about \S+) points (?!more|fewer)[^()]*\((\S+ to [^;)]+)", said)
    assert set(told) <= {(write_about(one), write_span(one)[1:-1]) for one in means}
    differences = [float(text) for text in re.findall(r"about ([\d.]+) (?:points )?(?:more|fewer)", said)]
    unclear = re.findall(r"between ([\d.]+) (?:points )?fewer and ([\d.]+) more", said)
    differences += [abs(float(more) - float(fewer)) / 2 for fewer, more in unclear]
    drawn = [one.estimate for one in means]  # of two players the picture draws the difference itself
    drawn += [a.estimate - b.estimate for a, b in combinations(means, 2)]
    if "they score" in said:  # the mean of the differences of two strategies
        drawn += [(a + b) / 2 for a, b in combinations(drawn, 2)]
    for difference in differences:
        assert any(abs(abs(number) - difference) <= 0.5 for number in drawn), difference
    assert told or differences or "in no part clearly" in said
    assert "Left out: " in read_page_text(at)
    assert at.button(key="all-lineups").label == "Count all line-ups"
    if "strategies" in address:  # noisy played in no other line-up
        return
    pooled = open_dashboard_page("scores.py", mixed.folder, lineups="all", **address)
    assert list_counts(read_figure(pooled)) != list_counts(figure)


def check_lengths(said: str, figure: dict[str, Any]) -> None:
    """Check the means of the lengths of games, from the outlines of their histogram, whose bins are single lengths."""
    means = []
    for trace in figure["data"]:
        told = [re.fullmatch(r"(\d+): [\d.]+ % \(([\d,]+) games?\)", words) for words in trace["hovertext"]]
        bins = {int(bin_[1]): int(bin_[2].replace(",", "")) for bin_ in told if bin_}
        if bins:  # others mark the means
            means.append(sum(length * count for length, count in bins.items()) / sum(bins.values()))
    assert means
    for text in re.findall(r"take about ([\d.]+) rounds", said):
        assert any(abs(mean - float(text)) <= 0.5 for mean in means)
    for text in re.findall(r"are about ([\d.]+) rounds (?:longer|shorter)", said):
        assert abs(abs(means[1] - means[0]) - float(text)) <= 0.5


def test_the_map_draws_the_difference_of_the_sentence(
    open_dashboard_page: Callable[..., AppTest], mixed: Library
) -> None:
    at = open_dashboard_page("scores.py", mixed.folder, view="Squares", rulesets=ONE)
    said = read_headline(at)
    maps = [json.loads(one.proto.json) for one in at.get("bidi_component") if '"heat"' in one.proto.json]
    difference, first, second = (
        [value for value in one["heat"]["values"] if value is not None] for one in maps
    )
    assert difference == pytest.approx([a - b for a, b in zip(first, second, strict=True)])
    points = re.search(r"more often than \w+, by ([\d.]+) percentage points", said)
    assert points
    assert max(map(abs, difference)) == pytest.approx(float(points[1]), abs=0.6)
    results = re.search(r"([\d,]+) results each; 95 % intervals for all squares", said)
    assert results
    assert re.search(rf"(greedy|random) · {results[1]} results", read_page_text(at))
    assert "Left out: " in read_page_text(at)
    assert at.button(key="all-lineups").label == "Count all line-ups"


def test_the_linked_charts_draw_the_results_that_the_report_counts(
    open_dashboard_page: Callable[..., AppTest], mixed: Library
) -> None:
    at = open_dashboard_page(
        "scores.py", mixed.folder, view="Explore", rulesets=TWO, select='{"score": [20, 60]}'
    )
    documents = [json.loads(one.proto.json) for one in at.get("bidi_component") if one.proto.json]
    drawn = next(one for one in documents if "measures" in one)
    counted = re.search(r"([\d,]+) selected results?, ([\d,]+) other", read_page_text(at))
    assert counted
    assert "Left out: " in read_page_text(at)
    assert at.button(key="all-lineups").label == "Count all line-ups"
    results = sum(int(n.replace(",", "")) for n in counted.groups())
    assert np.frombuffer(b64decode(drawn["counts"]), "<u4").sum() == results == 240
