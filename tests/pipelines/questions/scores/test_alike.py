"""Scores compare like with like: the same line-ups, every block once, seats with the same opponents."""

from __future__ import annotations

import math
import re
import shutil
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pytest
from scipy.special import stdtrit

from engine.catalogue import Catalogue
from pipelines.design.designs import design_simulation
from pipelines.questions.scores.answer import DistributionsAnswer, answer_scores
from pipelines.questions.scores.means import MeansAnswer, measure_seat_edges
from pipelines.questions.scores.question import ScoresQuestion, View
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


def ask_players(folder: Path, *rulesets: str, view: View = "Players") -> MeansAnswer:
    question = ScoresQuestion(rulesets=rulesets, view=view)
    answer = answer_scores(question, QuestionSource(Library(folder)))
    assert isinstance(answer, MeansAnswer)
    return answer


def test_line_ups_of_the_same_names_in_other_numbers_are_not_compared(tmp_path: Path) -> None:
    play(tmp_path, "two", "blokus-3p", "greedy,greedy,random")
    play(tmp_path, "one", "blokus-fixed-3p", "greedy,random,random")
    rulesets = ("blokus-3p", "blokus-fixed-3p")
    said, *others = describe_distributions(ask_scores(tmp_path, rulesets=rulesets))
    assert re.match(
        r"with different line-ups, (greedy|random) scores .* points with Blokus \(fixed corners\) than with Blokus \(",
        said,
    )
    assert not any("line-ups" in words for words in others)
    play(tmp_path, "equal", "blokus-fixed-3p", "random,greedy,greedy")
    answer = ask_scores(tmp_path, rulesets=rulesets)
    sentences = describe_distributions(answer)
    assert [words.split(" scores ")[0] for words in sentences] == ["greedy", "random"]
    assert all("Blokus (fixed corners)" in words for words in sentences)
    assert set(answer.basis.runs) == {"two", "equal"}
    play(tmp_path, "other", "bloxx-3p", "greedy,greedy,random")
    answer = ask_scores(tmp_path, rulesets=("blokus-3p", "bloxx-3p"))
    assert describe_distributions(answer) == (
        "points of different games have nothing in common, so these scores are not compared",
    )


def test_the_lead_by_round_names_the_lead_at_the_end_of_all_games_beside_it(tmp_path: Path) -> None:
    """Late rounds are those of long games, so the lead after the last common round is another one than that of the library."""
    play(tmp_path, "duel", "bloxx-2p", "greedy,random")
    course = ask_players(tmp_path, "bloxx-2p", view="Course")
    (comparison,) = ask_scores(tmp_path, rulesets=("bloxx-2p",)).comparisons
    assert course.final == comparison.others[0][1]
    assert ask_players(tmp_path, "bloxx-2p", view="Parts").final is None
    first, second = describe_means(course)
    assert first.startswith("From round ")
    assert second.startswith("with every game at its own end, early or late, greedy has about ")
    assert second.endswith("; 95 % interval)")


def test_who_starts_is_answered_for_every_ruleset_in_one_sentence_although_line_ups_differ(
    tmp_path: Path,
) -> None:
    play(tmp_path, "two", "bloxx-2p", "greedy,random")
    play(tmp_path, "three", "bloxx-3p", "greedy,greedy,random")
    answer = ask_players(tmp_path, "bloxx-2p", "bloxx-3p")
    assert answer.scope.hindrance
    (sentence,) = describe_means(answer)
    assert " as player 1 " in sentence
    assert {"BLOXX!, 2 players", "BLOXX!, 3 players"} == {*re.findall(r"BLOXX!, \d players", sentence)}
    (chart,) = compose(answer, QuestionSource(Library(tmp_path)).find_looks).charts
    assert isinstance(chart, Intervals)
    panels = {estimate.panel for estimate in chart.estimates}
    assert panels == {"all together · BLOXX!, 2 players", "all together · BLOXX!, 3 players"}


