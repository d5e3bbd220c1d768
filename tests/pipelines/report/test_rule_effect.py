"""The sheet of what rules change: every sentence says what its numbers say, and no more."""

from __future__ import annotations

import re
from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.catalogue import SHIPPED_RULESETS_FOLDER, Catalogue
from engine.errors import InvalidError
from pipelines.design.designs import design_simulation
from pipelines.design.rule_values import compare_rulesets
from pipelines.experiments import rule_games
from pipelines.experiments.rule_effect import ROUNDS, RuleMeasure, RulesEffect
from pipelines.experiments.rule_games import RulesetResults
from pipelines.questions.address import make_question, split_address, write_path
from pipelines.questions.every_question import read_question
from pipelines.questions.rule_effect import (
    RuleEffectAnswer,
    RuleEffectQuestion,
    iter_rule_effect_answers,
    order_compared_rulesets,
    read_target,
    suggest_dial_lineup,
)
from pipelines.records.strategies import split_by_speed
from pipelines.report.charts import Columns, Intervals, Lines, Scales
from pipelines.report.compose import compose
from pipelines.report.estimates import format_interval
from pipelines.report.show.html import draw_chart, write_sheet_html
from pipelines.report.table import Table
from pipelines.simulate.shards import timed_steps
from pipelines.statistics import t_interval
from pipelines.viewer.palette import assign_strategy_looks
from tests.examples import scale_examples
from tests.pipelines.report.sheet_readers import check_growth

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from pipelines.report.sheet import Sheet
    from pipelines.viewer.palette import SeriesLook

CATALOGUE = Catalogue()


def find_looks(strategies: Iterable[str]) -> Mapping[str, SeriesLook]:
    return assign_strategy_looks(more=tuple(strategies))


def answer(ruleset: str, *vary: str, **fields: object) -> RuleEffectAnswer:
    question = make_question(RuleEffectQuestion, {"ruleset": ruleset, "vary": vary, "blocks": 60, **fields})
    *_, last = iter_rule_effect_answers(question, CATALOGUE)
    return last


def ask(ruleset: str, *vary: str, **fields: object) -> Sheet:
    return compose(answer(ruleset, *vary, **fields), find_looks)


def compare(ruleset: str, against: str, lineup: str, blocks: int) -> Sheet:
    question = RuleEffectQuestion(ruleset=ruleset, against=against, lineup=lineup, blocks=blocks)
    *_, last = iter_rule_effect_answers(question, CATALOGUE)
    return compose(last, find_looks)


