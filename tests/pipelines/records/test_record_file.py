"""Records are read as they were written; a file of another version has none."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pipelines.records.atlas import AtlasFile
from pipelines.records.record_file import (
    Record,
    find_record_file,
    format_record_file,
    read_record_file,
)
from pipelines.records.strategies import CalibrationFile, LadderFile, PerfectPlayFile, RobustnessFile

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("name", "make_file"),
    [
        ("atlas.json", AtlasFile),
        ("calibration.json", CalibrationFile),
        ("ladder.json", LadderFile),
        ("perfect_play.json", PerfectPlayFile),
        ("robustness.json", RobustnessFile),
    ],
)
def test_a_shipped_file_is_read_and_written_without_a_change(
    name: str, make_file: type[Record], tmp_path: Path
) -> None:
    shipped = find_record_file(name)
    record = read_record_file(shipped, make_file)
    assert record != make_file()
    assert format_record_file(record) == shipped.read_text(encoding="utf-8")
    assert read_record_file(tmp_path / name, make_file) == make_file()


@pytest.mark.parametrize("key", ["playouts", "sha256", "of a later version"])
def test_a_file_of_another_version_has_no_records(key: str, tmp_path: Path) -> None:
    document = json.loads(find_record_file("calibration.json").read_text(encoding="utf-8"))
    case = document["cases"][0]
    case[key] = {"another": "type"}
    path = tmp_path / "calibration.json"
    for text in (json.dumps(document), "no JSON"):
        path.write_text(text, encoding="utf-8")
        assert read_record_file(path, CalibrationFile) == CalibrationFile()
