"""Figures of earlier benchmarks, one file for each kind of processor, and what is far below them today."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pydantic import Field

from pipelines.records.record_file import BENCHMARKS_FOLDER, Machine, Record, read_record_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

FIGURES_FOLDER: Final = BENCHMARKS_FOLDER / "figures"
"""A checkout of the project has it; an installed package has not."""
LARGER_IS_BETTER: Final = {"games/s", "playouts/s", "x"}
"""Units of rates. Of all other figures the smaller is better."""
FAR_WORSE: Final = 0.6
"""A rate is far below the recorded one if it is less than this share of it; a time, if it is as many times longer."""


@dataclass(frozen=True)
class Measurement:
    """One figure of a benchmark."""

    name: str
    value: float | None
    """None if it cannot be measured on this machine."""
    unit: str
    """The unit of the value; the reason if the value is None."""


class FiguresFile(Record):
    """The figures that were measured on one machine."""

    machine: Machine = Field(default_factory=dict)
    quick: bool = False
    lines: tuple[Measurement, ...] = ()

    @property
    def processor(self) -> str:
        return str(self.machine.get("processor"))

    @property
    def date(self) -> str:
        """The day of the measurement."""
        return str(self.machine.get("when"))[:10]

    def figure(self, name: str) -> float | None:
        """Return the value of a measurement, or None."""
        return next((line.value for line in self.lines if line.name == name), None)


def find_recorded_figures(
    machine: Mapping[str, str | int | None], folder: Path = FIGURES_FOLDER
) -> FiguresFile | None:
    """Return the figures of a processor with the same LLVM target, else of one of the same maker, else None."""
    files = [read_record_file(path, FiguresFile) for path in sorted(folder.glob("*.json"))]
    target, maker = machine["llvm_target"], _maker(machine["processor"])
    same_target = [file for file in files if target and file.machine.get("llvm_target") == target]
    same_maker = [file for file in files if maker and _maker(file.processor) == maker]
    return next(iter((*same_target, *same_maker)), None)


def iter_far_worse(
    measurements: Iterable[Measurement], recorded: FiguresFile
) -> Iterator[tuple[Measurement, float]]:
    """Yield the measurements that are far worse than the recorded figure, with that figure."""
    for measurement in measurements:
        figure = recorded.figure(measurement.name)
        if figure is None or measurement.value is None or figure <= 0 or measurement.value <= 0:
            continue
        ratio = measurement.value / figure
        if (ratio if measurement.unit in LARGER_IS_BETTER else 1 / ratio) < FAR_WORSE:
            yield measurement, figure


def _maker(processor: object) -> str | None:
    """Return the maker of a processor by its model name.

    >>> _maker("AMD EPYC"), _maker("Intel(R) Xeon(R) Processor"), _maker("riscv64")
    ('AMD', 'Intel', None)
    """
    return next((maker for maker in ("AMD", "Intel", "Apple") if maker in str(processor)), None)
