"""Means over decisions and rolls agree with a plain count of the reviews, and a sentence claims no more than its interval."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from pipelines.design.titles import name_square
from pipelines.experiments.review_results import is_win_nearly_decided
from pipelines.experiments.review_runs import find_review_kind, review_run
from pipelines.questions.address import make_question
from pipelines.questions.games import GamesQuestion, answer_games
from pipelines.questions.scores.answer import answer_scores
from pipelines.questions.scores.decisions import MAX_LISTED_OF_GROUP, DecisionGroup, DecisionsAnswer
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.questions.source import QuestionSource
from pipelines.report.charts import Intervals
from pipelines.report.compose import compose
from pipelines.report.decisions import describe_decisions
from pipelines.report.estimates import format_interval
from pipelines.report.games import describe_games, tabulate_games
from pipelines.report.show.frames import make_frame
from pipelines.report.show.plan_charts import plan_chart
from pipelines.report.table import Table
from pipelines.runs.attach import connect_runs
from pipelines.runs.library import Library
from pipelines.runs.reviews import STANDARD_ERRORS, widen_estimate
from pipelines.statistics import Interval, mean_interval
from pipelines.statistics.intervals import hold_for_all

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.slow

BAD = ("inaccuracy", "mistake", "blunder")


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory: pytest.TempPathFactory, play_run: Callable[..., None]) -> Library:
    """Two reviewed runs, one of a game without dice, and one that is not reviewed."""
    folder = tmp_path_factory.mktemp("reviewed")
    play_run(folder, "plain", "bloxx-2p", "greedy", "random", games=40)
    play_run(folder, "duo", "blokus-duo", "noisy", "random", games=4)
    play_run(folder, "later", "bloxx-2p", "greedy", "random", games=40, seed=8)
    library = Library(folder)
    for name, games in (("plain", range(30)), ("duo", range(4))):
        run = library.run(name)
        kind = find_review_kind(run, effort=0.1)
        for _ in review_run(run, kind, games, workers=1, threads=True):
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


@pytest.mark.parametrize("measure", ["points", "wins"])
def test_what_is_lost_a_game_is_a_mean_over_blocks(reviewed: Library, measure: str) -> None:
    answer = ask(reviewed, measure=f"lost {measure}")
    assert f"{measure} {'of 100 ' * (measure == 'wins')}a game by its choices" in " ".join(
        describe_decisions(answer)
    )
    assert answer.games == 30
    lost: dict[tuple[str, object], dict[object, float]] = defaultdict(lambda: defaultdict(float))
    step = math.ceil((1 + max(row["round"] for row in read_decisions(reviewed))) / 5)
    blocks = {row["block"] for row in read_decisions(reviewed)}
    for row in read_decisions(reviewed):
        for group in ("", row["round"] // step):
            lost[row["strategy"], group][row["block"]] += row[f"regret_{measure}"]
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
        own = {row["ply"]: row for row in rolls if (row["game_id"], row["seat"]) == (game.game_id, game.seat)}
        assert game.wins == max(row["luck_wins"] for row in own.values()), (
            "points decide nothing by themselves"
        )
        assert own[game.ply]["luck_wins"] == game.wins
        assert (own[game.ply]["roll"], own[game.ply]["round"]) == (game.roll, game.round)
        half = STANDARD_ERRORS * math.hypot(*(row["luck_points_error"] for row in by_game[game.game_id]))
        wide = hold_for_all(Interval(0, -half, half), len(by_game))
        assert game.luck.half_width == pytest.approx(wide.half_width)
    sheet = compose(answer, QuestionSource(reviewed).find_looks)
    first = answer.lucky_games[0]
    assert sheet.verdict.startswith("over 30 reviewed games luck "), "what holds for all games comes first"
    (sentence,) = (words for words in sheet.consequences if words.startswith("the most one-sided rolls"))
    assert sentence.startswith(
        f"the most one-sided rolls of 30 games are those of game {first.game_id + 1}: they "
    )
    assert [part.key for part in sheet.list_parts("main")] == ["groups", "games", "listed"]
    games = next(table for table in sheet.tables if table.title == "The most one-sided rolls of a game")
    said = sentence.partition(" by ")[2].partition(" points")[0]
    cells = dict(zip(games.columns, games.rows[0], strict=True))
    assert str(cells["points more, 95 % interval"]).startswith(f"{said} (")
    assert not any(
        "plain" in str(cell) for table in sheet.list_contents(Table) for row in table.rows for cell in row
    )
    assert [str(helped).startswith("perhaps ") for helped in games.list_values("helped")] == [
        game.luck.low <= 0 for game in answer.lucky_games
    ]
    assert games.caption.startswith("In none of these games is it clear whom they helped.") == all(
        game.luck.low <= 0 for game in answer.lucky_games
    )
    assert (cells["deciding roll"], cells["in round"]) == (first.roll, f"{first.round + 1}")
    listed = answer_games(GamesQuestion(runs=("plain",), sort="luck", limit=10), QuestionSource(reviewed))
    assert [(game.game_id, game.seat, game.ply) for game in listed.games] == [
        (game.game_id, game.seat, game.ply) for game in answer.lucky_games
    ]
    assert [game.luck and game.luck.interval for game in listed.games] == [
        game.luck for game in answer.lucky_games
    ]
    some = GamesQuestion(runs=("plain",), sort="luck", where=f"game_id = {first.game_id}")
    (alone,) = answer_games(some, QuestionSource(reviewed)).games
    assert alone.luck
    assert alone.luck.interval == first.luck, "a game has one interval, whatever is asked"
    assert said in describe_games(listed)
    shown = dict(zip(tabulate_games(listed).columns, tabulate_games(listed).rows[0], strict=True))
    assert all(
        shown[name] == cells[name] for name in ("helped", "deciding roll", "in round", "wins of 100 by it")
    )
    assert str(tabulate_games(listed).rows[0][0]).startswith(f"{said} (")
    assert games.links[0] == f"replay?run=plain&game-number={first.game_id + 1}&move={first.ply + 1}&review=1"
    few = {**answer.groups, "random": tuple(group._replace(mean=None) for group in answer.groups["random"])}
    undrawn = compose(replace(answer, groups=few), QuestionSource(reviewed).find_looks)
    assert "random" not in undrawn.verdict, "the headline quotes the strategies that are drawn"
    of_group = ask(reviewed, measure="luck", only="rounds 1 to 4 of greedy")
    chosen = compose(of_group, QuestionSource(reviewed).find_looks)
    assert (chosen.verdict, *chosen.consequences) == (sheet.verdict, *sheet.consequences)
    assert [part.key for part in chosen.list_parts("main")] == ["groups", "listed"]


def test_the_roll_that_decided_is_said_with_an_interval_that_holds_for_all_rolls(reviewed: Library) -> None:
    answer = ask(reviewed, measure="luck")
    rolls = {
        (row["game_id"], row["seat"], row["ply"]): (row["luck_wins"], row["wins_error"])
        for row in read_decisions(reviewed, "rolls")
    }
    for game in answer.lucky_games:
        wins, error = rolls[game.game_id, game.seat, game.ply]
        assert game.wins_interval == pytest.approx(widen_estimate(wins, error, len(rolls)))
    source = QuestionSource(reviewed)
    listed = answer_games(GamesQuestion(runs=("plain",), sort="luck", limit=3), source)
    for sheet in (compose(answer, source.find_looks), compose(listed, source.find_looks)):
        assert {"luck_wins", "luck_wins_low", "luck_wins_high"} <= {*make_frame(sheet, "games")}
    first = answer.lucky_games[0]
    moved = "moved" if first.wins_interval.low > 0 else "may have moved"
    gained = format_interval(first.wins_interval, scale=100, signed=True, decimals=0)
    (sentence,) = (words for words in describe_decisions(answer) if words.startswith("the most one-sided"))
    assert sentence.endswith(
        f"; the roll {first.roll} in round {first.round + 1} {moved} the win chance most, by {gained} of 100"
    )


@pytest.mark.parametrize(
    "grouping", ["round", "phase", "piece", "kind of move", "roll", "lead", "strategy", "player"]
)
def test_every_grouping_divides_all_decisions(reviewed: Library, grouping: str) -> None:
    answer = ask(reviewed, grouping=grouping)
    for strategy, groups in answer.groups.items():
        assert sum(group.n for group in groups) == answer.totals[strategy].n
        assert len({group.name for group in groups}) == len(groups)


def test_a_group_lists_its_decisions_with_links_to_their_boards(reviewed: Library) -> None:
    answer = ask(reviewed, grouping="lead", only="level of random")
    assert answer.listed
    assert [row.points for row in answer.listed] == sorted(
        (row.points for row in answer.listed), reverse=True
    )
    assert {row.strategy for row in answer.listed} == {"random"}
    board = reviewed.run("plain").scene(0)["boards"][0]
    for row in answer.listed:
        assert len(row.better_cells) == int((row.better or "X0")[1]), "the digit of a piece is its size"
        if row.better:  # its name has the leftmost square of its lowest row
            assert f" at {name_square(board, min(row.better_cells))}" in row.better
    every = ask(reviewed, grouping="strategy", only="random")
    assert len(every.listed or ()) == MAX_LISTED_OF_GROUP
    assert "better_cells" not in str(compose(every, QuestionSource(reviewed).find_looks).fields)
    sheet = compose(answer, QuestionSource(reviewed).find_looks)
    table = next(table for table in sheet.tables if table.title.endswith(": level of random"))
    first = answer.listed[0]
    assert table.links[0] == f"replay?run=plain&game-number={first.game_id + 1}&move={first.ply + 1}&review=1"
    assert [chart.title for chart in sheet.charts] == ["Points lost a game, by lead"]
    groups = next(table for table in sheet.tables if table.title == "Lost points by lead")
    assert all(
        ("only=" in link) == (name != "all")
        for link, name in zip(groups.links, groups.list_values("lead"), strict=True)
    )
    every = ask(reviewed, grouping="lead")
    all_groups = compose(every, QuestionSource(reviewed).find_looks)
    assert (sheet.verdict, sheet.consequences) == (all_groups.verdict, all_groups.consequences)
    (chart,) = sheet.charts
    assert isinstance(chart, Intervals)
    assert [(one.name, one.at) for one in chart.estimates if one.is_chosen] == [("random", "level")]
    number = next(group.n for group in answer.groups["random"] if group.name == "level")
    errors = {
        (row["game_id"], row["ply"]): row["regret_points_error"]
        for row in read_decisions(reviewed)
        if "regret_points_error" in row
    }
    for row in answer.listed:
        if errors:
            half = STANDARD_ERRORS * errors[row.game_id, row.ply]
            assert row.points_interval.half_width == pytest.approx(
                hold_for_all(Interval(0, -half, half), number).half_width
            )
    assert {row.strategy for row in ask(reviewed, grouping="lead", only="level").listed or ()} <= {
        "greedy",
        "random",
    }
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
        (spread, "; clearly more than elsewhere in one (9.0, 7.0 to 11.0)"),
        ((*spread[1:], Interval(3.0, 1.0, 5.0)), ""),
        (
            (Interval(8.0, 7.0, 9.0), Interval(9.0, 8.0, 10.0), Interval(1.0, 0.0, 2.0)),
            "; clearly more than elsewhere in two (9.0, 8.0 to 10.0) and in one (8.0, 7.0 to 9.0)",
        ),
    ):
        named = tuple(
            group._replace(name=name, mean=mean, n=1000)
            for group, name, mean in zip(groups, ("one", "two", "three"), means, strict=True)
        )
        changed = replace(answer, groups={"greedy": named}, totals={"greedy": answer.totals["greedy"]})
        sentence = compose(changed, QuestionSource(reviewed).find_looks).verdict
        assert sentence.startswith("greedy loses ")
        assert sentence.endswith(f"; {answer.games} reviewed games) if quick players (greedy) play on{end}")


def test_losses_of_all_strategies_have_one_scale_from_none(reviewed: Library) -> None:
    answer = ask(reviewed)
    (group, *_), (other, *_) = answer.groups.values()
    groups = {
        "greedy": (group._replace(mean=Interval(2.0, 1.0, 3.0)),),
        "random": (other._replace(mean=Interval(60.0, 30.0, 90.0)),),
    }
    (chart,) = compose(replace(answer, groups=groups), QuestionSource(reviewed).find_looks).charts
    plan = plan_chart(chart)
    assert plan is not None
    assert [panel.heading for panel in plan.panels] == [["greedy"], ["random"]]
    assert plan.across.low <= 0
    assert plan.across.high > 90


def test_a_loss_that_may_be_none_does_not_contradict_the_listed_choices(reviewed: Library) -> None:
    answer = ask(reviewed)
    totals = {name: total._replace(mean=Interval(1.1, -0.1, 2.3)) for name, total in answer.totals.items()}
    verdict = compose(replace(answer, totals=totals), QuestionSource(reviewed).find_looks).verdict
    assert verdict == (
        "greedy loses too little to tell from 0 (0.0 to 2.3 points lost a game; 95 % interval; 30 reviewed games)"
        " if quick players (greedy) play on"
    )


def test_few_blocks_have_no_interval(reviewed: Library) -> None:
    answer = ask(reviewed, runs=("duo",), grouping="piece")
    assert {group.mean for groups in answer.groups.values() for group in groups} == {None}
    sheet = compose(answer, QuestionSource(reviewed).find_looks)
    assert sheet.verdict == "4 games are reviewed; averages need 10 with different luck"
    cells = [str(cell) for table in sheet.tables for row in table.rows for cell in row]
    assert "not enough games" not in cells
    assert answer.listed, "the worst mistakes need no mean"


def test_the_worst_mistakes_of_all_groups_are_listed_with_intervals_and_links(reviewed: Library) -> None:
    rows = read_decisions(reviewed)
    by_points, by_wins = (sorted(rows, key=lambda row: -row[f"regret_{unit}"]) for unit in ("points", "wins"))
    slips = [row for row in rows if row["class"] in BAD]
    slips.sort(key=lambda row: (-BAD.index(row["class"]), -row["regret_wins"], -row["regret_points"]))
    for measure, worst, title, heads in (
        (
            "lost points",
            by_points,
            "The choices with the most lost points",
            ("points lost", "wins of 100 lost"),
        ),
        ("lost wins", by_wins, "The choices with the most lost wins", ("wins of 100 lost", "points lost")),
        ("slips", slips, "The worst mistakes", ("class", "by", "wins of 100 lost", "points lost")),
    ):
        answer = ask(reviewed, measure=measure)
        assert answer.listed
        assert [(row.game_id, row.ply) for row in answer.listed] == [
            (row["game_id"], row["ply"]) for row in worst[:10]
        ]
        first = answer.listed[0]
        for lost, column in ((first.points_interval, "points"), (first.wins_interval, "wins")):
            half = STANDARD_ERRORS * worst[0][f"{column}_error"]
            wide = hold_for_all(Interval(0, -half, half), len(rows))
            assert lost
            assert lost.half_width == pytest.approx(wide.half_width)
        sheet = compose(answer, QuestionSource(reviewed).find_looks)
        table = next(table for table in sheet.tables if table.title == title)
        assert table.columns[: len(heads) + 2] == (*heads, "played", "better")
        assert table.links[0].endswith(f"&move={worst[0]['ply'] + 1}&review=1")
    assert ask(reviewed, measure="choices").listed is None
    greedy = ask(reviewed, measure="slips", strategies=("greedy",)).listed
    assert greedy
    assert {row.strategy for row in greedy} == {"greedy"}
    assert [row.judged for row in greedy] == sorted((row.judged for row in greedy), key=BAD[::-1].index)


def test_a_class_goes_by_points_where_the_win_was_nearly_decided(reviewed: Library) -> None:
    shares = {
        (row["game_id"], row["ply"]): (row["wins"], row["best_wins"]) for row in read_decisions(reviewed)
    }
    listed = [
        decision
        for name in ("greedy", "random")
        for measure in ("slips", "choices", "lost points")
        for decision in ask(reviewed, measure=measure, grouping="strategy", only=name).listed or ()
    ]
    assert {decision.judged_by for decision in listed} == {"points", "wins"}
    for decision in listed:
        is_decided = is_win_nearly_decided(*shares[decision.game_id, decision.ply])
        assert decision.judged_by == ("points" if is_decided else "wins")


def test_the_numbers_of_a_column_have_the_same_decimals(reviewed: Library) -> None:
    answer = ask(reviewed, measure="luck")
    roll, game = (answer.listed or ())[0], answer.lucky_games[0]
    spread = Interval(7.9, 7.0, 8.8), Interval(8.0, 2.0, 14.0)
    changed = replace(
        answer,
        listed=tuple(roll._replace(points_interval=interval) for interval in spread),
        lucky_games=tuple(game._replace(luck=interval) for interval in spread),
    )
    games, rolls = compose(changed, QuestionSource(reviewed).find_looks).tables[:2]
    assert games.list_values("points more, 95 % interval") == ["8 (7 to 9)", "8 (2 to 14)"]
    assert rolls.list_values("points, 95 % interval") == ["+8 (7 to 9)", "+8 (2 to 14)"]


def test_groups_with_too_few_blocks_are_named_as_left_out(reviewed: Library) -> None:
    answer = ask(reviewed)
    (group, *_), (other, *_) = answer.groups.values()
    groups = {
        "greedy": (group, group._replace(name="rounds 17 to 20", mean=None)),
        "random": (other,),
    }
    sheet = compose(replace(answer, groups=groups), QuestionSource(reviewed).find_looks)
    captions = " ".join(part.caption for part in sheet.parts)
    assert "Left out, because fewer than 10 blocks have some: rounds 17 to 20 of greedy." in captions


def test_slips_are_one_short_sentence_and_bars_of_their_classes(reviewed: Library) -> None:
    rows = [row["class"] for row in read_decisions(reviewed) if row["strategy"] == "greedy"]
    counts = {name: rows.count(name) for name in BAD}
    answer = ask(reviewed, measure="slips", grouping="strategy", strategies=("greedy",))
    totals = {
        "greedy": answer.totals["greedy"]._replace(mean=Interval(0.22, 0.13, 0.35)),
        "random": answer.totals["greedy"]._replace(mean=Interval(0.025, 0.001, 0.377)),
    }
    many = replace(answer, totals=totals, scope=ask(reviewed).scope, groups=dict.fromkeys(totals, ()))
    assert compose(many, QuestionSource(reviewed).find_looks).verdict == (
        "greedy slips in 22 of 100 decisions (95 % interval 13 to 35); "
        "random in 2.5 (0.1 to 37.7: too few games to say more)"
    )
    (chart,) = compose(answer, QuestionSource(reviewed).find_looks).charts
    assert isinstance(chart, Intervals)
    assert tuple(chart.part_names) == BAD
    assert chart.estimates[0].parts == pytest.approx([100 * count / len(rows) for count in counts.values()])
    both = ask(reviewed, measure="slips", grouping="strategy")
    (chart,) = compose(both, QuestionSource(reviewed).find_looks).charts
    assert isinstance(chart, Intervals)
    greedy = next(estimate for estimate in chart.estimates if estimate.name == "greedy")
    assert greedy.parts == pytest.approx([100 * count / len(rows) for count in counts.values()])
    for grouping in ("round", "lead", "piece"):
        (chart,) = compose(
            ask(reviewed, measure="slips", grouping=grouping), QuestionSource(reviewed).find_looks
        ).charts
        assert isinstance(chart, Intervals)
        assert all(
            sum(estimate.parts) == pytest.approx(estimate.mean.estimate) for estimate in chart.estimates
        )


def test_questions_about_decisions_are_about_a_reviewed_ruleset_unless_they_name_one(
    tmp_path: Path, play_run: Callable[..., None]
) -> None:
    play_run(tmp_path, "larger", "blokus-duo", "greedy", "random", games=8)
    play_run(tmp_path, "reviewed", "bloxx-2p", "greedy", "random", games=4)
    run = Library(tmp_path).run("reviewed")
    for _ in review_run(run, find_review_kind(run, effort=0.05), [0], workers=1, threads=True):
        pass
    source = QuestionSource(Library(tmp_path))
    named = {
        view: answer_scores(ScoresQuestion(view=view), source).question.rulesets
        for view in ("Decisions", "Length")
    }
    assert named == {"Decisions": ("bloxx-2p",), "Length": ("blokus-duo",)}


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
    assert sheet.consequences[0] == ("this does not rank them: by its results, greedy is better than random")
    sheet = compose(answer, QuestionSource(reviewed).find_looks)
    assert "rank" not in " ".join(sheet.consequences)


def test_the_groups_of_a_chart_stand_again_only_in_the_details(reviewed: Library) -> None:
    answer = ask(reviewed)
    find_looks = QuestionSource(reviewed).find_looks
    assert "numbers" in [part.key for part in compose(answer, find_looks).list_parts("details")]
    groups = {
        name: tuple(group._replace(mean=None, each=None) for group in listed)
        for name, listed in answer.groups.items()
    }
    sheet = compose(replace(answer, groups=groups), find_looks)
    assert not sheet.list_contents(Intervals)
    assert "numbers" in [part.key for part in sheet.list_parts("main", "beside")]


def test_a_loss_is_never_below_zero(reviewed: Library) -> None:
    answer = ask(reviewed)
    (group, *_) = answer.groups["greedy"]
    unsure = group._replace(mean=Interval(0.6, -0.05, 1.25), each=Interval(0.1, -0.01, 0.2))
    groups = {"greedy": (unsure, unsure._replace(name="later"))}
    changed = replace(answer, groups=groups, totals={"greedy": unsure})
    sheet = compose(changed, QuestionSource(reviewed).find_looks)
    assert "(0.0 to 1.2 points lost a game; 95 % interval;" in sheet.verdict
    (chart,) = sheet.list_contents(Intervals)
    assert chart.estimates[0].mean == Interval(0.6, 0.0, 1.25)
    tables = (table for table in sheet.tables if table.title != "The choices with the most lost points")
    cells = [str(cell) for table in tables for row in table.rows for cell in row]
    assert not any("\N{MINUS SIGN}" in cell or "-" in cell for cell in cells)
