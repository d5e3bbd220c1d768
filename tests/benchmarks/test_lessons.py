"""The benchmark of lessons: a few lessons are confirmed, and a wrong one is not."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from benchmarks.lessons import LINEUPS, judge_deeper, measure, play_reviewed_run
from pipelines.experiments.lessons import make_lessons
from pipelines.runs.library import Library

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("name", LINEUPS)
def test_lessons_are_confirmed_by_a_deeper_evaluation(name: str, tmp_path: Path) -> None:
    is_confirmed, line = measure(name, games=4, count=4, folder=tmp_path)
    assert is_confirmed, line
    assert line.startswith(f"| {name} | 4 in")


def test_a_lesson_with_its_moves_exchanged_is_not_confirmed(tmp_path: Path) -> None:
    (rated,) = make_lessons(play_reviewed_run(Library(tmp_path), "bloxx-2p", 4), 1)
    decision = rated.lesson.decision
    assert judge_deeper(rated.lesson).low > 0
    exchanged = replace(decision, chosen=decision.best, best=decision.chosen)
    assert judge_deeper(replace(rated.lesson, decision=exchanged)).high < 0
