"""Records are read as they were written; a file of another version has none.

A benchmark says where this machine is far slower than others of its kind.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pipelines.records.atlas import AtlasFile
from pipelines.records.record_file import (
    FIGURES_FOLDER,
    Measurement,
    Record,
    find_record_file,
    find_recorded_figures,
    format_record_file,
    iter_far_worse,
    machine_stamp,
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


def write_record(folder: Path, name: str, *, processor: str, target: str | None, rate: float) -> None:
    lines = [{"name": "games", "value": rate, "unit": "games/s"}, {"name": "help", "value": 0.3, "unit": "s"}]
    machine = {"when": "2026-11-20T10:00:00+00:00", "processor": processor, "llvm_target": target}
    (folder / f"{name}.json").write_text(json.dumps({"machine": machine, "lines": lines}), encoding="utf-8")


def test_figures_of_the_same_target_are_preferred_to_those_of_the_same_maker(tmp_path: Path) -> None:
    write_record(tmp_path, "a", processor="AMD EPYC", target="znver3", rate=1000)
    write_record(tmp_path, "b", processor="AMD EPYC", target="znver5", rate=2000)
    write_record(tmp_path, "c", processor="Intel Xeon", target="sapphirerapids", rate=3000)

    def recorded_rate(processor: str, target: str | None) -> float | None:
        found = find_recorded_figures({"processor": processor, "llvm_target": target}, tmp_path)
        return found.figure("games") if found else None

    assert recorded_rate("AMD EPYC", "znver5") == 2000
    assert recorded_rate("AMD EPYC", "znver4") == 1000
    assert recorded_rate("Intel Core", None) == 3000
    assert recorded_rate("riscv64", "sifive-x280") is None


def test_slow_rates_and_long_times_are_far_worse(tmp_path: Path) -> None:
    write_record(tmp_path, "a", processor="AMD EPYC", target="znver4", rate=1000)
    recorded = find_recorded_figures({"processor": "AMD EPYC", "llvm_target": "znver4"}, tmp_path)
    assert recorded

    def far_worse(name: str, value: float | None, unit: str) -> list[float]:
        return [figure for _, figure in iter_far_worse([Measurement(name, value, unit)], recorded)]

    assert far_worse("games", 590, "games/s") == [1000]
    assert far_worse("games", 610, "games/s") == []
    assert far_worse("help", 0.51, "s") == [0.3]
    assert far_worse("help", 0.1, "s") == []
    assert far_worse("help", None, "not here") == []
    assert far_worse("something new", 1, "s") == []


def test_the_shipped_figures_can_be_read() -> None:
    makers = {path.stem for path in FIGURES_FOLDER.glob("*.json")}
    assert makers
    recorded = find_recorded_figures(
        {**machine_stamp(), "processor": "Intel(R) Xeon(R)", "llvm_target": None}
    )
    assert recorded
    assert (recorded.figure("bloxx-4p greedy, kernel") or 0) > 1000
