"""Files of records: how everything that was measured for Reroll is stored as JSON.

A checkout has the files in `benchmarks`; an installed package has copies of those that its pages show, beside this module.
The scripts in `benchmarks` write them.

Figures of earlier benchmarks, one file for each kind of processor, are compared with those of today.
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final, TypeAlias, TypeVar

from pydantic import BaseModel, Field, PlainSerializer

from engine.kernels.code_cache import target_processor
from engine.kernels.loader import can_compile_games
from pipelines.statistics import Interval

BENCHMARKS_FOLDER: Final = Path(__file__).parents[2] / "benchmarks"

Machine: TypeAlias = dict[str, str | int | None]
"""What `machine_stamp` returns."""
RecordedInterval: TypeAlias = Annotated[Interval, PlainSerializer(lambda interval: interval._asdict())]
"""An interval with the names of its numbers."""


class Record(BaseModel, frozen=True, extra="forbid"):
    """Something that was measured, or a file of it; a file has a default for everything that it contains."""


FileType = TypeVar("FileType", bound=Record)


def find_record_file(name: str) -> Path:
    """Return the path of a file of records that belongs to Reroll."""
    packaged = Path(__file__).with_name(name)
    return packaged if packaged.is_file() else BENCHMARKS_FOLDER / name


def read_record_file(path: Path, make_file: type[FileType]) -> FileType:
    """Return the contents of a file; the defaults if there is no such file or it is of another version."""
    try:
        return make_file.model_validate_json(path.read_bytes())
    except (OSError, ValueError):  # ValidationError is a ValueError
        return make_file()


def format_record_file(record: Record) -> str:
    """Return the text of a file of records."""
    return json.dumps(record.model_dump(), indent=1) + "\n"


def machine_stamp() -> Machine:
    """Return the time, the processor, LLVM's name of it, its cores, the operating system and the version of Python."""
    return {
        "when": datetime.now(tz=UTC).isoformat(timespec="seconds"),
        "processor": processor_name(),
        "llvm_target": target_processor() if can_compile_games() else None,
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
    }


def processor_name() -> str:
    """Return the model name of this machine's processor."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        text = ""
    models = [line.partition(":")[2].strip() for line in text.splitlines() if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()


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
