"""The sheets of the effect of a rule, which keep their parts while they grow, and of rulesets side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from pipelines.experiments import rule_effect
from pipelines.questions.rule_effect import RuleEffectAnswer, RuleEffectQuestion, iter_rule_effect_answers
from pipelines.questions.rules import RulesQuestion, answer_rules
from pipelines.questions.source import QuestionSource
from pipelines.report.charts import Histogram, Intervals
from pipelines.report.compose import compose
from pipelines.report.sheet import Passage
from pipelines.simulate.shards import timed_steps
from pipelines.viewer.palette import assign_strategy_looks
from tests.pipelines.report.sheet_readers import check_growth

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from engine.catalogue import Catalogue
    from pipelines.viewer.palette import SeriesLook


def find_looks(strategies: Iterable[str]) -> Mapping[str, SeriesLook]:
    return assign_strategy_looks(more=tuple(strategies))


def test_the_effect_of_a_rule_keeps_its_parts_while_it_grows(
    catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rule_effect, "timed_steps", lambda total: timed_steps(total, first=6, growth=1))
    question = RuleEffectQuestion(
        ruleset="bloxx-2p", against="bloxx-touch-2p", lineup="greedy,random", blocks=24
    )
    answers = list(iter_rule_effect_answers(question, catalogue))
    sheets = [compose(answer, find_looks) for answer in answers]
    check_growth(sheets)
    assert "If you stop earlier" in sheets[0].basis
    assert "If you stop earlier" not in sheets[-1].basis
    assert isinstance(answers[-1], RuleEffectAnswer)
    effect, (scores,) = answers[-1].effect, sheets[-1].list_contents(Histogram)
    assert [(one.panel, one.scores.n) for one in scores.series] == [
        (strategy, 48) for strategy in ("greedy", "random") for _ in (effect.a, effect.b)
    ]
    assert [one.scores.mean for one in scores.series] == pytest.approx(
        [
            float(np.mean(results.strategy_scores(strategy)))
            for strategy in ("greedy", "random")
            for results in (effect.a, effect.b)
        ]
    )
    (changes,) = sheets[-1].list_contents(Intervals)
    assert changes.title == "The score of greedy does not clearly change under BLOXX! (shapes may hang)"


def test_equal_players_have_no_order_and_the_sheet_says_what_would_have_one(catalogue: Catalogue) -> None:
    question = RuleEffectQuestion(
        ruleset="bloxx-2p", against="bloxx-touch-2p", lineup="greedy,greedy", blocks=10
    )
    *_, answer = iter_rule_effect_answers(question, catalogue)
    *_, order = compose(answer, find_looks).list_contents(Passage)
    assert "choose two different strategies" in order.lines[0][1]


@pytest.fixture
def rules_source(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> QuestionSource:
    monkeypatch.setenv("REROLL_DATA", str(tmp_path))
    return QuestionSource()


def test_rulesets_side_by_side_are_those_of_the_address_or_of_as_many_players(
    rules_source: QuestionSource,
) -> None:
    named = RulesQuestion(ruleset="bloxx-2p", part="side-by-side", beside=("bloxx-3p", "nope"))
    answer = answer_rules(named, rules_source)
    assert [one.name for one in answer.beside] == ["bloxx-3p"]
    assert compose(answer, find_looks).warnings == ("There is no ruleset nope of the game of bloxx-2p.",)
    others = answer_rules(named.model_copy(update={"beside": ()}), rules_source)
    assert {one.players for one in others.rulesets} == {2}
    assert others.beside
    sheet = compose(others, find_looks)
    assert [part.key for part in sheet.parts][:3] == ["differences", "settings", "common"]
    assert all(len(set(row[1:])) > 1 for row in sheet.tables[0].rows)
    assert "title" not in {row[0] for table in sheet.tables for row in table.rows}  # it heads the column
    assert all(part.content.rows for part in sheet.parts if part.kind == "table")  # type: ignore[union-attr]
