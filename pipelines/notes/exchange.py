"""Notes as a JSON document, to take them to another library."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from engine.errors import InvalidError, unknown_name_error
from pipelines.notes.former_notes import append_tags, rewrite_address
from pipelines.notes.note import Note, NoteContent, NotePlace, read_address

DOCUMENT_FORMAT: Final = "reroll-notes-1"
MAX_DOCUMENT_BYTES: Final = 100_000_000
DOCUMENT_KEYS: Final = frozenset({"format", "notes", "orders"})
NOTE_KEYS: Final = frozenset(
    {"id", "kind", "page", "address", "run_key", "title", "text", "collections", "favourite"}
    | {"created_at", "changed_at", "version"}
    | {"tags"}  # of versions until 0.4.0
)
_ID_PATTERN: Final = re.compile(r"[0-9a-f]{32}")


class NoteDocument(NamedTuple):
    """What a document holds."""

    notes: list[Note]
    orders: dict[str, list[str]]
    """The ids of the notes of a collection in its order, by the name of the collection."""


def format_notes(notes: Sequence[Note], orders: Mapping[str, Sequence[str]]) -> str:
    """Return notes, and the orders of their collections (`NoteStore.orders`), as the text of a JSON document."""
    return json.dumps({**note_document(notes), "orders": orders}, indent=1, ensure_ascii=False)


def note_document(notes: Sequence[Note]) -> dict[str, Any]:
    """Return notes as a document of JSON."""
    listed = [
        {
            "id": note.note_id,
            "kind": note.kind,
            "page": note.page,
            "address": dict(note.address),
            "run_key": note.run_key,
            "title": note.title,
            "text": note.text,
            "collections": note.collections,
            "favourite": note.is_favourite,
            "created_at": note.created_at.isoformat(),
            "changed_at": note.changed_at.isoformat(),
            "version": note.version,
        }
        for note in notes
    ]
    return {"format": DOCUMENT_FORMAT, "notes": listed}


def parse_notes(document: str) -> NoteDocument:
    """Return what a JSON document holds; raise InvalidError, with the number of the note, if one is not valid."""
    try:
        content = json.loads(document)
    except (ValueError, RecursionError) as error:
        raise InvalidError(f"this is not JSON: {error}") from error
    if (
        not isinstance(content, dict)
        or content.get("format") != DOCUMENT_FORMAT
        or not isinstance(content.get("notes"), list)
    ):
        raise InvalidError(f"these are not notes: a document with format = {DOCUMENT_FORMAT!r} is expected")
    _check_keys(content, DOCUMENT_KEYS)
    notes = []
    for number, item in enumerate(content["notes"], start=1):
        try:
            notes.append(_parse_note(item))
        except (InvalidError, KeyError, TypeError, ValueError) as error:
            reason = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            raise InvalidError(f"note {number} of the document cannot be read: {reason}") from error
    orders = content.get("orders", {})
    ids = (
        [note_id for ids_of_collection in orders.values() for note_id in ids_of_collection]
        if _is_of_lists(orders)
        else [None]
    )
    if not all(isinstance(note_id, str) and _ID_PATTERN.fullmatch(note_id) for note_id in ids):
        raise InvalidError("the orders of the document are not lists of ids by collection")
    return NoteDocument(notes, orders)


def _is_of_lists(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(ids, list) for ids in value.values())


def _parse_note(item: dict[str, Any]) -> Note:
    _check_keys(item, NOTE_KEYS)
    page, address = rewrite_address(_text(item["page"]), read_address(item["address"]))
    place = NotePlace(item["kind"], page, address, _optional_text(item["run_key"]))
    content = NoteContent(
        _text(item["title"]),
        append_tags(_text(item["text"]), _texts(item.get("tags", []))),
        _texts(item["collections"]),
        is_favourite=item["favourite"] is True,
    )
    note_id, version = _text(item["id"]), item["version"]
    if not _ID_PATTERN.fullmatch(note_id):
        raise InvalidError("its id does not have 32 hexadecimal digits")
    if not isinstance(version, int) or not 1 <= version < 1 << 31:
        raise InvalidError("its version is not a positive number")
    created_at, changed_at = (
        datetime.fromisoformat(_text(item[key])) for key in ("created_at", "changed_at")
    )
    if created_at.tzinfo or changed_at.tzinfo:
        raise InvalidError("its times are not in UTC without a time zone")
    return Note(
        note_id=note_id,
        **vars(place),
        **vars(content),
        created_at=created_at,
        changed_at=changed_at,
        version=version,
    )


def _check_keys(document: object, known: Collection[str]) -> None:
    """Raise InvalidError if a document has a key that nobody would read."""
    unknown = sorted(document.keys() - known) if isinstance(document, dict) else []
    if unknown:
        raise unknown_name_error("key", unknown[0][:40], known)


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise InvalidError(f"{str(value)[:40]!r} is not a list of texts")
    return tuple(map(_text, value))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise InvalidError(f"{str(value)[:40]!r} is not a text")
    return value


def _optional_text(value: object) -> str | None:
    return None if value is None else _text(value)
