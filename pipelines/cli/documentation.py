"""The commands that explain Reroll: docs, help."""

from typing import Annotated

import typer

from engine.errors import unknown_name_error
from pipelines.cli import completion
from pipelines.cli.options import JsonOption
from pipelines.cli.output import print_json, print_report_table, print_text


def docs(
    page: Annotated[
        str | None,
        typer.Argument(
            metavar="[PAGE]",
            help="Show this page. By default, the pages are listed.",
            autocompletion=completion.complete_pages,
        ),
    ] = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """List the pages of the documentation, or show one. They are installed with Reroll."""
    from pipelines.report.table import Table
    from pipelines.service.documentation import documentation_folder, list_pages

    pages = {documentation.name: documentation for documentation in list_pages()}
    if page is not None and page not in pages:
        raise unknown_name_error("page", page, list(pages))
    if page is not None:
        text = pages[page].path.read_text(encoding="utf-8")
        if as_json:
            print_json({"page": page, "path": str(pages[page].path), "text": text})
        else:
            for line in text.splitlines():
                print_text(line)
    elif as_json:
        print_json([{"page": one.name, "title": one.title, "path": str(one.path)} for one in pages.values()])
    else:
        rows = tuple((one.name, one.title) for one in pages.values())
        print_report_table(Table("Documentation", ("page", "title"), rows))
        print_text(f"\nThe pages are in {documentation_folder()}; reroll docs PAGE shows one.")


def help_(
    ctx: typer.Context,
    command: Annotated[
        str | None,
        typer.Argument(
            metavar="[COMMAND]",
            help="Show the options of this command. By default, the commands are listed.",
            autocompletion=completion.complete_commands,
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
    found = whole.command.get_command(whole, command)
    if found is None:
        raise unknown_name_error("command", command, whole.command.list_commands(whole))
    print_text(found.get_help(typer.Context(found, info_name=command, parent=whole)))
