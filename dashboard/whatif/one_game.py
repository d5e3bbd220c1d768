"""A what-if question about one game: the replay with its What if panel, which asks and answers, and more questions below it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.widgets.address import write_page_question
from dashboard.widgets.form_address import ask_number, show_address_problems
from dashboard.widgets.replay_component import show_questioned_replay
from engine.actions import CHANCE
from engine.wording import capitalise
from pipelines.questions.address import write_path
from pipelines.questions.whatif import WhatifQuestion, resolve_whatif
from pipelines.report.ruleset_words import title_setting

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.scene import Scene
    from pipelines.runs.library import Run

REPLAY_KEY: Final = "whatif-replay"


def show_one_game(
    question: WhatifQuestion,
    run: Run,
    problems: Sequence[str],
    *,
    names_move: bool,
) -> None:
    """Show the game with the What if panel, open on the question if it has one that is possible.

    If the address names no move, the panel opens on that of this game which the visitor has seen last, or else on a decision in
    the middle of the game, where there is something to ask.
    """
    scene = run.scene(question.game)
    resumes = not names_move and not question.has_change
    if resumes:
        question = question.model_copy(update={"ply": find_middle_decision(scene)})
    question, impossible = resolve_whatif(question, run)
    show_address_problems([*problems, *impossible])
    is_asked = question.has_change and not problems and not impossible
    show_questioned_replay(
        scene,
        key=REPLAY_KEY,
        ply=min(question.ply, len(scene["steps"]) - 1),
        query=write_path(question).partition("?")[2] if is_asked else "",
        resumes=resumes,
    )
    with (
        st.expander("Another rule, or other continuations", expanded=bool(question.options)),
        st.form("whatif-rule", border=False),
    ):
        _ask_rule(question, run, len(scene["steps"]))


def find_middle_decision(scene: Scene) -> int:
    """Return the first move on the board in the second half of a game, before which there is a choice; or else the first ply."""
    steps = scene["steps"]
    later = range(len(steps) // 2, len(steps))
    return next((ply for ply in later if steps[ply]["seat"] != CHANCE and steps[ply]["kind"] != "keep"), 0)


def _ask_rule(shown: WhatifQuestion, run: Run, plies: int) -> None:
    """Ask for another value of an option, or for the change of the address with other continuations; open the address of that.

    The keys of the fields stay the same when the board has written another question into the address: what somebody has filled in
    before belongs to it, too.
    """
    ruleset = run.ruleset(run.game(shown.game).ruleset)
    options = ruleset.document["options"]
    key, _, value = (shown.options or ("",))[0].partition("=")
    place = f"{run.name}-{shown.game}"
    left, middle, right = st.columns([1, 2, 2])
    move = left.number_input("From move", 1, plies, shown.ply + 1, key=f"whatif-move-{place}")
    name = middle.selectbox(
        "Option of the rules",
        list(options),
        index=list(options).index(key) if key in options else None,
        format_func=lambda option: (
            f"{capitalise(title_setting(ruleset.game, option))}, now {json.dumps(options[option])}"
        ),
        placeholder="The rules stay as they are",
        key=f"whatif-option-{place}",
    )
    text = right.text_input("its other value", value, key=f"whatif-value-{place}")
    left, right = st.columns(2)
    with left:
        n = ask_number("Continuations of each branch", shown, "n", f"whatif-n-{place}")
    with right:
        seed = ask_number("Seed", shown, "seed", f"whatif-seed-{place}", "Equal seeds give equal dice.")
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
