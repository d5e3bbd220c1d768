"""Squares of boards on the page Scores: how often they were covered, first and when, and the marks on them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from pipelines.questions.scores import squares
from pipelines.questions.scores.squares import first_games_sample, sampled_square_counts
from tests.dashboard.reading import (
    read_offered_files,
    read_page_text,
)
from tests.dashboard.scores.reading import query_rows, read_numbers

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamlit.testing.v1 import AppTest

    from pipelines.runs.library import Library


def test_filled_squares_are_those_of_the_final_boards(
    open_dashboard_page: Callable[..., AppTest], library: Library
) -> None:
    """The roll-up has the same counts as the circles and crosses on the boards of the scenes."""
    at = open_dashboard_page("scores.py", view="Squares", rulesets=["bloxx-3p"])
    truth: Counter[tuple[str, str, str | None]] = Counter()
    run = library.run("three")
    for game in range(run.summary.games):
        scene = run.scene(game)
        filled = {
            (at_, cell) for step in scene["steps"] for at_, cell, mark in step["paint"] if mark in {"o", "x"}
        }
        for at_, cell in filled:
            row, column = divmod(int(cell), scene["boards"][0]["columns"])
            truth[scene["strategies"][int(at_)], f"{'abcdefg'[column]}{row + 1}", None] += 1
    results = {"greedy": 48, "random": 24}
    shares = {key: count / results[key[0]] for key, count in truth.items()}
    squares = {square for _, square, _ in truth}
    shares |= {
        ("greedy", square, "random"): shares["greedy", square, None] - shares["random", square, None]
        for square in squares
    }
    shown = {(row["strategy"], row["square"], row["over"]): row["share"] for row in read_numbers(at)}
    assert shown == pytest.approx(shares, abs=0.00005)


def test_two_strategies_and_their_difference_stand_beside_each_other(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    """The difference, which the sentence is about, stood in a second row, below the first screen."""
    at = open_dashboard_page("scores.py", view="Squares", rulesets=["bloxx-3p"])
    columns = [column for column in at.columns if column.get("bidi_component")]
    assert [column.weight for column in columns] == pytest.approx([1 / 3] * 3)
    (boards,) = at.segmented_control  # phones show the one that is chosen
    assert boards.options == ["Difference", "greedy", "random"]
    assert list(boards.indices) == [0]


def test_the_caption_of_maps_has_no_second_bound_beside_that_of_the_sentence(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    bound = "known to within"
    filled = read_page_text(open_dashboard_page("scores.py", view="Squares", rulesets=["bloxx-3p"]))
    rounds = open_dashboard_page("scores.py", view="Squares", map="When", rulesets=["bloxx-3p"])
    assert "Share of a strategy's results in which it covered the square: " in filled
    assert bound not in filled
    assert bound in read_page_text(rounds)


def test_the_map_of_rounds_counts_them_from_1(open_dashboard_page: Callable[..., AppTest]) -> None:
    """In the first round of BLOXX! each player covers squares of the lowest row, which stay covered."""
    at = open_dashboard_page("scores.py", view="Squares", map="When", rulesets=["bloxx-3p"])
    table = read_numbers(at)
    rounds = [float(row["round"] or 0) for row in table if str(row["square"]).endswith("1")]
    assert min(rounds) >= 1
    assert max(float(row["round"] or 0) for row in table) > max(rounds)


def test_the_map_of_rounds_says_how_often_each_square_was_covered(
    open_dashboard_page: Callable[..., AppTest], library: Library
) -> None:
    at = open_dashboard_page("scores.py", view="Squares", map="When", rulesets=["bloxx-3p"])
    columns = library.run("three").scene(0)["boards"][0]["columns"]
    truth = {
        (strategy, square): count
        for strategy, square, count in query_rows(
            library,
            f"SELECT strategy, 'abcdefg'[cell % {columns} + 1] || cell // {columns} + 1, count(*) FROM "  # noqa: S608 - a number
            "(SELECT game_id, seat, unnest(cells) AS cell FROM log) JOIN seats USING (game_id, seat) GROUP BY ALL",
        )
    }
    shown = {(row["strategy"], row["square"]): row["coverings"] for row in read_numbers(at)}
    assert shown == truth
    assert len(set(shown.values())) > 1  # not the number of results
    assert "greedy · 48 results" in read_page_text(at)


def test_first_placements_and_rounds_are_those_of_the_plies(library: Library) -> None:
    run = library.run("three")
    with run.connect() as con:
        sample = first_games_sample(con, 10)
        assert (sample.end, sample.games, sample.blocks) == (9, 9, 3)  # whole blocks of three
        first = {
            (row.strategy, row.cell): (row.n, row.rounds)
            for row in sampled_square_counts(con, 9, (), "first")
        }
        every = {
            (row.strategy, row.cell): (row.n, row.rounds)
            for row in sampled_square_counts(con, 9, (1,), "all")
        }
    firsts: dict[tuple[str, int], list[int]] = {}
    alls: dict[tuple[str, int], list[int]] = {}
    with run.connect() as con:
        plies = con.execute(
            "SELECT game_id, seat, strategy, round, cells FROM log JOIN seats USING (game_id, seat) "
            "WHERE game_id < 9 AND len(cells) > 0 ORDER BY game_id, ply"
        ).fetchall()
    placed_before = set()
    for game, seat, strategy, round_, cells in plies:
        for cell in cells:
            if seat == 1:
                alls.setdefault((strategy, cell), []).append(round_)
            if (game, seat) not in placed_before:
                firsts.setdefault((strategy, cell), []).append(round_)
        placed_before.add((game, seat))
    assert first == {key: (len(rounds), sum(rounds)) for key, rounds in firsts.items()}
    assert every == {key: (len(rounds), sum(rounds)) for key, rounds in alls.items()}


@pytest.mark.slow
def test_a_sample_of_positions_counts_every_board(library: Library) -> None:
    run = library.run("three")
    found = list(squares.iter_mark_counts(run.path, 24, lambda: False))[-1]
    truth = squares.MarkCounts()
    for game in range(24):
        truth.add(squares.count_marks(run.scene(game)))
    assert (found.games, found.results) == (24, {"greedy": 48, "random": 24})
    assert found.marks == truth.marks
    gaps = sum(count for (_, glyph, _), count in found.marks.items() if glyph == "gap")
    assert gaps == query_rows(library, "SELECT sum(count) FROM parts WHERE part = 'gaps'")[0][0]


def test_maps_of_marks_are_shown_once_they_are_counted(open_dashboard_page: Callable[..., AppTest]) -> None:
    at = open_dashboard_page("scores.py", view="Squares", map="Circles", rulesets=["bloxx-3p"])
    for _ in range(200):
        if read_offered_files(at):
            break
        at.run()
    assert not at.exception
    assert any("first 24 logged games of three" in one.value.replace("\\", "") for one in at.caption)


def test_a_run_without_plies_has_no_map(open_dashboard_page: Callable[..., AppTest]) -> None:
    at = open_dashboard_page("scores.py", view="Squares", rulesets=["bloxx-2p"])
    assert not at.exception
    assert "not logged" in read_page_text(at)
    assert not read_offered_files(at).keys() - {"Scores-of-BLOXX-for-2-players.json"}
