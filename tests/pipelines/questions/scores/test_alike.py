"""Scores compare like with like: the same line-ups, every block once, seats with the same opponents."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest

from engine.catalogue import Catalogue
from pipelines.design.designs import design_simulation
from pipelines.questions.scores.answer import DistributionsAnswer, answer_scores
from pipelines.questions.scores.means import MeansAnswer
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.questions.source import QuestionSource
from pipelines.report.charts import Intervals, Mark
from pipelines.report.compose import compose
from pipelines.report.score_sentences import describe_distributions, describe_means
from pipelines.runs.library import Library
from pipelines.simulate.simulate import simulate_run

if TYPE_CHECKING:
    from pathlib import Path


def play(folder: Path, name: str, ruleset: str, lineup: str, **options: Any) -> None:  # noqa: ANN401 - options of a design
    """Simulate a small run of a line-up such as "greedy,random" into a library."""
    design = design_simulation(
        Catalogue().find_ruleset(ruleset), lineup.split(","), **{"blocks": 12, "seed": 41, **options}
    )
    simulate_run(design, folder / "runs" / f"{name}.duckdb", workers=1)


def ask_scores(folder: Path, **fields: Any) -> DistributionsAnswer:  # noqa: ANN401 - fields of the question
    answer = answer_scores(ScoresQuestion(**fields), QuestionSource(Library(folder)))
    assert isinstance(answer, DistributionsAnswer)
    assert not answer.problems
    return answer


def ask_players(folder: Path, *rulesets: str) -> MeansAnswer:
    question = ScoresQuestion(rulesets=rulesets, view="Players")
    answer = answer_scores(question, QuestionSource(Library(folder)))
    assert isinstance(answer, MeansAnswer)
    return answer


def test_line_ups_of_the_same_names_in_other_numbers_are_not_compared(tmp_path: Path) -> None:
    play(tmp_path, "two", "blokus-3p", "greedy,greedy,random")
    play(tmp_path, "one", "blokus-fixed-3p", "greedy,random,random")
    rulesets = ("blokus-3p", "blokus-fixed-3p")
    assert not describe_distributions(ask_scores(tmp_path, rulesets=rulesets))
    play(tmp_path, "equal", "blokus-fixed-3p", "random,greedy,greedy")
    answer = ask_scores(tmp_path, rulesets=rulesets)
    assert "Blokus (fixed corners)" in describe_distributions(answer)
    assert set(answer.basis.runs) == {"two", "equal"}
    play(tmp_path, "other", "bloxx-3p", "greedy,greedy,random")
    answer = ask_scores(tmp_path, rulesets=("blokus-3p", "bloxx-3p"))
    assert not describe_distributions(answer)
    assert "Points of different games have nothing in common" in answer.basis.left_out[0]


def test_opponents_are_not_sold_as_the_effect_of_a_seat(tmp_path: Path) -> None:
    play(tmp_path, "first", "bloxx-2p", "greedy,random", rotate=False)
    play(tmp_path, "second", "bloxx-2p", "noisy,greedy", rotate=False)
    assert describe_means(ask_players(tmp_path, "bloxx-2p")) == ("",)
    play(tmp_path, "both", "bloxx-2p", "random,greedy", blocks=13)
    assert all("as player" in said for said in describe_means(ask_players(tmp_path, "bloxx-2p")))


def test_the_picture_of_who_starts_shows_one_difference_for_two_players(tmp_path: Path) -> None:
    """Two bars would mirror each other."""
    play(tmp_path, "both", "bloxx-2p", "random,greedy", blocks=13)
    answer = ask_players(tmp_path, "bloxx-2p")
    sheet = compose(answer, QuestionSource(Library(tmp_path)).find_looks)
    (chart,) = sheet.list_contents(Intervals)
    assert chart.axis == "points more as player 1 than as player 2"
    assert [(estimate.panel, estimate.at) for estimate in chart.estimates] == [("", "greedy"), ("", "random")]
    means = {(mean.name, mean.at): mean.mean for mean in answer.means}
    for estimate in chart.estimates:
        first, second = means[estimate.name, 1], means[estimate.name, 2]
        assert estimate.mean.estimate == pytest.approx(first.estimate - second.estimate)
        assert estimate.mean.half_width == pytest.approx(first.half_width + second.half_width)
    wins = {(mean.name, mean.at): mean.wins and mean.wins.estimate for mean in answer.means}
    assert wins == {("greedy", 1): 1, ("greedy", 2): 1, ("random", 1): 0, ("random", 2): 0}
    wins_text = "; it wins 100 (77 to 100) of 100 games as player 1, 100 (77 to 100) as player 2 (13 results"
    assert wins_text in sheet.verdict


def test_the_picture_of_who_starts_compares_three_players_with_their_average(tmp_path: Path) -> None:
    """With the scores themselves, the distance between two strategies takes nearly all of its height."""
    play(tmp_path, "three", "bloxx-3p", "random,greedy,greedy", blocks=13)
    answer = ask_players(tmp_path, "bloxx-3p")
    (chart,) = compose(answer, QuestionSource(Library(tmp_path)).find_looks).list_contents(Intervals)
    assert chart.mark == Mark(0, "average")
    assert {estimate.panel for estimate in chart.estimates} == {"greedy", "random"}
    drawn = {(estimate.name, estimate.at): estimate.mean for estimate in chart.estimates}
    means = {(mean.name, f"player {mean.at}"): mean.mean for mean in answer.means}
    assert drawn.keys() == means.keys()
    for name in ("greedy", "random"):
        assert sum(drawn[name, f"player {at}"].estimate for at in (1, 2, 3)) == pytest.approx(0)
        assert drawn[name, "player 1"].half_width == pytest.approx(means[name, "player 1"].half_width)


def test_a_copy_and_the_same_command_again_add_nothing(tmp_path: Path) -> None:
    play(tmp_path, "made", "bloxx-2p", "greedy,random")
    before = ask_scores(tmp_path, rulesets=("bloxx-2p",))
    runs = tmp_path / "runs"
    shutil.copyfile(runs / "made.duckdb", runs / "copied.duckdb")
    play(tmp_path, "again", "bloxx-2p", "random,greedy", blocks=7)
    after = ask_scores(tmp_path, rulesets=("bloxx-2p",))
    assert [(one.scores.n, one.mean) for one in after.groups] == [
        (one.scores.n, one.mean) for one in before.groups
    ]
    assert len(after.basis.runs) == 1
    assert any("repeat" in sentence for sentence in after.basis.left_out)


@pytest.mark.parametrize("lineups", ["", "all"])
def test_the_picture_counts_the_line_ups_of_the_sentence_unless_the_question_pools_them(
    tmp_path: Path, lineups: str
) -> None:
    play(tmp_path, "plain", "bloxx-2p", "greedy,random")
    play(tmp_path, "other", "bloxx-2p", "greedy,noisy", blocks=20)
    play(tmp_path, "touch", "bloxx-touch-2p", "greedy,random")
    fields = {"lineups": lineups} if lineups else {}
    answer = ask_scores(tmp_path, rulesets=("bloxx-2p", "bloxx-touch-2p"), **fields)
    counted = {"plain", "touch", "other"} if lineups else {"plain", "touch"}
    assert set(answer.basis.runs) == counted
    plain = next(one for one in answer.groups if (one.ruleset, one.strategy) == ("bloxx-2p", "greedy"))
    # The blocks of both line-ups have the same luck, so twelve of them are the same blocks.
    assert (plain.scores.n, plain.blocks) == ((64, 20) if lineups else (24, 12))
    assert bool(describe_distributions(answer)) == (not lineups)
