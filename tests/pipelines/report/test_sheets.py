"""Every renderer shows what the sheet of an answer says: HTML, terminal, JSON, CSV, the page, `reroll ask` and notebooks.

Another kind of answer is another line in `CASES`.
"""

from __future__ import annotations

import csv
import io
import json
import re
import time
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urlencode

import pandas as pd
import pytest
from markupsafe import escape
from streamlit.testing.v1 import AppTest
from typer.testing import CliRunner

from pipelines.cli import app
from pipelines.notebook import api as notebook
from pipelines.notebook.answers import make_figure, sheet_html
from pipelines.questions.address import split_address
from pipelines.questions.every_question import ANSWERS, answer_question, read_question
from pipelines.report.charts import Chart
from pipelines.report.compose import COMPOSERS, compose
from pipelines.report.sheet import Passage, Sheet, SquareMaps
from pipelines.report.show.frames import _REPEATED, list_frames
from pipelines.report.show.html import write_sheet_html
from pipelines.report.show.json import json_value, list_tables, sheet_document, write_table_csv
from pipelines.report.show.terminal import write_sheet_lines
from pipelines.report.table import Table
from pipelines.statistics.rounding import MINUS_SIGN, set_minus_signs
from pipelines.studies.study import StudySource, compose_address
from tests.pipelines.report.sheet_readers import (
    HtmlReader,
    find_missing_part,
    find_missing_words,
    fold,
    list_part_words,
    list_words,
    open_details,
    read_page_parts,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipelines.report.sheet import Part
    from pipelines.runs.library import Library

pytestmark = pytest.mark.slow


class Case(NamedTuple):
    """An address of the small library, and what a notebook shows for it."""

    address: str
    show: Callable[[notebook.Library], Any] | None = None
    """Returns the object of a notebook with the same answer, or None."""
    own_parts: str = ""
    """The beginning of the keys of the parts that the page draws in a way of its own."""
    is_on_board: bool = False
    """Whether the page shows the answer in its board or rulebook, which tests in a browser read."""


MEANS_SQL: Final = """
  SELECT strategy, avg(score) AS mean, half_width(score) AS mean_half FROM seats GROUP BY ALL ORDER BY 1"""
CASES: Final = (
    Case(
        "/strategies?run=duel",
        lambda library: library["duel"].comparison(),
        own_parts="leads",  # a single lead stands in the verdict
    ),
    Case("/scores?runs=plain", lambda library: library["plain"]),
    Case("/scores?rulesets=bloxx-2p&from=20&to=30&score=25&shape=Cumulative"),
    Case("/scores?rulesets=bloxx-2p&from=2000&compare=One+by+one&shape=Quantiles"),
    Case("/scores?rulesets=bloxx-2p&of=Gaps"),
    Case("/scores?rulesets=bloxx-2p&view=Parts"),
    Case("/scores?rulesets=bloxx-2p&view=Course"),
    Case("/scores?rulesets=bloxx-2p&view=Players"),
    Case("/scores?rulesets=bloxx-2p&view=Length&length=plies"),
    Case("/scores?rulesets=bloxx-2p&view=Squares"),
    Case("/scores?rulesets=bloxx-2p&view=Squares&map=When"),
    Case("/scores?rulesets=bloxx-2p&view=Squares&map=Gaps"),
    Case("/scores?rulesets=bloxx-2p&view=Moves"),
    Case("/scores?runs=plain&view=Decisions"),
    Case("/scores?runs=plain&view=Decisions&measure=slips&grouped-by=piece&only=I3"),
    Case("/scores?runs=plain&view=Decisions&measure=luck&grouped-by=player&only=player+2"),
    Case("/scores?rulesets=bloxx-2p&view=Explore&select=%7B%22score%22:%5B20,40%5D%7D", own_parts="measure_"),
    Case("/games?runs=plain&sort=margin&lowest=1&limit=200"),
    Case(f"/sql?kind=points&x=strategy&y=mean&{urlencode({'sql': MEANS_SQL})}"),
    Case("/sql?sql=SELECT+run,+game_id,+plies+FROM+games+ORDER+BY+ALL+LIMIT+30"),
    Case("/rules?ruleset=bloxx-2p", is_on_board=True),
    Case("/rules?ruleset=bloxx-2p&part=side-by-side&with=bloxx-rest-2p"),
    Case("/rules?ruleset=bloxx-mini&strategy=greedy&blocks=10"),
    Case(
        "/rules?ruleset=bloxx-2p&vary=gap_penalty=0,3&strategies=greedy,random&target=player+1+wins+45+to+55&blocks=10"
    ),
    Case("/rules?ruleset=bloxx-mini&vary=all&strategies=greedy,random&blocks=10"),
    Case("/rules?ruleset=bloxx-2p&against=bloxx-touch-2p&strategies=greedy,random&blocks=10"),
    Case("/rules?ruleset=blokus-duo&part=openings&first=move&blocks=10"),
    Case("/rules?ruleset=bloxx-mini&part=openings&first=piece&strategies=greedy&blocks=10"),
    Case("/replay?run=plain&game-number=2&move=3", is_on_board=True),
    Case(
        "/replay?run=plain&game-number=2&move=9&player=1&strategy=random&continuations=20", is_on_board=True
    ),
    Case("/whatif?run=kept"),
    Case("/whatif?run=plain&many=all&move=last-roll&luck=1&continuations=4&limit=6"),
)

HOSTILE: Final = '</script><img src=x onerror="alert(1)">\x1b[31m'
NAMES_OF_OURS: Final = {
    "kind",
    "key",
    "role",
    "look",
    "formats",
    "fields",
    "intervals",
    "shape",
    "scene",
    "review",
    "pair",
}
"""Fields that hold no text for people."""
PAGE_SECONDS: Final = 60


@pytest.fixture(params=CASES, ids=lambda case: case.address)
def case(request: pytest.FixtureRequest) -> Case:
    asked: Case = request.param
    return asked


@pytest.fixture(scope="session")
def compose_once(answered_library: Library) -> Callable[[str], Sheet]:
    """Return a function that composes the sheet of an address, each once."""
    return cache(lambda address: compose_address(StudySource(answered_library), *split_address(address)))


@pytest.fixture
def sheet(case: Case, compose_once: Callable[[str], Sheet]) -> Sheet:
    return compose_once(case.address)


def test_every_answer_that_has_a_sheet_has_a_case() -> None:
    asked = {type(read_question(*split_address(case.address)).question) for case in CASES}
    assert asked == set(ANSWERS)


def test_every_class_of_answers_has_a_case(answered_library: Library) -> None:
    source = StudySource(answered_library)
    asked = [read_question(*split_address(case.address)).question for case in CASES]
    assert {type(answer_question(one, source)) for one in asked} == set(COMPOSERS)


def test_composing_an_answer_twice_gives_equal_sheets(case: Case, answered_library: Library) -> None:
    source = StudySource(answered_library)
    answer = answer_question(read_question(*split_address(case.address)).question, source)
    first, second = (compose(answer, source.find_looks) for _ in range(2))
    assert json_value(first) == json_value(second)
    keys = [part.key for part in first.parts]
    assert len(keys) == len(set(keys))
    assert all(re.fullmatch(r"[a-z][a-z0-9_]*", key) for key in keys)
    assert all(part.title for part in first.parts)


def test_html_shows_all_parts_in_their_order(sheet: Sheet) -> None:
    assert_html_shows(sheet, write_sheet_html(sheet))


def assert_html_shows(sheet: Sheet, html: str) -> None:
    """Assert that HTML has the words of a sheet, and below them its parts: the details last."""
    reader = HtmlReader(html)
    assert not find_missing_words(reader.text, list_words(sheet))
    parts = [*sheet.list_parts("main", "beside"), *sheet.list_parts("details")]
    assert [shown.key for shown in reader.parts] == [part.key for part in parts]
    for part, shown in zip(parts, reader.parts, strict=True):
        assert not find_missing_part(part, shown._replace(key=part.title))
    for fact in sheet.facts:
        assert fold(f"{fact.name} {fact.value}") in reader.text
    assert all(fold(command) in reader.text for command in sheet.commands)


def test_the_terminal_shows_all_words_and_numbers(
    case: Case, sheet: Sheet, answered_library: Library
) -> None:
    lines = list(write_sheet_lines(sheet, 100_000))
    words = list_words(sheet)
    for part in sheet.parts:
        if isinstance(
            part.content, Table
        ):  # a terminal writes numbers without commas and nothing for a missing one
            cells = [str(cell) for row in part.content.formatted for cell in row if isinstance(cell, str)]
            words += [fold(word) for word in (part.title, *part.content.columns, *cells)]
        elif isinstance(part.content, Chart | Passage):
            words += list_part_words(part)
    text = fold("\n".join(lines))
    # the boards of first moves are left out, and their numbers are those of a table with another caption
    maps = [part for part in sheet.parts if isinstance(part.content, SquareMaps) and part.key != "best"]
    if "view=Moves" not in case.address:
        assert all(fold(part.caption) in text for part in maps)
    assert not find_missing_words(text, [*words, *map(fold, sheet.commands)])
    narrow = list(write_sheet_lines(sheet, 60))
    assert len(narrow) >= len(lines), "tables and sentences are folded"
    assert run_ask(case, answered_library, "--details").splitlines() == "\n".join(lines).splitlines()


def test_json_and_csv_hold_all_tables(case: Case, sheet: Sheet, answered_library: Library) -> None:
    document = json.loads(run_ask(case, answered_library, "--json"))
    assert document == json.loads(json.dumps(sheet_document(sheet)))
    assert (document["verdict"], document["basis"]) == (sheet.verdict, sheet.basis)
    assert [table["title"] for table in document["tables"]] == [table.title for table in sheet.tables]
    captions = [part.caption for part in sheet.parts if isinstance(part.content, Table)]
    assert [table["caption"] for table in document["tables"]] == captions
    for shown, table in zip(document["tables"], sheet.tables, strict=True):
        assert [list(row.values()) for row in shown["rows"]] == json_value(table.rows)
    for key, table in list_tables(sheet).items():
        asked = case._replace(address=f"{case.address}&table={key}")
        assert read_csv(run_ask(asked, answered_library, "--csv")) == read_csv(write_table_csv(table))


def test_frames_hold_single_values_or_lists_of_arrow_and_what_every_chart_draws(sheet: Sheet) -> None:
    frames = {name: make() for name, make in list_frames(sheet).items()}
    for name, frame in frames.items():
        assert len(frame.columns), name
        plain = [column for column in frame if not isinstance(frame[column].dtype, pd.ArrowDtype)]
        cells = [cell for column in plain for cell in frame[column].tolist()]
        assert not any(isinstance(cell, list | tuple | dict) for cell in cells), name
        assert not any(MINUS_SIGN in cell for cell in cells if isinstance(cell, str)), name
    for part in sheet.parts:
        if isinstance(part.content, Chart):
            assert len(frames[part.key]) > 0
            figure = make_figure(sheet, part.key)
            assert figure.layout.title.text == escape(part.title)
            assert figure.data
    for key, table in list_tables(sheet).items():
        if key in _REPEATED.get("scores" if sheet.kind == "run" else sheet.kind, ()):
            assert len(next(iter(frames.values())))  # the main frame has the same numbers
            continue
        assert key in frames
        if key not in sheet.fields:
            assert len(frames[key]) == len(table.rows)


def read_csv(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


def run_ask(case: Case, library: Library, *options: str) -> str:
    """Return what `reroll ask` prints."""
    result = CliRunner().invoke(app, ["ask", case.address, *options, "--data", str(library.folder)])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_notebook_shows_the_same(
    case: Case, compose_once: Callable[[str], Sheet], answered_library: Library
) -> None:
    if case.show is None:
        return
    shown = case.show(notebook.Library(answered_library.folder))
    sheet = compose_once(case.address)
    assert_html_shows(sheet, shown._repr_html_())
    if "\n" in repr(shown):  # a console shows a run in one line
        assert all(part.title in repr(shown) for part in sheet.list_parts("main", "beside"))


def test_the_page_shows_all_words_parts_and_numbers(
    case: Case, sheet: Sheet, answered_library: Library, open_dashboard_page: Callable[..., AppTest]
) -> None:
    if case.is_on_board:
        return
    page, address = split_address(case.address)
    at = open_dashboard_page(f"{page}.py", answered_library.folder, **address)
    for button in at.button:
        # an address with SQL is answered, and a long list is shown whole, after a click
        if button.key in {"answer-address", "more-listed"}:
            at = button.click().run()
            break
    at = open_details(at)
    deadline = time.monotonic() + PAGE_SECONDS  # a page answers in the background
    own = tuple(part for part in sheet.parts if not (case.own_parts and part.key.startswith(case.own_parts)))
    while (missing := find_missing_on_page(at, replace(sheet, parts=own))) and time.monotonic() < deadline:
        time.sleep(0.1)
        at = open_details(at.run())
    assert not at.exception
    assert not missing


def find_missing_on_page(at: AppTest, sheet: Sheet) -> str:
    """Return what a page does not show of a sheet; empty if it shows all. A page may choose the order of the parts."""
    text = fold("\n".join(str(element.value) for kind in (at.markdown, at.caption) for element in kind))
    missing = [word for word in list_words(sheet) if word.rstrip(".").casefold() not in text.casefold()]
    shown = {part.key: part for part in read_page_parts(at)}
    for part in sheet.parts:
        title, content = fold(part.title), part.content
        if (
            isinstance(content, Table) and title in shown and not shown[title].tables
        ):  # drawn as something else
            texts = [fold(str(cell)) for row in content.texts for cell in row]
            cells = [re.sub(r", game [\d,]+ of \S+$", "", text) for text in texts]  # cards name players alone
            missing += [cell for cell in cells if cell not in text]
        elif isinstance(content, Table | Passage | Chart):
            missing.append(find_missing_part(part, shown[title]) if title in shown else part.title)
    return next(filter(None, missing), "")


@pytest.fixture
def hostile_sheet(sheet: Sheet) -> Sheet:
    """The sheet with hostile text before every text for people."""
    hostile: Sheet = add_hostile_text(sheet)
    return hostile


def add_hostile_text(value: Any) -> Any:  # noqa: ANN401 - a sheet, its parts, their contents and texts
    """Return a value with hostile text before each of its texts, as a name that a stranger has chosen would be."""
    if isinstance(value, str):
        return value and f"{HOSTILE}{value}"
    if isinstance(value, Table):
        formats = {f"{HOSTILE}{name}": how for name, how in value.formats.items()}
        title, columns, rows, caption = map(add_hostile_text, value[:4])
        return Table(title, columns, rows, caption, formats)
    if is_dataclass(value) or hasattr(value, "_asdict"):
        names = [one.name for one in fields(value)] if is_dataclass(value) else value._fields
        own = {name: add_hostile_text(getattr(value, name)) for name in names if name not in NAMES_OF_OURS}
        return value._replace(**own) if hasattr(value, "_asdict") else replace(value, **own)
    if isinstance(value, list | tuple):
        return type(value)(map(add_hostile_text, value))
    return {key: add_hostile_text(held) for key, held in value.items()} if isinstance(value, dict) else value


PICTURE_PATTERN: Final = re.compile(
    r'<img class="chart-picture" alt="[^"]*" src="data:image/svg\+xml;base64,[\w+/=]*"/>'
)


def test_hostile_text_stays_text_in_html(hostile_sheet: Sheet) -> None:
    for html in (write_sheet_html(hostile_sheet), sheet_html(hostile_sheet)):
        reader = HtmlReader(PICTURE_PATTERN.sub("", html))
        assert "img" not in reader.tags
        assert not {name for name in reader.attributes if name.startswith("on")}
        for text in (hostile_sheet.title, hostile_sheet.verdict, hostile_sheet.basis):
            assert fold(set_minus_signs(text)).casefold() in reader.text.casefold()
        for part in hostile_sheet.parts:
            assert fold(part.title) in reader.text or part.kind not in {"table", "chart", "passage"}


def test_hostile_text_stays_text_in_a_terminal_and_in_data(hostile_sheet: Sheet) -> None:
    for table in hostile_sheet.tables:
        assert read_csv(write_table_csv(table))[0] == list(table.columns)
    document = json.loads(json.dumps(sheet_document(hostile_sheet)))
    assert document["title"] == hostile_sheet.title
    assert all(table["title"].startswith(HOSTILE) for table in document["tables"])


def show_sheet_on_a_page(sheet: "Sheet") -> None:  # noqa: UP037 - AppTest runs the source of this function alone
    from dashboard.widgets.sheet import show_sheet

    show_sheet(sheet)


def test_hostile_text_stays_text_on_a_page(hostile_sheet: Sheet) -> None:
    shown = replace(hostile_sheet, parts=tuple(filter(is_shown_without_a_page, hostile_sheet.parts)))
    at = AppTest.from_function(show_sheet_on_a_page, args=(shown,), default_timeout=30)
    at = open_details(at.run())
    assert not at.exception
    assert {part.key for part in read_page_parts(at)} == {fold(part.title) for part in shown.parts}
    for kind in (at.markdown, at.caption, at.subheader, at.warning):
        for element in kind:
            assert not getattr(element.proto, "allow_html", False)
            assert not re.search(r"(?<!\\)[<>]", str(element.value)), element.value
    for html in at.get("html"):
        reader = HtmlReader(html.proto.body)
        assert not {"img", "script"} & reader.tags
    for chart in at.get("plotly_chart"):
        assert "<img" not in chart.proto.spec


def is_shown_without_a_page(part: Part) -> bool:
    return part.kind in {"table", "chart", "passage"}
