"""The page Scores: every view is compared with the tables of the run."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from dashboard.queries.squares import first_games_sample, sampled_square_counts
from dashboard.scores import sampled_squares
from engine import games
from tests.dashboard.reading import read_table_links, read_tables

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamlit.testing.v1 import AppTest

    from pipelines.runs.library import Library

GAPS_TITLE = games.find_game("bloxx").parts["gaps"]
VIEWS = ("Scores", "Parts", "Course", "Seats", "Length", "Squares")


def query_rows(library: Library, query: str) -> list[tuple[object, ...]]:
    with library.run("three").connect() as con:
        return con.execute(query).fetchall()


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_opens_from_its_address(open_dashboard_page: Callable[..., AppTest], view: str) -> None:
    at = open_dashboard_page("scores.py", view=view, rulesets=["bloxx-3p"])
    assert not at.exception
    assert not at.error
    assert at.segmented_control(key="view").value == view
    assert read_tables(at)


def test_a_ruleset_in_the_address_that_was_not_played_is_named(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    at = open_dashboard_page("scores.py", rulesets=["nope"])
    assert not at.exception
    assert "no games of nope" in at.warning[0].value


@pytest.mark.parametrize("view", VIEWS)
def test_every_table_can_be_downloaded(open_dashboard_page: Callable[..., AppTest], view: str) -> None:
    at = open_dashboard_page("scores.py", view=view, rulesets=["bloxx-3p"])
    labels = Counter(button.proto.label for button in at.get("download_button"))
    assert labels["CSV"] == labels["Parquet"] == len(read_tables(at))


def test_every_seat_has_its_own_numbers(
    open_dashboard_page: Callable[..., AppTest], library: Library
) -> None:
    at = open_dashboard_page("scores.py", lines="By seat", rulesets=["bloxx-3p"])
    truth = query_rows(
        library, "SELECT strategy, seat, count(*), avg(score) FROM seats GROUP BY ALL ORDER BY ALL"
    )
    shown = [(row["strategy"], row["seat"], row["results"], row["mean"]) for row in read_tables(at)[0]]
    assert [row[:3] for row in shown] == [row[:3] for row in truth]
    assert [row[3] for row in shown] == pytest.approx([row[3] for row in truth], abs=0.0051)


def test_the_distribution_of_a_part_is_that_of_the_table(
    open_dashboard_page: Callable[..., AppTest], library: Library
) -> None:
    at = open_dashboard_page("scores.py", of=GAPS_TITLE, rulesets=["bloxx-3p"], shape="Quantiles")
    truth = query_rows(
        library,
        "SELECT strategy, count(*), avg(points), min(points), max(points) FROM parts JOIN seats USING (game_id, seat) "
        "WHERE part = 'gaps' GROUP BY ALL ORDER BY ALL",
    )
    shown = [
        (row["strategy"], row["results"], row["mean"], row["lowest"], row["highest"])
        for row in read_tables(at)[0]
    ]
    for ours, right in zip(shown, truth, strict=True):
        assert ours[:2] == right[:2]
        assert ours[2:] == pytest.approx(right[2:], abs=0.005)


def test_the_percentile_of_a_score_is_that_of_the_results(
    open_dashboard_page: Callable[..., AppTest], library: Library
) -> None:
    at = open_dashboard_page("scores.py", score="30", rulesets=["bloxx-3p"])
    truth = query_rows(
        library,
        "SELECT strategy, 100 * avg((score < 30)::INT + (score = 30)::INT / 2), count(*) FROM seats GROUP BY ALL ORDER BY ALL",
    )
    shown = read_tables(at)[1]
    assert [row["percentile"] for row in shown] == pytest.approx([row[1] for row in truth], abs=0.05)
    for row in shown:
        assert row["from"] <= row["percentile"] <= row["to"]  # type: ignore[operator]
        assert row["blocks"] == 8


def test_a_range_of_scores_leads_to_its_games(
    open_dashboard_page: Callable[..., AppTest], library: Library
) -> None:
    at = open_dashboard_page(
        "scores.py", rulesets=["bloxx-3p"], strategies=["greedy"], **{"from": "20", "to": "40"}
    )
    truth = query_rows(
        library,
        "SELECT game_id, seat, score FROM seats WHERE strategy = 'greedy' AND score BETWEEN 20 AND 40 ORDER BY ALL",
    )
    assert truth
    assert [(row["game"], row["seat"], row["score"]) for row in read_tables(at)[1]] == truth
    assert read_table_links(at) == [f"replay?run=three&game={game}" for game, _, _ in truth]


def test_a_range_of_a_part_leads_to_its_games(
    open_dashboard_page: Callable[..., AppTest], library: Library
) -> None:
    at = open_dashboard_page("scores.py", rulesets=["bloxx-3p"], of=GAPS_TITLE, **{"from": "-3", "to": "-1"})
    truth = query_rows(
        library,
        "SELECT game_id, seat FROM parts WHERE part = 'gaps' AND points BETWEEN -3 AND -1 ORDER BY ALL",
    )
    assert [(row["game"], row["seat"]) for row in read_tables(at)[1]] == truth


def test_a_range_without_games_says_so(open_dashboard_page: Callable[..., AppTest]) -> None:
    at = open_dashboard_page("scores.py", rulesets=["bloxx-3p"], **{"from": "900", "to": "901"})
    assert "No game has a score in this range." in [caption.value for caption in at.caption]


@pytest.mark.parametrize("unit", ["rounds", "plies"])
def test_lengths_are_those_of_the_games(
    open_dashboard_page: Callable[..., AppTest], library: Library, unit: str
) -> None:
    at = open_dashboard_page("scores.py", view="Length", length=unit, rulesets=["bloxx-3p"])
    n, mean, least, most = query_rows(
        library,
        f"SELECT count(*), avg({unit}), min({unit}), max({unit}) FROM games",  # noqa: S608 - one of two words
    )[0]
    row = read_tables(at)[0][0]
    assert (row["games"], row["shortest"], row["longest"]) == (n, least, most)
    assert row[f"mean {unit}"] == pytest.approx(mean, abs=0.005)


def test_filled_squares_are_those_of_the_final_boards(
    open_dashboard_page: Callable[..., AppTest], library: Library
) -> None:
    """The roll-up has the same counts as the circles and crosses on the boards of the scenes."""
    at = open_dashboard_page("scores.py", view="Squares", rulesets=["bloxx-3p"])
    truth: Counter[tuple[str, str]] = Counter()
    run = library.run("three")
    for game in range(run.summary.games):
        scene = run.scene(game)
        filled = {
            (at_, cell) for step in scene["steps"] for at_, cell, mark in step["paint"] if mark in {"o", "x"}
        }
        for at_, cell in filled:
            row, column = divmod(int(cell), scene["boards"][0]["columns"])
            truth[scene["strategies"][int(at_)], f"{'abcdefg'[column]}{row + 1}"] += 1
    results = {"greedy": 48, "random": 24}
    shown = {(row["strategy"], row["square"]): row["share"] for row in read_tables(at)[0]}
    assert shown == pytest.approx({key: count / results[key[0]] for key, count in truth.items()}, abs=0.00005)


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


def test_a_sample_of_positions_counts_every_board(library: Library) -> None:
    run = library.run("three")
    found = list(sampled_squares.iter_mark_counts(run.path, 24, lambda: False))[-1]
    truth = sampled_squares.MarkCounts()
    for game in range(24):
        truth.add(sampled_squares.count_marks(run.scene(game)))
    assert (found.games, found.results) == (24, {"greedy": 48, "random": 24})
    assert found.marks == truth.marks
    gaps = sum(count for (_, glyph, _), count in found.marks.items() if glyph == "gap")
    assert gaps == query_rows(library, "SELECT sum(count) FROM parts WHERE part = 'gaps'")[0][0]


def test_maps_of_marks_are_shown_once_they_are_counted(open_dashboard_page: Callable[..., AppTest]) -> None:
    at = open_dashboard_page("scores.py", view="Squares", map="Circles", rulesets=["bloxx-3p"])
    for _ in range(200):
        if read_tables(at):
            break
        at.run()
    assert not at.exception
    assert any("first 24 logged games of three" in one.value.replace("\\", "") for one in at.caption)


def test_a_run_without_plies_has_no_map(open_dashboard_page: Callable[..., AppTest]) -> None:
    at = open_dashboard_page("scores.py", view="Squares", rulesets=["bloxx-2p"])
    assert not at.exception
    assert any("not logged" in one.value for one in at.caption)
