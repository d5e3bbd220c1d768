"""An answer that still grows has the same parts under the same keys at every step, and says that it is not complete."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pipelines.experiments.review import start_review
from pipelines.questions.address import split_address
from pipelines.questions.every_question import answer_question, read_question
from pipelines.questions.game import GameQuestion, read_game
from pipelines.questions.source import QuestionSource
from pipelines.questions.whatif import (
    ManyGamesQuestion,
    WhatifQuestion,
    fork_whatif,
    iter_many_games_answers,
    iter_whatif_answers,
)
from pipelines.report.compose import compose
from pipelines.report.sheet import Continuations, Passage
from pipelines.report.show.html import write_sheet_html
from pipelines.report.show.json import sheet_document
from pipelines.report.show.terminal import write_sheet_lines

if TYPE_CHECKING:
    from pipelines.report.sheet import Sheet
    from pipelines.runs.run import Run


def list_places(sheet: Sheet) -> list[tuple[str, str]]:
    """Return the key and the role of each part, in order."""
    return [(part.key, part.role) for part in sheet.parts]


def check_growth(sheets: list[Sheet]) -> None:
    """Check that the sheets of a growing answer have the same parts, that all can be drawn, and that the last is complete."""
    *growing, whole = sheets
    assert growing
    for sheet in sheets:
        assert list_places(sheet) == list_places(whole)
        assert sheet.title == whole.title
        assert ("so far" in sheet.basis) == (sheet is not whole)
        html = write_sheet_html(sheet)
        assert all(f'data-part="{key}"' in html for key, _ in list_places(sheet))
        assert "nan" not in "\n".join(write_sheet_lines(sheet, 200)).split()
        json.dumps(sheet_document(sheet), allow_nan=False)


@pytest.mark.parametrize(
    "change",
    [{"seats": (1,), "strategies": ("greedy",)}, {"luck": True}, {"seats": (0,), "strategies": ("greedy",)}],
    ids=["another strategy", "other luck", "the same strategy"],
)
def test_a_whatif_has_the_same_parts_at_every_look(small_run: Run, change: dict[str, object]) -> None:
    question = WhatifQuestion(run="made", game=2, ply=9, n=300, **change)
    looks = QuestionSource(only=(small_run,)).find_looks
    fork = fork_whatif(question, small_run)
    check_growth([compose(answer, looks) for answer in iter_whatif_answers(question, small_run, fork)])


def test_a_whatif_of_many_games_has_the_same_parts_after_every_game(small_run: Run) -> None:
    question = ManyGamesQuestion(
        run="made", seats=(1,), strategies=("noisy",), where="round:2", n=4, limit=12
    )
    looks = QuestionSource(only=(small_run,)).find_looks
    *answers, last = (compose(answer, looks) for answer in iter_many_games_answers(question, small_run))
    assert json.dumps(sheet_document(answers.pop())) == json.dumps(sheet_document(last)), (
        "all games are played"
    )
    check_growth([*answers, last])


def test_a_review_has_the_same_parts_at_every_step(small_run: Run) -> None:
    looks = QuestionSource(only=(small_run,)).find_looks
    game = read_game(GameQuestion(run="made", game=3, is_reviewed=True), small_run)
    work = start_review(small_run, 3, effort=0.1)
    sheets = [compose(replace(game, review=work.summarise()), looks)]
    sheets += [
        compose(replace(game, review=work.summarise()), looks)
        for done in work.compute_steps()
        if done % 25 == 0 and done < work.steps
    ]
    sheets.append(compose(replace(game, review=work.summarise()), looks))
    check_growth(sheets)
    assert isinstance(next(part.content for part in sheets[0].parts if part.key == "mistakes"), Passage)
    assert "of 100" not in " ".join(table.caption for table in sheets[0].tables), (
        "the classes are not known yet"
    )


@pytest.mark.parametrize(
    "address",
    [
        "/replay?run=made&game-number=3&move=10&player=2&strategy=greedy&continuations=60",
        "/replay?run=made&game-number=3&move=10&luck=1&continuations=60",
        "/whatif?run=made&many=all&move=round:3&player=2&strategy=greedy&continuations=4&limit=12",
        "/replay?run=made&game-number=4&move=8",
    ],
)
def test_composing_an_answer_twice_gives_equal_sheets(small_run: Run, address: str) -> None:
    source = QuestionSource(only=(small_run,))
    answer = answer_question(read_question(*split_address(address)).question, source)
    first, second = (compose(answer, source.find_looks) for _ in range(2))
    assert write_sheet_html(first) == write_sheet_html(second)
    assert sheet_document(first) == sheet_document(second)
    keys = [part.key for part in first.parts]
    assert len(keys) == len(set(keys))
    assert read_question(*split_address(first.address)).question == answer.question


def test_every_number_of_a_whatif_comes_from_its_continuations(small_run: Run) -> None:
    """The effects in the table are means over both branches of the continuations, weighted as the answer weights them."""
    question = WhatifQuestion(run="made", game=2, ply=9, seats=(1,), strategies=("greedy",), n=80, seed=3)
    answer = answer_question(question, QuestionSource(only=(small_run,)))
    sheet = compose(answer, QuestionSource(only=(small_run,)).find_looks)
    (effects,) = sheet.tables
    whatif = answer.whatif
    weights = (whatif.shares / [max(1, (whatif.strata == one).sum()) for one in range(len(whatif.shares))])[
        whatif.strata
    ]
    for seat, row in enumerate(effects.texts):
        for column, scores in ((2, whatif.base.scores), (3, whatif.changed.scores)):
            mean = (weights * scores[:, seat]).sum() / weights.sum()
            told = float(row[column].split()[0].replace("\N{MINUS SIGN}", "-"))
            assert told == pytest.approx(mean, abs=0.06), (seat, column)
    (watched,) = sheet.list_contents(Continuations)
    assert [one.pair["difference"] for one in watched.choices][::2] == [
        whatif.differences[:, 1].min(),
        whatif.differences[:, 1].max(),
    ]
    assert sheet.fields["seats"][1]["score"]["estimate"] == pytest.approx(whatif.score_difference(1).estimate)
