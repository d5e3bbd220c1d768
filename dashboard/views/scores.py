"""The page Scores: distributions of scores by ruleset, strategy, seat and part, and the games behind them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.queries import cached
from dashboard.scores.distributions import show_distributions
from dashboard.scores.explore import show_linked_view
from dashboard.scores.lengths import show_game_lengths
from dashboard.scores.means import show_means
from dashboard.scores.question import ask_question
from dashboard.scores.squares import show_square_maps
from dashboard.widgets.address import invite_to_simulate, read_page_question
from dashboard.widgets.address_defaults import write_address_defaults
from dashboard.widgets.fragments import show_failures, show_fragment
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.questions.scores.scope import list_counted_runs

if TYPE_CHECKING:
    from collections.abc import Callable

    from dashboard.scores.filters import ShownScores
    from pipelines.questions.scores.question import View

SHOW: Final[dict[View, Callable[[ShownScores], None]]] = {
    "Scores": show_distributions,
    "Explore": show_linked_view,
    "Parts": show_means,
    "Course": show_means,
    "Players": show_means,
    "Length": show_game_lengths,
    "Squares": show_square_maps,
}
OWN_FIELDS: Final[dict[View, tuple[str, ...]]] = {
    "Scores": ("low", "high", "score"),
    "Explore": ("select", "every"),
}
"""Fields of the question that a view asks by itself: a change of one of them draws the view anew and nothing else."""


def show_view(shown: ShownScores) -> None:
    """Show the answer. The address may have other values of the fields of the view than when the page was drawn."""
    now, _ = read_page_question(ScoresQuestion)
    own = {name: getattr(now, name) for name in OWN_FIELDS.get(shown.question.view, ())}
    SHOW[shown.question.view](shown.with_question(**own))


source = cached.question_source()
asked, problems = read_page_question(ScoresQuestion)
st.title("Scores")
if not list_counted_runs(asked, source):
    invite_to_simulate()
    st.stop()
shown = ask_question(asked, source, problems)
if shown:
    if asked.view in OWN_FIELDS:
        show_fragment(partial(show_view, shown))
    else:
        with show_failures():
            show_view(shown)
    write_address_defaults("scores", {"rulesets": shown.question.rulesets})
