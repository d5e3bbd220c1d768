"""The commands that explain Reroll: docs, help. The pages of the documentation are installed with the package."""

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

import typer

import engine
from engine.errors import InvalidError, unknown_name_error
from pipelines.cli.options import JsonOption
from pipelines.cli.output import print_json, print_page, print_report_table, print_text

if TYPE_CHECKING:
    from collections.abc import Iterable

_PACKAGE_FOLDER: Final = Path(__file__).parents[1]
_FOLDERS: Final = (_PACKAGE_FOLDER.parent / "docs", _PACKAGE_FOLDER / "docs")
"""In a checkout the pages are beside the code, in an installed package inside it."""


def complete_pages(incomplete: str) -> list[str]:
    """Return the pages of the documentation that begin with `incomplete`."""
    return [page.name for page in list_pages() if page.name.startswith(incomplete)]


def docs(
    page: Annotated[
        str | None,
        typer.Argument(
            metavar="[PAGE]",
            help="Show this page. By default, the pages are listed.",
            autocompletion=complete_pages,
        ),
    ] = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """List the pages of the documentation, or show one. They are installed with Reroll."""
    from pipelines.report.table import Table

    pages = {documentation.name: documentation for documentation in list_pages()}
    if page is not None and page not in pages:
        raise unknown_name_error("page", page, list(pages))
    if page is not None:
        text = pages[page].path.read_text(encoding="utf-8")
        if as_json:
            print_json({"page": page, "path": str(pages[page].path), "text": text})
        else:
            print_page(name_linked_pages(pages[page], pages.values()) if sys.stdout.isatty() else text)
    elif as_json:
        print_json(
            [{"page": page.name, "title": page.title, "path": str(page.path)} for page in pages.values()]
        )
    else:
        rows = tuple((page.name, page.title) for page in pages.values())
        print_report_table(Table("Documentation", ("page", "title"), rows))
        print_text(f"\nThe pages are in {documentation_folder()}; reroll docs PAGE shows one.")


class Page(NamedTuple):
    """A page of the documentation."""

    name: str
    title: str
    path: Path


def documentation_folder() -> Path:
    """Return the folder of the pages. Raises InvalidError if they are not installed."""
    for folder in _FOLDERS:
        if (folder / "first-hour.md").is_file():
            return folder
    raise InvalidError("the documentation is not installed with this Reroll")


def list_pages() -> list[Page]:
    """Return the pages: the list of contents, the first hour, the others, the rules of each game, and what was measured.

    Raises InvalidError if they are not installed.
    """
    folder = documentation_folder()
    names = {path: path.stem for path in folder.glob("*.md")}
    pages = sorted(names, key=lambda path: (_page_place(path), path.stem))
    for path in sorted(Path(engine.__file__).parent.glob("games/*/clauses.md")):
        names[path] = f"{path.parent.name.replace('_', '-')}-clauses"
    for path in sorted(folder.parent.glob("benchmarks/*.md")):
        names[path] = "benchmarks" if path.stem == "README" else path.stem
    return [Page(names[path], _read_title(path), path) for path in (*pages, *list(names)[len(pages) :])]


_LINK_PATTERN: Final = re.compile(r"!?\[([^\]]*)\]\((?!https?://)([^)#]*)(?:#[^)]*)?\)")


def name_linked_pages(page: Page, pages: "Iterable[Page]") -> str:
    """Return the text of a page with the command that shows it behind each link to another page, for a terminal."""
    names = {other.path.resolve(): other.name for other in pages}

    def name_page(link: re.Match[str]) -> str:
        name = names.get((page.path.parent / link[2]).resolve()) if link[2] else None
        return f"{link[1]} (`reroll docs {name}`)" if name else link[1]

    return _LINK_PATTERN.sub(name_page, page.path.read_text(encoding="utf-8"))


def _page_place(path: Path) -> int:
    first = ("README", "first-hour")
    return first.index(path.stem) if path.stem in first else len(first)


def _read_title(path: Path) -> str:
    """Return the first heading of a page."""
    with path.open(encoding="utf-8") as lines:
        return next((line.lstrip("# ").rstrip() for line in lines if line.startswith("# ")), path.stem)


def complete_commands(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the commands that begin with `incomplete`."""
    from typer.core import TyperGroup

    group = ctx.parent
    if group is None or not isinstance(group.command, TyperGroup):
        return []
    return [name for name in group.command.list_commands(group) if name.startswith(incomplete)]


def help_(
    ctx: typer.Context,
    command: Annotated[
        str | None,
        typer.Argument(
            metavar="[COMMAND]",
            help="Show the options of this command. By default, the commands are listed.",
            autocompletion=complete_commands,
        ),
    ] = None,
) -> None:
    """Show the commands, or the options of one command."""
    from typer.core import TyperGroup

    whole = ctx.parent
    if whole is None or not isinstance(whole.command, TyperGroup):
        raise AssertionError("help is a command of the group reroll")
    if command is None:
        print_text(whole.get_help())
        return
    subcommand = whole.command.get_command(whole, command)
    if subcommand is None:
        raise unknown_name_error("command", command, whole.command.list_commands(whole))
    print_text(subcommand.get_help(typer.Context(subcommand, info_name=command, parent=whole)))
