"""Files from strangers are refused in one clear line or shown harmlessly. They cannot make Reroll hang or read other files."""

from __future__ import annotations

import copy
import functools
import random
import shutil
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final

import duckdb
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from typer.testing import CliRunner

from engine import games
from engine.catalogue import Catalogue
from engine.errors import GameError
from engine.luck import Luck
from engine.play import play_out
from engine.strategies import read_player
from pipelines.cli import app
from pipelines.design.design import read_ruleset
from pipelines.runs.library import Library, Run, connect_runs
from pipelines.runs.query import answer_query
from pipelines.runs.unfinished_run import FORMAT_FILE, SHARD_FORMAT, UnfinishedRun
from pipelines.simulate.errors import VerificationFailed
from pipelines.simulate.verify import verify_run
from tests.examples import scale_examples

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from engine.ruleset import Ruleset
    from pipelines.design.design import Design

SECRET_TEXT: Final = "seventeen-green-herons"  # noqa: S105 - not a password
LOOK_TIMEOUT_SECONDS: Final = 120.0
"""Most seconds that reading a file may take, on a machine that is very busy with other things."""

HOSTILE_MARKUP: Final = "<img src=x onerror=alert(1)>[x](javascript:alert(1)) $x^2$ :red[y] =HYPERLINK(1)"

HOSTILE_SQL: Final = {
    # The file brings its own code.
    "a macro in place of the catalogue": "CREATE MACRO duckdb_columns() AS TABLE SELECT content AS table_name, '' AS column_name, "
    "'' AS data_type, '' AS database_name, 'main' AS schema_name, 1 AS column_index FROM read_text('{secret}')",
    "a macro in place of a sum": "CREATE MACRO max(x) AS (SELECT content FROM read_text('{secret}'))",
    "a macro in place of an operator": """CREATE MACRO "->>"(a, b) AS (SELECT content FROM read_text('{secret}'))""",
    "a view that reads another file": "CREATE OR REPLACE VIEW plies AS SELECT game_id, ply, round, seat, "
    "(SELECT content FROM read_text('{secret}')) AS kind, action, options, score FROM ply_rows",
    "a view that never ends": "CREATE OR REPLACE VIEW plies AS SELECT game_id, ply, round, seat, 'x' AS kind, action, "
    "options, score FROM ply_rows, range(1000000000000)",
    "another view": "CREATE VIEW more AS FROM read_text('{secret}')",
    "a table that is a view": "ALTER TABLE seats RENAME TO s; CREATE VIEW seats AS SELECT * REPLACE "
    "((SELECT content FROM read_text('{secret}')) AS strategy) FROM s",
    "a computed column": "ALTER TABLE run RENAME TO r; CREATE TABLE run (run VARCHAR, title VARCHAR AS (repeat('x', 90000000)), "
    "kind VARCHAR, created_at TIMESTAMP, command VARCHAR, seed UBIGINT, design JSON, versions JSON, games UINTEGER, "
    "seconds DOUBLE); INSERT INTO run SELECT run, kind, created_at, command, seed, design, versions, games, seconds FROM r",
    # The tables are not those of a run.
    "no tables": "DROP VIEW log; DROP VIEW plies; DROP TABLE seats",
    "no run": "DELETE FROM run",
    "two runs": "INSERT INTO run FROM run",
    "no rulesets": "DELETE FROM rulesets",
    "no strategies": "DELETE FROM strategies",
    "no games": "DELETE FROM games",
    "a text for a number": "DROP VIEW log; ALTER TABLE games ALTER rounds TYPE VARCHAR",
    "nulls": "DROP VIEW log; ALTER TABLE run ALTER title DROP NOT NULL; UPDATE run SET title = NULL",
    # Values that Reroll never writes.
    "for ever": "UPDATE run SET created_at = 'infinity'",
    "before Christ": "UPDATE run SET created_at = '4000-01-01 (BC)'",
    "no number of seconds": "UPDATE run SET seconds = 'nan'",
    "negative seconds": "UPDATE run SET seconds = -1e300",
    "no games at all": "UPDATE run SET games = 0",
    "more games than there are": "UPDATE run SET games = 4000000000",
    "an unknown game": "UPDATE rulesets SET game = 'chess'",
    "a game that is a path": "UPDATE rulesets SET game = '../../etc'",
    "a ruleset that is a path": "UPDATE rulesets SET ruleset = '../../../etc/passwd'",
    "no players": "UPDATE rulesets SET players = 0",
    "many players": "UPDATE rulesets SET players = 255",
    "no hash": "UPDATE rulesets SET sha256 = ''",
    "a spec that is invalid": "UPDATE rulesets SET spec = '[]'",
    "a deep spec": "UPDATE rulesets SET spec = repeat('[', 100000) || repeat(']', 100000)",
    "a deep design": "UPDATE run SET design = repeat('{{\"a\":', 100000) || '1' || repeat('}}', 100000)",
    "a design of another shape": """UPDATE run SET design = '{{"kind": "simulate", "seatings": 7}}'""",
    "markup everywhere": "UPDATE run SET title = '{markup}', command = '{markup}', kind = '{markup}'; "
    "UPDATE rulesets SET title = '{markup}'; UPDATE strategies SET title = '{markup}', strategy = '{markup}'; "
    "UPDATE seats SET strategy = '{markup}'; UPDATE parts SET part = '{markup}'; UPDATE actions SET notation = '{markup}'; "
    "UPDATE score_histogram SET strategy = '{markup}'; UPDATE part_totals SET part = '{markup}', strategy = '{markup}'; "
    "UPDATE block_scores SET strategy = '{markup}'; UPDATE score_by_round SET strategy = '{markup}'; "
    "UPDATE squares SET strategy = '{markup}'",
    # Very large values and tables.
    "a title without end": "UPDATE run SET title = repeat('x', 30000000)",
    "a spec without end": "UPDATE rulesets SET spec = '\"' || repeat('x', 30000000) || '\"'",
    "a million rulesets": "INSERT INTO rulesets SELECT r.* FROM rulesets r, range(1000000)",
    "a game of a million plies": "INSERT INTO ply_rows SELECT 0, ply % 60000, 0, 0, action, options, score "
    "FROM ply_rows, range(1000)",
    "a game of a million seats": "INSERT INTO seats SELECT s.* FROM seats s, range(100000)",
    # Actions that cannot be played.
    "actions of no meaning": "UPDATE ply_rows SET action = 2147483647",
    "negative actions": "UPDATE ply_rows SET action = -1",
    "the dice in every seat": "UPDATE ply_rows SET seat = -1",
    "seats of nobody": "UPDATE seats SET seat = 100",
    "scores beyond reason": "UPDATE seats SET score = 2147483647; UPDATE score_histogram SET score = 2147483647 - seat",
    "sums over nothing": "UPDATE block_scores SET n = 0; UPDATE part_totals SET n = 0; UPDATE score_by_round SET n = 0",
    "sums beyond reason": "UPDATE block_scores SET score_square_sum = -1, score_sum = 9223372036854775807",
    "cells beyond the board": "UPDATE actions SET cells = [65535, 65534]; UPDATE squares SET cell = 65535",
}  # fmt: skip
HARMLESS_FILES: Final = {
    "a macro in place of the catalogue",
    "a macro in place of a sum",
    "a macro in place of an operator",
    "a view that reads another file",
    "a view that never ends",
}
"""Files of sound games with views and functions that want to do harm, which are never used."""
QUICK_FILES: Final = {
    "a macro in place of a sum",
    "a view that reads another file",
    "another view",
    "no tables",
    "a text for a number",
    "before Christ",
    "a ruleset that is a path",
    "a deep spec",
    "actions of no meaning",
    "scores beyond reason",
}
"""Small files of every kind. Each file takes a second, so the others are read in the slow tier."""


