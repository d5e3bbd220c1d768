"""Tables of the command line, in pipes and in terminals of every width."""

from __future__ import annotations

import pytest

from pipelines.cli.output import print_table
from pipelines.report.show.terminal import format_table


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
