"""The answers of experiments as a person in Jupyter gets them: `Comparison`, `WhatIf` and `Review`."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import TYPE_CHECKING, TypeVar, get_args

import pandas as pd

from pipelines.experiments import comparison, review_results, whatif
from pipelines.notebook.html import sheet_html
from pipelines.notebook.plain import sheet_text
from pipelines.questions.source import QuestionSource
from pipelines.report.compose import compose
from pipelines.report.sheet import Role
from pipelines.report.show.terminal import shorten_review

if TYPE_CHECKING:
    from pipelines.questions.whatif import WhatifAnswer
    from pipelines.report.sheet import Sheet


class ShownBySheet:
    """An answer that consoles and Jupyter show by its `sheet`."""

    sheet: Sheet

    @property
    def verdict(self) -> str:
        """The main result in one sentence."""
        return self.sheet.verdict

    @property
    def consequences(self) -> tuple[str, ...]:
        """What follows from it. Ranges in brackets are 95 % intervals."""
        return self.sheet.consequences

    def __repr__(self) -> str:
        return sheet_text(self.sheet)

    def _repr_html_(self) -> str:
        return sheet_html(self.sheet)


class Comparison(ShownBySheet, comparison.Comparison):
    """The answer of a comparison: `verdict`, `pairs`, `sides`, `controls` and more; its `sheet` is what Jupyter shows."""


class WhatIf(ShownBySheet, whatif.WhatIf):
    """The answer to a what-if: `seat_effects`, `differences`, `pandas()` and more; its `sheet` is what Jupyter shows."""

    def pandas(self) -> pd.DataFrame:
        """Return one row per seat: its mean final score on both branches, and the change of its score and of its wins.

        `strategy` plays on the changed branch, `n` is the number of continuations of each branch, and `_low` and `_high`
        are the ends of 95 % intervals. Numbers are missing if there are too few continuations.
        """
        rows = []
        for effect, player in zip(self.seat_effects, self.fork.changed.seating, strict=True):
            row: dict[str, object] = {"seat": effect.seat, "strategy": player.label, "n": self.n}
            for name, interval in (
                ("original", effect.base),
                ("changed", effect.changed),
                ("difference", effect.score),
                ("win_difference", effect.win_share),
            ):
                low, high = (interval.low, interval.high) if interval else (math.nan, math.nan)
                row |= {
                    name: interval.estimate if interval else math.nan,
                    f"{name}_low": low,
                    f"{name}_high": high,
                }
            rows.append(row)
        return pd.DataFrame(rows)


class Review(ShownBySheet, review_results.Review):
    """A reviewed game: `decisions`, `rolls`, `ledger(seat)` and more; its `sheet` is what Jupyter shows."""

    def __repr__(self) -> str:
        return sheet_text(shorten_review(self.sheet), get_args(Role))


Shown = TypeVar("Shown", Comparison, WhatIf, Review)


def show_by_sheet(
    kind: type[Shown], value: comparison.Comparison | whatif.WhatIf | review_results.Review, sheet: Sheet
) -> Shown:
    """Return what an answer holds as an object of a class of this module, which is shown by the sheet of the answer."""
    shown = kind(**{field.name: getattr(value, field.name) for field in fields(value)})
    object.__setattr__(shown, "sheet", sheet)  # an answer is frozen
    return shown


def show_whatif(answer: WhatifAnswer) -> WhatIf:
    """Return the answer to a what-if question, which Jupyter shows by its sheet."""
    return show_by_sheet(
        WhatIf, answer.whatif, compose(answer, QuestionSource(only=(answer.run,)).find_looks)
    )
