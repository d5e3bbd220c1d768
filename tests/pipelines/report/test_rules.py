"""The sheets of rulesets side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipelines.questions.rules import RulesQuestion, answer_rules
from pipelines.questions.source import QuestionSource
from pipelines.report.charts import Scales
from pipelines.report.compose import compose
from pipelines.report.show.html import draw_scales
from pipelines.viewer.palette import assign_strategy_looks

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from pipelines.viewer.palette import SeriesLook


def find_looks(strategies: Iterable[str]) -> Mapping[str, SeriesLook]:
    return assign_strategy_looks(more=tuple(strategies))


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
    assert [part.key for part in sheet.parts][:4] == ["kinds", "differences", "settings", "common"]
    assert "differences" in [part.key for part in sheet.list_parts("main")]
    assert all(part.role == "details" for part in sheet.parts if part.key in {"settings", "common"})
    assert sheet.title == "Rules side by side: BLOXX! and 3 others"
    assert all(len(set(row[1:])) > 1 for row in sheet.tables[0].rows)
    assert "title" not in {row[0] for table in sheet.tables for row in table.rows}  # it heads the column
    assert all(part.content.rows for part in sheet.parts if part.kind == "table")  # type: ignore[union-attr]


def test_rulesets_side_by_side_begin_with_what_changes_and_have_all_main_measures(
    rules_source: QuestionSource,
) -> None:
    question = RulesQuestion(ruleset="spexxx-2p", part="side-by-side")
    sheet = compose(answer_rules(question, rules_source), find_looks)
    assert sheet.verdict.startswith("greedy players take 23 rounds a game, 12 under Spexxx for children")
    assert [part.key for part in sheet.list_parts("main", "beside")] == ["kinds", "differences"]
    (kinds,) = [part.content for part in sheet.parts if part.key == "kinds"]
    assert isinstance(kinds, Scales)
    assert {"Edge of a seat, player 1", "Winner known after"} <= {group[0].title for group in kinds.groups}


def test_rulesets_side_by_side_have_a_mark_each_on_the_scales_of_a_card(rules_source: QuestionSource) -> None:
    question = RulesQuestion(ruleset="spexxx-2p", part="side-by-side", beside=("spexxx-children-2p",))
    (scales,) = compose(answer_rules(question, rules_source), find_looks).list_contents(Scales)
    rounds = next(group for group in scales.groups if group[0].title == "Rounds of a game")
    assert [row.name for row in rounds] == ["Spexxx", "Spexxx for children"]
    assert len({row.ends for row in rounds}) == 1  # one scale
    places = [row.place for row in rounds]
    assert places[0] is not None
    assert places[1] is not None
    assert places[1].estimate == pytest.approx(places[0].estimate * 11.9 / 23, rel=0.05)
    assert {row.mark and row.mark.at for row in rounds} == {places[0].estimate}
    assert "▼" in rounds[1].text
    assert draw_scales(scales).count("Spexxx for children</span>") == len(scales.groups)
