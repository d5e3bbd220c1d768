"""Functions stay callable: more than seven parameters are for what people call, commands and notebooks, and for compiled functions."""

from __future__ import annotations

import ast
from typing import Final

from tests.test_imports import MODULES, ROOT, parse_nodes

MAX_PARAMETERS: Final = 7
MAX_WIDE_FUNCTIONS: Final = 3


def count_parameters(function: ast.FunctionDef) -> int:
    given = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    return sum(parameter.arg not in {"self", "cls"} for parameter in given)


def test_few_functions_have_many_parameters() -> None:
    wide = [
        f"{path.relative_to(ROOT)}: {node.name}"
        for path in MODULES.values()
        if not {"cli", "notebook", "kernel", "kernels"} & set(path.parts)
        for node in parse_nodes(path)
        if isinstance(node, ast.FunctionDef) and count_parameters(node) > MAX_PARAMETERS
    ]
    assert len(wide) <= MAX_WIDE_FUNCTIONS, wide
