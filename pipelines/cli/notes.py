"""The commands that keep and find what people noticed: note, notes."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.errors import InvalidError, unknown_name_error
from pipelines.cli import completion, options
from pipelines.cli.output import print_json, print_report_table, print_text
from pipelines.design.limits import MAX_LABEL_CHARACTERS, MAX_TITLE_CHARACTERS
from pipelines.report.wording import format_count

if TYPE_CHECKING:
    from pipelines.notes.note import Note, NoteKind, NotePlace
    from pipelines.notes.store import NoteStore
    from pipelines.runs.library import Library

CollectionOption = Annotated[
    list[str] | None,
    options.text_option(
        "--collection", MAX_LABEL_CHARACTERS, "NAME", "A collection that the note is in. Repeatable."
    ),
]


def note(
    run: Annotated[
        str | None,
        typer.Argument(
            metavar="[RUN]", help="The run that the note is about.", autocompletion=completion.complete_runs
        ),
    ] = None,
    *,
    game: Annotated[
        int | None, typer.Option("--game", metavar="N", min=1, help="A game of the run; the first one is 1.")
    ] = None,
    move: Annotated[
        int | None, typer.Option("--move", metavar="K", min=1, help="A move of the game; the first one is 1.")
    ] = None,
    lesson: Annotated[
        bool, typer.Option("--lesson", help="The board hides the move and asks for a better one.")
    ] = False,
    title: Annotated[
        str | None,
        options.text_option(
            "--title", MAX_TITLE_CHARACTERS, "TEXT", "By default, the name of what it is about."
        ),
    ] = None,
    text: options.TextOption = None,
    collection: CollectionOption = None,
    favourite: Annotated[
        bool | None, typer.Option("--favourite/--no-favourite", help="Whether it has a star.")
    ] = None,
    change: Annotated[
        str | None,
        typer.Option(
            "--change", metavar="ID", help="Change a note instead: only what the other options name."
        ),
    ] = None,
    remove: Annotated[
        str | None, typer.Option("--remove", metavar="ID", help="Remove a note instead.")
    ] = None,
    data: options.DataOption = None,
    as_json: options.JsonOption = False,
) -> None:
    """Keep a run, a game or a move with a note, or change a note."""
    from pipelines.notes.note import NoteContent
    from pipelines.notes.store import NoteStore

    library = options.open_library(data)
    store = NoteStore(library.folder)
    if sum(value is not None for value in (run, change, remove)) != 1:
        raise InvalidError("name a run to keep, or a note with --change ID or --remove ID")
    if remove is not None:
        note_found = store.find(remove)
        store.remove(note_found)
        _print_note(note_found, "removed", as_json=as_json)
    elif change is not None:
        note_found = store.find(change)
        content = NoteContent(
            note_found.title if title is None else title,
            note_found.text if text is None else text,
            note_found.collections if collection is None else tuple(collection),
            is_favourite=note_found.is_favourite if favourite is None else favourite,
        )
        _print_note(store.change(note_found, content), "changed", as_json=as_json)
    elif run is not None:
        place, name = _find_place(library, run, game, move, is_lesson=lesson)
        content = NoteContent(
            title or name, text or "", tuple(collection or ()), is_favourite=favourite is True
        )
        _print_note(store.add(place, content), "kept", as_json=as_json)


def notes(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[WORDS]...", help="Words that all occur in the note.")
    ] = None,
    *,
    kind: Annotated[
        list[str] | None,
        typer.Option(
            "--kind",
            metavar="KIND",
            help="run, game, ply (a move), comparison, what-if, chart, question, rules, hand or simulation. Repeatable.",
        ),
    ] = None,
    collection: Annotated[
        str | None,
        options.text_option("--collection", MAX_LABEL_CHARACTERS, "NAME", "Only notes of this collection."),
    ] = None,
    run: Annotated[str | None, options.run_option("Only notes on this run, its games and moves.")] = None,
    favourites: Annotated[bool, typer.Option("--favourites", help="Only notes with a star.")] = False,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="Maximum number of notes.")] = 50,
    export: Annotated[
        Path | None,
        typer.Option(
            "--export", metavar="FILE", help="Give the notes found to another library: a new JSON file."
        ),
    ] = None,
    import_: Annotated[
        Path | None,
        typer.Option(
            "--import",
            metavar="FILE",
            help="Add the notes of such a file; of two versions the newer one wins.",
        ),
    ] = None,
    data: options.DataOption = None,
    as_json: options.JsonOption = False,
) -> None:
    """Find what you have kept; a collection in its order."""
    from pipelines.notes.exchange import note_document
    from pipelines.notes.note import names_by_key, tabulate_notes
    from pipelines.notes.store import NoteFilter, NoteStore

    library = options.open_library(data) if import_ else options.open_existing_library(data)
    store = NoteStore(library.folder)
    if import_ is not None:
        _import_notes(store, import_, as_json=as_json)
        return
    note_filter = NoteFilter(
        words=" ".join(words or ()),
        kinds=tuple(map(_check_kind, kind or ())),
        collection=collection,
        run_key=library.run(run).key if run else None,
        only_favourites=favourites,
    )
    found_notes = store.search(note_filter, limit=limit if export is None else 1_000_000)
    if export is not None:
        _export_notes(store, found_notes.notes, export, as_json=as_json)
    elif as_json:
        print_json(note_document(found_notes.notes)["notes"])
    elif found_notes.notes:
        print_report_table(tabulate_notes(found_notes.notes, names_by_key(library.runs())))
        if found_notes.total > len(found_notes.notes):
            print_text(
                f"the newest {len(found_notes.notes)} of {found_notes.total:,} notes; --limit shows more"
            )
    else:
        print_text("no notes found" if words or kind else "no notes yet; reroll note keeps a game")


def _find_place(
    library: "Library", name: str, game: int | None, move: int | None, *, is_lesson: bool
) -> tuple["NotePlace", str]:
    """Return the place of a note, and what it is called."""
    from pipelines.notes.note import place_of_game, place_of_run, title_of_place

    run = library.run(name)
    if is_lesson and move is None:
        raise InvalidError("--lesson needs a move of a game: --game and --move")
    if game is None:
        if move is not None:
            raise InvalidError("--move needs the number of the game: --game")
        return place_of_run(run), run.summary.title or run.name
    moves = run.game(game - 1).plies
    if move is not None and move > moves:
        raise InvalidError(f"game {game} of {run.name} has no move {move} (1 to {moves})")
    if is_lesson and move is not None:
        from pipelines.experiments.lessons import find_lesson

        find_lesson(run, game - 1, move - 1)
    place = place_of_game(run, game - 1, None if move is None else move - 1, is_lesson=is_lesson)
    return place, title_of_place(place)


def _check_kind(kind: str) -> "NoteKind":
    from pipelines.notes.note import NOTE_KINDS

    for known in NOTE_KINDS:
        if known == kind:
            return known
    raise unknown_name_error("kind of note", kind, NOTE_KINDS)


def _print_note(note: "Note", action: str, *, as_json: bool) -> None:
    if as_json:
        from pipelines.notes.exchange import note_document

        print_json(note_document([note])["notes"][0])
    else:
        from pipelines.notes.note import SHOWN_ID_LENGTH

        print_text(f"{action} as {note.note_id[:SHOWN_ID_LENGTH]}: {note.title}")


def _export_notes(store: "NoteStore", found_notes: "Sequence[Note]", path: Path, *, as_json: bool) -> None:
    from pipelines.exchange.game_files import write_new_file
    from pipelines.notes.exchange import format_notes

    write_new_file(path, format_notes(found_notes, store.orders(found_notes)))
    if as_json:
        print_json({"path": str(path.absolute()), "notes": len(found_notes)})
    else:
        print_text(f"{format_count(len(found_notes), 'note')} written to {path}")


def _import_notes(store: "NoteStore", path: Path, *, as_json: bool) -> None:
    from engine.file_limits import decode_text, read_regular_file
    from pipelines.notes.exchange import MAX_DOCUMENT_BYTES, parse_notes

    try:
        found_notes, orders = parse_notes(decode_text(read_regular_file(path, MAX_DOCUMENT_BYTES)))
    except InvalidError as error:
        raise InvalidError(f"{path}: {error}") from None
    saved = store.merge(found_notes, orders)
    if as_json:
        print_json({"path": str(path.absolute()), "notes": len(found_notes), "saved": saved})
    else:
        print_text(f"{format_count(saved, 'note')} of {len(found_notes)} added or renewed")
