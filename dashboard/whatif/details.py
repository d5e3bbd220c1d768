"""What the answer to a what-if question says beyond the What if panel: the distributions, the table, and files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd
import streamlit as st

from dashboard.queries import cached
from dashboard.whatif.save_run import show_save_form
from dashboard.widgets import tables
from dashboard.widgets.baseline import read_baseline_series, show_baseline_basis
from dashboard.widgets.charts import show_chart
from dashboard.widgets.markdown import write_markdown_sentence
from dashboard.widgets.spreadsheets import write_table_csv
from pipelines.report.charts import Histogram, Mark, ScoreSeries, make_distribution
from pipelines.report.sentences.whatif import basis_sentence
from pipelines.report.tables.whatif import effect_rows
from pipelines.report.wording import format_player
from pipelines.viewer.palette import CHOSEN_LOOK, OTHER_LOOK

if TYPE_CHECKING:
    from pipelines.experiments.whatif.whatif import WhatIf
    from pipelines.questions.whatif.answer import WhatifAnswer
    from pipelines.runs.library import Run
    from pipelines.statistics import Interval
    from pipelines.statistics.arrays import Integers
    from pipelines.viewer.palette import SeriesLook

CHANGE_AXIS: Final = "change in score (dashed: none)"


def show_details(answer: WhatifAnswer, run: Run) -> None:
    """Show the distributions of both branches and of their difference, the table of all players, saving and a download."""
    whatif = answer.whatif
    scores, difference = st.columns(2, gap="large")
    with scores:
        _show_scores(whatif)
    with difference:
        _show_difference(whatif)
    table = pd.DataFrame(effect_rows(whatif))
    details = st.expander("For statisticians", key="whatif-statistics", on_change="rerun")
    if details.open:
        with details:
            st.caption(f"{write_markdown_sentence(basis_sentence(whatif))} Ranges are 95 % intervals.")
            tables.show_table(table, "The change for every player")
    with st.container(horizontal=True):
        show_save_form(whatif, run)
        st.download_button(
            "Download the numbers as CSV",
            lambda: write_table_csv(table),
            "whatif.csv",
            "text/csv",
            on_click="ignore",
        )


def make_score_series(
    ruleset: str, name: str, values: Integers, mean: Interval | None, look: SeriesLook
) -> ScoreSeries:
    """Return the distribution of integers, shape (n,), with the mean of the answer, which weights the continuations."""
    distribution = make_distribution(values.tolist())
    return ScoreSeries(ruleset, name, distribution, distribution.n, mean, look)


def _show_scores(whatif: WhatIf) -> None:
    """Draw the final scores of both branches; for other luck, the new ones and the logged one."""
    fork = whatif.fork
    seat, ruleset = fork.seat, fork.ruleset
    effect = whatif.seat_effect(seat)
    after = whatif.changed.scores[:, seat].astype(np.int64)
    original = make_score_series(
        ruleset.name, "original", whatif.base_scores[:, seat], effect.base, OTHER_LOOK
    )
    changed = make_score_series(ruleset.name, "changed", after, effect.changed, CHOSEN_LOOK)
    pinned = cached.baseline_strategy()
    baseline = [
        one
        for one in read_baseline_series(ruleset.sha256, ruleset.name, (), pinned)
        if one.strategy in {fork.base.seating[seat].label, pinned}
    ]
    st.header(f"Final score of {format_player(seat)}")
    if fork.change:
        chart = Histogram([original, changed, *baseline], "score in points", "Final scores on both branches")
    else:
        chart = Histogram(
            [changed, *baseline],
            "score in points (dashed: what happened)",
            "Final scores with other luck, and the logged one",
            mark=Mark(fork.result[seat]),
        )
    show_chart(chart, "whatif-scores")
    show_baseline_basis(baseline, " These are whole games, not continuations of this one.")


def _show_difference(whatif: WhatIf) -> None:
    seat = whatif.fork.seat
    differences = whatif.differences[:, seat]
    st.header("Difference with the same dice" if whatif.fork.change else "Difference from what happened")
    if not differences.any():
        st.caption(f"There is none: {format_player(seat)} scores the same in both branches, every time.")
        return
    series = make_score_series(
        whatif.fork.ruleset.name,
        "changed minus original",
        differences,
        whatif.score_difference(seat),
        CHOSEN_LOOK,
    )
    title = "Distribution of the difference of the final score"
    show_chart(Histogram([series], CHANGE_AXIS, title, mark=Mark(0)), "whatif-difference")
