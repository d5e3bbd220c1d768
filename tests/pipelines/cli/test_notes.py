"""Notes from the command line: kept, found, changed, and taken to another library."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.command_line import run_reroll

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.runs.run import Run


@pytest.fixture(autouse=True)
def empty_notes(small_run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A library with one run and no notes."""
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "made.duckdb").symlink_to(small_run.path)
    monkeypatch.setenv("REROLL_DATA", str(tmp_path))


def test_a_note_is_kept_found_changed_and_removed() -> None:
    assert run_reroll("notes").stdout == "no notes yet; reroll note keeps a game\n"
    kept = json.loads(
        run_reroll(
            "note", "made", "--game", 2, "--move", 3, "--text", "why?", "--collection", "a", "--json"
        ).stdout
    )
    assert (kept["title"], kept["kind"], kept["collections"]) == ("Move 3 of game 2 of made", "ply", ["a"])
    run_reroll("note", "made", "--favourite", "--title", "the run")
    listed = run_reroll("notes").stdout.splitlines()
    assert [line.split()[1] for line in listed] == ["kind", "run", "ply"]
    assert "* the run" in listed[1]
    assert listed[2].endswith("/replay?run=made&game-number=2&move=3")
    assert (
        len(json.loads(run_reroll("notes", "WHY", "--collection", "a", "--run", "made", "--json").stdout))
        == 1
    )
    assert json.loads(run_reroll("notes", "--favourites", "--json").stdout)[0]["title"] == "the run"
    changed = run_reroll("note", "--change", kept["id"][:10], "--text", "so", "--collection", "c", "--json")
    assert [json.loads(changed.stdout)[key] for key in ("text", "collections", "title", "version")] == [
        "so",
        ["c"],
        "Move 3 of game 2 of made",
        2,
    ]
    assert run_reroll("note", "--remove", kept["id"]).stdout.startswith("removed as")
    assert "the newest" not in run_reroll("notes").stdout


def test_notes_are_taken_to_another_library(tmp_path: Path) -> None:
    run_reroll("note", "made", "--game", 2, "--collection", "Lesson 1")
    document = tmp_path / "kept.json"
    assert run_reroll("notes", "--export", document).stdout == f"1 note written to {document}\n"
    assert "exists already; choose another name" in run_reroll("notes", "--export", document).stderr
    there = tmp_path / "there"
    assert run_reroll("notes", "--import", document, "--data", there).stdout == (
        "1 note of 1 added or renewed\n"
    )
    assert "(the run is gone)" in run_reroll("notes", "--collection", "lesson 1", "--data", there).stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("note",), "name a run to keep, or a note with --change ID or --remove ID"),
        (("note", "made", "--remove", "12"), "name a run to keep, or a note"),
        (("note", "made", "--move", 4), "--move needs the number of the game"),
        (("note", "made", "--game", 2, "--move", 10000), "game 2 of made has no move 10000 (1 to "),
        (
            ("note", "made", "--game", 2, "--title", "x" * 300),
            "--title has 300 characters; at most 200 are possible",
        ),
        (("note", "--change", "beef"), "there is no note 'beef'"),
        (("notes", "--kind", "gmae"), "unknown kind of note 'gmae'; did you mean game?"),
        (("notes", "--run", "mad"), "unknown run 'mad'; did you mean made?"),
        (("notes", "--import", "/dev/zero"), "/dev/zero: not a regular file"),
    ],
)
def test_bad_input_is_reported_in_a_line(words: tuple[object, ...], message: str) -> None:
    result = run_reroll(*words)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"reroll: {message}")
    assert len(result.stderr.splitlines()) == 1


def test_a_baseline_is_pinned_shown_and_unpinned(tmp_path: Path) -> None:
    nothing = "nothing is pinned; reroll baseline --strategy NAME pins a strategy, reroll baseline --run RUN a run\n"
    assert run_reroll("baseline").stdout == run_reroll("baseline", "--unpin").stdout == nothing
    assert run_reroll("baseline", "--json").stdout == "null\n"
    assert run_reroll("baseline", "--strategy", "noisy:sigma=03").stdout == (
        "the baseline is the strategy noisy:sigma=3\n"
    )
    run_reroll("baseline", "--run", "made")
    (tmp_path / "runs" / "made.duckdb").rename(tmp_path / "runs" / "renamed.duckdb")
    assert json.loads(run_reroll("baseline", "--json").stdout) == {
        "kind": "run",
        "name": "renamed",
        "is_gone": False,
    }
    (tmp_path / "runs" / "renamed.duckdb").unlink()
    assert run_reroll("baseline").stdout == "the baseline is the run made, which is no longer here\n"


def test_the_pinned_run_and_the_pinned_strategy_are_marked_in_their_lists() -> None:
    assert "pinned" not in run_reroll("ls").stdout
    assert [run["baseline"] for run in json.loads(run_reroll("ls", "--json").stdout)["runs"]] == [False]
    assert "baseline" not in run_reroll("strategies").stdout
    run_reroll("baseline", "--run", "made")
    head, row = run_reroll("ls").stdout.splitlines()
    assert (head.split()[-1], row.split()[0], row.split()[-1]) == ("pinned", "made", "baseline")
    assert [run["baseline"] for run in json.loads(run_reroll("ls", "--json").stdout)["runs"]] == [True]
    run_reroll("baseline", "--strategy", "noisy:sigma=3")
    assert "pinned" not in run_reroll("ls").stdout
    lines = run_reroll("strategies", "bloxx").stdout.splitlines()
    marked = lines.index(f"{'':<25} * baseline: noisy:sigma=3")
    assert lines[marked - 1].startswith("bloxx        noisy ")
    listed = json.loads(run_reroll("strategies", "bloxx", "--json").stdout)
    assert {one["strategy"]: one["baseline"] for one in listed if one["baseline"]} == {
        "noisy": "noisy:sigma=3"
    }


def test_a_comparison_against_the_baseline_has_the_pinned_strategy_last() -> None:
    run_reroll("baseline", "--strategy", "random")
    words = ("compare", "bloxx-2p", "greedy", "--against-baseline", "--blocks", 2, "--seed", 1, "--json")
    compared = json.loads(run_reroll(*words).stdout)
    assert compared["strategies"] == ["greedy", "random"]


@pytest.mark.parametrize(
    ("pinned", "words", "message"),
    [
        ("", "compare bloxx-2p greedy --against-baseline", "--against-baseline: nothing is pinned; reroll b"),
        ("--run made", "compare bloxx-2p greedy --against-baseline", "the run 'made' is pinned; pin a strat"),
        ("", "compare --run made --against-baseline", "name either what to compare, or a run to report on"),
        ("", "baseline --strategy greedi", "unknown strategy 'greedi'; did you mean greedy?"),
        ("", "baseline --strategy noisy", "'noisy' has other settings in each game; name all of them: noisy"),
        ("", "baseline --strategy greedy --unpin", "give one of --strategy NAME, --run RUN and --unpin"),
        ("--strategy builder", "compare bloxx-2p greedy --against-baseline", "unknown strategy of bloxx 'bu"),
    ],
)
def test_what_cannot_be_pinned_or_compared_is_said_in_a_line(pinned: str, words: str, message: str) -> None:
    if pinned:
        run_reroll("baseline", *pinned.split())
    result = run_reroll(*words.split())
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
