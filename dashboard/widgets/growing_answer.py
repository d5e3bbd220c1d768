"""Answers that are played while a page shows them; those that were played before are kept for everybody who asks the same."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import streamlit as st

from dashboard import cached
from dashboard.widgets.address import ask_for_click, is_wanted
from dashboard.widgets.background_work import show_work_progress
from dashboard.widgets.sheet import offer_sheet, show_basis, show_details, show_parts, show_verdict
from pipelines.experiments.background_work import BackgroundWork, find_or_start_work, start_at_once
from pipelines.questions.whatif import ManyGamesAnswer
from pipelines.report.wording import describe_progress
from pipelines.studies.forms import server_turns

if TYPE_CHECKING:
    from pipelines.questions.address import Question
    from pipelines.report.compose import Answer
    from pipelines.report.sheet import Sheet

AnyAnswer = TypeVar("AnyAnswer", bound="Answer")

MAX_KEPT_ANSWERS: Final = 16
MAX_KEPT_GAMES: Final = 100_000
"""Games of the largest answer that is kept: some 6 megabytes, or 16 with all moves."""
LEAST_SECONDS: Final = 1.0
"""Seconds of work after which its pace says how long the rest takes."""
_kept_answers: Final[dict[Hashable, Any]] = {}


class Progress(NamedTuple):
    """How much of an answer is played."""

    done: int
    total: int
    unit: str
    games: int


def measure_progress(answer: Any) -> Progress:  # noqa: ANN401 - an answer of any question with `blocks`, or about many games
    """Return how much of an answer is played: positions of many games, or blocks."""
    if isinstance(answer, ManyGamesAnswer):
        games = 2 * answer.question.n * len(answer.positions.played)
        return Progress(answer.done, answer.total, "position", games)
    return Progress(answer.basis.blocks, answer.question.blocks, "block", answer.basis.games)


def show_growing_answer(  # noqa: PLR0913 - what is asked, and how it is shown, by name
    slot: str,
    question: Question,
    version: Hashable,
    iter_answers: Callable[[Callable[[], bool]], Iterator[AnyAnswer]],
    *,
    rows: Sequence[Sequence[str]] = (),
    seconds: float | None = None,
) -> None:
    """Play in the background and show the answer while it becomes more precise; its parts keep their places.

    An address that may cost much waits for a click (`is_wanted`, with the `seconds` that the answer takes if they are known). The
    work is kept under `slot` of the session state and starts anew with another question or another `version` of what it is about. A
    whole answer to the same question is kept, and shown at once. `rows` are as in `show_sheet`.
    So are games for another question that asks for the same ones (`Question.games_question`).
    """
    if not is_wanted(question, seconds):
        ask_for_click(question, seconds)
        return
    work = _find_or_play(slot, (question.games_question, version), iter_answers)
    work.wait(0.3)

    def make_sheet(answer: AnyAnswer) -> Sheet:
        is_same = question == question.games_question
        return cached.compose_sheet(answer if is_same else replace(answer, question=question))  # type: ignore[type-var]

    def describe_work(answer: AnyAnswer) -> tuple[float, str]:
        done, total, unit, _ = measure_progress(answer)
        left = work.seconds * (total - done) / done if done and work.seconds > LEAST_SECONDS else None
        return done / total, describe_progress(done, total, unit, left)

    def show_rest(answer: AnyAnswer) -> None:
        sheet = make_sheet(answer)
        show_parts(sheet.list_parts("main", "beside"), rows, {})
        show_basis(sheet)
        show_details(sheet, {}, rows, key=f"details-{sheet.kind}", is_bound=False)
        if work.is_over:
            offer_sheet(sheet)

    show_work_progress(
        work,
        at_first="Playing the first games … (the first time, the game is compiled, which takes a while)",
        headline=lambda answer: show_verdict(make_sheet(answer)),
        progress=describe_work,
        details=show_rest,
    )


def _find_or_play(
    slot: str, key: Hashable, iter_answers: Callable[[Callable[[], bool]], Iterator[AnyAnswer]]
) -> BackgroundWork[AnyAnswer]:
    """Return the work on an answer in `slot` of the session state. It is over at once if the answer with this `key` is kept."""

    def iter_or_find(stopped: Callable[[], bool]) -> Iterator[AnyAnswer]:
        if key in _kept_answers:
            yield _kept_answers[key]
            return
        for answer in iter_answers(stopped):
            done, total, _, games = measure_progress(answer)
            if done == total and games <= MAX_KEPT_GAMES:
                _kept_answers[key] = answer
                while len(_kept_answers) > MAX_KEPT_ANSWERS:
                    _kept_answers.pop(next(iter(_kept_answers)), None)
            yield answer

    wait_for_turn = start_at_once if key in _kept_answers else server_turns.wait
    return find_or_start_work(st.session_state, slot, key, iter_or_find, wait_for_turn)
