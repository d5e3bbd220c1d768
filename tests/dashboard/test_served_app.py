"""What the server does while it waits for its first visitor."""

from __future__ import annotations

import asyncio
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from dashboard import served_app

if TYPE_CHECKING:
    from tests.processes import RunProcess

PROJECT_ROOT: Final = Path(__file__).parents[2]
IMPORT_SCRIPT: Final = """
import ast, sys
from pathlib import Path
from dashboard.imports import import_pages

import_pages()
known = set(sys.modules)
for path in (*Path("dashboard/views").glob("*.py"), Path("dashboard/app.py"), *Path("dashboard").glob("*routes.py")):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            exec(compile(ast.Module([node], []), str(path), "exec"), {})
print(len(known), sorted({name.partition(".")[0] for name in set(sys.modules) - known}))
"""


def test_the_first_visitor_finds_all_that_the_pages_import(run_process: RunProcess) -> None:
    done = run_process([sys.executable, "-c", IMPORT_SCRIPT], cwd=PROJECT_ROOT)
    count, _, missing = done.stdout.strip().partition(" ")
    assert int(count) > 1000
    assert missing == "[]"


async def _start_server() -> None:
    """Do what the server does between the opening of its socket and its first visit."""
    async with served_app.prepare_pages(served_app.app):
        pass


@pytest.mark.skipif(not served_app.OPEN_FILES.is_dir(), reason="this system does not list open files")
def test_answers_are_sent_without_waiting_for_an_acknowledgement() -> None:
    with socket.socket() as listening:  # like Streamlit, which names no protocol
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        asyncio.run(_start_server())
        with socket.create_connection(listening.getsockname()), listening.accept()[0] as accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
