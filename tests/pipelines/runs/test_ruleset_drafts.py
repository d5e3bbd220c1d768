"""Rulesets made on a page: their files contain only differences, read back the same, and never replace others silently."""

from __future__ import annotations

import copy
import tomllib
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InvalidError
from pipelines.design.designs import design_simulation
from pipelines.runs.library import Library
from pipelines.runs.ruleset_drafts import (
    DRAFT_SIGNATURE,
    RulesetDraft,
    find_base_ruleset,
    save_draft,
)
from pipelines.simulate.simulate import simulate_run

if TYPE_CHECKING:
    from pathlib import Path

    from engine.catalogue import Catalogue
    from engine.ruleset import Ruleset


def make_draft(
    catalogue: Catalogue, name: str, players: tuple[int, ...] = (2,), **parts: dict[str, Any]
) -> RulesetDraft:
    base, parent = find_base_ruleset(catalogue, name)
    document = copy.deepcopy(base.document)
    return RulesetDraft(
        base,
        parent,
        "mine",
        "My rules",
        players,
        {**document["options"], **parts.get("options", {})},
        {**document["tables"], **parts.get("tables", {})},
    )


def base_names() -> list[str]:
    return [
        "bloxx-2p",
        "bloxx-rest-3p",
        "blokus-4p",
        "blokus-duo",
        "blokus-dice-graded-2p",
        "spexxx-children-2p",
    ]


@pytest.mark.parametrize("name", base_names())
def test_a_copy_of_a_ruleset_plays_by_the_same_rules(catalogue: Catalogue, tmp_path: Path, name: str) -> None:
    library = Library(tmp_path)
    draft = make_draft(catalogue, name, (catalogue.find_ruleset(name).players,))
    assert draft.complaints == {}
    save_draft(library, draft)
    read = library.catalogue.find_ruleset("mine")
    base = catalogue.find_ruleset(name)
    for part in ("options", "tables", "provenance"):
        assert read.document[part] == base.document[part]
    assert "[options]" not in draft.file_text


def test_a_file_contains_the_differences_and_marks_them_as_own(catalogue: Catalogue, tmp_path: Path) -> None:
    numbers = [*catalogue.find_ruleset("bloxx-2p").document["tables"]["numbers"]]
    numbers[0] = "9......"
    draft = make_draft(catalogue, "bloxx-3p", (2, 3), options={"gap_penalty": 3}, tables={"numbers": numbers})
    path = save_draft(Library(tmp_path), draft)
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    assert document == {
        "extends": "bloxx",
        "title": "My rules",
        "players": [2, 3],
        "options": {"gap_penalty": 3},
        "tables": {"numbers": numbers},
        "provenance": {"numbers": "own"},
    }
    own = Library(tmp_path).catalogue.find_ruleset("mine-3p")
    assert own.provenance == {"numbers": "own", "coloured_rows": "reconstructed", "dice": "reconstructed"}


def test_an_option_with_a_provenance_becomes_own_too(catalogue: Catalogue) -> None:
    draft = make_draft(catalogue, "blokus-dice-2p", options={"side": 11})
    assert draft.ruleset.provenance == {"side": "own", "rows": "reconstructed"}


def test_a_saved_ruleset_is_simulated(catalogue: Catalogue, tmp_path: Path) -> None:
    library = Library(tmp_path)
    save_draft(library, make_draft(catalogue, "spexxx-2p", options={"block_bonus": 99, "cubes": {"2": 12}}))
    settled = design_simulation(
        library.catalogue.find_ruleset("mine"), ["greedy", "random"], games_at_least=4, seed=1
    )
    run = simulate_run(settled, tmp_path / "runs" / "mine.duckdb", workers=1)
    assert run.ruleset("mine").document["options"]["block_bonus"] == 99


