"""What the Tab key offers in a notebook: public names, the texts that calls and items take, and their arguments."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from contextvars import copy_context
from typing import TYPE_CHECKING, Final, Literal, get_args, get_origin

import pandas as pd

from engine.ruleset import Ruleset
from pipelines.notebook.answers import Answer, Comparison, Review, ShownBySheet, WhatIf, ruleset_html
from pipelines.notebook.kept_answers import is_played
from pipelines.notebook.played import LoggedGame, Run
from pipelines.notebook.public_names import ListsPublicNames, list_public_names
from pipelines.runs.schema import schema_columns

if TYPE_CHECKING:
    from IPython.core.completer import CompletionContext, SimpleMatcherResult

_KINDS: Final[set[type]] = {Run, LoggedGame, Answer, Comparison, Review, WhatIf}
_QUICK_CALLS: Final[set[Callable[..., object]]] = {
    *(Run.scores, Run.comparison, Run.decisions, Run.columns, Run.pandas, Run.ruleset, LoggedGame.review),
    *(ShownBySheet.pandas, ShownBySheet.columns, Ruleset.with_options),
}
"""What the Tab key may call to see what it returns: these read a file, or find an answer that is kept, and change nothing."""
_QUICK_CALLS_OF_LIBRARY: Final = (
    *("run", "runs", "ruleset", "rulesets", "strategies", "card", "openings", "rule_effect"),
)
"""The same of a library, whose module needs this one."""
_USUAL_FRAMES: Final = {
    "review": ("decisions players rolls ledgers win_ledgers", "win_course score_course"),
    "whatif": ("seats", "branches difference changes"),
    "compare": ("pairs sides ratings seats controls quantiles players twins", "leads spread parts"),
    "card": ("measures", "scales more_scales"),
    "openings": ("values", "openings"),
    "rule_effect": ("means settings effects", "scores wins lengths seats"),
    "games": ("games records seats", ""),
}
"""By the call whose answer is not played yet: its tables, and its charts."""
_TEXT_OR_COMMENT: Final = re.compile(
    r"""#[^\n]*|(\"{3}|'{3})((?:\\.|(?!\1).)*)(\1|\Z)|(["'])((?:\\.|(?!\4)[^\n])*)(\4|\Z|(?=\n))""", re.DOTALL
)
_CLOSED_BRACKETS: Final = re.compile(r"\([^][(){}]*\)|\[[^][(){}]*\]|\{[^][(){}]*\}")
_OWNER: Final = r"([^\W\d][\w.]*)"
_ATTRIBUTE: Final = re.compile(_OWNER + r"\.(\w*)$")
_ITEM: Final = re.compile(_OWNER + r"\[(?:\[[^][]*)?$")
_CALL: Final = re.compile(_OWNER + r"\.(\w+)\(([^()]*)$")
_PLACE_OF_VALUE: Final = re.compile(r"(?:^|[,=:\[{])\s*$")
_NAMED_TABLE: Final = re.compile(r"\b(?:FROM|JOIN)\s+(\w+)(?:\s+(?:AS\s+)?(\w+))?", re.IGNORECASE)
_FIRST_VALUE: Final = re.compile(r""""[^"]*"|'[^']*'|-?\d+""")
_KEYWORDS: Final = re.split(
    ",",
    "SELECT,FROM,JOIN,USING,ON,WHERE,GROUP BY,HAVING,ORDER BY,LIMIT,AS,AND,OR,NOT,IN,BETWEEN,LIKE,IS NULL,DISTINCT,"
    "CASE,WHEN,THEN,ELSE,END,DESC,ALL,UNION,WITH,OVER,avg(,count(,max(,median(,min(,stddev_samp(,sum(",
)


def set_up_ipython() -> None:
    """Have IPython complete what objects take, such as `library.card("blo`, and show the options of rulesets; do nothing outside of it."""
    if "IPython" not in sys.modules:
        return
    from IPython import get_ipython  # noqa: PLC0415 - only where it is loaded already

    if shell := get_ipython():
        shell.display_formatter.formatters["text/html"].for_type(Ruleset, ruleset_html)
        if _match_names not in shell.Completer.custom_matchers:
            shell.Completer.custom_matchers.append(_match_names)


