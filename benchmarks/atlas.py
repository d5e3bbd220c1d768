"""The atlas: the card of every ruleset that belongs to Reroll, side by side.

    python -m benchmarks.atlas [RULESET...] [--blocks N] [--out FILE]

makes the card of each ruleset with two seeds. It writes `benchmarks/atlas.json` and `atlas.md` beside it, after every ruleset;
the cards of other rulesets do not change. All rulesets take about 15 minutes on two cores.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from benchmarks.command_line import (
    check_names,
    make_parser,
    parse_measuring,
    print_progress,
    with_exit_code,
)
from benchmarks.record_pages import list_markdown_rows, write_record_file
from engine.catalogue import Catalogue
from pipelines.questions.card import DEFAULT_STYLE, CardQuestion, iter_card_answers
from pipelines.records.atlas import AtlasCard, AtlasFile, AtlasNumber
from pipelines.records.record_file import machine_stamp, read_record_file
from pipelines.report.atlas import tabulate_atlas
from pipelines.statistics import Interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.ruleset import Ruleset
    from pipelines.questions.card import CardAnswer

DEFAULT_BLOCKS: Final = 200
SEEDS: Final = (6000, 6001)
"""No strategy was tuned with these seeds: those of tuning begin at 900000."""


def measure_card(ruleset: Ruleset, blocks: int) -> AtlasCard:
    """Make the card of a ruleset with both seeds."""
    answer, again = (
        list(
            iter_card_answers(
                CardQuestion(ruleset=ruleset.name, strategy=DEFAULT_STYLE, blocks=blocks, seed=seed), ruleset
            )
        )[-1]
        for seed in SEEDS
    )
    return AtlasCard(
        ruleset=ruleset.name,
        title=ruleset.title,
        game=ruleset.game,
        sha256=ruleset.sha256,
        blocks=blocks,
        games=answer.basis.games,
        cuts=(*answer.cuts, *again.cuts),
        numbers=_pair_numbers(answer, again),
    )


def _pair_numbers(first: CardAnswer, second: CardAnswer) -> tuple[AtlasNumber, ...]:
    return tuple(
        AtlasNumber(
            key=one.key,
            about=one.about,
            style=one.style,
            interval=_round_interval(one.measured.interval),
            again=_round_interval(other.measured.interval),
        )
        for one, other in zip(first.measures, second.measures, strict=True)
    )


def _round_interval(interval: Interval | None) -> Interval | None:
    """Return an interval with five digits: the file is half as long."""
    return interval and Interval(*(float(f"{end:.5g}") for end in interval))


def replace_card(file: AtlasFile, new: AtlasCard) -> AtlasFile:
    """Return a file with a new card, which replaces an earlier one of the same ruleset; cards are ordered by ruleset."""
    others = [card for card in file.cards if card.ruleset != new.ruleset]
    cards = sorted([*others, new], key=lambda card: (card.game, card.ruleset))
    return AtlasFile(machine=machine_stamp(), cards=tuple(cards))


def count_inside(file: AtlasFile) -> tuple[int, int, int]:
    """Return how many numbers both seeds have, how many second estimates lie in the first interval, and how many agree.

    Two numbers agree if they differ by no more than the interval of their difference allows.
    """
    pairs = [
        (number.interval, number.again)
        for card in file.cards
        for number in card.numbers
        if number.interval and number.again
    ]
    inside = sum(first.low <= second.estimate <= first.high for first, second in pairs)
    agreeing = 0
    for first, second in pairs:
        lower, upper = sorted((first, second), key=lambda interval: interval.estimate)
        reach = (upper.estimate - upper.low) ** 2 + (lower.high - lower.estimate) ** 2
        agreeing += (upper.estimate - lower.estimate) ** 2 <= reach
    return len(pairs), inside, agreeing


def format_atlas_page(file: AtlasFile) -> str:
    """Return the cards as a page in Markdown: a table for each game."""
    count, inside, agreeing = count_inside(file)
    lines = [
        "# The atlas: every ruleset side by side",
        "",
        "[The card of a ruleset](../docs/cards.md) explains every measure and its limits. The command",
        "",
        "```sh",
        file.command,
        "```",
        "",
        f"made the cards, with `{DEFAULT_STYLE}` in every seat, on {file.machine['processor']}, {file.machine['cores']} cores,",
        f"until {file.machine['when']}. Each was made with two seeds, and a number is the mean of both. Ranges are 95 % intervals over",
        "all blocks. `atlas.json` has the numbers of each seed, also those of each step of the ladder. Programs played these",
        "games; people play otherwise.",
        "",
        f"With the second seed, {100 * agreeing / count:.1f} % of {count:,}",
        "numbers agree with those of the first one: they differ by no more than a 95 % interval of the difference of two such numbers",
        f"allows. {100 * inside / count:.1f} % of the second estimates lie inside the first interval itself; of estimates of equal",
        "precision 83 % do.",
    ]
    for game in dict.fromkeys(card.game for card in file.cards):
        table = tabulate_atlas([card for card in file.cards if card.game == game])
        lines += ["", f"## {game}", "", *list_markdown_rows(table)]
    return "\n".join(lines) + "\n"


@with_exit_code
def main(words: Sequence[str] | None = None) -> None:
    """Make the cards of the rulesets that the command line names, or of all."""
    parser = make_parser("atlas", __doc__)
    arguments = parse_measuring(parser, words, "atlas.json", DEFAULT_BLOCKS, "blocks of each card")
    rulesets = Catalogue().rulesets
    check_names(arguments.names, rulesets, "ruleset")
    for name in arguments.names or [name for name, one in rulesets.items() if one.players > 1]:
        card = measure_card(rulesets[name], arguments.blocks)
        file = replace_card(read_record_file(arguments.out, AtlasFile), card)
        write_record_file(arguments.out, file, format_atlas_page)
        print_progress(f"{name}: {card.games:,} games")


if __name__ == "__main__":
    sys.exit(main())
