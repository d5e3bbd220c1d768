"""A measured ladder as Markdown: a page with a table for each ruleset, and a summary of one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.report.estimates import format_interval, format_share

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.measure.program_match import ProgramMatch
    from pipelines.records.ladder import LadderFile, Rung


def format_ladder_page(ladder: LadderFile, missing: int = 0, matches: Sequence[ProgramMatch] = ()) -> str:
    """Return the ladder as a Markdown page; `missing` is the number of steps that are not measured yet."""
    rungs, machine = ladder.rungs, ladder.machine
    unclear = [rung for rung in rungs if not rung.is_clear and not rung.is_curve]
    minutes = sum(rung.seconds for rung in rungs) / 60
    lines = [
        "# The ladder",
        "",
        "Each strategy plays against the one below it, on the same luck and in every seat. The command",
        "",
        "```sh",
        ladder.command,
        "```",
        "",
        f"measured it; this took {minutes:.0f} minutes of processor time on {machine['processor']}, {machine['cores']} cores,",
        f"{machine['system']}, Python {machine['python']}, until {machine['when']}.",
        "[plans](plans) has the steps. [ladder.json](ladder.json) has all figures in full precision, and for",
        "each step a command that reproduces it.",
        *([f"**{missing} steps are still missing.**"] if missing else []),
        "",
        "- A *block* is one luck, played once with each seating: each of the two strategies plays alone against the other",
        "  once in every seat. Games without dice start from random openings, the same for both.",
        "- *Points more*: the difference of mean scores, with its 95 % interval over blocks.",
        "- *Win share*: the share of wins of the strategy's side; a tie is split. 50 % if both are equal.",
        "- *µs a decision*: processor time on one core, including a share of playing the game; accurate to about 20 %.",
        "",
        _format_unclear_steps(unclear),
    ]
    for ruleset in dict.fromkeys(rung.ruleset for rung in rungs):
        of_ruleset = [rung for rung in rungs if rung.ruleset == ruleset]
        steps = [rung for rung in of_ruleset if not rung.is_curve]
        lines += _format_section(ruleset, steps, ladder.lowest_microseconds.get(ruleset))
        lines += _format_section(
            f"{ruleset}: what thinking longer brings", [rung for rung in of_ruleset if rung.is_curve]
        )
    lines += _format_matches(matches)
    return "\n".join(lines) + "\n"


def _format_section(title: str, rungs: Sequence[Rung], lowest_time: float | None = None) -> list[str]:
    if not rungs:
        return []
    fewer = " (fewer is better)" if rungs[0].lowest_wins else ""
    return [
        "",
        f"## {title}",
        "",
        f"| strategy | against | blocks | mean scores{fewer} | points more, 95 % | win share, 95 % | µs a decision |",
        "|---|---|---|---|---|---|---|",
        *([] if lowest_time is None else [f"| {rungs[0].against} | | | | | | {_format_time(lowest_time)} |"]),
        *(_format_row(rung) for rung in rungs),
    ]


def _format_time(microseconds: float) -> str:
    return f"{microseconds:,.{0 if microseconds >= 10 else 1}f}"


def _format_row(rung: Rung) -> str:
    spent = _format_time(rung.microseconds)
    return (
        f"| {rung.strategy} | {rung.against} | {rung.blocks} "
        f"| {rung.mean.estimate:.1f} and {rung.mean_against.estimate:.1f} | {format_interval(rung.difference)} "
        f"| {format_share(rung.win_share)} % | {spent} |"
    )


def _format_matches(matches: Sequence[ProgramMatch]) -> list[str]:
    if not matches:
        return []
    return [
        "",
        "## Outside programs",
        "",
        "Matches of programs against the strategies of the ladder. *CPU s a game*: processor time of each side in a game, in",
        "seconds; that of a program includes a share of its start.",
        "",
        "| ruleset | program | against | blocks | mean scores | points more, 95 % | win share, 95 % | CPU s a game |",
        "|---|---|---|---|---|---|---|---|",
        *(_format_match(match) for match in matches),
    ]


def _format_match(match: ProgramMatch) -> str:
    spent = "?" if match.program_seconds is None else f"{match.program_seconds:.2g}"
    return (
        f"| {match.ruleset} | {match.program.replace('|', ' ')} | {match.against} | {match.blocks} "
        f"| {match.mean.estimate:.1f} and {match.mean_against.estimate:.1f} | {format_interval(match.difference)} "
        f"| {format_share(match.win_share)} % | {spent} and {match.strategy_seconds:.2g} |"
    )


def _format_unclear_steps(unclear: Sequence[Rung]) -> str:
    if not unclear:
        return "At every step of a ladder the upper strategy is better: no interval includes zero."
    names = ", ".join(f"{rung.strategy} against {rung.against} ({rung.ruleset})" for rung in unclear)
    return f"**Steps whose interval includes zero, or at which the lower strategy is better:** {names}."
