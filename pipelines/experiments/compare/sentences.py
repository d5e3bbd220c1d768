"""The sentences of a comparison: who leads, and what follows from it. None claims more than its interval.

Each sentence begins with a name or a small letter and has no full stop, so that pages can continue it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from engine.counted_nouns import format_count
from pipelines.experiments.compare.verdict import difference_numbers, difference_words, is_less_better
from pipelines.statistics.planning import MIN_BLOCKS, allow_for_skewness
from pipelines.statistics.rounding import count_decimals, format_interval_numbers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pipelines.experiments.compare.pair_results import PartDifference
    from pipelines.experiments.compare.verdict import Verdict
    from pipelines.statistics.intervals import Interval

EVEN_PERCENT: Final = 50.0
"""The share of the wins of each of two equal strategies."""


class WinCount(NamedTuple):
    """The share of the games that a strategy wins, and their number."""

    name: str
    share: Interval | None
    """Ties are split."""
    blocks: int
    games: int


def write_headline(verdicts: Sequence[Verdict]) -> str:
    """Return the verdict on two strategies; for more, the strategy that is ahead of all others and by how much.

    `verdicts` holds one verdict for every two strategies.
    """
    if len(verdicts) == 1:
        return verdicts[0].sentence
    games = verdicts[0].findings.blocks * verdicts[0].findings.games_per_block
    fewer_wins = "fewer points win; " if is_less_better(verdicts[0].findings) else ""
    basis = f"{fewer_wins}{format_count(games, 'game')} each"
    leader = find_leader(verdicts)
    if leader is not None:
        leads = sorted(_leads_of(leader, verdicts))
        return f"{leader} leads: {_join_leads([lead for _, lead in leads])} ({basis})"
    equal = [_pair_words(one) for one in verdicts if one.kind in {"equal", "identical"}]
    open_pairs = [one for one in verdicts if one.kind in {"undecided", "too few blocks"}]
    beaten = {winner_and_loser(one)[1] for one in verdicts}
    unbeaten = dict.fromkeys(name for one in verdicts for name in one.findings.names if name not in beaten)
    further = [_pair_words(one) for one in open_pairs if not set(one.findings.names) <= set(unbeaten)]
    if len(further) < len(open_pairs):
        start = f"not enough games to say whether {' or '.join(unbeaten)} is best"
    elif further:
        start = "not enough games to say which strategy is best"
    else:
        start = "no strategy is ahead of all others"
    parts = [f"{start} ({basis})"]
    parts += [f"not decided: {', '.join(further)}"] if further else []
    parts += [f"equal: {', '.join(equal)}"] if equal else []
    return "; ".join(parts)


def find_leader(verdicts: Sequence[Verdict]) -> str | None:
    """Return the name of the strategy that is clearly ahead of every other one, or None."""
    for name in dict.fromkeys(name for verdict in verdicts for name in verdict.findings.names):
        against = [one for one in verdicts if name in one.findings.names and len(set(one.findings.names)) > 1]
        if against and all(winner_and_loser(one)[0] == name for one in against):
            return name
    return None


def _leads_of(name: str, verdicts: Sequence[Verdict]) -> list[tuple[float, tuple[str, str]]]:
    """Return the clear leads of a strategy: their size, the amount with its unit, and the strategy behind."""
    leads = []
    for verdict in verdicts:
        winner, loser = winner_and_loser(verdict)
        if winner == name and verdict.findings.difference:
            amount = difference_words(verdict.findings, is_turned=verdict.kind == "fewer")
            leads.append((abs(verdict.findings.difference.estimate), (amount, loser)))
    return leads


def winner_and_loser(verdict: Verdict) -> tuple[str, str]:
    """Return what sentences call the better and the worse strategy; two empty names if the verdict names none."""
    a, b = verdict.findings.names
    if verdict.better is None:
        return "", ""
    return (a, b) if verdict.better == verdict.findings.a else (b, a)


def _join_leads(leads: list[tuple[str, str]]) -> str:
    """Return "28 points ahead of mobility, 61 ahead of greedy": the unit stands once."""
    (amount, loser), *others = leads
    rest = [f"{further.partition(' ')[0]} ahead of {behind}" for further, behind in others]
    return ", ".join([f"{amount} ahead of {loser}", *rest])


def _pair_words(verdict: Verdict) -> str:
    return " and ".join(verdict.findings.names)


def write_lead(verdict: Verdict) -> str:
    """Return who of two strategies is ahead, with the interval; empty if this is not decided."""
    winner, loser = winner_and_loser(verdict)
    if not winner:
        return f"{_pair_words(verdict)} are equal" if verdict.kind in {"equal", "identical"} else ""
    is_turned = verdict.kind == "fewer"
    amount = difference_words(verdict.findings, is_turned=is_turned)
    _, low, high = difference_numbers(verdict.findings, is_turned=is_turned)
    return f"{winner} is {amount} ahead of {loser} ({low} to {high})"


def write_duel_wins(wins: WinCount) -> str:
    """Return how often one of two strategies wins; empty if there are not enough games."""
    if wins.share is None or wins.blocks < MIN_BLOCKS:
        return ""
    low, high = (100 * end for end in wins.share[1:])
    is_open = low <= EVEN_PERCENT <= high
    even = "; it is open who wins more often" if is_open else ""
    return f"{wins.name} wins {_win_words(wins)}{even}"


def write_mean_scores(means: Mapping[str, Interval | None]) -> str:
    """Return the mean scores of strategies, by what sentences call them; empty if one has no interval."""
    known = [mean for mean in means.values() if mean is not None]
    if len(known) < len(means):
        return ""
    decimals = count_decimals(known)
    texts = [
        "{} {} ({} to {})".format(name, *format_interval_numbers(mean, decimals=decimals))
        for name, mean in zip(means, known, strict=True)
    ]
    return f"mean scores: {', '.join(texts)}"


def write_all_wins(wins: Sequence[WinCount]) -> str:
    """Return how often each of several strategies wins the games that all of them play; empty if there are too few."""
    if any(one.share is None or one.blocks < MIN_BLOCKS for one in wins):
        return ""
    return "; ".join(f"{one.name} wins {_win_words(one)}" for one in wins)


def _win_words(wins: WinCount) -> str:
    """Return "89 of 100 games (86 to 91)"; where all games were won or lost, how many that were."""
    if wins.share is None:
        raise ValueError("The wins of fewer than two blocks are not known.")
    percent = wins.share.times(100)
    estimate, low, high = format_interval_numbers(percent, exact=(0.0, EVEN_PERCENT, 100.0), parts=2)
    if wins.share.estimate in {0.0, 1.0}:
        ends = format_interval_numbers(percent, exact=(0.0, EVEN_PERCENT, 100.0), parts=1)[1:]
        low, high = (f"{float(end):g}" if float(end) in {0.0, 100.0} else end for end in ends)
        every = "all" if wins.share.estimate else "none of the"
        return f"{every} {format_count(wins.games, 'game')} ({low} to {high} of 100)"
    return f"{estimate} of 100 games ({low} to {high})"


def write_same_luck(name: str, better: Interval | None, blocks: int) -> str:
    """Return how often a strategy does better than the other on the same seat with the same luck."""
    if better is None or blocks < MIN_BLOCKS:
        return ""
    percent = better.times(100)
    estimate, low, high = format_interval_numbers(percent, exact=(0.0, EVEN_PERCENT, 100.0), parts=2)
    if better.estimate in {0.0, 1.0}:
        which, bound = (
            ("every game", f"at least {low}") if better.estimate else ("no game", f"at most {high}")
        )
        return f"on the same seat with the same luck, {name} does better in {which} ({bound} of 100)"
    return f"on the same seat with the same luck, {name} does better in {estimate} of 100 games ({low} to {high})"


def write_largest_part(verdict: Verdict, parts: Sequence[PartDifference], titles: Mapping[str, str]) -> str:
    """Return in which part of the score the winner gains most; empty if no part is clearly the largest.

    `parts` are differences A - B in points, `titles` the names of the parts. One part, or two together, must be clearly
    larger than every other: their intervals, with the allowance for skewness that verdicts make, do not overlap with those
    of the others.
    """
    winner, _ = winner_and_loser(verdict)
    if not winner:
        return ""
    sign = -1 if (verdict.better == verdict.findings.a) == verdict.findings.lowest_wins else 1
    gains = sorted(
        ((part.difference.times(sign), part.part, part.least_blocks) for part in parts), reverse=True
    )
    judged = [allow_for_skewness(gain, verdict.findings.blocks, least) for gain, _, least in gains]
    for count in (1, 2):
        top = gains[:count]
        bound = max([0.0, *(other.high for other in judged[count:])])
        if len(top) == count and all(gain.low > bound for gain in judged[:count]):
            break
    else:
        return ""
    word = "fewer" if verdict.findings.lowest_wins else "more"
    told = [(titles.get(part, part).lower(), *format_interval_numbers(gain)) for gain, part, _ in top]
    if count == 1:
        ((title, points, low, high),) = told
        return f"the largest difference lies in {title}: {winner} gets {points} points {word} there ({low} to {high})"
    places = " and ".join(
        f"{title} ({points} points {word}, {low} to {high})" for title, points, low, high in told
    )
    return f"the largest differences lie in {places}, for {winner}"
