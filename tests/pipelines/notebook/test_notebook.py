"""Notebooks: objects display themselves, names from data are escaped, and the quick start notebook runs."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pandas as pd
import pytest

from engine.errors import InvalidError
from pipelines.report.estimates import set_sentence
from pipelines.report.show.html import render_template
from pipelines.report.table import Table
from reroll import Library

if TYPE_CHECKING:
    from pipelines.notebook.played import Run
    from tests.processes import RunProcess

ROOT = Path(__file__).parents[3]
QUICKSTART = ROOT / "docs" / "quickstart.ipynb"


def test_importing_the_package_alone_loads_nothing_slow(run_process: RunProcess) -> None:
    code = (
        "import sys, reroll; print('numpy' in sys.modules); from reroll import Library; "
        "print('streamlit' in sys.modules)"
    )
    command = [sys.executable, "-c", code]
    result = run_process(command, check=True, cwd=ROOT)
    assert result.stdout.split() == ["False", "False"]


def test_an_unknown_name_raises_attribute_error() -> None:
    import pipelines

    with pytest.raises(AttributeError, match="module 'pipelines' has no attribute 'nothing'"):
        _ = pipelines.nothing
    from pipelines.experiments import comparison

    assert comparison.__name__ == "pipelines.experiments.comparison"


def read_html(html: str) -> ET.Element:
    """Read our HTML without its style as XML, which fails if an element is not closed or a text is not escaped."""
    html = re.sub(r"(?s)<style>.*?</style>", "", html)
    return ET.fromstring(f"<root>{html}</root>")  # noqa: S314 - our own HTML


def html_text(html: str) -> str:
    return " ".join("".join(read_html(html).itertext()).split())


def test_a_library_lists_its_runs(tmp_path: Path, run: Run) -> None:
    assert "no runs yet" in html_text(Library(tmp_path)._repr_html_())
    assert "made" in html_text(Library(run.path.parent.parent)._repr_html_())
    assert read_html(run._repr_html_()).findall(".//polyline")


def test_a_game_shows_a_sandboxed_replay(run: Run) -> None:
    frame = read_html(run[3]._repr_html_()).find(".//iframe")
    assert frame is not None
    assert frame.get("sandbox") == "allow-scripts"
    page = frame.get("srcdoc") or ""
    assert "default-src &#39;none&#39;" in page
    assert '"game_id":3' in page
    assert not re.search(r"(src|href)=[\"']?https?:", page)


def test_a_game_knows_its_plies_its_positions_and_its_texts(run: Run) -> None:
    game = run[3]
    assert list(game.plies["action"]) == game.actions
    assert game.state().scores == tuple(seat.score for seat in game.seats)
    assert game.state(0).round == 0
    assert game.text().startswith("reroll log 2\n")
    assert json.loads(game.text("json"))["seats"] == [seat.strategy for seat in game.seats]
    with pytest.raises(InvalidError, match="unknown format 'blksgf'"):
        game.text("blksgf")
    with pytest.raises(InvalidError, match=r"has no game with the index 99 \(0 to 19\)"):
        _ = run[99]


def test_a_comparison_and_a_what_if_show_their_sentence_and_intervals(run: Run) -> None:
    comparison = run.comparison()
    shown = html_text(comparison._repr_html_())
    assert set_sentence(comparison.verdict) in shown
    assert "ahead of random" in shown
    assert "A − B in points" in shown
    assert "at every look" not in shown
    answer = run[0].whatif(4, strategies={0: "random"}, continuations=40)
    shown = html_text(answer._repr_html_())
    assert (
        "Move 5 of a game of BLOXX!, greedy against random: what if random played on for player 1?" in shown
    )
    assert "40 continuations" in shown
    rows = "Change in the score of every player"
    (chart,) = (
        one for one in read_html(answer._repr_html_()).iter("figure") if rows in "".join(one.itertext())
    )
    assert len(chart.findall(".//path[@class='chart-mark']")) == 2


def test_a_review_shows_where_the_results_came_from(run: Run) -> None:
    review = run[0].review(effort=0.02)
    shown = html_text(review._repr_html_())
    assert "Where the results came from" in shown
    ledger = review.ledger(1)
    assert f"{ledger.luck:+.1f}".replace("-", "\N{MINUS SIGN}") in shown
    assert "<script" not in review._repr_html_()


def test_everything_is_a_table_in_one_call(run: Run) -> None:
    library = Library(run.path.parent.parent)
    with run.connect() as connection:
        count = connection.execute("SELECT count(*) FROM plies").fetchall()[0][0]
    assert run.arrow("plies").num_rows == len(run.pandas("plies")) == count
    assert isinstance(run.pandas("seats"), pd.DataFrame)
    assert list(library.pandas("games").columns[:2]) == ["run", "game_id"]
    assert library["made"].arrow("SELECT 1 AS one").to_pylist() == [{"one": 1}]
    for wrong in ("nothing", "DROP TABLE games", "SELECT 1; SELECT 2"):
        with pytest.raises(InvalidError):
            run.arrow(wrong)


def test_a_library_simulates_compares_and_imports(tmp_path: Path) -> None:
    library = Library(tmp_path)
    run = library.simulate("bloxx-2p", ["greedy", "random"], games=4, seed=1, name="mine")
    assert library["mine"] == run == library.runs()[0]
    assert library.compare("bloxx-2p", "greedy", "random", blocks=10, seed=1).blocks == 10
    with pytest.raises(InvalidError, match="the number of games or that of blocks, not both"):
        library.simulate("bloxx-2p", ["greedy", "random"], games=4, blocks=2)
    again = library.import_games(*_save_game_file(run, library.folder))
    assert again.actions(0) == run.actions(2)


def _save_game_file(run: Run, folder: Path) -> list[Path]:
    run[2].save(folder / "game.txt")
    with pytest.raises(InvalidError, match="exists already"):
        run[2].save(folder / "game.txt")
    return [folder / "game.txt"]


def test_names_from_data_are_escaped() -> None:
    evil = "<script>alert(1)</script>"
    html = render_template(
        "pipelines.notebook",
        "table.html",
        chart_style="",
        title=evil,
        table=Table("Runs", ("run", "games"), ((evil, 3),)),
        notes=[evil],
    )
    assert "<script" not in html
    assert "alert(1)" in html_text(html)


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_the_quick_start_runs_and_shows_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Jupyter kernel executes the notebook, which simulates, replays, compares and forks."""
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    monkeypatch.setenv("REROLL_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("PYTHONPATH", f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    notebook = nbformat.read(QUICKSTART, as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [
        "".join(output["data"]["text/html"])
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        if "text/html" in output.get("data", {})
    ]
    assert "no runs yet" in shown[0]
    assert [
        sum(word in html for html in shown) for word in ("<polyline", "<iframe", "played on for player 1")
    ] == [
        3,
        1,
        1,
    ]
    assert any("Greedy beats" in html for html in shown)
    assert notebook.cells[-1]["outputs"][0]["data"]["text/plain"] == "True"
    assert {run.name for run in Library(tmp_path / "data").runs()} == {
        "quickstart",
        "quickstart-compared",
        "quickstart-again",
    }
