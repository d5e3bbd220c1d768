"""Two yardsticks for strategies and predictions, each in a drawer: perfect play, and the calibration of predicted wins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.queries import cached
from dashboard.widgets import tables
from dashboard.widgets.charts import show_chart
from dashboard.widgets.markdown import escape_markdown
from engine.catalogue import Catalogue
from pipelines.design.lineups import short_names
from pipelines.records.calibration import list_review_cases
from pipelines.records.perfect_play import recorded_perfect_play
from pipelines.report.yardsticks import (
    CALIBRATION_BASIS,
    PERFECT_PLAY_BASIS,
    PERFECT_PLAY_PURPOSE,
    calibration_chart,
    calibration_table,
    describe_calibration,
    describe_perfect_play,
    perfect_play_table,
)
from pipelines.statistics.rounding import set_minus_signs

if TYPE_CHECKING:
    from pipelines.records.calibration import CalibrationCase
    from pipelines.records.perfect_play import PerfectPlayRecord


def show_yardsticks() -> None:
    """Show a drawer for each yardstick; what is in it is built when it is opened."""
    records, cases = recorded_perfect_play(), list_review_cases()
    if not records and not cases:
        return
    st.header("How good are they really?")
    if records:
        drawer = st.expander(
            "How far is each strategy from perfect play?", key="perfect-play", bind="query-params"
        )
        if drawer.open:
            with drawer:
                show_perfect_play(list(records.values()))
    if cases:
        drawer = st.expander("Are predicted wins right?", key="calibration", bind="query-params")
        if drawer.open:
            with drawer:
                show_calibration(cases)


def show_perfect_play(records: list[PerfectPlayRecord]) -> None:
    """Show how far every strategy is from perfect play, a table for each solved ruleset."""
    st.markdown(PERFECT_PLAY_PURPOSE)
    for record in records:
        st.subheader(escape_markdown(record.title))
        tables.show_report_table(perfect_play_table(record))
        st.caption(describe_perfect_play(record))
    st.caption(PERFECT_PLAY_BASIS)


def show_calibration(cases: list[CalibrationCase]) -> None:
    """Show predicted wins beside those that happened, for the games of one ruleset."""
    judged = {case.ruleset for case in cases}
    titles = {name: ruleset.title for name, ruleset in Catalogue().rulesets.items() if name in judged}
    chosen = st.segmented_control(
        "Game",
        list(titles),
        default=next(iter(titles)),
        format_func=titles.__getitem__,
        required=True,
        key="strategies-calibration-game",
    )
    own = [case for case in cases if case.ruleset == chosen]
    names = short_names(case.players for case in own)
    for case in own:
        st.markdown(escape_markdown(set_minus_signs(describe_calibration(case, names[case.players]))))
    looks = cached.strategy_looks([case.players for case in own])
    show_chart(calibration_chart(own, looks), "strategies-calibration-chart")
    for case in own:
        st.markdown(f"**Games of {escape_markdown(names[case.players])}**")
        tables.show_report_table(calibration_table(case))
    st.caption(CALIBRATION_BASIS)
