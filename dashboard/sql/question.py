"""The question that the page answers: that of the address, else the first example."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.widgets.address import read_page_question, write_page_question
from pipelines.questions.sql import SqlQuestion
from pipelines.report.query_examples import QUERY_EXAMPLES, example_settings
from pipelines.runs.query_parameters import find_parameters

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.report.query_examples import QueryExample
    from pipelines.runs.library import Run

MAX_ADDRESS_CHARACTERS: Final = 6000
"""Maximum length of a query in the address; browsers and servers accept addresses of this length."""
TYPED_KEY: Final = "sql-typed"
"""Key of the session state that holds the query that somebody has typed last."""
_LONG_SLOT: Final = "sql-long"
"""The session state holds here a query that is too long for the address."""


def is_query_asked() -> bool:
    """Return whether somebody has asked a query, here or in the address."""
    return bool(read_page_question(SqlQuestion)[0].sql or st.session_state.get(_LONG_SLOT))


def read_shown_question(runs: Mapping[str, Run]) -> SqlQuestion:
    """Return the question that the page answers, with its query; the example has no values where no run has any."""
    asked, _ = read_page_question(SqlQuestion)
    if is_query_asked():
        return asked.model_copy(update={"sql": asked.sql or st.session_state[_LONG_SLOT]})
    return make_example_question(QUERY_EXAMPLES[0], runs)


def make_example_question(example: QueryExample, runs: Mapping[str, Run]) -> SqlQuestion:
    """Return the question of an example with its chart, over the runs that the address names, all if it names none."""
    known = _read_known_runs(runs)
    settings = example_settings(example.sql, [runs[name] for name in known or runs])
    asked = SqlQuestion(sql=example.sql, runs=known, chart=example.kind, x=example.x, y=example.y)
    return asked.with_parameters(settings, {})


def change_query(sql: str, runs: Mapping[str, Run]) -> SqlQuestion:
    """Return the question of another query without a chart, with the runs and the values of parameters that are shown."""
    shown = read_shown_question(runs).model_copy(update={"sql": sql})
    names = {name.lower() for name in find_parameters(sql)}
    kinds = {name: kind for name, kind in shown.parameter_kinds.items() if name.lower() in names}
    return SqlQuestion(sql=sql, runs=_read_known_runs(runs)).with_parameters(shown.texts, kinds)


def _read_known_runs(runs: Mapping[str, Run]) -> tuple[str, ...]:
    return tuple(name for name in read_page_question(SqlQuestion)[0].runs if name in runs)


def write_shown_question(question: SqlQuestion) -> None:
    """Let the page answer a question, of which the address is; the session holds a query that is too long for it."""
    is_long = len(question.sql) > MAX_ADDRESS_CHARACTERS
    st.session_state[_LONG_SLOT] = question.sql if is_long else ""
    write_page_question(question.model_copy(update={"sql": ""}) if is_long else question)
