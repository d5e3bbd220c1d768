"""`run.review_all()` reviews all games and says where points are lost."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from pipelines.notebook import api as notebook

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.runs.run import Run


@pytest.mark.slow
def test_all_games_are_reviewed_in_a_notebook(small_run: Run, tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    shutil.copyfile(small_run.path, tmp_path / "runs" / "made.duckdb")
    library = notebook.Library(tmp_path)
    assert 'library["made"].review_all()' in repr(library["made"].decisions())
    answer = library["made"].review_all(effort=0.1)
    assert "20 games" in repr(answer)
    assert "points lost a game" in repr(answer)
    assert len(answer.pandas()) >= 3
    by_player = library["made"].decisions("luck", by="player")
    assert "Points of luck a game, by player" in repr(by_player)
    assert library.pandas("ledgers").groupby("game_id").size().tolist() == [2] * 20
