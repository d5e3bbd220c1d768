"""What Reroll is, in one sentence, and what a click leads to: games to watch or to play, and two questions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import streamlit as st

from dashboard.library.tiles import first_logged_run
from dashboard.queries import cached
from engine.errors import GameError
from pipelines.notes.places import current_address, names_by_key
from pipelines.notes.store import NoteFilter, NoteStore
from pipelines.questions.address import write_address
from pipelines.questions.comparison import KnownComparisonQuestion
from pipelines.questions.game import GameQuestion
from pipelines.questions.games import find_remarkable_game
from pipelines.questions.hand_game import HandGameQuestion
from pipelines.questions.rules import RulesQuestion
from pipelines.service.demo_highlights import TURNING_POINT_TAG

if TYPE_CHECKING:
    from pipelines.questions.address import Address, Question
    from pipelines.runs.library import Run

PURPOSE: Final = (
    "Reroll plays tabletop games exactly by the book, thousands of times, and shows what really happens in them. "
    "Watch a game, ask who plays better, or change a rule and see what it does."
)


class Invitation(NamedTuple):
    """A question with a link to its answer."""

    label: str
    page: str
    address: Address
    icon: str

    @classmethod
    def to(cls, label: str, question: Question, icon: str) -> Invitation:
        """Return the invitation to the page that answers a question."""
        return cls(label, f"views/{question.page}.py", write_address(question), icon)


def show_invitations(runs: list[Run]) -> None:
    """Show what Reroll is and, once there are runs, the invitations side by side."""
    st.markdown(PURPOSE)
    invitations = find_invitations(runs)
    if not invitations:
        return
    with st.container(horizontal=True, key="invitations"):
        for invitation in invitations:
            st.page_link(
                invitation.page,
                label=invitation.label,
                icon=invitation.icon,
                query_params=invitation.address,
                width="content",
            )


def find_invitations(runs: list[Run]) -> list[Invitation]:
    """Return the invitations that these runs can answer."""
    if not runs:
        return []
    invitations = []
    run = first_logged_run(runs)
    if run:
        invitations.append(
            Invitation.to(
                "Watch the closest finish",
                GameQuestion(run=run.name, game=closest_game(run)),
                ":material/play_circle:",
            )
        )
    turn = find_turning_point_address(runs)
    if turn:
        invitations.append(
            Invitation("Watch a turning point", "views/replay.py", turn, ":material/trending_up:")
        )
    ruleset = (run or runs[0]).summary.rulesets[0].name
    invitations.append(Invitation.to("Play yourself", HandGameQuestion(ruleset=ruleset), ":material/casino:"))
    compared = next((run for run in runs if run.summary.is_comparison), None)
    if compared:
        invitations.append(
            Invitation.to(
                "Who plays better?", KnownComparisonQuestion(run=compared.name), ":material/trophy:"
            )
        )
    invitations.append(
        Invitation.to(
            "What does a rule change?", RulesQuestion(ruleset=ruleset, part="effect"), ":material/rule:"
        )
    )
    return invitations


def find_turning_point_address(runs: list[Run]) -> Address | None:
    """Return the address of the newest note of a move with the tag of turning points; None if there is none."""
    try:
        notes = NoteStore(cached.dashboard_library().folder).search(
            NoteFilter(kinds=("ply",), tags=(TURNING_POINT_TAG,))
        )
    except GameError:  # the page Notes says why its file cannot be read
        return None
    names = names_by_key(runs)
    addresses = (current_address(note, names) for note in notes.notes)
    return next((address for address in addresses if address), None)


def closest_game(run: Run) -> int:
    """Return the number of the logged game with the smallest margin of the winner, 0 if there is none."""
    found = find_remarkable_game(run, "margin", cached.question_source(), is_lowest=True)
    return found.game_id if found else 0
