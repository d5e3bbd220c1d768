"""The product is worded in plain English: no form that a reader must read twice, and no name that says nothing."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest

from tests.test_imports import MODULES, PACKAGES, ROOT, parse_nodes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

FOLDERS: Final = (*PACKAGES, "benchmarks", "tests")
GAP: Final = r"[\s\"'#/*]+"
"""What stands between two words: a space, or the end of a line with the marks of comments and strings."""


class Form(NamedTuple):
    """A form that nobody writes."""

    pattern: str
    """A regular expression, in which a space stands for a gap."""
    reason: str
    bad: str
    good: str


FORMS: Final = (
    Form(
        r"\bso many\b",
        "name the parameter, or write `this number of` for the value of a constant",
        "Play at most so many plies.",
        "Play at most `max_plies` plies.",
    ),
    Form(
        r"\bbe it\b",
        "write `with or without`, `even if` or `whether`",
        "Return whether the address names a field, be it without a value.",
        "Return whether the address names a field, with or without a value.",
    ),
    Form(
        r"\b(is|are) none\b(?! of (these|them)\b)",
        "write what it is not, or when it does not exist, or `, or None` at the end",
        "Return the newest run; None if there is none.",
        "Return the newest run, or None.",
    ),
    Form(
        r"\b(is|are) none of \w+['\u2019]s\b",
        "write `does not belong to`",
        "Any path that is none of Streamlit's.",
        "Any path that does not belong to Streamlit.",
    ),
    Form(
        r"\bof wh(ich|om)\b",
        "begin a new clause with a subject of its own",
        "The strategies of a ruleset, of which the first two are the default.",
        "The strategies of a ruleset; the first two are the default.",
    ),
    Form(
        r"\b(what|who) (is not|has none|is no(?! (longer|more|less)))\b",
        "name the thing and the condition",
        "Raises PlayError if a strategy returns what is not legal.",
        "Raises PlayError if a strategy returns an illegal action.",
    ),
    Form(
        r"\bfor (who|what (is|does|fits|has))\b",
        "name the thing",
        "Raises InvalidError for what does not fit.",
        "Raises InvalidError for a value that does not fit.",
    ),
    Form(
        r"(?<![Tt]here\s)\b(is|are) no (?!(longer|more|less|better|wider|such|other)\b)[a-z]",
        "write `is not a`, or `except`",
        "`x` is no address.",
        "`x` is not an address, is no longer an address, and there is no other address.",
    ),
    Form(
        r"\bneeds? it not\b|\bknows? not\b",
        "write `does not need it`",
        "A game that needs it not has none.",
        "A game that does not need it has none.",
    ),
    Form(
        r"\bthat one(?=[.,;:)])",
        "repeat the noun",
        "A worker has a parent, and exits without that one.",
        "A worker exits without its parent; that one decision may take a second.",
    ),
)


ANY_FORM: Final = re.compile(rf"\b(?:{'|'.join(form.pattern for form in FORMS)})".replace(" ", GAP))
"""All forms at once, which takes a third of the time of one after the other."""


def find_form(form: Form, text: str) -> list[tuple[int, str]]:
    """Return the lines with a form: their numbers from 1, and their text."""
    starts = [match.start() for match in re.finditer(form.pattern.replace(" ", GAP), text)]
    numbers = [text.count("\n", 0, start) + 1 for start in starts]
    return [(number, text.splitlines()[number - 1].strip()) for number in numbers]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.bad)
def test_a_form_is_found_and_what_is_written_instead_is_not(form: Form) -> None:
    """Otherwise the test below would pass over forms that it does not see."""
    assert ANY_FORM.search(form.bad)
    assert find_form(form, f'"""First line.\n\n{form.bad}\n"""') == [(3, form.bad)]
    assert [line for other in FORMS for line in find_form(other, form.good)] == []


@pytest.mark.parametrize(
    "text", ["# at most so\n    # many plies", '"at most so "\n"many plies"', " * at most so\n * many plies"]
)
def test_a_form_is_found_over_the_end_of_a_line(text: str) -> None:
    assert [number for number, _ in find_form(FORMS[0], text)] == [1]


def test_the_words_of_the_product_are_plain() -> None:
    """Docstrings, comments and strings. Files are read as a whole, because code has none of these forms."""
    paths = [
        path
        for folder in FOLDERS
        for ending in ("py", "js", "css", "sql")
        for path in (ROOT / folder).rglob(f"*.{ending}")
    ]
    findings = [
        f"{path.relative_to(ROOT)}:{number}: {line} ({form.reason})"
        for path in sorted({*paths} - {Path(__file__)})
        for text in [path.read_text(encoding="utf-8")]
        if ANY_FORM.search(text)
        for form in FORMS
        for number, line in find_form(form, text)
    ]
    assert findings == [], "\n".join(findings)


NOUN: Final = "the noun for the thing, such as `run`, `row`, `answer`, `note_filter`"
EMPTY_NAMES: Final = {
    "most": "`limit`, or what is limited, such as `max_blocks`",
    "own": "what belongs to whom, such as `own_strategies`, `blocks_of_strategy`",
    "what": "`kind`, `subject`, `unit`, or another noun",
    **dict.fromkeys(("asked", "found", "given", "held", "kept", "named", "one"), NOUN),
    **dict.fromkeys(("said", "shown", "told", "wanted"), NOUN),
}
"""Names that say nothing, each with what to write instead. Fields of classes may have them, because files and addresses do."""
KERNELS: Final = "kernel"
"""Folders of kernels, in which `own` stands beside `other`, as in the rules of a game."""


def iter_names(nodes: Sequence[ast.AST]) -> Iterator[tuple[str, int]]:
    """Yield the names of functions, parameters, variables and loops of a file with their lines, but not those of fields."""
    fields = {
        id(target)
        for node in nodes
        if isinstance(node, ast.ClassDef)
        for statement in node.body
        if isinstance(statement, ast.AnnAssign | ast.Assign)
        for target in (statement.targets if isinstance(statement, ast.Assign) else (statement.target,))
    }
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in fields:
            yield node.id, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.MatchAs | ast.ExceptHandler):
            yield node.name or "", node.lineno


def test_every_kind_of_name_is_seen() -> None:
    """Otherwise the test below would pass over names that it does not see."""
    code = (
        "class Note:\n    told: str\n    def said(self, own, *, most=1): ...\n"
        "for one in [held for held in ()]:\n    wanted, (given, _) = lambda what: 1\n"
        "try: pass\nexcept OSError as found: kept = (asked := 1)\nmatch 1:\n    case shown: pass\n"
    )
    seen = {name for name, _ in iter_names([*ast.walk(ast.parse(code))])}
    assert EMPTY_NAMES.keys() - seen == {"told", "named"}


def test_names_say_what_a_thing_is() -> None:
    findings = [
        f"{path.relative_to(ROOT)}:{line}: {name} (write {EMPTY_NAMES[name]})"
        for path in MODULES.values()
        if path.parent.name != KERNELS
        for name, line in iter_names(parse_nodes(path))
        if name in EMPTY_NAMES
    ]
    assert findings == [], "\n".join(findings)