@pytest.fixture(scope="module")
def secret_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file outside the library with a secret text."""
    path = tmp_path_factory.mktemp("elsewhere") / "secret.txt"
    path.write_text(SECRET_TEXT, encoding="utf-8")
    return path


@pytest.fixture
def make_hostile_run(small_run: Run, tmp_path: Path, secret_file: Path) -> Callable[[str], Run]:
    """A function that makes the hostile file of this name in a library."""

    def copy_and_change(name: str) -> Run:
        path = tmp_path / "runs" / "hostile.duckdb"
        path.parent.mkdir(exist_ok=True)
        shutil.copyfile(small_run.path, path)
        with duckdb.connect(path) as connection:
            connection.execute(HOSTILE_SQL[name].format(secret=secret_file, markup=HOSTILE_MARKUP))
        return Run(path)

    return copy_and_change


def run_readers(run: Run) -> list[Callable[[], object]]:
    """Return the ways in which Reroll reads a run from an unknown source."""
    return [
        lambda: run.summary,
        lambda: run.rulesets,
        lambda: run.list_seats(0),
        lambda: run.actions(0),
        lambda: run.scene(0),
        lambda: run.connect().execute("SELECT max(score), count(*) FROM seats").fetchall(),
        lambda: (
            connect_runs([run]).execute("SELECT kind, count(*) FROM plies GROUP BY ALL LIMIT 9").fetchall()
        ),
        lambda: answer_query([run], "SELECT title, kind FROM run", seconds=2),
    ]


def find_fault(run: Run) -> str | None:
    """Return why `verify` refuses a run, and with it the page Library an upload, in one line; None if it does not."""
    try:
        verify_run(run, workers=1)
    except (GameError, VerificationFailed) as error:
        assert len(str(error).splitlines()) == 1
        assert len(str(error)) < 2_000
        return str(error)
    return None


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name not in QUICK_FILES)) for name in HOSTILE_SQL]
)
def test_a_hostile_run_file_is_refused_or_shown_in_one_line(
    make_hostile_run: Callable[[str], Run], name: str, record_property: Callable[[str, object], None]
) -> None:
    run = make_hostile_run(name)
    for read in run_readers(run):
        started = time.monotonic()
        try:
            assert SECRET_TEXT not in str(read())
        except GameError as error:
            assert SECRET_TEXT not in str(error)
            assert len(str(error).splitlines()) <= 2
            assert len(str(error)) < 2_000
        assert time.monotonic() - started < LOOK_TIMEOUT_SECONDS
    fault = find_fault(run)
    assert (fault is None) == (name in HARMLESS_FILES), fault
    assert SECRET_TEXT not in str(fault)
    for words in (["ls"], ["info", "hostile"], ["show", "hostile", "--game", "1"]):
        done = CliRunner().invoke(app, [*words, "--data", str(run.path.parent.parent)])
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exc_info
        assert done.exit_code in {0, 1, 2}
        assert SECRET_TEXT not in done.output
    assert [path.name for path in run.path.parent.parent.rglob("*")] == ["runs", "hostile.duckdb"]
    record_property("looks at hostile files", len(run_readers(run)) + 4)


@pytest.mark.parametrize(
    "files", [8, pytest.param(25, marks=pytest.mark.slow), pytest.param(400, marks=pytest.mark.night)]
)
def test_a_run_file_with_other_bytes_is_refused_or_read(
    small_run: Run, tmp_path: Path, files: int, record_property: Callable[[str, object], None]
) -> None:
    """Bytes are changed, cut off, doubled and moved; other files stay readable in the same process."""
    dice, original, refused = random.Random(files), small_run.path.read_bytes(), 0
    for number in range(files):
        broken = bytearray(original)
        match number % 4:
            case 0:
                for _ in range(dice.randint(1, 40)):
                    broken[dice.randrange(len(broken))] = dice.randrange(256)
            case 1:
                del broken[dice.randrange(len(broken)) :]
            case 2:
                for _ in range(8):  # the head of the file has the addresses of all blocks
                    broken[dice.randrange(12_288)] = dice.randrange(256)
            case _:
                here, there = dice.randrange(len(broken)), dice.randrange(len(broken))
                broken[here : here + 4096] = broken[there : there + 4096]
        run = Run(tmp_path / f"broken-{number}.duckdb")
        run.path.write_bytes(broken)
        readers: list[Callable[[], object]] = [
            *run_readers(run)[:5],
            functools.partial(verify_run, run, workers=1),
        ]
        for read in readers:
            try:
                read()
            except (GameError, VerificationFailed) as error:
                refused += 1
                assert "\n" not in str(error)
        run.path.unlink()
        assert small_run.list_seats(0)
    assert refused
    record_property("broken run files", files)


SHIPPED_RULESETS = Catalogue().rulesets
any_document = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
many_examples = scale_examples(0.25, list(HealthCheck))


def document_paths(document: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Return the path of every value in a document."""
    inner = (
        document.items()
        if isinstance(document, dict)
        else enumerate(document)
        if isinstance(document, list)
        else ()
    )
    return [path, *(found for key, value in inner for found in document_paths(value, (*path, key)))]


