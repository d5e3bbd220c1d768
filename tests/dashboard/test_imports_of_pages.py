"""Everything that pages need is imported in one place, and no visitor imports anything meanwhile."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import TYPE_CHECKING

from dashboard import imports

if TYPE_CHECKING:
    import pytest


def test_a_visitor_waits_for_the_imports_however_long_they_take(monkeypatch: pytest.MonkeyPatch) -> None:
    """Visitors gave up after 20 seconds, and imported the same packages from the other end: a SystemError, on a busy machine."""
    begun, may_end, ends = threading.Event(), threading.Event(), []

    def import_slowly(name: str) -> None:
        begun.set()
        may_end.wait(20)
        ends.append(name)

    monkeypatch.setattr(imports, "_late_modules", [])
    monkeypatch.setattr(imports, "importlib", SimpleNamespace(import_module=import_slowly))
    visitors = [threading.Thread(target=imports.import_pages) for _ in range(3)]
    for visitor in visitors:
        visitor.start()
    assert begun.wait(20)
    assert all(visitor.is_alive() for visitor in visitors)
    may_end.set()
    for visitor in visitors:
        visitor.join(20)
    assert len(ends) == len(set(ends)) > 40
