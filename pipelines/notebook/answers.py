"""The answers of experiments as a person in Jupyter gets them: `Comparison`, `WhatIf` and `Review`."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import pandas as pd

from pipelines.experiments.compare import comparison
from pipelines.experiments.review import review_results
from pipelines.experiments.whatif import whatif
from pipelines.notebook.html import sheet_html, whatif_html
from pipelines.notebook.plain import review_text, sheet_text, whatif_text

if TYPE_CHECKING:
    from pipelines.questions.comparison.answer import ComparisonAnswer
    from pipelines.report.sheet import Sheet


class Comparison(comparison.Comparison):
    """The answer of a comparison: `verdict`, `pairs`, `sides`, `controls` and more; its `sheet` is what Jupyter shows."""

    sheet: Sheet

    def __repr__(self) -> str:
        return sheet_text(self.sheet)

    def _repr_html_(self) -> str:
        return sheet_html(self.sheet)


class WhatIf(whatif.WhatIf):
    """The answer to a what-if: `seat_effects`, `differences`, `pandas()` and more."""

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

    def __repr__(self) -> str:
        return whatif_text(self)

    def _repr_html_(self) -> str:
        return whatif_html(self)


class Review(review_results.Review):
    """A reviewed game: `decisions`, `rolls`, `ledger(seat)` and more."""

    def __repr__(self) -> str:
        return review_text(self)


def show_comparison(answer: ComparisonAnswer, sheet: Sheet) -> Comparison:
    """Return the comparison of an answer, which Jupyter shows by its sheet."""
    shown = Comparison(**field_values(answer.comparison))
    object.__setattr__(shown, "sheet", sheet)  # an answer is frozen
    return shown


def field_values(answer: comparison.Comparison | whatif.WhatIf | review_results.Review) -> dict[str, Any]:
    """Return the fields of an answer, from which a class of this module makes its own."""
    return {field.name: getattr(answer, field.name) for field in fields(answer)}