def test_nothing_is_replaced_silently(catalogue: Catalogue, tmp_path: Path) -> None:
    library = Library(tmp_path)
    first = save_draft(library, make_draft(catalogue, "bloxx-2p"))
    before = first.read_bytes()
    changed = make_draft(catalogue, "bloxx-2p", options={"row_first": 9})
    with pytest.raises(InvalidError, match="a ruleset file mine already"):
        save_draft(library, changed)
    assert first.read_bytes() == before
    save_draft(library, changed, replace=True)
    assert library.catalogue.find_ruleset("mine").document["options"]["row_first"] == 9
    assert [path.name for path in first.parent.iterdir()] == ["mine.toml"]


def test_a_file_written_by_hand_is_never_replaced(catalogue: Catalogue, tmp_path: Path) -> None:
    library = Library(tmp_path)
    (tmp_path / "rulesets").mkdir()
    hand = tmp_path / "rulesets" / "mine.toml"
    hand.write_text('extends = "bloxx"\ntitle = "By hand"\nplayers = 2\n', encoding="utf-8")
    with pytest.raises(InvalidError, match="already"):
        save_draft(library, make_draft(catalogue, "bloxx-2p"), replace=True)
    assert "By hand" in hand.read_text(encoding="utf-8")
    assert not hand.read_text(encoding="utf-8").startswith(DRAFT_SIGNATURE)


@pytest.mark.parametrize(
    ("name", "players"), [("bloxx", (2, 3)), ("blokus-duo", (2,)), ("bloxx-2p", (2,)), ("spexxx", (3,))]
)
def test_a_name_that_is_taken_is_refused(
    catalogue: Catalogue, tmp_path: Path, name: str, players: tuple[int, ...]
) -> None:
    draft = make_draft(catalogue, "bloxx-2p", players)
    with pytest.raises(InvalidError, match="already"):
        save_draft(Library(tmp_path), RulesetDraft(**{**vars(draft), "name": name}))
    assert not list(tmp_path.rglob("*.toml"))


@pytest.mark.parametrize("name", ["", "../evil", "Mine", "a" * 52, "-a", "mine.toml", "a/b"])
def test_an_invalid_file_name_is_refused(catalogue: Catalogue, tmp_path: Path, name: str) -> None:
    draft = RulesetDraft(**{**vars(make_draft(catalogue, "bloxx-2p")), "name": name})
    assert "small letters" in draft.complaints["name"]
    with pytest.raises(InvalidError, match="name: expected small letters"):
        save_draft(Library(tmp_path), draft)


def test_complaints_name_their_fields(catalogue: Catalogue) -> None:
    base = catalogue.find_ruleset("bloxx-2p").document
    draft = make_draft(
        catalogue,
        "bloxx-2p",
        options={"gap_penalty": 101, "contact": "fly"},
        tables={"dice": {**base["tables"]["dice"], "A": {"I2": "xx"}}},
    )
    complaints = draft.complaints
    assert set(complaints) == {"options.gap_penalty", "options.contact", "tables.dice.A"}
    assert "exactly one o" in complaints["tables.dice.A"]
    with pytest.raises(InvalidError):
        _ = draft.ruleset


def test_a_fault_for_one_number_of_players_is_reported(catalogue: Catalogue) -> None:
    draft = make_draft(catalogue, "spexxx-2p", (2, 4), options={"cubes": {"2": 9}})
    assert draft.complaints == {"options.cubes": "expected a number of cubes for 4 players"}


@given(st.text(max_size=40))
def test_any_title_is_read_back(catalogue: Catalogue, title: str) -> None:
    draft = RulesetDraft(**{**vars(make_draft(catalogue, "bloxx-2p")), "title": title})
    assert tomllib.loads(draft.file_text)["title"] == title


def test_a_base_ruleset_has_the_name_of_its_file(catalogue: Catalogue) -> None:
    def base_and_file(name: str) -> tuple[Ruleset, str]:
        return find_base_ruleset(catalogue, name)

    assert [base_and_file(name)[1] for name in ("bloxx-3p", "blokus-duo", "bloxx-touch-2p")] == [
        "bloxx",
        "blokus-duo",
        "bloxx-touch",
    ]
