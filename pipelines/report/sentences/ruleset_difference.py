"""How another ruleset differs for players, in words."""

from __future__ import annotations

from collections.abc import Sized
from string import Formatter
from typing import TYPE_CHECKING, Any, Final

from pipelines.report.sentences.rulebook import format_key, format_value
from pipelines.report.sentences.setting_words import format_setting, read_setting_words
from pipelines.report.wording import format_count, title_rulesets

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from engine.ruleset import Ruleset

MAX_TITLE_CHARACTERS: Final = 80
"""Maximum length of the title of a ruleset that a page makes."""


class _DifferenceFormatter(Formatter):
    """Write a list or a table as its size, and a number with the noun that follows its colon."""

    def format_field(self, value: Any, format_spec: str) -> str:  # noqa: ANN401 - any value of a ruleset
        number = len(value) if isinstance(value, Sized) and not isinstance(value, str) else value
        return format_count(number, format_spec) if format_spec else format_value(number)


def list_differences(ruleset: Ruleset, others: Iterable[Ruleset]) -> list[tuple[str, str]]:
    """Return the title of each other ruleset, with its players if they are not as many, and how it differs."""
    return [
        (
            title_rulesets(ruleset, other)[1]
            + (f", {format_count(other.players, 'player')}" if other.players != ruleset.players else ""),
            describe_difference(ruleset, other) or "the same rules",
        )
        for other in others
    ]


def suggest_title(base: Ruleset, options: Mapping[str, Any], tables: Iterable[str]) -> str:
    """Return a title for a ruleset with other options and other tables than `base`, such as "BLOXX! with gap penalty 2".

    Of more than two changes it says one; without changes, or if they are too long for a title, it says that the ruleset is one's own.
    """
    changes = [
        f"{format_key(key)} {value}" if isinstance(value, int | str) else f"other {format_key(key)}"
        for key, value in options.items()
    ]
    changes += [f"other {format_key(key)}" for key in tables]
    if len(changes) > 2:
        changes[1:] = [format_count(len(changes) - 1, "more change")]
    title = f"{base.title} {'and' if ' with ' in base.title else 'with'} {' and '.join(changes)}"
    own = f"{base.title[: MAX_TITLE_CHARACTERS - 10]} (my own)"
    return title if changes and len(title) <= MAX_TITLE_CHARACTERS else own


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
    given = read_setting_words(ruleset.game).get("differences", {}).get(key, otherwise)
    texts = [given] if isinstance(given, str) else given

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
    said = []
    for entry, was, now in changes:
        sides = (ruleset, was), (other, now)
        pairs = [(write(text, entry, *sides), write(text, entry, *reversed(sides))) for text in texts]
        said += [sentence for sentence, swapped in pairs if sentence != swapped] or [pairs[-1][0]]
    return said
