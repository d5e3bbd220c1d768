"""The card of a ruleset: the form that asks for it, and its numbers while the games are played."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.rules.card_scales import show_scales
from dashboard.rules.recorded_cards import show_definitions, show_recorded_cards
from dashboard.widgets import form_address
from dashboard.widgets.address import read_page_question, write_page_question
from dashboard.widgets.background_work import find_or_start_work, show_work_progress
from dashboard.widgets.markdown import escape_markdown, write_markdown_sentence
from dashboard.widgets.number_field import ask_number
from dashboard.widgets.tables import show_report_table
from engine import games
from engine.strategies import built_in_strategies
from pipelines.questions.card.answer import iter_card_answers
from pipelines.questions.card.measures import DEFAULT_STYLE, MAX_STYLES
from pipelines.questions.card.question import CardQuestion
from pipelines.report.sentences.card import describe_card, write_card_basis
from pipelines.report.tables.card import list_card_tables
from pipelines.report.wording import format_count

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dashboard.widgets.background_work import BackgroundWork
    from engine.ruleset import Ruleset
    from pipelines.questions.card.answer import CardAnswer

FORM_FIELDS: Final = ("style", "blocks", "seed")
"""The keys of the form in the address."""
_KEYS_SLOT: Final = "card-fields"


def ask_card(rulesets: Mapping[str, Ruleset], ruleset: Ruleset) -> None:
    """Show the form, and the answer to the question in the address; if it asks nothing, the card that comes with Reroll."""
    st.markdown(
        "Is the game fair to all seats, how long is it, when is it decided, does skill pay? Reroll plays games of this ruleset "
        "and measures it."
    )
    form_address.follow_address(_KEYS_SLOT, FORM_FIELDS)
    asked, problems = read_page_question(CardQuestion)
    form_address.show_address_problems(problems)
    with st.form("card", border=True):
        _ask_card_fields(ruleset, asked)
    if asked.style and not problems and asked.ruleset in {"", ruleset.name}:
        _show_running_card(asked.model_copy(update={"ruleset": ruleset.name}), rulesets)
    elif not asked.style:
        show_recorded_cards([ruleset])


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
        key=form_address.field_key(_KEYS_SLOT, f"card-styles-{ruleset.game}"),
        help="The strategy in every seat, with parameters if you want: noisy:sigma=3. Several stand side by side.",
    )
    with second:
        blocks = ask_number(
            "Blocks",
            asked,
            "blocks",
            form_address.field_key(_KEYS_SLOT, "card-blocks"),
            "A block plays one game of each style, and each pair of the ladder in all seats.",
        )
    if st.form_submit_button("Make the card", type="primary"):
        changes = {"ruleset": ruleset.name, "style": ",".join(styles) or DEFAULT_STYLE, "blocks": blocks}
        write_page_question(asked.model_copy(update=changes))
        form_address.keep_fields(_KEYS_SLOT, FORM_FIELDS)
        st.rerun()


def _show_running_card(question: CardQuestion, rulesets: Mapping[str, Ruleset]) -> None:
    """Play the games of a card and show it while it becomes more precise."""
    work: BackgroundWork[CardAnswer] = find_or_start_work(
        st.session_state,
        "rules-card-work",
        (question, rulesets[question.ruleset].sha256),
        lambda stopped: iter_card_answers(question, rulesets, stopped=stopped),
    )
    work.wait(0.3)
    show_work_progress(
        work,
        at_first="Playing the first games … (the first time, the game is compiled, which takes a while)",
        headline=lambda answer: _show_headline(answer, is_whole=answer.basis.blocks == question.blocks),
        progress=lambda answer: (
            answer.basis.blocks / question.blocks,
            f"{answer.basis.blocks:,} of {format_count(question.blocks, 'block')}",
        ),
        details=_show_tables,
    )


def _show_headline(answer: CardAnswer, *, is_whole: bool) -> None:
    sentence = describe_card(answer)
    st.markdown(write_markdown_sentence(sentence if is_whole else f"so far, {sentence}"))


def _show_tables(answer: CardAnswer) -> None:
    """Show the numbers, and their definitions on request."""
    styles, *worths, ladder = list_card_tables(answer)
    if len(answer.styles) == 1:
        show_scales(answer.measures, answer.ruleset.name)
    else:
        show_report_table(styles)
    for table in worths:
        st.subheader(table.title)
        show_report_table(table)
    with st.expander(ladder.title):
        show_report_table(ladder)
    st.caption(escape_markdown(write_card_basis(answer)))
    show_definitions("card-definitions")