@many_examples
@given(st.data(), st.sampled_from(list(SHIPPED_RULESETS)))
def test_a_ruleset_with_anything_anywhere_is_read_or_refused(data: st.DataObject, name: str) -> None:
    """A ruleset that can be read is a game that ends."""
    document = copy.deepcopy(SHIPPED_RULESETS[name].document)
    *path, last = data.draw(st.sampled_from(document_paths(document)[1:]))
    inside: object = document
    for key in path:
        inside = inside[key]  # type: ignore[index]  # the path leads through lists and dicts
    inside[last] = data.draw(any_document)  # type: ignore[index]
    try:
        ruleset = read_ruleset(document, "here")
    except GameError as error:
        assert len(str(error).splitlines()) <= 2
        return
    decide = read_player(games.find_game(ruleset.game), "random").decide
    with suppress(GameError):
        assert play_out(games.start_state(ruleset), [decide] * ruleset.players, Luck(1, 0))[0].is_over


@many_examples
@given(st.binary(max_size=400) | st.text(max_size=200).map(str.encode), st.data())
def test_a_ruleset_file_of_any_bytes_is_read_or_refused(
    ruleset_file: Path, found: bytes, data: st.DataObject
) -> None:
    """Any bytes, or a shipped file with some bytes replaced."""
    shipped = data.draw(st.none() | st.sampled_from(sorted(Catalogue().files.values())))
    if shipped:
        text = shipped.read_bytes()
        cut = data.draw(st.integers(0, len(text)))
        found = text[:cut] + found[:8] + text[cut + data.draw(st.integers(0, 40)) :]
    ruleset_file.write_bytes(found)
    try:
        list(Catalogue((ruleset_file.parent,)).read_ruleset_file(ruleset_file))
    except GameError as error:
        assert len(str(error).splitlines()) <= 2


