"""Texts from data inside Markdown, which Streamlit reads in most of its elements, and commands to copy."""

from __future__ import annotations

import re
from html import escape
from typing import Final

import streamlit as st

from pipelines.report.estimates import set_sentence
from pipelines.report.wording import bind_percent_signs

WORD_JOINER: Final = "\u2060"
"""A character without width. Between the parts of an address it keeps Streamlit from making a link of it."""
_AUTO_MARKUP_PATTERN: Final = re.compile(
    r"https?:(?=//)|www(?=\.)|[\w.+-](?=@)|:(?=[\w+/-]+:)", re.IGNORECASE
)
_DIRECTION_PATTERN: Final = re.compile("[\u202a-\u202e\u2066-\u2069]")


def remove_direction_marks(text: str) -> str:
    """Remove the characters that force a direction of writing: without an end, they turn the words behind a text around."""
    return _DIRECTION_PATTERN.sub("", text)


def escape_markdown(text: str) -> str:
    """Escape a text from data, so that Streamlit shows it letter by letter instead of reading it as Markdown.

    Backslashes do not stop Streamlit from turning addresses into links and `:word:` into an icon; a word joiner does.
    """
    # Empty lines, indents and underlines would be markup.
    flat = re.sub(r"\s+", " ", remove_direction_marks(text))
    flat = _AUTO_MARKUP_PATTERN.sub(rf"\g<0>{WORD_JOINER}", flat)
    marked = re.sub(r"([\\`*_{}\[\]()#+!|<>~$:&-])", r"\\\1", flat)
    return re.sub(r"^( ?[0-9]+)\.", r"\1\\.", marked)  # "1." at the start would be a list


def write_markdown_sentence(text: str) -> str:
    r"""Return a text of ours as a sentence in Markdown: with a capital, a full stop, and no per cent sign at the start of a line.

    >>> write_markdown_sentence("planner is -2 points ahead in 40 %")
    'Planner is −2 points ahead in 40\xa0%.'
    """
    return bind_percent_signs(escape_markdown(set_sentence(text)))


VERBATIM_STYLE: Final = """<style>
.verbatim { margin: 0; padding: 0.6rem 0.8rem; border-radius: 6px; white-space: pre-wrap; overflow-wrap: anywhere;
  font: 0.85rem/1.5 ui-monospace, "DejaVu Sans Mono", monospace; user-select: all;
  color: inherit; background: color-mix(in srgb, currentColor 7%, transparent); }
</style>"""


def show_verbatim(text: str) -> None:
    """Show a text to copy; a click selects all of it."""
    st.html(f'{VERBATIM_STYLE}<pre class="verbatim">{escape(text)}</pre>')
