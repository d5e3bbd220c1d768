"""How rulesets differ: everything that may differ has words that players understand."""

from __future__ import annotations

import re
from itertools import permutations
from typing import TYPE_CHECKING, Any, get_args

import pytest

from engine import games
from engine.ruleset import MAX_TITLE_CHARACTERS, suggest_title
from pipelines.report.ruleset_words import (
    describe_difference,
    list_differences,
)

if TYPE_CHECKING:
    from engine.catalogue import Catalogue
    from engine.ruleset import Ruleset

every_game = pytest.mark.parametrize("game", games.game_names())


def test_a_title_says_what_a_ruleset_changes(catalogue: Catalogue) -> None:
    base = catalogue.find_ruleset("bloxx-2p")
    penalty = {"gap_penalty": 2}
    assert suggest_title(base, penalty, []) == "BLOXX! with gap penalty 2"
    assert suggest_title(base, penalty, ["dice"]) == "BLOXX! with gap penalty 2 and other dice"
    assert suggest_title(base, penalty, ["dice", "numbers"]) == "BLOXX! with gap penalty 2 and 2 more changes"
    assert suggest_title(base, {}, []) == "BLOXX! (my own)"
    changed = base.from_document({**base.document, "title": "BLOXX! with other dice"}, "a test")
    assert suggest_title(changed, penalty, []) == "BLOXX! with other dice and gap penalty 2"
    wordy = base.from_document({**base.document, "title": "BLOXX! " * 11}, "a test")
    assert suggest_title(wordy, penalty, []).endswith(" (my own)")
    assert len(suggest_title(wordy, penalty, [])) <= MAX_TITLE_CHARACTERS


def change_setting(ruleset: Ruleset, part: str, key: str, value: Any) -> Ruleset:  # noqa: ANN401
    """Return a ruleset with another value."""
    document = ruleset.document
    return ruleset.from_document({**document, part: {**document[part], key: value}}, "a test")


@every_game
def test_every_difference_of_two_rulesets_is_said_without_names_from_files(
    catalogue: Catalogue, game: str
) -> None:
    rulesets = [one for one in catalogue.rulesets.values() if one.game == game]
    for one, other in permutations(rulesets, 2):
        said = describe_difference(one, other)
        assert not re.search(r"[_{}\[\]:]|None|True|False", said), said
        settings = [{**both.document["options"], **both.document["tables"]} for both in (one, other)]
        differing = {key for key, value in settings[0].items() if settings[1].get(key) != value}
        if one.players == other.players:
            assert bool(said) == bool(differing), (one.name, other.name)
        assert said.count(";") >= len(differing) - 1 or one.players != other.players


@every_game
def test_every_value_that_an_option_may_have_is_said(catalogue: Catalogue, game: str) -> None:
    ruleset = next(one for one in catalogue.rulesets.values() if one.game == game)
    for key, field in type(vars(ruleset)["options"]).model_fields.items():
        now = ruleset.document["options"][key]
        values = [value for value in get_args(field.annotation) if isinstance(value, str)]
        for value in values:
            words = describe_difference(ruleset, change_setting(ruleset, "options", key, value))
            assert (now == value) == (not words)
            assert f"{key} {value}" not in words
            assert not words or len(words.split()) > 10, words
        if isinstance(now, int):
            said = describe_difference(ruleset, change_setting(ruleset, "options", key, now + 1))
            assert {str(now), str(now + 1)} <= {*re.findall(r"\d+", said)}, said
            assert f"{key.replace('_', ' ')}:" not in said


@every_game
def test_every_table_has_words(catalogue: Catalogue, game: str) -> None:
    ruleset = next(one for one in catalogue.rulesets.values() if one.game == game)
    changed: dict[str, Any] = {
        "numbers": lambda rows: rows[::-1],
        "coloured_rows": lambda rows: {name: row + 1 for name, row in rows.items()},
        "dice": lambda dice: {"A": dice["B"], "B": dice["A"]},
        "board": lambda board: (
            board | {"start": board["start"][::-1]} if isinstance(board, dict) else ["." * 24, *board[1:]]
        ),
        "pieces": lambda pieces: pieces[:-1],
        "rows": lambda rows: {**rows, "1": rows["2"], "2": rows["1"]},
        "points": lambda points: points | {"red": points["red"] + 1},
    }
    for key, table in ruleset.document["tables"].items():
        said = describe_difference(ruleset, change_setting(ruleset, "tables", key, changed[key](table)))
        assert len(said.split()) > 4, said
        assert "other " + key.replace("_", " ") != said


def test_a_difference_is_said_in_plain_words(catalogue: Catalogue) -> None:
    def say(first: str, second: str) -> str:
        return describe_difference(catalogue.find_ruleset(first), catalogue.find_ruleset(second))

    assert say("bloxx-2p", "bloxx-rest-2p") == (
        "every shape after the first must stand on a drawn square, rather than fall straight down and land on or "
        "beside a drawn square"
    )
    assert say("blokus-dice-2p", "blokus-dice-10-2p") == "the boards have 10 x 10 squares instead of 9 x 9"
    assert "3 x 5 squares instead of 7 x 10; the sheet has 1 coloured row instead of 4" in say(
        "bloxx-2p", "bloxx-mini"
    )
    assert say("bloxx-2p", "bloxx-2p") == say("bloxx-2p", "bloxx-3p") == ""
    # Not the cubes of other numbers of players.
    assert say("spexxx-4p", "spexxx-children-4p") == "every player has 10 cubes instead of 16"


def test_entries_of_a_table_are_said_one_by_one(catalogue: Catalogue) -> None:
    ruleset = catalogue.find_ruleset("spexxx-2p")
    points = ruleset.document["tables"]["points"] | {"red": 15, "gold": 1}
    assert describe_difference(ruleset, change_setting(ruleset, "tables", "points", points)) == (
        "a cube on a red square scores 15 points instead of 12; a cube on a gold square scores 1 point instead of 3"
    )


def test_a_ruleset_for_other_players_is_named_with_their_number(catalogue: Catalogue) -> None:
    printed, three = (catalogue.find_ruleset(name) for name in ("bloxx-2p", "bloxx-3p"))
    assert list_differences(printed, [three]).lines == (("BLOXX!, 3 players", "the same rules"),)
