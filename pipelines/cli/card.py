"""The command that makes the card of a ruleset: card."""

from typing import Annotated

import typer

from pipelines.cli import completion
from pipelines.cli.options import (
    DataOption,
    JsonOption,
    QuietOption,
    find_ruleset,
    open_library,
    own_seed_option,
    ruleset_argument,
    text_option,
)
from pipelines.cli.output import print_json, print_report_table, print_text
from pipelines.cli.progress import compile_rulesets, report_estimated_progress


def card(
    ruleset: Annotated[str, ruleset_argument()],
    *,
    style: Annotated[
        str,
        text_option(
            "--style",
            500,
            "S",
            "The strategy in every seat, such as noisy:sigma=3.",
            autocompletion=completion.complete_strategies,
        ),
    ] = "greedy",
    blocks: Annotated[
        int,
        typer.Option(
            "--blocks",
            metavar="N",
            min=10,
            max=20_000,
            help="Number of blocks; a block plays one game of the style, and each pair of the ladder in all seats.",
        ),
    ] = 400,
    seed: Annotated[int, own_seed_option("the games of the card")] = 0,
    data: DataOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Measure how fair, long, dramatic and lucky a game is.

    The games are played now and not saved: the same seed gives the same card. docs/cards.md explains the measures.
    """
    from pipelines.design.design import check_seed
    from pipelines.questions.card.answer import iter_card_answers
    from pipelines.questions.card.question import CardQuestion
    from pipelines.report.estimates import set_sentence
    from pipelines.report.sentences.card import describe_card, write_card_basis
    from pipelines.report.tables.card import list_card_numbers, tabulate_card

    rules = find_ruleset(open_library(data), ruleset)
    check_seed(seed)
    question = CardQuestion(ruleset=rules.name, style=style, blocks=blocks, seed=seed)
    compile_rulesets([rules], quiet=quiet)
    with report_estimated_progress(f"card of {rules.name}", blocks, "blocks", quiet=quiet) as update_progress:
        for number, answer in enumerate(iter_card_answers(question, {rules.name: rules})):
            if number == 0 and not answer.is_over and not quiet:
                print_text(f"so far, {describe_card(answer)}", err=True)
            update_progress(answer.basis.blocks)
    if as_json:
        print_json(
            {
                "ruleset": rules.name,
                "sha256": rules.sha256,
                "style": style,
                "blocks": answer.basis.blocks,
                "seed": seed,
                "measures": list_card_numbers(answer),
            }
        )
        return
    print_text(set_sentence(describe_card(answer)))
    print_text(write_card_basis(answer))
    print_report_table(tabulate_card(answer))
