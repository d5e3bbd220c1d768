"""A data folder that may not be read, or does not exist, is not an empty library."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from dashboard.widgets.markdown import escape_markdown

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest
    from streamlit.testing.v1 import AppTest


def test_a_page_says_that_the_folder_may_not_be_read(
    open_dashboard_page: Callable[..., AppTest], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "runs").mkdir()
    list_folder = os.listdir

    def list_others(path: object) -> list[str]:
        if path == tmp_path / "runs":
            raise PermissionError(13, "Permission denied")
        return list_folder(str(path))

    monkeypatch.setattr(os, "listdir", list_others)
    page = open_dashboard_page("scores.py", tmp_path)
    assert [error.value for error in page.error] == [
        escape_markdown(f"This cannot be shown: {tmp_path / 'runs'}: Permission denied")
    ]
    assert not page.info


def test_a_page_says_that_the_folder_does_not_exist(
    open_dashboard_page: Callable[..., AppTest], tmp_path: Path
) -> None:
    page = open_dashboard_page("scores.py", tmp_path / "gone")
    assert f"{escape_markdown(str(tmp_path / 'gone'))} does not exist yet" in page.info[0].value
