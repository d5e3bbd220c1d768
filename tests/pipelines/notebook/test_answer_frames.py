"""The frames of all answers keep one rule: numbers for intervals, shares from 0 to 1, strategies as categoricals, nothing left out."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from pipelines.notebook.api import Library
from tests.pipelines.notebook.test_answers import ASK as ANSWERS

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipelines.notebook.answers import ShownBySheet
    from pipelines.runs import run as stored_run

VIEWS = ("Scores", "Parts", "Course", "Players", "Length", "Squares")


def _ask_view(library: Library, view: str) -> ShownBySheet:
    return library["made"].scores(view=view)


ASK: dict[str, Callable[[Library], ShownBySheet]] = {
    **ANSWERS,
    **{f"view {view}": partial(_ask_view, view=view) for view in VIEWS},
    "values of a rule": lambda library: library.rule_effect(
        "bloxx-2p",
        vary="gap_penalty=0..2",
        strategies="greedy,random",
        blocks=10,
        target="player 1 wins 45 to 55",
    ),
    "first moves": lambda library: library.openings("bloxx-mini", strategies="random", blocks=10),
    "two styles": lambda library: library.card("bloxx-mini", strategy="random,greedy", blocks=10),
}
INTERVAL_TEXT = re.compile(r"\d+(\.\d+)? \(.* to |\N{PLUS-MINUS SIGN}")
SHARES = re.compile(r"(?!luck)(.*_)?(win_)?share(_low|_high)?")


@pytest.fixture
def library(small_run: stored_run.Run) -> Library:
    return Library(small_run.path.parents[1])


@pytest.mark.parametrize("ask", ASK.values(), ids=ASK)
def test_every_frame_keeps_the_rule(library: Library, ask: Callable[[Library], ShownBySheet]) -> None:
    answer = ask(library)
    columns = answer.columns()
    assert columns["column"].tolist() == [*answer.pandas()]
    rules = {"gap_penalty"}  # the columns of rules have their keys
    assert not {*columns.loc[columns["meaning"] == "", "column"]} - rules
    for table in answer.tables:
        frame = answer.pandas(table)
        for name in map(str, frame):
            column = frame[name]
            assert not re.search(r"\s|,|\N{PLUS-MINUS SIGN}|of_100", name), (table, name)
            assert f"{name}_low" not in frame or f"{name}_high" in frame, (table, name)
            if name.endswith(("_low", "_high")):
                assert name.rpartition("_")[0] in frame, (table, name)
                assert pd.api.types.is_numeric_dtype(column), (table, name)
            texts = [text for text in column if isinstance(text, str)]
            assert not [text for text in texts if INTERVAL_TEXT.search(text)], (table, name)
            if SHARES.fullmatch(name):
                assert column.dropna().between(-2, 2).all(), (table, name)
            if re.fullmatch(r"strategy|strategies_\d+|a|b", name):
                assert column.dtype == "category", (table, name)


def test_the_distribution_of_scores_has_a_row_for_each_group_and_score(library: Library) -> None:
    run = library["made"]
    answer = run.scores()
    counts, groups = answer.pandas("scores"), answer.pandas("groups")
    assert counts.groupby("strategy", observed=True)["count"].sum().to_dict() == dict(
        zip(groups["strategy"], groups["results"], strict=True)
    )
    seats = run.pandas("seats")
    assert seats["score"].min() < 0 < seats["score"].max()
    expected = seats.groupby(["strategy", "score"], observed=True).size().to_dict()
    assert counts.set_index(["strategy", "value"])["count"].to_dict() == expected


def test_the_numbers_of_a_card_are_shares_that_name_their_unit(library: Library) -> None:
    measures = library.card("bloxx-mini", strategy="random", blocks=10).pandas()
    edges = measures[measures["measure"] == "edge of a seat"]
    assert edges["unit"].tolist() == ["win share", "win share"]
    assert edges["estimate"].between(-0.5, 0.5).all()
    assert edges["estimate"].sum() == pytest.approx(0)
    assert not measures["unit"].isin({"%", "wins of 100"}).any()


def test_the_values_of_a_rule_are_the_means_of_the_typed_answer(library: Library) -> None:
    effect = ASK["values of a rule"](library)
    means, values = effect.pandas("means"), effect.pandas("values")
    of_greedy = means[(means["kind"] == "wins") & (means["of"] == "greedy")]
    for end in ("", "_low", "_high"):
        assert values[f"wins_of_greedy{end}"].tolist() == pytest.approx(of_greedy[f"mean{end}"].tolist())
    of_seats = means[means["kind"] == "player wins"]
    assert of_seats["seat"].isin({0, 1}).all()
    assert means.loc[means["kind"] == "score", "seat"].isna().all()


def test_columns_of_strategies_can_be_compared(library: Library) -> None:
    games = library.games("game", runs="made", limit=5).pandas()
    assert not (games["strategies_0"] == games["strategies_1"]).any()
