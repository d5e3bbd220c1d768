"""A benchmark says where this machine is far slower than others of its kind."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pipelines.records.figures import FIGURES_FOLDER, Measurement, find_recorded_figures, iter_far_worse
from pipelines.records.record_file import machine_stamp

if TYPE_CHECKING:
    from pathlib import Path


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
