"""The sentences of a comparison: who leads, what follows from it, and what was compared. None claims more than its interval.

Each sentence begins with a name or a small letter and has no full stop, so that pages can continue it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from engine.games import find_game
from engine.wording import format_count, name_amount
from pipelines.design.metrics import METRICS
from pipelines.design.short_names import short_names
from pipelines.experiments import pair_results
from pipelines.questions.scores.distributions import add_half_widths, find_sign
from pipelines.questions.scores.scope import describe_copies
from pipelines.report.estimates import write_bound
from pipelines.statistics.intervals import Interval, wilson
from pipelines.statistics.planning import MIN_BLOCKS, allow_for_skewness
from pipelines.statistics.rounding import IntervalNumbers, count_decimals, format_interval_numbers
from pipelines.statistics.sequential import MIN_DIFFERING_BLOCKS

if TYPE_CHECKING:
    from pipelines.experiments.comparison import Comparison

EVEN_PERCENT: Final = 50.0
"""The share of the wins of each of two equal strategies."""


class WinCount(NamedTuple):
    """The share of the games that a strategy wins, and their number."""

    name: str
    share: Interval | None
    """Ties are split."""
    blocks: int
    games: int


def write_comparison(comparison: Comparison) -> str:
    """Return the main result in a sentence. That of an unfinished run begins with how many of its blocks it counts."""
    if comparison.copies:
        return describe_copies(comparison.copies)
    headline = write_headline([pair.verdict for pair in comparison.pairs])
    if comparison.is_finished or comparison.blocks == comparison.planned_blocks:
        return headline
    limit = "at most " if comparison.most_blocks is not None else ""
    planned = format_count(comparison.planned_blocks, "block")
    return f"so far, after {comparison.blocks:,} of {limit}{planned}: {headline}"


def write_headline(verdicts: Sequence[pair_results.Verdict]) -> str:
    """Return the verdict on two strategies; for more, the strategy that is ahead of all others and by how much.

    `verdicts` holds one verdict for every two strategies.
    """
    if len(verdicts) == 1:
        return write_verdict(verdicts[0])
    games = verdicts[0].findings.blocks * verdicts[0].findings.games_per_block
    fewer_wins = "fewer points win; " if pair_results.is_less_better(verdicts[0].findings) else ""
    basis = f"{fewer_wins}{format_count(games, 'game')} each"
    leader = find_leader(verdicts)
    if leader is not None:
        leads = sorted(_leads_of(leader, verdicts))
        return f"{leader} leads: {_join_leads([lead for _, lead in leads])} ({basis})"
    equal = [_pair_words(verdict) for verdict in verdicts if verdict.kind in {"equal", "identical"}]
    open_pairs = [verdict for verdict in verdicts if verdict.kind in {"undecided", "too few blocks"}]
    beaten = {winner_and_loser(verdict)[1] for verdict in verdicts}
    unbeaten = dict.fromkeys(
        name for verdict in verdicts for name in verdict.findings.names if name not in beaten
    )
    further = [
        _pair_words(verdict) for verdict in open_pairs if not set(verdict.findings.names) <= set(unbeaten)
    ]
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


def find_leader(verdicts: Sequence[pair_results.Verdict]) -> str | None:
    """Return the name of the strategy that is clearly ahead of every other one, or None."""
    for name in dict.fromkeys(name for verdict in verdicts for name in verdict.findings.names):
        against = [
            verdict
            for verdict in verdicts
            if name in verdict.findings.names and len(set(verdict.findings.names)) > 1
        ]
        if against and all(winner_and_loser(verdict)[0] == name for verdict in against):
            return name
    return None


def _leads_of(name: str, verdicts: Sequence[pair_results.Verdict]) -> list[tuple[float, tuple[str, str]]]:
    """Return the clear leads of a strategy: their size, the amount with its unit, and the strategy behind."""
    leads = []
    for verdict in verdicts:
        winner, loser = winner_and_loser(verdict)
        if winner == name and verdict.findings.difference:
            amount = difference_words(verdict.findings, is_turned=verdict.kind == "fewer")
            leads.append((abs(verdict.findings.difference.estimate), (amount, loser)))
    return leads


def winner_and_loser(verdict: pair_results.Verdict) -> tuple[str, str]:
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


def _pair_words(verdict: pair_results.Verdict) -> str:
    return " and ".join(verdict.findings.names)


def write_lead(verdict: pair_results.Verdict) -> str:
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


def write_disagreement(pair: pair_results.PairResult, comparison: Comparison) -> str:
    """Return who of two strategies is ahead in points and who wins more games, if these clearly differ; else an empty text."""
    findings, sides = pair.verdict.findings, {side.strategy: side for side in comparison.sides}
    a, b, is_rotated = sides[pair.a], sides[pair.b], comparison.arrangement == "rotate"
    if pair.verdict.kind == "too few blocks" or not (a.score and b.score and a.win_share and b.win_share):
        return ""
    points = pair.difference
    if findings.metric.is_share:  # in a round robin, their mean scores are also of games with others
        points = None if comparison.arrangement == "round-robin" else add_half_widths(a.score, b.score)
    turned = findings.lowest_wins and (findings.metric.is_share or findings.metric.follows_scores)
    by_points = find_sign(points) * (-1 if turned else 1) if points else 0
    by_wins = 0
    if is_rotated:  # several others win the other games
        by_wins = find_sign(add_half_widths(a.win_share, b.win_share))
    elif pair.win_share:
        by_wins = int(pair.win_share.low > EVEN_PERCENT / 100) - int(pair.win_share.high < EVEN_PERCENT / 100)
    if by_points * by_wins >= 0:
        return ""
    scorer, winner = findings.names[::by_points]
    return f"points and wins disagree: {scorer} is ahead in points, {winner} wins more games"


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
    if any(win.share is None or win.blocks < MIN_BLOCKS for win in wins):
        return ""
    return "; ".join(f"{win.name} wins {_win_words(win)}" for win in wins)


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


def write_largest_part(
    verdict: pair_results.Verdict, parts: Sequence[pair_results.PartDifference], titles: Mapping[str, str]
) -> str:
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
    largest = [(titles.get(part, part).lower(), *format_interval_numbers(gain)) for gain, part, _ in top]
    if count == 1:
        ((title, points, low, high),) = largest
        return f"the largest difference lies in {title}: {winner} gets {name_amount(points)} {word} there ({low} to {high})"
    places = " and ".join(
        f"{title} ({name_amount(points)} {word}, {low} to {high})" for title, points, low, high in largest
    )
    return f"the largest differences lie in {places}, for {winner}"


def list_consequences(comparison: Comparison) -> tuple[str, ...]:
    """Return what follows from a comparison; nothing that the games do not show is claimed."""
    write = _duel_consequences if len(comparison.pairs) == 1 else _field_consequences
    sentences = write(comparison)
    return tuple(sentence for sentence in sentences if sentence)


def _duel_consequences(comparison: Comparison) -> list[str]:
    (pair,), sides = comparison.pairs, comparison.sides
    if pair.verdict.kind in {"identical", "too few blocks"}:
        return []
    is_turned = pair.verdict.better == pair.b
    name = pair.verdict.findings.names[1 if is_turned else 0]
    games = pair.blocks * pair.games_per_block
    wins = WinCount(name, _complement_if(pair.win_share, is_turned=is_turned), pair.blocks, games)
    better = _complement_if(pair.better, is_turned=is_turned)
    called = dict(zip((pair.a, pair.b), pair.verdict.findings.names, strict=True))
    means = {called[side.strategy]: side.score for side in sides}
    ordered = {mean: means[mean] for mean in sorted(means, key=lambda mean: mean != name)}
    return [
        write_disagreement(pair, comparison),
        "; ".join(filter(None, (write_duel_wins(wins), write_mean_scores(ordered)))),
        write_largest_part(pair.verdict, pair.parts, find_game(comparison.game).parts),
        write_same_luck(name, better, pair.blocks),
    ]


def _field_consequences(comparison: Comparison) -> list[str]:
    pairs, sides = comparison.pairs, comparison.sides
    order = pair_results.rank_strategies(pairs)
    names = short_names(comparison.strategies)
    between = {frozenset((pair.a, pair.b)): pair for pair in pairs}
    leader = find_leader([pair.verdict for pair in pairs])
    neighbours = [between[frozenset(two)] for two in pairwise(order) if len(set(two)) > 1]
    sentences = [
        write_lead(pair.verdict)
        for pair in neighbours
        if leader is None or leader not in pair.verdict.findings.names
    ]
    sentences += [write_disagreement(pair, comparison) for pair in pairs]
    if comparison.arrangement == "rotate":
        blocks = pairs[0].blocks
        by_name = {side.strategy: side for side in sides}
        sentences.append(
            write_all_wins(
                [
                    WinCount(
                        names[index], by_name[index].win_share, blocks, blocks * comparison.games_per_block
                    )
                    for index in order
                ]
            )
        )
    elif leader is not None and neighbours:
        sentences += [_wins_against(pair) for pair in pairs if leader in pair.verdict.findings.names]
    if neighbours:
        sentences.append(
            write_largest_part(neighbours[0].verdict, neighbours[0].parts, find_game(comparison.game).parts)
        )
    return sentences


def _wins_against(pair: pair_results.PairResult) -> str:
    winner, loser = winner_and_loser(pair.verdict)
    is_turned = pair.verdict.better == pair.b
    share = _complement_if(pair.win_share, is_turned=is_turned)
    wins = write_duel_wins(WinCount(winner, share, pair.blocks, pair.blocks * pair.games_per_block))
    return wins and f"against {loser}, {wins}"


def _complement_if(share: Interval | None, *, is_turned: bool) -> Interval | None:
    """Return the share of the other strategy if `is_turned`."""
    if share is None or not is_turned:
        return share
    return Interval(1 - share.estimate, 1 - share.high, 1 - share.low)


def write_verdict(verdict: pair_results.Verdict) -> str:
    """Return the verdict on two strategies in a sentence.

    >>> from pipelines.experiments.pair_results import Findings, make_verdict
    >>> findings = Findings(
    ...     a="planner", b="greedy", difference=Interval(6.1, 5.2, 7.0), p=0.0001,
    ...     blocks=400, games_per_block=3, differing=398, win_share=Interval(0.58, 0.55, 0.61),
    ... )
    >>> write_verdict(make_verdict(findings))
    'planner beats greedy by 6.1 points a game (95 % interval 5.2 to 7.0; 1,200 games)'
    """
    kind, better, findings = verdict.kind, verdict.better, verdict.findings
    a, b = findings.names
    if kind == "too few blocks" or findings.difference is None:
        games = format_count(findings.games_per_block, "game")
        played = f"{format_count(findings.blocks, 'block')} of {games}"
        return (
            f"not enough games to compare {a} with {b}: {played}, but at least {MIN_BLOCKS} blocks are needed"
        )
    if kind == "identical":
        bound = write_bound(wilson(0, findings.blocks), "blocks") if findings.a != findings.b else ""
        return f"no difference between {a} and {b} in any of {_games_words(findings)}{bound and f' ({bound} would differ)'}"
    if kind not in {"more", "fewer"}:
        difference = f"{a} minus {b} is {difference_words(findings)} {_interval_words(findings)}"
        if kind == "equal":
            return f"{a} and {b} are equal within {_margin_words(findings)}: {difference}"
        return (
            f"not enough games to say whether {a} or {b} is better: {difference}{_undecided_reason(findings)}"
        )
    amount = difference_words(findings, is_turned=kind == "fewer")
    interval = _interval_words(findings, is_turned=kind == "fewer")
    if better is None:
        more, fewer = (a, b) if kind == "more" else (b, a)
        sentence = findings.metric.exceeds.format(more=more, fewer=fewer, amount=amount)
        return f"{sentence} {interval}, which is within the margin of {_margin_words(findings)}"
    winner, loser = winner_and_loser(verdict)
    return f"{findings.metric.wins.format(winner=winner, loser=loser, amount=amount)} {interval}"


def difference_words(findings: pair_results.Findings, *, is_turned: bool = False) -> str:
    """Return the difference A - B with its unit, such as "6.1 points"; B - A if `is_turned`.

    Raises ValueError if there is no difference.
    """
    amount, _, _ = difference_numbers(findings, is_turned=is_turned)
    return f"{amount} {findings.metric.one if amount == '1' else findings.metric.many}"


def difference_numbers(findings: pair_results.Findings, *, is_turned: bool = False) -> IntervalNumbers:
    """Return the difference A - B and the ends of its interval as text, in the unit of sentences; B - A if `is_turned`.

    Raises ValueError if there is no difference.
    """
    if findings.difference is None:
        raise ValueError("The difference of fewer than two blocks is not known.")
    scale = findings.metric.scale
    margin = (findings.margin or 0.0) * scale
    difference = findings.difference.times(-scale if is_turned else scale)
    return format_interval_numbers(difference, exact=(0.0, -margin, margin))


def _interval_words(findings: pair_results.Findings, *, is_turned: bool = False) -> str:
    _, low, high = difference_numbers(findings, is_turned=is_turned)
    fewer_wins = "fewer points win; " if pair_results.is_less_better(findings) else ""
    at_every_look = " at every look" if findings.is_sequential else ""
    interval = f"{findings.level * 100:g} % interval {low} to {high}{at_every_look}"
    return f"({fewer_wins}{interval}; {_games_words(findings)})"


def _games_words(findings: pair_results.Findings) -> str:
    return format_count(findings.blocks * findings.games_per_block, "game")


def _undecided_reason(findings: pair_results.Findings) -> str:
    """Return why there is no decision: the test, the skewness, or the number of blocks."""
    if findings.is_sequential and findings.differing < MIN_DIFFERING_BLOCKS:
        return f"; a decision needs {MIN_DIFFERING_BLOCKS} blocks that differ, and {findings.differing} do"
    if findings.is_sequential:
        return ""
    if findings.difference is not None and (findings.difference.low > 0 or findings.difference.high < 0):
        if findings.p > 1 - findings.level:
            return f"; the sign-flip test finds no difference (p = {findings.p:.2g})"
        return f"; the differences are so skewed that {findings.least_blocks:,} blocks are needed"
    if not findings.detectable:
        return ""
    amount = f"{findings.detectable * findings.metric.scale:.2g} {findings.metric.many}"
    return f"; a difference of {amount} would be detected with a probability of 80 %"


def _margin_words(findings: pair_results.Findings) -> str:
    amount = (findings.margin or 0.0) * findings.metric.scale
    return f"{amount:g} {findings.metric.one if amount == 1 else findings.metric.many}"


def describe_validity(comparison: Comparison) -> str:
    """Return which intervals allow for the decision to stop, as a sentence; empty if the number of blocks was fixed."""
    if comparison.most_blocks is None:
        return ""
    if not comparison.is_sequential:
        return (
            "another metric decides when to stop, so no interval allows for the stop: all are those of a fixed number "
            "of blocks"
        )
    return (
        "only the intervals of the difference that decides when to stop are valid at every look, as long as the blocks "
        "played are typical of those to come; all others are those of a fixed number of blocks"
    )


_ARRANGEMENT_WORDS: Final = {
    "duel": "{a} plays one seat against {b} on all others, and the other way round, for every seat",
    "round-robin": (
        "every two strategies play each other: {a} on one seat against {b} on all others, and the other way round, "
        "for every seat"
    ),
    "rotate": "every strategy plays one seat in every game, in all rotations of the line-up",
}


def describe_estimand(comparison: Comparison) -> str:
    """Return what is compared, with the names of two strategies, or with A and B for those of every pair."""
    opening = f" and begin with the same {comparison.opening} random plies" if comparison.opening else ""
    names = short_names(comparison.strategies)
    is_one_pair = len(names) == len(comparison.strategies) == 2
    a, b = names.values() if is_one_pair else ("A", "B")
    if comparison.arrangement != "rotate" and comparison.players == 2:
        arrangement = "{a} and {b} play each other, once with each of them in the first seat"
    else:
        arrangement = _ARRANGEMENT_WORDS[comparison.arrangement]
    return (
        f"{'' if is_one_pair else 'for strategies A and B, '}{METRICS[comparison.metric].estimand.format(a=a, b=b)}, averaged over "
        f"the games of a block. In a block, {arrangement.format(a=a, b=b)}. "
        f"All games of a block have the same luck{opening}. Intervals and tests count blocks, not games."
    )
