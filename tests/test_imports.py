"""The import graph of the three packages has no cycle, and few parts of the product execute SQL.

The layers are contracts of import-linter (pyproject.toml), which sees neither cycles of modules nor imports by a string.
"""

from __future__ import annotations

import ast
import tomllib
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Final

import pytest

from dashboard.pages import PAGES

ROOT: Final = Path(__file__).parents[1]
PACKAGES: Final = ("engine", "pipelines", "dashboard", "reroll")


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES: Final = {
    module_name(path): path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))
}


@cache
def parse_nodes(path: Path) -> list[ast.AST]:
    """Return all nodes of the syntax tree of a file."""
    return [*ast.walk(ast.parse(path.read_text(encoding="utf-8")))]


def imported_modules(path: Path) -> set[str]:
    """Return the modules of ours that a file imports: at the top, inside functions, for types only, or by a string."""
    found: set[str] = set()
    for node in parse_nodes(path):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                submodule = f"{node.module}.{alias.name}"
                found.add(submodule if submodule in MODULES else node.module)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "." in node.value:
            found.add(node.value)
    return found & MODULES.keys()


def test_the_import_graph_has_no_cycle() -> None:
    try:
        TopologicalSorter({name: imported_modules(path) - {name} for name, path in MODULES.items()}).prepare()
    except CycleError as error:
        pytest.fail(f"these modules import each other: {' -> '.join(reversed(error.args[1]))}")


def test_the_graph_sees_every_kind_of_import(tmp_path: Path) -> None:
    """Otherwise the test above would pass over imports that it does not see."""
    path = tmp_path / "example.py"
    path.write_text(
        "from typing import TYPE_CHECKING\nimport engine.luck\n"
        "if TYPE_CHECKING:\n    from pipelines.runs.run import Run\n"
        "def load():\n    from pipelines.runs import library\n    return __import__('pipelines.design.design')\n",
        encoding="utf-8",
    )
    assert imported_modules(path) == {
        "engine.luck",
        "pipelines.runs.run",
        "pipelines.runs.library",
        "pipelines.design.design",
    }


OTHER_MEANINGS: Final = {
    "games": "a key of former addresses of What if",
    "notes": "the key of the notes in an exported document",
    "runs": "the key of the runs in an exported document",
    "rules": "the kind of a note on a ruleset",
    "scores": "the kind of a section, and of a highlight",
    "strategies": "a key of addresses",
}
"""Words that are the name of a page and mean something else in notes and studies."""
KINDS_OF_DEMO_RUNS: Final = {"strategies", "whatif"}


def test_notes_and_studies_name_no_page_of_the_dashboard() -> None:
    """They ask the class of the question for its page (`Question.page`)."""
    pages = {page.script for page in PAGES} - OTHER_MEANINGS.keys()
    named = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {node.value}"
        for name, path in MODULES.items()
        if name.startswith(("pipelines.notes.", "pipelines.studies.", "pipelines.service.demo"))
        for node in parse_nodes(path)
        if isinstance(node, ast.Constant) and node.value in pages
        if not (name == "pipelines.service.demo" and node.value in KINDS_OF_DEMO_RUNS)
    ]
    assert named == []


def test_a_script_of_a_page_imports_no_other_page() -> None:
    pages = {page.script for page in PAGES}
    crossing = [
        f"{script}: {module}"
        for script in sorted(pages)
        for module in imported_modules(ROOT / "dashboard" / "views" / f"{script}.py")
        if module.startswith("dashboard.") and module.split(".")[1] in {*pages, "views"} - {script}
    ]
    assert crossing == []


