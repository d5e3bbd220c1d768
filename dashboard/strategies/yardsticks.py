"""Two yardsticks for strategies and predictions, each in a drawer: perfect play, and the calibration of predicted wins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.queries import cached
from dashboard.widgets import tables
from dashboard.widgets.charts import show_chart
from dashboard.widgets.markdown import escape_markdown
from engine.catalogue import Catalogue
from pipelines.design.short_names import short_names
from pipelines.records.calibration import CALIBRATION_COMMAND, recorded_calibration
from pipelines.records.perfect_play import PERFECT_PLAY_COMMAND, recorded_perfect_play
from pipelines.report.charts import Calibration, CalibrationLine, CalibrationPoint
from pipelines.report.tables.yardsticks import calibration_table, perfect_play_table
from pipelines.statistics.rounding import set_minus_signs

if TYPE_CHECKING:
    from pipelines.records.calibration import CalibrationCase
    from pipelines.records.perfect_play import PerfectPlayRecord

LARGE_ERROR: Final = 0.02
"""An error of a tenth is named in words if its whole interval is beyond this."""


def show_yardsticks() -> None:
    """Show a drawer for each yardstick; what is in it is built when it is opened."""
    records, cases = recorded_perfect_play(), recorded_calibration()
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
                show_calibration(list(cases))


def show_perfect_play(records: list[PerfectPlayRecord]) -> None:
    """Show how far every strategy is from perfect play, a table for each solved ruleset."""
    st.markdown(
        "Three small games for two players, made for this purpose, are solved: for every position it is known which lead "
        "two perfect players can expect, over all dice. Here every strategy plays against a perfect player."
    )
    for record in records:
        st.subheader(escape_markdown(record.title))
        tables.show_report_table(perfect_play_table(record))
        st.caption(
            f"The first of two perfect players leads by {record.lead:.2f} points on average; this is exact. "
            f"{record.positions:,} positions were solved in {record.seconds:.0f} s."
        )
    st.caption(
        "Points behind: how many points the strategy is behind the perfect player at the end of a game; a perfect player "
        "would be 0 behind. A tie counts as half a win. Ranges in brackets are 95 % intervals; every block is played once in "
        f"each seat. `{PERFECT_PLAY_COMMAND}` measures it again."
    )


def show_calibration(cases: list[CalibrationCase]) -> None:
    """Show predicted wins beside those that happened, for the games of one ruleset."""
    cases = select_review_cases(cases)
    rulesets = list(dict.fromkeys(case.ruleset for case in cases))
    titles = {name: ruleset.title for name, ruleset in Catalogue().rulesets.items()}
    chosen = st.segmented_control(
        "Game",
        rulesets,
        default=rulesets[0],
        format_func=lambda name: titles.get(name, name),
        key="strategies-calibration-game",
    )
    own = [case for case in cases if case.ruleset == (chosen or rulesets[0])]
    looks = cached.strategy_looks([case.players for case in own])
    names = short_names(case.players for case in own)
    for case in own:
        st.markdown(escape_markdown(set_minus_signs(describe_calibration(case, names[case.players]))))
    lines = [
        CalibrationLine(
            f"games of {names[case.players]}",
            [
                CalibrationPoint(
                    100 * decile.predicted, decile.happened.times(100), decile.predictions, decile.blocks
                )
                for decile in case.deciles
            ],
            looks[case.players],
        )
        for case in own
    ]
    title = "Predicted wins of 100 and those that happened, with their intervals"
    show_chart(Calibration(lines, title), "strategies-calibration-chart")
    for case in own:
        st.markdown(f"**Games of {escape_markdown(names[case.players])}**")
        tables.show_report_table(calibration_table(case))
    st.caption(
        "A review predicts wins by playing a position to the end many times with one fast strategy. Each game gives five "
        "predictions for one of its players, on luck that was used for nothing else. Ranges in brackets are 95 % intervals "
        f"over blocks; a block is one game. `{CALIBRATION_COMMAND}` measures it again."
    )


def select_review_cases(cases: list[CalibrationCase]) -> list[CalibrationCase]:
    """Return the cases without those in which predictions had more playouts than a review makes."""
    fewest: dict[tuple[str, str], CalibrationCase] = {}
    for case in cases:
        known = fewest.setdefault((case.ruleset, case.players), case)
        if case.playouts < known.playouts:
            fewest[case.ruleset, case.players] = case
    return list(fewest.values())


def describe_calibration(case: CalibrationCase, name: str) -> str:
    """Return in a sentence whether predictions are right; it claims no more than the intervals do."""
    wrong = [
        decile
        for decile in case.deciles
        if decile.error.low > LARGE_ERROR or decile.error.high < -LARGE_ERROR
    ]
    who = (
        "the strategy that makes the predictions"
        if case.is_of_playouts
        else f"predicted by playouts of {case.policy}"
    )
    basis = f"{case.predictions:,} predictions in {case.blocks:,} games, each from {case.playouts} playouts"
    if not wrong:
        widest = max(decile.error.reach for decile in case.deciles)
        return (
            f"Games of {name} ({who}): no tenth of the predictions is clearly wrong by more than 2 of 100 wins; errors are "
            f"known to within ± {100 * widest:.1f} at worst ({basis})."
        )
    worst = max(wrong, key=lambda decile: abs(decile.error.estimate))
    direction = "more" if worst.error.estimate > 0 else "fewer"
    return (
        f"Games of {name} ({who}): {len(wrong)} of {len(case.deciles)} tenths of the predictions are wrong by more than 2 of "
        f"100 wins. The worst: where {100 * worst.predicted:.0f} wins of 100 are predicted, "
        f"{100 * worst.happened.estimate:.0f} happen, {direction} than predicted ({basis})."
    )
