"""Fixtures of the tests of notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipelines.notebook.played import Run

if TYPE_CHECKING:
    from pipelines.runs import run as stored_run


@pytest.fixture
def run(small_run: stored_run.Run) -> Run:
    """The run of 20 games as a person in Jupyter gets it."""
    return Run(small_run.path)
