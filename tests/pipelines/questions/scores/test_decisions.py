"""Means over decisions and rolls agree with a plain count of the reviews, and a sentence claims no more than its interval."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from pipelines.experiments.review_runs import choose_reviewed_games, find_review_kind, review_run
from pipelines.questions.address import make_question
from pipelines.questions.games import GamesQuestion, answer_games
from pipelines.questions.scores.answer import answer_scores
from pipelines.questions.scores.decisions import DecisionGroup, DecisionsAnswer
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.questions.source import QuestionSource
from pipelines.report.charts import Intervals
from pipelines.report.compose import compose
from pipelines.report.games import describe_games, tabulate_games
from pipelines.report.table import Table
from pipelines.runs.attach import connect_runs
from pipelines.runs.library import Library
from pipelines.runs.reviews import STANDARD_ERRORS
from pipelines.statistics import Interval, mean_interval
from pipelines.statistics.intervals import hold_for_all

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

BAD = ("inaccuracy", "mistake", "blunder")


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory: pytest.TempPathFactory, play_run: Callable[..., None]) -> Library:
    """Two reviewed runs, one of a game without dice, and one that is not reviewed."""
    folder = tmp_path_factory.mktemp("reviewed")
    play_run(folder, "plain", "bloxx-2p", "greedy", "random", games=40)
    play_run(folder, "duo", "blokus-duo", "noisy", "random", games=4)
    play_run(folder, "later", "bloxx-2p", "greedy", "random", games=40, seed=8)
    library = Library(folder)
    for name, limit in (("plain", 30), ("duo", None)):
        run = library.run(name)
        kind = find_review_kind(run, effort=0.1)
        for _ in review_run(run, kind, choose_reviewed_games(run, limit), workers=1, threads=True):
            pass
    return library


def ask(library: Library, **fields: object) -> DecisionsAnswer:
    values = {"runs": ("plain",), "view": "Decisions", **fields}
    answer = answer_scores(make_question(ScoresQuestion, values), QuestionSource(library))
    assert isinstance(answer, DecisionsAnswer)
    return answer


def read_decisions(library: Library, table: str = "decisions") -> list[dict[str, Any]]:
    with connect_runs([library.run("plain")], reviewed=True) as connection:
        rows: list[dict[str, Any]] = connection.table(table).to_arrow_table().to_pylist()
    return rows


def test_points_lost_a_game_are_means_over_blocks(reviewed: Library) -> None:
    answer = ask(reviewed)
    assert answer.games == 30
    lost: dict[tuple[str, object], dict[object, float]] = defaultdict(lambda: defaultdict(float))
    step = math.ceil((1 + max(row["round"] for row in read_decisions(reviewed))) / 5)
    blocks = {row["block"] for row in read_decisions(reviewed)}
    for row in read_decisions(reviewed):
        for group in ("", row["round"] // step):
            lost[row["strategy"], group][row["block"]] += row["regret_points"]
    for strategy, groups in answer.groups.items():
        keyed: list[tuple[object, DecisionGroup]] = [(int(group.key), group) for group in groups]
        for key, group in [("", answer.totals[strategy]), *keyed]:
            # each strategy plays two games in a block, one on each seat
            means = np.array([lost[strategy, key][block] / 2 for block in blocks])
            expected = mean_interval(float(means.mean()), float(means.std(ddof=1)), len(means))
            assert expected
            if group.mean:
                number = sum(other.mean is not None for other in groups)
                wide = hold_for_all(expected, number, group.blocks) if group.key else expected
                assert tuple(group.mean) == pytest.approx(tuple(wide), abs=1e-5)
        assert sum(group.n for group in groups) == answer.totals[strategy].n
        assert groups[0].name == f"rounds 1 to {step}"


def test_slips_and_choices_are_means_over_decisions(reviewed: Library) -> None:
    slips, choices = (
        ask(reviewed, measure=measure, grouping="piece").groups["greedy"] for measure in ("slips", "choices")
    )
    rows = [row for row in read_decisions(reviewed) if row["strategy"] == "greedy"]
    for group in slips:
        of_group = [row for row in rows if row["piece"] == group.name]
        assert group.n == len(of_group)
        if group.mean:
            assert group.mean.estimate == pytest.approx(np.mean([row["class"] in BAD for row in of_group]))
    for group in choices:
        if group.mean:
            numbers = [row["choices"] for row in rows if row["piece"] == group.name]
            assert group.mean.estimate == pytest.approx(np.mean(numbers))
    known = [group.mean.estimate for group in slips if group.mean]
    assert known == sorted(known, reverse=True)
    assert all(group.mean is None for group in slips[len(known) :]), "rare ones come last"


def test_luck_is_the_sum_over_the_rolls_of_a_seat(reviewed: Library) -> None:
    answer = ask(reviewed, measure="luck", grouping="player", strategies=("greedy",))
    rows = [row for row in read_decisions(reviewed, "ledgers") if row["strategy"] == "greedy"]
    assert answer.totals["greedy"].mean
    assert answer.totals["greedy"].mean.estimate == pytest.approx(
        np.mean([row["luck_points"] for row in rows])
    )
    for group in answer.groups["greedy"]:
        of_seat = [row["luck_points"] for row in rows if f"player {row['seat'] + 1}" == group.name]
        assert group.mean
        assert group.mean.estimate == pytest.approx(np.sum(of_seat) / len(rows))


def test_games_with_one_sided_rolls_and_lucky_rolls_are_first_with_intervals_that_hold_for_all(
    reviewed: Library,
) -> None:
    answer = ask(reviewed, measure="luck")
    ledgers, rolls = read_decisions(reviewed, "ledgers"), read_decisions(reviewed, "rolls")
    rolls.sort(key=lambda row: -row["luck_points"])
    by_game = defaultdict(list)
    for row in ledgers:
        by_game[row["game_id"]].append(row)
    edges = {
        game: abs(first["luck_points"] - second["luck_points"]) for game, (first, second) in by_game.items()
    }
    assert [game.luck.estimate for game in answer.lucky_games] == pytest.approx(
        sorted(edges.values(), reverse=True)[:10]
    )
    assert answer.listed
    assert [roll.points for roll in answer.listed] == [row["luck_points"] for row in rolls[:10]]
    for game in answer.lucky_games:
        turns: dict[int, float] = defaultdict(float)
        for row in rolls:
            if row["game_id"] == game.game_id:
                turns[row["ply"]] += row["luck_points"] * (1 if row["seat"] == game.seat else -1)
        assert game.points == pytest.approx(max(turns.values()), abs=1e-5)
        assert turns[game.ply] == pytest.approx(game.points, abs=1e-5)
        assert sum(turns.values()) == pytest.approx(game.luck.estimate, abs=1e-3)
        half = STANDARD_ERRORS * sum(row["luck_points_error"] for row in by_game[game.game_id])
        wide = hold_for_all(Interval(0, -half, half), len(ledgers))
        assert game.luck.half_width == pytest.approx(wide.half_width)
    sheet = compose(answer, QuestionSource(reviewed).find_looks)
    first = answer.lucky_games[0]
    assert sheet.verdict.startswith(
        f"the most one-sided rolls of 30 games are those of game {first.game_id + 1}: they "
    )
    games = next(table for table in sheet.tables if table.title == "The most one-sided rolls of a game")
    said = sheet.verdict.partition(" by ")[2].partition(" points")[0]
    cells = dict(zip(games.columns, games.rows[0], strict=True))
    assert str(cells["points more, 95 % interval"]).startswith(f"{said} (")
    assert not any(
        "plain" in str(cell) for table in sheet.list_contents(Table) for row in table.rows for cell in row
    )
    listed = answer_games(GamesQuestion(runs=("plain",), sort="luck", limit=10), QuestionSource(reviewed))
    assert [(game.game_id, game.seat, game.ply) for game in listed.games] == [
        (game.game_id, game.seat, game.ply) for game in answer.lucky_games
    ]
    assert listed.games[0].luck
    assert listed.games[0].luck.interval == pytest.approx(first.luck)
    assert said in describe_games(listed)
    assert str(tabulate_games(listed).rows[0][0]).startswith(f"{said} (")
    assert games.links[0] == f"replay?run=plain&game-number={first.game_id + 1}&move={first.ply + 1}&review=1"
    assert not ask(reviewed, measure="luck", only="rounds 1 to 4").lucky_games


@pytest.mark.parametrize(
    "grouping", ["round", "phase", "piece", "kind of move", "roll", "lead", "strategy", "player"]
)
def test_every_grouping_divides_all_decisions(reviewed: Library, grouping: str) -> None:
    answer = ask(reviewed, grouping=grouping)
    for strategy, groups in answer.groups.items():
        assert sum(group.n for group in groups) == answer.totals[strategy].n
        assert len({group.name for group in groups}) == len(groups)


def test_a_group_lists_its_decisions_with_links_to_their_boards(reviewed: Library) -> None:
    answer = ask(reviewed, grouping="lead", only="level", strategies=("random",))
    assert answer.listed
    assert [row.points for row in answer.listed] == sorted(
        (row.points for row in answer.listed), reverse=True
    )
    assert {row.strategy for row in answer.listed} == {"random"}
    sheet = compose(answer, QuestionSource(reviewed).find_looks)
    table = next(table for table in sheet.tables if table.title == "Decisions: level")
    first = answer.listed[0]
    assert table.links[0] == f"replay?run=plain&game-number={first.game_id + 1}&move={first.ply + 1}&review=1"
    assert [chart.title for chart in sheet.charts] == ["Points lost a game, by lead"]
    groups = next(table for table in sheet.tables if table.title == "Lost points by lead")
    assert all("only=" in link and "strategies=random" in link for link in groups.links)
    assert ask(reviewed, only="no such").problems == ("There is no group no such in these games.",)


def test_luck_has_no_pieces_and_games_without_dice_have_no_luck(reviewed: Library) -> None:
    answer = ask(reviewed, measure="luck", grouping="piece")
    assert answer.question.grouping == "round"
    assert "grouping of decisions" in answer.problems[0]
    sheet = compose(ask(reviewed, runs=("duo",), measure="luck"), QuestionSource(reviewed).find_looks)
    assert sheet.verdict == "there is no luck in these games: nothing is rolled"


def test_games_without_a_review_say_what_to_do(reviewed: Library) -> None:
    sheet = compose(ask(reviewed, runs=("later",)), QuestionSource(reviewed).find_looks)
    assert sheet.verdict == "these games are not reviewed yet"
    assert sheet.consequences == ("this command reviews them: reroll review later --games all",)
    both = compose(ask(reviewed, runs=("plain", "later")), QuestionSource(reviewed).find_looks)
    assert "Left out: 1 run without a review." in both.basis
    assert "30 of 40 games are reviewed." in both.basis


def test_the_verdict_names_groups_that_are_clearly_above_the_mean_of_the_others(reviewed: Library) -> None:
    answer = ask(reviewed)
    groups = answer.groups["greedy"][:3]
    spread = (Interval(9.0, 7.0, 11.0), Interval(1.0, -1.0, 3.0), Interval(2.0, 0.0, 4.0))
    for means, end in (
        (spread, "clearly more than elsewhere in one (9.0, 7.0 to 11.0)"),
        ((*spread[1:], Interval(3.0, 1.0, 5.0)), "no round clearly stands out"),
        (
            (Interval(8.0, 7.0, 9.0), Interval(9.0, 8.0, 10.0), Interval(1.0, 0.0, 2.0)),
            "clearly more than elsewhere in two (9.0, 8.0 to 10.0) and in one (8.0, 7.0 to 9.0)",
        ),
    ):
        named = tuple(
            group._replace(name=name, mean=mean, n=1000)
            for group, name, mean in zip(groups, ("one", "two", "three"), means, strict=True)
        )
        changed = replace(answer, groups={"greedy": named}, totals={"greedy": answer.totals["greedy"]})
        sentence = compose(changed, QuestionSource(reviewed).find_looks).verdict
        assert sentence.startswith("if quick players (greedy) play on, greedy loses ")
        assert sentence.endswith(f"; {end}")


def test_strategies_have_charts_of_their_own_if_one_of_them_would_rule_the_scale(reviewed: Library) -> None:
    answer = ask(reviewed)
    (group, *_), (other, *_) = answer.groups.values()
    for factor, charts in ((2.0, 1), (9.0, 2)):
        groups = {
            "greedy": (group._replace(mean=Interval(2.0, 1.0, 3.0)),),
            "random": (other._replace(mean=Interval(2.0 * factor, factor, 3.0 * factor)),),
        }
        sheet = compose(replace(answer, groups=groups), QuestionSource(reviewed).find_looks)
        assert len(sheet.charts) == charts


def test_few_blocks_have_no_interval(reviewed: Library) -> None:
    answer = ask(reviewed, runs=("duo",), grouping="piece")
    assert {group.mean for groups in answer.groups.values() for group in groups} == {None}
    assert compose(answer, QuestionSource(reviewed).find_looks).verdict.startswith("not enough games to say")


def test_the_line_up_of_reviewed_games_counts_although_another_one_has_more_blocks(
    tmp_path: Path, play_run: Callable[..., None]
) -> None:
    play_run(tmp_path, "reviewed", "bloxx-2p", "greedy", "random", games=4)
    play_run(tmp_path, "larger", "bloxx-2p", "greedy", "greedy", games=40)
    run = Library(tmp_path).run("reviewed")
    for _ in review_run(run, find_review_kind(run, effort=0.05), [0, 1], workers=1, threads=True):
        pass
    question = ScoresQuestion(rulesets=("bloxx-2p",), view="Decisions")
    answer = answer_scores(question, QuestionSource(Library(tmp_path)))
    assert isinstance(answer, DecisionsAnswer)
    assert [counted.name for counted in answer.scope.runs] == ["reviewed"]
    assert answer.has_reviews
    scores = answer_scores(question.model_copy(update={"view": "Scores"}), QuestionSource(Library(tmp_path)))
    assert [counted.name for counted in scores.scope.runs] == ["larger"]


def test_losses_do_not_rank_strategies_where_results_say_the_opposite(reviewed: Library) -> None:
    answer = ask(reviewed)
    assert answer.ranking == ("greedy", "random")
    totals = {
        "greedy": answer.totals["greedy"]._replace(mean=Interval(9.0, 8.0, 10.0)),
        "random": answer.totals["random"]._replace(mean=Interval(7.0, 6.0, 8.0)),
    }
    sheet = compose(replace(answer, totals=totals), QuestionSource(reviewed).find_looks)
    assert sheet.consequences[-1] == (
        "this does not rank them: greedy scores better than random, although it loses no less by this judge, who plays as greedy"
    )
    sheet = compose(answer, QuestionSource(reviewed).find_looks)
    assert "rank" not in " ".join(sheet.consequences)


def test_a_loss_is_never_below_zero(reviewed: Library) -> None:
    answer = ask(reviewed)
    (group, *_) = answer.groups["greedy"]
    unsure = group._replace(mean=Interval(0.6, -0.05, 1.25), each=Interval(0.1, -0.01, 0.2))
    changed = replace(answer, groups={"greedy": (unsure,)}, totals={"greedy": unsure})
    sheet = compose(changed, QuestionSource(reviewed).find_looks)
    assert "(95 % interval 0.0 to 1.2 points lost a game)" in sheet.verdict
    (chart,) = sheet.list_contents(Intervals)
    assert chart.estimates[0].mean == Interval(0.6, 0.0, 1.25)
    cells = [str(cell) for table in sheet.tables for row in table.rows for cell in row]
    assert not any("\N{MINUS SIGN}" in cell or "-" in cell for cell in cells)
