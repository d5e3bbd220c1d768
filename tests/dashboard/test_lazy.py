"""Whoever opens a page waits for no library that it does without."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pipelines.library import Library

APP = Path(__file__).parents[2] / "dashboard" / "app.py"
OPENED = f"""
import sys
from streamlit.testing.v1 import AppTest
page = AppTest.from_file({str(APP)!r}, default_timeout=60)
if sys.argv[1]:
    page.switch_page(f"views/{{sys.argv[1]}}.py")
page.run()
assert not page.exception, page.exception
print(*sorted({{"pandas", "numba", "scipy", "pyarrow", "streamlit.emojis"}} & sys.modules.keys()))
"""


@pytest.mark.parametrize("page", ["", "replay"])
def test_a_page_that_is_opened_first_loads_little(library: Library, page: str) -> None:
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", OPENED, page],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "REROLL_DATA": str(library.folder)},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "\n"
