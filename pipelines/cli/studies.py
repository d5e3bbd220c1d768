"""The commands that make pages to give away: study, publish."""

from pathlib import Path
from typing import Annotated, Final

import typer

from engine.errors import InvalidError
from pipelines.cli import options
from pipelines.cli.output import print_json, print_text
from pipelines.cli.progress import report_estimated_progress
from pipelines.design.limits import MAX_LABEL_CHARACTERS
from pipelines.report.wording import format_bytes, format_count

DEFAULT_FILE: Final = Path("study.html")
DEFAULT_FOLDER: Final = Path("site")


def study(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[WHAT]...",
            help="A run, a game as RUN#GAME or RUN#GAME:MOVE, a collection, the id of a note, or an address of the dashboard.",
        ),
    ] = None,
    *,
    collection: Annotated[
        str | None,
        options.text_option(
            "--collection", MAX_LABEL_CHARACTERS, "NAME", "All notes of this collection, in its order."
        ),
    ] = None,
    favourites: Annotated[bool, typer.Option("--favourites", help="All notes with a star.")] = False,
    title: options.TitleOption = None,
    text: options.TextOption = None,
    review: Annotated[
        bool, typer.Option("--review", help="Review every game that is named: decisions and luck.")
    ] = False,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="A new HTML file.")] = DEFAULT_FILE,
    data: options.DataOption = None,
    as_json: options.JsonOption = False,
    quiet: options.QuietOption = False,
) -> None:
    """Give away notes, results and games as one HTML file.

    The file needs no server and loads nothing. What-ifs and effects of rules are played again.
    """
    from pipelines.exchange.game_files import check_new_file, write_new_file
    from pipelines.notes.store import NoteFilter, NoteStore
    from pipelines.studies.study import (
        StudySource,
        find_items,
        find_note_items,
        iter_sections,
        make_study,
        write_study,
    )

    check_new_file(out)
    source = StudySource(options.open_existing_library(data))
    items = find_items(source, words or (), is_reviewed=review)
    if collection is not None or favourites:
        note_filter = NoteFilter(collection=collection, only_favourites=favourites)
        note_items = find_note_items(NoteStore(source.library.folder), note_filter)
        if not note_items:
            raise InvalidError("no note fits; `reroll notes` lists them")
        items += note_items
    if not items:
        raise InvalidError(
            "name what the study shows: runs, games as RUN#GAME, a collection, or --favourites; see reroll study --help"
        )
    with report_estimated_progress("study", len(items), "sections", quiet=quiet) as update_progress:
        sections = []
        for section in iter_sections(source, items):
            sections.append(section)
            update_progress(len(sections))
    # a single name for several things is that of their collection
    names = [*(words or ()), *([collection] if collection else [])]
    name = names[0] if len(names) == 1 < len(items) and not favourites else collection
    made = make_study(sections, title=title or name or "", text=text or "")
    write_new_file(out, write_study(made))
    size = out.stat().st_size
    if as_json:
        print_json({"path": str(out.absolute()), "title": made.title, "sections": len(items), "bytes": size})
    else:
        print_text(f"{format_count(len(items), 'section')} written to {out} ({format_bytes(size)})")


def publish(
    *,
    title: options.TitleOption = None,
    text: options.TextOption = None,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="A new folder.")] = DEFAULT_FOLDER,
    data: options.DataOption = None,
    as_json: options.JsonOption = False,
    quiet: options.QuietOption = False,
) -> None:
    """Give away the highlights of the library as a small site.

    They are comparisons, what-ifs, close games, scores, and notes with a star; lessons of a collection are one page.

    The site opens from a disk and from any web server. It shows every ruleset and names the runs of the library; of the
    notes it shows those with a star.
    """
    from pipelines.exchange.game_files import make_new_folder
    from pipelines.studies.site import INDEX_FILE, find_highlights, write_site
    from pipelines.studies.study import StudySource

    source = StudySource(options.open_existing_library(data), only_favourites=True)
    if not source.runs:
        raise InvalidError("the library has no runs to publish; reroll demo makes some")
    highlights = find_highlights(source)
    with (
        make_new_folder(out) as folder,
        report_estimated_progress("publish", len(highlights), "pages", quiet=quiet) as update_progress,
    ):
        files = write_site(
            source, highlights, folder, title=title or "", text=text or "", progress=update_progress
        )
    size = sum(path.stat().st_size for path in out.iterdir())
    if as_json:
        print_json(
            {
                "path": str(out.absolute()),
                "index": str((out / INDEX_FILE).absolute()),
                "files": files,
                "bytes": size,
            }
        )
    else:
        print_text(
            f"{format_count(files, 'page')} written to {out} ({format_bytes(size)}); open {out / INDEX_FILE}"
        )
