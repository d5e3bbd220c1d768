"""The doctor finds problems, names their remedies, and changes nothing that is sound."""

from __future__ import annotations

import json
import os
import shutil
import time
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from engine.luck import Luck
from pipelines.cli import app
from pipelines.design.designs import design_simulation
from pipelines.runs.unfinished_run import begin_run
from pipelines.service import doctor

if TYPE_CHECKING:
    from pathlib import Path

    from engine.ruleset import Ruleset
    from pipelines.runs.library import Library, Run


def findings_by_topic(library: Library) -> dict[str, doctor.Finding]:
    parts = (doctor.diagnose_data_folder, doctor.diagnose_runs, doctor.diagnose_unfinished_runs)
    return {finding.about: finding for part in parts for finding in part(library)}


@pytest.mark.slow
def test_a_sound_installation_has_nothing_wrong(library: Library) -> None:
    done = CliRunner().invoke(app, ["doctor", "--json", "--data", str(library.folder)])
    report = json.loads(done.stdout)
    assert (done.exit_code, report["ok"]) == (0, True), done.stdout
    about = [finding["about"] for finding in report["findings"]]
    assert {"packages", "compiled games", "runs", "generator", "block after block", "mirror of bloxx"} <= set(
        about
    )


@pytest.mark.slow
def test_a_damaged_run_is_found_and_named(library: Library, small_run: Run) -> None:
    library.runs_folder.mkdir(parents=True)
    (library.runs_folder / "broken.duckdb").write_bytes(small_run.path.read_bytes()[:30_000])
    done = CliRunner().invoke(app, ["doctor", "--data", str(library.folder)])
    assert done.exit_code == 1
    wrong = done.stdout.splitlines()
    place = next(number for number, line in enumerate(wrong) if line.startswith("WRONG"))
    assert "broken.duckdb: not a run file" in wrong[place]
    assert wrong[place + 1].endswith(f"delete it: {library.runs_folder / 'broken.duckdb'}")


def test_runs_on_the_same_luck_are_named(library: Library, small_run: Run) -> None:
    library.runs_folder.mkdir(parents=True)
    for name in ("one", "two"):
        shutil.copyfile(small_run.path, library.runs_folder / f"{name}.duckdb")
    says = findings_by_topic(library)["seeds"].says
    assert "the same luck in " in says
    assert "one and two" in says or "two and one" in says


def test_a_stopped_run_is_listed_with_its_resume_command(library: Library, ruleset: Ruleset) -> None:
    begin_run(
        library.runs_folder / "half.duckdb",
        design_simulation(ruleset, ["random", "random"], blocks=2),
        free_name=False,
    )
    finding = findings_by_topic(library)["unfinished"]
    assert finding.ok
    assert "0 of 2 games, stopped; finish it with: reroll resume half" in finding.says


def test_old_leftovers_are_reported_and_removed(library: Library) -> None:
    library.runs_folder.mkdir(parents=True)
    for name in (".new-old", ".removed-old", ".new-young"):
        (library.runs_folder / name / "shards").mkdir(parents=True)
        if name.endswith("old"):
            long_ago = time.time() - 2 * doctor.LEFTOVER_AGE_SECONDS
            os.utime(library.runs_folder / name, (long_ago, long_ago))
    assert not doctor.diagnose_leftovers(library).ok
    assert doctor.remove_leftovers(library) == 2
    assert [path.name for path in library.runs_folder.iterdir()] == [".new-young"]
    assert doctor.diagnose_leftovers(library).ok


@pytest.mark.slow
def test_loaded_dice_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """One throw in fifty shows a six instead of its own face."""
    fair = Luck.below

    def throw_loaded_die(luck: Luck, n: int, *where: int) -> int:
        return 5 if luck.block % 50 == 0 else fair(luck, n, *where)

    monkeypatch.setattr(Luck, "below", throw_loaded_die)
    assert not {finding.about: finding for finding in doctor.diagnose_luck()}["frequencies of faces"].ok


@pytest.mark.slow
def test_blocks_that_repeat_each_other_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    fair = Luck.below
    monkeypatch.setattr(
        Luck, "below", lambda luck, n, *where: fair(Luck(luck.seed, luck.block // 2), n, *where)
    )
    is_ok = {finding.about: finding.ok for finding in doctor.diagnose_luck()}
    assert not is_ok["block after block"]
    assert is_ok["frequencies of faces"]


def test_a_mirror_that_differs_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "mirror_difference", lambda *_: (1, True))
    monkeypatch.setattr("pipelines.simulate.compiled_games.is_compiled", lambda _: True)
    assert not any(finding.ok for finding in doctor.diagnose_mirrors())


def test_a_package_that_is_missing_or_old_or_too_new_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    required = ["duckdb>=99", "nowhere-to-be-had>=1", "streamlit<1,>=0.9"]
    monkeypatch.setattr("importlib.metadata.requires", lambda _: required)
    packages = list(doctor.diagnose_packages())[1]
    assert not packages.ok
    assert "does not satisfy >=99; nowhere-to-be-had is missing; streamlit " in packages.says
    assert packages.says.endswith("does not satisfy <1,>=0.9")


def test_bounds_extras_and_other_systems_are_understood(monkeypatch: pytest.MonkeyPatch) -> None:
    required = ["duckdb<99,>=1", "nothing>=1; extra == 'dev'", "nothing>=1; sys_platform == 'none'"]
    monkeypatch.setattr("importlib.metadata.requires", lambda _: required)
    packages = list(doctor.diagnose_packages())[1]
    assert packages.ok
    assert packages.says.partition(" with ")[2].startswith("duckdb ")


def test_a_missing_dashboard_is_no_fault_but_an_old_one_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def find_dashboard(*required: str) -> doctor.Finding:
        monkeypatch.setattr("importlib.metadata.requires", lambda _: ["duckdb>=1", *required])
        return {finding.about: finding for finding in doctor.diagnose_packages()}["dashboard"]

    absent = find_dashboard("nowhere-to-be-had>=1; extra == 'dashboard'", "other>=1; extra == 'dev'")
    assert absent.ok
    assert (
        absent.says == "not installed; to get it: in a clone of Reroll, pip install --upgrade '.[dashboard]'"
    )
    present = find_dashboard("streamlit>=1; extra == 'dashboard'")
    assert present.ok
    assert present.says.startswith("streamlit ")
    old = find_dashboard("streamlit>=99; extra == 'dashboard'")
    assert not old.ok
    assert old.says.endswith("does not satisfy >=99")
    assert "'.[dashboard]'" in old.remedy
    half = find_dashboard("streamlit>=1; extra == 'dashboard'", "nowhere-to-be-had; extra == 'dashboard'")
    assert (half.ok, half.says) == (False, "nowhere-to-be-had is missing")


def test_a_kernel_cache_that_is_no_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    finding = doctor.diagnose_kernel_cache(tmp_path / "file")
    assert not finding.ok
    assert "REROLL_CACHE" in finding.remedy