@st.composite
def drawn_answers(draw: st.DrawFn) -> RuleEffectAnswer:
    """Return results under two rulesets that need not be possible, with shifts from none to large ones."""
    blocks = draw(st.sampled_from([5, 40, 60]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    shift, spread = draw(st.sampled_from([0, 1, 6])), draw(st.sampled_from([0, 2, 20]))
    base = rng.integers(-30, 30, (blocks, 2, 2))
    signs = np.array([[1, -1], [-1, 1]])  # seatings and seats: 1 for greedy, -1 for random
    noise = np.where(signs > 0, 1, draw(st.sampled_from([1, 8])))
    names = ("bloxx-2p", "bloxx-rest-2p")
    results = []
    for at, name in enumerate(names):
        design = design_simulation(CATALOGUE.rulesets[name], ["greedy", "random"], blocks=blocks, seed=1)
        changes = shift * signs + noise * rng.integers(-spread, spread + 1, base.shape)
        scores = base + at * changes
        first_wins = scores[:, :, 0] > scores[:, :, 1]
        lengths = 20 + at * rng.integers(0, spread + 1, (blocks, 2))
        wins = np.stack([first_wins, ~first_wins], axis=2).astype(np.float64)
        results.append(
            RulesetResults(design, scores, wins, lengths, 3 * lengths, np.full_like(lengths, 6 * at - 1))
        )
    question = RuleEffectQuestion(ruleset=names[0], against=names[1], blocks=max(blocks, 10))
    rule = compare_rulesets(CATALOGUE.rulesets[names[0]], [CATALOGUE.rulesets[names[1]]])
    return RuleEffectAnswer(question, RulesEffect((rule,), tuple(results)))


def check_numbers(effect: RulesEffect, measure: RuleMeasure, texts: Sequence[str | None]) -> None:
    """Check the number, the direction and the ends of a sentence against the paired difference of blocks."""
    size, direction, low, high = texts
    difference = effect.list_differences(measure)[1]
    assert difference
    scaled = difference.times(measure.scale)
    assert (scaled.low > 0, scaled.high < 0) == (
        direction in {"more", "longer"},
        direction in {"fewer", "shorter"},
    )
    blocks = measure.block_values(effect.results[1]) - measure.block_values(effect.base)
    assert scaled.estimate == pytest.approx(measure.scale * float(blocks.mean()))
    ends = sorted(map(abs, scaled[1:]))
    for text, number in zip((size, low, high), (abs(scaled.estimate), *ends), strict=True):
        assert abs(float(str(text)) - number) <= 0.501 * 10.0 ** -len(str(text).partition(".")[2])


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
        r"each point of gap penalty costs random [\d.]+ points on average \([\d.]+ to [\d.]+; 60 games at each value\); nobody changed a move: only the count differs",
        sheet.verdict,
    )
    assert not any("changed a move" in sentence for sentence in sheet.consequences)


def test_players_that_do_not_read_a_rule_are_named() -> None:
    sheet = ask("bloxx-2p", "gap_penalty=0..2", lineup="greedy,random", blocks=20)
    assert "Random does not read gap penalty: its choices take no account of it." in sheet.basis
    sheet = ask("bloxx-2p", "contact=drop,touch", lineup="greedy,random", blocks=20)
    assert "does not read" not in sheet.basis


def test_a_rule_that_changes_nothing_is_said_to_change_nothing() -> None:
    sheet = ask("bloxx-2p", "row_first=4,5", lineup="random,random", blocks=10)
    assert sheet.verdict.startswith(("no game ends differently", "not enough games", "the score of random"))


def test_words_have_a_difference_and_no_slope() -> None:
    sheet = ask("bloxx-2p", "contact=touch,rest", lineup="greedy,random")
    assert sheet.verdict.startswith("if shapes must rest on shapes, greedy scores")
    assert "each point" not in sheet.verdict
    charts = sheet.list_contents(Columns)
    assert [point.at for point in charts[0].estimates[:3]] == [
        "shapes fall straight down (now)",
        "shapes may hang",
        "shapes must rest on shapes",
    ]
    assert not sheet.list_contents(Lines)


def test_numbers_have_lines_with_the_value_of_the_ruleset_marked() -> None:
    sheet = ask("bloxx-2p", "gap_penalty=0..2", lineup="greedy,planner", target="player 1 wins 45 to 55")
    charts = sheet.list_contents(Lines)
    assert [chart.title for chart in charts] == ["Wins of player 1", "Scores", "Wins", "Length"]
    assert {chart.place_mark for chart in charts} == {(1, "now")}
    assert [chart.shaded for chart in charts] == [(45, 55), None, None, None]
    assert "chart-shade" in write_sheet_html(sheet)
    charts = ask("bloxx-2p", "gap_penalty=0..2", target="planner scores 40 to 60").list_contents(Lines)
    assert [chart.title for chart in charts] == ["Scores", "Wins", "Length", "Wins of player 1"]


def test_the_picture_shows_the_number_of_the_target() -> None:
    for target, title, upright in (
        ("player 2 wins 40 to 60", "Wins of player 2", "wins of 100 games"),
        ("moves 40 to 60", "Length", "moves"),
    ):
        sheet = ask("bloxx-2p", "gap_penalty=0..2", lineup="greedy,greedy", target=target, blocks=20)
        (chart,) = [chart for chart in sheet.list_contents(Lines) if chart.shaded]
        assert (chart.title, chart.upright, chart.shaded) == (title, upright, (40, 60))
        assert sheet.parts[0].content == chart, "the picture of the target comes first"
        assert sheet.parts[0].caption.startswith("Grey band: the target, 40 to 60.")
        (values,) = [part.content for part in sheet.parts if part.key == "values"]
        assert "judged by wider intervals, which hold for all 3 means at once" in values.caption  # type: ignore[union-attr]


@pytest.mark.slow
def test_the_numbers_of_a_column_have_the_same_decimals() -> None:
    """Also where somebody changed a move in all games at some value."""
    sheet = ask("bloxx-2p", "contact=touch,rest", lineup="greedy,greedy", blocks=400)
    (table,) = (table for table in sheet.tables if table.title == "Every value")
    texts = [str(text) for text in table.list_values("games with another move") if text]
    assert any(text.startswith("100") for text in texts)
    numbers = [number for text in texts for number in re.findall(r"[\d.]+", text)]
    assert len({len(number.partition(".")[2]) for number in numbers}) == 1, texts


def test_the_target_names_each_value_once() -> None:
    last = answer("bloxx-2p", "contact=touch,rest", lineup="greedy,random", target="greedy wins 95 to 100")
    sheet = compose(last, find_looks)
    said = sheet.verdict
    assert said.startswith("the target, greedy wins"), "who names a target asks for this first"
    judged = re.findall(r"straight down|hang|must rest", said.partition("games")[2])
    assert sorted(judged) == ["hang", "must rest", "straight down"]
    assert "surely not at shapes must rest on shapes" in said
    (values,) = [part.content for part in sheet.parts if part.key == "values"]
    assert values.columns[-1] == "greedy wins 95 to 100"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("easy", "a target is written as"),
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
    names = {point.at for point in scores.estimates}
    assert "contact of shapes: shapes may hang (now: shapes fall straight down)" in names
    assert sizes == sorted(sizes, reverse=True)
    assert sheet.verdict.startswith(f"with {scores.estimates[0].at}, greedy scores")
    assert len(sheet.fields["settings"]) == 32
    assert "gap_penalty" not in " ".join((sheet.verdict, sheet.basis, sheet.title, *sheet.consequences))
    assert (
        "Tried in all combinations: shapes may hang; bonus for the first row 8 instead of 4;" in sheet.basis
    )
    assert "Not tried: other numbers, coloured rows and dice." in sheet.basis
    caption = sheet.list_parts("main")[0].caption
    assert caption.endswith(
        " Not tried: shapes must rest on shapes, as all words make 48 rulesets, more than 32."
    )
    assert "Not tried" not in sheet.list_parts("main")[1].caption


def test_every_row_of_all_rules_has_its_numbers_beside_its_mark() -> None:
    """Rows of two strategies had none."""
    sheet = ask("bloxx-2p", "row_first=4,8", "gap_penalty=1,2", lineup="greedy,random", blocks=60)
    scores = sheet.list_contents(Intervals)[0]
    assert {(point.panel, point.at) for point in scores.estimates} == {
        (strategy, change)
        for strategy in ("greedy", "random")
        for change in ("bonus for the first row 8 instead of 4", "gap penalty 2 instead of 1")
    }
    drawing = draw_chart(scores)
    for point in scores.estimates:
        assert f"{point.mean.estimate:+.1f} ".replace("-", "−") in drawing


@pytest.mark.parametrize("seed", range(3))
def test_sentence_table_and_picture_of_all_rules_have_the_same_intervals(seed: int) -> None:
    """A rule is said to change nothing where no interval of its row leaves out 0, and to change what one leaves out."""
    sheet = ask("bloxx-2p", "all", lineup="greedy,random", blocks=200, seed=seed)
    (table,) = [part.content for part in sheet.parts if part.key == "effects"]
    assert isinstance(table, Table)
    assert not any("*" in str(cell) for row in table.rows for cell in row)
    numbers = re.compile(r"([+−]?[\d.]+) \((−?[\d.]+) to (−?[\d.]+)\)")
    clear = {
        str(row[0])
        for row in table.rows
        for _, low, high in (
            [float(text.replace("−", "-")) for text in match.groups()]
            for match in map(numbers.fullmatch, map(str, row[1:]))
            if match
        )
        if low > 0 or high < 0
    }
    said = " ".join(sheet.consequences)
    idle = re.search(r"turning (.+?) clearly changes none", said)
    pairs = re.search(r"(?:; |^)([^;]+ together change the [^;]+ beyond the sum of both)", said)
    (beyond,) = [part.content for part in sheet.parts if part.key == "pairs"]
    assert isinstance(beyond, Table)
    for number in numbers.finditer(pairs[1] if pairs else ""):
        low, high = (float(text.replace("−", "-")) for text in number.groups()[1:])
        assert low > 0 or high < 0
        assert number[0] in {str(cell) for row in beyond.rows for cell in row}
    for name in idle[1].split(" or ") if idle else ():
        assert not any(row.startswith(name) for row in clear)
        assert not pairs or name not in pairs[1]
    drawn = {
        (str(point.at), tuple(point.mean))
        for chart in sheet.list_contents(Intervals)
        for point in chart.estimates
    }
    for effect in sheet.fields["effects"]:
        if effect["kind"] == "score" and effect["change"]:
            assert tuple(effect["change"].values()) in {ends for _, ends in drawn}


def test_the_table_gives_the_slope_of_the_sentence() -> None:
    """The sentence said 0.47 points for each step where the means of the table differ by 0.55."""
    sheet = ask("bloxx-2p", "gap_penalty=0..4", lineup="greedy,greedy", blocks=400)
    said = re.match(
        r"up to (\d), each point of gap penalty costs greedy ([\d.]+) points .*from \1 on, ([\d.]+) \(",
        sheet.verdict,
    )
    assert said
    kink = int(said[1])
    means = [record["mean"]["estimate"] for record in sheet.fields["means"][:5]]
    assert float(said[2]) == pytest.approx((means[0] - means[kink]) / kink, abs=0.06)
    assert float(said[3]) == pytest.approx((means[kink] - means[4]) / (4 - kink), abs=0.06)


@pytest.mark.parametrize("lineup", ["greedy,planner", "greedy,random"])
def test_the_value_with_which_others_are_compared_is_named_once(lineup: str) -> None:
    """Also below a slope, which names no value: "with gap penalty 4, games are longer" does not say longer than when."""
    sheet = ask("bloxx-2p", "gap_penalty=0..4", lineup=lineup)
    text = " ".join((sheet.verdict, *sheet.consequences))
    assert text.count(" instead of 1") == 1
    assert text.index("ith gap penalty") == text.index(" instead of 1") - len("ith gap penalty 0")


@pytest.mark.parametrize(
    ("name", "lineup"),
    [
        ("bloxx-2p", "greedy planner"),
        ("blokus-3p", "greedy greedy mobility"),
        ("blokus-dice-2p", "greedy keeper"),
        ("spexxx-2p", "greedy builder"),
    ],
)
def test_without_players_two_kinds_play_that_take_the_rules_into_account(name: str, lineup: str) -> None:
    ruleset = CATALOGUE.rulesets[name]
    assert " ".join(suggest_dial_lineup(ruleset)) == lineup
    quick = [label.partition(":")[0] for label in split_by_speed(ruleset)[0]]
    last = lineup.rsplit(maxsplit=1)[-1]
    assert quick[quick.index(last) + 1 :] in ([], ["learned"]), "`learned` knows the shipped tables alone"


def test_there_are_at_most_three_findings() -> None:
    for vary in (("gap_penalty=0..4",), ("contact=touch,rest",), ("gap_penalty=0,1", "row_first=4,8")):
        sheet = ask("bloxx-2p", *vary, lineup="greedy,random", target="player 1 wins 45 to 55", blocks=40)
        assert len(sheet.consequences) <= 3
        assert sheet.verdict.startswith("the target")
        assert all(sheet.consequences)


def test_two_rulesets_have_the_sheet_of_a_rule_with_two_values() -> None:
    sheet = compare("bloxx-2p", "bloxx-touch-2p", "greedy,random", blocks=24)
    assert sheet.title == "BLOXX! against BLOXX! (shapes may hang)"
    assert [part.key for part in sheet.list_parts("main", "beside")] == ["differences", "rulesets", "values"]
    assert [part.key for part in sheet.list_parts("details")] == ["scores", "wins", "lengths", "seats"]
    assert [point.at for point in sheet.list_contents(Columns)[0].estimates[:2]] == [
        "BLOXX! (now)",
        "BLOXX! (shapes may hang)",
    ]
    assert not any("another game" in sentence for sentence in sheet.consequences)
    assert compare("bloxx-touch-2p", "bloxx-2p", "greedy,random", blocks=24).verdict == sheet.verdict


def test_two_rulesets_begin_with_a_picture_of_their_paired_differences() -> None:
    question = RuleEffectQuestion(
        ruleset="bloxx-2p", against="bloxx-touch-2p", lineup="random,greedy", blocks=60
    )
    *_, last = iter_rule_effect_answers(question, CATALOGUE)
    scales = compose(last, find_looks).parts[0].content
    assert isinstance(scales, Scales)
    rows = {row.title: row for row in scales.rows}
    assert list(rows) == [
        "Score of random",
        "Score of greedy",
        "Wins of greedy",
        "Lead of greedy over random",
        "Rounds",
        "Wins of player 1",
        "Points of player 1 above the mean",
    ]
    for row in scales.rows:
        assert row.place
        assert (row.mark and row.mark.at) == 0.5  # no change
        sign = np.sign(row.record["estimate"])
        assert np.sign(row.place.estimate - 0.5) == sign, "what is less stands left of 0"
        assert 0 <= row.place.low <= row.place.estimate <= row.place.high <= 1
    assert rows["Score of greedy"].ends == rows["Lead of greedy over random"].ends != rows["Rounds"].ends
    difference = last.effect.list_differences(RuleMeasure("score", "greedy"))[1]
    assert rows["Score of greedy"].text == f"{format_interval(difference, signed=True)} points"
    means = last.effect.list_means(RuleMeasure("score", "greedy"))
    assert all(format(mean and mean.estimate, ".1f") in rows["Score of greedy"].about for mean in means)


def test_a_ruleset_with_another_board_is_another_game() -> None:
    sheet = compare("bloxx-2p", "bloxx-mini", "greedy,random", blocks=24)
    assert (
        "this is another game and not one rule: the boards have 7 x 10 and 3 x 5 squares"
        in sheet.consequences
    )


def test_the_effect_of_an_own_rule_is_said_from_the_ruleset_that_it_changes(tmp_path: Path) -> None:
    own = 'title = "BLOXX!, my way"\nplayers = 2\n[options]\ngap_penalty = '
    (tmp_path / "mine.toml").write_text(f'extends = "bloxx"\n{own}5\n')
    (tmp_path / "other.toml").write_text(f'extends = "mine"\n{own}0\nblank_penalty = 3\n')
    catalogue = Catalogue((SHIPPED_RULESETS_FOLDER, tmp_path))
    said = {}
    for a, b in permutations(("bloxx-2p", "bloxx-rest-2p", "mine", "other"), 2):
        question = RuleEffectQuestion(ruleset=a, against=b, lineup="greedy,random", blocks=150, seed=3)
        ordered = [one.name for one in order_compared_rulesets(question, catalogue)]
        assert ordered == sorted((a, b), key=["bloxx-2p", "bloxx-rest-2p", "mine", "other"].index)
        if "bloxx-2p" in {a, b} and "bloxx-rest-2p" not in {a, b}:
            *_, last = iter_rule_effect_answers(question, catalogue)
            said[a, b] = compose(last, find_looks).verdict
    assert said["bloxx-2p", "mine"] == said["mine", "bloxx-2p"]
    assert re.match(
        r"if every gap costs 5 points instead of 1, greedy scores [\d.]+ points fewer",
        said["mine", "bloxx-2p"],
    )
    assert said["other", "bloxx-2p"].startswith("under “BLOXX!, my way” instead of “BLOXX!”, ")


def test_an_answer_keeps_its_parts_while_it_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rule_games, "timed_steps", lambda total: timed_steps(total, first=6, growth=1))
    question = RuleEffectQuestion(
        ruleset="bloxx-2p", against="bloxx-touch-2p", lineup="greedy,random", blocks=24
    )
    sheets = [compose(one, find_looks) for one in iter_rule_effect_answers(question, CATALOGUE)]
    check_growth(sheets)
    assert "If you stop earlier" in sheets[0].basis
    assert "If you stop earlier" not in sheets[-1].basis


