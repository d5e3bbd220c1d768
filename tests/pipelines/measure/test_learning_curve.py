"""Learning curves: the strength of `learned` after trainings of different length, as figures and as a picture."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from engine.kernels.loader import can_compile_games
from pipelines.measure import learning_curve
from pipelines.measure.learning_curve import (
    PICTURE_FILE,
    PROJECT,
    RECORD_FILE,
    draw_learning_curves,
)
from pipelines.measure.measuring_plan import LearningPlan, MeasuringPlan, read_plan
from pipelines.records.learning_curves import LearningCurve, LearningCurveFile
from pipelines.records.record_file import read_record_file
from pipelines.report.estimates import format_interval
from pipelines.statistics import Interval

if TYPE_CHECKING:
    from pathlib import Path


def read_curves(path: Path) -> tuple[LearningCurve, ...]:
    return read_record_file(path, LearningCurveFile).curves


def picture_points() -> list[ET.Element]:
    """Return the points of the picture."""
    picture = ET.fromstring(PICTURE_FILE.read_text(encoding="utf-8"))  # noqa: S314 - a file of this project
    return picture.findall(".//{*}path[{*}title]/..")


def test_the_recorded_curves_have_every_stage_and_end_with_the_training_of_the_shipped_values() -> None:
    curves = {curve.ruleset: curve for curve in read_curves(RECORD_FILE)}
    plans = read_plan().learning
    assert curves.keys() == plans.keys()
    for name, plan in plans.items():
        points = curves[name].points
        assert [point.games for point in points] == list(plan.games)
        assert all(point.blocks >= 100 for point in points)
        assert all(point.advantage.low < point.advantage.estimate < point.advantage.high for point in points)
        folder = PROJECT / "engine" / "games" / name.rpartition("-")[0].replace("-", "_") / "learned"
        command = f"{name} --games {plan.games[-1]} --seed {plan.seed}"
        assert command in (folder / "index.toml").read_text(encoding="utf-8")


def test_the_numbers_of_the_picture_are_the_recorded_ones() -> None:
    """Each training has a point whose label has its games, its advantage with the interval, and its blocks."""
    labels = [label.text for point in picture_points() for label in point.findall("{*}path/{*}title")]
    recorded = json.loads(RECORD_FILE.read_text(encoding="utf-8"))
    assert labels == [
        f"games learned from {point['games']:,}: {format_interval(Interval(**point['advantage']))}, {point['blocks']} blocks"
        for curve in recorded["curves"]
        for point in curve["points"]
    ]
    assert PICTURE_FILE.read_text(encoding="utf-8") == draw_learning_curves(read_curves(RECORD_FILE))


def test_a_higher_point_of_the_picture_is_a_greater_advantage() -> None:
    """The heights of the points are a linear scale of the recorded advantages, and their places ascend."""
    points = picture_points()
    for curve in read_curves(RECORD_FILE):
        of_curve, points = points[: len(curve.points)], points[len(curve.points) :]
        places = [float(point.attrib["x"].rstrip("%")) for point in of_curve]
        assert places == sorted(places)
        heights = [-float(point.attrib["y"].rstrip("%")) for point in of_curve]
        first, last = curve.points[0].advantage.estimate, curve.points[-1].advantage.estimate
        scale = (heights[-1] - heights[0]) / (last - first)
        assert scale > 0
        for height, point in zip(heights, curve.points, strict=True):
            assert height == pytest.approx(heights[0] + scale * (point.advantage.estimate - first), abs=0.3)


def test_the_picture_has_colours_for_dark_pages_and_asks_no_other_host() -> None:
    picture = PICTURE_FILE.read_text(encoding="utf-8")
    assert "prefers-color-scheme: dark" in picture
    assert re.findall(r"https?://[^\"]+", picture) == ["http://www.w3.org/2000/svg"]


def test_an_unknown_ruleset_is_refused_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert learning_curve.main(["bloxx-2p"]) == 2
    said = capsys.readouterr().err
    assert re.fullmatch(r"reroll: .*'bloxx-2p'.*spexxx-2p or blokus-dice-2p.*\n", said)


@pytest.mark.slow
@pytest.mark.usefixtures("turn_to_train")
@pytest.mark.skipif(not can_compile_games(), reason="nothing can be compiled here")
@pytest.mark.parametrize(
    ("ruleset", "weak_plan"),
    [
        ("blokus-dice-2p", LearningPlan(against="keeper", games=(400, 2_000), seed=1)),
        ("spexxx-2p", LearningPlan(against="builder", games=(8, 2_000), seed=1)),
    ],
)
def test_each_training_is_measured_by_its_own_values(
    ruleset: str, weak_plan: LearningPlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More games make a clearly stronger player. The curve is recorded and drawn."""
    monkeypatch.setattr(learning_curve, "read_plan", lambda: MeasuringPlan(learning={ruleset: weak_plan}))
    out, picture = tmp_path / "curves.json", tmp_path / "curves.svg"
    assert learning_curve.main(["--blocks", "40", "--out", str(out), "--picture", str(picture)]) == 0
    (curve,) = read_curves(out)
    weak, strong = curve.points
    assert (weak.games, strong.games) == weak_plan.games
    assert weak.advantage.high < strong.advantage.low
    assert "games learned from 2,000: " in picture.read_text(encoding="utf-8")
