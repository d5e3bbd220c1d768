"""The commands docs and help show what is installed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from rich.text import Text

from pipelines.cli.documentation import list_pages, name_linked_pages
from pipelines.report.show.terminal import render_markdown
from tests.command_line import run_reroll

ROOT = Path(__file__).parents[3]


def test_help_has_three_spellings_and_knows_no_other_commands() -> None:
    for command in ((), ("whatif",)):
        shown = run_reroll(*command, "--help").stdout
        assert run_reroll(*command, "-h").stdout == run_reroll("help", *command).stdout == shown
    wrong = run_reroll("help", "simulat")
    assert (wrong.exit_code, wrong.stderr) == (
        2,
        "reroll: unknown command 'simulat'; did you mean simulate?\n",
    )


def test_the_documentation_is_listed_and_shown() -> None:
    pages = json.loads(run_reroll("docs", "--json").stdout)
    listed = run_reroll("docs").stdout
    assert {path.stem for path in (ROOT / "docs").glob("*.md")} < {page["page"] for page in pages}
    assert {"bloxx-clauses", "blokus-dice-clauses", "ladder"} < {page["page"] for page in pages}
    for page in pages:
        assert page["title"] in listed
        assert run_reroll("docs", page["page"]).stdout == Path(page["path"]).read_text(encoding="utf-8")
    assert "did you mean first-hour?" in run_reroll("docs", "first-our").stderr


@pytest.mark.slow
def test_a_page_is_rendered_for_a_terminal_with_the_commands_that_show_what_it_links_to() -> None:
    pages = list_pages()
    games = next(page for page in pages if page.name == "games")
    text = name_linked_pages(games, pages)
    assert "(`reroll docs yardsticks`)" in text
    assert not re.search(r"\]\((?!http)", text)
    for page in pages:
        lines = Text.from_ansi(render_markdown(name_linked_pages(page, pages), 80)).plain.splitlines()
        assert max(map(len, lines)) <= 80, page.name
        assert not any(line.startswith(("# ", "|---")) for line in lines), page.name
