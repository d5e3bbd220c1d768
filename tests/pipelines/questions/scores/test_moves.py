"""Results by what was done agree with a plain count of the log, whose moves are read one game after another."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from pipelines.questions.address import make_question
from pipelines.questions.every_question import read_question
from pipelines.questions.scores import moves
from pipelines.questions.scores.answer import answer_scores
from pipelines.questions.scores.moves import MoveGroup, MovesAnswer, MoveSums
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.questions.source import QuestionSource
from pipelines.report.charts import Intervals, Mark
from pipelines.report.compose import compose
from pipelines.report.sheet import SquareMaps
from pipelines.report.table import Table
from pipelines.runs.library import Library
from pipelines.runs.summary_index import INDEX_FILE
from pipelines.statistics import Interval, t_interval
from pipelines.statistics.intervals import ClusterSums, cluster_mean, hold_for_all
from pipelines.statistics.rounding import split_sign

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pipelines.report.sheet import Sheet
    from pipelines.runs.run import Run


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory, play_run: Callable[..., None]) -> Library:
    """Runs of three games; two of Blokus Duo share their luck."""
    folder = tmp_path_factory.mktemp("moves")
    play_run(folder, "duo", "blokus-duo", "noisy", "noisy", games=60)
    play_run(folder, "duo-too", "blokus-duo", "noisy", "random", games=60)
    play_run(folder, "throws", "spexxx-2p", "greedy", "random", games=24)
    play_run(folder, "plain", "bloxx-2p", "greedy", "random", games=40)
    play_run(folder, "silent", "bloxx-3p", "greedy", "greedy", "random", log="scores")
    return Library(folder)


def ask_moves(library: Library, ruleset: str, **fields: object) -> MovesAnswer:
    question = make_question(ScoresQuestion, {"rulesets": (ruleset,), "view": "Moves", **fields})
    answer = answer_scores(question, QuestionSource(library))
    assert isinstance(answer, MovesAnswer)
    return answer


def list_firsts(run: Run) -> list[tuple[str, str, float, float, int]]:
    """Return strategy, canonical first move, score, share of the win and block of every seat, read from the logs."""
    rows = []
    ruleset = next(iter(run.rulesets.values()))
    with run.connect() as connection:
        seats = connection.execute(
            "SELECT game_id, seat, strategy, score, win_share, block FROM seats JOIN games USING (game_id)"
        ).fetchall()
        for game, seat, strategy, score, share, block in seats:
            (action,) = connection.execute(
                "SELECT action FROM ply_rows WHERE game_id = ? AND seat = ? ORDER BY ply LIMIT 1",
                [game, seat],
            ).fetchall()[0]
            images = [ruleset.action(image).notation for image in ruleset.equal_actions(action)]
            rows.append((strategy, min(images), score, share, block))
    return rows


def test_groups_agree_with_a_plain_count(played: Library) -> None:
    answer = ask_moves(played, "blokus-duo", lineups="all")
    expected: dict[tuple[str, str], list[tuple[float, float, int]]] = defaultdict(list)
    for name in ("duo", "duo-too"):
        for strategy, move, score, share, block in list_firsts(played.run(name)):
            expected[strategy, move].append((score, share, block))
    groups = [group for listed in answer.groups.values() for group in listed]
    found = sorted((group.strategy, group.results, group.blocks) for group in groups)
    assert found == sorted(
        (strategy, len(rows), len({block for *_, block in rows})) for (strategy, _), rows in expected.items()
    ), "runs with the same luck have their blocks in common"
    means = sorted(
        np.mean([score for score, *_ in rows])
        for rows in expected.values()
        if len({r[2] for r in rows}) >= 10
    )
    assert sorted(group.score.estimate for group in groups if group.score) == pytest.approx(means)


def test_a_group_with_one_result_a_block_has_the_interval_of_student(played: Library) -> None:
    answer = ask_moves(played, "bloxx-2p", by="first piece", seats=(0,))
    rows: dict[tuple[str, str], list[tuple[int, float]]] = defaultdict(list)
    with played.run("plain").connect() as connection:
        for strategy, piece, block, score in connection.execute(
            """SELECT strategy, piece, block, s.score FROM log AS l JOIN seats AS s USING (game_id, seat)
               JOIN games USING (game_id) WHERE seat = 0 AND l.ply = 1 ORDER BY ALL"""
        ).fetchall():
            rows[strategy, piece].append((block, score))
    groups = {(group.strategy, group.name): group for listed in answer.groups.values() for group in listed}
    assert groups.keys() == rows.keys()
    for key, group in groups.items():
        scores = np.array([score for _, score in rows[key]], np.float64)
        assert group.results == group.blocks == len(scores)
        assert (group.score is None) == (len(scores) < 10)
        if group.score:
            assert group.score == pytest.approx(t_interval(scores))


def test_moves_that_are_mirror_images_are_one(played: Library) -> None:
    ruleset = next(iter(played.run("duo").rulesets.values()))
    rows = QuestionSource(played).query(
        moves.sum_moves, [played.run("duo")], played.run("duo").summary.rulesets[0].sha256, (), "first move"
    )
    actions = [int(row.group) for row in rows]
    assert actions == [min(ruleset.equal_actions(action)) for action in actions]
    assert len(set(actions)) == len(actions) > 20


def test_a_first_roll_is_the_last_one_before_the_first_move(played: Library) -> None:
    answer = ask_moves(played, "spexxx-2p", by="first roll")
    with played.run("throws").connect() as connection:
        rows = connection.execute(
            """SELECT s.strategy, r.notation, count(*) FROM seats AS s
               JOIN (SELECT game_id, seat, min(ply) AS ply FROM log WHERE seat >= 0 GROUP BY ALL) AS f USING (game_id, seat)
               JOIN log AS r ON r.game_id = s.game_id AND r.ply = f.ply - 1 GROUP BY ALL"""
        ).fetchall()
    assert {(g.strategy, g.name, g.results) for listed in answer.groups.values() for g in listed} == set(rows)


def test_the_former_grouping_by_kind_of_move_leads_to_first_moves() -> None:
    reading = read_question("scores", {"rulesets": ["bloxx-2p"], "view": ["Moves"], "by": ["kind of move"]})
    assert reading.question == ScoresQuestion(rulesets=("bloxx-2p",), view="Moves", by="first move")
    assert reading.problems == (
        "There is no grouping by kind of move; expected first move, first piece or first roll.",
    )


def test_the_best_group_is_first_and_intervals_hold_for_all_groups_at_once(played: Library) -> None:
    answer = ask_moves(played, "bloxx-2p", by="first piece", seats=(0,))
    rows = QuestionSource(played).query(
        moves.sum_moves,
        [played.run("plain")],
        played.run("plain").summary.rulesets[0].sha256,
        (0,),
        "first piece",
    )
    sums = {(row.strategy, row.group): ClusterSums(*row.sums[1]) for row in rows}
    for strategy, listed in answer.groups.items():
        compared = [group for group in listed if group.above]
        assert compared == sorted(compared, key=lambda group: -group.above.estimate if group.above else 0)
        assert list(listed[: len(compared)]) == compared
        for group in compared:
            own = cluster_mean(sums[strategy, group.name])
            assert own
            assert group.above == hold_for_all(own, len(compared), group.blocks)


def test_differences_from_the_mean_of_a_strategy_add_up_to_nothing(played: Library) -> None:
    rows = QuestionSource(played).query(
        moves.sum_moves,
        [played.run("plain")],
        played.run("plain").summary.rulesets[0].sha256,
        (),
        "first move",
    )
    for strategy in ("greedy", "random"):
        assert sum(row.sums[1][3] for row in rows if row.strategy == strategy) == pytest.approx(0, abs=1e-6)


def test_an_answer_is_read_once_and_again_when_its_file_or_the_index_changes(
    played: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = ask_moves(played, "bloxx-2p")
    asked: list[int] = []

    def sum_nothing(*_: object) -> list[MoveSums]:
        asked.append(1)
        return []

    monkeypatch.setattr(moves, "_sum_groups", sum_nothing)
    assert ask_moves(played, "bloxx-2p").groups == first.groups
    assert not asked
    with sqlite3.connect(played.folder / INDEX_FILE) as connection:
        connection.execute("UPDATE answers SET document = '[[1, 2]'")
    assert ask_moves(played, "bloxx-2p").groups == {}
    assert asked
    monkeypatch.undo()
    (played.folder / INDEX_FILE).unlink()
    assert ask_moves(played, "bloxx-2p").groups == first.groups


def test_a_run_without_logged_plies_says_so(played: Library) -> None:
    answer = ask_moves(played, "bloxx-3p")
    assert answer.is_unlogged
    assert "their moves are not known" in compose(answer, QuestionSource(played).find_looks).verdict


def test_a_game_without_dice_has_no_rolls(played: Library) -> None:
    answer = ask_moves(played, "blokus-duo", by="first roll")
    assert answer.question.by == "first move"
    assert "There is no grouping by first roll under this ruleset." in answer.problems


def make_answer(played: Library, *groups: tuple[str, float, float, float]) -> MovesAnswer:
    answer = ask_moves(played, "bloxx-2p")
    listed = tuple(
        MoveGroup("greedy", name, 40, 20, Interval(30, 20, 40), Interval(*above), Interval(0.5, 0.3, 0.7))
        for name, *above in groups
    )
    return MovesAnswer(answer.question, answer.scope, answer.ruleset, {"greedy": listed}, answer.basis)


def compose_answer(played: Library, *groups: tuple[str, float, float, float]) -> Sheet:
    return compose(make_answer(played, *groups), QuestionSource(played).find_looks)


def test_a_group_is_named_only_if_its_interval_excludes_zero(played: Library) -> None:
    weak = [(f"I{number}", 0.1, -1.0, 1.2) for number in range(30)]
    assert compose_answer(played, ("X5", 2.0, -0.2, 4.2), *weak).verdict == (
        "it makes no clear difference which of its 31 first moves greedy plays"
    )
    rare = [MoveGroup("greedy", f"R{number}", 1, 1, None, None, None) for number in range(15)]
    answer = make_answer(played, *weak[:3])
    answer = replace(answer, groups={"greedy": (*answer.groups["greedy"], *rare)})
    assert compose(answer, QuestionSource(played).find_looks).verdict == (
        "it makes no clear difference which of its 18 first moves greedy plays (15 of them too rare to compare)"
    )
    sheet = compose_answer(
        played, ("X5", 6.0, 4.2, 7.8), ("Y5", 5.8, 4.0, 7.6), *weak, ("Z5", -2.0, -3.9, -0.1)
    )
    assert sheet.verdict == (
        "greedy ends 6.0 points better than its mean when it begins with X5 (95 % interval 4.2 to 7.8; 40 results), and clearly better "
        "after 1 other and 2.0 worse when it begins with Z5 (95 % interval 0.1 to 3.9; 40 results); its other 30 first moves do not "
        "clearly differ"
    )


def test_the_chart_has_at_most_twelve_groups_the_best_first_with_all_that_clearly_stand_out(
    played: Library,
) -> None:
    unclear = [(f"P{at}", 3.0 - at / 10, -1.0, 7.0) for at in range(15)]
    answer = make_answer(played, ("R1", 40.0, 10.0, 70.0), *unclear, ("R2", -8.0, -9.0, -7.0))
    for groups, rows in (
        (answer.groups, [12]),
        (dict.fromkeys(("greedy", "random"), answer.groups["greedy"]), [6, 6]),
    ):
        sheet = compose(replace(answer, groups=groups), QuestionSource(played).find_looks)
        (chart,) = (part.content for part in sheet.parts if part.key == "moves")
        assert isinstance(chart, Intervals)
        assert chart.mark == Mark(0, "its mean")
        by_name = [[row for row in chart.estimates if row.name == name] for name in groups]
        assert [len(listed) for listed in by_name] == rows
        for listed in by_name:
            assert [listed[0].at, listed[-1].at] == ["R1", "R2"]
            means = [row.mean.estimate for row in listed]
            assert means == sorted(means, reverse=True)


def test_the_picture_shows_what_is_compared_and_the_table_draws_what_is_played_most(played: Library) -> None:
    answer = make_answer(played, ("R1", 2, -1, 5), ("R2", 3, 0, 6))
    answer = replace(answer, shapes={"R1": (0, 1), "R2": (0, 7)}, columns=7)
    rare = tuple(MoveGroup("greedy", f"R{number}", 1, 1, None, None, None) for number in range(15))
    find_looks = QuestionSource(played).find_looks
    too_few = compose(replace(answer, groups={"greedy": rare}), find_looks)
    assert not too_few.list_parts("main", "beside"), "a list of moves that were played once answers nothing"
    assert too_few.verdict == "the 15 first moves of greedy are too rare to compare: a mean needs 10 blocks"
    unclear = compose(answer, find_looks)
    chart, table = (part.content for part in unclear.list_parts("main", "beside"))
    assert isinstance(chart, Intervals)
    assert isinstance(table, Table)
    square = 2 * "\N{FULL BLOCK}"
    assert table.list_values("shape") == [2 * square, f"{square}\n{square}"]
    assert table.list_values(table.columns[-1]) == ["+2.0 (−1.0 to 5.0)", "+3.0 (0.0 to 6.0)"]
    assert [part.key for part in unclear.list_parts("main", "beside")] == ["moves", "shapes-1"]
    many = make_answer(played, *[(f"P{at}", 0.0, -1.0, 1.0) for at in range(9)], ("R2", 3, 1, 5))
    _, table = (part.content for part in compose(many, find_looks).list_parts("main", "beside"))
    assert isinstance(table, Table)
    moves = table.list_values("first move")
    assert ("R2" in moves, len(moves)) == (True, 6), "a finding is in the table"
    assert table.title == "The 6 clearest and most frequent first moves, the best first"
    pieces = replace(many, question=many.question.model_copy(update={"by": "first piece"}))
    _, table = (part.content for part in compose(pieces, find_looks).list_parts("main", "beside"))
    assert isinstance(table, Table)
    assert table.list_values("first piece") == [group.name for group in many.groups["greedy"]], "all pieces"
    both = replace(pieces, groups=dict.fromkeys(("greedy", "random"), pieces.groups["greedy"]))
    titles = [part.title for part in compose(both, find_looks).parts if part.key.startswith("shapes-")]
    assert sorted(titles) == [f"All first pieces of {name}, the best first" for name in ("greedy", "random")]


def test_moves_that_cannot_be_compared_have_a_board(
    played: Library, tmp_path: Path, play_run: Callable[..., None]
) -> None:
    play_run(tmp_path, "always", "blokus-duo", "greedy", "greedy", games=20)
    sheet = compose(ask_moves(Library(tmp_path), "blokus-duo"), QuestionSource(Library(tmp_path)).find_looks)
    (maps,) = (part.content for part in sheet.list_parts("main", "beside"))
    assert isinstance(maps, SquareMaps)
    assert maps.title == "Which squares are covered first"
    assert {text.split(" · ")[0] for text in (drawn.name for drawn in maps.maps)} >= {"greedy"}
    assert ask_moves(played, "bloxx-2p", by="first piece").board is None


@pytest.mark.parametrize("by", ["first move", "first piece", "first roll"])
def test_every_group_of_moves_has_squares_of_its_size(played: Library, by: str) -> None:
    answer = ask_moves(played, "bloxx-2p", by=by)
    names = {group.name for groups in answer.groups.values() for group in groups}
    assert names <= answer.shapes.keys() or by == "first roll"
    areas = next(iter(played.run("plain").rulesets.values())).piece_areas
    assert all(len(cells) == areas[name.split()[0]] for name, cells in answer.shapes.items())


def test_an_answer_looks_at_each_group_a_few_times_however_many_there_are(
    played: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = 0

    def count_look(interval: Interval) -> object:
        nonlocal looks
        looks += 1
        return split_sign(interval)

    monkeypatch.setattr("pipelines.report.moves.split_sign", count_look)
    answer = make_answer(played, *[(f"P{number}", 1.0, -1.0, 3.0) for number in range(100)])
    compose(answer, QuestionSource(played).find_looks)
    assert 100 <= looks < 1000


def test_one_of_many_equal_groups_is_seldom_called_better_or_worse() -> None:
    """In 400 worlds without any difference, each with 30 groups of 10 to 60 blocks whose results share luck."""
    rng, claims = np.random.default_rng(3), 0
    for _ in range(400):
        blocks = np.repeat(np.arange(400), 2)
        luck = rng.normal(size=400)[blocks]
        results = {
            "strategy": np.zeros(800, np.int64),
            "block": blocks,
            "score": luck + rng.normal(size=800),
            "peers": np.zeros(800, np.int64),
            "win_share": rng.random(800),
        }
        shares = rng.dirichlet(np.full(30, 3.0))
        places = rng.choice(30, 800, p=shares)
        rows = moves._sum_groups(results, ["greedy"], [f"P{number}" for number in range(30)], places)
        groups = tuple(
            MoveGroup(
                "greedy", str(row.group), 1, round(sums.blocks), cluster_mean(sums), cluster_mean(sums), None
            )
            for row in rows
            for sums in [ClusterSums(*row.sums[1])]
            if sums.blocks >= 10
        )
        claims += any(group.above and split_sign(group.above)[0] for group in moves._order_groups(groups, -1))
    assert claims <= 38, "5 % of 400 is 20; 38 is more than four standard errors above"