@scale_examples(0.6)
@given(drawn_answers())
def test_no_sentence_says_more_than_the_interval_of_its_number(drawn: RuleEffectAnswer) -> None:
    """A change, a length and a leader are claimed only where the intervals show them, with their numbers."""
    effect, sheet = drawn.effect, compose(drawn, find_looks)
    sentences = [part for text in (sheet.verdict, *sheet.consequences) for part in text.split("; ")]
    for sentence in sentences:
        changed = re.search(
            r"(\w+) scores ([\d.]+) points? (more|fewer) \(95 % interval ([\d.]+) to ([\d.]+)", sentence
        )
        if changed:
            check_numbers(effect, RuleMeasure("score", changed[1]), changed.groups()[1:])
        won = re.search(r"(\w+) wins ([\d.]+) of 100 games (more|fewer) \(([\d.]+) to ([\d.]+)\)", sentence)
        if won:
            measure = RuleMeasure("player wins", "0") if won[1] == "1" else RuleMeasure("wins", won[1])
            check_numbers(effect, measure, won.groups()[1:])
        longer = re.search(r"games are ([\d.]+) rounds (longer|shorter) \(([\d.]+) to ([\d.]+)\)", sentence)
        if longer:
            check_numbers(effect, ROUNDS, longer.groups())
        ahead = re.search(r"(\w+) is ahead of (\w+) in points", sentence)
        if ahead:
            leads = [
                results.mean_scores(ahead[1]) - results.mean_scores(ahead[2]) for results in effect.results
            ]
            intervals = [t_interval(lead) for lead in leads]
            assert intervals[1]
            assert intervals[1].low > 0
    best = max(effect.strategies, key=lambda name: effect.base.mean_scores(name).mean())
    if effect.has_enough_blocks(RuleMeasure("score", best)) and effect.changes_games:
        assert best in sheet.verdict


