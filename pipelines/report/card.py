"""What the card of a ruleset looks like, one that is played and one that was recorded: sheet, sentences, tables and scales."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, get_args

from engine import games
from engine.catalogue import Catalogue
from engine.polyomino import SHAPES
from engine.wording import capitalise
from pipelines.design.short_names import short_names
from pipelines.design.titles import format_ruleset_for, name_rulesets
from pipelines.questions.card import (
    CARD_MEASURES,
    DEFAULT_STYLE,
    WORTH_KEYS,
    CardAnswer,
    CardKey,
    CardMeasure,
    LadderPair,
    find_ladder_pairs,
)
from pipelines.questions.measured import Measured
from pipelines.records.atlas import AtlasCard, recorded_cards
from pipelines.report.charts import Mark, Scale, Scales
from pipelines.report.estimates import format_interval, share_decimals, write_interim
from pipelines.report.openings import draw_shape
from pipelines.report.sheet import Fact, FindLooks, Part, Sheet
from pipelines.report.table import Cell, Table, format_cell, make_table
from pipelines.report.wording import format_count, join_words
from pipelines.report.yardsticks import describe_robustness
from pipelines.statistics.intervals import hold_for_all
from pipelines.statistics.rounding import format_interval_numbers, set_minus_signs, split_sign

NOT_PEOPLE: Final = "Programs played these games; people play otherwise. Several playing styles side by side show what depends on them."
WORTH_TITLE: Final = "What a piece is worth to those who may not use it"
INTERVAL_CAPTION: Final = "95 % intervals, which count blocks; those of edges hold for all seats at once."
FIRST_SCALES: Final[Mapping[CardKey, str]] = {
    "seat": "player 1",
    "rounds": "",
    "choices-median": "",
    "matter": "",
    "lead": "",
    "comeback": "",
    "decided": "",
    "index": "",
}
"""The numbers that a card shows at once, with what they are about; the others stand under Details."""
WHOLE_LADDER: Final[CardKey] = "index"
"""The measure of the ladder that rulesets with other strategies have, too: it is about the ends of the ladder."""


def compose_card(answer: CardAnswer, _find_looks: FindLooks) -> Sheet:
    """Return the sheet of a card, also of one whose games are still played."""
    answer = replace(answer, measures=tuple(widen_edges(answer.measures)))
    question, ruleset = answer.question, answer.ruleset
    styles, *worths, ladder = list_card_tables(answer)
    is_alone = len(answer.styles) == 1
    scales = _show_scales(answer.measures, ruleset.name, answer.basis.blocks) if is_alone else ()
    return Sheet(
        kind="card",
        title=f"Card of {format_ruleset_for(ruleset)}",
        verdict=describe_card(answer)
        if answer.is_finished
        else write_interim(answer.basis.blocks, question.blocks, _write_edges(answer)),
        basis=write_card_basis(answer),
        parts=(
            *scales,
            Part("measures", styles, "details" if is_alone else "main"),
            *(Part("worth", table, "beside") for table in worths),
            Part("ladder", ladder, "details"),
            Part("definitions", tabulate_definitions(), "details"),
        ),
        facts=(
            Fact("Ruleset", f"{ruleset.name}, SHA-256 {ruleset.sha256}"),
            Fact("Seed", str(question.seed)),
        ),
        commands=(question.command,),
        fields={
            "ruleset": ruleset.name,
            "sha256": ruleset.sha256,
            "strategy": question.strategy,
            "blocks": answer.basis.blocks,
            "cuts": answer.cuts,
            "games": answer.basis.games,
            "is_finished": answer.is_finished,
            "seed": question.seed,
            "measures": list_card_numbers(answer.measures, find_ladder_pairs(ruleset)[0]),
        },
    )


def compose_recorded_card(card: AtlasCard) -> Sheet:
    """Return the sheet of a recorded card."""
    measures, blocks = widen_edges(list_atlas_measures(card)), 2 * card.blocks
    title = f"Card of {name_cards([card], with_players=True)[0]}"
    others = [measure for measure in measures if measure.key not in WORTH_KEYS]
    worths = _tabulate_worths(measures)
    return Sheet(
        kind="card",
        title=title,
        verdict=describe_measures(measures),
        basis=describe_recorded_cards([card]),
        parts=(
            *_show_scales(measures, card.ruleset, blocks),
            *([Part("worth", worths, "beside")] if worths.rows else []),
            Part("measures", _tabulate_measures(others, title), "details"),
            Part("definitions", tabulate_definitions(), "details"),
        ),
        facts=(Fact("Ruleset", f"{card.ruleset}, SHA-256 {card.sha256}"),),
        fields={
            "ruleset": card.ruleset,
            "sha256": card.sha256,
            "strategy": DEFAULT_STYLE,
            "blocks": blocks,
            "cuts": card.cuts,
            "games": 2 * card.games,
            "measures": list_card_numbers(measures),
        },
    )


def describe_recorded_cards(cards: Sequence[AtlasCard]) -> str:
    """Return what recorded cards rest on."""
    played, blocks = 2 * sum(card.games for card in cards), 2 * sum(card.blocks for card in cards)
    cuts = describe_cuts(cards[0].cuts) if len(cards) == 1 else ""
    return (
        f"Recorded from {format_count(played, 'game')} of programs in {format_count(blocks, 'block')}; the style is {DEFAULT_STYLE}. "
        f"{cuts and f'{cuts} '}{NOT_PEOPLE}"
    )


def describe_card(answer: CardAnswer) -> str:
    """Return in short sentences the seat that wins most, when the winner is known and the highest step of the ladder.

    Edges are those of `widen_edges`. If the card shows several styles, return which measures differ between them.
    """
    return _describe_styles(answer) if len(answer.styles) > 1 else describe_measures(answer.measures)


def _write_edges(answer: CardAnswer) -> str:
    """Return the estimated edges of all seats, of the first style."""
    edges = [
        set_minus_signs(f"{measure.about} {edge.estimate * CARD_MEASURES['seat'].scale:+.0f}")
        for measure in answer.find_measures("seat")
        if (edge := measure.measured.interval)
    ]
    return f"wins of 100 beyond an equal share: {', '.join(edges)}" if edges else "not enough games"


def describe_measures(measures: Sequence[CardMeasure]) -> str:
    """Return the sentences on the numbers of one style, as `describe_card` does."""
    edges = describe_edges(measures)
    if not edges:
        return "not enough games"
    (known,) = (measure for measure in measures if measure.key == "decided")
    sentences = [edges, f"The winner is known after {format_measure(known)} % of the rounds"]
    if ladder := [measure for measure in measures if measure.key == "ladder"]:
        stronger, _, weaker = capitalise(ladder[-1].about).partition(" against ")
        sentences.append(
            f"{stronger} wins {format_measure(ladder[-1], parts=1)} of 100 games against {weaker}"
        )
    return ". ".join(sentences)


def describe_edges(measures: Sequence[CardMeasure]) -> str:
    """Return which seat wins most and which one least, where that is clear; empty without enough games."""
    edges = {measure.about: measure.measured.interval for measure in measures if measure.key == "seat"}
    seats = {about: edge for about, edge in edges.items() if edge}
    if not seats:
        return ""
    clear = [about for about, edge in seats.items() if split_sign(edge)[0]]
    scale = CARD_MEASURES["seat"].scale
    if not clear:
        about, edge = next(iter(seats.items()))
        _, low, high = format_interval_numbers(edge.times(scale), parts=1)
        return f"no seat has a clear edge ({about}: {low} to {high} wins of 100)"
    widest = max(clear, key=lambda about: abs(seats[about].estimate))
    worst = min(clear, key=lambda about: seats[about].estimate)
    is_other = len(edges) > 2 and worst != widest and seats[worst].estimate < 0
    clauses: list[str] = []
    for about in (widest, worst) if is_other else (widest,):
        sign, (wins, low, high) = split_sign(seats[about].times(scale))
        more = f"{'more' if sign > 0 else 'fewer'}{'' if clauses else ' than an equal share'}"
        clauses.append(f"{about} wins {wins}{'' if clauses else ' of 100 games'} {more} ({low} to {high})")
    return f"{', '.join(clauses)}{', in intervals that hold for all seats at once' if len(edges) > 2 else ''}"


def _describe_styles(answer: CardAnswer) -> str:
    """Return which measures differ clearly between styles, and which do not."""
    groups = group_by_style(answer)
    titles = {row: CARD_MEASURES[row[0]].title.partition(",")[0] for row in groups}
    different = dict.fromkeys(titles[row] for row, measures in groups.items() if is_different(measures))
    alike = [title for title in dict.fromkeys(titles.values()) if title not in different]
    if not different:
        return f"{_name_styles(answer)} do not differ clearly in any measure"
    same = f"; not clearly in {', '.join(alike)}" if alike else ""
    return f"{_name_styles(answer)} differ clearly in {', '.join(different)}{same}"


def _name_styles(answer: CardAnswer) -> str:
    return join_words([*short_names(answer.styles).values()])


def group_by_style(answer: CardAnswer) -> dict[tuple[CardKey, str], list[CardMeasure]]:
    """Return the numbers that depend on the style: by measure and by what it is about, those of all styles."""
    groups: dict[tuple[CardKey, str], list[CardMeasure]] = {}
    for measure in answer.measures:
        if measure.style:
            groups.setdefault((measure.key, measure.about), []).append(measure)
    return groups


def is_different(measures: Sequence[CardMeasure]) -> bool:
    """Return whether the intervals of two of the numbers have no value in common."""
    intervals = [measure.measured.interval for measure in measures if measure.measured.interval]
    return bool(intervals) and max(interval.low for interval in intervals) > min(
        interval.high for interval in intervals
    )


def format_measure(measure: CardMeasure, beside: Sequence[CardMeasure] = (), *, parts: float = 5) -> str:
    """Return a number of a card with its interval, in the unit that people read; it has as many decimals as those `beside` it, an index 2.

    `parts` is that of `count_decimals`.
    """
    interval, scale = measure.measured.interval, CARD_MEASURES[measure.key].scale
    if measure.key == "decided" and interval:  # parts of a game, so the interval may have no width
        estimate, low, high = (round(scale * end) for end in interval)
        return f"{estimate} ({low} to {high})" if low < high or beside else str(estimate)
    if interval and is_constant(measure):
        return f"{interval.estimate:.0f}"
    intervals = [
        neighbour.measured.interval for neighbour in beside or (measure,) if not is_constant(neighbour)
    ]
    is_index = not CARD_MEASURES[measure.key].has_unit
    decimals = 2 if is_index else share_decimals(intervals, scale=scale, parts=parts)
    return format_interval(interval, scale=scale, signed=measure.key == "seat", decimals=decimals)


def is_constant(measure: CardMeasure) -> bool:
    """Return whether all games had as many rounds or moves; then the interval has the width that the number of blocks gives it."""
    interval = measure.measured.interval
    return (
        measure.key in {"rounds", "moves"}
        and interval is not None
        and interval.estimate.is_integer()
        and interval.high - interval.low <= 4 / measure.measured.n
    )


def name_measure(key: CardKey, about: str) -> str:
    """Return what a number of a card is called: the measure, and what it is about."""
    return ", ".join(filter(None, (CARD_MEASURES[key].title, about)))


def write_card_basis(answer: CardAnswer) -> str:
    """Return what a card rests on: who played how many games, what is left out, what reconstructed tables decide."""
    basis, pairs = answer.basis, len(answer.find_measures("ladder"))
    verb = "plays" if len(answer.styles) == 1 else "play, one in each game,"
    played = (
        f"{format_count(basis.games, 'game')} in {format_count(basis.blocks, 'block')}: in a block {_name_styles(answer)} {verb} in "
        f"every seat, and in further games neighbours on the ladder ({format_count(pairs, 'pair')}), and the best and the weakest "
        "strategy of it, have each seat in turn, with the same luck; in others one player in turn may not use something."
    )
    opening = f"The game has no chance, so each block begins with {format_count(answer.opening, 'random move')}; they are its luck."
    more = (
        opening if answer.opening else "",
        describe_cuts(answer.cuts),
        *basis.left_out,
        describe_robustness(answer.ruleset.sha256),
        NOT_PEOPLE,
    )
    return " ".join([played, *filter(None, more)])


def describe_cuts(cuts: Iterable[Sequence[int]]) -> str:
    """Return after which rounds the games are cut into quarters; empty if this is not known.

    >>> describe_cuts([(6, 11, 16), (6, 11, 16)])
    'The quarters of a game end after rounds 6, 11 and 16, however long it is.'
    """
    ends = [
        f"after rounds {join_words([str(end) for end in cut])}" for cut in dict.fromkeys(map(tuple, cuts))
    ]
    of_games = "" if len(ends) == 1 else "The games have one of these cuts. "
    return (
        f"The quarters of a game end {', or '.join(ends)}, however long it is. {of_games}".rstrip()
        if ends
        else ""
    )


def list_card_tables(answer: CardAnswer) -> list[Table]:
    """Return the numbers of a card as tables: those of the styles, those of restricted play if there are any, and the ladder."""
    groups = group_by_style(answer)
    worth_groups = {row: groups.pop(row) for row in list(groups) if row[0] in WORTH_KEYS}
    title, ladder = (
        f"Card of {format_ruleset_for(answer.ruleset)}",
        [measure for measure in answer.measures if not measure.style],
    )
    if len(answer.styles) == 1:
        styles = _tabulate_measures([measure for measures in groups.values() for measure in measures], title)
        worths = _tabulate_worths(answer.measures)
    else:
        styles = _tabulate_styles(answer, groups, title)
        worths = _tabulate_styles(answer, worth_groups, WORTH_TITLE)
    restrictions = games.find_game(answer.ruleset.game).restrictions(answer.ruleset)
    fallbacks = " ".join(dict.fromkeys(restriction.fallback for restriction in restrictions))
    return [
        styles,
        *([worths._replace(caption=f"{fallbacks} {worths.caption}")] if restrictions else []),
        _tabulate_measures(ladder, "The ladder, which is the same for every style"),
    ]


def _tabulate_worths(measures: Sequence[CardMeasure]) -> Table:
    """Return a row for each restriction with what it costs a player of the only style, the costliest first."""

    def find_cost(pair: tuple[CardMeasure, ...]) -> float:
        interval = pair[-1].measured.interval
        return interval.estimate if interval else 0.0

    columns = ([measure for measure in measures if measure.key == key] for key in WORTH_KEYS)
    pairs = sorted(zip(*columns, strict=True), key=find_cost, reverse=True)
    drawings = [_draw_piece(wins.about) for wins, _ in pairs]
    rows: list[dict[str, Cell]] = [
        {
            "without": wins.about,
            **({"drawing": drawing} if any(drawings) else {}),
            f"{CARD_MEASURES[wins.key].unit} lost": format_measure(wins),
            f"{CARD_MEASURES[points.key].unit} lost": format_measure(points),
        }
        for (wins, points), drawing in zip(pairs, drawings, strict=True)
    ]
    few = "Every piece takes games of its own, so only some are tried, from small to large. "
    blocks = join_words([f"{n:,}" for n in sorted({wins.measured.n for wins, _ in pairs})])
    return make_table(
        WORTH_TITLE, rows, f"{few if any(drawings) else ''}95 % intervals, which count {blocks} blocks."
    )


def _draw_piece(name: str) -> str | None:
    """Return a piece such as `shape I2` as a picture of text; None for something else, such as a die."""
    cells = SHAPES.get(name.rpartition(" ")[2])
    width = len(cells or ())  # no piece is wider than its number of squares
    return draw_shape([x + width * y for x, y in cells], width) if cells else None


def _tabulate_measures(measures: Sequence[CardMeasure], title: str) -> Table:
    """Return a row for each number with its interval."""
    rows = tuple(
        (
            name_measure(measure.key, measure.about),
            format_measure(measure),
            CARD_MEASURES[measure.key].unit,
            measure.measured.n,
        )
        for measure in measures
    )
    return Table(title, ("measure", "value", "unit", "blocks"), rows, INTERVAL_CAPTION)


def _tabulate_styles(
    answer: CardAnswer, groups: Mapping[tuple[CardKey, str], Sequence[CardMeasure]], title: str
) -> Table:
    """Return a row for each number that depends on the style, and a column for each style."""
    return Table(
        title,
        ("measure", *short_names(answer.styles).values(), "unit", "clear difference"),
        tuple(
            (
                name_measure(key, about),
                *map(format_measure, measures),
                CARD_MEASURES[key].unit,
                "yes" if is_different(measures) else "no",
            )
            for (key, about), measures in groups.items()
        ),
        f"95 % intervals, which count blocks ({answer.basis.blocks:,}). A difference is clear if the intervals of two styles have no "
        "value in common.",
    )


def tabulate_definitions() -> Table:
    """Return a row for each measure with its definition and its source."""
    rows = tuple(
        (measure.title, measure.unit, measure.definition, measure.source)
        for measure in CARD_MEASURES.values()
    )
    return Table("Definitions", ("measure", "unit", "definition", "source"), rows)


def list_card_numbers(
    measures: Iterable[CardMeasure], ladder: Sequence[LadderPair] = ()
) -> list[dict[str, Any]]:
    """Return the numbers of a card as JSON data, in the units that people read; an estimate without interval is None."""
    rows = []
    whole = {short: name for name, short in short_names([name for pair in ladder for name in pair]).items()}
    for measure in measures:
        titles, interval = CARD_MEASURES[measure.key], measure.measured.interval
        numbers = (
            interval.times(titles.scale)._asdict() if interval else dict.fromkeys(("estimate", "low", "high"))
        )
        better, _, other = measure.about.partition(" against ")
        rows.append(
            {
                "measure": titles.title,
                "of": measure.about,
                "style": measure.style or whole.get(better, better),
                "opponent": whole.get(other, other),
                **numbers,
                "unit": titles.unit,
                "n": measure.measured.n,
                "unit of n": measure.measured.unit,
                "definition": titles.definition,
                "source": titles.source,
            }
        )
    return rows


def _show_scales(measures: Sequence[CardMeasure], ruleset: str, blocks: int) -> Iterator[Part]:
    """Yield the numbers of one style on scales, first the main ones; those of the other recorded rulesets are strokes on them."""
    main = [measure for measure in measures if FIRST_SCALES.get(measure.key) in {measure.about, ""}]
    others = [measure for measure in measures if measure not in main]
    yield Part(
        "scales",
        Scales(tuple(list_scales(main, ruleset)), "Where it stands among the rulesets of Reroll"),
        caption=f"The dot is this ruleset, its bar the 95 % interval, which counts {format_count(blocks, 'block')}; each stroke is another "
        "ruleset of Reroll. A click on a row says what is measured.",
    )
    yield Part("more_scales", Scales(tuple(list_scales(others, ruleset)), "More measures"), "details")


def list_scales(measures: Sequence[CardMeasure], ruleset: str) -> list[Scale]:
    """Return the numbers of one style that all rulesets have, with those of the recorded cards of other rulesets."""
    scaled = [measure for measure in list_comparable(measures) if measure.key not in WORTH_KEYS]
    cards = [card for card in recorded_cards() if card.ruleset != ruleset]
    rivals = [*zip(name_cards(cards), map(read_card_numbers, cards), strict=True)]
    return [
        make_scale(
            measure,
            [
                (name, numbers[measure.key, measure.about])
                for name, numbers in rivals
                if (measure.key, measure.about) in numbers
            ],
        )
        for measure in scaled
    ]


def make_scale(measure: CardMeasure, rivals: Sequence[tuple[str, CardMeasure]]) -> Scale:
    """Return a number on the scale that it has in common with those of other rulesets, each with its name, which are strokes."""
    titles, interval = CARD_MEASURES[measure.key], measure.measured.interval
    known = [(rival.measured.interval, f"{name}: {_format_number(rival)}") for name, rival in rivals]
    strokes = [(rival.estimate, text) for rival, text in known if rival]
    ends = [
        titles.scale * abs(end)
        for known_interval in (interval, *(rival for rival, _ in known))
        for end in known_interval or ()
    ]
    limit = max(ends, default=1.0) or 1.0
    low, high = titles.span or ((-limit, limit) if measure.key == "seat" else (0.0, limit))

    def place(number: float) -> float:
        return min(1.0, max(0.0, (titles.scale * number - low) / (high - low)))

    far = [text for _, text in sorted(strokes)]
    others = f"Lowest of the others: {far[0]}. Highest: {far[-1]}. " if far else ""
    return Scale(
        capitalise(name_measure(measure.key, measure.about)),
        f"{_format_number(measure)} {titles.shown_unit}".rstrip(),
        (f"{titles.ends[0]}, {format_cell(low, '.3g')}", f"{titles.ends[1]}, {format_cell(high, '.3g')}"),
        type(interval)(*map(place, interval)) if interval else None,
        tuple((place(estimate), text) for estimate, text in strokes),
        f"{titles.definition} {others}Source: {titles.source}.",
        list_card_numbers([measure])[0],
        mark=Mark(place(0), "0") if low < 0 else None,
    )


def _format_number(measure: CardMeasure) -> str:
    """Return a number with its interval as people look at it: with no more digits than its own interval needs."""
    return format_measure(measure, parts=1)


def name_cards(cards: Sequence[AtlasCard], *, with_players: bool = False) -> list[str]:
    """Return what people call the rulesets of recorded cards; a ruleset that Reroll no longer has keeps its identifier."""
    known = Catalogue().rulesets
    rulesets = [known[card.ruleset] for card in cards if card.ruleset in known]
    names = name_rulesets(rulesets, with_players=with_players)
    titles = dict(zip((ruleset.name for ruleset in rulesets), names, strict=True))
    return [titles.get(card.ruleset, card.ruleset) for card in cards]


def list_atlas_measures(card: AtlasCard) -> list[CardMeasure]:
    """Return the numbers of a recorded card, each as the mean of both seeds."""
    keys = {str(key): key for key in get_args(CardKey)}
    return [
        CardMeasure(keys[number.key], number.about, Measured(number.pooled, 2 * card.blocks), number.style)
        for number in card.numbers
    ]


def widen_edges(measures: Sequence[CardMeasure]) -> list[CardMeasure]:
    """Return the numbers of a card with edges of seats whose intervals hold for all seats at once: one of several stands out by chance, too.

    The edges of two seats are one number.
    """
    number = len({measure.about for measure in measures if measure.key == "seat"})
    return [
        measure._replace(measured=replace(measure.measured, interval=hold_for_all(edge, number)))
        if number > 2 and measure.key == "seat" and (edge := measure.measured.interval)
        else measure
        for measure in measures
    ]


def list_comparable(measures: Iterable[CardMeasure]) -> list[CardMeasure]:
    """Return those numbers that other rulesets have, too: of the ladder only those of all of it."""
    return [
        measure._replace(about="") if measure.key == WHOLE_LADDER else measure
        for measure in measures
        if measure.style or measure.key == WHOLE_LADDER
    ]


def read_card_numbers(card: AtlasCard) -> dict[tuple[CardKey, str], CardMeasure]:
    """Return the numbers of a card that other rulesets have, too, by measure and what they are about."""
    return {
        (measure.key, measure.about): measure
        for measure in list_comparable(widen_edges(list_atlas_measures(card)))
    }
