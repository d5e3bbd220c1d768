"""Fixtures of the tests of commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.runs.library import Run


@pytest.fixture
def library_folder(small_run: Run, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder of the library with the run `made`."""
    folder = small_run.path.parent.parent
    monkeypatch.setenv("REROLL_DATA", str(folder))
    return folder
