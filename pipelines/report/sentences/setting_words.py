"""The settings of a ruleset in words: what each is called, what its values mean, and the marks of its drawings.

The words are those of `settings.toml` in the folder of the game. There, `titles` has the title of each option and table, or of a
part of it (`"dice.A"`), `values` the words for the values of an option, `marks` the words for the letters of a table that is a
drawing, and `differences` the texts of `ruleset_difference`.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from pipelines.report.sentences.rulebook import MAX_NAME_CHARACTERS, ORIGIN_LABELS, format_key, format_value

if TYPE_CHECKING:
    from engine.ruleset import Ruleset


def list_settings(ruleset: Ruleset) -> dict[str, tuple[str, str]]:
    """Return the settings of a ruleset by dotted key, each with its title and its value in words.

    They are its title, players, options, tables and the origins of the tables. A table of short values has a setting for each
    value; any other table is one text.
    """
    document, game = ruleset.document, ruleset.game
    settings = {"title": ("title", ruleset.title), "players": ("players", str(ruleset.players))}
    for part in ("options", "tables"):
        for key, value in document[part].items():
            title = title_setting(game, key)
            if isinstance(value, dict) and all(
                isinstance(entry, int | str) and len(str(entry)) <= MAX_NAME_CHARACTERS
                for entry in value.values()
            ):
                settings |= {
                    f"{part}.{key}.{inner}": (f"{title}: {title_setting(game, f'{key}.{inner}')}", str(entry))
                    for inner, entry in value.items()
                }
            else:
                settings[f"{part}.{key}"] = title, format_setting(game, key, value)
    return settings | {
        f"provenance.{key}": (f"origin: {title_setting(game, key)}", ORIGIN_LABELS[origin])
        for key, origin in ruleset.provenance.items()
    }


def title_setting(game: str, key: str) -> str:
    """Return what people call an option or a table of a game, or a part of it; without words of the game, its key.

    >>> title_setting("bloxx", "gap_penalty"), title_setting("bloxx", "dice.A"), title_setting("spexxx", "points.red")
    ('points that a gap costs', 'die A', 'red')
    """
    return str(read_setting_words(game).get("titles", {}).get(key) or format_key(key.rpartition(".")[2]))


def format_setting(game: str, key: str, value: Any) -> str:  # noqa: ANN401 - any value of a ruleset
    """Return the value of an option or a table in words.

    >>> format_setting("bloxx", "contact", "rest"), format_setting("bloxx", "gap_penalty", 2)
    ('stand on a drawn square', '2')
    """
    words = read_setting_words(game).get("values", {}).get(key, {})
    return str(words[value]) if isinstance(value, str) and value in words else format_value(value)


def find_marks(game: str, key: str) -> dict[str, str]:
    """Return the letters of a table that is a drawing, with their words; empty for other tables.

    >>> find_marks("spexxx", "board")["*"], find_marks("spexxx", "points")
    ('gold', {})
    """
    marks: dict[str, str] = read_setting_words(game).get("marks", {}).get(key, {})
    return marks


@cache
def read_setting_words(game: str) -> dict[str, Any]:
    """Return the words of a game; empty if nobody has written them."""
    path = files(f"engine.games.{game.replace('-', '_')}").joinpath("settings.toml")
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
