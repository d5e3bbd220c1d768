"""A run as an RO-Crate: the description follows the specification and names every file, and the files hold the run."""

from __future__ import annotations

import json
import re
import shutil
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import duckdb
import pandas as pd
import pytest
from typer.testing import CliRunner

from engine.catalogue import Catalogue
from pipelines.cli import app
from pipelines.runs.run import Run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def crate(small_run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("crates") / "crate"
    done = CliRunner().invoke(app, ["export", str(small_run.path), "--as", "ro-crate", "--out", str(folder)])
    assert done.exit_code == 0, done.output
    return folder


def read_graph(crate: Path) -> dict[str, dict[str, Any]]:
    """Return the entities of a crate by their ids."""
    document = json.loads((crate / "ro-crate-metadata.json").read_text(encoding="utf-8"))
    assert document["@context"] == "https://w3id.org/ro/crate/1.2/context"
    entities = {entity["@id"]: entity for entity in document["@graph"]}
    assert len(entities) == len(document["@graph"]), "no id stands twice"
    return entities


def references(value: object) -> set[str]:
    """Return the ids to which a value refers."""
    if isinstance(value, list):
        return {found for item in value for found in references(item)}
    if isinstance(value, dict):
        assert set(value) == {"@id"}, "JSON-LD of RO-Crate is flat: a nested object is a reference"
        return {value["@id"]}
    return set()


def test_the_description_has_what_the_specification_demands(crate: Path) -> None:
    graph = read_graph(crate)
    descriptor, root = graph["ro-crate-metadata.json"], graph["./"]
    assert descriptor["@type"] == "CreativeWork"
    assert descriptor["about"] == {"@id": "./"}
    assert descriptor["conformsTo"] == {"@id": "https://w3id.org/ro/crate/1.2"}
    assert root["@type"] == "Dataset"
    assert root["name"]
    assert root["description"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", root["datePublished"])
    assert graph[root["license"]["@id"]]["description"]
    assert not [entity for entity in graph.values() if "author" in entity or entity["@type"] == "Person"]
    for name, entity in graph.items():
        assert entity["@type"], name
        for key, value in entity.items():
            dangling = (
                references(value) - set(graph) - {"https://w3id.org/ro/crate/1.2"} if key != "@id" else set()
            )
            assert not dangling, f"{name}: {key} refers to {dangling}"


def test_every_file_is_described_and_every_described_file_is_there(crate: Path) -> None:
    graph = read_graph(crate)
    described = {unquote(name) for name, entity in graph.items() if entity["@type"] == "File"}
    found = {path.relative_to(crate).as_posix() for path in crate.rglob("*") if path.is_file()}
    assert described == found - {"ro-crate-metadata.json"}
    assert {unquote(name) for name in references(graph["./"]["hasPart"])} == described
    for name in described:
        assert graph[name]["contentSize"] == str((crate / name).stat().st_size)
        assert "/" in graph[name]["encodingFormat"]


def test_the_crate_says_what_made_it(crate: Path, small_run: Run) -> None:
    graph = read_graph(crate)
    action = graph["#simulation"]
    assert action["@type"] == "CreateAction"
    assert small_run.summary.command in action["description"]
    software = graph[action["instrument"]["@id"]]
    assert software["@type"] == "SoftwareApplication"
    assert re.fullmatch(r"\d+\.\d+\.\d+", software["softwareVersion"])
    assert references(action["object"]) == {"rulesets/bloxx-2p.toml"}


def test_the_files_hold_the_run_and_its_ruleset(crate: Path, small_run: Run) -> None:
    assert Run(crate / "made.duckdb").actions(3) == small_run.actions(3)
    seats = pd.read_parquet(crate / "tables" / "seats.parquet")
    with small_run.connect() as connection:
        assert seats["score"].sum() == connection.execute("SELECT sum(score) FROM seats").fetchall()[0][0]
    read = Catalogue((crate / "rulesets",)).find_ruleset("bloxx-2p")
    assert read.sha256 == small_run.summary.rulesets[0].sha256


def test_hostile_names_are_text_in_a_crate(small_run: Run, tmp_path: Path) -> None:
    hostile = '</script><img src=x onerror=alert(1)> [a](javascript:alert(1)) "\\ ../../x'
    path = tmp_path / "runs" / "odd name & <b>.duckdb"
    path.parent.mkdir()
    shutil.copyfile(small_run.path, path)
    with duckdb.connect(path) as connection:
        connection.execute("UPDATE run SET title = $1, command = $1", [hostile])
        connection.execute("UPDATE rulesets SET title = $1", [hostile])
    folder = tmp_path / "crate"
    done = CliRunner().invoke(app, ["export", str(path), "--as", "ro-crate", "--out", str(folder)])
    assert done.exit_code == 0, done.output
    graph = read_graph(folder)
    assert graph["./"]["name"] == hostile
    assert hostile in graph["#simulation"]["description"]
    assert all(re.fullmatch(r"[\w.,~%/#:+&()-]+", name) for name in graph), "ids are addresses"
    written = {file.relative_to(tmp_path).parts[0] for file in tmp_path.rglob("*") if file.is_file()}
    assert written == {"runs", "crate"}


def test_a_crate_holds_a_whole_run_and_overwrites_nothing(crate: Path, small_run: Run) -> None:
    one_game = CliRunner().invoke(app, ["export", str(small_run.path), "--game", "4", "--as", "ro-crate"])
    assert one_game.exit_code == 2
    assert "whole runs" in one_game.stderr
    again = CliRunner().invoke(app, ["export", str(small_run.path), "--as", "ro-crate", "--out", str(crate)])
    assert "exists already" in again.stderr
