"""Figures of earlier benchmarks, one file for each kind of processor, and what is far below them today."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pipelines.measure.bench import Measurement

FIGURES_FOLDER: Final = Path(__file__).parents[2] / "benchmarks" / "figures"
"""A checkout of the project has it; an installed package has not."""
LARGER_IS_BETTER: Final = {"games/s", "playouts/s", "x"}
"""Units of rates. Of all other figures the smaller is better."""
FAR_WORSE: Final = 0.6
"""A rate is far below the recorded one if it is less than this share of it; a time, if it is as many times longer."""


@dataclass(frozen=True)
class RecordedFigures:
    """The figures that were measured on a processor of this kind."""

    processor: str
    when: str
    figures: Mapping[str, float]
    """The value of each measurement by its name."""


def find_recorded_figures(
    machine: Mapping[str, str | int | None], folder: Path = FIGURES_FOLDER
) -> RecordedFigures | None:
    """Return the figures of a processor with the same LLVM target, else of one of the same maker, else None."""
    records = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))]
    target, maker = machine["llvm_target"], _maker(machine["processor"])
    same_target = [record for record in records if target and record["machine"].get("llvm_target") == target]
    same_maker = [record for record in records if maker and _maker(record["machine"]["processor"]) == maker]
    for record in (*same_target, *same_maker):
        figures = {line["name"]: line["value"] for line in record["lines"] if line["value"] is not None}
        return RecordedFigures(record["machine"]["processor"], record["machine"]["when"][:10], figures)
    return None


def iter_far_worse(
    measurements: Iterable[Measurement], recorded: RecordedFigures
) -> Iterator[tuple[Measurement, float]]:
    """Yield the measurements that are far worse than the recorded figure, with that figure."""
    for measurement in measurements:
        figure = recorded.figures.get(measurement.name)
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
