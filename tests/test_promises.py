"""The tests that docs/promises.md names exist."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[1]
PROMISE_ROWS: Final = [
    line
    for line in (ROOT / "docs" / "promises.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and "`tests/" in line
]


def test_the_page_lists_promises() -> None:
    assert len(PROMISE_ROWS) > 30


@pytest.mark.parametrize("row", PROMISE_ROWS, ids=lambda row: row.split("|")[1].strip())
def test_the_tests_of_a_promise_exist(row: str) -> None:
    """A row names a file, and perhaps some of its tests; `test_a_kill_*` stands for all tests that begin so."""
    (file,) = re.findall(r"`(tests/[\w/]+\.py)`", row)
    source = (ROOT / file).read_text(encoding="utf-8")
    names = re.findall(r"`(test_\w+)(\*?)`", row) or [("test_", "*")]
    for name, star in names:
        end = r"\w*" if star else ""
        assert re.search(rf"^\s*def {name}{end}\(", source, re.MULTILINE), name
