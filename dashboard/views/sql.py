"""Ask your own question: SQL over all runs, read-only, within limits, with a table and a simple chart.

The address is the question: `?sql=…`, the `runs` it is asked of (all if none is named), and the chart (`kind`, `x`, `y`).
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from dashboard.queries import cached
from dashboard.rules.rulebook import RULEBOOK_STYLE
from dashboard.sql import answers
from dashboard.sql.examples import QUERY_EXAMPLES
from dashboard.widgets import charts, tables, verbatim, words
from dashboard.widgets.background_work import BackgroundWork, find_or_start_work, refresh_until
from pipelines.runs.query import QUERY_TIMEOUT_SECONDS, Answer, answer_query
from pipelines.runs.query_errors import find_mistake
from pipelines.runs.schema import documented_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dashboard.sql.examples import QueryExample
    from pipelines.runs.library import Run

MAX_ANSWER_ROWS: Final = 10_000
MAX_ADDRESS_CHARACTERS: Final = 6000
"""Characters of a query in the address: browsers and servers take that much."""
MAX_QUERY_CHARACTERS: Final = 100_000
MAX_HISTORY_LENGTH: Final = 30
CHART_KINDS: Final = {"": "Table only", "bar": "Bars", "line": "Line", "points": "Points"}
EDITOR_STYLE: Final = """<style>
.st-key-sql-text textarea { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 0.85rem; }
</style>"""
HISTORY_KEY: Final = "sql-history"
"""Where the session keeps its queries, the newest first."""

runs = {run.name: run for run in cached.all_runs()}


def open_query(sql: str, **chart: str) -> None:
    """Put a query into the address, from which the page is drawn."""
    st.session_state["sql-text"] = sql
    if len(sql) > MAX_ADDRESS_CHARACTERS:
        st.session_state["sql-long"] = sql
        st.query_params.from_dict(_read_address_runs())
        return
    st.session_state.pop("sql-long", None)
    st.query_params.from_dict(
        {"sql": sql, **_read_address_runs(), **{key: said for key, said in chart.items() if said}}
    )


def _read_address_runs() -> dict[str, list[str]]:
    chosen = [name for name in st.query_params.get_all("runs") if name in runs]
    return {"runs": chosen} if chosen else {}


def open_typed_query() -> None:
    """Put what is written into the address, with the chart that is there."""
    open_query(
        st.session_state["sql-text"], **{key: st.query_params.get(key, "") for key in ("kind", "x", "y")}
    )


def open_example(example: QueryExample) -> None:
    """Put an example into the address."""
    open_query(example.sql, kind=example.kind, x=example.x, y=example.y)


def ask_query() -> None:
    """Offer examples and a place to write."""
    if "sql-text" not in st.session_state:
        st.session_state["sql-text"] = st.query_params.get("sql", QUERY_EXAMPLES[0].sql)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        picked = st.selectbox(
            "Begin with an example",
            QUERY_EXAMPLES,
            index=None,
            format_func=lambda example: example.title,
            placeholder="Choose a question",
            key="sql-example",
        )
        st.button(
            "Ask it", key="sql-example-go", disabled=picked is None, on_click=open_example, args=(picked,)
        )
    st.html(EDITOR_STYLE)
    with st.form("sql-form", border=False, enter_to_submit=True):
        st.text_area("Your query", key="sql-text", height=210, help="Ctrl+Enter asks it.")
        with st.container(horizontal=True, vertical_alignment="center"):
            st.form_submit_button("Ask", type="primary", on_click=open_typed_query)
            st.caption(
                f"One SELECT at a time. Runs are never changed; at most {MAX_ANSWER_ROWS:,} rows and {QUERY_TIMEOUT_SECONDS:g} seconds."
            )


def show_history() -> None:
    """Offer the queries of this session again."""
    history: list[tuple[str, str]] = st.session_state.get(HISTORY_KEY, [])
    if not history:
        return
    with st.expander(f"Asked in this session ({len(history)})"):
        for number, (sql, told) in enumerate(history):
            line, again = st.columns([6, 1], vertical_alignment="center")
            with line:
                verbatim.show_verbatim(sql)
                st.caption(told)
            again.button("Again", key=f"sql-again-{number}", on_click=open_query, args=(sql,))


def add_to_history(sql: str, told: str) -> None:
    """Keep a query of this session with what came of it."""
    history: list[tuple[str, str]] = st.session_state.setdefault(HISTORY_KEY, [])
    history[:] = [(sql, told), *((one, other) for one, other in history if one != sql)][:MAX_HISTORY_LENGTH]


def show_table_documentation() -> None:
    """Show what can be asked: tables, columns, what they mean."""
    every = {table.name: table for table in documented_tables()}
    name = st.selectbox(
        "Tables and views",
        list(every),
        index=list(every).index("seats"),
        key="sql-table",
    )
    table = every[name]
    st.caption(cached.escape_markdown(table.about))
    st.html(RULEBOOK_STYLE + answers.write_columns_html(table))


def ask_runs() -> list[Run]:
    """Ask which runs are asked; all if none is named."""
    st.session_state["sql-runs"] = [name for name in st.query_params.get_all("runs") if name in runs]

    def write_address_runs() -> None:
        kept = {key: said for key, said in st.query_params.to_dict().items() if key != "runs"}
        st.query_params.from_dict({**kept, "runs": st.session_state["sql-runs"]})

    names = st.multiselect(
        "Runs", list(runs), key="sql-runs", placeholder="All runs", on_change=write_address_runs
    )
    return [runs[name] for name in names] or list(runs.values())


class RunningQuery:
    """A query that is being answered; `stop` ends it from another thread."""

    def __init__(self, sql: str, chosen: list[Run]) -> None:
        self.sql, self._chosen = sql, chosen
        self.was_stopped = False
        self._interrupt: Callable[[], None] | None = None

    def _set_interrupt(self, interrupt: Callable[[], None]) -> None:
        self._interrupt = interrupt
        if self.was_stopped:
            interrupt()

    def stop(self) -> None:
        """End the query."""
        self.was_stopped = True
        if self._interrupt:
            self._interrupt()

    def iter_answers(self, _: Callable[[], bool]) -> Iterator[Answer]:
        """Answer it, once."""
        yield answer_query(self._chosen, self.sql, rows=MAX_ANSWER_ROWS, begun=self._set_interrupt)


def show_result(sql: str, chosen: list[Run]) -> None:
    """Answer a query in the background, and show what it says."""
    question = (sql, cached.file_versions(chosen))
    held = st.session_state.get("sql-asked")
    if not isinstance(held, tuple) or held[0] != question:
        if isinstance(held, tuple):
            held[1].stop()
        st.session_state["sql-asked"] = (question, RunningQuery(sql, chosen))
    asked: RunningQuery = st.session_state["sql-asked"][1]
    work: BackgroundWork[Answer] = find_or_start_work(
        st.session_state, "sql-work", question, asked.iter_answers
    )
    work.wait(0.4)
    if not work.is_over:
        show_waiting(work, asked)
    elif work.error:
        show_failure(asked, work.error)
    elif work.latest:
        show_answer(asked, work.latest, work.seconds)


def show_waiting(work: BackgroundWork[Answer], asked: RunningQuery) -> None:
    """Say that it takes a while, and offer to stop."""
    begun = time.monotonic()

    def show_progress() -> None:
        work.keep_alive()
        bar, stop = st.columns([6, 1], vertical_alignment="center")
        bar.progress(
            min(1.0, (time.monotonic() - begun) / QUERY_TIMEOUT_SECONDS),
            f"Asking … it is stopped after {QUERY_TIMEOUT_SECONDS:g} seconds.",
        )
        stop.button("Stop", key="sql-stop", on_click=asked.stop)

    refresh_until(lambda: work.is_over, show_progress)


def show_failure(asked: RunningQuery, message: str) -> None:
    """Say what is wrong with a query, and where."""
    if asked.was_stopped:
        add_to_history(asked.sql, "stopped")
        st.info("Stopped.")
        return
    add_to_history(asked.sql, message.splitlines()[0])
    place = find_mistake(asked.sql)
    first = "\n".join(line for line in message.splitlines() if not line.startswith("LINE "))
    where = f"Line {place.line}, column {place.column}. " if place else ""
    st.error(cached.escape_markdown(f"{where}{first}"))
    if place:
        st.code(place.format_pointer(asked.sql), language=None)


def show_answer(asked: RunningQuery, found: Answer, seconds: float) -> None:
    """Show an answer as a table and perhaps a chart."""
    table = answers.build_answer_table(found)
    cut = f", the first of more: only {MAX_ANSWER_ROWS:,} are shown and given away" if found.is_cut else ""
    told = f"{words.format_count(len(table), 'row')}{cut}, {seconds:.2f} s"
    add_to_history(asked.sql, told)
    st.markdown(f"**{told}**")
    if table.empty:
        st.caption("Nothing fits this question.")
        return
    show_chart(table)
    st.dataframe(table, hide_index=True, key="sql-rows")
    tables.show_table_downloads(table, "answer")


def show_chart(table: Any) -> None:  # noqa: ANN401 - a data frame; pandas is not loaded for its name
    """Ask for a chart and draw it."""
    numeric = answers.numeric_columns(table)
    if not numeric:
        return
    columns = list(table.columns)
    kind = st.query_params.get("kind", "")
    x, y = st.query_params.get("x", columns[0]), st.query_params.get("y", numeric[-1])
    st.session_state["sql-kind"] = kind if kind in CHART_KINDS else ""
    st.session_state["sql-x"] = x if x in columns else columns[0]
    st.session_state["sql-y"] = y if y in numeric else numeric[-1]

    def write_address_chart() -> None:
        chosen = {key: st.session_state[f"sql-{key}"] for key in ("kind", "x", "y")}
        kept = {key: st.query_params.get_all(key) for key in ("sql", "runs") if key in st.query_params}
        st.query_params.from_dict({**kept, **{key: said for key, said in chosen.items() if said}})

    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.segmented_control(
            "Chart",
            list(CHART_KINDS),
            format_func=CHART_KINDS.__getitem__,
            key="sql-kind",
            required=True,
            on_change=write_address_chart,
        )
        if st.session_state["sql-kind"]:
            st.selectbox("Across", columns, key="sql-x", on_change=write_address_chart, width=150)
            st.selectbox("Up", numeric, key="sql-y", on_change=write_address_chart, width=150)
    if not st.session_state["sql-kind"]:
        return
    across, up = st.session_state["sql-x"], st.session_state["sql-y"]
    some = table.head(charts.MAX_MARKS)
    drawn = charts.draw_simple_chart(
        st.session_state["sql-kind"],
        some[across].tolist(),
        some[up].tolist(),
        across,
        up,
        answers.group_labels(some, across, up),
    )
    st.plotly_chart(drawn.build_figure(), key="sql-chart", alt=f"{up} by {across}")
    if len(table) > charts.MAX_MARKS:
        st.caption(f"Only the first {charts.MAX_MARKS:,} rows are drawn.")


st.title("What would you like to know?")
if not runs:
    st.info("You have no games yet: the tables exist, but they are empty. A first run takes a few seconds.")
    st.page_link("views/library.py", label="Play some games")
left, right = st.columns([5, 3], gap="large")
with right:
    show_table_documentation()
with left:
    ask_query()
    chosen = ask_runs() if runs else []
    sql = st.query_params.get("sql") or st.session_state.get("sql-long")
    if sql and len(sql) <= MAX_QUERY_CHARACTERS:
        st.header("The answer")
        show_result(sql, chosen)
    show_history()
