"""The command that says what a rule changes: rule."""

from pathlib import Path
from typing import Annotated

import typer

from pipelines.cli import completion, options
from pipelines.cli.output import print_sheet, print_text
from pipelines.cli.progress import compile_rulesets, report_estimated_progress
from pipelines.cli.question_options import FROM_FIELD, asks


@asks("pipelines.questions.rule_effect:RuleEffectQuestion")
def rule(
    ruleset: Annotated[str, options.ruleset_argument()],
    *,
    vary: Annotated[list[str], typer.Option("--vary", metavar="RULE=VALUES")] = FROM_FIELD,
    against: Annotated[
        str, typer.Option("--against", metavar="RULESET", autocompletion=completion.complete_rulesets)
    ] = FROM_FIELD,
    lineup: Annotated[
        str, typer.Option("--strategies", metavar="A,B[,C,D]", autocompletion=completion.complete_strategies)
    ] = FROM_FIELD,
    target: Annotated[str, typer.Option("--target", metavar="WORDS")] = FROM_FIELD,
    blocks: Annotated[int, typer.Option("--blocks", metavar="N")] = FROM_FIELD,
    seed: Annotated[int, typer.Option("--seed", metavar="SEED")] = FROM_FIELD,
    data: options.DataOption = None,
    as_json: options.JsonOption = False,
    quiet: options.QuietOption = False,
) -> None:
    """Say what other values of a rule, or another ruleset, change.

    All rulesets get the same luck. The games are played now and not saved: the same seed gives the same answer. docs/rules.md
    explains it.
    """
    from engine.catalogue import Catalogue
    from pipelines.questions.address import make_question
    from pipelines.questions.rule_effect import (
        ALL_RULES,
        RuleEffectQuestion,
        estimate_rule_effect,
        iter_rule_effect_answers,
    )
    from pipelines.questions.source import QuestionSource
    from pipelines.report.compose import compose
    from pipelines.report.rule_words import announce_work

    library = options.open_library(data)
    rules, find_looks = options.find_ruleset(library, ruleset), QuestionSource(library).find_looks
    values = tuple(vary or ()) or (() if against else (ALL_RULES,))
    catalogue = library.catalogue
    if catalogue.rulesets.get(rules.name) != rules:  # a file outside of the library
        catalogue = Catalogue((Path(ruleset).parent, *catalogue.folders))
    question = make_question(
        RuleEffectQuestion,
        {
            "ruleset": rules.name,
            "vary": values,
            "against": against,
            "lineup": lineup,
            "target": target,
            "blocks": blocks,
            "seed": seed,
        },
    )
    compile_rulesets([rules], quiet=quiet)
    if not quiet and (announcement := announce_work(estimate_rule_effect(question, catalogue))):
        print_text(announcement, err=True)
    with report_estimated_progress(
        f"rules of {rules.name}", blocks, "blocks", quiet=quiet
    ) as update_progress:
        for number, answer in enumerate(iter_rule_effect_answers(question, catalogue)):
            if number == 0 and not answer.is_finished and not quiet:
                print_text(compose(answer, find_looks).verdict, err=True)
            update_progress(answer.basis.blocks)
    print_sheet(compose(answer, find_looks), as_json=as_json)
