"""Whoever opens a page waits for no library that it does without, and the server loads what it needs before."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pipelines.runs.library import Library

APP_FILE = Path(__file__).parents[2] / "dashboard" / "app.py"
SERVING_SCRIPT = APP_FILE.with_name("serving.py")
OPEN_PAGE_PROGRAM = f"""
import sys
from streamlit.testing.v1 import AppTest
page = AppTest.from_file({str(APP_FILE)!r}, default_timeout=60)
if sys.argv[1]:
    page.switch_page(f"views/{{sys.argv[1]}}.py")
page.run()
assert not page.exception, page.exception
print(*sorted({{"pandas", "numba", "scipy", "pyarrow", "streamlit.emojis"}} & sys.modules.keys()))
"""


@pytest.mark.parametrize("page", ["", "replay"])
def test_a_page_that_is_opened_first_loads_little(library: Library, page: str) -> None:
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", OPEN_PAGE_PROGRAM, page],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "REROLL_DATA": str(library.folder)},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "\n"


SERVE_PROGRAM = """
import sys, threading, time
from streamlit.web import cli
from dashboard import __main__ as process

def serve():
    print(sys.argv[2:], not {"duckdb", "dashboard.library.tiles"} & sys.modules.keys())
    began.set()
    end = time.monotonic() + 60
    while "engine.games.spexxx" not in sys.modules and time.monotonic() < end:
        time.sleep(0.01)
    print({"duckdb", "dashboard.library.tiles", "engine.games.spexxx"} <= sys.modules.keys(), "pandas" in sys.modules)

began = threading.Event()
process._wait_for_the_server = began.wait
cli.main = serve
sys.argv = ["dashboard", "--server.port=1"]
process.main()
"""


def test_the_server_loads_what_the_first_page_needs_once_it_is_there(library: Library) -> None:
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", SERVE_PROGRAM],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "REROLL_DATA": str(library.folder)},
    )
    assert done.stdout == f"[{str(SERVING_SCRIPT)!r}, '--server.port=1'] True\nTrue False\n", done.stderr
