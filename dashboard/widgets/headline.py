"""Sentences and numbers as a page sets them: a capital at the start, a full stop at the end, real minus signs."""

from __future__ import annotations

from dashboard.widgets.markdown import escape_markdown
from pipelines.statistics.rounding import set_minus_signs

__all__ = ["set_minus_signs", "set_sentence"]


def set_sentence(sentence: str) -> str:
    """Return a sentence as Markdown, with a capital at its start and a full stop at its end.

    >>> set_sentence("planner is -2 points ahead")
    'Planner is −2 points ahead.'
    """
    text = set_minus_signs(sentence)
    return f"{escape_markdown(text[:1].upper() + text[1:])}."
