"""The command that makes the card of a ruleset: card."""

from typing import Annotated

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
from pipelines.cli.output import print_json, print_sheet, print_text
from pipelines.cli.progress import compile_rulesets, report_estimated_progress
from pipelines.design.limits import LIVE_BLOCKS, MAX_STRATEGY_CHARACTERS, SEED
from pipelines.questions.card.measures import DEFAULT_STYLE


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
    from pipelines.questions.source import QuestionSource
    from pipelines.report.compose import compose
    from pipelines.report.show.json import sheet_document

    library = open_library(data)
    rules, find_looks = find_ruleset(library, ruleset), QuestionSource(library).find_looks
    question = CardQuestion(ruleset=rules.name, style=style, blocks=blocks, seed=seed)
    compile_rulesets([rules], quiet=quiet)
    with report_estimated_progress(f"card of {rules.name}", blocks, "blocks", quiet=quiet) as update_progress:
        for number, answer in enumerate(iter_card_answers(question, rules)):
            if number == 0 and not answer.is_finished and not quiet:
                print_text(compose(answer, find_looks).verdict, err=True)
            update_progress(answer.basis.blocks)
    sheet = compose(answer, find_looks)
    if as_json:
        print_json(sheet_document(sheet))
    else:
        print_sheet(sheet)
