"""What the recorded cards of several rulesets look like beside each other: sentences, and tables that mark what clearly differs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, get_args

from pipelines.questions.card import CARD_MEASURES, DEFAULT_STYLE, WORTH_KEYS, CardKey, CardMeasure
from pipelines.records.atlas import find_atlas_card
from pipelines.report.card import (
    FIRST_SCALES,
    WORTH_TITLE,
    describe_edges,
    format_measure,
    is_constant,
    is_different,
    list_atlas_measures,
    make_scale,
    name_cards,
    name_measure,
    read_card_numbers,
    tabulate_definitions,
    widen_edges,
)
from pipelines.report.charts import Mark, Scale, Scales
from pipelines.report.sheet import Part
from pipelines.report.table import Table
from pipelines.report.wording import format_count, join_words
from pipelines.statistics import Interval

if TYPE_CHECKING:
    from pipelines.records.atlas import AtlasCard

CLEAR_ARROWS: Final = "\N{BLACK UP-POINTING TRIANGLE} and \N{BLACK DOWN-POINTING TRIANGLE}: clearly more and less than under {}, since both intervals have no value in common."


def list_atlas_parts(cards: Sequence[AtlasCard]) -> Iterator[Part]:
    """Yield the recorded cards of several rulesets side by side: first the main measures."""
    measures = [key for key in CARD_MEASURES if key not in WORTH_KEYS]
    first = name_cards(cards)[0]
    yield Part(
        "kinds",
        Scales(tuple(_compare_scales(cards)), "What kinds of games"),
        caption=f"A dot is a number, its bar the 95 % interval over {_name_blocks(cards)}; the dashed line is {first}. "
        f"{CLEAR_ARROWS.format(first)} A click on a measure says what it is.",
    )
    parts: tuple[tuple[str, str, Table], ...] = (
        ("all_kinds", "All measures", tabulate_atlas(cards, measures, is_marked=True)),
        ("worth", WORTH_TITLE, tabulate_atlas(cards, WORTH_KEYS)),
        ("definitions", "Definitions", tabulate_definitions()),
    )
    for key, title, table in parts:
        if table.rows:
            yield Part(key, table._replace(title=title), "details")


def _compare_scales(cards: Sequence[AtlasCard]) -> Iterator[Scale]:
    """Yield the main numbers of each card on the scales of a card, with a mark at that of the first one."""
    columns = [*zip(name_cards(cards), map(read_card_numbers, cards), strict=True)]
    for key, about in dict.fromkeys(row for _, column in columns for row in column):
        if FIRST_SCALES.get(key) not in {about, ""}:
            continue
        beside = {name: column[key, about] for name, column in columns if (key, about) in column}
        unit, base = CARD_MEASURES[key].shown_unit, columns[0][1].get((key, about))
        scales = {
            name: make_scale(number, [pair for pair in beside.items() if pair[1] is not number])
            for name, number in beside.items()
        }
        place = scales[columns[0][0]].place if base else None
        for name, number in beside.items():
            text = f"{format_measure(number, list(beside.values()))} {unit}".rstrip()
            yield scales[name]._replace(
                name=name,
                text=f"{text}{_mark_difference(base, number)}",
                others=(),
                mark=Mark(place.estimate, columns[0][0]) if place else None,
                record={"ruleset": name, **scales[name].record},
            )


def describe_recorded_edges(names: Mapping[str, str]) -> Iterator[str]:
    """Yield which seat has an edge if one strategy plays on all seats, as recorded cards say, each finding once; `names` are those of rulesets by their hash."""
    findings: dict[str, list[str]] = {}
    for sha256, name in names.items():
        if card := find_atlas_card(sha256):
            edges = describe_edges(widen_edges(list_atlas_measures(card)))
            blocks = format_count(2 * card.blocks, "recorded block")
            basis = f"{edges[:-1]}; {blocks})" if edges.endswith(")") else f"{edges} ({blocks})"
            finding = f"with {DEFAULT_STYLE} on all seats, {basis}"
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
        f"95 % intervals over {_name_blocks(cards)}, half of them with each of two seeds.",
        CLEAR_ARROWS.format(names[0]) if is_marked else "",
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


def _name_blocks(cards: Sequence[AtlasCard]) -> str:
    """Return how many blocks were recorded of each ruleset."""
    return f"blocks: {', '.join(sorted({f'{2 * card.blocks:,}' for card in cards}))} for each ruleset"


def _mark_difference(first: CardMeasure | None, measure: CardMeasure) -> str:
    """Return the arrow behind a number that is clearly not that of the first ruleset; empty for others."""
    before, after = first and first.measured.interval, measure.measured.interval
    if first is None or before is None or after is None or not is_different((first, measure)):
        return ""
    return (
        " \N{BLACK UP-POINTING TRIANGLE}" if after.low > before.high else " \N{BLACK DOWN-POINTING TRIANGLE}"
    )
