"""A kept query has its values and a name, whoever edits it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from engine.errors import InvalidError
from pipelines.notes.exchange import format_notes, parse_notes
from pipelines.notes.note import NoteContent, NotePlace
from pipelines.notes.store import EditConflictError, NoteStore, find_question, list_questions, save_question
from pipelines.questions.address import read_fields, write_address
from pipelines.questions.sql import SqlQuestion

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = "'; DROP TABLE notes; -- <script>\u202e=$n"
QUERY = SqlQuestion(
    sql="SELECT $n, $t",
    settings=("n=3", f"t={HOSTILE}"),
    kinds=("t=text",),
    runs=("demo", "a b"),
    chart="bar",
    y=HOSTILE,
)


@pytest.fixture
def store(tmp_path: Path) -> NoteStore:
    return NoteStore(tmp_path)


def test_a_query_goes_through_an_address_and_a_document_unchanged(store: NoteStore) -> None:
    note, is_replaced = save_question(store, HOSTILE, QUERY)
    assert not is_replaced
    (read,) = parse_notes(format_notes([note], {})).notes
    assert read_fields(SqlQuestion, read.address) == (QUERY, ())
    assert find_question(store, HOSTILE) == find_question(store, note.note_id[:6]) == note


def test_saving_under_the_same_name_replaces_the_query_and_keeps_what_was_written_about_it(
    store: NoteStore,
) -> None:
    first, _ = save_question(store, "Late points", QUERY)
    first = store.change(first, NoteContent("Late points", "why", ("odd",), is_favourite=True))
    second, is_replaced = save_question(store, " late  POINTS ", SqlQuestion(sql="SELECT 1"))
    assert is_replaced
    assert list_questions(store, "sql") == [second]
    assert read_fields(SqlQuestion, second.address) == (
        SqlQuestion(sql="SELECT 1", chart="bar", y=HOSTILE),
        (),
    )
    assert (second.title, second.text, second.collections, second.version) == (
        "Late points",
        "why",
        ("odd",),
        3,
    )
    with pytest.raises(EditConflictError):  # another window still shows the first version
        store.change(first, NoteContent("Late points"), NotePlace("question", "sql", write_address(QUERY)))


def test_a_question_of_another_page_or_name_is_not_found(store: NoteStore) -> None:
    store.add(NotePlace("chart", "scores", {"rulesets": ["bloxx-2p"]}), NoteContent("Late points"))
    save_question(store, "Early points", QUERY)
    with pytest.raises(InvalidError, match="unknown kept question 'Late points'; did you mean Early points"):
        find_question(store, "Late points")
    store.add(NotePlace("question", "sql", {"sql": ["SELECT 2"]}), NoteContent("early points"))
    with pytest.raises(InvalidError, match="2 kept questions are named 'Early points'; use one of their ids"):
        find_question(store, "Early points")
    with pytest.raises(InvalidError, match="2 kept questions"):
        save_question(store, "Early points", QUERY)
