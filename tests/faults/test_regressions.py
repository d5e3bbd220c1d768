"""Faults that the fuzzer or a person found: each input is tested again, under a name that says what it is."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Final

import duckdb
import pytest
from markdown_it import MarkdownIt
from pandas import DataFrame
from typer.testing import CliRunner

from dashboard.widgets.markdown import escape_markdown
from dashboard.widgets.tables import write_table_csv
from engine import games
from engine.errors import GameError, InvalidError
from engine.strategies import read_player
from engine.transcript import Transcript, TranscriptLine
from pipelines.cli import app
from pipelines.cli.output import print_csv
from pipelines.design.designs import design_simulation, read_design
from pipelines.exchange.game_files import TEXT_FORMAT
from pipelines.experiments.many_games import select_logged_games
from pipelines.runs.unfinished_run import UnfinishedRun, begin_run
from pipelines.simulate.simulate import resume_run, simulate_run

if TYPE_CHECKING:
    from pathlib import Path

    from engine.ruleset import Ruleset
    from pipelines.runs.library import Library, Run

TERMINAL_COMMANDS: Final = "\x1b]0;title\x07\x1b[2J\x9b31m\u202e"
"""Control sequences that change the title of a terminal, clear it, and print red letters from right to left."""


def begin_small_run(library: Library, ruleset: Ruleset) -> UnfinishedRun:
    planned = design_simulation(ruleset, ["random", "random"], blocks=4, seed=3)
    return begin_run(library.runs_folder / "run.duckdb", planned, free_name=False)


@pytest.mark.parametrize(
    "job",
    [
        '{"pid": 7, "host": "here"}',
        '{"pid": 7, "host": "here", "started": "yesterday"}',
        '{"pid": 7, "host": "here", "started": 1e400}',
        '{"pid": 7, "host": "here", "started": 1, "games_before": "many"}',
        "[" * 100_000,
        "\ud800",
    ],
    ids=["no start", "a word", "for ever", "no number", "deep", "no text"],
)
def test_a_malformed_job_file_is_ignored(memory_library: Library, ruleset: Ruleset, job: str) -> None:
    partial = begin_small_run(memory_library, ruleset)
    (partial.folder / "job.json").write_bytes(job.encode("utf-8", "surrogatepass"))
    assert (partial.attempt, partial.seconds, partial.seconds_left) == (None, 0.0, None)
    assert resume_run(partial, workers=1).summary.games == 4


def test_an_unfinished_run_of_billions_of_shards_is_refused_at_once(
    memory_library: Library, ruleset: Ruleset
) -> None:
    partial = begin_small_run(memory_library, ruleset)
    path = partial.folder / "design.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**document, "blocks": 1 << 31, "shard_blocks": 1}), encoding="utf-8")
    with pytest.raises(InvalidError, match="shards"):
        _ = UnfinishedRun(partial.folder).design


@pytest.mark.parametrize("name", ["job.json", "cancel", "design.json.new", "shards", "writing"])
def test_an_unfinished_run_with_links_writes_nothing_elsewhere(
    memory_library: Library, ruleset: Ruleset, tmp_path: Path, name: str
) -> None:
    partial = begin_small_run(memory_library, ruleset)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("keep me", encoding="utf-8")
    if name == "shards":
        (partial.folder / name).rmdir()
    (partial.folder / name).symlink_to(elsewhere)
    done = CliRunner().invoke(app, ["resume", str(partial.folder), "--data", str(memory_library.folder)])
    assert done.exit_code == 2
    assert "link to another place" in done.output
    assert len(done.output.splitlines()) == 1
    assert elsewhere.read_text(encoding="utf-8") == "keep me"


@pytest.mark.parametrize("text", [TERMINAL_COMMANDS, "a\nb\nc\nd", "x" * 100_000, TERMINAL_COMMANDS * 1_000])
def test_a_refusal_quotes_no_more_than_two_lines_and_commands_no_terminal(text: str) -> None:
    message = str(GameError(f"there is no {text} here"))
    assert len(message.splitlines()) <= 2
    assert len(message) < 2_000
    assert message.replace("\n", "").isprintable()
    assert (message.startswith("there is no "), message.endswith(" here")) == (True, True)
    assert str(InvalidError(message)) == message


def test_a_number_of_many_digits_is_the_same_in_the_name_of_a_player(ruleset: Ruleset) -> None:
    game = games.find_game(ruleset.game)
    player = read_player(game, "noisy:sigma=1.23555555555555555555555")
    assert read_player(game, player.name).parameters == player.parameters
    assert read_player(game, player.name).name == player.name


def test_a_strategy_with_thousands_of_letters_is_refused_in_short() -> None:
    for name in games.game_names():
        with pytest.raises(InvalidError) as caught:
            read_player(games.find_game(name), "random:" + "\udcff" * 5_000)
        assert len(str(caught.value)) < 2_000
        str(caught.value).encode()


@pytest.fixture
def run_with_terminal_commands(memory_library: Library, ruleset: Ruleset) -> Run:
    """A run whose texts contain control sequences for terminals."""
    run = simulate_run(
        design_simulation(ruleset, ["greedy", "random"], blocks=2, seed=1),
        memory_library.runs_folder / "hostile.duckdb",
        workers=1,
    )
    run.path.chmod(0o644)  # a stranger may change it
    with duckdb.connect(run.path) as connection:
        for table, columns in {
            "run": ("title", "command"),
            "rulesets": ("title",),
            "strategies": ("title", "strategy"),
            "seats": ("strategy",),
            "actions": ("notation",),
            "parts": ("part",),
        }.items():
            for column in columns:
                connection.execute(f"UPDATE {table} SET {column} = $1", [TERMINAL_COMMANDS])  # noqa: S608 - names from above
    return run


@pytest.mark.parametrize(
    "words",
    [
        ["ls"],
        ["info", "hostile"],
        ["show", "hostile", "--game", "1"],
        ["verify", "hostile"],
        ["sql", "SELECT title FROM run"],
        ["sql", f"SELECT 1 AS '{TERMINAL_COMMANDS}'"],
        ["sql", TERMINAL_COMMANDS],
        ["rm", "hostile", "--yes"],
        ["info", TERMINAL_COMMANDS],
    ],
    ids=lambda words: words[0],
)
def test_no_text_of_a_file_commands_the_terminal(run_with_terminal_commands: Run, words: list[str]) -> None:
    done = CliRunner().invoke(app, [*words, "--data", str(run_with_terminal_commands.path.parent.parent)])
    assert isinstance(done.exception, SystemExit) or done.exception is None, done.exc_info
    assert done.output
    assert not set(TERMINAL_COMMANDS) & set(done.output) - set("]0;title[2J31m")


@pytest.mark.parametrize("text", ["1. one", "12. a\n\n    b", "title\n=====", "\tcode", "a  \nb", "#", "1.5"])
def test_a_title_that_looks_like_a_list_or_a_heading_is_text(text: str) -> None:
    html = MarkdownIt("commonmark").render(escape_markdown(text))
    assert html.startswith("<p>")
    assert html.count("<") == 2
    assert " ".join(html[3:].partition("<")[0].split()) == " ".join(text.split())


@pytest.mark.parametrize(
    "text", ["a\r=1+1", "\r=1+1", "\r\n=1+1", "\n=1+1", "=1+1", "-2+3", "@a", "+1 (2)", "\t=1"]
)
def test_no_cell_of_an_exported_table_is_a_formula(text: str) -> None:
    table = write_table_csv(DataFrame({text: [text, "end"], "n": [-1.5, 2.0]}))
    rows = list(csv.reader(io.StringIO(table, newline="")))
    assert len(rows) == 3
    assert rows[0][0][0] not in "=+-@\t\r\n"
    assert rows[1][0][0] not in "=+-@\t\r\n"
    assert [row[1] for row in rows] == ["n", "-1.5", "2.0"]


@pytest.mark.parametrize(
    "text",
    [
        "-1.5",
        "+1.5 (0.2 to 2.8)",
        "+1.5 (−0.2 to 2.8)",
        "-3 exactly",
        "+3 (all equal)",
        "-",
        "+0.4 ± 0.1",
        "+0.4 ± 0.1 *",
        "+35 (19 to 51) *",
    ],
)
def test_a_signed_number_is_exported_unchanged(text: str) -> None:
    assert list(csv.reader(io.StringIO(write_table_csv(DataFrame({"a": [text]})))))[1] == [text]


def test_a_carriage_return_in_an_answer_begins_no_new_row(capsys: pytest.CaptureFixture[str]) -> None:
    print_csv(["a", "b"], [["1\r2", "3\n4"], ["5", 6]])
    output = capsys.readouterr().out
    assert output.endswith("5,6\n")
    assert list(csv.reader(io.StringIO(output, newline=""))) == [["a", "b"], ["1\r2", "3\n4"], ["5", "6"]]


def test_a_name_with_lines_in_it_adds_no_line_to_a_log(ruleset: Ruleset) -> None:
    game = Transcript(
        ruleset.name,
        ("Anna\nseat 1  Eve", "Ben # not Eve"),
        (TranscriptLine("move 1", "-\n-", {}),),
        "A\u2028B\rC",
    )
    (again,) = TEXT_FORMAT.read(TEXT_FORMAT.write(ruleset, game))
    assert (again.title, again.seats) == ("A B C", ("Anna seat 1 Eve", "Ben not Eve"))
    assert [line.notation for line in again.lines] == ["- -"]


def test_a_number_of_thousands_of_digits_is_no_game(small_run: Run) -> None:
    with pytest.raises(InvalidError, match="expected all, lost:PLAYER"):
        select_logged_games(small_run, "9" * 5_000, 1)


def test_a_comparison_of_more_blocks_than_there_are_is_refused(ruleset: Ruleset) -> None:
    document = json.loads(design_simulation(ruleset, ["random", "random"], blocks=4).model_dump_json())
    contest = {"arrangement": "rotate", "most_blocks": 10**4000}
    with pytest.raises(InvalidError):
        read_design(json.dumps({**document, "kind": "compare", "contest": contest}), "here")
