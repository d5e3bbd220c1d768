"""docs/statistics.md explains the words that reports use, and no others."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pipelines.design.designs import design_comparison
from pipelines.questions.comparison import KnownComparisonQuestion
from pipelines.questions.every_question import answer_question
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.questions.source import QuestionSource
from pipelines.report.compose import compose
from pipelines.report.estimates import format_interval
from pipelines.report.show.terminal import write_sheet_lines
from pipelines.runs.library import Library
from pipelines.simulate.simulate import simulate_run
from pipelines.statistics import Interval

if TYPE_CHECKING:
    from engine.ruleset import Ruleset

STATISTICS = Path(__file__).parents[3] / "docs" / "statistics.md"


@pytest.mark.slow
def test_the_words_that_the_page_explains_stand_in_reports(tmp_path: Path, ruleset: Ruleset) -> None:
    library = Library(tmp_path)
    for name, lineup in (("duel", ["planner", "random"]), ("field", ["planner", "greedy", "random"])):
        design = design_comparison(ruleset, lineup, blocks=20, seed=3)
        simulate_run(design, tmp_path / "runs" / f"{name}.duckdb", workers=1)
    source, words = QuestionSource(library), list[str]([format_interval(Interval(2, 2, 2))])
    for question in (
        KnownComparisonQuestion(run="duel"),
        KnownComparisonQuestion(run="field"),
        ScoresQuestion(runs=("duel",), shape="Cumulative"),
    ):
        words += write_sheet_lines(compose(answer_question(question, source), source.find_looks), 4000)
    said = " ".join(words).casefold()
    rows = re.findall(r"^\| \*\*(.+?)\*\*", STATISTICS.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(rows) > 8
    assert [row for row in rows if row.casefold() not in said] == []
