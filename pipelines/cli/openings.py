"""The command that says which first move does best: openings."""

from typing import Annotated

import typer

from pipelines.cli import completion, options
from pipelines.cli.output import print_sheet
from pipelines.cli.progress import compile_rulesets, report_estimated_progress
from pipelines.cli.question_options import FROM_FIELD, asks


@asks("pipelines.questions.openings:OpeningsQuestion")
def openings(
    ruleset: Annotated[str, options.ruleset_argument()],
    *,
    first: Annotated[str, typer.Option("--first", metavar="move|piece")] = FROM_FIELD,
    lineup: Annotated[
        str,
        typer.Option("--strategies", "-s", metavar="X[,Y]", autocompletion=completion.complete_strategies),
    ] = FROM_FIELD,
    blocks: Annotated[int, typer.Option("--blocks", metavar="N")] = FROM_FIELD,
    seed: Annotated[int, typer.Option("--seed", metavar="SEED")] = FROM_FIELD,
    data: options.DataOption = None,
    as_json: options.JsonOption = False,
    quiet: options.QuietOption = False,
) -> None:
    """Say which first move, or first piece, does best.

    All first moves are played by the same players with the same luck. The games are played now and not saved.
    """
    from pipelines.questions.address import make_question
    from pipelines.questions.openings import OpeningsQuestion, iter_openings_answers
    from pipelines.questions.source import QuestionSource
    from pipelines.report.compose import compose

    library = options.open_library(data)
    rules, find_looks = options.find_ruleset(library, ruleset), QuestionSource(library).find_looks
    fields = {"ruleset": rules.name, "first": first, "lineup": lineup, "blocks": blocks, "seed": seed}
    question = make_question(OpeningsQuestion, fields)
    compile_rulesets([rules], quiet=quiet)
    with report_estimated_progress(
        f"first moves of {rules.name}", blocks, "blocks", quiet=quiet
    ) as update_progress:
        for answer in iter_openings_answers(question, rules):
            update_progress(answer.basis.blocks)
    print_sheet(compose(answer, find_looks), as_json=as_json)
