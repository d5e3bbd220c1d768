"""Measure how long the dashboard takes to start: until the server answers, and until its first page is computed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Final

from pipelines.service.server import find_dashboard_folder, find_dashboard_script, start_dashboard

if TYPE_CHECKING:
    from pathlib import Path

FIRST_PAGE_SCRIPT: Final = """
import sys, time
from streamlit.testing.v1 import AppTest
page = AppTest.from_file(sys.argv[1], default_timeout=60)
started = time.monotonic()
page.run()
seconds = time.monotonic() - started
sys.exit(str(page.exception[0].value)) if page.exception else print(seconds)
"""
"""Runs the first page once and prints the seconds, the loading of all modules of the dashboard included."""


def answer_seconds(data: Path) -> float:
    """Return the seconds from the start of the server until it answers."""
    started = time.monotonic()
    with start_dashboard(data, None, quiet=True):
        return time.monotonic() - started


def page_seconds(data: Path) -> float:
    """Return the seconds that the first page takes in a process that has loaded Streamlit and no module of Reroll."""
    process = subprocess.run(  # noqa: S603 - a constant script
        [sys.executable, "-c", FIRST_PAGE_SCRIPT, str(find_dashboard_script())],
        env={**os.environ, "REROLL_DATA": str(data)},
        cwd=find_dashboard_folder(),
        check=True,
        capture_output=True,
        text=True,
    )
    return float(process.stdout.split()[-1])
