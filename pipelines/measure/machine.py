"""The machine on which something was measured: a benchmark and a ladder note it beside their figures."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from pathlib import Path

from engine.kernels.code_cache import target_processor
from engine.kernels.loader import can_compile_games


def machine_stamp() -> dict[str, str | int | None]:
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
