"""The sentences on the card of a ruleset."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING

from engine.counted_nouns import capitalise
from pipelines.design.short_names import short_names
from pipelines.questions.card.measures import CARD_MEASURES
from pipelines.report.estimates import format_interval, share_decimals
from pipelines.report.sentences.robustness import describe_robustness
from pipelines.report.wording import format_count
from pipelines.statistics.rounding import split_sign

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.questions.card.answer import CardAnswer, CardMeasure
    from pipelines.questions.card.measures import CardKey
    from pipelines.records.atlas import AtlasCard

NOT_PEOPLE = "Programs played these games; people play otherwise. Several playing styles side by side show what depends on them."


def describe_card(answer: CardAnswer) -> str:
    """Return in short sentences the seat that wins most, when the winner is known and the highest step of the ladder.

    If the card shows several styles, return which measures differ between them.
    """
    return _describe_styles(answer) if len(answer.styles) > 1 else describe_measures(answer.measures)


def describe_measures(measures: Sequence[CardMeasure]) -> str:
    """Return the sentences on the numbers of one style, as `describe_card` does."""

    def find_measures(key: CardKey) -> list[CardMeasure]:
        return [one for one in measures if one.key == key]

    seats = [
        (abs(edge.estimate), edge, one) for one in find_measures("seat") if (edge := one.measured.interval)
    ]
    if not seats:
        return "not enough games"
    clear = [seat for seat in seats if split_sign(seat[1])[0]]
    _, _, widest = max(clear or seats, key=itemgetter(0))
    (known,) = find_measures("decided")
    sentences = [
        f"the widest edge of a seat is that of {widest.about}: {format_measure(widest, parts=1)} wins of 100"
        if clear
        else "no seat has a clear edge",
        f"The winner is known after {format_measure(known)} % of the rounds",
    ]
    ladder = find_measures("ladder")
    if ladder:
        one, _, other = capitalise(ladder[-1].about).partition(" against ")
        sentences.append(f"{one} wins {format_measure(ladder[-1], parts=1)} of 100 games against {other}")
    return ". ".join(sentences)


def describe_atlas(cards: Sequence[AtlasCard]) -> str:
    """Return in one sentence under which of some rulesets skill counts most and least.

    It is empty for fewer than two, and if their ladders have other ends, because the indices cannot be compared then.
    """
    indices = [
        (index, card.ruleset, one.about)
        for card in cards
        for one in card.numbers
        if one.key == "index" and (index := one.pooled)
    ]
    if len(indices) < 2 or len({about for _, _, about in indices}) > 1:
        return ""
    (low, least, _), *_, (high, most, _) = sorted(indices, key=lambda one: one[0].estimate)
    if high.low <= low.high:
        return "the skill-luck index does not differ clearly between these rulesets"
    return (
        f"skill counts most under {most}, with a skill-luck index of {format_interval(high)}, and least under {least}, with "
        f"{format_interval(low)}"
    )


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
    *others, last = short_names(answer.styles).values()
    return f"{', '.join(others)} and {last}" if others else last


def group_by_style(answer: CardAnswer) -> dict[tuple[CardKey, str], list[CardMeasure]]:
    """Return the numbers that depend on the style: by measure and by what it is about, those of all styles."""
    groups: dict[tuple[CardKey, str], list[CardMeasure]] = {}
    for measure in answer.measures:
        if measure.style:
            groups.setdefault((measure.key, measure.about), []).append(measure)
    return groups


def is_different(measures: Sequence[CardMeasure]) -> bool:
    """Return whether the intervals of two of the numbers have no value in common."""
    intervals = [one.measured.interval for one in measures if one.measured.interval]
    return bool(intervals) and max(one.low for one in intervals) > min(one.high for one in intervals)


def format_measure(measure: CardMeasure, beside: Sequence[CardMeasure] = (), *, parts: float = 5) -> str:
    """Return a number of a card with its interval, in the unit that people read; it has as many decimals as those `beside` it, an index 2.

    `parts` is that of `count_decimals`.
    """
    interval, scale = measure.measured.interval, CARD_MEASURES[measure.key].scale
    if measure.key == "decided" and interval:  # parts of a game, so the interval may have no width
        estimate, low, high = (round(scale * end) for end in interval)
        return f"{estimate} ({low} to {high})" if low < high else str(estimate)
    intervals = [one.measured.interval for one in beside or (measure,)]
    is_index = not CARD_MEASURES[measure.key].has_unit
    decimals = 2 if is_index else share_decimals(intervals, scale=scale, parts=parts)
    return format_interval(interval, scale=scale, signed=measure.key == "seat", decimals=decimals)


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
        *basis.left_out,
        describe_robustness(answer.ruleset.sha256),
        NOT_PEOPLE,
    )
    return " ".join([played, *filter(None, more)])
