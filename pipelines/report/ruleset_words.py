"""Rulesets in words: their settings, what the values mean, and how one ruleset differs from another for players.

The words of a game are those of `settings.toml` in its folder. There, `titles` has the title of each option and table, or of a
part of it (`"dice.A"`), `names` its short name in sentences, if that is not its key, `steps` what 1 more of it is, `values` the words
for the values of an option, `choices` clauses that say the same for themselves, `marks` the words for the letters of a table that is a drawing, and `differences` the texts of
`describe_difference`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence, Sized
from functools import cache
from importlib.resources import files
from string import Formatter
from typing import TYPE_CHECKING, Any, Final

from engine.clauses import Clauses, read_clauses
from pipelines.design.titles import name_rulesets
from pipelines.report.sheet import Passage
from pipelines.report.wording import format_count

if TYPE_CHECKING:
    from engine.ruleset import Ruleset

ORIGIN_LABELS: Final = {"book": "printed", "reconstructed": "our reconstruction", "own": "own idea"}
"""What people call the provenance of a table."""
MAX_NAME_CHARACTERS: Final = 3
"""Longer texts are rows of a drawing; shorter ones are names of shapes, colours and the like, if they have letters and digits only."""


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


def name_rule(game: str, key: str) -> str:
    """Return a short name of an option or a table of a game, for sentences and charts.

    >>> name_rule("bloxx", "row_first"), name_rule("bloxx", "gap_penalty"), name_rule("spexxx", "cubes.2")
    ('bonus for the first row', 'gap penalty', 'cubes')
    """
    words, head = read_setting_words(game).get("names", {}), key.partition(".")[0]
    return str(words.get(key) or words.get(head) or format_key(key if head == key else head))


def find_choice(game: str, key: str, value: object) -> str:
    """Return the clause that says one of the words of an option, such as "shapes may hang"; empty for other values.

    >>> find_choice("bloxx", "contact", "touch"), find_choice("bloxx", "gap_penalty", 2)
    ('shapes may hang', '')
    """
    return str(read_setting_words(game).get("choices", {}).get(key, {}).get(value, ""))


def name_rule_step(game: str, key: str) -> str:
    """Return what 1 more of a number of a ruleset is, as the subject of a sentence.

    >>> name_rule_step("bloxx", "gap_penalty"), name_rule_step("spexxx", "cubes.2"), name_rule_step("bloxx", "dice")
    ('each point of gap penalty', 'each further cube', 'each 1 more of dice')
    """
    words, head = read_setting_words(game).get("steps", {}), key.partition(".")[0]
    return str(words.get(key) or words.get(head) or f"each 1 more of {name_rule(game, key)}")


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


def find_clauses(game: str) -> Clauses:
    """Return the rules of a game by its name; they are empty if nobody has written them."""
    try:
        return read_clauses(game)
    except FileNotFoundError:
        return Clauses("", "", ())


def format_value(value: Any) -> str:  # noqa: ANN401 - any value of a ruleset
    r"""Return a value of a ruleset as text: the rows of a drawing on a line each, names on one line.

    >>> format_value(["I1", "I2"]), format_value(["3.2", ".4."]), format_value({"1": ["I1", "O4"], "2": ["I2"]})
    ('I1 I2', '3.2\n.4.', '1: I1 O4\n2: I2')
    """
    if isinstance(value, dict):
        lines = []
        for key, inner in value.items():
            text = format_value(inner)
            if isinstance(inner, dict):
                lines += [f"{key}:", *(f"  {line}" for line in text.splitlines())]
            else:
                lines.append(f"{key}: {text}")
        return "\n".join(lines)
    if isinstance(value, list):
        return join_entries([format_value(entry) for entry in value])
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def join_entries(texts: Sequence[str]) -> str:
    """Return the rows of a drawing on a line each, names and numbers on one line."""
    is_drawing = any(
        len(text) > MAX_NAME_CHARACTERS or not text.removeprefix("-").isalnum() for text in texts
    )
    return ("\n" if is_drawing else " ").join(texts)


def format_key(key: str) -> str:
    """Return a key as words.

    >>> format_key("coloured_rows")
    'coloured rows'
    """
    return key.replace("_", " ")


class _DifferenceFormatter(Formatter):
    """Write a list or a table as its size, and a number with the noun that follows its colon."""

    def format_field(self, value: Any, format_spec: str) -> str:  # noqa: ANN401 - any value of a ruleset
        number = len(value) if isinstance(value, Sized) and not isinstance(value, str) else value
        return format_count(number, format_spec) if format_spec else format_value(number)


def list_differences(ruleset: Ruleset, others: Iterable[Ruleset]) -> Passage:
    """Return the title of each other ruleset, with its players if they are not as many, and how it differs."""
    lines = tuple(
        (name_rulesets([ruleset, other])[1], describe_difference(ruleset, other) or "the same rules")
        for other in others
    )
    return Passage(f"What is different from {ruleset.title}", lines)


def describe_difference(ruleset: Ruleset, other: Ruleset) -> str:
    """Return in one line how another ruleset differs for players; empty if only titles, players or origins of tables differ.

    The words are the `differences` in `settings.toml` of the game: a text for each option and table, or several texts: all
    whose values differ are said, or else the last one. In a text, `{before}` and `{after}` are the values, which `values` may
    put into words, `{ours}` and `{theirs}` the rulesets, and `{entry}` an entry of a table; each entry that differs is said.
    """
    differences: list[str] = []
    for part in ("options", "tables"):
        ours, theirs = ruleset.document[part], other.document[part]
        for key in dict.fromkeys([*ours, *theirs]):
            before, after = _find_value(ruleset, part, key), _find_value(other, part, key)
            if before != after:
                differences += _describe_setting(ruleset, other, key, before, after)
    return "; ".join(differences)


def _find_value(ruleset: Ruleset, part: str, key: str) -> Any:  # noqa: ANN401 - any value of a ruleset
    """Return a value of a ruleset; of a table by number of players, that for the players of the ruleset."""
    value = ruleset.document[part].get(key)
    return value.get(str(ruleset.players), value) if isinstance(value, dict) else value


def _describe_setting(ruleset: Ruleset, other: Ruleset, key: str, before: Any, after: Any) -> list[str]:  # noqa: ANN401
    name = format_key(key)
    otherwise = (
        f"{name}: {{after}} instead of {{before}}" if isinstance(after, int | str) else f"other {name}"
    )
    template = read_setting_words(ruleset.game).get("differences", {}).get(key, otherwise)
    texts = [template] if isinstance(template, str) else template

    def write(text: str, entry: str, ours: tuple[Ruleset, Any], theirs: tuple[Ruleset, Any]) -> str:
        was, now = (
            format_setting(ruleset.game, key, value) if isinstance(value, str) else value
            for _, value in (ours, theirs)
        )
        return _DifferenceFormatter().format(
            text, entry=entry, before=was, after=now, ours=ours[0], theirs=theirs[0]
        )

    changes = [(key, before, after)]
    if "{entry}" in texts[0]:
        changes = [(entry, before[entry], after[entry]) for entry in before if before[entry] != after[entry]]
    sentences = []
    for entry, was, now in changes:
        sides = (ruleset, was), (other, now)
        pairs = [(write(text, entry, *sides), write(text, entry, *reversed(sides))) for text in texts]
        sentences += [sentence for sentence, swapped in pairs if sentence != swapped] or [pairs[-1][0]]
    return sentences
