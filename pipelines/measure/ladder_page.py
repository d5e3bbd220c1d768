"""A measured ladder as Markdown: a table for every ruleset, and a line for a reader in a hurry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pipelines.experiments.compare.verdict import format_interval_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.measure.rungs import Rung
    from pipelines.statistics import Interval

LADDER_COMMAND: Final = "python -m pipelines.measure.ladder"


def format_ladder_page(rungs: Sequence[Rung], machine: dict[str, Any], missing: int = 0) -> str:
    """Return the ladder as a page; `missing` steps are said to be so."""
    unclear = [rung for rung in rungs if not rung.is_clear and not rung.is_curve]
    minutes = sum(rung.seconds for rung in rungs) / 60
    lines = [
        "# The ladder",
        "",
        "Every strategy against the one below it, on the same luck in every seat. It comes from",
        "",
        "```sh",
        LADDER_COMMAND,
        "```",
        "",
        f"and took {minutes:.0f} minutes of processor time on {machine['processor']}, {machine['cores']} cores,",
        f"{machine['system']}, Python {machine['python']}, until {machine['when']}.",
        "What is measured stands in [ladder.toml](ladder.toml); [ladder.json](ladder.json) has every figure in full, and",
        "a command that makes it again.",
        *([f"**{missing} steps are still missing.**"] if missing else []),
        "",
        "- A *block* is one luck, played once with each seating: in every seat each of the two alone among the other.",
        "  Games without dice start from random openings, the same for both.",
        "- *Points more*: the difference of mean scores, with its 95 % interval over blocks.",
        "- *Win share*: of the strategy's side, ties split; 50 % if both are equal.",
        "- *µs a decision*: processor time on one core, with its share of playing the game; good to a fifth or so.",
        "",
        _format_unclear_steps(unclear),
    ]
    for ruleset in dict.fromkeys(rung.ruleset for rung in rungs):
        own = [rung for rung in rungs if rung.ruleset == ruleset]
        lines += _format_section(ruleset, [rung for rung in own if not rung.is_curve])
        lines += _format_section(
            f"{ruleset}: what thinking longer brings", [rung for rung in own if rung.is_curve]
        )
    return "\n".join(lines) + "\n"


def format_ladder_summary(rungs: Sequence[Rung], ruleset: str) -> str:
    """Return the ladder of one ruleset in a line: after each strategy what it has more than the one before."""
    own = [rung for rung in rungs if rung.ruleset == ruleset and not rung.is_curve]
    return " → ".join(
        [own[0].against, *(f"{rung.strategy} {format_interval(rung.difference)}" for rung in own)]
    )


def format_interval(interval: Interval, scale: float = 1) -> str:
    """Write an estimate with its interval, in as many digits as it deserves."""
    scaled = type(interval)(*(scale * value for value in interval))
    return "{} ({} to {})".format(
        *format_interval_numbers(scaled, exact=(0.0, 50.0, 100.0) if scale != 1 else (0.0,))
    )


def _format_section(title: str, rungs: Sequence[Rung]) -> list[str]:
    if not rungs:
        return []
    fewer = " (fewer is better)" if rungs[0].lowest_wins else ""
    return [
        "",
        f"## {title}",
        "",
        f"| strategy | against | blocks | mean scores{fewer} | points more, 95 % | win share, 95 % | µs a decision |",
        "|---|---|---|---|---|---|---|",
        *(_format_row(rung) for rung in rungs),
    ]


def _format_row(rung: Rung) -> str:
    spent = f"{rung.microseconds:,.{0 if rung.microseconds >= 10 else 1}f}"
    return (
        f"| {rung.strategy} | {rung.against} | {rung.blocks} "
        f"| {rung.mean.estimate:.1f} and {rung.mean_against.estimate:.1f} | {format_interval(rung.difference)} "
        f"| {format_interval(rung.win_share, 100)} % | {spent} |"
    )


def _format_unclear_steps(unclear: Sequence[Rung]) -> str:
    if not unclear:
        return "Every step of a ladder is up, with an interval clear of zero."
    named = ", ".join(f"{rung.strategy} against {rung.against} ({rung.ruleset})" for rung in unclear)
    return f"**Not clearly up:** {named}."
