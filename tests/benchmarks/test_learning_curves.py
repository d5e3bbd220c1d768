"""The recorded learning curves: they end with the shipped values, and their picture shows the recorded numbers."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any, Final

from pipelines.report.estimates import format_interval
from pipelines.statistics import Interval

ROOT: Final = Path(__file__).parents[2]
PICTURE_FILE: Final = ROOT / "docs" / "pictures" / "learning_curves.svg"


def read_curves() -> list[dict[str, Any]]:
    """Return the recorded curves."""
    record = ROOT / "benchmarks" / "learning_curves.json"
    curves: list[dict[str, Any]] = json.loads(record.read_text(encoding="utf-8"))["curves"]
    return curves


def test_the_recorded_curves_end_with_the_training_of_the_shipped_values() -> None:
    for curve in read_curves():
        game = curve["ruleset"].rpartition("-")[0].replace("-", "_")
        index = ROOT / "engine" / "games" / game / "learned" / "index.toml"
        command = f"{curve['ruleset']} --games {curve['points'][-1]['games']} --seed {curve['training_seed']}"
        assert command in index.read_text(encoding="utf-8")


def test_the_numbers_of_the_picture_are_the_recorded_ones() -> None:
    """Each training has a point whose label has its games, its advantage with the interval, and its blocks."""
    picture = ET.fromstring(PICTURE_FILE.read_text(encoding="utf-8"))  # noqa: S314 - a file of this project
    points = picture.findall(".//{*}path[{*}title]/..")
    assert [label.text for point in points for label in point.findall("{*}path/{*}title")] == [
        f"games learned from {point['games']:,}: {format_interval(Interval(**point['advantage']))}, {point['blocks']} blocks"
        for curve in read_curves()
        for point in curve["points"]
    ]


def test_the_picture_has_colours_for_dark_pages_and_asks_no_other_host() -> None:
    picture = PICTURE_FILE.read_text(encoding="utf-8")
    assert "prefers-color-scheme: dark" in picture
    assert re.findall(r"https?://[^\"]+", picture) == ["http://www.w3.org/2000/svg"]
