"""Answers that are played while a page shows them; those that were played before are kept for everybody who asks the same."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, Final

import streamlit as st

from dashboard.widgets.sheet import AnyAnswer, show_growing_sheet
from pipelines.experiments.background_work import find_or_start_work, start_at_once
from pipelines.studies.forms import server_turns

MAX_KEPT_ANSWERS: Final = 16
MAX_KEPT_GAMES: Final = 100_000
"""Games of the largest answer that is kept: some 6 megabytes."""
_kept_answers: Final[dict[Hashable, Any]] = {}


def show_growing_answer(
    slot: str,
    key: Hashable,
    iter_answers: Callable[[Callable[[], bool]], Iterator[AnyAnswer]],
    rows: Sequence[Sequence[str]] = (),
) -> None:
    """Play in the background and show the answer while it becomes more precise; `rows` are as in `show_sheet`.

    The work is kept under `slot` of the session state and starts anew with another `key`. An answer with the same `key` that is
    kept is shown at once.
    """

    def iter_or_find(stopped: Callable[[], bool]) -> Iterator[AnyAnswer]:
        if key in _kept_answers:
            yield _kept_answers[key]
            return
        for answer in iter_answers(stopped):
            if answer.basis.blocks == answer.question.blocks and answer.basis.games <= MAX_KEPT_GAMES:
                _kept_answers[key] = answer
                while len(_kept_answers) > MAX_KEPT_ANSWERS:
                    _kept_answers.pop(next(iter(_kept_answers)), None)
            yield answer

    wait_for_turn = start_at_once if key in _kept_answers else server_turns.wait
    work = find_or_start_work(st.session_state, slot, key, iter_or_find, wait_for_turn)
    work.wait(0.3)
    show_growing_sheet(work, rows=rows)
