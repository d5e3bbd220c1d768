"""The card of a ruleset: the form that asks for it, and its numbers while the games are played."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard import cached
from dashboard.widgets.address import (
    ask_number,
    field_key,
    follow_address,
    keep_fields,
    read_page_question,
    show_address_problems,
    write_page_question,
)
from dashboard.widgets.sheet import show_growing_sheet, show_sheet
from engine import games
from engine.strategies import built_in_strategies
from pipelines.experiments.background_work import find_or_start_work
from pipelines.questions.card import DEFAULT_STYLE, MAX_STYLES, CardQuestion, iter_card_answers
from pipelines.questions.rules import RulesQuestion, answer_rules
from pipelines.records.atlas import find_atlas_card
from pipelines.report.compose import compose

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from pipelines.experiments.background_work import BackgroundWork
    from pipelines.questions.card import CardAnswer

FORM_FIELDS: Final = ("style", "blocks", "seed")
"""The keys of the form in the address."""
_KEYS_SLOT: Final = "card-fields"


def ask_card(ruleset: Ruleset) -> None:
    """Show the form, and the answer to the question in the address; if it asks nothing, the card that comes with Reroll."""
    st.markdown(
        "Is the game fair to all seats, how long is it, when is it decided, does skill pay? Reroll plays games of this ruleset "
        "and measures it."
    )
    follow_address(_KEYS_SLOT, FORM_FIELDS)
    asked, problems = read_page_question(CardQuestion)
    show_address_problems(problems)
    with st.form("card", border=True):
        _ask_card_fields(ruleset, asked)
    if asked.style and not problems and asked.ruleset in {"", ruleset.name}:
        _show_running_card(asked.model_copy(update={"ruleset": ruleset.name}), ruleset)
    elif not asked.style and find_atlas_card(ruleset):
        recorded = RulesQuestion(ruleset=ruleset.name, part="card")
        show_sheet(compose(answer_rules(recorded, cached.question_source()), cached.strategy_looks))


def _ask_card_fields(ruleset: Ruleset, asked: CardQuestion) -> None:
    """Show the fields, filled from the address; write the question into the address when it is submitted."""
    first, second = st.columns([3, 1])
    names = built_in_strategies(games.find_game(ruleset.game))
    styles = first.multiselect(
        "Playing styles",
        list(dict.fromkeys([*names, *asked.styles])),
        asked.styles[:MAX_STYLES],
        max_selections=MAX_STYLES,
        accept_new_options=True,
        key=field_key(_KEYS_SLOT, f"card-styles-{ruleset.game}"),
        help="The strategy in every seat, with parameters if you want: noisy:sigma=3. Several stand side by side.",
    )
    with second:
        blocks = ask_number(
            "Blocks",
            asked,
            "blocks",
            field_key(_KEYS_SLOT, "card-blocks"),
            "A block plays one game of each style, and each pair of the ladder in all seats.",
        )
    if st.form_submit_button("Make the card", type="primary"):
        changes = {"ruleset": ruleset.name, "style": ",".join(styles) or DEFAULT_STYLE, "blocks": blocks}
        write_page_question(asked.model_copy(update=changes))
        keep_fields(_KEYS_SLOT, FORM_FIELDS)
        st.rerun()


def _show_running_card(question: CardQuestion, ruleset: Ruleset) -> None:
    """Play the games of a card and show it while it becomes more precise."""
    work: BackgroundWork[CardAnswer] = find_or_start_work(
        st.session_state,
        "rules-card-work",
        (question, ruleset.sha256),
        lambda stopped: iter_card_answers(question, ruleset, stopped=stopped),
    )
    work.wait(0.3)
    show_growing_sheet(work)
