"""What means by part, by round and by player look like: charts of the means and of their differences, and the means as a table."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from pipelines.questions.scores.distributions import add_half_widths
from pipelines.report.charts import Estimate, Intervals, Lines, Mark, overlay_panels
from pipelines.report.score_tables import tabulate_means
from pipelines.report.sheet import NUMBERS, Part
from pipelines.statistics.rounding import set_minus_signs
from pipelines.viewer.palette import TOGETHER_LOOK, seat_looks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pipelines.questions.scores.means import MeansAnswer, PlaceMean
    from pipelines.viewer.palette import SeriesLook

    Looks = Mapping[str, SeriesLook]


class _MeansView(NamedTuple):
    """How a chart draws means, and what it says of them."""

    axis: str
    title: str
    caption: str


_MEANS_VIEWS: Final = {
    "part": _MeansView(
        "mean points",
        "Mean points of each part of the score",
        "Mean points of each part of the score with 95 % intervals. They add up to the mean score.",
    ),
    "round": _MeansView(
        "mean score in points",
        "Mean score by round",
        "Mean score after each round, as if the game ended there, with all that costs points at its end. Rounds that fewer than one game in ten reached are left out.",
    ),
}
_LEAD_CAPTIONS: Final = {
    "round": "The difference of the mean scores; its interval adds those of both means. Late rounds are those of long games alone.",
    "part": "The difference of the mean points of each part; its interval adds those of both means.",
}
_PLAYER_VIEWS: Final = tuple(
    (
        _MeansView(
            f"{unit} more as player 1 than as player 2",
            f"{title} as player 1, compared with {those} as player 2",
            f"By how much the {subject} as player 1 differs from {those} as player 2, with its 95 % interval.",
        ),
        _MeansView(
            f"{unit} more than on average",
            f"{title} of each player, compared with the average of all players",
            f"By how much the {subject} of each player differs from the average of all players of the same strategy, with 95 % intervals "
            "that hold for all players at once.",
        ),
    )
    for unit, title, those, subject in (
        ("points", "Mean score", "that", "mean score"),
        ("wins of 100", "Wins", "those", "share of the wins"),
    )
)
"""How the scores of players are drawn, and their wins: of two players, and of more."""
_PLACES: Final = {"Parts": "part", "Course": "round", "Players": "player"}
"""What the means of a view are by."""


def list_mean_parts(answer: MeansAnswer, looks: Looks) -> Iterator[Part]:
    """Yield the chart of what is compared, that of the means, and the means as numbers."""
    if not answer.means:
        return
    place = _PLACES[answer.question.view]
    if place == "player":
        yield from _list_player_charts(answer, looks)
        yield _list_mean_numbers(answer, place)
        return
    view = _MEANS_VIEWS[place]
    pooled = (
        " The scores by round are counted for all players together."
        if place == "round" and answer.scope.seats
        else ""
    )
    if answer.lines[1:]:
        lead = _draw_lead(answer, place, looks)
        together = _add_up(lead.estimates) if place == "part" and len(answer.lines) == 2 else ""
        yield Part("lead", lead, caption=f"{_LEAD_CAPTIONS[place]}{together}")
    estimates = _make_estimates(answer.means, looks)
    chart: Lines | Intervals = (
        Lines(estimates, "round", view.axis, view.title)
        if place == "round"
        else Intervals(_name_part_rows(estimates), view.axis, view.title, "result", starts_at_zero=True)
    )
    yield Part("means", chart, caption=f"{view.caption}{pooled}")
    yield _list_mean_numbers(answer, place)


def _list_mean_numbers(answer: MeansAnswer, place: str) -> Part:
    """Return the means as numbers; files have the names of parts that run files have."""
    of_file = tabulate_means([replace(mean, at=mean.part or mean.at) for mean in answer.means], place)
    return Part(NUMBERS, tabulate_means(answer.means, place), "details", numbers=of_file)


def _draw_lead(answer: MeansAnswer, place: str, looks: Looks) -> Lines | Intervals:
    """Return by how many points the best strategy is ahead of the next one at each place, or other rulesets of the first one."""
    base, *others = answer.lines
    is_one = len(answer.scope.rulesets) == 1
    pairs = [(base, other) for other in others] if is_one else [(other, base) for other in others]
    ruleset_looks = list(seat_looks(len(answer.lines)).values())
    estimates = [
        Estimate(
            point.at,
            "",
            line.name if is_one else line.ruleset_name,
            add_half_widths(point.mean, beside.mean),
            min(point.results, beside.results),
            looks[line.strategy] if is_one else ruleset_looks[number],
        )
        for number, (line, other) in enumerate(pairs, start=1)
        for point in line.points
        if (beside := other.find_point(point.at))
    ]
    than = others[0].name if is_one else base.ruleset_name
    who = base.name if is_one else f"{base.name} under other rulesets"
    title = f"How many points {who} has more than {'' if is_one else 'under '}{than}, by {place}"
    if place == "round":
        return Lines(estimates, place, "points more", title, mark=Mark(0))
    return Intervals(_name_part_rows(estimates), "points more", title, "result", Mark(0, "as many"))


def _add_up(estimates: Sequence[Estimate]) -> str:
    """Return the sentence that the differences of all parts are that of the scores, with a space in front."""
    amounts = [estimate.mean.estimate for estimate in estimates]
    terms = " ".join(f"{amount:+.1f}" for amount in amounts)
    return set_minus_signs(f" They add up to {sum(amounts):+.0f}: {terms}.")


def _name_part_rows(estimates: Sequence[Estimate]) -> list[Estimate]:
    """Return the lines of each part in a panel of its own; a single line is a row for each part."""
    heads = list(dict.fromkeys(estimate.panel for estimate in estimates))
    if len({estimate.name for estimate in estimates}) == 1:
        return list(estimates)

    def name_row(estimate: Estimate) -> Estimate:
        head = [estimate.panel] if len(heads) > 1 else []
        return replace(estimate, panel=" · ".join([*head, str(estimate.at)]), at=estimate.name)

    return _gather_panels(
        [name_row(estimate) for head in heads for estimate in estimates if estimate.panel == head]
    )


def _gather_panels(rows: Sequence[Estimate]) -> list[Estimate]:
    """Return the rows of each panel beside each other, the panels in the order of their first rows."""
    panels = list(dict.fromkeys(row.panel for row in rows))
    return sorted(rows, key=lambda row: panels.index(row.panel))


def _list_player_charts(answer: MeansAnswer, looks: Looks) -> Iterator[Part]:
    """Yield a chart of how the scores of the players differ, and of one ruleset that of their wins: of two players one difference says all."""
    if not answer.edges:
        return
    is_pair, is_one = all(seats.is_pair for seats in answer.edges), len(answer.scope.rulesets) == 1
    every = sorted(
        answer.edges if is_one else answer.chosen_edges,
        key=lambda seats: (len(seats.names) == 1, seats.names),
    )
    every = every if is_pair else [seats.compare_with_average() for seats in every]
    mark = Mark(0, "no difference" if is_pair else "average")
    for key, views in zip(("means", "wins"), _PLAYER_VIEWS, strict=True):
        view, rows = views[not is_pair], list[Estimate]()
        for seats in every:
            name, *others = seats.names
            look = TOGETHER_LOOK if others else looks[seats.strategies[0]]
            words = ["all together" if others else name, *([] if is_one else [seats.ruleset_name])]
            edges = (
                seats.edges if key == "means" else {at: edge.times(100) for at, edge in seats.wins.items()}
            )
            for at, edge in edges.items():
                panel, place = (words[1:], words[0]) if is_pair else (words, f"player {at}")
                line = words[0] if is_one else seats.ruleset_name
                rows.append(Estimate(place, " · ".join(panel), line, edge, seats.blocks, look))
        if key == "wins" and len({tuple(round(end, 9) for end in row.mean) for row in rows}) == 1:
            rows = rows[:1]  # two players: what one wins as player 1, the other loses as player 2
        if any(any(row.mean) for row in rows) and (is_one or key == "means"):
            chart = Intervals(_gather_panels(rows), view.axis, view.title, "block", mark)
            yield Part(key, chart, caption=view.caption)


def _make_estimates(means: Sequence[PlaceMean], looks: Looks) -> list[Estimate]:
    """Return what charts draw of means: if there are several rulesets, a panel for each strategy, with a line for each ruleset."""
    estimates = [
        Estimate(mean.at, mean.ruleset_name, mean.name, mean.mean, mean.results, looks[mean.strategy])
        for mean in means
    ]
    return overlay_panels(estimates) if len({mean.ruleset for mean in means}) > 1 else estimates
