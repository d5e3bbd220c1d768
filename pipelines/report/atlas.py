"""What the recorded cards of several rulesets look like beside each other: sentences, and tables that mark what clearly differs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, get_args

from pipelines.questions.card import CARD_MEASURES, DEFAULT_STYLE, WORTH_KEYS, CardKey, CardMeasure
from pipelines.records.atlas import find_atlas_card
from pipelines.report.card import (
    WORTH_TITLE,
    describe_edges,
    format_measure,
    is_constant,
    is_different,
    list_atlas_measures,
    name_cards,
    name_measure,
    read_card_numbers,
    tabulate_definitions,
    widen_edges,
)
from pipelines.report.sheet import Part, Role
from pipelines.report.table import Table
from pipelines.report.wording import format_count, join_words
from pipelines.statistics import Interval

if TYPE_CHECKING:
    from pipelines.records.atlas import AtlasCard

MAIN_KEYS: Final[tuple[CardKey, ...]] = ("seat", "rounds", "choices-median", "decided", "comeback", "index")
"""What people ask first about the kinds of some games."""


def list_atlas_parts(cards: Sequence[AtlasCard]) -> Iterator[Part]:
    """Yield the recorded cards of several rulesets side by side: first the main measures."""
    others = [key for key in CARD_MEASURES if key not in {*WORTH_KEYS, *MAIN_KEYS}]
    parts: tuple[tuple[str, str, Role, Table], ...] = (
        ("kinds", "What kinds of games", "beside", tabulate_atlas(cards, MAIN_KEYS, is_marked=True)),
        ("more_kinds", "More measures", "details", tabulate_atlas(cards, others, is_marked=True)),
        ("worth", WORTH_TITLE, "details", tabulate_atlas(cards, WORTH_KEYS)),
        ("definitions", "Definitions", "details", tabulate_definitions()),
    )
    for key, title, role, table in parts:
        if table.rows:
            yield Part(key, table._replace(title=title), role)


def describe_recorded_edges(names: Mapping[str, str]) -> Iterator[str]:
    """Yield which seat has an edge if one strategy plays on all seats, as recorded cards say, each finding once; `names` are those of rulesets by their hash."""
    findings: dict[str, list[str]] = {}
    for sha256, name in names.items():
        if card := find_atlas_card(sha256):
            edges = describe_edges(widen_edges(list_atlas_measures(card)))
            finding = f"with {DEFAULT_STYLE} on all seats, {edges} ({format_count(2 * card.blocks, 'recorded block')})"
            findings.setdefault(finding, []).append(name)
    for finding, under in findings.items():
        yield f"under {join_words(under)}, {finding}" if len(names) > 1 else finding


def describe_atlas(cards: Sequence[AtlasCard]) -> tuple[str, ...]:
    """Return a sentence for each of the first things that people ask in which rulesets differ clearly from the first one, with 95 % intervals."""
    names, columns = name_cards(cards), [read_card_numbers(card) for card in cards]
    rounds, choices = (
        [column[key, ""].measured.interval for column in columns] for key in ("rounds", "choices-median")
    )
    wins = [  # an equal share and the edge over it
        edge and Interval(*(end + 1 / sum(key == "seat" for key, _ in column) for end in edge)).times(100)
        for column in columns
        for edge in [column["seat", "player 1"].measured.interval]
    ]
    sentences = (
        _contrast(f"{DEFAULT_STYLE} players take {{}} rounds a game", names, rounds),
        _contrast("Player 1 wins {} of 100 games", names, wins),
        _contrast("Half of the moves have at least {} choices", names, choices),
    )
    return tuple(filter(None, sentences)) or ("Length, wins of player 1 and choices do not differ clearly",)


def _contrast(sentence: str, names: Sequence[str], intervals: Sequence[Interval | None]) -> str:
    """Return a sentence with the first number, those of the others that differ clearly from it, and who does not; empty if none does."""
    first, *others = [interval or Interval(0, 0, 0) for interval in intervals]
    changed, alike = [], []
    for name, other in zip(names[1:], others, strict=True):
        if max(first.low, other.low) > min(first.high, other.high):
            changed.append((name, other))
        else:
            alike.append(name)
    decimals = int(any(round(first.estimate) == round(other.estimate) for _, other in changed))

    def write(value: Interval) -> str:
        estimate, low, high = (f"{end:.{decimals}f}" for end in value)
        return estimate if low == estimate == high else f"{estimate} ({low} to {high})"

    clauses = [f"{write(other)} under {name}" for name, other in changed]
    same = f"; no clear difference under {join_words(alike)}" if alike else ""
    return f"{sentence.format(write(first))}, {join_words(clauses)}{same}" if clauses else ""


def tabulate_atlas(
    cards: Sequence[AtlasCard], keys: Collection[CardKey] = get_args(CardKey), *, is_marked: bool = False
) -> Table:
    """Return a row for each number of some measures, and a column for each ruleset; a number that it does not have is missing.

    The numbers of the ladder are those of all of it: its steps are others in other rulesets. If it `is_marked`, an arrow stands
    at each number that is clearly not that of the first ruleset.
    """
    columns, names = [read_card_numbers(card) for card in cards], name_cards(cards)
    order = {key: place for place, key in enumerate(get_args(CardKey))}
    rows = sorted(dict.fromkeys(row for column in columns for row in column), key=lambda row: order[row[0]])
    if ("seat", "player 3") not in rows:  # the edges of two seats mirror each other
        rows = [row for row in rows if row != ("seat", "player 2")]
    beside = {row: [column[row] for column in columns if row in column] for row in rows}
    captions = [
        (
            f"95 % intervals over blocks: {', '.join(sorted({f'{2 * card.blocks:,}' for card in cards}))} for each ruleset, half of them "
            "with each of two seeds."
        ),
        f"\N{BLACK UP-POINTING TRIANGLE} and \N{BLACK DOWN-POINTING TRIANGLE}: clearly more and less than under {names[0]}, since both "
        "intervals have no value in common."
        if is_marked
        else "",
        "A length without an interval is that of every game."
        if any(is_constant(number) for row in rows if row[0] in keys for number in beside[row])
        else "",
    ]
    return Table(
        "Cards",
        ("measure", *names, "unit"),
        tuple(
            (
                name_measure(key, about),
                *(
                    f"{format_measure(column[key, about], beside[key, about])}"
                    f"{_mark_difference(columns[0].get((key, about)), column[key, about]) if is_marked else ''}"
                    if (key, about) in column
                    else None
                    for column in columns
                ),
                CARD_MEASURES[key].unit,
            )
            for key, about in rows
            if key in keys
        ),
        " ".join(filter(None, captions)),
    )


def _mark_difference(first: CardMeasure | None, measure: CardMeasure) -> str:
    """Return the arrow behind a number that is clearly not that of the first ruleset; empty for others."""
    before, after = first and first.measured.interval, measure.measured.interval
    if first is None or before is None or after is None or not is_different((first, measure)):
        return ""
    return (
        " \N{BLACK UP-POINTING TRIANGLE}" if after.low > before.high else " \N{BLACK DOWN-POINTING TRIANGLE}"
    )
