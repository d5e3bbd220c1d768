"""What Reroll is, in one sentence, and three questions that a click answers from the runs of the library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import streamlit as st

from dashboard.library.tiles import representative_run
from dashboard.queries import cached, scores

if TYPE_CHECKING:
    from pipelines.runs.library import Run

PURPOSE: Final = (
    "Reroll plays tabletop games exactly by the book, thousands of times, and shows what really happens in them. "
    "Watch a game, ask who plays better, or change a rule and see what it does."
)


class Invitation(NamedTuple):
    """A question with a link to its answer."""

    label: str
    page: str
    address: dict[str, str]
    icon: str


def show_invitations(runs: list[Run]) -> None:
    """Show what Reroll is and, once there are runs, the invitations side by side."""
    st.markdown(PURPOSE)
    invitations = find_invitations(runs)
    if not invitations:
        return
    for invitation, column in zip(invitations, st.columns(len(invitations)), strict=True):
        column.page_link(
            invitation.page,
            label=invitation.label,
            icon=invitation.icon,
            query_params=invitation.address,
            width="stretch",
        )


def find_invitations(runs: list[Run]) -> list[Invitation]:
    """Return the invitations that these runs can answer."""
    if not runs:
        return []
    invitations = []
    run = representative_run([run for run in runs if run.summary.log != "scores"])
    if run:
        invitations.append(
            Invitation(
                "Watch the closest finish",
                "views/replay.py",
                {"run": run.name, "game": str(closest_game(run))},
                ":material/play_circle:",
            )
        )
    compared = next((run for run in runs if run.summary.kind == "compare"), None)
    if compared:
        invitations.append(
            Invitation(
                "Who plays better?", "views/strategies.py", {"run": compared.name}, ":material/trophy:"
            )
        )
    ruleset = (run or runs[0]).summary.rulesets[0].name
    invitations.append(
        Invitation(
            "What does a rule change?",
            "views/rules.py",
            {"ruleset": ruleset, "part": "effect"},
            ":material/rule:",
        )
    )
    return invitations


def closest_game(run: Run) -> int:
    """Return the number of the logged game with the smallest margin of the winner, 0 if there is none."""
    rows = cached.query_runs(scores.games_of_run, [run], "closest finish", "", None, 1)
    return int(rows["game_id"].iloc[0]) if len(rows) else 0
