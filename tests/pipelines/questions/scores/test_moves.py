"""Results by what was done agree with a plain count of the log, whose moves are read one game after another."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np
import pytest

from pipelines.questions.address import make_question
from pipelines.questions.scores import moves
from pipelines.questions.scores.answer import answer_scores
from pipelines.questions.scores.moves import MoveGroup, MovesAnswer, MoveSums
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.questions.source import QuestionSource
from pipelines.report.compose import compose
from pipelines.report.moves import _describe_best
from pipelines.runs.library import Library
from pipelines.runs.summary_index import INDEX_FILE
from pipelines.statistics import Interval, t_interval
from pipelines.statistics.intervals import ClusterSums, cluster_mean

if TYPE_CHECKING:
    from collections.abc import Callable

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


def test_kinds_of_moves_are_counted_for_every_result(played: Library) -> None:
    answer = ask_moves(played, "bloxx-2p", by="kind of move")
    for listed in answer.groups.values():
        forfeits = [group for group in listed if group.name.startswith("forfeit")]
        assert sum(group.results for group in forfeits) == 40
    with played.run("plain").connect() as connection:
        (never,) = connection.execute(
            """SELECT count(*) FROM seats WHERE strategy = 'greedy' AND NOT EXISTS (
                 FROM plies AS p WHERE p.game_id = seats.game_id AND p.seat = seats.seat AND kind = 'forfeit')"""
        ).fetchall()[0]
    known = {group.name: group.results for group in answer.groups["greedy"]}
    assert known.get("forfeit never", 0) == never


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


def write_verdict(played: Library, *groups: tuple[str, float, float, float]) -> str:
    return compose(make_answer(played, *groups), QuestionSource(played).find_looks).verdict


def test_the_best_of_many_is_claimed_only_if_its_wider_interval_excludes_zero(played: Library) -> None:
    weak = [(f"I{number}", 0.1, -1.0, 1.2) for number in range(30)]
    assert write_verdict(played, ("X5", 2.0, 0.2, 3.8), *weak).startswith(
        "none of the 31 first moves of greedy clearly ends better than its mean; the best one, X5, ended 2.0 points better"
    )
    verdict = write_verdict(played, ("X5", 6.0, 4.2, 7.8), *weak)
    assert verdict.startswith(
        "of the 31 first moves of greedy, X5 ends best, 6.0 points better than its mean"
    )
    assert verdict.endswith("the interval holds for the best of 31)")
    assert write_verdict(played, ("X5", 6.0, 4.2, 7.8), ("Y5", 5.8, 4.0, 7.6)).endswith(
        "one other may be as good"
    )


def test_rare_groups_stand_behind_their_number(played: Library) -> None:
    groups = [(f"I{number}", 0.1, -1.0, 1.2) for number in range(40)]
    sheet = compose(make_answer(played, *groups), QuestionSource(played).find_looks)
    table = next(table for table in sheet.tables if table.title == "Results by first move")
    assert table.rows[-1][:2] == ("and 16 more", 640)
    assert len(table.rows) == 25


def test_the_best_of_many_equal_groups_is_seldom_called_better() -> None:
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
        claims += "ends best" in _describe_best("greedy", groups, "first moves", lowest_wins=False)
    assert claims <= 24, "2.5 % of 400 is 10; 24 is more than four standard errors above"
