"""The page Strategies: comparisons of strategies on the same luck, with the verdict that their games support.

The address names the comparison: `?run=…` for one that is finished or in progress, and `&pair=1` for one of its pairs.
With the fields of `NewComparisonQuestion` it opens the form of a new comparison, beside what is known
about its ruleset. An address without both shows the newest comparison, or the form in an empty library.
"""

from __future__ import annotations

from functools import partial

import streamlit as st

from dashboard import cached
from dashboard.strategies.known_results import show_known_results, show_yardsticks
from dashboard.strategies.question import (
    NEW_COMPARISON,
    ask_new_comparison,
    ask_which_comparison,
    comparable_runs,
    is_form_asked,
    newest_comparison,
    open_form,
    read_asked_comparison,
    show_comparison_links,
)
from dashboard.strategies.report import (
    show_comparison_report,
    show_newest_comparison,
    show_running_comparison,
)
from dashboard.widgets.address import read_page_question, show_address_problems
from pipelines.questions.comparison import KnownComparisonQuestion, NewComparisonQuestion
from pipelines.runs.library import Run

library = cached.dashboard_library()
st.title("Who plays better?")
comparisons = comparable_runs(library)
name = read_asked_comparison(library, comparisons)
chosen = comparisons.get(name or "")
newest = newest_comparison(comparisons)
is_new = name is None and (is_form_asked() or newest is None)
is_newest_shown = name is None and not is_new
near = chosen if isinstance(chosen, Run) else newest
ask_which_comparison(
    comparisons,
    name or (newest.name if newest and not is_new else NEW_COMPARISON),
    partial(open_form, library, near.summary.rulesets[0].name if near else ""),
    is_among_all=is_newest_shown,
)
if is_new:
    if not comparisons and not cached.all_runs():
        st.info(
            "You have no games yet. Choose strategies and press **Compare**: the first verdict appears after a second."
        )
    known, form = st.columns([3, 2], gap="medium")
    # In narrow windows the form stands above what is known if the visitor has asked for it instead of the newest comparison.
    with form, st.container(border=True, key="asked-form" if newest else "offered-form"):
        ruleset = ask_new_comparison(library)
    with known:
        show_known_results(ruleset, newest_comparison(comparisons, ruleset.sha256))
elif name is not None:
    if isinstance(chosen, Run):
        show_comparison_report(chosen)
    else:
        show_address_problems(read_page_question(KnownComparisonQuestion)[1])
        show_running_comparison(library, name)
elif newest:
    show_address_problems(read_page_question(NewComparisonQuestion)[1])
    show_newest_comparison(newest)
if name is None:
    show_comparison_links(comparisons, None if is_new else newest)
    show_yardsticks()
