"""The numbered rules: every game has them in order, and the whole file is read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine import games
from engine.clauses import CLAUSE_LABELS, read_clauses


@pytest.mark.parametrize("name", games.game_names())
def test_all_clauses_of_a_game_are_read(name: str) -> None:
    rules = read_clauses(name)
    text = (Path(games.__file__).parent / name.replace("-", "_") / "clauses.md").read_text(encoding="utf-8")
    assert [clause.number for clause in rules.clauses] == re.findall(r"^\| ([A-Z]+-\d+)", text, re.MULTILINE)
    assert [int(clause.number.split("-")[1]) for clause in rules.clauses] == list(
        range(1, len(rules.clauses) + 1)
    )
    assert all(clause.text in text for clause in rules.clauses)
    assert {label for clause in rules.clauses for label in clause.labels} <= CLAUSE_LABELS.keys()
    assert rules.heading.startswith(games.find_game(name).title.split(" ")[0])
    assert rules.short.endswith(".")
    assert "|" not in rules.short


def test_a_ruling_inside_a_clause_of_the_rulebook_is_labelled() -> None:
    by_number = {clause.number: clause for clause in read_clauses("blokus-dice").clauses}
    assert by_number["BD-4"].labels == ("book", "ruling")
    assert by_number["BD-5"].labels == ("book",)