def test_people_read_names_and_no_identifiers() -> None:
    sheet = ask("spexxx-2p", "cubes=20,23", lineup="greedy,greedy", blocks=20)
    assert sheet.title == "What cubes changes in Spexxx for 2 players"
    texts = " ".join((sheet.verdict, *sheet.consequences, *(part.title for part in sheet.parts)))
    assert "cubes.2" not in texts
    sheet = ask("bloxx-2p", "dice=bloxx-mini", lineup="greedy,random")
    assert sheet.verdict.startswith("with dice “BLOXX! (3 x 5, solved)” instead of “BLOXX!”, greedy scores")
    assert "bloxx-mini" not in " ".join((*sheet.consequences, sheet.basis))


def test_an_answer_that_grows_lists_the_means_of_the_values_in_their_order() -> None:
    question = make_question(
        RuleEffectQuestion,
        {"ruleset": "bloxx-2p", "vary": ("gap_penalty=0..3",), "strategies": "greedy,random", "blocks": 60},
    )
    first = next(iter_rule_effect_answers(question, CATALOGUE))
    said = compose(first, find_looks).verdict
    means = [results.mean_scores("greedy").mean() for results in first.effect.results]
    others = ", ".join(f"{mean:.1f} with {value}" for value, mean in enumerate(means) if value)
    assert said == (
        f"so far, after {first.effect.blocks} of 60 blocks: greedy scores {means[0]:.1f} points on average with gap penalty 0, {others}"
    )


@pytest.mark.parametrize("end", [" of 100", " of 100 games"])
def test_a_target_is_understood_in_the_words_of_the_answer(end: str) -> None:
    ruleset, text = Catalogue().find_ruleset("bloxx-2p"), "player 1 wins 45 to 55"
    assert read_target(f"{text}{end}", ["greedy"], ruleset) == read_target(text, ["greedy"], ruleset)
