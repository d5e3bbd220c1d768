"""What rules look like: the sheet of a ruleset, alone or beside others, and the tables of its options, origins and settings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel

from pipelines.design.titles import format_ruleset_for, name_rulesets
from pipelines.records.atlas import find_atlas_card
from pipelines.report.atlas import describe_atlas, list_atlas_parts
from pipelines.report.card import compose_recorded_card, describe_recorded_cards
from pipelines.report.ruleset_words import (
    ORIGIN_LABELS,
    find_clauses,
    format_setting,
    list_differences,
    list_settings,
    title_setting,
)
from pipelines.report.sheet import Fact, FindLooks, Part, Sheet
from pipelines.report.table import Table
from pipelines.report.wording import join_words, name_some

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from pipelines.questions.rules import RulesAnswer

ORIGIN_EXPLANATIONS: Final = {
    "book": "printed in the rulebook or on the game",
    "reconstructed": "not printed in the rulebook text; our reconstruction from published descriptions and pictures",
    "own": "invented for this ruleset",
}


def compose_rules(answer: RulesAnswer, _find_looks: FindLooks) -> Sheet:
    """Return the sheet of a ruleset with its options, of its recorded card, or of it beside other rulesets."""
    card = find_atlas_card(answer.ruleset.sha256)
    if answer.question.part == "card" and card:
        sheet = compose_recorded_card(card)
    elif answer.beside:
        sheet = _compose_side_by_side(answer)
    else:
        sheet = compose_ruleset(answer.ruleset)
    return replace(sheet, warnings=answer.problems)


def compose_ruleset(ruleset: Ruleset) -> Sheet:
    """Return the sheet of a ruleset: the game in short, who wins, the options, and the origin of the tables."""
    clauses = find_clauses(ruleset.game)
    tables = {"options": tabulate_options(ruleset), "origins": tabulate_origins(ruleset)}
    return Sheet(
        kind="rules",
        title=format_ruleset_for(ruleset),
        consequences=(clauses.short,) if clauses.short else (),
        basis=f"{_describe_game(ruleset)}",
        parts=tuple(Part(key, table) for key, table in tables.items() if table.rows),
        facts=_list_facts([ruleset]),
        commands=(f"reroll rulesets {ruleset.name}",),
        fields=_list_documents([ruleset]),
    )


def _compose_side_by_side(answer: RulesAnswer) -> Sheet:
    """Return the sheet of rulesets beside each other: how they differ, and the recorded cards of their games."""
    ruleset = answer.ruleset
    cards = [card for ruleset in answer.rulesets if (card := find_atlas_card(ruleset.sha256))]
    recorded = [describe_recorded_cards(cards)] if len(cards) > 1 else []
    known = {card.sha256 for card in cards}
    names = zip(name_rulesets(answer.rulesets), answer.rulesets, strict=True)
    if recorded and (unknown := [name for name, other in names if other.sha256 not in known]):
        recorded.append(f"No games are recorded of {join_words(unknown)}.")
    atlas = [*list_atlas_parts(cards)] if len(cards) > 1 else []
    sentences = describe_atlas(cards) if recorded and cards[0].sha256 == ruleset.sha256 else ("",)
    return Sheet(
        kind="rules",
        title=f"Rules side by side: {name_some(name_rulesets(answer.rulesets))}",
        verdict=sentences[0],
        consequences=sentences[1:],
        basis=" ".join([_describe_game(ruleset), *recorded]),
        parts=(
            *atlas[:1],
            Part("differences", list_differences(ruleset, answer.beside)),
            *_list_settings_parts(answer.rulesets),
            *atlas[1:],
        ),
        facts=_list_facts(answer.rulesets),
        commands=tuple(f"reroll rulesets {ruleset.name}" for ruleset in answer.rulesets),
        fields=_list_documents(answer.rulesets),
    )


def _list_settings_parts(rulesets: Sequence[Ruleset]) -> Iterator[Part]:
    """Yield the settings that differ in full, and those that the rulesets have in common."""
    whole = tabulate_settings(rulesets)
    if different := tuple(row for row in whole.rows if len(set(row[1:])) > 1):
        yield Part("settings", whole._replace(title="What differs in full", rows=different), "details")
    if common := tuple(row[:2] for row in whole.rows if len(set(row[1:])) == 1):
        table = Table("What they have in common", ("setting", "in all of them"), common)
        yield Part("common", table, "details")


def _describe_game(ruleset: Ruleset) -> str:
    """Return who wins, and where the game comes from."""
    heading = find_clauses(ruleset.game).heading
    wins = f"The {'lowest' if ruleset.lowest_wins else 'highest'} score wins."
    return f"{wins} The game is {heading}." if heading else wins


def _list_facts(rulesets: Sequence[Ruleset]) -> tuple[Fact, ...]:
    numbers = range(1, len(rulesets) + 1) if len(rulesets) > 1 else ("",)
    return tuple(
        Fact(f"Ruleset {number}".rstrip(), f"{ruleset.name}, SHA-256 {ruleset.sha256}")
        for number, ruleset in zip(numbers, rulesets, strict=True)
    )


def _list_documents(rulesets: Iterable[Ruleset]) -> dict[str, object]:
    return {
        "rulesets": [
            {"name": ruleset.name, **ruleset.document, "sha256": ruleset.sha256} for ruleset in rulesets
        ]
    }


def tabulate_rulesets(rulesets: Iterable[Ruleset]) -> Table:
    """Return a row for each ruleset."""
    return Table(
        "Rulesets",
        ("ruleset", "game", "players", "title"),
        tuple((ruleset.name, ruleset.game, ruleset.players, ruleset.title) for ruleset in rulesets),
    )


def tabulate_options(ruleset: Ruleset) -> Table:
    """Return the options of a ruleset, with their values and meanings, and what they are called in files and commands."""
    model = type(ruleset).model_fields["options"].annotation
    fields = model.model_fields if isinstance(model, type) and issubclass(model, BaseModel) else {}
    rows = tuple(
        (
            title_setting(ruleset.game, key),
            format_setting(ruleset.game, key, value).replace("\n", ", "),
            (fields[key].description or "") if key in fields else "",
            key,
        )
        for key, value in ruleset.document["options"].items()
    )
    return Table("Options of this ruleset", ("option", "value", "what it means", "in files"), rows)


def tabulate_origins(ruleset: Ruleset) -> Table:
    """Return where each table of a ruleset comes from."""
    rows = tuple(
        (title_setting(ruleset.game, table), ORIGIN_LABELS[origin], ORIGIN_EXPLANATIONS[origin])
        for table, origin in ruleset.provenance.items()
    )
    return Table("Origin of the tables", ("table", "origin", "where it comes from"), rows)


def tabulate_settings(rulesets: Sequence[Ruleset]) -> Table:
    """Return the settings of some rulesets in words, a column for each ruleset; those that differ come first.

    A missing setting is None.
    """
    columns = [list_settings(ruleset) for ruleset in rulesets]
    titles = {key: title for settings in columns for key, (title, _) in settings.items()}
    rows = [
        (title, *(settings[key][1] if key in settings else None for settings in columns))
        for key, title in titles.items()
        if key != "title"  # it heads the column
    ]
    return Table(
        "Rulesets side by side",
        ("setting", *name_rulesets(rulesets)),
        tuple(sorted(rows, key=lambda row: len(set(row[1:])) == 1)),
    )
