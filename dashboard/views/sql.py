"""The page SQL: read-only queries over the runs, within limits, with a table and a simple chart of the answer.

The address holds the query (`?sql=…`), the values of its parameters (`set=n=3`) and their kinds (`type=n=text`), the `runs`
that it reads (all runs by default), and the chart (`kind`, `x`, `y`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard import cached
from dashboard.sql import (
    TYPED_KEY,
    ask_chart,
    ask_parameters,
    change_query,
    help_in_editor,
    is_query_asked,
    is_query_wanted,
    make_example_question,
    read_shown_question,
    write_shown_question,
)
from dashboard.widgets import markdown, tables
from dashboard.widgets.address import (
    ask_for_click,
    declare_shown_question,
    invite_to_simulate,
    read_page_question,
    show_address_problems,
    write_page_question,
)
from dashboard.widgets.background_work import refresh_until
from dashboard.widgets.markdown import escape_markdown
from dashboard.widgets.sheet import offer_sheet, show_basis, show_parts, show_verdict
from pipelines.experiments.background_work import BackgroundWork, find_or_start_work
from pipelines.questions.address import describe_unknown
from pipelines.questions.sql import SqlAnswer, SqlQuestion, answer_sql, locate_mistake
from pipelines.report import wording
from pipelines.report.query_examples import QUERY_EXAMPLES, find_example
from pipelines.report.sql import forget_unknown_axes, tabulate_answer
from pipelines.report.table import format_cell, is_number
from pipelines.runs.query import QUERY_TIMEOUT_SECONDS, explain_failure
from pipelines.runs.schema import DocumentedTable, documented_tables
from pipelines.studies.forms import WAITING, query_turns

if TYPE_CHECKING:
    import pandas as pd
    from pandas.io.formats.style import Styler

    from pipelines.questions.source import QuestionSource
    from pipelines.report.sheet import Part

MAX_ANSWER_ROWS: Final = 10_000
MAX_QUERY_CHARACTERS: Final = 100_000
MAX_HISTORY_LENGTH: Final = 30
FIRST_ROWS: Final = 100
"""Rows that a click in the documentation of a table asks for."""
QUIET_SECONDS: Final = 1.0
"""Seconds for which the last answer stays in view while the next one is computed."""
REPLAY_COLUMN: Final = "\u25b6"
"""Name of the column of links, which no query is likely to use."""
HISTORY_KEY: Final = "sql-history"
"""Key of the session state that holds the queries and their outcomes, newest first."""

runs = {run.name: run for run in cached.all_runs()}


def open_query(sql: str) -> None:
    """Answer a query with a table, with the values of its parameters that the page shows."""
    write_shown_question(change_query(sql, runs))


def open_typed_query() -> None:
    """Answer the text of the editor, with the same chart; no text leads back to the first example."""
    shown_question, (address_question, _) = read_shown_question(runs), read_page_question(SqlQuestion)
    typed = change_query(st.session_state["sql-text"], runs)
    st.session_state[TYPED_KEY] = typed.sql
    write_shown_question(
        typed.draw_as(shown_question if typed.sql == shown_question.sql else address_question)
    )


def open_example() -> None:
    """Answer the example that was clicked, with its chart and values for its parameters."""
    title = st.session_state["sql-example"]
    example = next((example for example in QUERY_EXAMPLES if example.title == title), None)
    if example:
        write_shown_question(make_example_question(example, runs, read_shown_question(runs).texts))


def ask_query(sql: str) -> None:
    """Show the editor, with what the visitor has typed or, if the page answers another query than before, with that."""
    if st.session_state.get("sql-followed") != sql or not st.session_state.get("sql-text"):
        st.session_state["sql-followed"] = st.session_state["sql-text"] = sql
    with st.form("sql-form", border=False, enter_to_submit=True):
        st.text_area(
            "Your query",
            key="sql-text",
            height="content",
            help="One SELECT statement, which cannot change the runs. Ctrl+Enter asks. Names are offered as you type: Tab takes "
            "one, and Ctrl+Space shows all.",
        )
        with st.container(key="sql-ask", horizontal=True, vertical_alignment="center"):
            st.form_submit_button("Ask", type="primary", on_click=open_typed_query)
            st.caption(f"At most {MAX_ANSWER_ROWS:,} rows and {QUERY_TIMEOUT_SECONDS:g} seconds.")


def show_history() -> None:
    """Show the queries of this session, each with a button that runs it again."""
    history: list[tuple[str, str]] = st.session_state.get(HISTORY_KEY, [])
    if not history:
        return
    with st.expander(f"Asked in this session ({len(history)})"):
        for number, (sql, outcome) in enumerate(history):
            line, again = st.columns([6, 1], vertical_alignment="center")
            with line:
                markdown.show_verbatim(sql)
                st.caption(escape_markdown(outcome))
            again.button("Again", key=f"sql-again-{number}", on_click=open_query, args=(sql,))


def add_to_history(sql: str, outcome: str) -> None:
    """Put a query that somebody asked with its outcome at the top of the history, and remove it further down."""
    if not is_query_asked():
        return
    history: list[tuple[str, str]] = st.session_state.setdefault(HISTORY_KEY, [])
    history[:] = [(sql, outcome), *(entry for entry in history if entry[0] != sql)][:MAX_HISTORY_LENGTH]


def write_columns_html(table: DocumentedTable) -> str:
    """Return the documentation of the columns of a table as HTML."""
    rows = "".join(
        f'<tr><th scope="row"><code>{escape(column.name)}</code></th><td>{escape(column.about)}</td>'
        f"<td>{escape(column.type.lower())}</td></tr>"
        for column in table.columns
    )
    return (
        '<div class="rulebook"><table><thead><tr><th scope="col">Column</th><th scope="col">What it holds</th>'
        f'<th scope="col">Type</th></tr></thead><tbody>{rows}</tbody></table></div>'
    )


def show_table_documentation() -> None:
    """Show the tables and views that a query can read, and the columns of one of them."""
    documented = {table.name: table for table in documented_tables()}
    name = st.selectbox(
        "Tables and views", list(documented), index=list(documented).index("seats"), key="sql-table"
    )
    table = documented[name]
    st.caption(escape_markdown(table.about))
    st.html(write_columns_html(table))
    st.button(
        f"Show the first rows of {name}",
        key="sql-first-rows",
        icon=":material/table_rows:",
        on_click=open_query,
        args=(f"SELECT *\nFROM {name}\nLIMIT {FIRST_ROWS}",),
    )


def ask_runs(question: SqlQuestion) -> bool:
    """Show the choice of runs; return whether the address names only runs that exist.

    Without a run that it names, the answer would be that of another question.
    """
    st.session_state["sql-runs"] = [name for name in question.runs if name in runs]
    missing = [name for name in question.runs if name not in runs]
    show_address_problems(
        [f"{describe_unknown('run', name)} Choose runs, and ask again." for name in missing]
    )

    if not runs:
        return not missing

    def write_address_runs() -> None:
        write_page_question(question.model_copy(update={"runs": tuple(st.session_state["sql-runs"])}))

    st.multiselect(
        "Runs",
        list(runs),
        key="sql-runs",
        placeholder="All runs",
        on_change=write_address_runs,
        select_all=False,
    )
    return not missing


class RunningQuery:
    """A query in progress, which `stop` ends from another thread."""

    def __init__(self, question: SqlQuestion, source: QuestionSource) -> None:
        self.question, self.source = question, source
        self.was_stopped = False
        self._interrupt: Callable[[], None] | None = None

    def _set_interrupt(self, interrupt: Callable[[], None]) -> None:
        self._interrupt = interrupt
        if self.was_stopped:
            interrupt()

    def stop(self) -> None:
        """Stop the query, or prevent it from starting."""
        self.was_stopped = True
        if self._interrupt:
            self._interrupt()

    def iter_answers(self, _: Callable[[], bool]) -> Iterator[SqlAnswer]:
        """Yield the answer, for `BackgroundWork`; raise GameError if the query fails or was stopped."""
        yield answer_sql(self.question, self.source, rows=MAX_ANSWER_ROWS, on_start=self._set_interrupt)


def show_result(question: SqlQuestion) -> None:
    """Answer a question in the background, and show its progress, its error or its answer."""
    source = cached.question_source()
    key = (question.draw_as(SqlQuestion()), cached.hash_file_versions(source.find_runs(question.runs)))
    previous = st.session_state.get("sql-query")
    if not isinstance(previous, tuple) or previous[0] != key:
        if isinstance(previous, tuple):
            previous[1].stop()
        st.session_state["sql-query"] = (key, RunningQuery(question, source))
    query: RunningQuery = st.session_state["sql-query"][1]
    work: BackgroundWork[SqlAnswer] = find_or_start_work(
        st.session_state, "sql-work", key, query.iter_answers, query_turns.wait
    )
    work.wait(QUIET_SECONDS)
    if not work.is_over:
        show_query_progress(work, query)
    elif work.latest:
        show_answer(question, work.latest, work.seconds)
    else:
        show_failure(query, work.error)


def show_query_progress(work: BackgroundWork[SqlAnswer], query: RunningQuery) -> None:
    """Show how much of the time limit has passed, with a button that stops the query."""
    started = time.monotonic()

    def show_progress() -> None:
        nonlocal started
        work.keep_alive()
        text = f"Running … The query is stopped after {QUERY_TIMEOUT_SECONDS:g} seconds."
        if work.is_waiting:
            started, text = time.monotonic(), WAITING
        bar, stop = st.columns([6, 1], vertical_alignment="center")
        bar.progress(min(1.0, (time.monotonic() - started) / QUERY_TIMEOUT_SECONDS), text)
        stop.button("Stop", key="sql-stop", on_click=stop_query)

    def stop_query() -> None:
        query.stop()
        work.stop()

    refresh_until(lambda: work.is_over, show_progress)


def show_failure(query: RunningQuery, message: str) -> None:
    """Show the error message of a query and the position of the mistake."""
    sql = query.question.sql
    if query.was_stopped:
        add_to_history(sql, "stopped")
        st.info("The query was stopped.")
        return
    add_to_history(sql, message.splitlines()[0])
    position = locate_mistake(query.question, query.source)
    error = "\n".join(line for line in message.splitlines() if not line.startswith("LINE "))
    prefix = f"Line {position.line}, column {position.column}. " if position else ""
    hint = explain_failure(sql, message, position)
    st.error(escape_markdown(f"{prefix}{hint.text if hint else error}"))
    if position:
        st.code(position.format_pointer(sql), language=None)
    if hint and hint.mended_sql:
        st.button(
            f"Ask with {hint.replacement}",
            key="sql-mend",
            icon=":material/spellcheck:",
            on_click=open_query,
            args=(hint.mended_sql,),
        )
    if hint:
        st.caption(f"DuckDB says: {escape_markdown(error)}")


def show_answer(question: SqlQuestion, answered: SqlAnswer, seconds: float) -> None:
    """Show the sheet of an answer, with the choice of another chart."""
    answer = answered.answer
    count = wording.format_count(len(answer.rows), "row")
    outcome = f"{f'The first {count}' if answer.is_cut else count}, {seconds:.2f} s"
    values = ", ".join(f"${name} = {value}" for name, value in answered.parameters.items())
    add_to_history(question.sql, f"{values}: {outcome}" if values else outcome)
    table = tabulate_answer(answered)
    if question.sql == st.session_state.get(TYPED_KEY):  # the chart is then that of the query before
        question = forget_unknown_axes(question, table)
    sheet = cached.compose_sheet(replace(answered, question=question))
    show_verdict(sheet)
    show_basis(sheet)
    if answer.rows:
        show_parts(sheet.parts, (), {"answer": lambda part: show_rows(part, question)})
    offer_sheet(sheet)


MAX_CELLS_WRITTEN: Final = 20_000
"""Cells of a grid whose numbers are written here, with minus signs; the browser writes those of larger grids, with hyphens."""


def show_rows(part: Part, question: SqlQuestion) -> None:
    """Show all rows of an answer, which can be sorted and searched, with links to replays, and above them the choice of a chart."""
    table = part.numbers
    if table is None:
        return
    ask_chart(table, question)
    frame = tables.keep_digits(tables.make_frame(table))
    columns = {
        name: st.column_config.NumberColumn(format=f"%{how}")
        for name, how in table.formats.items()
        if how != "d"
    }
    st.subheader(escape_markdown(part.title), anchor=False)
    if table.links:
        link = st.column_config.LinkColumn("Replay", display_text="Open", width="small", pinned=True)
        frame[REPLAY_COLUMN] = [address or None for address in table.links]
        columns[REPLAY_COLUMN] = link
    order = [*([REPLAY_COLUMN] if table.links else []), *table.columns]
    grid: pd.DataFrame | Styler = frame
    if frame.size <= MAX_CELLS_WRITTEN and frame.columns.is_unique:
        numbers = [name for name in table.columns if any(map(is_number, frame[name]))]
        grid = frame.style.format(
            {name: partial(format_cell, how=table.formats.get(name, "")) for name in numbers}
        )
        columns = {name: column for name, column in columns.items() if name not in numbers}
    st.dataframe(
        grid,
        hide_index=True,
        key="sql-rows",
        column_order=order,
        column_config=columns,
        placeholder="\N{EN DASH}",
    )
    if part.caption:
        st.caption(escape_markdown(part.caption))


st.title("SQL")
if not runs:
    invite_to_simulate("You have no games yet: the tables exist, but they are empty.")
address_question, problems = read_page_question(SqlQuestion)
question = read_shown_question(runs)
example = find_example(question.sql)
st.session_state["sql-example"] = example.title if example else None
st.pills(
    "Examples: a click asks",
    [example.title for example in QUERY_EXAMPLES],
    key="sql-example",
    on_change=open_example,
)
left, right = st.columns([4, 5], gap="large")
show_address_problems(problems)
# Without values for its parameters, as in an empty library, the example is there to read only.
has_query = bool(is_query_asked() or question.settings) and len(question.sql) <= MAX_QUERY_CHARACTERS
if has_query and not is_query_asked():
    declare_shown_question(question)
# The answer stands beside the query, and is asked when all else is drawn; without it, the documentation stands there.
place = right.container(key="sql-answer" if has_query else "sql-tables")
first_words = place.empty()
if has_query and "sql-work" not in st.session_state:
    first_words.caption("Asking …")
with left:
    if has_query:
        with st.popover("Tables and columns", key="sql-documentation", icon=":material/table:"):
            show_table_documentation()
    ask_query(question.sql)
    is_complete = not has_query or ask_parameters(
        question, [runs[name] for name in question.runs if name in runs] or [*runs.values()]
    )
    is_complete &= ask_runs(address_question)
if not has_query:
    with place:
        show_table_documentation()
with left:
    help_in_editor("sql-text")
if has_query and not is_query_wanted(question):
    with place:
        ask_for_click(question)
elif has_query and is_complete:
    with place:
        show_result(question)
elif has_query:
    show_address_problems(address_question.problems)
first_words.empty()
show_history()
