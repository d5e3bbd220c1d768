"""The command ask answers addresses of the dashboard with the sentences and numbers of the pages."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from pipelines.cli import app
from pipelines.questions.address import list_keys
from pipelines.questions.every_question import ANSWERS
from pipelines.report.table import format_cell

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from typer.testing import Result

    from pipelines.runs.run import Run


@pytest.fixture
def ask(small_run: Run) -> Callable[..., Result]:
    def run_ask(*words: object) -> Result:
        folder = small_run.path.parent.parent
        return CliRunner().invoke(app, ["ask", *map(str, words), "--data", str(folder)])

    return run_ask


SCORES = "/scores?rulesets=bloxx-2p&runs=made&strategies=greedy&players=1"


def test_text_csv_and_a_page_show_the_same_table(ask: Callable[..., Result], tmp_path: Path) -> None:
    document = json.loads(ask(SCORES, "--json").stdout)
    (table,) = document["tables"]
    assert "Player 1 only, greedy only." in document["basis"]
    rows = list(csv.reader(ask(SCORES, "--csv").stdout.splitlines()))
    assert rows == [list(table["rows"][0]), *(list(map(str, row.values())) for row in table["rows"])]
    text = ask(SCORES, "--details").stdout
    assert ask(SCORES, "--html", tmp_path / "answer.html").exit_code == 0
    page = (tmp_path / "answer.html").read_text(encoding="utf-8")
    for cell in table["rows"][0].values():
        shown = format_cell(cell, ".2f") if isinstance(cell, float) else str(cell)
        assert shown in text
        assert shown in page


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("made", "is not an address"),
        ("/scores?rulesets=nope", "no games of nope"),
        ("/library?play=bloxx", "asks nothing; its fields are play, ruleset, strategies"),
        ("/nowhere?x=1", "unknown page 'nowhere'; known: games, library"),
        ("/scoers?x=1", "did you mean scores?"),
        ("/strategies", "asks nothing; its fields are run"),
        (
            "/rules?rulset=bloxx-2p",
            "field rulset that means nothing here; did you mean ruleset? The address names no ruleset",
        ),
        (
            "/strategies?ruleset=bloxx-2p&strategies=greedy&strategies=random",
            "play it with: reroll compare bloxx-2p",
        ),
        (
            "/library?play=bloxx&ruleset=bloxx-2p&strategies=greedy&strategies=random",
            "play it with: reroll simulate",
        ),
        ("/play?ruleset=bloxx-2p&seats=me,greedy&seed=7", "go on with: reroll play bloxx-2p"),
        ("/replay?run=gone&game-number=1", "no run 'gone'"),
    ],
)
def test_what_cannot_be_answered_is_refused_in_one_line(
    ask: Callable[..., Result], address: str, said: str
) -> None:
    result = ask(address)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_what_an_address_says_in_vain_is_named_beside_the_answer(ask: Callable[..., Result]) -> None:
    result = ask("/replay?run=made&game-number=2&move=4&nope=1")
    assert result.exit_code == 0
    assert "field nope that means nothing here" in result.stderr
    assert "\nMove 4 of a game of BLOXX!, greedy against random\n" in result.stdout


def test_an_address_of_0_4_0_about_one_game_has_the_same_answer(ask: Callable[..., Result]) -> None:
    query = "run=made&game-number=2&move=4&player=1&strategy=random&continuations=20"
    former, current = (ask(f"/{page}?{query}", "--json") for page in ("whatif", "replay"))
    assert former.exit_code == 0
    assert former.stdout == current.stdout
    assert f'"/replay?{query}"' in former.stdout


def test_the_help_lists_every_page_that_answers_and_the_fields_of_its_addresses() -> None:
    shown = " ".join(CliRunner().invoke(app, ["ask", "--help"]).stdout.split())
    for kind in ANSWERS:
        assert f"/{kind.page} " in shown
        assert all(f"{key}" in shown.replace("- ", "-") for key in list_keys(kind))
