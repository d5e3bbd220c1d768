"""How functions of this kernel are compiled."""

from __future__ import annotations

from typing import Any

import numba as nb
from numba.core import types
from numba.extending import intrinsic


def jit_internal(function):
    """Compile a function that allocates nothing: its arrays belong to the caller.

    So there is nothing to count references for, and without counting a call costs a tenth. Only compiled functions can
    call it: what Python would need to take a position apart costs more to compile than most functions themselves.
    """
    return nb.njit(nogil=True, _nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)


def jit_entry(function):
    """Compile a function that Python calls."""
    return nb.njit(cache=True, nogil=True, _nrt=False, no_cfunc_wrapper=True)(function)


def _forbid_inlining(_typing):
    def codegen(context, builder, _signature, _arguments):
        builder.function.attributes.add("noinline")
        return context.get_dummy_value()

    return types.void(), codegen


forbid_inlining: Any = intrinsic(_forbid_inlining)
"""(): asks the compiler not to copy this function into those that call it, which multiplies the time it takes."""
