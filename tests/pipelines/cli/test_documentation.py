"""The commands docs and help show what is installed."""

from __future__ import annotations

import json
from pathlib import Path

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
    assert {page["page"] for page in pages} == {path.stem for path in (ROOT / "docs").glob("*.md")}
    for page in pages:
        assert page["title"] in listed
        assert run_reroll("docs", page["page"]).stdout == Path(page["path"]).read_text(encoding="utf-8")
    assert "did you mean first-hour?" in run_reroll("docs", "first-our").stderr
