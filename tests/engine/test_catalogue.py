"""The catalogue: names of rulesets, files that extend others, and messages about files that cannot be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from engine import games
from engine.catalogue import MAX_RULESET_FILE_BYTES, SHIPPED_RULESETS_FOLDER, Catalogue
from engine.errors import AmbiguousError, InvalidError

if TYPE_CHECKING:
    from pathlib import Path

OWN_TOML = 'extends = "bloxx"\ntitle = "Mine"\n'


def error_message(folder: Path, name: str) -> str:
    """Return the message of the error that a name raises."""
    with pytest.raises((InvalidError, AmbiguousError)) as caught:
        Catalogue((SHIPPED_RULESETS_FOLDER, folder)).find_ruleset(name)
    message = str(caught.value)
    assert len(message.splitlines()) == 1
    return message


def test_a_file_defines_a_ruleset_for_each_number_of_players(catalogue: Catalogue) -> None:
    assert [catalogue.find_ruleset(f"bloxx-{n}p").players for n in (2, 3, 4)] == [2, 3, 4]


def test_rulesets_stand_game_by_game_in_the_order_of_titles(catalogue: Catalogue) -> None:
    titles = [games.find_game(ruleset.game).title for ruleset in catalogue.rulesets.values()]
    assert list(dict.fromkeys(titles)) == ["BLOXX!", "Blokus", "Blokus Dice", "Spexxx"]
    assert titles == sorted(titles)


def test_a_ruleset_for_one_number_of_players_has_the_name_of_its_file(tmp_path: Path) -> None:
    (tmp_path / "duel.toml").write_text(OWN_TOML + "players = 2\n")
    assert Catalogue((SHIPPED_RULESETS_FOLDER, tmp_path)).find_ruleset("duel").players == 2


def test_extends_changes_options_one_by_one_and_keeps_the_rest(tmp_path: Path) -> None:
    (tmp_path / "harsh.toml").write_text(OWN_TOML + "[options]\ngap_penalty = 3\n")
    ruleset = Catalogue((SHIPPED_RULESETS_FOLDER, tmp_path)).find_ruleset("harsh-3p")
    plain = Catalogue().find_ruleset("bloxx-3p")
    assert ruleset.document["options"] == {**plain.document["options"], "gap_penalty": 3}
    assert ruleset.document["tables"] == plain.document["tables"]
    assert ruleset.sha256 != plain.sha256


def test_rulesets_are_read_again_only_if_a_file_has_other_contents(tmp_path: Path) -> None:
    folders, own = (SHIPPED_RULESETS_FOLDER, tmp_path), tmp_path / "duel.toml"
    own.write_text(OWN_TOML + "players = 2\n")
    first, second = Catalogue(folders).rulesets, Catalogue(folders).rulesets
    assert first == second
    assert all(first[name] is second[name] for name in first)
    first.clear()  # the dictionary of one reader
    own.write_text(OWN_TOML + "players = 3\n")  # as long as before, within the same moment
    assert Catalogue(folders).rulesets["duel"].players == 3
    own.write_text("players = ")
    assert own in Catalogue(folders).file_errors
    own.unlink()
    assert "duel" not in Catalogue(folders).rulesets


def test_a_path_can_be_used_as_a_name(tmp_path: Path) -> None:
    (tmp_path / "duel.toml").write_text(
        (SHIPPED_RULESETS_FOLDER / "bloxx.toml").read_text().replace("[2, 3, 4]", "2")
    )
    assert Catalogue().find_ruleset(str(tmp_path / "duel.toml")).name == "duel"


def test_the_error_for_an_unknown_name_suggests_the_nearest_name(tmp_path: Path) -> None:
    assert "bloxx-3p" in error_message(tmp_path, "blox-3p")


def test_a_name_without_players_is_ambiguous(tmp_path: Path) -> None:
    assert error_message(tmp_path, "bloxx").endswith("bloxx-2p, bloxx-3p, bloxx-4p")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("title = \n", "not valid TOML"),
        (
            OWN_TOML + "[options]\ncontact = 'fall'\n",
            "options.contact: input should be 'drop', 'touch' or 'rest', not 'fall'",
        ),
        (
            OWN_TOML + "[options]\ngap_penalty = '1'\n",
            "options.gap_penalty: input should be a valid integer, not '1'",
        ),
        (
            OWN_TOML + "[options]\ngap_penalties = 1\n",
            "options.gap_penalties: unknown key 'gap_penalties'; did you mean gap_penalty",
        ),
        (
            'extends = "spexxx"\nplayers = 2\n[tables.points]\norange = 5\n',
            "tables.points.green: it is missing; a table takes the place of the whole table of a file that it extends",
        ),
        (OWN_TOML + "colour = 'red'\n", "unknown key 'colour'"),
        (OWN_TOML + "players = [2, 2]\n", "players: expected a number or a list of different numbers"),
        (
            OWN_TOML + "players = 'two'\n",
            "players: expected a number or a list of different numbers, not 'two'",
        ),
        (OWN_TOML + "players = 9\n", "players: input should be less than or equal to 4, not 9"),
        ('extends = "blox"\n', "extends: unknown ruleset file 'blox'; did you mean bloxx"),
        ('extends = "../bloxx"\n', "extends: expected the name of a ruleset file"),
        ('extends = "own"\n', "extends: 'own' leads back to this file"),
        ("extends = 3\n", "extends: expected the name of a ruleset file, not 3"),
        ('game = "bloxx"\n', "players: expected a number or a list of numbers, found nothing"),
        ('game = "blox"\nplayers = 2\n', "game: unknown game 'blox'; did you mean bloxx"),
        ("players = 2\n", "game: expected a text, found nothing"),
        ('game = "bloxx"\nplayers = 2\ntitle = "x"\n', "provenance: field required (and 2 more)"),
        (OWN_TOML + "options = 3\n", "options: expected a table, not 3"),
        (OWN_TOML + "title = 2020-01-01\n", "not valid TOML"),
    ],
)
def test_the_error_for_an_invalid_file_names_the_file_the_key_and_what_was_expected(
    tmp_path: Path, text: str, expected: str
) -> None:
    (tmp_path / "own.toml").write_text(text)
    message = error_message(tmp_path, "own")
    assert str(tmp_path / "own.toml") in message
    assert expected in message


def test_a_date_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text('extends = "bloxx"\ntitle = 2020-01-01\n')
    assert "own.toml: a ruleset cannot contain a date or a time" in error_message(tmp_path, "own-2p")


def test_an_invalid_file_does_not_affect_other_files(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text("title = \n")
    catalogue = Catalogue((SHIPPED_RULESETS_FOLDER, tmp_path))
    assert list(catalogue.file_errors) == [tmp_path / "own.toml"]
    assert catalogue.find_ruleset("bloxx-2p").players == 2


def test_a_huge_file_is_rejected_without_reading_it(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text("#" * (MAX_RULESET_FILE_BYTES + 1))
    assert "the file is larger" in error_message(tmp_path, "own")


def test_a_missing_file_is_rejected(tmp_path: Path) -> None:
    assert "No such file" in error_message(tmp_path, str(tmp_path / "nothing.toml"))


def test_a_file_whose_name_cannot_be_a_ruleset_name_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "My Rules.toml").write_text(OWN_TOML)
    catalogue = Catalogue((SHIPPED_RULESETS_FOLDER, tmp_path))
    assert "the name of a ruleset file consists of a-z" in str(
        catalogue.file_errors[tmp_path / "My Rules.toml"]
    )


def test_a_file_for_several_numbers_of_players_is_used_by_its_path(tmp_path: Path) -> None:
    """The line-up says how many play, or the path; the names in the message of a path are paths that work."""
    path = tmp_path / "mine.toml"
    path.write_text('extends = "bloxx"\nplayers = [2, 3]\n', encoding="utf-8")
    catalogue = Catalogue()
    assert catalogue.find_ruleset(str(path), 3).name == "mine-3p"
    assert catalogue.find_ruleset(str(tmp_path / "mine-2p.toml")).players == 2
    with pytest.raises(AmbiguousError) as refused:
        catalogue.find_ruleset(str(path))
    _, _, paths = str(refused.value).partition("choose one of ")
    assert [catalogue.find_ruleset(name).name for name in paths.split(", ")] == ["mine-2p", "mine-3p"]
    with pytest.raises(InvalidError, match="unknown ruleset"):
        catalogue.find_ruleset(str(tmp_path / "mine-4p.toml"))
