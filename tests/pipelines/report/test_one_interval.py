"""One number has one interval: what the sentences on scores say of an estimate is what their pictures and tables show of it."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest

from pipelines.questions.address import split_address
from pipelines.report.charts import Histogram, Intervals, Lines
from pipelines.report.sheet import Sheet, SquareMaps
from pipelines.report.table import Table
from pipelines.statistics import Interval
from pipelines.studies.study import StudySource, compose_address

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipelines.runs.library import Library

pytestmark = pytest.mark.slow

ADDRESSES: Final = (
    "/scores?runs=plain",
    "/scores?rulesets=bloxx-2p&of=Gaps",
    "/scores?rulesets=bloxx-2p&view=Players",
    "/scores?rulesets=bloxx-2p&view=Parts",
    "/scores?rulesets=bloxx-2p&view=Parts&strategies=greedy",
    "/scores?rulesets=bloxx-2p&view=Course&strategies=greedy",
    "/scores?rulesets=bloxx-2p&view=Length",
    "/scores?rulesets=bloxx-2p&view=Squares",
    "/scores?rulesets=bloxx-2p&view=Squares&strategies=greedy",
    "/scores?rulesets=bloxx-2p&view=Squares&map=First+placement",
    *(f"/scores?rulesets=bloxx-2p&view=Moves&by={by}" for by in ("first+move", "first+piece", "first+roll")),
    *(
        f"/scores?runs=plain&view=Decisions&measure={measure}&grouped-by={by}"
        for measure in ("lost+points", "lost+wins", "slips", "luck", "choices")
        for by in ("round", "player", "strategy")
    ),
)
_NUMBER: Final = r"(?<![\w.,])−?\d[\d,]*(?:\.\d+)?(?!\w)"
_ENDS: Final = re.compile(r"(−?[\d,]+(?:\.\d+)?) to (−?[\d,]+(?:\.\d+)?)(?= |;|$| %)")
_IS_DIFFERENCE: Final = re.compile(r" (?:points? |rounds )?(?:more|fewer|longer|shorter)\b")
"""Differences of two estimates stand in no picture of them."""


class Claim(NamedTuple):
    """An estimate with the ends of its interval, as a sentence writes them."""

    estimate: str
    low: str
    high: str


def read_number(text: str) -> float:
    return float(text.replace("−", "-").replace(",", ""))


def rounds_to(value: float, text: str) -> bool:
    """Return whether a value is written so, whatever its sign."""
    half: float = 0.5 * 10.0 ** -len(text.partition(".")[2])
    return abs(abs(value) - abs(read_number(text))) <= half * 1.001


def iter_claims(text: str) -> Iterator[Claim]:
    """Yield the estimates of a text: the last number before the brackets with the ends, or the first one inside of them."""
    text, end = re.sub(r"(player) \d|(wins) of 100", r"\1\2", text), 0
    for brackets in re.finditer(r"\(([^()]*)\)", text):
        ends, clause = _ENDS.search(brackets[1]), text[end : brackets.start()]
        end = brackets.end()
        inside = re.match(rf"({_NUMBER}), (?=−?\d)", brackets[1])
        before = list(re.finditer(_NUMBER, clause))
        if not ends or not (inside or before):
            continue
        if inside:
            yield Claim(inside[1], ends[1], ends[2])
        elif not _IS_DIFFERENCE.match(clause, before[-1].end()):
            yield Claim(before[-1][0], ends[1], ends[2])


def list_intervals(sheet: Sheet) -> list[Interval]:
    """Return the intervals of all pictures and tables of a sheet; shares also as per cent."""
    intervals: list[Interval] = []
    for part in sheet.parts:
        content = part.content
        if isinstance(content, Intervals | Lines):
            intervals += [estimate.mean for estimate in content.estimates]
        elif isinstance(content, Histogram):
            intervals += [series.mean for series in content.series if series.mean]
        elif isinstance(content, Table):
            for row in content.rows:
                cells = dict(zip(content.columns, row, strict=True))
                texts = [claim for cell in row if isinstance(cell, str) for claim in iter_claims(cell)]
                intervals += [Interval(*map(read_number, claim)) for claim in texts]
                for name, value in cells.items():
                    prefix = "" if "from" in cells else f"{name} "
                    found = (value, cells.get(f"{prefix}from"), cells.get(f"{prefix}to"))
                    if all(isinstance(number, int | float) for number in found):
                        intervals.append(Interval(*found))  # type: ignore[arg-type]
    known = [interval for interval in intervals if all(map(math.isfinite, interval))]
    return [*known, *(interval.times(100) for interval in known)]


def find_other_intervals(sheet: Sheet) -> tuple[list[Claim], int]:
    """Return the estimates of the sentences that stand with other ends in a picture or a table only, and how many have equal ends."""
    drawn, strange, equal = list_intervals(sheet), list[Claim](), 0
    for claim in (claim for text in (sheet.verdict, *sheet.consequences) for claim in iter_claims(text)):
        same = [interval for interval in drawn if rounds_to(interval.estimate, claim.estimate)]
        has_ends = [
            interval
            for interval in same
            if any(
                rounds_to(low, claim.low) and rounds_to(high, claim.high)
                for low, high in (interval[1:], interval[:0:-1])
            )
        ]
        equal += bool(has_ends)
        strange += [claim] if same and not has_ends else []
    return strange, equal


@pytest.fixture(scope="module")
def source(answered_library: Library) -> StudySource:
    return StudySource(answered_library)


@pytest.mark.parametrize("address", ADDRESSES)
def test_sentences_pictures_and_tables_give_an_estimate_the_same_interval(
    source: StudySource, address: str
) -> None:
    sheet = compose_address(source, *split_address(address))
    assert sheet.verdict
    assert find_other_intervals(sheet)[0] == []


def test_the_estimates_of_most_sentences_are_found_in_their_pictures(source: StudySource) -> None:
    equal = [
        find_other_intervals(compose_address(source, *split_address(address)))[1] for address in ADDRESSES
    ]
    assert sum(equal) >= 20
    assert sum(map(bool, equal)) >= len(ADDRESSES) / 2


def test_another_interval_of_the_same_estimate_is_found(source: StudySource) -> None:
    sheet = compose_address(source, *split_address("/scores?runs=plain&view=Decisions&grouped-by=strategy"))
    (claim, *_), (_, equal) = list(iter_claims(sheet.verdict)), find_other_intervals(sheet)
    assert equal
    wider = sheet.verdict.replace(f"{claim.low} to ", f"{read_number(claim.low) - 9:g} to ")
    assert find_other_intervals(replace(sheet, verdict=wider.replace("-", "−")))[0]
    assert not sheet.list_contents(SquareMaps)


def test_the_differences_by_part_add_up_to_that_of_the_scores(source: StudySource) -> None:
    parts = compose_address(source, *split_address("/scores?rulesets=bloxx-2p&view=Parts"))
    caption = next(part.caption for part in parts.parts if part.key == "lead")
    together, *terms = map(read_number, re.findall(r"[+−]\d+(?:\.\d)?", caption))
    assert len(terms) == 4
    assert abs(sum(terms) - together) <= 0.5 + 0.05 * len(terms)
    scores = compose_address(source, *split_address("/scores?rulesets=bloxx-2p"))
    (spread,) = scores.list_contents(Histogram)
    means = sorted(series.mean.estimate for series in spread.series if series.mean)
    assert means[-1] - means[-2] == pytest.approx(abs(together), abs=0.5)
