"""Files of records: how everything that was measured for Reroll is stored as JSON.

A checkout has the files in `benchmarks`; an installed package has copies of those that its pages show, beside this module.
The scripts in `benchmarks` write them.
"""

from __future__ import annotations

import json
import os
import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, PlainSerializer

from engine.kernels.code_cache import target_processor
from engine.kernels.loader import can_compile_games
from pipelines.statistics import Interval

if TYPE_CHECKING:
    from collections.abc import Callable

BENCHMARKS_FOLDER: Final = Path(__file__).parents[2] / "benchmarks"

Machine: TypeAlias = dict[str, str | int | None]
"""What `machine_stamp` returns."""
RecordedInterval: TypeAlias = Annotated[Interval, PlainSerializer(lambda interval: interval._asdict())]
"""An interval with the names of its numbers."""


class Record(BaseModel):
    """Something that was measured, or a file of it; a file has a default for everything that it contains."""

    model_config = ConfigDict(frozen=True, extra="forbid")


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


def write_record_file(
    path: Path, record: FileType, format_page: Callable[[FileType], str] | None = None
) -> None:
    """Write a file of records, and beside it the same figures as a page in Markdown."""
    path.write_text(format_record_file(record), encoding="utf-8")
    if format_page:
        path.with_suffix(".md").write_text(format_page(record), encoding="utf-8")


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
