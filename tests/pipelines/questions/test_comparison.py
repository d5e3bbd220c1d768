"""The questions of comparisons: addresses, commands and what only a library can check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.design.designs import design_comparison
from pipelines.questions.address import write_address
from pipelines.questions.comparison import (
    KnownComparisonQuestion,
    NewComparisonQuestion,
    answer_comparison,
    resolve_new_comparison,
)
from pipelines.questions.every_question import read_question
from pipelines.questions.source import QuestionSource
from pipelines.runs.library import Library
from pipelines.simulate.simulate import simulate_run
from pipelines.studies.study import StudySource, compose_address

if TYPE_CHECKING:
    from pathlib import Path

    from engine.catalogue import Catalogue


def test_what_does_not_exist_is_said_and_strategies_stay_to_be_corrected(catalogue: Catalogue) -> None:
    query = {"ruleset": ["nope"], "strategies": ["greedy", "gready"], "metric": ["luck"], "seed": ["many"]}
    question, unread = read_question("strategies", {**query, "blokcs": ["3"]})
    assert unread == (
        "The address has a field blokcs that means nothing here; did you mean blocks?",
        "There is no measure luck; expected score or margin or win.",
    )
    assert isinstance(question, NewComparisonQuestion)
    asked, problems = resolve_new_comparison(question, catalogue.rulesets, lambda _: ["random"])
    assert asked.strategies == ("greedy", "gready")
    assert catalogue.rulesets[asked.ruleset].players > 1
    assert problems[0] == "There is no ruleset nope."
    assert "gready" in problems[1]
    assert problems[2].startswith("The seed must be a whole number")
    asked, problems = resolve_new_comparison(NewComparisonQuestion(), catalogue.rulesets, lambda _: "abc")
    assert (asked.strategies, problems) == (("a", "b"), ())


def test_an_answer_names_its_basis_and_what_the_question_names_in_vain(
    catalogue: Catalogue, tmp_path: Path
) -> None:
    library = Library(tmp_path)
    planned = design_comparison(catalogue.find_ruleset("bloxx-2p"), ["greedy", "random"], blocks=20, seed=3)
    simulate_run(planned, library.runs_folder / "duel.duckdb", workers=1)
    question = KnownComparisonQuestion(run="duel", pair=9, metric="win")
    answer = answer_comparison(question, QuestionSource(library))
    (difference,) = answer.differences
    assert (difference.n, difference.unit, difference.has_interval) == (20, "block", True)
    assert (answer.basis.games, answer.basis.blocks, answer.basis.runs) == (40, 20, ("duel",))
    assert answer.problems == ("There is no pair 9 in this comparison.",)
    assert answer.pair_number == 0
    address = {key: list(texts) for key, texts in write_address(question).items()}
    sheet = compose_address(StudySource(library), "strategies", address)
    assert answer.problems[0] in sheet.warnings
