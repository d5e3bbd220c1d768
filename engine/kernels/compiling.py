"""How the functions of all kernels are compiled: decorators for Numba, and building blocks for hand-made instructions.

This is the only module that names options and functions that Numba does not document. It was tested with Numba 0.68.1
and llvmlite 0.50.0. `supported_options` leaves out the options that the installed Numba does not know: the games are
then the same and take longer; tests fail if an option is left out or has no effect. Import this module after
`engine.kernels.code_cache.prepare_numba` has set up Numba.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

import numba as nb
from llvmlite import binding, ir
from numba import types
from numba.extending import intrinsic

nb.config.SLP_VECTORIZE = (
    1  # neighbouring scalar operations become vector operations: Blokus plays 1.4 x as fast
)
binding.set_option("", "--unroll-runtime=false")
"""LLVM unrolls loops of unknown length very far if it takes the processor for one of AMD's. BLOXX! for four players is then
slower: greedy by a third on the processor "znver4". LLVM passes over an option that it does not know; a test sees it."""

DOCUMENTED_OPTIONS: Final = {"nogil": True, "error_model": "numpy"}
"""Compiled code runs without the lock of the interpreter, and no division tests for zero: none can be by zero."""
UNCOUNTED: Final = {"_nrt": False}
"""No references to arrays are counted, which takes up to four fifths of the time. A function that is compiled so
cannot allocate: Python passes all arrays that it needs. Views of arrays are allowed."""
NO_C_WRAPPER: Final = {"no_cfunc_wrapper": True}
"""The function cannot be called from C: nothing calls it from there, and wrappers take long to compile."""
NO_PYTHON_WRAPPER: Final = {**NO_C_WRAPPER, "no_cpython_wrapper": True}
"""Nor can it be called from Python: a wrapper that takes apart a position takes longer to compile than most
functions."""


def known_options() -> frozenset[str]:
    """Return the names of all options of the installed Numba; none if it has moved the class that lists them."""
    try:
        from numba.core.cpu import CPUTargetOptions  # noqa: PLC0415 - not documented: may be missing
    except ImportError:
        return frozenset()
    return frozenset(dir(CPUTargetOptions))


def supported_options(undocumented: Mapping[str, Any], known: Collection[str]) -> dict[str, Any]:
    """Return the documented options and those of the undocumented ones whose names are known.

    >>> supported_options({"_nrt": False}, known=[])
    {'nogil': True, 'error_model': 'numpy'}
    """
    return {**DOCUMENTED_OPTIONS, **{name: value for name, value in undocumented.items() if name in known}}


_KNOWN: Final = known_options()
_ENTRY: Final = supported_options({**UNCOUNTED, **NO_C_WRAPPER}, _KNOWN)
_INTERNAL: Final = supported_options({**UNCOUNTED, **NO_PYTHON_WRAPPER}, _KNOWN)

jit_entry: Final = nb.njit(**_ENTRY, cache=True)
"""Compile a function that Python calls. Compiled functions may call it too."""
jit_inlined_entry: Final = nb.njit(**_ENTRY, cache=True, forceinline=True)
"""Compile a function that Python calls, and copy its machine code into the compiled functions that call it."""
jit_internal: Final = nb.njit(**_INTERNAL)
"""Compile a function that only compiled functions call. LLVM decides whether it is copied into them."""
jit_inlined: Final = nb.njit(**_INTERNAL, forceinline=True)
"""Compile a function once, and have LLVM copy it into all its callers. For small functions: passing the arrays of a
position and of a ruleset takes longer than they do."""
jit_merged: Final = nb.njit(**_INTERNAL, inline="always")
"""Merge a function into its callers before they are compiled. For functions with one caller: each level of separately
compiled functions is compiled again with every caller."""


@intrinsic
def forbid_inlining(_typing):
    """Ask LLVM not to copy the calling function into its callers, which multiplies the time to compile them."""

    def codegen(context, builder, _signature, _arguments):
        builder.function.attributes.add("noinline")
        return context.get_dummy_value()

    return types.void(), codegen


@intrinsic
def copy_array(_typing, source, target):
    """Copy the contents of an array to another one of the same shape and type, both contiguous."""

    def codegen(context, builder, _signature, arguments):
        of, to = (
            context.make_array(kind)(context, builder, array)
            for kind, array in zip((source, target), arguments, strict=True)
        )
        pointer, size = ir.IntType(8).as_pointer(), of.nitems.type
        copy_bytes = builder.module.declare_intrinsic("llvm.memcpy", [pointer, pointer, size])
        target_bytes, source_bytes = (builder.bitcast(array.data, pointer) for array in (to, of))
        is_volatile = ir.IntType(1)(0)
        builder.call(
            copy_bytes, [target_bytes, source_bytes, builder.mul(of.nitems, of.itemsize), is_volatile]
        )
        return context.get_dummy_value()

    return types.void(source, target), codegen


def vector_pointer(context, builder, array, index, lanes):
    """Return the address of `lanes` elements of an array as one vector, for use in the code of an intrinsic.

    `array` and `index` are pairs of a Numba type and an LLVM value. The index is that of the first element, in an
    array of one dimension.
    """
    array_type, array_value = array
    index_type, index_value = index
    data = context.make_array(array_type)(context, builder, array_value).data
    vector = ir.VectorType(context.get_value_type(array_type.dtype), lanes)
    first = context.cast(builder, index_value, index_type, types.uintp)
    return builder.bitcast(builder.gep(data, [first]), vector.as_pointer())