@pytest.fixture(scope="module")
def ruleset_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file that the tests of ruleset files write."""
    return tmp_path_factory.mktemp("rulesets") / "any.toml"


@pytest.mark.parametrize(
    "text",
    [
        "a = " + "[" * 100_000 + "]" * 100_000,
        "a" + ".a" * 100_000 + " = 1",
        'extends = "../../../etc/passwd"',
        'extends = "any"',
        'game = "../../etc"\nplayers = 2',
        'game = "bloxx"\nplayers = ' + "9" * 5_000,
        'game = "bloxx"\nplayers = [' + "2," * 100_000 + "]",
        'game = "bloxx"\nplayers = 2\ntitle = "' + "x" * 900_000 + '"',
        "x" * (1 << 20) + "y",
        'game = "bloxx"\nplayers = 1979-05-27',
        "\x00",
        "",
    ],
    ids=range(12),
)  # fmt: skip
def test_a_hostile_ruleset_file_is_refused_quickly(ruleset_file: Path, text: str) -> None:
    ruleset_file.write_text(text, encoding="utf-8")
    started = time.monotonic()
    with pytest.raises(GameError) as caught:
        list(Catalogue((ruleset_file.parent,)).read_ruleset_file(ruleset_file))
    assert len(str(caught.value)) < 2_000
    assert time.monotonic() - started < 5


@many_examples
@given(st.sampled_from(list(SHIPPED_RULESETS)), st.text(max_size=40), st.data())
def test_any_notation_is_read_or_refused(name: str, text: str, data: st.DataObject) -> None:
    """Any text, or valid notation with some letters replaced."""
    ruleset: Ruleset = SHIPPED_RULESETS[name]
    state = games.start_state(ruleset)
    true = ruleset.action(data.draw(st.sampled_from(list(state.actions)))).notation
    at = data.draw(st.integers(0, len(true)))
    for written in (text, true[:at] + text[:3] + true[at + 1 :], true * 1_000):
        with suppress(GameError):
            assert ruleset.action(ruleset.read_action(written)).notation


@many_examples
@given(st.binary(max_size=300) | st.text(max_size=100).map(str.encode), st.data())
def test_an_unfinished_run_of_any_bytes_is_told_and_spoils_nothing(
    ruleset_file: Path, designs: dict[str, Design], found: bytes, data: st.DataObject
) -> None:
    library = Library(ruleset_file.parent)
    folder = library.runs_folder / "odd.partial"
    folder.mkdir(parents=True, exist_ok=True)
    text = designs["compare"].model_dump_json().encode()
    cut = data.draw(st.integers(0, len(text)))
    document = data.draw(st.sampled_from([found, text[:cut] + found[:6] + text[cut + 3 :]]))
    (folder / "design.json").write_bytes(document)
    (folder / FORMAT_FILE).write_text(str(SHARD_FORMAT), encoding="ascii")
    (folder / "job.json").write_bytes(found)
    try:
        _ = UnfinishedRun(folder).design.players
    except GameError as error:
        assert len(str(error).splitlines()) <= 2
    for partial in library.unfinished_runs():
        with suppress(GameError):
            assert (partial.games_done, partial.is_running, partial.seconds >= 0) == (0, False, True)
        assert partial.seconds_left is None


@pytest.mark.parametrize(
    "name", ["../other", "/etc/passwd", "a/../../b", "..", "", "x" * 5_000, "\x00", "~/x"]
)
@pytest.mark.parametrize("command", ["info", "rm", "resume", "verify"])
def test_a_name_that_is_a_path_leads_nowhere(tmp_path: Path, name: str, command: str) -> None:
    outside = tmp_path / "outside.duckdb"
    outside.write_bytes(b"keep me")
    (tmp_path / "data" / "runs").mkdir(parents=True)
    yes = ["--yes"] if command == "rm" else []
    done = CliRunner().invoke(app, [command, name, *yes, "--data", str(tmp_path / "data")])
    assert isinstance(done.exception, SystemExit), done.exc_info
    assert done.exit_code == 2
    assert len(done.output.splitlines()) <= 2
    assert outside.read_bytes() == b"keep me"
