"""Reporting how many functions Numba has compiled, while it compiles."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    CompileProgress: TypeAlias = Callable[[int, int], None]
    """Called with the number of functions compiled so far, and the number of all functions to compile."""


@contextmanager
def report_compile_progress(package: str, progress: CompileProgress | None) -> Iterator[None]:
    """While this context lasts, report the progress of compiling the functions in the loaded modules of a package.

    Functions that were compiled before do not count. Numba reports no event for functions that it only inlines, so the
    last call at the end of the context sets the count to the total, unless an error ends the context.
    """
    if progress is None:
        yield
        return
    from numba.core import event  # noqa: PLC0415 - numba takes 0.9 s to import; its manual documents this module

    report, functions = progress, _uncompiled_functions(package)
    done: set[Any] = set()

    class Listener(event.Listener):  # type: ignore[misc]  # Numba has no types
        def on_start(self, event: Any) -> None:  # noqa: ANN401 - as above
            pass

        def on_end(self, event: Any) -> None:  # noqa: ANN401 - as above
            function = event.data["dispatcher"].py_func
            if function in functions and function not in done:
                done.add(function)
                report(len(done), len(functions))

    progress(0, len(functions))
    with event.install_listener("numba:compile", Listener()):
        yield
    progress(len(functions), len(functions))


def _uncompiled_functions(package: str) -> set[Any]:
    """Return the Python functions that Numba has not compiled for any types yet."""
    from numba.extending import is_jitted  # noqa: PLC0415 - numba takes 0.9 s to import

    modules = [module for name, module in list(sys.modules.items()) if f"{name}.".startswith(f"{package}.")]
    values = [value for module in modules for value in vars(module).values()]
    return {value.py_func for value in values if is_jitted(value) and not value.signatures}
