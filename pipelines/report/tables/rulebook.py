"""Tables of rules: the rulesets, the options of a ruleset, the origin of its tables, and rulesets side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pydantic import BaseModel

from pipelines.report.sentences.rulebook import ORIGIN_LABELS
from pipelines.report.sentences.setting_words import format_setting, list_settings, title_setting
from pipelines.report.tables.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from engine.ruleset import Ruleset

ORIGIN_EXPLANATIONS: Final = {
    "book": "printed in the rulebook or on the game",
    "reconstructed": "not printed in the rulebook text; our reconstruction from published descriptions and pictures",
    "own": "invented for this ruleset",
}


def tabulate_rulesets(rulesets: Iterable[Ruleset]) -> Table:
    """Return a row for each ruleset."""
    return Table(
        "Rulesets",
        ("ruleset", "game", "players", "title"),
        tuple((one.name, one.game, one.players, one.title) for one in rulesets),
    )


def tabulate_options(ruleset: Ruleset) -> Table:
    """Return the options of a ruleset, with their values and meanings, and what they are called in files and commands."""
    model = type(ruleset).model_fields["options"].annotation
    fields = model.model_fields if isinstance(model, type) and issubclass(model, BaseModel) else {}
    return Table(
        "Options of this ruleset",
        ("option", "value", "what it means", "in files"),
        tuple(
            (
                title_setting(ruleset.game, key),
                format_setting(ruleset.game, key, value).replace("\n", ", "),
                (fields[key].description or "") if key in fields else "",
                key,
            )
            for key, value in ruleset.document["options"].items()
        ),
    )


def tabulate_origins(ruleset: Ruleset) -> Table:
    """Return where each table of a ruleset comes from."""
    return Table(
        "Origin of the tables",
        ("table", "origin", "where it comes from"),
        tuple(
            (title_setting(ruleset.game, table), ORIGIN_LABELS[origin], ORIGIN_EXPLANATIONS[origin])
            for table, origin in ruleset.provenance.items()
        ),
    )


def tabulate_settings(rulesets: Sequence[Ruleset]) -> Table:
    """Return the settings of some rulesets in words, a column for each ruleset; those that differ come first.

    A missing setting is None.
    """
    columns = [list_settings(ruleset) for ruleset in rulesets]
    titles = {key: title for settings in columns for key, (title, _) in settings.items()}
    rows = [
        (title, *(settings[key][1] if key in settings else None for settings in columns))
        for key, title in titles.items()
    ]
    return Table(
        "Rulesets side by side",
        ("setting", *(ruleset.name for ruleset in rulesets)),
        tuple(sorted(rows, key=lambda row: len(set(row[1:])) == 1)),
    )
