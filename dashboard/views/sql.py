"""Ask your own question: SQL over all runs, read-only, within limits, with a table and a simple chart.

The address is the question: `?sql=…`, the `runs` it is asked of (all if none is named), and the chart (`kind`, `x`, `y`).
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from dashboard.queries import cached
from dashboard.rules.rulebook import STYLE
from dashboard.sql import answers
from dashboard.sql.examples import EXAMPLES
from dashboard.widgets import charts, tables, verbatim, words
from dashboard.widgets.background_work import Live, live
from pipelines.runs.query import SECONDS, Answer, answer
from pipelines.runs.query_errors import mistake
from pipelines.runs.table_documentation import documented

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dashboard.sql.examples import Example
    from pipelines.runs.library import Run

ROWS: Final = 10_000
LONGEST: Final = 6000
"""Characters of a query in the address: browsers and servers take that much."""
LONGEST_ASKED: Final = 100_000
MOST_REMEMBERED: Final = 30
LOOK_EVERY: Final = 0.5
KINDS: Final = {"": "Table only", "bar": "Bars", "line": "Line", "points": "Points"}
WRITING: Final = """<style>
.st-key-sql-text textarea { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 0.85rem; }
</style>"""
HISTORY: Final = "sql-history"
"""Where the session keeps its queries, the newest first."""

runs = {run.name: run for run in cached.runs()}


def open_query(sql: str, **chart: str) -> None:
    """Put a query into the address, from which the page is drawn."""
    st.session_state["sql-text"] = sql
    if len(sql) > LONGEST:
        st.session_state["sql-long"] = sql
        st.query_params.from_dict(_chosen_runs())
        return
    st.session_state.pop("sql-long", None)
    st.query_params.from_dict(
        {"sql": sql, **_chosen_runs(), **{key: said for key, said in chart.items() if said}}
    )


def _chosen_runs() -> dict[str, list[str]]:
    chosen = [name for name in st.query_params.get_all("runs") if name in runs]
    return {"runs": chosen} if chosen else {}


def open_written() -> None:
    """Put what is written into the address, with the chart that is there."""
    open_query(
        st.session_state["sql-text"], **{key: st.query_params.get(key, "") for key in ("kind", "x", "y")}
    )


def open_example(example: Example) -> None:
    """Put an example into the address."""
    open_query(example.sql, kind=example.kind, x=example.x, y=example.y)


def ask() -> None:
    """Offer examples and a place to write."""
    if "sql-text" not in st.session_state:
        st.session_state["sql-text"] = st.query_params.get("sql", EXAMPLES[0].sql)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        picked = st.selectbox(
            "Begin with an example",
            EXAMPLES,
            index=None,
            format_func=lambda example: example.title,
            placeholder="Choose a question",
            key="sql-example",
        )
        st.button(
            "Ask it", key="sql-example-go", disabled=picked is None, on_click=open_example, args=(picked,)
        )
    st.html(WRITING)
    with st.form("sql-form", border=False, enter_to_submit=True):
        st.text_area("Your query", key="sql-text", height=210, help="Ctrl+Enter asks it.")
        with st.container(horizontal=True, vertical_alignment="center"):
            st.form_submit_button("Ask", type="primary", on_click=open_written)
            st.caption(
                f"One SELECT at a time. Runs are never changed; at most {ROWS:,} rows and {SECONDS:g} seconds."
            )


def remembered() -> None:
    """Offer the queries of this session again."""
    history: list[tuple[str, str]] = st.session_state.get(HISTORY, [])
    if not history:
        return
    with st.expander(f"Asked in this session ({len(history)})"):
        for number, (sql, told) in enumerate(history):
            line, again = st.columns([6, 1], vertical_alignment="center")
            with line:
                verbatim.show(sql)
                st.caption(told)
            again.button("Again", key=f"sql-again-{number}", on_click=open_query, args=(sql,))


def remember(sql: str, told: str) -> None:
    """Keep a query of this session with what came of it."""
    history: list[tuple[str, str]] = st.session_state.setdefault(HISTORY, [])
    history[:] = [(sql, told), *((one, other) for one, other in history if one != sql)][:MOST_REMEMBERED]


def documentation() -> None:
    """Show what can be asked: tables, columns, what they mean."""
    every = {table.name: table for table in documented()}
    name = st.selectbox(
        "Tables and views",
        list(every),
        index=list(every).index("seats"),
        key="sql-table",
    )
    table = every[name]
    st.caption(cached.escaped(table.about))
    st.html(STYLE + answers.columns_table(table))


def choose_runs() -> list[Run]:
    """Ask which runs are asked; all if none is named."""
    st.session_state["sql-runs"] = [name for name in st.query_params.get_all("runs") if name in runs]

    def changed() -> None:
        kept = {key: said for key, said in st.query_params.to_dict().items() if key != "runs"}
        st.query_params.from_dict({**kept, "runs": st.session_state["sql-runs"]})

    names = st.multiselect("Runs", list(runs), key="sql-runs", placeholder="All runs", on_change=changed)
    return [runs[name] for name in names] or list(runs.values())


class Asked:
    """A query that is being answered; `stop` ends it from another thread."""

    def __init__(self, sql: str, chosen: list[Run]) -> None:
        self.sql, self._chosen = sql, chosen
        self.was_stopped = False
        self._interrupt: Callable[[], None] | None = None

    def _begun(self, interrupt: Callable[[], None]) -> None:
        self._interrupt = interrupt
        if self.was_stopped:
            interrupt()

    def stop(self) -> None:
        """End the query."""
        self.was_stopped = True
        if self._interrupt:
            self._interrupt()

    def answers(self, _: Callable[[], bool]) -> Iterator[Answer]:
        """Answer it, once."""
        yield answer(self._chosen, self.sql, rows=ROWS, begun=self._begun)


def result(sql: str, chosen: list[Run]) -> None:
    """Answer a query in the background, and show what it says."""
    question = (sql, cached.versions(chosen))
    held = st.session_state.get("sql-asked")
    if not isinstance(held, tuple) or held[0] != question:
        if isinstance(held, tuple):
            held[1].stop()
        st.session_state["sql-asked"] = (question, Asked(sql, chosen))
    asked: Asked = st.session_state["sql-asked"][1]
    work: Live[Answer] = live(st.session_state, "sql-work", question, asked.answers)
    work.wait(0.4)
    if not work.is_over:
        waiting(work, asked)
    elif work.error:
        failed(asked, str(work.error))
    elif work.latest:
        shown(asked, work.latest, work.seconds)


def waiting(work: Live[Answer], asked: Asked) -> None:
    """Say that it takes a while, and offer to stop."""
    begun = time.monotonic()

    @st.fragment(run_every=LOOK_EVERY)
    def follow() -> None:
        if work.is_over:
            st.rerun()
        bar, stop = st.columns([6, 1], vertical_alignment="center")
        bar.progress(
            min(1.0, (time.monotonic() - begun) / SECONDS),
            f"Asking … it is stopped after {SECONDS:g} seconds.",
        )
        stop.button("Stop", key="sql-stop", on_click=asked.stop)

    follow()


def failed(asked: Asked, message: str) -> None:
    """Say what is wrong with a query, and where."""
    if asked.was_stopped:
        remember(asked.sql, "stopped")
        st.info("Stopped.")
        return
    remember(asked.sql, message.splitlines()[0])
    place = mistake(asked.sql)
    first = "\n".join(line for line in message.splitlines() if not line.startswith("LINE "))
    where = f"Line {place.line}, column {place.column}. " if place else ""
    st.error(cached.escaped(f"{where}{first}"))
    if place:
        st.code(place.pointed(asked.sql), language=None)


def shown(asked: Asked, found: Answer, seconds: float) -> None:
    """Show an answer as a table and perhaps a chart."""
    table = answers.frame(found)
    cut = f", the first of more: only {ROWS:,} are shown and given away" if found.is_cut else ""
    told = f"{words.counted(len(table), 'row')}{cut}, {seconds:.2f} s"
    remember(asked.sql, told)
    st.markdown(f"**{told}**")
    if table.empty:
        st.caption("Nothing fits this question.")
        return
    chart(table)
    st.dataframe(table, hide_index=True, key="sql-rows")
    tables.downloads(table, "answer")


def chart(table: Any) -> None:  # noqa: ANN401 - a data frame; pandas is not loaded for its name
    """Ask for a chart and draw it."""
    numeric = answers.numeric(table)
    if not numeric:
        return
    columns = list(table.columns)
    kind = st.query_params.get("kind", "")
    x, y = st.query_params.get("x", columns[0]), st.query_params.get("y", numeric[-1])
    st.session_state["sql-kind"] = kind if kind in KINDS else ""
    st.session_state["sql-x"] = x if x in columns else columns[0]
    st.session_state["sql-y"] = y if y in numeric else numeric[-1]

    def changed() -> None:
        chosen = {key: st.session_state[f"sql-{key}"] for key in ("kind", "x", "y")}
        kept = {key: st.query_params.get_all(key) for key in ("sql", "runs") if key in st.query_params}
        st.query_params.from_dict({**kept, **{key: said for key, said in chosen.items() if said}})

    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.segmented_control(
            "Chart",
            list(KINDS),
            format_func=KINDS.__getitem__,
            key="sql-kind",
            required=True,
            on_change=changed,
        )
        if st.session_state["sql-kind"]:
            st.selectbox("Across", columns, key="sql-x", on_change=changed, width=150)
            st.selectbox("Up", numeric, key="sql-y", on_change=changed, width=150)
    if not st.session_state["sql-kind"]:
        return
    across, up = st.session_state["sql-x"], st.session_state["sql-y"]
    some = table.head(charts.MOST_MARKS)
    drawn = charts.simple(
        st.session_state["sql-kind"],
        some[across].tolist(),
        some[up].tolist(),
        across,
        up,
        answers.groups(some, across, up),
    )
    st.plotly_chart(drawn.figure(), key="sql-chart", alt=f"{up} by {across}")
    if len(table) > charts.MOST_MARKS:
        st.caption(f"Only the first {charts.MOST_MARKS:,} rows are drawn.")


st.title("What would you like to know?")
if not runs:
    st.info("Nothing has been played yet: the tables are there, but empty. A first run takes a few seconds.")
    st.page_link("views/library.py", label="Play some games")
left, right = st.columns([5, 3], gap="large")
with right:
    documentation()
with left:
    ask()
    chosen = choose_runs() if runs else []
    sql = st.query_params.get("sql") or st.session_state.get("sql-long")
    if sql and len(sql) <= LONGEST_ASKED:
        st.header("The answer")
        result(sql, chosen)
    remembered()
