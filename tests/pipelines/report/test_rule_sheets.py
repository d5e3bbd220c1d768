"""The sheets of cards and of the effect of a rule: they keep their parts while they grow, and every renderer draws the scales."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from pipelines.experiments import rule_effect
from pipelines.questions.card import answer as card_answer
from pipelines.questions.card.answer import iter_card_answers
from pipelines.questions.card.question import CardQuestion
from pipelines.questions.rule_effect.answer import iter_rule_effect_answers
from pipelines.questions.rule_effect.question import RuleEffectQuestion, RulesQuestion
from pipelines.questions.rule_effect.rules import answer_rules
from pipelines.questions.source import QuestionSource
from pipelines.report.charts import Histogram, Intervals
from pipelines.report.charts.scales import Scales
from pipelines.report.compose import compose
from pipelines.report.show.html import write_sheet_html
from pipelines.report.show.json import sheet_document
from pipelines.report.show.terminal import write_sheet_lines
from pipelines.simulate.shards import timed_steps
from pipelines.viewer.strategy_looks import assign_strategy_looks

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from engine.catalogue import Catalogue
    from pipelines.report.sheet import Sheet
    from pipelines.viewer.palette import SeriesLook


def find_looks(strategies: Iterable[str]) -> Mapping[str, SeriesLook]:
    return assign_strategy_looks(more=tuple(strategies))


def check_growth(sheets: list[Sheet]) -> None:
    """Check that the parts of a sheet stay the same, and that only the last one is not said to be so far."""
    assert len(sheets) > 2
    assert len({tuple((part.key, part.role) for part in sheet.parts) for sheet in sheets}) == 1
    assert [sheet.verdict.startswith("so far, ") for sheet in sheets] == [True] * (len(sheets) - 1) + [False]
    assert [sheet.fields["is_finished"] for sheet in sheets] == [False] * (len(sheets) - 1) + [True]
    blocks = [sheet.fields["blocks"] for sheet in sheets]
    assert blocks == sorted(set(blocks))


def test_a_card_keeps_its_parts_while_it_grows(catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(card_answer, "timed_steps", lambda total: timed_steps(total, first=6, growth=1))
    question = CardQuestion(ruleset="bloxx-mini", style="greedy", blocks=24, seed=2)
    answers = iter_card_answers(question, catalogue.rulesets["bloxx-mini"])
    check_growth([compose(answer, find_looks) for answer in answers])


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
    effect, (scores,) = answers[-1].effect, sheets[-1].list_contents(Histogram)
    assert [(one.panel_name, one.scores.n) for one in scores.series] == [
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


@pytest.fixture
def rules_source(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> QuestionSource:
    monkeypatch.setenv("REROLL_DATA", str(tmp_path))
    return QuestionSource()


def test_every_renderer_shows_the_scales_of_a_recorded_card(rules_source: QuestionSource) -> None:
    question = RulesQuestion(ruleset="bloxx-2p", part="card")
    sheet = compose(answer_rules(question, rules_source), find_looks)
    assert sheet.kind == "card"
    (scales,) = sheet.list_contents(Scales)
    html, lines = write_sheet_html(sheet), "\n".join(write_sheet_lines(sheet, 10_000))
    known = 0
    for row in scales.rows:
        assert f"<span>{row.title}</span><span>{row.text}</span>" in html
        assert row.title in lines
        assert row.text in lines
        assert min(row.others)[1] in lines
        assert max(row.others)[1] in lines
        known += row.place is not None
    assert html.count('<circle class="own"') == known > 15
    assert html.count('<line class="other"') == sum(len(row.others) for row in scales.rows)
    assert len(sheet_document(sheet)["measures"]) > len(scales.rows)


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
    assert all(part.content.rows for part in sheet.parts if part.kind == "table")  # type: ignore[union-attr]