def test_the_picture_of_parts_begins_with_their_differences(tmp_path: Path) -> None:
    play(tmp_path, "duel", "bloxx-2p", "greedy,random")
    answer = ask_players(tmp_path, "bloxx-2p", view="Parts")
    lead, means = compose(answer, QuestionSource(Library(tmp_path)).find_looks).charts
    assert isinstance(lead, Intervals)
    assert isinstance(means, Intervals)
    assert lead.mark == Mark(0, "as many")
    by_part = {(mean.strategy, mean.at): mean.mean for mean in answer.means}
    for row in lead.estimates:
        a, b = (by_part[name, str(row.at)] for name in ("greedy", "random"))
        half = a.half_width + b.half_width
        difference = a.estimate - b.estimate
        assert tuple(row.mean) == pytest.approx((difference, difference - half, difference + half))


def test_opponents_are_not_sold_as_the_effect_of_a_seat(tmp_path: Path) -> None:
    play(tmp_path, "first", "bloxx-2p", "greedy,random", rotate=False)
    play(tmp_path, "second", "bloxx-2p", "noisy,greedy", rotate=False)
    assert describe_means(ask_players(tmp_path, "bloxx-2p")) == ("",)
    play(tmp_path, "both", "bloxx-2p", "random,greedy", blocks=13)
    assert all(
        re.search("as (each )?player", said) for said in describe_means(ask_players(tmp_path, "bloxx-2p"))
    )


def test_the_picture_of_who_starts_shows_one_difference_for_two_players(tmp_path: Path) -> None:
    """Two bars would mirror each other."""
    play(tmp_path, "both", "bloxx-2p", "random,greedy", blocks=13)
    answer = ask_players(tmp_path, "bloxx-2p")
    sheet = compose(answer, QuestionSource(Library(tmp_path)).find_looks)
    (chart,) = sheet.list_contents(Intervals)
    assert chart.axis == "points more as player 1 than as player 2"
    assert [(estimate.panel, estimate.at) for estimate in chart.estimates] == [
        ("", name) for name in ("all together", "greedy", "random")
    ]
    means = {(mean.name, mean.at): mean.mean.estimate for mean in answer.means}
    for estimate in chart.estimates[1:]:
        difference = means[str(estimate.at), 1] - means[str(estimate.at), 2]
        assert estimate.mean.estimate == pytest.approx(difference)
    wins = {(mean.name, mean.at): mean.wins and mean.wins.estimate for mean in answer.means}
    assert wins == {("greedy", 1): 1, ("greedy", 2): 1, ("random", 1): 0, ("random", 2): 0}
    assert " wins " not in sheet.verdict
    assert sheet.consequences[0] == (
        "greedy wins 100 (77 to 100) of 100 games as each player (13 results each; 95 % intervals); random wins 0 (0 to 23) of 100 "
        "games as each player (13 results each; 95 % intervals)"
    )


def test_the_picture_of_who_starts_compares_three_players_with_their_average(tmp_path: Path) -> None:
    """With the scores themselves, the distance between two strategies takes nearly all of its height."""
    play(tmp_path, "three", "bloxx-3p", "random,greedy,greedy", blocks=13)
    answer = ask_players(tmp_path, "bloxx-3p")
    chart, wins = compose(answer, QuestionSource(Library(tmp_path)).find_looks).list_contents(Intervals)
    assert chart.mark == wins.mark == Mark(0, "average")
    assert list(dict.fromkeys(estimate.panel for estimate in chart.estimates)) == [
        "all together",
        "greedy",
        "random",
    ]
    drawn = {(estimate.panel, estimate.at): estimate.mean for estimate in chart.estimates}
    for panel, name in (("all together", "%"), ("greedy", "greedy"), ("random", "random")):
        for at, right in enumerate(measure_edges_by_hand(tmp_path / "runs" / "three.duckdb", name)):
            assert drawn[panel, f"player {at + 1}"] == pytest.approx(right)
    assert wins.axis == "wins of 100 more than on average"
    shares = {(mean.name, mean.at): mean.wins and 100 * mean.wins.estimate for mean in answer.means}
    drawn = {(estimate.panel, estimate.at): estimate.mean for estimate in wins.estimates}
    own = [shares["greedy", at] or 0.0 for at in (1, 2, 3)]
    for at in (1, 2, 3):
        assert drawn["greedy", f"player {at}"].estimate == pytest.approx(own[at - 1] - sum(own) / 3, abs=1e-6)
    together = {row.look for row in chart.estimates if row.panel == "all together"}
    assert not together & {row.look for row in chart.estimates if row.panel != "all together"}


