"""What rules look like that are turned: every sentence says what its numbers say, and no more."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from engine.catalogue import Catalogue
from engine.errors import InvalidError
from pipelines.questions.address import split_address, write_path
from pipelines.questions.every_question import read_question
from pipelines.questions.rule_effect import RuleEffectQuestion, RulesDialAnswer, iter_rule_effect_answers
from pipelines.report.charts import Columns, Intervals, Lines
from pipelines.report.compose import compose
from pipelines.report.show.html import write_sheet_html
from pipelines.viewer.palette import assign_strategy_looks

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pipelines.report.sheet import Sheet
    from pipelines.viewer.palette import SeriesLook

CATALOGUE = Catalogue()


def find_looks(strategies: Iterable[str]) -> Mapping[str, SeriesLook]:
    return assign_strategy_looks(more=tuple(strategies))


def answer(ruleset: str, *vary: str, lineup: str = "", target: str = "", blocks: int = 60) -> RulesDialAnswer:
    question = RuleEffectQuestion(ruleset=ruleset, vary=vary, lineup=lineup, target=target, blocks=blocks)
    *_, last = iter_rule_effect_answers(question, CATALOGUE)
    assert isinstance(last, RulesDialAnswer)
    return last


def ask(ruleset: str, *vary: str, lineup: str = "", target: str = "", blocks: int = 60) -> Sheet:
    return compose(answer(ruleset, *vary, lineup=lineup, target=target, blocks=blocks), find_looks)


def test_an_address_asks_for_a_rule_that_is_turned() -> None:
    path = (
        "/rules?ruleset=bloxx-2p&vary=gap_penalty%3D0..4&strategies=greedy%2Cplanner&target=rounds+15+to+20"
    )
    reading = read_question(*split_address(path))
    assert not reading.problems
    question = reading.question
    assert isinstance(question, RuleEffectQuestion)
    assert write_path(question) == path
    assert question.command == (
        "reroll rule bloxx-2p --vary gap_penalty=0..4 --strategies greedy,planner --target 'rounds 15 to 20'"
    )


def test_where_nobody_reads_a_rule_only_the_count_differs() -> None:
    sheet = ask("bloxx-2p", "gap_penalty=0..3", lineup="random,random")
    assert re.fullmatch(
        r"each point of gap penalty costs random [\d.]+ points \([\d.]+ to [\d.]+\); nobody changed a move: only the count differs",
        sheet.verdict,
    )
    assert not any("changed a move" in sentence for sentence in sheet.consequences)


def test_players_that_do_not_read_a_rule_are_named() -> None:
    sheet = ask("bloxx-2p", "gap_penalty=0..2", lineup="greedy,random", blocks=20)
    blind = [sentence for sentence in sheet.consequences if "does not read" in sentence]
    assert blind == ["random does not read gap penalty: its choices take no account of it"]
    sheet = ask("bloxx-2p", "contact=drop,touch", lineup="greedy,random", blocks=20)
    assert not any("does not read" in sentence for sentence in sheet.consequences)


def test_a_rule_that_changes_nothing_is_said_to_change_nothing() -> None:
    sheet = ask("bloxx-2p", "row_first=4,5", lineup="random,random", blocks=10)
    assert sheet.verdict.startswith(("no game ends differently", "not enough games", "the score of random"))


def test_words_have_a_difference_and_no_slope() -> None:
    sheet = ask("bloxx-2p", "contact=touch,rest", lineup="greedy,random")
    assert sheet.verdict.startswith("with contact rest instead of drop, greedy scores")
    assert "each" not in sheet.verdict
    charts = sheet.list_contents(Columns)
    assert [point.at for point in charts[0].estimates[:3]] == ["drop (now)", "touch", "rest"]
    assert not sheet.list_contents(Lines)


def test_numbers_have_lines_with_the_value_of_the_ruleset_marked() -> None:
    sheet = ask("bloxx-2p", "gap_penalty=0..2", lineup="greedy,planner", target="player 1 wins 45 to 55")
    charts = sheet.list_contents(Lines)
    assert [chart.title for chart in charts] == ["Scores", "Wins", "Length", "The seat of player 1"]
    assert {chart.place_mark for chart in charts} == {(1, "now")}
    assert [chart.shaded for chart in charts] == [None, None, None, (45, 55)]
    assert "chart-shade" in write_sheet_html(sheet)


def test_the_picture_shows_the_number_of_the_target() -> None:
    for target, title, upright in (
        ("player 2 wins 40 to 60", "The seat of player 2", "wins of player 2, of 100 games"),
        ("moves 40 to 60", "Length", "moves of a game"),
    ):
        sheet = ask("bloxx-2p", "gap_penalty=0..2", lineup="greedy,greedy", target=target, blocks=20)
        (chart,) = [chart for chart in sheet.list_contents(Lines) if chart.shaded]
        assert (chart.title, chart.upright, chart.shaded) == (title, upright, (40, 60))


def test_the_target_names_each_value_once() -> None:
    last = answer("bloxx-2p", "contact=touch,rest", lineup="greedy,random", target="greedy wins 95 to 100")
    sheet = compose(last, find_looks)
    (said,) = [sentence for sentence in sheet.consequences if sentence.startswith("the target, greedy wins")]
    judged = re.findall(r"drop|touch|rest", said.partition("games")[2])
    assert sorted(judged) == ["drop", "rest", "touch"]
    assert "surely not at rest" in said
    (values,) = [part.content for part in sheet.parts if part.key == "values"]
    assert values.columns[-1] == "greedy wins 95 to 100"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("easy", "expected words such as"),
        ("player 3 wins 1 to 2", "player 1 to player 2"),
        ("planner scores 1 to 2", "one of greedy, random"),
        ("player 1 scores 1 to 2", "one of greedy, random"),
    ],
)
def test_a_target_that_names_nothing_is_refused(target: str, said: str) -> None:
    with pytest.raises(InvalidError, match=said):
        answer("bloxx-2p", "gap_penalty=0..2", lineup="greedy,random", target=target, blocks=10)


def test_two_rulesets_and_a_rule_that_is_turned_are_not_asked_at_once() -> None:
    question = RuleEffectQuestion(ruleset="bloxx-2p", against="bloxx-touch-2p", vary=("gap_penalty=0..2",))
    with pytest.raises(InvalidError, match="not both"):
        next(iter_rule_effect_answers(question, CATALOGUE))


def test_all_rules_are_sorted_by_what_they_change() -> None:
    sheet = ask("bloxx-2p", "all", lineup="greedy,greedy", blocks=150)
    scores = sheet.list_contents(Intervals)[0]
    sizes = [abs(point.mean.estimate) for point in scores.estimates]
    assert len(sizes) == 5
    assert sizes == sorted(sizes, reverse=True)
    assert sheet.verdict.startswith(f"with {scores.estimates[0].at}, greedy scores")
    assert len(sheet.fields["settings"]) == 32
    assert "gap_penalty" not in " ".join((sheet.verdict, sheet.basis, sheet.title, *sheet.consequences))


def test_people_read_names_and_no_identifiers() -> None:
    sheet = ask("spexxx-2p", "cubes=20,23", lineup="greedy,greedy", blocks=20)
    assert sheet.title == "What cubes changes in Spexxx for 2 players"
    texts = " ".join((sheet.verdict, *sheet.consequences, *(part.title for part in sheet.parts)))
    assert "cubes.2" not in texts
    sheet = ask("bloxx-2p", "dice=bloxx-mini", lineup="greedy,random")
    assert sheet.verdict.startswith("with dice “BLOXX! (3 x 5, solved)” instead of “BLOXX!”, greedy scores")
    assert "bloxx-mini" not in " ".join((*sheet.consequences, sheet.basis))
