"""The frames of all answers keep one rule: numbers for intervals, shares from 0 to 1, strategies as categoricals, nothing left out."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, get_args
from urllib.parse import quote

import pandas as pd
import pytest

from engine.errors import InvalidError
from pipelines.design.titles import name_moves
from pipelines.experiments.pair_results import VerdictKind
from pipelines.notebook.api import Library
from pipelines.questions.address import make_question
from pipelines.questions.card import CARD_MEASURES, CardQuestion, iter_card_answers
from pipelines.report.frame_columns import _OTHERS_IN_TABLES
from tests.pipelines.notebook.test_answers import ASK as ANSWERS

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipelines.notebook.answers import ShownBySheet
    from pipelines.questions.scores.question import ReviewMeasure
    from pipelines.runs import run as stored_run

DECISIONS: tuple[ReviewMeasure, ...] = ("lost points", "lost wins", "slips", "luck", "choices")
ROOT = Path(__file__).parents[3]
VIEWS = ("Scores", "Parts", "Course", "Players", "Length", "Squares", "Moves")


def _ask_view(library: Library, view: str) -> ShownBySheet:
    return library["made"].scores(view=view)


def _ask_decisions(library: Library, measure: ReviewMeasure) -> ShownBySheet:
    library["made"].review_all(games=4, effort=0.1, progress=False)
    return library["made"].decisions(measure)


def _ask_luckiest_games(library: Library) -> ShownBySheet:
    _ask_decisions(library, "luck")
    return library.games("luck", runs="made")


def _compare_three(library: Library) -> ShownBySheet:
    comparison = library.compare("bloxx-2p", ["greedy", "random", "noisy"], blocks=10, name="three")
    library["three"].remove()  # other tests count the runs of this library
    return comparison


ASK: dict[str, Callable[[Library], ShownBySheet]] = {
    **ANSWERS,
    **{f"view {view}": partial(_ask_view, view=view) for view in VIEWS},
    "three strategies": _compare_three,
    "values of a rule": lambda library: library.rule_effect(
        "bloxx-2p",
        vary="gap_penalty=0..2",
        strategies="greedy,random",
        blocks=10,
        target="player 1 wins 45 to 55",
    ),
    "first moves": lambda library: library.openings("bloxx-mini", strategies="random", blocks=10),
    **{f"decisions {measure}": partial(_ask_decisions, measure=measure) for measure in DECISIONS},
    "luckiest games": _ask_luckiest_games,
    "percentiles": lambda library: library.scores(runs="made", score=30),
    "two styles": lambda library: library.card("bloxx-mini", strategy="random,greedy", blocks=10),
}
INTERVAL_TEXT = re.compile(r"\d+(\.\d+)? \(.* to |\N{PLUS-MINUS SIGN}")
STRATEGIES = {"greedy", "random", "noisy"}
LINEUP = {*STRATEGIES, "noisy:sigma=2.3"}
MISSING_NUMBERS = re.compile(r"(luck|above_mean|win_share|log_strength|elo|mean|each)(_low|_high)?")
"""Fractions that an answer may not have at all."""
OTHER_WORDS = re.compile(
    r"(player|move|game|name|deviation|wins|above|is_logged|(best|chosen)_.*behind|chosen_(action|notation)|mean_(score|rounds|plies)|score_of_.*|wins_of_.*|.*_halves.*|.*_number)(_low|_high)?"
)
"""What frames of answers call `seat`, `ply`, `game_id`, `sd`, `win_share`, `above_mean`, `mean`, `x_low` and `x_high`."""
SEVERAL_MEANINGS = {
    "above_mean",
    "better",
    "difference",
    "luck",
    "mean",
    "n",
    "over",
    "ply",
    "score",
    "seat",
    "share",
    "strategy",
} | {"title", "value", "win_share"}
"""The only columns whose meaning depends on their frame."""
SHARES = re.compile(r"(?!luck)(.*_)?(win_)?share(_low|_high)?")


@pytest.fixture
def library(small_run: stored_run.Run) -> Library:
    return Library(small_run.path.parents[1])


@pytest.mark.slow
@pytest.mark.parametrize("ask", ASK.values(), ids=ASK)
def test_every_frame_keeps_the_rule(library: Library, ask: Callable[[Library], ShownBySheet]) -> None:
    answer = ask(library)
    columns = answer.columns()
    documented = {*re.findall(r"`(\w+)`", (ROOT / "docs" / "notebook.md").read_text(encoding="utf-8"))}
    assert {*answer.tables} - {*answer.charts} <= documented
    assert columns["column"].tolist() == [*answer.pandas()]
    for table in answer.tables:
        frame = answer.pandas(table)
        columns = answer.columns(table)
        assert re.fullmatch(r"[a-z]\w*", table)
        assert not [*columns.loc[columns["meaning"] == "", "column"]], table
        own_names = columns["column"] == "gap_penalty"
        assert own_names[columns["meaning"].isin(_OTHERS_IN_TABLES.values())].all(), table
        for name in map(str, frame):
            column = frame[name]
            assert re.fullmatch(r"[a-z][a-z_]*(?<!_)|percentile_\d+", name), (table, name)
            assert not re.search(r"of_100|_(from|to)$", name), (table, name)
            if isinstance(column.dtype, pd.ArrowDtype):  # lists, as in runs
                continue
            if column.isna().all():
                assert MISSING_NUMBERS.fullmatch(name) or column.dtype != float, (table, name)
            if {*column.dropna()} - {""} and {*column.dropna()} <= {*STRATEGIES, ""}:
                assert column.dtype == "category", (table, name)
            assert f"{name}_low" not in frame or f"{name}_high" in frame, (table, name)
            if name.endswith(("_low", "_high")):
                assert name.rpartition("_")[0] in frame, (table, name)
                assert pd.api.types.is_numeric_dtype(column), (table, name)
            texts = [text for text in column if isinstance(text, str)]
            assert not [text for text in texts if INTERVAL_TEXT.search(text)], (table, name)
            if SHARES.fullmatch(name):
                assert column.dropna().between(-2, 2).all(), (table, name)
            if re.fullmatch(r"strategy|opponent|a|b|.*notation", name):
                assert column.dtype == "category", (table, name)
        if "definition" in frame:
            assert not frame["definition"].str.contains("ow many of 100|to 100|sum 100").any()


@pytest.mark.slow
def test_all_frames_of_answers_have_one_vocabulary(library: Library) -> None:
    """A thing has one name, a name has one meaning, and names of strategies, parts and games are those of runs."""
    meanings: dict[str, set[str]] = {}
    rulesets = {*library.rulesets()["ruleset"]}
    parts = {*library["made"].pandas("parts")["part"]}
    for name, ask in ASK.items():
        answer = ask(library)
        for table in [table for table in answer.tables if table not in answer.charts]:
            frame = answer.pandas(table)
            for column, _, meaning in answer.columns(table).itertuples(index=False):
                meanings.setdefault(column, set()).add(meaning)
                assert not OTHER_WORDS.fullmatch(column), (name, table, column)
                if re.fullmatch(r"(original_)?strategy|opponent|a|b|over", column):
                    assert {*frame[column].dropna()} <= LINEUP, (name, table, column)
                if column in {"seat", "ply", "round", "game_id"}:
                    assert (frame[column].dropna() % 1 == 0).all(), (name, table, column)
                if f"{column}_low" in frame:
                    known = frame[[f"{column}_low", column, f"{column}_high"]].dropna().astype(float)
                    assert known.apply(lambda row: row.is_monotonic_increasing, axis=1).all(), (
                        name,
                        table,
                        column,
                    )
            assert "ruleset" not in frame or {*frame["ruleset"]} <= rulesets, (name, table)
            assert "part" not in frame or {*frame["part"]} <= parts, (name, table)
    several = {column for column, texts in meanings.items() if len(texts) > 1}
    assert several <= SEVERAL_MEANINGS | {
        f"{column}{end}" for column in SEVERAL_MEANINGS for end in ("_low", "_high")
    }


def test_the_distribution_of_scores_has_a_row_for_each_group_and_score(library: Library) -> None:
    run = library["made"]
    answer = run.scores()
    counts, groups = answer.pandas("scores"), answer.pandas("numbers")
    assert counts.groupby("strategy", observed=True)["count"].sum().to_dict() == dict(
        zip(groups["strategy"], groups["results"], strict=True)
    )
    seats = run.pandas("seats")
    assert seats["score"].min() < 0 < seats["score"].max()
    expected = seats.groupby(["strategy", "score"], observed=True).size().to_dict()
    assert counts.set_index(["strategy", "value"])["count"].to_dict() == expected


@pytest.mark.parametrize("styles", ["random", "random,greedy"])
def test_numbers_of_a_card_of_100_are_shares_in_all_its_frames(library: Library, styles: str) -> None:
    question = make_question(CardQuestion, {"ruleset": "bloxx-mini", "strategy": styles, "blocks": 10})
    *_, typed = iter_card_answers(question, library.catalogue.rulesets["bloxx-mini"])
    card = library.card("bloxx-mini", strategy=styles, blocks=10)
    measures = card.pandas()
    assert len(measures) == len(typed.measures)
    for row, measure in zip(measures.to_dict("records"), typed.measures, strict=True):
        is_share = CARD_MEASURES[measure.key].scale != 1
        assert ("share" in row["unit"]) is is_share, row
        if interval := measure.measured.interval:
            numbers = [row["estimate"], row["estimate_low"], row["estimate_high"]]
            assert numbers == pytest.approx([*interval]), row
    for table in card.tables:
        frame = card.pandas(table)
        assert not [name for name in map(str, frame) if re.search(r"%|100", name)], table
        if "unit" in frame:
            assert not frame["unit"].str.contains("%|100").any(), table
            of_shares = frame[frame["unit"].str.contains("share")].select_dtypes("float")
            assert (of_shares.abs().max() <= 1).all(), table


@pytest.mark.parametrize("name", ["effect of a rule", "values of a rule"])
def test_frames_of_rules_can_be_joined_by_the_values_of_rules(library: Library, name: str) -> None:
    """Some had the titles of rulesets, with marks, where others had names."""
    effect = ASK[name](library)
    rule = "ruleset" if name == "effect of a rule" else "gap_penalty"
    frames = [effect.pandas(table) for table in effect.tables if table not in effect.charts]
    having_rule = [frame for frame in frames if rule in frame]
    assert len(having_rule) >= 2
    for frame in having_rule:
        assert {*frame[rule]} == {*having_rule[0][rule]}
    assert "values" not in effect.tables
    assert "differences" not in {*effect.tables} - {*effect.charts}


def test_the_chart_of_differences_has_the_numbers_of_the_effects(library: Library) -> None:
    effect = ASK["effect of a rule"](library)
    keys = ["kind", "strategy", "seat"]
    drawn, told = (effect.pandas(table).query("kind != 'lead'") for table in ("differences", "effects"))
    both = drawn.merge(told, on=keys)
    assert len(both) > 3
    for end in ("", "_low", "_high"):
        assert both[f"estimate{end}"].equals(both[f"difference{end}"].rename(f"estimate{end}"))


def test_the_settings_of_rules_say_whether_they_meet_the_target(library: Library) -> None:
    settings = ASK["values of a rule"](library).pandas("settings")
    assert {*settings["meets_target"]} <= {"surely", "perhaps", "surely not"}
    assert "meets_target" not in ASK["effect of a rule"](library).pandas("settings")


def test_the_means_of_rules_are_of_a_strategy_or_of_a_seat(library: Library) -> None:
    means = ASK["values of a rule"](library).pandas("means")
    of_seats = means[means["kind"] == "player wins"]
    assert of_seats["seat"].isin({0, 1}).all()
    assert means.loc[means["kind"] == "score", "seat"].isna().all()


def test_the_frame_of_scales_has_the_numbers_with_their_places(library: Library) -> None:
    card = library.card("bloxx-mini", strategy="random", blocks=10)
    scales, measures = card.pandas("scales"), card.pandas()
    assert [name for name in measures if name in scales] == [*measures]
    key = ["measure", "estimate", "estimate_low", "estimate_high", "unit"]
    assert len(scales[key].merge(measures[key])) == len(scales)
    assert scales["place"].between(0, 1).all()


def test_a_whatif_has_one_frame_of_seats_and_its_chart_says_that_means_are_weighted(library: Library) -> None:
    answer = library["made"][0].whatif(4, strategies={0: "random"}, continuations=20)
    frame = answer.pandas()
    pd.testing.assert_frame_equal(frame, answer.pandas(answer.tables[0]))
    assert {"base", "score", "win_share"}.isdisjoint(frame)
    assert "players" not in answer.tables
    assert frame["strategy"].tolist() == [player.label for player in answer.fork.changed.seating]
    assert frame["continuations"].tolist() == [20] * len(frame)
    effects = [effect.score for effect in answer.seat_effects]
    assert frame["difference"].tolist() == [effect.estimate for effect in effects if effect]
    counted = answer.pandas("difference")
    mean = (counted["value"] * counted["count"]).sum() / counted["count"].sum()
    caption = next(part.caption for part in answer.sheet.parts if part.key == "difference")
    assert mean != pytest.approx(frame["difference"][0])
    assert caption.endswith("95 % interval of the mean, weighted by how likely the next roll is.")


def test_a_whatif_names_the_strategies_of_both_branches(library: Library) -> None:
    game = library["made"][0]
    frame = game.whatif(4, strategies={0: "random"}, continuations=20).pandas()
    assert frame["original_strategy"].tolist() == [seat.strategy for seat in game.seats]


def test_the_move_of_a_whatif_may_have_the_name_that_pages_give_it(library: Library) -> None:
    game = library["made"][0]
    state = game.state(1)
    names = name_moves(state)
    number = next(number for number in names if number != game.actions[1])
    notation = state.ruleset.action(number).notation
    named, noted = (game.whatif(1, action=text, continuations=20) for text in (names[number], notation))
    pd.testing.assert_frame_equal(named.pandas(), noted.pandas())
    assert named.fork.change == noted.fork.change
    begun = names[number].split(" at ")[0] + " at"
    with pytest.raises(InvalidError, match=rf"; did you mean '{begun} .*'\?$"):
        game.whatif(1, action=begun)


def test_a_review_has_a_row_for_each_seat_with_its_decisions_and_its_luck(library: Library) -> None:
    review = ANSWERS["review"](library)
    players, decisions = review.pandas("players"), review.pandas()
    counted = decisions.groupby(["seat", "judged"], observed=True).size()
    for row in players.to_dict("records"):
        of_seat = counted.loc[[row["seat"]]].droplevel("seat").to_dict()
        assert {judged: row[judged] for judged in of_seat} == of_seat
    ledgers = review.pandas("ledgers")
    assert players["luck_points"].tolist() == pytest.approx(ledgers["luck"].tolist())
    rolls = review.pandas("rolls")
    assert not rolls.duplicated(["run", "game_id", "ply", "seat"]).any()
    assert rolls.groupby("seat")["luck_points"].sum().tolist() == pytest.approx(
        ledgers["luck"].tolist(), abs=0.01
    )


def test_frames_of_reviews_of_several_games_can_be_put_together_and_joined_with_the_log(
    library: Library,
) -> None:
    run = library["made"]
    reviews = [run[number].review(effort=0.1, progress=False) for number in (0, 1)]
    for table in [table for table in reviews[0].tables if table not in reviews[0].charts]:
        both = pd.concat([review.pandas(table) for review in reviews])
        assert {*both["run"]} == {"made"}
        assert {*both["game_id"]} == {0, 1}, table
    decisions = pd.concat([review.pandas() for review in reviews])
    joined = decisions.merge(run["log"])
    assert len(joined) == len(decisions) > 0
    assert not [name for name in map(str, joined) if name.endswith(("_x", "_y"))]


OTHER_ANSWERS: dict[str, tuple[Callable[[Library], ShownBySheet], list[str]]] = {
    "comparison": (lambda library: library["made"].comparison(metric="margin"), ["run", "ruleset", "metric"]),
    "whatif": (
        lambda library: library["made"][0].whatif(4, strategies={1: "noisy"}, continuations=20),
        ["run", "game_id", "ply", "change"],
    ),
    "review": (lambda library: library["made"][1].review(effort=0.02), ["run", "game_id"]),
    "scores": (lambda library: library.scores(rulesets="bloxx-mini", view="Parts"), ["ruleset"]),
    "scores of a run": (lambda library: library["small"].scores(), ["run", "ruleset"]),
    "games": (lambda library: library.games("margin", runs="small"), ["run", "game_id"]),
    "card": (lambda library: library.card("bloxx-2p", strategy="random", blocks=10), ["ruleset"]),
    "values of a rule": (
        lambda library: library.rule_effect(
            "bloxx-mini", vary="gap_penalty=0..2", strategies="greedy,random", blocks=10
        ),
        ["base_ruleset"],
    ),
    "first moves": (
        lambda library: library.openings("bloxx-mini", strategies="greedy", blocks=10),
        ["ruleset", "lineup"],
    ),
}
"""By the name of an answer of `ASK`, another of its kind, and the columns that tell their rows apart."""


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHER_ANSWERS)
def test_the_rows_of_two_answers_of_a_kind_are_told_apart_by_the_first_columns(
    library: Library, name: str
) -> None:
    library.simulate("bloxx-mini", "greedy,random", games=4, seed=1, name="small", progress=False)
    ask, keys = OTHER_ANSWERS[name]
    answers = [ASK[name](library), ask(library)]
    library["small"].remove()  # other tests count the runs of this library
    for table in answers[0].tables:
        if table in answers[1].tables:
            rows = [{*answer.pandas(table)[keys].itertuples(index=False, name=None)} for answer in answers]
            assert all(rows), table
            assert not rows[0] & rows[1], table


def test_decisions_of_a_review_have_their_strategies_and_rounds(library: Library) -> None:
    game = library["made"][0]
    decisions = game.review(effort=0.02).pandas()
    assert decisions.groupby("strategy", observed=True).size().sum() == len(decisions)
    log = game.plies.set_index("ply")
    assert decisions["round"].tolist() == log.loc[decisions["ply"], "round"].tolist()
    assert decisions["strategy"].tolist() == [game.seats[seat].strategy for seat in decisions["seat"]]


def test_the_numbers_of_two_strategies_in_a_card_name_both(library: Library) -> None:
    measures = library.card("bloxx-mini", blocks=10, progress=False).pandas()
    assert measures["strategy"].notna().all()
    of_pairs = measures[measures["opponent"].notna()]
    assert {*zip(of_pairs["strategy"], of_pairs["opponent"], strict=True)} == {
        ("greedy", "noisy"),
        ("noisy", "random"),
        ("greedy", "random"),
    }


def test_the_frame_of_effects_names_the_rule_and_its_value(library: Library) -> None:
    effects = ASK["values of a rule"](library)
    frame, means = effects.pandas("effects"), effects.pandas("means")
    assert {*frame["rule"]} == {"gap_penalty"}
    assert {*frame["value"]} < {*means["gap_penalty"]}
    joined = frame.merge(
        means, left_on=["value", "kind", "strategy"], right_on=["gap_penalty", "kind", "strategy"]
    )
    of_scores = joined[joined["kind"] == "score"].dropna(subset="difference_x")
    assert len(of_scores)
    assert of_scores["difference_x"].tolist() == pytest.approx(of_scores["difference_y"].tolist())
    meanings = effects.columns("seats").set_index("column")["meaning"]
    assert meanings["n"] == effects.columns("wins").set_index("column")["meaning"]["n"]


def test_squares_of_first_moves_are_a_list_as_in_runs(library: Library) -> None:
    values = ASK["first moves"](library).pandas()
    assert values["cells"].dtype == library["made"].pandas("log")["cells"].dtype
    assert (values["cells"].list.len() > 0).all()


def test_parts_have_the_names_that_run_files_have(library: Library) -> None:
    run = library["made"]
    parts = run.scores(view="Parts").pandas()
    means = run.pandas(
        "SELECT strategy, part, avg(points) AS mean FROM parts JOIN seats USING (game_id, seat) GROUP BY ALL"
    )
    joined = parts.merge(means, on=["strategy", "part"])
    assert len(joined) == len(parts) > 0
    assert joined["mean_x"].tolist() == pytest.approx(joined["mean_y"].tolist())


def test_the_difference_of_squares_names_both_strategies(library: Library) -> None:
    squares = library["made"].scores(view="Squares").pandas()
    differences = squares[squares["over"].notna()]
    assert {*squares["strategy"]} == {*differences["strategy"], *differences["over"]} == {"greedy", "random"}


def test_a_score_of_a_comparison_is_a_score_in_all_its_frames(library: Library) -> None:
    comparison = library["made"].comparison()
    lowest, highest = library["made"].pandas("seats")["score"].agg(["min", "max"])
    assert comparison.pandas("sides")["mean"].between(lowest, highest).all()
    assert not [table for table in comparison.tables if "score" in comparison.pandas(table)]
    assert [*comparison.pandas("seats")][3:7] == ["seat", "effect", "effect_low", "effect_high"]


def test_columns_of_strategies_can_be_compared(library: Library) -> None:
    answer = library.games("game", runs="made", limit=5)
    seats = answer.pandas("seats")
    of_games = seats.set_index(["run", "game_id"])["strategy"].groupby(level=[0, 1]).agg(list)
    assert {*of_games.index} >= {*answer.pandas().set_index(["run", "game_id"]).index}
    assert (of_games.map(len) == of_games.map(set).map(len)).all()
    of_run = library["made"].pandas("seats")
    assert len(seats.merge(of_run, on=["game_id", "seat", "strategy", "score", "rank"])) == len(seats) > 0


def test_a_column_of_texts_is_one_also_where_all_are_missing(library: Library) -> None:
    comparison = library["made"].comparison()
    for table, column in (("pairs", "decision"), ("players", "parameters")):
        texts = comparison.pandas(table)[column]
        assert texts.isna().all()
        assert pd.api.types.is_string_dtype(texts)


def test_the_frame_of_a_query_has_the_columns_and_numbers_of_the_query(library: Library) -> None:
    sql = "SELECT seat AS player, game_id AS game, score AS wins, rank AS moves, 1 AS round FROM seats ORDER BY ALL LIMIT 4"
    answer = library.ask(f"/sql?sql={quote(sql)}")
    expected = library.pandas(sql)
    for frame in map(answer.pandas, ("rows", "answer")):
        assert [*frame] == [*expected] == ["player", "game", "wins", "moves", "round"]
        assert frame.to_numpy().tolist() == expected.to_numpy().tolist()


def test_rounds_count_from_0_in_frames(library: Library) -> None:
    run = library["made"]
    course = run.scores(view="Course").pandas("numbers")
    first = run.pandas("SELECT strategy, score_sum / n AS score FROM score_by_round WHERE round = 0")
    of_first = course[course["round"] == 0].set_index("strategy")["mean"]
    assert of_first.to_dict() == pytest.approx(first.set_index("strategy")["score"].to_dict())


def test_strategies_have_one_name_in_all_frames_of_a_comparison(library: Library) -> None:
    lineup = ["greedy", "random", "planner:candidates=2"]
    comparison = library.compare("bloxx-2p", lineup, blocks=10, name="planned")
    library_scores = library["planned"].pandas("seats")
    library["planned"].remove()
    for table in ("pairs", "part_numbers", "quantiles", "twins"):
        frame = comparison.pandas(table)
        assert {*frame["a"], *frame["b"]} <= {*lineup}, table
    for table in ("sides", "ratings", "players"):
        assert {*comparison.pandas(table)["strategy"]} == {*lineup}, table
    matrix = comparison.pandas("matrix").set_index(["strategy", "opponent"])["difference"]
    assert len(matrix) == 6
    for pair in comparison.pairs:
        assert pair.difference
        assert matrix[pair.a, pair.b] == -matrix[pair.b, pair.a] == pair.difference.estimate
    twins = comparison.pandas("twins")
    assert (twins["score_a"] - twins["score_b"]).equals(twins["difference"])
    scores = library_scores.set_index(["game_id", "seat"])["score"]
    assert (
        twins["score_a"].tolist() == scores[[*zip(twins["game_id_a"], twins["seat"], strict=True)]].tolist()
    )


def test_a_rating_that_is_not_finite_is_missing(library: Library) -> None:
    ratings = library["made"].comparison().pandas("ratings")
    assert ratings["is_separated"].all()
    assert ratings[["elo", "log_strength"]].isna().all(axis=None)
    assert ratings["elo_high"].notna().any()


def test_the_meaning_of_a_verdict_names_all_of_its_kinds(library: Library) -> None:
    columns = library["made"].comparison().columns("pairs").set_index("column")["meaning"]
    for kind in get_args(VerdictKind):
        assert kind in columns["verdict_kind"]


def test_numbers_of_rules_name_a_strategy_or_a_seat_and_their_unit(library: Library) -> None:
    means = ASK["values of a rule"](library).pandas("means")
    assert (means["strategy"].notna() & means["seat"].notna()).sum() == 0
    units = {kind: {*rows["unit"]} for kind, rows in means.groupby("kind")}
    assert units["seat effect"] == units["score"] == units["lead"] == {"points"}
    assert units["player wins"] == units["wins"] == {"win share"}


def test_the_frame_of_a_chart_has_the_title_of_its_axis(library: Library) -> None:
    effect = ASK["values of a rule"](library)
    wins = effect.pandas("wins")
    assert {*wins["axis"]} == {"wins of 100 games"}
    assert wins["mean"].max() > 1
    meanings = effect.columns("wins").set_index("column")["meaning"]
    assert meanings["mean"] == "the mean, in the unit of the column axis"