def _match_names(context: CompletionContext) -> SimpleMatcherResult:
    """Return the names that fit, or else what is typed where a call takes names: IPython would offer its magics there."""
    from IPython.core.completer import SimpleCompletion  # noqa: PLC0415 - as above

    lines = context.full_text.split("\n")[: context.cursor_line]
    code = "\n".join([*lines, context.text_until_cursor])
    masked, text = _mask_closed(code)
    kinds: dict[str, str] = {}
    begun = text or ""
    if text is None and (attribute := _ATTRIBUTE.search(masked)):
        owner, begun = _evaluate(code[attribute.start() : attribute.end(1)]), attribute[2]
        for name in (*list_public_names(type(owner)), *(owner.tables if isinstance(owner, Run) else ())):
            kinds[name] = "function" if callable(getattr(type(owner), name, None)) else "instance"
    elif text is not None and (item := _ITEM.search(masked)):
        kinds = _list_keys(code[item.start() : item.end(1)])
    elif call := _CALL.search(masked):
        owner = _evaluate(code[call.start() : call.end(1)])
        if isinstance(owner, Ruleset) and call[2] == "with_options":
            kinds, begun = _list_options(owner, call[3], text)
        elif isinstance(owner, ListsPublicNames) and call[2] in dir(owner):
            first = _FIRST_VALUE.match(code[call.start(3) :])
            value = first[0].strip("\"'") if first else ""
            kinds, begun = _list_arguments(owner, call[2], call[3], value, text)
        elif text is not None:
            kinds = _list_keys(code[call.start() : call.end(1)])
    names = _cut_names(kinds, begun) or [begun] * bool(kinds)
    if text is None:
        names = [name for name in kinds if name.startswith(begun)]
    completions = [SimpleCompletion(name, type=kinds.get(name, "text")) for name in names]
    return {"completions": completions, "matched_fragment": begun, "suppress": bool(names), "ordered": True}


_match_names.matcher_api_version = 2  # type: ignore[attr-defined]  # documented in IPython.core.completer


def _mask_closed(code: str) -> tuple[str, str | None]:
    """Return code before the cursor in which closed texts and brackets are underscores, and the text that is begun behind it, or None.

    >>> _mask_closed("card(scores('a')['b'], [3], ['c', 'gr")
    ('card(scores__________, ___, [___, ', 'gr')
    """
    begun = None

    def mask(match: re.Match[str]) -> str:
        nonlocal begun
        if match.lastindex and match.end() == len(code) and not (match[3] or match[6]):
            begun = match[2] or match[5] or ""
            return ""
        return "_" * len(match[0])

    masked = _TEXT_OR_COMMENT.sub(mask, code)
    while (shorter := _CLOSED_BRACKETS.sub(mask, masked)) != masked:
        masked = shorter
    return masked, begun


def _evaluate(expression: str) -> object:
    """Return what an expression is, by IPython's evaluation under guard, which calls what `_QUICK_CALLS` names; None if it is not known.

    Of a call that would play it is an empty answer of the class that the call returns.
    """
    try:
        from IPython import get_ipython  # noqa: PLC0415 - as above
        from IPython.core.guarded_eval import EvaluationContext, guarded_eval  # noqa: PLC0415 - as above

        names = get_ipython().user_ns
        types = (value if isinstance(value, type) else type(value) for value in names.values())
        kinds = _KINDS | {kind for kind in types if issubclass(kind, ListsPublicNames)}
        calls = (getattr(kind, call, None) for kind in kinds for call in _QUICK_CALLS_OF_LIBRARY)
        allowed = {
            "allowed_getattr": {*kinds, Ruleset},
            "allowed_getitem": {*kinds, dict, list, tuple},
            "allowed_calls": _QUICK_CALLS | kinds | {*filter(None, calls)},
        }
        unplayed = copy_context()
        unplayed.run(lambda: is_played.set(False))
        limited = EvaluationContext(names, names, "limited", policy_overrides=allowed)
        return unplayed.run(guarded_eval, expression, limited)
    except Exception:  # noqa: BLE001 - whatever a person types, the Tab key fails without a word
        return _imagine_answer(expression)


def _imagine_answer(expression: str) -> object:
    """Return an empty object of the class that the call at the end of an expression returns, or None; of a table a frame without rows."""
    with suppress(Exception):
        call: ast.Call = ast.parse(expression, mode="eval").body  # type: ignore[assignment]  # suppressed without a call
        called: ast.Attribute = call.func  # type: ignore[assignment]  # as above
        owner = _evaluate(ast.unparse(called.value))
        # a run, or the library: an answer has no such table
        if called.attr in {"pandas", "polars"} and isinstance(owner, ListsPublicNames):
            return owner.pandas(f"FROM ({ast.literal_eval(call.args[0])}) LIMIT 0")
        method = getattr(owner, called.attr)
        returned = inspect.signature(method).return_annotation
        answer: object = object.__new__(next(kind for kind in _KINDS if kind.__name__ == returned))
        if isinstance(answer, ShownBySheet):
            tables, charts = _USUAL_FRAMES[called.attr]
            names = {"table": f"{tables} {charts}", "chart": charts}
            vars(answer)["list_names"] = lambda argument, *_: names.get(argument, "").split()
        return answer
    return None


def _list_keys(expression: str) -> dict[str, str]:
    """Return the tables of a run, or the columns of the outermost frame in an expression: `frame.groupby("seat")` has those of `frame`."""
    if isinstance(run := _evaluate(expression), Run):
        return dict.fromkeys(run.tables, "dict key")
    with suppress(SyntaxError):
        for node in ast.walk(ast.parse(expression, mode="eval").body):
            frame = _evaluate(ast.unparse(node)) if isinstance(node, ast.expr) else None
            if isinstance(frame, pd.DataFrame | pd.Series):
                return dict.fromkeys(map(str, frame), "dict key") if isinstance(frame, pd.DataFrame) else {}
    return {}


