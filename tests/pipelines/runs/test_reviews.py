"""Files with reviews: queries see their tables, and a file that is not one is refused."""

from pathlib import Path

import duckdb
import pytest

from engine.errors import InvalidError
from pipelines.runs.intake import rename_run
from pipelines.runs.library import Library, Run
from pipelines.runs.query import answer_query
from pipelines.runs.schema import REVIEW_SCHEMA, review_tables

ROLL = "INSERT INTO rolls VALUES (1, 3, 1, 'bloxx-2p', 0, 0, 1, '3 3', 0, 1, 'greedy', 2.5, 0.5, 0.25, 0.05)"


@pytest.fixture
def library(small_run: Run, tmp_path: Path) -> Library:
    library = Library(tmp_path)
    library.runs_folder.mkdir()
    (library.runs_folder / "first.duckdb").write_bytes(small_run.path.read_bytes())
    return library


def write_reviews(run: Run, change: str = "") -> None:
    """Write a file with one roll of one game."""
    run.review_path.parent.mkdir(exist_ok=True)
    with duckdb.connect(run.review_path) as connection:
        connection.execute(REVIEW_SCHEMA)
        connection.execute("INSERT INTO reviews VALUES (1, $1, 'greedy', 1, 0, '1', 1)", [run.key])
        connection.execute(f"{ROLL}; {change}")


def test_every_column_of_reviews_has_a_comment() -> None:
    tables = review_tables()
    assert [table.name for table in tables] == ["reviews", "ledgers", "decisions", "rolls"]
    assert all(table.about and all(column.about for column in table.columns) for table in tables)


@pytest.mark.slow
def test_queries_see_the_reviews_of_runs(library: Library) -> None:
    run = library.run("first")
    question = "SELECT run, game_id, player, luck_points FROM rolls"
    assert answer_query([run], question).rows == []
    write_reviews(run)
    assert answer_query([run], question).rows == [("first", 3, 2, 2.5)]
    assert library.arrow("rolls").num_rows == 1


@pytest.mark.slow
def test_a_renamed_run_keeps_its_reviews_and_the_last_copy_takes_them_along(library: Library) -> None:
    write_reviews(library.run("first"))
    run = rename_run(library, library.run("first"), "second")
    assert answer_query([run], "SELECT DISTINCT run FROM rolls").rows == [("second",)]
    (library.runs_folder / "copy.duckdb").write_bytes(run.path.read_bytes())
    run.remove()
    assert answer_query(library.runs(), "SELECT DISTINCT run FROM rolls").rows == [("copy",)]
    copy = library.run("copy")
    copy.remove()
    assert not copy.review_path.exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("UPDATE reviews SET run_key = 'other'", "its reviews are those of another run"),
        ("ALTER TABLE rolls DROP COLUMN luck_wins", "no stored column rolls.luck_wins of type FLOAT"),
        ("DROP TABLE rolls; CREATE VIEW rolls AS SELECT 1 AS review", "no stored column rolls.review"),
    ],
)
def test_a_file_that_is_not_one_of_reviews_is_refused(library: Library, change: str, message: str) -> None:
    run = library.run("first")
    write_reviews(run, change)
    with pytest.raises(InvalidError, match=message):
        answer_query([run], "SELECT count(*) FROM rolls")
    assert answer_query([run], "SELECT count(*) FROM seats").rows != []
