"""What the answer to a what-if question says beyond the What if panel: the distributions, the table, and files."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from dashboard.queries import cached
from dashboard.whatif.save_run import show_save_form
from dashboard.widgets import tables
from dashboard.widgets.baseline import read_baseline_series, show_baseline_basis
from dashboard.widgets.charts import show_chart
from dashboard.widgets.markdown import write_markdown_sentence
from pipelines.report.charts.whatif import branch_scores_chart, score_difference_chart
from pipelines.report.sentences.whatif import basis_sentence
from pipelines.report.tables.whatif import effects_table
from pipelines.report.wording import format_player

if TYPE_CHECKING:
    from pipelines.experiments.whatif.whatif import WhatIf
    from pipelines.questions.whatif.answer import WhatifAnswer
    from pipelines.runs.library import Run


def show_details(answer: WhatifAnswer, run: Run) -> None:
    """Show the distributions of both branches and of their difference, the table of all players, and how to make a run of them."""
    whatif = answer.whatif
    scores, difference = st.columns(2, gap="large")
    with scores:
        _show_scores(whatif)
    with difference:
        _show_difference(whatif)
    table = effects_table(whatif)
    details = st.expander("For statisticians", key="whatif-statistics", on_change="rerun")
    if details.open:
        with details:
            st.caption(write_markdown_sentence(basis_sentence(whatif)))
            tables.show_report_table(table)
    tables.offer_table(tables.make_frame(table), table.title, "whatif")
    show_save_form(whatif, run)


def _show_scores(whatif: WhatIf) -> None:
    """Draw the final scores of both branches; for other luck, the new ones and the logged one."""
    fork = whatif.fork
    seat, ruleset = fork.seat, fork.ruleset
    pinned = cached.baseline_strategy()
    baseline = [
        one
        for one in read_baseline_series(ruleset.sha256, ruleset.name, (), pinned)
        if one.strategy in {fork.base.seating[seat].label, pinned}
    ]
    chart = branch_scores_chart(whatif, baseline)
    show_chart(replace(chart, title=f"Final score of {format_player(seat)}"), "whatif-scores")
    show_baseline_basis(baseline, " These are whole games, not continuations of this one.")


def _show_difference(whatif: WhatIf) -> None:
    seat = whatif.fork.seat
    title = "Difference with the same dice" if whatif.fork.change else "Difference from what happened"
    if not whatif.differences[:, seat].any():
        st.subheader(title, anchor=False)
        st.caption(f"There is none: {format_player(seat)} scores the same in both branches, every time.")
        return
    show_chart(replace(score_difference_chart(whatif), title=title), "whatif-difference")
