"""The page Scores: a question whose parts are menus, the sheet of its answer, and the games behind its charts."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard import cached
from dashboard.scores.interactive_views import (
    find_marked_run,
    shared_position_work,
    show_distributions,
    show_groups,
    show_linked_view,
    show_listed,
    show_rarer_fields,
)
from dashboard.scores.question_row import ask_question, change_question, offer_other_lineups
from dashboard.widgets import address
from dashboard.widgets.background_work import refresh_until, show_failures, show_fragment
from dashboard.widgets.markdown import escape_markdown
from dashboard.widgets.review_all import offer_review, review_works
from dashboard.widgets.sheet import offer_sheet, show_basis, show_details, show_part, show_parts, show_verdict
from pipelines.questions.openings import OpeningsQuestion, list_opening_kinds
from pipelines.questions.rules import RulesQuestion
from pipelines.questions.scores.answer import (
    DistributionsAnswer,
    PreparedScores,
    ScoresAnswer,
    answer_prepared_scores,
)
from pipelines.questions.scores.decisions import PRESETS, DecisionsAnswer
from pipelines.questions.scores.means import MeansAnswer
from pipelines.questions.scores.moves import MovesAnswer
from pipelines.questions.scores.question import MAX_STRATEGIES, ScoresQuestion, View
from pipelines.questions.scores.scope import find_played_rulesets
from pipelines.questions.scores.selection import SelectionAnswer
from pipelines.questions.simulation import SimulationQuestion
from pipelines.report.sheet import NUMBERS
from pipelines.statistics.rounding import split_sign

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipelines.report.sheet import Part
    from pipelines.runs.run import Run

RULESETS_SLOT: Final = "scores-rulesets"
"""The session state keeps here the rulesets that the page has shown last."""
BESIDE: Final = (tuple(f"shapes-{number}" for number in range(1, MAX_STRATEGIES + 1)),)
"""Keys of parts that stand beside each other."""
OWN_FIELDS: Final[dict[View, tuple[str, ...]]] = {
    "Scores": ("low", "high", "score"),
    "Explore": ("select", "every"),
}
"""Fields of the question that a view asks by itself: a change of one of them draws the view anew and nothing else."""


def show_view(prepared: PreparedScores) -> None:
    """Answer the question and show its sheet. The address may have other values of the own fields of the view by now."""
    now, _ = address.read_page_question(ScoresQuestion)
    own_fields = {name: getattr(now, name) for name in OWN_FIELDS.get(prepared.question.view, ())}
    # The row of the question has said what the address names in vain.
    prepared = prepared.with_fields(**own_fields)._replace(problems=())
    marked = find_marked_run(prepared)
    if marked:
        show_growing_maps(prepared, marked)
    else:
        with st.spinner("Reading the results …"):
            answer = answer_prepared_scores(prepared, source)
        show_answer(answer)


def show_answer(answer: ScoresAnswer) -> None:
    """Show the sheet of an answer, with what its view lets visitors do."""
    sheet = cached.compose_sheet(answer)
    if isinstance(answer, DecisionsAnswer) and not answer.has_reviews:
        works = [review_works().get(run.key) for run in answer.ruleset.runs]
        if not any(work and not work.is_over for work in works):
            show_verdict(replace(sheet, consequences=()))  # a button does what they say
    elif not isinstance(answer, SelectionAnswer) or answer.report is None:
        show_verdict(sheet)  # that of a selection stands below the charts, where it is made
    if isinstance(answer, DistributionsAnswer | MeansAnswer) and answer.needs_games:
        with st.container(key="invitations"):
            simulation = SimulationQuestion(play=answer.scope.rulesets[0].game)
            address.show_link(simulation, "Simulate more games", ":material/casino:")
    offer_ways_on(answer)
    if isinstance(answer, DistributionsAnswer):
        show_distributions(sheet, answer)
    elif isinstance(answer, SelectionAnswer):
        show_linked_view(sheet, answer, cached.strategy_looks(answer.scope.strategies))
    else:
        draw: dict[str, Callable[[Part], None]] = {}
        if isinstance(answer, DecisionsAnswer):
            draw = dict.fromkeys(("games", "listed"), partial(show_listed, answer))
            draw["groups"] = partial(show_groups, answer)
        show_parts(sheet.list_parts("main", "beside"), BESIDE, draw)
        show_basis(sheet)
    if isinstance(answer, DecisionsAnswer) and answer.has_reviews:
        offer_more_reviews(answer)
    offer_other_lineups(answer.question, answer.scope)
    numbers = partial(show_part, strategies=answer.scope.strategies)
    has_fields = isinstance(answer, DistributionsAnswer) and bool(answer.groups)
    more = partial(show_rarer_fields, answer.question) if has_fields else None
    show_details(sheet, {NUMBERS: numbers}, key="details-scores", is_bound=False, more=more)
    offer_sheet(sheet)


def offer_ways_on(answer: ScoresAnswer) -> None:
    """Offer what people ask next, above the picture."""
    if isinstance(answer, MeansAnswer) and answer.question.view == "Players" and answer.means:
        offer_seat_games(answer)
    if isinstance(answer, DecisionsAnswer):
        (offer_presets if answer.has_reviews else offer_more_reviews)(answer)
    if isinstance(answer, MovesAnswer) and answer.question.by in {"first move", "first piece"}:
        offer_equal_terms(answer)


def offer_seat_games(answer: MeansAnswer) -> None:
    """Lead to the edge of each seat on the card of the ruleset, and to more games if no difference is clear."""
    ruleset = answer.scope.rulesets[0]
    with st.container(horizontal=True, key="seat-links"):
        if ruleset.name in source.rulesets:
            address.show_link(
                RulesQuestion(ruleset=ruleset.name, part="card"), "Edge of each seat", ":material/event_seat:"
            )
        if not any(split_sign(edge)[0] for seats in answer.edges for edge in seats.edges.values()):
            simulation = SimulationQuestion(
                play=ruleset.game, ruleset=ruleset.name, strategies=answer.scope.strategies[: ruleset.players]
            )
            address.show_link(simulation, "Play more games", ":material/casino:")


def offer_equal_terms(answer: MovesAnswer) -> None:
    """Lead to the question that compares all first moves with the players of every other one."""
    ruleset = source.rulesets.get(answer.ruleset.name)
    if not ruleset or ruleset.sha256 != answer.ruleset.sha256:
        return
    kinds = list_opening_kinds(ruleset)
    for kind in sorted(kinds, key=lambda kind: answer.question.by != f"first {kind}")[:1]:
        question = OpeningsQuestion(ruleset=ruleset.name, first=kind)
        with st.container(key="invitations"):
            address.show_link(question, f"Which first {kind} does best on equal terms?", ":material/casino:")


def offer_presets(answer: DecisionsAnswer) -> None:
    """Offer the questions that people ask first about reviewed games."""
    current = answer.question.measure, answer.question.grouping
    exact = [name for name in PRESETS if PRESETS[name] == current]
    alike = [name for name, (measure, _) in PRESETS.items() if measure == answer.question.measure]
    st.session_state["decision-presets"] = (exact or alike)[0]

    def choose() -> None:
        measure, grouping = PRESETS[st.session_state["decision-presets"] or (exact or alike)[0]]
        change_question(measure=measure, grouping=grouping, only="")

    st.segmented_control(
        "Question", list(PRESETS), key="decision-presets", label_visibility="collapsed", on_change=choose
    )


def offer_more_reviews(answer: DecisionsAnswer) -> None:
    """Offer to review games that are not, and lessons from those that are."""
    for run in answer.scope.runs if len(answer.scope.runs) == 1 else answer.ruleset.runs:
        if run.name in answer.unreviewed or len(answer.scope.runs) == 1:
            offer_review(
                run, has_link=False, strategies=answer.question.strategies, seats=answer.question.seats
            )
            break


def show_growing_maps(prepared: PreparedScores, run: Run) -> None:
    """Show maps of the marks at the ends of games, while more games are counted."""
    work = shared_position_work(*cached.file_version(run))

    def show_latest() -> None:
        if work.error:
            st.error(escape_markdown(work.error))
        elif work.latest is None:
            st.caption("Replaying the first games …")
        else:
            show_answer(answer_prepared_scores(prepared, source, work.latest))

    refresh_until(lambda: work.is_over, show_latest, was_over=work.is_over)


source = cached.question_source()
question, problems = address.read_page_question(ScoresQuestion)
if not st.query_params:  # the menu leads back to the rulesets of the last visit
    question = question.model_copy(update={"rulesets": st.session_state.get(RULESETS_SLOT, ())})
st.title("Scores")
played = find_played_rulesets(question, source)
if not played:
    address.invite_to_simulate()
    st.stop()
prepared_question = ask_question(question, played, source, problems)
if prepared_question:
    if question.view in OWN_FIELDS:
        show_fragment(partial(show_view, prepared_question))
    else:
        with show_failures():
            show_view(prepared_question)
    st.session_state[RULESETS_SLOT] = prepared_question.question.rulesets
    address.write_address_defaults("scores", {"rulesets": prepared_question.question.rulesets})
