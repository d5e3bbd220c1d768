"""The command that makes the card of a ruleset: card."""

from typing import Annotated

import typer

from pipelines.cli import completion, options
from pipelines.cli.output import print_sheet, print_text
from pipelines.cli.progress import compile_rulesets, report_estimated_progress
from pipelines.cli.question_options import FROM_FIELD, asks


@asks("pipelines.questions.card:CardQuestion")
def card(
    ruleset: Annotated[str, options.ruleset_argument()],
    *,
    strategy: Annotated[
        str, typer.Option("--strategy", metavar="X[,Y]", autocompletion=completion.complete_strategies)
    ] = FROM_FIELD,
    blocks: Annotated[int, typer.Option("--blocks", metavar="N")] = FROM_FIELD,
    seed: Annotated[int, typer.Option("--seed", metavar="SEED")] = FROM_FIELD,
    details: options.DetailsOption = False,
    data: options.DataOption = None,
    as_json: options.JsonOption = False,
    quiet: options.QuietOption = False,
) -> None:
    """Measure how fair, long, dramatic and lucky a game is.

    The games are played now and not saved: the same seed gives the same card. docs/cards.md explains the measures.
    """
    from pipelines.questions.card import DEFAULT_STYLE, CardQuestion, iter_card_answers
    from pipelines.questions.source import QuestionSource
    from pipelines.report.compose import compose

    library = options.open_library(data)
    rules, find_looks = options.find_ruleset(library, ruleset), QuestionSource(library).find_looks
    question = CardQuestion(ruleset=rules.name, strategy=strategy or DEFAULT_STYLE, blocks=blocks, seed=seed)
    compile_rulesets([rules], quiet=quiet)
    with report_estimated_progress(f"card of {rules.name}", blocks, "blocks", quiet=quiet) as update_progress:
        for number, answer in enumerate(iter_card_answers(question, rules)):
            if number == 0 and not answer.is_finished and not quiet:
                print_text(compose(answer, find_looks).verdict, err=True)
            update_progress(answer.basis.blocks)
    print_sheet(compose(answer, find_looks), as_json=as_json, details=details)
