"""Blocks that repeat one block count once: in games without chance, between players who draw nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipelines.design.designs import design_comparison, design_simulation
from pipelines.design.own_strategies import OwnStrategies
from pipelines.experiments.comparison import compare_strategies
from pipelines.experiments.many_games import select_logged_games
from pipelines.questions.comparison import KnownComparisonQuestion, answer_comparison
from pipelines.questions.scores.answer import answer_scores
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.questions.source import QuestionSource
from pipelines.report.compose import compose
from pipelines.simulate.simulate import simulate_run
from reroll import Library

if TYPE_CHECKING:
    from pipelines.runs.run import Run

STRATEGIES = '''
def last(state, source):
    """The last legal move."""
    return state.actions[-1]


def middle(state, source):
    """The move in the middle of the list."""
    return state.actions[len(state.actions) // 2]
'''
pytestmark = pytest.mark.slow  # own strategies play by the plain rules
BLOCKS = 12


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """Runs between two players who draw nothing, in a game without dice and in one with dice."""
    folder = tmp_path_factory.mktemp("copies")
    code = folder / "mine.py"
    code.write_text(STRATEGIES, encoding="utf-8")
    library = Library(folder)
    lineup = ["last", "middle"]
    own = OwnStrategies.from_names([code], lineup)
    for name, ruleset in (("copies", "blokus-duo"), ("dice", "bloxx-2p")):
        rules = library.catalogue.rulesets[ruleset]
        design = design_simulation(rules, lineup, blocks=BLOCKS, seed=3, own_strategies=own)
        simulate_run(design, folder / "runs" / f"{name}.duckdb", workers=1)
    rules = library.catalogue.rulesets["blokus-duo"]
    for name, opening in (("compared", 0), ("opened", 2)):
        contest = design_comparison(rules, lineup, blocks=BLOCKS, seed=3, opening=opening, own_strategies=own)
        simulate_run(contest, folder / "runs" / f"{name}.duckdb", workers=1)
    return library


def ask_scores(library: Library, run: Run, view: str) -> str:
    source = QuestionSource(library)
    sheet = compose(answer_scores(ScoresQuestion(runs=(run.name,), view=view), source), source.find_looks)
    return " ".join([sheet.verdict, *sheet.consequences, sheet.basis])


def test_only_blocks_without_any_luck_are_copies(library: Library) -> None:
    assert {run.name: run.repeats_one_block for run in library.runs()} == {
        "copies": True, "dice": False, "compared": True, "opened": False,
    }  # fmt: skip


@pytest.mark.parametrize("view", ["Scores", "Parts", "Course", "Players"])
def test_scores_count_copies_once(library: Library, view: str) -> None:
    copies, dice = (ask_scores(library, library[name], view) for name in ("copies", "dice"))
    assert f"All {BLOCKS} blocks of copies are the same games" in copies
    assert "Players who vary, such as noisy, would play different games." in copies
    assert "all equal" not in copies
    assert "95 %" not in copies
    assert "the same games" not in dice
    assert "95 %" in dice


def test_a_comparison_counts_copies_once(library: Library) -> None:
    copied = compare_strategies(library["compared"])
    assert (copied.blocks, copied.copies, copied.pairs[0].difference) == (1, BLOCKS, None)
    assert not copied.pairs[0].parts
    source = QuestionSource(library)
    sheet = compose(answer_comparison(KnownComparisonQuestion(run="compared"), source), source.find_looks)
    assert sheet.verdict.startswith(f"All {BLOCKS} blocks are the same games")
    opened = compare_strategies(library["opened"])
    assert (opened.blocks, opened.copies) == (BLOCKS, 0)


def test_a_question_about_many_games_takes_one_of_several_copies(library: Library) -> None:
    assert select_logged_games(library["copies"], "all", 10) == [0, 1]
    assert len(select_logged_games(library["dice"], "all", 10)) == 10
