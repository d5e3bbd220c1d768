"""Notes go through JSON unchanged; a document that is not valid says which note is wrong."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.errors import GameError, InvalidError
from pipelines.notes.exchange import format_notes, parse_notes
from pipelines.notes.note import NoteContent, NotePlace
from pipelines.notes.store import NoteStore
from tests.examples import scale_examples

if TYPE_CHECKING:
    from pathlib import Path


def test_a_document_holds_everything_of_a_note(tmp_path: Path) -> None:
    store = NoteStore(tmp_path)
    place = NotePlace("game", "replay", {"run": ["a&b"], "game-number": ["2"]}, "key")
    notes = [
        store.add(place, NoteContent("Größe <b>", 'a "quote"\n\ttab', ("y", "z"), is_favourite=True)),
        store.add(NotePlace("run", "library"), NoteContent("plain")),
    ]
    assert parse_notes(format_notes(notes, store.orders(notes))) == (
        notes,
        {"y": [notes[0].note_id], "z": [notes[0].note_id]},
    )


@pytest.mark.parametrize("orders", [[], {"y": "x"}, {"y": ["../../x"]}, {"y": [None]}])
def test_an_order_that_is_not_valid_is_refused(orders: object) -> None:
    document = {**json.loads(format_notes([], {})), "orders": orders}
    with pytest.raises(InvalidError, match="orders of the document are not lists of ids"):
        parse_notes(json.dumps(document))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "poem"}, "note 1 .* unknown kind of note 'poem'"),
        ({"title": ""}, "note 1 .* needs a title"),
        ({"tags": [1]}, "'1' is not a text"),
        ({"address": {"run": 3}}, "value of 'run' in an address"),
        ({"kind": "question", "page": "javascript:alert(1)"}, "note 1 .* is not a page"),
        (
            {"kind": "question", "page": "sql", "address": {"sql": ["x" * 30_000]}},
            "more than 20,000 characters",
        ),
        ({"kind": "question", "page": "sql", "address": {"set": [["n", 1]]}}, "value of 'set' in an address"),
        ({"title": {"$ne": ""}}, "is not a text"),
        ({"id": "../../x"}, "32 hexadecimal digits"),
        ({"version": 0}, "its version"),
        ({"changed_at": "2026-01-01T00:00:00+02:00"}, "in UTC"),
        ({"changed_at": "yesterday"}, "note 1 of the document cannot be read"),
    ],
)
def test_a_note_that_is_not_valid_is_named(tmp_path: Path, change: dict[str, object], message: str) -> None:
    note = NoteStore(tmp_path).add(NotePlace("run", "library"), NoteContent("plain"))
    document = json.loads(format_notes([note], {}))
    document["notes"][0] |= change
    with pytest.raises(InvalidError, match=message):
        parse_notes(json.dumps(document))


def test_a_key_that_is_missing_is_named(tmp_path: Path) -> None:
    document = json.loads(
        format_notes([NoteStore(tmp_path).add(NotePlace("run", "library"), NoteContent("plain"))], {})
    )
    del document["notes"][0]["text"]
    with pytest.raises(InvalidError, match=r"note 1 .* 'text' is missing"):
        parse_notes(json.dumps(document))


@scale_examples(0.5)
@given(st.text(max_size=50) | st.recursive(st.none() | st.integers() | st.text(), st.lists).map(json.dumps))
def test_any_other_text_is_refused_in_a_line(text: str) -> None:
    with pytest.raises(GameError):
        parse_notes(text)


@example("x", "\r\r\n")
@given(
    st.text(min_size=1, max_size=80).filter(lambda text: text.split()),
    st.text(max_size=200),
)
def test_cleaning_a_title_or_a_text_twice_changes_nothing_more(title: str, text: str) -> None:
    content = NoteContent(title, text)
    assert NoteContent(content.title, content.text) == content
