"""The questions of comparisons: addresses, commands and what only a library can check."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import typer.main
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.cli import app
from pipelines.design.comparison import design_comparison
from pipelines.design.metrics import METRICS
from pipelines.questions.address import write_address
from pipelines.questions.comparison.answer import answer_comparison
from pipelines.questions.comparison.question import (
    KnownComparisonQuestion,
    NewComparisonQuestion,
    resolve_new_comparison,
)
from pipelines.questions.every_question import read_question
from pipelines.runs.library import Library
from pipelines.simulate.simulate import simulate_run
from pipelines.studies.sections import describe_address
from pipelines.studies.sources import StudySource

if TYPE_CHECKING:
    from pathlib import Path

    from engine.catalogue import Catalogue

names = st.text(st.characters(categories=("L", "N")), min_size=1, max_size=8)
drawer_states = st.sampled_from(["", "true", "false"])
new_questions = st.builds(
    NewComparisonQuestion,
    ruleset=names,
    lineup=st.lists(names, min_size=1, max_size=6).map(tuple),
    metric=st.sampled_from(list(METRICS)),
    blocks=st.integers(10, 1_000_000),
    until_decided=st.booleans(),
    seed=st.just("") | st.integers(0, 2**64 - 1).map(str),
    perfect_play=drawer_states,
    calibration=drawer_states,
)
known_questions = st.builds(
    KnownComparisonQuestion,
    run=names,
    pair=st.none() | st.integers(0, 300),
    metric=st.sampled_from([None, *METRICS]),
    statistics=drawer_states,
)


def parse_command(command: str) -> dict[str, object]:
    """Return the parameters with which the command line runs a command."""
    words = shlex.split(command)
    found = typer.main.get_command(app).commands[words[1]]  # type: ignore[attr-defined]
    values: dict[str, object] = found.make_context(words[1], words[2:]).params
    return values


@settings(deadline=None, max_examples=40)
@given(new_questions)
def test_a_new_comparison_reads_back_from_its_address_and_its_command(
    question: NewComparisonQuestion,
) -> None:
    assert read_question("strategies", write_address(question)) == (question, ())
    values = parse_command(question.command)
    assert (values["ruleset"], values["strategies"]) == (question.ruleset, list(question.lineup))
    assert (values["metric"], values["until_decided"]) == (question.metric, question.until_decided)
    assert values["blocks"] == question.played_blocks
    assert values["seed"] == (int(question.seed) if question.seed else None)


@settings(deadline=None, max_examples=40)
@given(known_questions)
def test_a_known_comparison_reads_back_from_its_address_and_its_command(
    question: KnownComparisonQuestion,
) -> None:
    assert read_question("strategies", write_address(question)) == (question, ())
    values = parse_command(question.command)
    assert (values["run"], values["metric"]) == (question.run, question.metric)


def test_what_does_not_exist_is_said_and_strategies_stay_to_be_corrected(catalogue: Catalogue) -> None:
    query = {"ruleset": ["nope"], "lineup": ["greedy", "gready"], "metric": ["luck"], "seed": ["many"]}
    question, unread = read_question("strategies", {**query, "blokcs": ["3"]})
    assert unread == ("The address has a field blokcs that means nothing here.", "There is no measure luck.")
    assert isinstance(question, NewComparisonQuestion)
    asked, problems = resolve_new_comparison(question, catalogue.rulesets, lambda _: ["random"])
    assert asked.lineup == ("greedy", "gready")
    assert catalogue.rulesets[asked.ruleset].players > 1
    assert problems[0] == "There is no ruleset nope."
    assert "gready" in problems[1]
    assert problems[2].startswith("The seed must be a whole number")
    asked, problems = resolve_new_comparison(NewComparisonQuestion(), catalogue.rulesets, lambda _: "abc")
    assert (asked.lineup, problems) == (("a", "b"), ())


def test_an_answer_names_its_basis_and_what_the_question_names_in_vain(
    catalogue: Catalogue, tmp_path: Path
) -> None:
    library = Library(tmp_path)
    planned = design_comparison(catalogue.find_ruleset("bloxx-2p"), ["greedy", "random"], blocks=20, seed=3)
    run = simulate_run(planned, library.runs_folder / "duel.duckdb", workers=1)
    question = KnownComparisonQuestion(run="duel", pair=9, metric="win")
    answer = answer_comparison(question, run)
    (difference,) = answer.differences
    assert (difference.n, difference.unit, difference.has_interval) == (20, "block", True)
    assert (answer.basis.games, answer.basis.blocks, answer.basis.runs) == (40, 20, ("duel",))
    assert answer.problems == ("There is no pair 9 in this comparison.",)
    assert answer.pair_number == 0
    address = {key: list(texts) for key, texts in write_address(question).items()}
    section = describe_address(StudySource(library), "strategies", address)
    assert answer.problems[0] in section.warning