def test_beside_three_players_two_are_compared_with_their_average_as_well(tmp_path: Path) -> None:
    play(tmp_path, "two", "bloxx-2p", "greedy,greedy", blocks=13)
    play(tmp_path, "three", "bloxx-3p", "greedy,greedy,greedy", blocks=13)
    source = QuestionSource(Library(tmp_path))
    answer = answer_scores(ScoresQuestion(rulesets=("bloxx-2p", "bloxx-3p"), view="Players"), source)
    assert isinstance(answer, MeansAnswer)
    (chart,) = compose(answer, source.find_looks).list_contents(Intervals)
    drawn = {str(row.at): row.mean for row in chart.estimates if "2 players" in row.panel}
    means = {mean.at: mean.mean.estimate for mean in answer.means if "2 players" in mean.ruleset_name}
    average = sum(means.values()) / 2
    for at in (1, 2):
        assert drawn[f"player {at}"].estimate == pytest.approx(means[at] - average)
    assert drawn["player 1"].low == pytest.approx(-drawn["player 2"].high)


def measure_edges_by_hand(path: Path, strategy: str) -> list[tuple[float, float, float]]:
    """Return Student's intervals, corrected for three players, of the differences from the mean in each block."""
    with duckdb.connect(str(path), read_only=True) as con:
        rows = con.execute(
            "SELECT list(score ORDER BY seat) FROM (SELECT block, seat, avg(score) AS score FROM seats JOIN games "
            "USING (game_id) WHERE strategy LIKE ? GROUP BY ALL) GROUP BY block",
            [strategy],
        ).fetchall()
    scores = np.array([row[0] for row in rows])
    edges = scores - scores.mean(axis=1, keepdims=True)
    means, errors = edges.mean(axis=0), edges.std(axis=0, ddof=1) / math.sqrt(len(edges))
    halves = float(stdtrit(len(edges) - 1, 1 - 0.025 / 3)) * errors
    return list(zip(means, means - halves, means + halves, strict=True))


def test_luck_that_all_players_of_a_block_share_does_not_widen_the_edges_of_seats() -> None:
    """The intervals of the means themselves would leave open nearly everything."""
    draw, right, hits = np.random.default_rng(5), np.array([2.0, 0.0, -2.0]), 0
    block, seat = np.repeat(np.arange(40), 3), np.tile(np.arange(3), 40)
    for _ in range(300):
        luck = np.repeat(draw.normal(0, 50, 40), 3)
        columns = {
            "block": block,
            "seat": seat,
            "strategy": np.full(120, "greedy"),
            "score": luck + right[seat] + draw.normal(0, 1, 120),
            "results": np.ones(120),
        }
        edges, blocks = measure_seat_edges(columns, ["greedy"])
        assert blocks == 40
        assert all(edge.half_width < 1 for edge in edges.values())
        hits += all(edges[at + 1].low <= right[at] <= edges[at + 1].high for at in range(3))
    assert hits / 300 >= 0.93


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
    assert bool(answer.comparisons) == (not lineups)
    said = describe_distributions(answer)
    assert said[0].startswith("with different line-ups, ") == bool(lineups)


def test_wins_as_the_first_of_three_players_stand_beside_those_of_the_others(tmp_path: Path) -> None:
    """Nobody can say whether 61 of 100 games are many without what the same strategy wins as the others."""
    play(tmp_path, "three", "bloxx-3p", "greedy,greedy,random")
    said = describe_means(ask_players(tmp_path, "bloxx-3p"))
    (wins,) = [words for words in said if words.startswith("greedy wins")]
    assert re.search(
        r" as player 1, \d+ \(\d+ to \d+\) as player 2, \d+ \(\d+ to \d+\) as player 3 \(24 results each; 95 % intervals\)$",
        wins,
    )
