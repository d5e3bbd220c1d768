"""The command that makes the card of a ruleset: card."""

from typing import TYPE_CHECKING, Annotated

from pipelines.cli import completion
from pipelines.cli.options import (
    DataOption,
    JsonOption,
    QuietOption,
    find_ruleset,
    number_option,
    open_library,
    own_seed_option,
    ruleset_argument,
    text_option,
)
from pipelines.cli.output import print_json, print_report_table, print_text
from pipelines.cli.progress import compile_rulesets, report_estimated_progress
from pipelines.design.number_limits import LIVE_BLOCKS, SEED
from pipelines.design.text_limits import MAX_STRATEGY_CHARACTERS
from pipelines.questions.card.measures import DEFAULT_STYLE

if TYPE_CHECKING:
    from pipelines.questions.card.answer import CardAnswer


def card(
    ruleset: Annotated[str, ruleset_argument()],
    *,
    style: Annotated[
        str,
        text_option(
            "--style",
            MAX_STRATEGY_CHARACTERS,
            "S",
            "The strategy in every seat, such as noisy:sigma=3; several, separated by commas, stand side by side.",
            autocompletion=completion.complete_strategies,
        ),
    ] = DEFAULT_STYLE,
    blocks: Annotated[
        int,
        number_option(
            "--blocks",
            LIVE_BLOCKS,
            "Number of blocks; a block plays one game of each style, and each pair of the ladder in all seats.",
        ),
    ] = LIVE_BLOCKS.default,
    seed: Annotated[int, own_seed_option("the games of the card")] = SEED.default,
    data: DataOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Measure how fair, long, dramatic and lucky a game is.

    The games are played now and not saved: the same seed gives the same card. docs/cards.md explains the measures.
    """
    from pipelines.questions.card.answer import iter_card_answers
    from pipelines.questions.card.question import CardQuestion
    from pipelines.report.sentences.card import describe_card

    rules = find_ruleset(open_library(data), ruleset)
    question = CardQuestion(ruleset=rules.name, style=style, blocks=blocks, seed=seed)
    compile_rulesets([rules], quiet=quiet)
    with report_estimated_progress(f"card of {rules.name}", blocks, "blocks", quiet=quiet) as update_progress:
        for number, answer in enumerate(iter_card_answers(question, {rules.name: rules})):
            if number == 0 and not answer.is_over and not quiet:
                print_text(f"so far, {describe_card(answer)}", err=True)
            update_progress(answer.basis.blocks)
    _print_card(answer, as_json=as_json)


def _print_card(answer: "CardAnswer", *, as_json: bool) -> None:
    from pipelines.report.estimates import set_sentence
    from pipelines.report.sentences.card import describe_card, write_card_basis
    from pipelines.report.tables.card import list_card_numbers, list_card_tables

    if not as_json:
        print_text(set_sentence(describe_card(answer)))
        print_text(write_card_basis(answer))
        first, *others = list_card_tables(answer)
        print_report_table(first)
        for table in others:
            print_text(f"\n{table.title}\n{table.caption}")
            print_report_table(table)
        return
    print_json(
        {
            "ruleset": answer.ruleset.name,
            "sha256": answer.ruleset.sha256,
            "style": answer.question.style,
            "blocks": answer.basis.blocks,
            "seed": answer.question.seed,
            "measures": list_card_numbers(answer),
        }
    )
