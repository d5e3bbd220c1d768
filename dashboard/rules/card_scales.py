"""The numbers of a card as rows of HTML, each on a small scale among other rulesets, with its definition behind a click."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import streamlit as st

from pipelines.report.charts.scales import list_scales

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.questions.card.answer import CardMeasure
    from pipelines.report.charts.scales import Scale


def show_scales(measures: Sequence[CardMeasure], ruleset: str) -> None:
    """Show the numbers of one style; those of the other recorded rulesets are strokes on the scales."""
    st.html(f'<div class="scales">{"".join(map(_write_scale, list_scales(measures, ruleset)))}</div>')
    st.caption(
        "The dot is this ruleset, its bar the 95 % interval, which counts blocks; each stroke is another ruleset of Reroll. "
        "A click on a row says what is measured."
    )


def _write_scale(scale: Scale) -> str:
    low, high = map(escape, scale.ends)
    strokes = "".join(
        f'<i style="left:{100 * place:.1f}%" title="{escape(words)}"></i>' for place, words in scale.others
    )
    dot = ""
    if scale.place:
        estimate, start, end = (100 * place for place in scale.place)
        dot = (
            f'<u style="left:{start:.1f}%;width:{end - start:.1f}%"></u><b style="left:{estimate:.1f}%"></b>'
        )
    return (
        f"<details><summary><span>{escape(scale.title)}</span><span>{escape(scale.text)}</span>"
        f'<span class="scale"><small>{low}</small><span aria-hidden="true">{strokes}{dot}</span><small>{high}</small></span>'
        f"</summary><p>{escape(scale.about)}</p></details>"
    )
