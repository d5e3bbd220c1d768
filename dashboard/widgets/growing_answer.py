"""Answers that are played while a page shows them; those that were played before are kept for everybody who asks the same."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, Final, TypeVar

import streamlit as st

from dashboard.widgets.sheet import AnyAnswer, show_growing_sheet
from pipelines.experiments.background_work import BackgroundWork, find_or_start_work, start_at_once
from pipelines.studies.forms import server_turns

T = TypeVar("T")

MAX_KEPT_ANSWERS: Final = 16
MAX_KEPT_GAMES: Final = 100_000
"""Games of the largest answer that is kept: some 6 megabytes, or 16 with all moves."""
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

    def is_worth_keeping(answer: AnyAnswer) -> bool:
        return answer.basis.blocks == answer.question.blocks and answer.basis.games <= MAX_KEPT_GAMES

    work = find_or_play(slot, key, iter_answers, is_worth_keeping)
    work.wait(0.3)
    show_growing_sheet(work, rows=rows)


def find_or_play(
    slot: str,
    key: Hashable,
    iter_answers: Callable[[Callable[[], bool]], Iterator[T]],
    is_worth_keeping: Callable[[T], bool],
) -> BackgroundWork[T]:
    """Return the work on an answer in `slot` of the session state. It is over at once if the answer with this `key` is kept."""

    def iter_or_find(stopped: Callable[[], bool]) -> Iterator[T]:
        if key in _kept_answers:
            yield _kept_answers[key]
            return
        for answer in iter_answers(stopped):
            if is_worth_keeping(answer):
                _kept_answers[key] = answer
                while len(_kept_answers) > MAX_KEPT_ANSWERS:
                    _kept_answers.pop(next(iter(_kept_answers)), None)
            yield answer

    wait_for_turn = start_at_once if key in _kept_answers else server_turns.wait
    return find_or_start_work(st.session_state, slot, key, iter_or_find, wait_for_turn)
