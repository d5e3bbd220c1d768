"""A what-if question about one game: the replay with its What if panel, which asks and answers, and what follows below it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from dashboard.queries import cached
from dashboard.whatif.save_run import show_save_form
from dashboard.widgets.address import write_page_question
from dashboard.widgets.form_address import show_address_problems
from dashboard.widgets.fragments import show_fragment
from dashboard.widgets.markdown import escape_markdown
from dashboard.widgets.number_field import ask_number
from dashboard.widgets.replay_component import (
    answer_panel_request,
    pop_panel_request,
    show_replay,
)
from dashboard.widgets.sheet import offer_sheet, show_details, show_parts
from engine.actions import CHANCE
from engine.counted_nouns import capitalise
from pipelines.panel.documents import question_document
from pipelines.panel.requests import find_work, look_at_ply, start_work
from pipelines.questions.address import write_address
from pipelines.questions.whatif.question import ManyGamesQuestion, WhatifQuestion, resolve_whatif
from pipelines.report.compose import compose
from pipelines.report.ruleset_words import title_setting

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.scene import Scene
    from pipelines.questions.whatif.answer import WhatifAnswer
    from pipelines.runs.library import Run

REPLAY_KEY: Final = "whatif-replay"
ROWS: Final = (("branches", "difference"),)
"""The parts of the answer that stand beside each other."""
SHOWN_SLOT: Final = "whatif-shown"
"""The session state holds here the question whose answer the panel shows: that of the address, or the one asked since."""


def show_one_game(
    question: WhatifQuestion,
    run: Run,
    problems: Sequence[str],
    *,
    names_move: bool,
) -> None:
    """Show the game with the What if panel, open on the question if it has one that is possible; play that question.

    If the address names no move, the panel opens on that of this game which the visitor has seen last, or else on a decision in
    the middle of the game, where there is something to ask.
    """
    scene = run.scene(question.game)
    resumes = not names_move and not question.has_change
    if resumes:
        question = question.model_copy(update={"ply": find_middle_decision(scene)})
    question, impossible = resolve_whatif(question, run)
    show_address_problems([*problems, *impossible])
    is_played = question.has_change and not problems and not impossible
    if is_played:
        start_work(question, run, st.session_state).wait(0.6)
    st.session_state[SHOWN_SLOT] = question if is_played else None
    ply = min(question.ply, len(scene["steps"]) - 1)
    look = look_at_ply(run, scene, ply)
    show_fragment(lambda: _show_game(run, scene, ply, look, resumes=resumes))


def find_middle_decision(scene: Scene) -> int:
    """Return the first move on the board in the second half of a game, before which there is a choice; or else the first ply."""
    steps = scene["steps"]
    later = range(len(steps) // 2, len(steps))
    return next((ply for ply in later if steps[ply]["seat"] != CHANCE and steps[ply]["kind"] != "keep"), 0)


def _show_game(run: Run, scene: Scene, ply: int, look: dict[str, Any], *, resumes: bool) -> None:
    """Show the replay, and below it what the answer says beyond the panel. A request of the panel draws this anew."""
    request = pop_panel_request()
    response = answer_panel_request(request, run, scene)
    found = find_work(run, scene["game_id"], st.session_state)
    if found and request.get("kind") in {"play", "more"} and response and "error" not in response:
        st.session_state[SHOWN_SLOT] = found[0]
        write_page_question(found[0])
    shown: WhatifQuestion | None = st.session_state.get(SHOWN_SLOT)
    ruleset = run.ruleset(scene["ruleset"])
    show_replay(
        scene,
        key=REPLAY_KEY,
        ply=ply,
        panel={
            "response": response,
            "question": question_document(shown, ruleset) if shown else None,
            "look": look,
            "resumes": resumes,
        },
    )
    _show_more_questions(shown or WhatifQuestion(run=run.name, game=scene["game_id"], ply=ply), run, scene)
    if shown and found and found[0] == shown:
        work = found[1]
        work.keep_alive()
        if work.error:
            st.error(escape_markdown(work.error))
        elif work.latest and (work.is_over or work.was_stopped):
            with st.container(key="whatif-answer"):
                _show_answer(work.latest)


def _show_answer(answer: WhatifAnswer) -> None:
    """Show the charts and tables of an answer, and the form that makes a run of its continuations.

    The panel shows the verdict, and continuations on the board.
    """
    sheet = compose(answer, cached.strategy_looks)
    parts = sheet.list_parts("main", "beside")
    show_parts([part for part in parts if part.kind != "continuations"], ROWS, {})
    show_details(sheet, {}, key="whatif-statistics", is_bound=False)
    offer_sheet(sheet)
    show_save_form(answer.whatif, answer.run)


def _show_more_questions(shown: WhatifQuestion, run: Run, scene: Scene) -> None:
    """Show the questions that the panel does not ask: another rule, other continuations, and the same in many games."""
    with st.expander("Another rule, other continuations, or many games", expanded=bool(shown.options)):
        with st.form("whatif-rule", border=False):
            _ask_rule(shown, run, len(scene["steps"]))
        many = ManyGamesQuestion(
            run=run.name,
            games="all",
            **shown.model_dump(include={"seats", "strategies", "options", "luck", "substitute"}),
        )
        if st.button(
            "Ask the same of many games",
            key="whatif-ask-many",
            type="tertiary",
            icon=":material/apps:",
        ):
            write_page_question(many)
            st.rerun()


def _ask_rule(shown: WhatifQuestion, run: Run, plies: int) -> None:
    """Ask for another value of an option, or for the same change with other continuations; open the address of the question."""
    ruleset = run.ruleset(run.game(shown.game).ruleset)
    options = ruleset.document["options"]
    key, _, value = (shown.options or ("",))[0].partition("=")
    known = write_address(shown)
    left, middle, right = st.columns([1, 2, 2])
    move = left.number_input("From move", 1, plies, shown.ply + 1, key=f"whatif-move-{known}")
    name = middle.selectbox(
        "Option of the rules",
        list(options),
        index=list(options).index(key) if key in options else None,
        format_func=lambda option: (
            f"{capitalise(title_setting(ruleset.game, option))}, now {json.dumps(options[option])}"
        ),
        placeholder="The rules stay as they are",
        key=f"whatif-option-{known}",
    )
    text = right.text_input("its other value", value, key=f"whatif-value-{known}")
    left, right = st.columns(2)
    with left:
        n = ask_number("Continuations of each branch", shown, "n", f"whatif-n-{known}")
    with right:
        seed = ask_number("Seed", shown, "seed", f"whatif-seed-{known}", "Equal seeds give equal dice.")
    if not st.form_submit_button("Play both branches", type="primary", key="whatif-ask"):
        return
    if not name and not shown.has_change:
        st.error("Choose an option of the rules, or another move, player or luck beside the board.")
        return
    asked = shown.model_copy(update={"ply": int(move) - 1, "n": n, "seed": seed})
    if name:
        kept = asked.options if key == name else ()
        asked = asked.model_copy(
            update={"options": (f"{name}={text}", *kept[1:]), "luck": False, "seats": (), "strategies": ()}
            | {"action": ""}
        )
    write_page_question(asked)
    st.rerun()
