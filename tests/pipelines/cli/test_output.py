"""Tables of the command line, in pipes and in terminals of every width."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipelines.cli import output
from pipelines.cli.output import print_table
from pipelines.report.show.terminal import format_table
from tests.command_line import run_reroll

if TYPE_CHECKING:
    from pathlib import Path


def test_a_table_in_a_pipe_is_neither_wrapped_nor_cut(capsys: pytest.CaptureFixture[str]) -> None:
    name = "planner:" + ",".join(f"weight{number}=[red]1[/red]" for number in range(20))
    print_table(("strategy", "score"), [(name, -3), ("random", 12.5), ("\x1b[31mred", None)])
    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        f"{'strategy':<{len(name)}}  score",
        f"{name}     -3",
        f"{'random':<{len(name)}}   12.5",
        r"\x1b[31mred",
    ]


@pytest.mark.parametrize("width", [20, 40, 60, 80, 200])
def test_a_table_breaks_no_word_however_narrow_the_terminal(width: int) -> None:
    columns = ("strategy", "what it does", "blocks that differ")
    rows = [("rollout:playouts=64", "plays every candidate on with greedy", 1234), ("random", "anything", 5)]
    text = format_table(columns, rows, width)
    words = {word for row in [columns, *rows] for cell in row for word in str(cell).split()}
    assert set(text.split()) == words
    if width >= 60:
        assert max(map(len, text.splitlines())) <= width
        assert text.splitlines()[0].startswith("strategy")


def test_a_wide_table_becomes_blocks_in_a_narrow_terminal() -> None:
    text = format_table(("strategy", "games"), [("rollout:playouts=64", 7), ("random", 12)], 20)
    assert text == "strategy  rollout:playouts=64\ngames     7\n\nstrategy  random\ngames     12"
    assert format_table(("strategy", "games"), [("random", 7), ("greedy", 12)], 20) == (
        "strategy  games\nrandom        7\ngreedy       12"
    )


def test_a_narrow_terminal_leaves_out_optional_columns_before_it_wraps_cells() -> None:
    columns, rows = (
        ("run", "ruleset", "games"),
        [("demo-bloxx-3p", "bloxx-3p", 60), ("duel", "blokus-duo", 7)],
    )
    assert format_table(columns, rows, 35, ("ruleset",)).splitlines()[1].split() == [
        "demo-bloxx-3p",
        "bloxx-3p",
        "60",
    ]
    assert format_table(columns, rows, 25, ("ruleset",)) == (
        "run            games\ndemo-bloxx-3p     60\nduel               7"
    )


def test_tables_have_no_control_characters_where_colours_are_forced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sheets escape them, so they would be shown."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" not in format_table(("strategy",), [("greedy",)], 80)


@pytest.mark.parametrize(
    "words",
    [
        ("ls",),
        ("games",),
        ("info", "made"),
        ("notes",),
        ("rulesets",),
        ("strategies",),
        ("strategies", "bloxx", "planner"),
        ("docs",),
    ],
    ids=" ".join,
)
def test_lists_and_sentences_fit_80_columns(
    library_folder: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.setattr(output, "_find_width", lambda: 80)
    lines = run_reroll(*words).stdout.splitlines()
    paths = ("file ", "command", "The pages are in")
    assert [
        line
        for line in lines
        if len(line) > 80 and not line.startswith(paths) and str(library_folder) not in line
    ] == []
    titles = {
        "ls": "run  ",
        "games": "score  ",
        "notes": "no notes yet",
        "rulesets": "ruleset  ",
        "docs": "page  ",
    }
    assert any(line.startswith(titles.get(words[0], "")) for line in lines)