def test_the_contracts_name_every_page_and_every_part_above_the_report() -> None:
    """Otherwise a new folder would be bound by no contract."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        contracts = {one["name"]: one for one in tomllib.load(file)["tool"]["importlinter"]["contracts"]}
    layers = contracts["The pipelines flow from the design of a run to what is done with it"]["layers"]
    above = [part for layer in layers[: layers.index("report") + 1] for part in layer.split(" | ")]
    rendering = contracts["The report and everything above it renders and never queries"]["source_modules"]
    assert {f"pipelines.{part}" for part in above if part != "__main__"} == set(rendering)
    knowing = contracts["Of the dashboard only the cache of its queries knows DuckDB"]["source_modules"]
    parts_of_pages = {f"dashboard.{page.script}" for page in PAGES} & MODULES.keys()
    assert parts_of_pages | {"dashboard.views", "dashboard.widgets"} == set(knowing)


def test_nothing_in_the_product_replaces_parts_of_it_as_tests_do() -> None:
    replacing = {
        name
        for name, path in MODULES.items()
        for node in parse_nodes(path)
        if isinstance(node, ast.ImportFrom | ast.Import)
        and any(
            module.startswith(("unittest", "pytest"))
            for module in (getattr(node, "module", None) or "", *(alias.name for alias in node.names))
        )
    }
    assert replacing == set()


MAY_EXECUTE_SQL: Final = {
    "pipelines.runs": "the run file and the library: every table of them is read here",
    "pipelines.questions": "the answers to questions, from the tables of runs",
    "pipelines.simulate.verify": "checks the tables of a file that may come from a stranger, so it reads them as they are",
    "pipelines.simulate.verify_games": "the same, for the rows of single games",
    "pipelines.notes": "notes are in an SQLite file of their own, which holds no runs",
}
"""The packages and modules that may execute SQL, each with its reason."""
SQL_METHODS: Final = frozenset({"execute", "executemany", "executescript", "sql", "from_query", "query"})
"""The methods of connections that execute SQL, and `query`, by which a question asks its source."""


def executes_sql(path: Path) -> bool:
    return any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in SQL_METHODS
        for node in parse_nodes(path)
    )


def test_only_runs_and_questions_execute_sql() -> None:
    """Every other part of the product calls their functions. A permission that nothing uses is taken back."""
    executing = {name for name, path in MODULES.items() if executes_sql(path)}
    permitted = {
        part: {name for name in executing if name == part or name.startswith(f"{part}.")}
        for part in MAY_EXECUTE_SQL
    }
    assert executing - set().union(*permitted.values()) == set()
    assert [part for part, modules in permitted.items() if not modules] == []


@pytest.mark.parametrize(
    ("line", "executes"),
    [
        ("rows = connection.execute('FROM games')", True),
        ("frame = connect().cursor().sql('FROM games').df()", True),
        ("cells = shown.source.query(count_cells, runs)", True),
        ("rows = read_plies(connection, 3)", False),
    ],
)
def test_every_way_to_execute_sql_is_seen(line: str, executes: bool, tmp_path: Path) -> None:  # noqa: FBT001
    path = tmp_path / "example.py"
    path.write_text(line, encoding="utf-8")
    assert executes_sql(path) is executes


REPORT_DOORS: Final = {
    "pipelines.report.compose": "an answer becomes a sheet here",
    "pipelines.report.sheet": "sheets and their parts as values",
    "pipelines.report.show": "the renderers of sheets, charts and tables",
    "pipelines.report.charts": "charts as values",
    "pipelines.report.table": "tables as values",
    "pipelines.report.estimates": "estimates and their intervals as texts, also in forms and messages",
    "pipelines.report.wording": "counts, times and names as texts, also in forms and messages",
    "pipelines.report.characters": "what strategies are like: forms offer them, and results against them: a game being played is not an answer",
    "pipelines.report.query_examples": "the examples that the form of a query offers",
    "pipelines.report.ruleset_words": "settings of rulesets: forms change them, and files hold them",
    "pipelines.report.yardsticks": "recorded figures of benchmarks answer no question",
    "pipelines.report.runs": "lists of runs and of moves answer no question",
}
"""The packages and modules of the report that other parts of the product may import, each with its reason."""
MAY_WORD_ANSWERS: Final = {
    (
        "dashboard.library.tiles",
        "pipelines.report.games",
    ): "a tile has a record of a game, and no room for its sheet",
    (
        "dashboard.library.tiles",
        "pipelines.report.score_sentences",
    ): "a tile has one finding, and no room for its sheet",
    (
        "dashboard.replay",
        "pipelines.report.lesson",
    ): "the board asks a lesson, whose sheet tells all",
    ("pipelines.panel", "pipelines.report.lesson"): "the board values the moves of a lesson",
    ("dashboard.sql", "pipelines.report.sql"): "the form asks which columns are drawn",
    ("dashboard.views.replay", "pipelines.report.game"): "the board draws a review while it grows",
    ("dashboard.views.sql", "pipelines.report.sql"): "the same",
    (
        "dashboard.whatif",
        "pipelines.report.many_games",
    ): "the form says what is known before anything is played",
    (
        "pipelines.cli.catalogue",
        "pipelines.report.rules",
    ): "shows a ruleset of a file without loading all answers",
    (
        "pipelines.cli.output",
        "pipelines.report.score_tables",
    ): "the end of a run is shown while it is played",
    (
        "pipelines.notebook.played",
        "pipelines.report.game",
    ): "a review in a notebook has charts in place of the replay that draws them",
    (
        "pipelines.cli.rule",
        "pipelines.report.rule_words",
    ): "the time an effect takes is said before it is played",
    ("dashboard.rules.effect_form", "pipelines.report.rule_words"): "the same on the page",
    (
        "pipelines.notebook.answers",
        "pipelines.report.frame_columns",
    ): "a notebook says what the columns of frames mean",
    ("pipelines.notebook.answers", "pipelines.report.rules"): "a ruleset in a notebook shows its options",
    ("pipelines.panel", "pipelines.report.whatif"): "the board draws an answer while it grows",
}
"""The other modules of the report that a module imports, each with its reason. They word, tabulate or draw answers."""


def test_answers_are_worded_by_the_report_alone() -> None:
    """Whoever shows an answer composes its sheet and renders it. A permission that nothing uses is taken back."""
    imported = {
        (name, module)
        for name, path in MODULES.items()
        if not name.startswith(("pipelines.report", "pipelines.measure"))  # measure prints its own figures
        for module in imported_modules(path)
        if module.startswith("pipelines.report.")
    }
    doors = {
        door: {pair for pair in imported if pair[1] == door or pair[1].startswith(f"{door}.")}
        for door in REPORT_DOORS
    }
    assert imported - set().union(*doors.values()) == MAY_WORD_ANSWERS.keys()
    assert [door for door, pairs in doors.items() if not pairs] == []


ADDRESS_FUNCTIONS: Final = frozenset({"parse_qs", "parse_qsl", "urlencode", "urlparse", "urlsplit"})
"""The functions of the standard library that read and write addresses and their queries."""


def test_one_module_reads_and_writes_addresses() -> None:
    using = {
        name
        for name, path in MODULES.items()
        for node in parse_nodes(path)
        if isinstance(node, ast.alias | ast.Attribute)
        and (node.name if isinstance(node, ast.alias) else node.attr) in ADDRESS_FUNCTIONS
    }
    assert using == {"pipelines.questions.address"}


def names_a_field_of_an_address(node: ast.AST) -> bool:
    """Return whether an expression writes or reads a field of `st.query_params`, or of a link, under a key written out."""

    def is_query(part: ast.AST) -> bool:
        return isinstance(part, ast.Attribute) and part.attr == "query_params"

    def is_text(part: ast.AST) -> bool:
        return isinstance(part, ast.Constant) and isinstance(part.value, str)

    def names_key(part: ast.AST) -> bool:
        return any(
            key is not None and is_text(key)
            for one in ast.walk(part)
            if isinstance(one, ast.Dict)
            for key in one.keys
        )

    match node:
        case ast.Call(func=ast.Attribute(value=query), args=args, keywords=keywords) if is_query(query):
            return bool(keywords) or any(is_text(one) or names_key(one) for one in args)
        case ast.keyword(arg="query_params", value=value):
            return names_key(value)
        case ast.Subscript(value=query, slice=ast.Constant()):
            return is_query(query)
        case ast.Compare(left=ast.Constant(), comparators=[query]):
            return is_query(query)
    return False


def test_a_question_writes_and_reads_each_field_of_an_address() -> None:
    """`write_address` and `is_in_address` know the keys; `show_link` links to the page that answers a question."""
    naming = {
        name: f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}"
        for name, path in MODULES.items()
        if name.startswith("dashboard.")
        for node in parse_nodes(path)
        if names_a_field_of_an_address(node)
    }
    assert naming == {}


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("st.page_link('views/play.py', query_params={'ruleset': name})", True),
        ("st.query_params.from_dict({**write_address(asked), 'part': 'card'})", True),
        ("st.query_params.update(pair=number)", True),
        ("st.query_params['play'] = game", True),
        ("is_given = 'with' in st.query_params", True),
        ("tags = st.query_params.get_all('tags')", True),
        ("st.query_params.from_dict(write_address(asked))", False),
        ("st.page_link('views/replay.py', query_params=game_address(run, 0))", False),
        ("st.query_params[key] = state[key]", False),
    ],
)
def test_every_way_to_name_a_field_of_an_address_is_seen(line: str, names: bool) -> None:  # noqa: FBT001
    assert any(map(names_a_field_of_an_address, ast.walk(ast.parse(line)))) is names


def test_the_failures_of_every_fragment_are_shown_in_it() -> None:
    """An error in a fragment does not reach `dashboard.page_frame`: pages draw fragments with `show_fragment`.

    The box *Go to* is a dialog, which calls `show_failures` itself.
    """
    drawing = {
        name
        for name, path in MODULES.items()
        for node in parse_nodes(path)
        if isinstance(node, ast.Attribute) and node.attr in {"dialog", "fragment"}
    }
    assert drawing == {"dashboard.widgets.background_work", "dashboard.widgets.go_to"}


def test_commands_print_the_tables_of_the_report() -> None:
    """Only a query has columns that the report does not know; `print_report_table` prints all other tables."""
    printing = {name for name, path in MODULES.items() if "print_table" in path.read_text(encoding="utf-8")}
    assert printing == {"pipelines.cli.output", "pipelines.cli.query"}
