"""How long a person waits for the dashboard: until the server answers, and until its first page has been worked out."""

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
"""The script run of a first visitor, with what it has to load first."""


def answer_seconds(data: Path) -> float:
    """Return the seconds from starting the server until it answers."""
    started = time.monotonic()
    with start_dashboard(data, None, quiet=True):
        return time.monotonic() - started


def page_seconds(data: Path) -> float:
    """Return the seconds that the first page takes in a process that has loaded Streamlit and nothing of ours."""
    told = subprocess.run(  # noqa: S603 - our own script
        [sys.executable, "-c", FIRST_PAGE_SCRIPT, str(find_dashboard_script())],
        env={**os.environ, "REROLL_DATA": str(data)},
        cwd=find_dashboard_folder(),
        check=True,
        capture_output=True,
        text=True,
    )
    return float(told.stdout.split()[-1])