def _list_options(rules: Ruleset, before: str, text: str | None) -> tuple[dict[str, str], str]:
    """Return the arguments of `with_options` that are not used yet, where one begins, and what of it is begun."""
    *earlier, begun = before.split(",")
    used = {part.partition("=")[0].strip() for part in earlier}
    if text is not None or "=" in begun:
        return {}, ""
    names = (name for name in ("name", *rules.document["options"]) if name not in used)
    return {f"{name}=": "param" for name in names}, begun.strip()


def _list_arguments(
    owner: ListsPublicNames, call: str, before: str, first_value: str, text: str | None
) -> tuple[dict[str, str], str]:
    """Return what an argument of a call takes, each with its kind, and what of it is begun; `before` stands before it, with closed texts masked.

    Where no text is begun, names have quotation marks, and the other arguments follow.
    """
    parameters = inspect.signature(getattr(owner, call)).parameters
    outside, *inside = re.split(r"[\[{]", before)
    *earlier, last = outside.split(",")
    name, is_named, _ = last.partition("=")
    by_place = [key for key, argument in parameters.items() if argument.kind is not argument.KEYWORD_ONLY]
    if by_place and parameters[by_place[-1]].kind is inspect.Parameter.VAR_POSITIONAL:
        by_place += by_place[-1:] * len(earlier)
    argument = name.strip() if is_named else dict(enumerate(by_place)).get(len(earlier), "")
    begun = text or ""
    if argument == "table_or_query" and re.search(r"\s", begun):
        return dict.fromkeys(_list_query_words(begun), "text"), re.split(r"\W", begun)[-1]
    if argument not in {"action", "lineups"}:  # a move, and a line-up, may have commas
        begun = begun.rpartition(",")[2].lstrip()
    kind = parameters[argument].annotation if argument in parameters else None
    values = _list_values(owner, call, argument, kind, first_value)
    page, _, keys = begun.partition("?")
    if argument == "address" and (done := keys.rpartition("&")[0]):
        values = (f"{page}?{done}&{name.partition('?')[2]}" for name in values if name.startswith(f"{page}?"))
    names = dict.fromkeys(values, "text")
    if text is not None:
        return ({}, "") if argument == "path" and not _cut_names(names, begun) else (names, begun)
    if not _PLACE_OF_VALUE.search(before):
        return {}, ""
    placed = sum("=" not in part for part in earlier)
    used_names = [part.partition("=")[0].strip() for part in earlier]
    many = {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
    further = [
        f"{key}="
        for key in [*parameters][placed:]
        if not (inside or is_named or key in used_names or parameters[key].kind in many)
    ]
    quoted = [f'"{part}"' for part in _cut_names(names, "")]
    return dict.fromkeys(quoted, "text") | dict.fromkeys(further, "param"), ""


def _list_values(
    owner: ListsPublicNames, call: str, argument: str, kind: object, first_value: str
) -> Iterable[str]:
    """Return the texts that an argument with an annotation takes."""
    if isinstance(kind, str) and kind.startswith("Literal["):
        return filter(None, ast.literal_eval(kind.removeprefix("Literal")))
    if get_origin(kind) is Literal:
        return map(str, get_args(kind))
    return owner.list_names(argument, call, first_value)


def _cut_names(names: Iterable[str], begun: str) -> list[str]:
    """Return the names that go on from a begun text, each up to its next part.

    >>> _cut_names(["planner", "planner:depth=1", "greedy"], "pl"), _cut_names(["gap=0", "gap=1"], "ga"), _cut_names(["gap=0"], "gap=")
    (['planner'], ['gap='], ['gap=0'])
    """
    size = len(begun)
    fitting = [name for name in names if name[:size].casefold() == begun.casefold()]
    parts = dict.fromkeys(
        name[:size] + re.split(r"(?<=[?:=])", name[size:], maxsplit=1)[0] for name in fitting
    )
    return [part for part in parts if part.removesuffix(":") == part or part[:-1] not in parts]


def _list_query_words(query: str) -> list[str]:
    """Return what can follow a begun query: tables behind FROM and JOIN, columns of its tables elsewhere, then keywords."""
    tables = schema_columns()
    called = {
        name: table
        for table, alias in _NAMED_TABLE.findall(query)
        for name in (table, alias)
        if table in tables
    }
    if alias := re.search(r"(\w+)\.\w*$", query):
        return [*tables.get(called.get(alias[1], ""), ())]
    if re.search(r"\b(FROM|JOIN)\s+\w*$", query, re.IGNORECASE):
        return [*tables]
    columns = dict.fromkeys(column for table in {*called.values()} or tables for column in tables[table])
    return [*columns, *_KEYWORDS]
