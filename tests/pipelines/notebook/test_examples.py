"""The example notebooks run, and give the outputs that they hold. `python -m tests.pipelines.notebook.test_examples` writes them again."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path
from typing import Any, Final

import pytest

ROOT: Final = Path(__file__).parents[3]
EXAMPLES: Final = sorted((ROOT / "docs").glob("notebook-*.ipynb"))
QUICKSTART: Final = ROOT / "docs" / "quickstart.ipynb"
MAX_BYTES: Final = 400_000


def run_notebook(path: Path, folder: Path) -> Any:  # noqa: ANN401 - nbformat has no types for it
    """Execute a notebook with an empty library; a cell that fails raises CellExecutionError."""
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    pytest.importorskip("plotly")
    pytest.importorskip("optuna")
    notebook = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": str(folder)}}
    environment = {
        "REROLL_DATA": str(folder / "data"),
        "PYTHONPATH": f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
        "IPYTHONDIR": str(folder / "ipython"),
        "PLOTLY_RENDERER": "plotly_mimetype",  # figures without the script of Plotly, which has 4 MB
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        nbclient.NotebookClient(notebook, timeout=300, resources=resources, record_timing=False).execute()
    return notebook


def list_texts(notebook: Any) -> list[str]:  # noqa: ANN401 - as above
    """Return the plain texts of all outputs, without the day, the versions and the times of moves that an answer names."""
    texts = []
    for output in (output for cell in notebook.cells for output in cell.get("outputs", ())):
        plain = output.get("text") or output.get("data", {}).get("text/plain", "")
        if "application/vnd.plotly.v1+json" not in output.get("data", {}):
            words = re.sub(r"^Made.*$", "", str(plain), flags=re.MULTILINE).split()
            texts.append(re.sub(r"[\d.]+ \w+ a move", "", " ".join(words)))
    return texts


def test_there_are_four_examples() -> None:
    assert len(EXAMPLES) == 4


@pytest.mark.parametrize("path", [*EXAMPLES, QUICKSTART], ids=lambda path: path.stem)
def test_an_example_holds_outputs_and_no_path_of_a_machine(path: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    text = path.read_text(encoding="utf-8")
    assert len(text) < MAX_BYTES
    assert not re.search(r"[\"(]/(tmp|home|dev|root|var)/", text)
    kernel = nbformat.reads(text, as_version=4).metadata.kernelspec
    assert (
        kernel.display_name == "Python 3 (ipykernel)"
    )  # JupyterLab would set it, and call the notebook changed
    cells = [cell for cell in nbformat.reads(text, as_version=4).cells if cell.cell_type == "code"]
    assert all(cell.outputs or "import" in cell.source or "def " in cell.source for cell in cells)
    assert not re.search(r"\brun = ", text)
    assert text.count('reroll-trust\\">') == text.count(LEFT_OUT)
    outputs = [output.get("data", {}) for cell in cells for output in cell.outputs]
    figures = [data for data in outputs if "application/vnd.plotly.v1+json" in data]
    assert all("text/html" in data for data in figures)  # an exported page draws nothing else


def test_an_example_and_the_documentation_say_what_to_install_beside_reroll() -> None:
    nbformat = pytest.importorskip("nbformat")
    first, code, *_ = nbformat.read(ROOT / "docs" / "notebook-rules.ipynb", as_version=4).cells
    assert "pip install optuna" in first.source
    assert code.source.startswith("import optuna  # pip install optuna\n")  # the line that an error shows
    assert "`pip install optuna`" in (ROOT / "docs" / "notebook.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", [*EXAMPLES, ROOT / "docs" / "notebook.md"], ids=lambda path: path.name)
def test_tables_for_latex_are_escaped(path: Path) -> None:
    calls = re.findall(r"to_latex\(.*?\)", path.read_text(encoding="utf-8"))
    assert all("escape=True" in call for call in calls)


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_gives_its_outputs_again(path: Path, tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    notebook = run_notebook(path, tmp_path)
    assert list_texts(notebook) == list_texts(nbformat.read(path, as_version=4))
    for output in (output for cell in notebook.cells for output in cell.get("outputs", ())):
        assert "\x1b" not in str(output)


LEFT_OUT: Final = "This saved page leaves its replay out: run the cells to see it."


def leave_out_replays(notebook: Any) -> Any:  # noqa: ANN401 - as above
    """Leave the replays of games out, of 300 kB each; their pictures stay."""
    for output in (output for cell in notebook.cells for output in cell.get("outputs", ())):
        if html := output.get("data", {}).get("text/html"):
            html = re.sub("(?s)<iframe.*?</iframe>", "", html)
            output["data"]["text/html"] = re.sub(r"(?<=class=\"reroll-trust\">)[^<]*", LEFT_OUT, html)
    return notebook


if __name__ == "__main__":
    import nbformat as writer

    for example in [*EXAMPLES, QUICKSTART]:
        with tempfile.TemporaryDirectory() as place:
            text = writer.writes(leave_out_replays(run_notebook(example, Path(place))))  # type: ignore[no-untyped-call]  # its own
            example.write_text(text.replace(place, "~") + "\n", encoding="utf-8")
