"""The card of a ruleset: constructed games of known answer, and games that are counted again by hand."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest

from engine import games
from engine.errors import InvalidError
from engine.luck import Luck
from engine.play import play_out
from engine.strategies import read_player
from pipelines.experiments.card_games import PARTS
from pipelines.questions.card import (
    CARD_MEASURES,
    WORTH_KEYS,
    CardMeasure,
    CardQuestion,
    answer_card,
    find_ladder_pairs,
    iter_card_answers,
    measure_ladder,
    measure_style,
)
from pipelines.questions.measured import Measured
from pipelines.questions.rules import RulesQuestion, answer_rules
from pipelines.records.atlas import recorded_cards
from pipelines.report.card import (
    WORTH_TITLE,
    compose_recorded_card,
    describe_card,
    describe_cuts,
    describe_measures,
    is_different,
    list_card_tables,
    widen_edges,
    write_card_basis,
)
from pipelines.report.charts import Scales
from pipelines.report.compose import compose
from pipelines.report.show.html import write_sheet_html
from pipelines.report.show.json import sheet_document
from pipelines.report.show.terminal import write_sheet_lines
from pipelines.simulate.shards import timed_steps
from pipelines.statistics import Interval
from pipelines.statistics.game_course import COURSE_STEPS
from pipelines.statistics.luck import variance_shares
from tests.pipelines.report.sheet_readers import check_growth

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from engine.catalogue import Catalogue
    from engine.ruleset import Ruleset
    from pipelines.questions.card import CardAnswer
    from pipelines.questions.source import QuestionSource
    from pipelines.viewer.palette import SeriesLook

BLOCKS = 400
PAIRS = [("good", "bad")]
STEPS = "pipelines.questions.card.timed_steps"


def find_no_looks(_: Iterable[str]) -> Mapping[str, SeriesLook]:
    """Cards draw no strategies in colours."""
    return {}


def source_of(rulesets: Mapping[str, Ruleset]) -> QuestionSource:
    """Return a source with these rulesets and without runs."""
    return cast("QuestionSource", SimpleNamespace(rulesets=rulesets))


def toss_coins() -> Any:  # noqa: ANN401 - an array
    return np.random.default_rng(7).integers(0, 2, size=BLOCKS).astype(np.float64)


def make_course(**changes: Any) -> list[CardMeasure]:  # noqa: ANN401 - arrays
    """Measure a fair coin toss with two seats, which is over after one move."""
    toss, ones = toss_coins(), np.ones(BLOCKS)
    of_one = ("rounds", "moves", "choices-mean", "choices-median", "choices-largest")
    course = {
        "wins": np.stack([toss, 1 - toss], axis=1),
        **dict.fromkeys(of_one, ones),
        **dict.fromkeys(("lead", "drama", "comeback"), 0 * ones),
        "leader": np.ones((BLOCKS, COURSE_STEPS)),
        "margins": np.repeat(2 * toss - 1, 12).reshape(BLOCKS, 3, 4),
        "stake": np.zeros((BLOCKS, 2)),
        "worth": np.zeros((BLOCKS, 1)),
        "worth-points": np.zeros((BLOCKS, 1)),
    }
    return measure_style(course | changes, "good", ["nothing"])


def make_ladder(margins: Any = None, wins: Any = None) -> list[CardMeasure]:  # noqa: ANN401 - arrays
    """Measure the duels of a coin toss, in which nobody can do better, or those with other margins and wins."""
    margins = np.repeat(2 * toss_coins()[:, None] - 1, 2, axis=1) if margins is None else margins
    duel = {"margins": margins, "wins": np.full(BLOCKS, 0.5) if wins is None else wins}
    return measure_ladder([duel, duel], PAIRS)


def find_interval(measures: Sequence[CardMeasure], key: str, place: int = 0) -> Interval:
    found = [one.measured.interval for one in measures if one.key == key][place]
    assert found is not None
    return found


def test_a_coin_toss_is_fair_and_has_no_skill() -> None:
    measures = make_ladder()
    for seat in (0, 1):
        edge = find_interval(make_course(), "seat", seat)
        assert edge.low < 0 < edge.high
    assert find_interval(measures, "ladder").estimate == 0.5
    assert find_interval(measures, "skill").estimate == pytest.approx(0)
    assert find_interval(measures, "luck").estimate == pytest.approx(1)
    assert find_interval(measures, "index").estimate == pytest.approx(-1)


def test_without_luck_the_better_strategy_wins_and_explains_all() -> None:
    measures = make_ladder(np.tile([1.0, -1.0], (BLOCKS, 1)), np.ones(BLOCKS))
    assert find_interval(measures, "ladder").estimate == 1
    assert find_interval(measures, "skill").estimate == pytest.approx(1)
    assert find_interval(measures, "luck").estimate == pytest.approx(0)
    assert find_interval(measures, "index").estimate == pytest.approx(1)


def test_each_pair_of_the_ladder_has_the_shares_of_its_own_games_and_the_index_those_of_its_ends() -> None:
    toss = np.repeat(2 * toss_coins()[:, None] - 1, 2, axis=1)
    skill = np.tile([1.0, -1.0], (BLOCKS, 1))
    margins = {"fair against bad": toss, "good against fair": skill, "good against bad": toss + 2 * skill}
    duels = [{"margins": of_pair, "wins": np.full(BLOCKS, 0.5)} for of_pair in margins.values()]
    shares = {about: variance_shares(of_pair) for about, of_pair in margins.items()}
    estimates = {about: one and (one.skill, one.luck, one.skill_luck_index) for about, one in shares.items()}
    for one in measure_ladder(duels, [("fair", "bad"), ("good", "fair")]):
        if one.key != "ladder":
            right = estimates[one.about]
            assert right
            assert one.measured.interval == right[("skill", "luck", "index").index(one.key)], one
            assert (one.key == "index") == (one.about == "good against bad")
    assert len({one and round(one[0].estimate, 1) for one in estimates.values()}) == 3


def test_a_perfectly_fair_game_and_one_that_the_first_player_always_wins() -> None:
    fair = make_course(wins=np.full((BLOCKS, 2), 0.5))
    assert [find_interval(fair, "seat", seat).estimate for seat in (0, 1)] == [0, 0]
    first = make_course(wins=np.tile([1.0, 0.0], (BLOCKS, 1)))
    assert [find_interval(first, "seat", seat).estimate for seat in (0, 1)] == [0.5, -0.5]
    assert find_interval(first, "seat").low > 0.45


def test_a_game_decided_by_its_first_move_is_known_at_once() -> None:
    known = find_interval(make_course(), "decided")
    assert set(known) == {1 / COURSE_STEPS}
    shares = [find_interval(make_course(), "part", part).estimate for part in range(PARTS)]
    assert shares == pytest.approx([1, 0, 0, 0])


def test_a_game_without_choices_has_nothing_at_stake() -> None:
    for key in ("stake", "matter"):
        interval = find_interval(make_course(), key)
        assert interval.estimate == 0
        assert 0 < interval.high < 0.02


def test_games_of_equal_strategies_are_counted_as_by_hand(catalogue: Catalogue) -> None:
    """The readable rules play the same games, and loops measure them."""
    question = CardQuestion(ruleset="bloxx-mini", strategy="noisy", blocks=20, seed=5)
    answer = answer_card(question, source_of(catalogue.rulesets))
    ruleset = catalogue.rulesets["bloxx-mini"]
    decide = read_player(games.find_game("bloxx"), "noisy").decide
    counted: dict[str, list[float]] = defaultdict(list)
    for block in range(question.blocks):
        end, plies = play_out(games.start_state(ruleset), [decide] * 2, Luck(question.seed, block))
        options = [ply.options for ply in plies if ply.options is not None]
        scores, after = [0, 0], {}
        for ply in plies:
            if ply.score is not None:
                scores[ply.seat] = ply.score
            after[ply.round] = tuple(scores)
        course = [*list(after.values())[:-1], tuple(end.scores)]
        leaders = [one.index(max(one)) for one in course if one[0] != one[1]]
        middle = course[(len(course) + 1) // 2 - 1]
        shares = [(rank == 1) / list(end.ranks).count(1) for rank in end.ranks]
        for key, value in (
            ("rounds", len(course)),
            ("moves", len(plies)),
            ("choices-mean", sum(options) / len(options)),
            ("choices-largest", max(options)),
            ("lead", sum(first != second for first, second in pairwise(leaders))),
            ("comeback", sum(share for share, own in zip(shares, middle, strict=True) if own < max(middle))),
            ("seat", shares[0] - 0.5),
        ):
            counted[key].append(value)
    for key, values in counted.items():
        assert find_interval(answer.measures, key).estimate == pytest.approx(np.mean(values)), key
    games_of_block = 1 + 2 * (len(answer.find_measures("ladder")) + 1 + len(answer.find_measures("worth")))
    assert answer.basis.games == question.blocks * games_of_block


def test_a_card_does_not_depend_on_its_batches_and_grows(
    catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = CardQuestion(ruleset="bloxx-mini", blocks=30)
    monkeypatch.setattr(STEPS, lambda total: timed_steps(total, first=7, growth=1))
    answers = list(iter_card_answers(question, catalogue.rulesets[question.ruleset]))
    assert len(answers) > 2
    assert [one.is_finished for one in answers] == [False] * (len(answers) - 1) + [True]
    assert answers[0].basis.blocks == 7
    monkeypatch.setattr(STEPS, lambda total: timed_steps(total, first=30))
    (whole,) = iter_card_answers(question, catalogue.rulesets[question.ruleset])
    assert whole.measures == answers[-1].measures
    (stopped,) = iter_card_answers(
        question.model_copy(update={"blocks": 20_000}),
        catalogue.rulesets[question.ruleset],
        stopped=lambda: True,
    )
    assert stopped.basis.blocks == 30


def test_an_edge_that_is_not_clear_is_not_sold_as_one(catalogue: Catalogue) -> None:
    answer = answer_card(CardQuestion(ruleset="bloxx-mini", blocks=10), source_of(catalogue.rulesets))
    others = [one for one in answer.measures if one.key != "seat"]

    def describe_edges(*edges: Interval) -> str:
        seats = [
            CardMeasure("seat", f"player {number}", Measured(edge, 10), answer.styles[0])
            for number, edge in enumerate(edges, 1)
        ]
        return describe_card(replace(answer, measures=tuple(widen_edges((*seats, *others))))).partition(". ")[
            0
        ]

    wide, clear = Interval(-0.09, -0.19, 0.01), Interval(0.04, 0.02, 0.06)
    assert (
        describe_edges(wide, Interval(0.02, -0.01, 0.05))
        == "no seat has a clear edge (player 1: -19 to 1 wins of 100)"
    )
    assert (
        describe_edges(wide, clear) == "player 2 wins 4.0 of 100 games more than an equal share (2.0 to 6.0)"
    )
    unclear = Interval(0.04, 0.002, 0.078)  # alone it would be clear, as one of three it is not
    assert describe_edges(unclear, wide, wide).startswith("no seat has a clear edge (player 1: -")
    assert describe_edges(clear, wide, wide) == (
        "player 1 wins 4.0 of 100 games more than an equal share (1.6 to 6.4), in intervals that hold for all seats at once"
    )


def test_edges_in_sentences_have_the_intervals_of_the_picture_and_of_the_table() -> None:
    sheet = compose_recorded_card(next(card for card in recorded_cards() if card.ruleset == "blokus-4p"))
    assert sheet.verdict.startswith(
        "player 1 wins 13 of 100 games more than an equal share (7 to 19), player 4 wins 7.7 fewer (3.1 to 12.3), "
        "in intervals that hold for all seats at once. "
    )
    edges = [
        row
        for scales in sheet.list_contents(Scales)
        for row in scales.rows
        if row.title.startswith("Edge of a seat")
    ]
    assert [row.text for row in edges][::3] == ["+13 (7 to 19) wins of 100", "−8 (−12 to −3) wins of 100"]
    (table,) = (
        table for table in sheet.tables if "those of edges hold for all seats at once" in table.caption
    )
    assert [row[1] for row in table.rows[:4:3]] == ["+13 (7 to 19)", "−7.7 (−12.3 to −3.1)"]


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4])
def test_at_most_7_of_100_cards_name_an_edge_where_all_seats_are_equal(players: int) -> None:
    """The widest of several edges is clear by chance in 14 % (three players) or 19 % (four) if its interval is that of one."""
    rng, ladder = np.random.default_rng(3), make_ladder()
    named = 0
    for _ in range(500):
        wins = np.eye(players)[rng.integers(0, players, BLOCKS)]
        sentences = describe_measures(widen_edges([*make_course(wins=wins), *ladder]))
        named += not sentences.startswith("no seat has a clear edge")
    assert 0.03 * 500 <= named <= 0.07 * 500


def test_a_card_has_every_measure_and_says_what_it_rests_on(catalogue: Catalogue) -> None:
    answer = answer_card(CardQuestion(ruleset="blokus-duo", blocks=10), source_of(catalogue.rulesets))
    assert list(dict.fromkeys(one.key for one in answer.measures)) == list(CARD_MEASURES)
    for one in answer.measures:
        blocks = 5 if one.key in {"stake", "matter"} else 10
        assert (one.measured.n, one.measured.unit) == (blocks, "block")
    assert len(describe_card(answer).split(". ")) == 3
    basis = write_card_basis(answer)
    cut = "The quarters of a game end after rounds {}, {} and {}, however long it is.".format(*answer.cuts[0])
    for words in ("begins with 2 random moves", "without rollout, mcts", cut, "people play otherwise"):
        assert words in basis


@pytest.mark.slow
def test_a_recorded_card_names_the_cuts_of_its_quarters() -> None:
    for card in recorded_cards():
        assert len(card.cuts) == 2
        assert all(list(cut) == sorted(cut) and len(cut) == 3 for cut in card.cuts)
        assert describe_cuts(card.cuts) in compose_recorded_card(card).basis


def test_styles_stand_side_by_side_and_have_the_numbers_of_their_own_cards(catalogue: Catalogue) -> None:
    question = CardQuestion(ruleset="bloxx-mini", strategy="greedy,random,random", blocks=20, seed=2)
    answer = answer_card(question, source_of(catalogue.rulesets))
    assert answer.styles == ("greedy", "random")
    for style in answer.styles:
        own = answer_card(question.model_copy(update={"strategy": style}), source_of(catalogue.rulesets))
        assert own.measures == tuple(one for one in answer.measures if one.style in {style, ""})
    styles, worths, ladder = list_card_tables(answer)
    assert styles.columns[1:3] == ("greedy", "random")
    assert {row[-1] for row in (*styles.rows, *worths.rows)} <= {"yes", "no"}
    assert {str(row[0]).rpartition(", ")[0] for row in worths.rows} == {"worth, wins", "worth, points"}
    assert not {row[0] for row in styles.rows} & {row[0] for row in worths.rows}
    assert [str(row[0]).partition(", ")[0] for row in ladder.rows] == ["skill"] * 2 + [
        "variance by skill"
    ] * 2 + ["variance by luck"] * 2 + ["skill-luck index"]
    assert describe_card(answer).startswith("greedy and random d")
    assert "greedy and random play" in write_card_basis(answer)
    many = ",".join(f"noisy:sigma={sigma}" for sigma in range(1, 9))
    with pytest.raises(InvalidError, match="at most 6"):
        answer_card(question.model_copy(update={"strategy": many}), source_of(catalogue.rulesets))


def test_a_difference_is_clear_if_two_intervals_have_nothing_in_common() -> None:
    first, second = (make_course(rounds=np.full(BLOCKS, length)) for length in (1.0, 9.0))
    assert is_different([first[2], second[2]])
    assert not is_different([first[3], second[3]])
    styles = [*first, *(one._replace(style="bad") for one in second)]
    answer = SimpleNamespace(measures=styles, styles=("good", "bad"))
    said = "good and bad differ clearly in rounds of a game; not clearly in edge of a seat, moves of a game, choices, "
    assert describe_card(cast("CardAnswer", answer)).startswith(said)


def test_slow_strategies_are_left_out_and_unmeasured_rulesets_have_a_short_ladder(
    catalogue: Catalogue,
) -> None:
    pairs, left_out = find_ladder_pairs(catalogue.rulesets["bloxx-2p"])
    assert [better.partition(":")[0] for better, _ in pairs] == ["noisy", "greedy", "planner"]
    assert "without rollout" in left_out[0]
    assert find_ladder_pairs(catalogue.rulesets["bloxx-mini"]) == (
        [("noisy", "random"), ("greedy", "noisy")],
        (),
    )


def test_strategies_that_need_a_compiled_game_are_left_out_without_one(
    catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REROLL_KERNELS", "0")
    pairs, left_out = find_ladder_pairs(catalogue.rulesets["bloxx-2p"])
    assert [better.partition(":")[0] for better, _ in pairs] == ["noisy", "greedy"]
    assert "without planner, rollout" in left_out[0]
    assert "needs a compiled game" in left_out[0]
    answer = answer_card(CardQuestion(ruleset="bloxx-mini", blocks=10), source_of(catalogue.rulesets))
    monkeypatch.delenv("REROLL_KERNELS")
    assert "at stake in decisions is left out" in answer.basis.left_out[-1]
    compiled = answer_card(answer.question, source_of(catalogue.rulesets))
    assert tuple(one for one in compiled.measures if one.key not in {"stake", "matter"}) == answer.measures


@pytest.mark.parametrize(
    ("ruleset", "style", "words"),
    [
        ("nope", "greedy", "no ruleset 'nope'"),
        ("bloxx-2p", "nope", "unknown strategy"),
        ("solo", "", "one player"),
    ],
)
def test_a_card_needs_a_ruleset_of_two_players_and_a_strategy_of_its_game(
    catalogue: Catalogue, ruleset: str, style: str, words: str
) -> None:
    rulesets = {
        **catalogue.rulesets,
        "solo": catalogue.rulesets["bloxx-2p"].model_copy(update={"players": 1}),
    }
    with pytest.raises(InvalidError, match=words):
        answer_card(CardQuestion(ruleset=ruleset, strategy=style, blocks=10), source_of(rulesets))


def test_a_card_lists_what_each_piece_is_worth(catalogue: Catalogue) -> None:
    *_, answer = iter_card_answers(
        CardQuestion(ruleset="bloxx-2p", blocks=30), catalogue.rulesets["bloxx-2p"]
    )
    worths = answer.find_measures("worth")
    assert [one.about for one in worths] == [
        one.name for one in games.find_game("bloxx").restrictions(answer.ruleset)
    ]
    measures, table, _ = list_card_tables(answer)
    assert table.title == WORTH_TITLE
    costs = {one.about: one.measured.interval for one in answer.find_measures("worth-points")}
    ordered = [interval.estimate for row in table.rows if (interval := costs.pop(str(row[0])))]
    assert ordered == sorted(ordered, reverse=True), "the costliest first"
    assert (table.columns, costs) == (("without", "drawing", "wins of 100 lost", "points lost"), {})
    drawings = dict(zip(table.list_values("without"), table.list_values("drawing"), strict=True))
    assert (drawings["die A"], drawings["shape I2"]) == (None, 4 * "\N{FULL BLOCK}")
    assert "only some are tried" in table.caption
    assert table.caption.endswith("which count 30 blocks.")
    recorded = compose_recorded_card(next(card for card in recorded_cards() if card.ruleset == "bloxx-2p"))
    assert [shown.columns for shown in recorded.tables if shown.title == WORTH_TITLE] == [table.columns]
    assert "could draw nothing else forfeits the turn" in table.caption
    assert not {row[0] for row in measures.rows} & set(WORTH_KEYS)


@pytest.mark.slow
def test_a_card_keeps_its_parts_while_it_grows(catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(STEPS, lambda total: timed_steps(total, first=6, growth=1))
    question = CardQuestion(ruleset="bloxx-mini", strategy="greedy", blocks=24, seed=2)
    answers = iter_card_answers(question, catalogue.rulesets["bloxx-mini"])
    check_growth([compose(answer, find_no_looks) for answer in answers])


def test_every_renderer_shows_the_scales_of_a_recorded_card(catalogue: Catalogue) -> None:
    question = RulesQuestion(ruleset="bloxx-2p", part="card")
    sheet = compose(answer_rules(question, source_of(catalogue.rulesets)), find_no_looks)
    assert sheet.kind == "card"
    main, others = sheet.list_contents(Scales)
    assert len(main.rows) == 8
    assert [part.role for part in sheet.parts if part.content is others] == ["details"]
    rows = (*main.rows, *others.rows)
    html, lines = write_sheet_html(sheet), "\n".join(write_sheet_lines(sheet, 10_000))
    known = 0
    for row in rows:
        assert f"<span>{row.title}</span> <span>{row.text}</span>" in html
        assert row.title in lines
        assert row.text in lines
        assert min(row.others)[1] in lines
        assert max(row.others)[1] in lines
        known += row.place is not None
    assert html.count('<circle class="own"') == known > 15
    assert html.count('<line class="other"') == sum(len(row.others) for row in rows)
    assert len(sheet_document(sheet)["measures"]) > len(rows)
