"""Start the dashboard: a Streamlit server on the loopback address, in a process that is watched until it answers.

The server raises its limit of open files, closes what sessions have left, and stops if no file is free.

The open files of the dashboard: raise the limit of the process, close what sessions have left, and stop if none is free.
Each session of Streamlit has an event loop with three descriptors, which stay open until Python collects the session as
garbage. Without a watch, the limit of macOS (256) is reached after a minute of twenty visitors; then asyncio logs every
connection that it cannot accept, thousands of times a second.
"""

from __future__ import annotations

import errno
import gc
import http.client
import importlib.util
import logging
import os
import re
import resource
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from engine.errors import InvalidError
from pipelines.interrupts import defer_interrupts, end_with_process, interrupted_exit_code

DASHBOARD_PACKAGES: Final = ("streamlit", "plotly")
"""Packages of the extra `dashboard`, without which everything but the dashboard works."""
SERVED_APP: Final = "served_app.py"
"""The file beside the script that serves it and imports the pages meanwhile."""
LOOPBACK_ADDRESS: Final = "127.0.0.1"
DEFAULT_PORT: Final = 8501
PORTS_TRIED: Final = 50
"""Ports tried, from `DEFAULT_PORT` on, when the user names none."""
ALLOWED_HOSTS: Final = (LOOPBACK_ADDRESS, "localhost")
"""Host names that a request may use. A page of another site whose name resolves to this machine (DNS rebinding) uses
its own name and is refused."""
SECURITY_OPTIONS: Final = (
    f"--server.address={LOOPBACK_ADDRESS}",
    "--server.headless=true",
    "--server.enableXsrfProtection=true",
    "--server.enableCORS=true",  # refuses requests from pages of other sites
    *(f"--server.allowedHosts={host}" for host in ALLOWED_HOSTS),
    "--server.enableAgentApi=false",
    "--browser.gatherUsageStats=false",
)
"""Options given on the command line, so that no settings file of the user can open the dashboard to the network."""
EMBEDDERS_VARIABLE: Final = "REROLL_EMBEDDERS"
"""The variable of the environment in which the dashboard finds the origins that may frame its pages."""
_ORIGIN_PATTERN: Final = re.compile(
    r"https?://(\[[0-9a-fA-F:]+\]|[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*)(:[0-9]{1,5})?"
)
START_TIMEOUT_SECONDS: Final = 60.0
"""Seconds within which the server must answer."""
STOP_TIMEOUT_SECONDS: Final = 1.0
"""Seconds within which the server must end; then it is killed. They are fewer than a command has after Ctrl-C
(`pipelines.interrupts`), and the server has nothing to save."""
HEALTH_CHECK_TIMEOUT_SECONDS: Final = 2.0
HEALTH_CHECK_INTERVAL_SECONDS: Final = 0.03


def serve_dashboard(
    data: Path, port: int | None, ready: Callable[[str], None], embedders: Sequence[str] = ()
) -> int:
    """Run the dashboard until it ends and return its exit code. Calls `ready(address)` once the server answers.

    `embedders` are the origins of other sites that may show its pages in a frame. Ctrl-C and SIGTERM end the server.
    Raises InvalidError if the port is taken, an origin is invalid, the dashboard is not installed, or the
    server does not start.
    """
    with start_dashboard(data, port, embedders) as (process, address):
        try:
            ready(address)
            return process.wait()
        except KeyboardInterrupt:
            code = interrupted_exit_code()
            return 0 if code == 128 + signal.SIGINT else code  # Ctrl-C is the normal way to end the dashboard


@contextmanager
def start_dashboard(
    data: Path, port: int | None, embedders: Sequence[str] = (), *, quiet: bool = False
) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """Run the dashboard as long as the context lasts; yields its process and its address once it answers.

    With `quiet` its output is discarded. Raises InvalidError like `serve_dashboard`.
    """
    check_dashboard_packages()
    free_port, served = find_free_port(port), find_dashboard_script().with_name(SERVED_APP)
    command = [sys.executable, "-P", "-m", "streamlit", "run", str(served), f"--server.port={free_port}"]
    command += SECURITY_OPTIONS
    environment = {
        **os.environ,
        "REROLL_DATA": str(data.absolute()),
        EMBEDDERS_VARIABLE: " ".join(map(check_origin, embedders)),
    }
    output = subprocess.DEVNULL if quiet else None
    folder = find_dashboard_folder()
    with ExitStack() as stack:
        with defer_interrupts():  # the dashboard leaves Ctrl-C to this process, which ends it
            process = subprocess.Popen(command, cwd=folder, env=environment, stdout=output, stderr=output)  # noqa: S603 - a command made above
            stack.enter_context(end_with_process(process))
            stack.callback(_stop_process, process)
        yield process, _wait_for_address(process, free_port)


def _stop_process(process: subprocess.Popen[bytes]) -> None:
    """Terminate a process; kill it if it does not exit within `STOP_TIMEOUT_SECONDS`."""
    process.terminate()
    try:
        process.wait(STOP_TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def find_free_port(port: int | None) -> int:
    """Return `port`, or the first free port from `DEFAULT_PORT` on if it is None.

    Raises InvalidError if the port is taken or none is free.
    """
    for tried in range(DEFAULT_PORT, DEFAULT_PORT + PORTS_TRIED) if port is None else [port]:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((LOOPBACK_ADDRESS, tried))
            except OSError:
                continue
            return tried
    if port is None:
        raise InvalidError(
            f"no port from {DEFAULT_PORT} to {DEFAULT_PORT + PORTS_TRIED - 1} is free; name one with --port"
        )
    raise InvalidError(f"port {port} is taken; choose another one, or leave --port out to get a free one")


def check_dashboard_packages() -> None:
    """Raise InvalidError if a package of the extra `dashboard` is not installed."""
    missing = [name for name in DASHBOARD_PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        raise InvalidError(
            f"the dashboard needs {' and '.join(missing)}; install what is missing with: in a clone of Reroll, pip install -e '.[dashboard]'"
        )


def find_dashboard_script() -> Path:
    """Return the script that Streamlit runs for every visit. Raises InvalidError if the package `dashboard` is not installed."""
    spec = importlib.util.find_spec("dashboard")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        if (Path(folder) / "app.py").is_file():
            return Path(folder) / "app.py"
    raise InvalidError("the dashboard is not installed with this Reroll")


def find_dashboard_folder() -> Path:
    """Return the folder with `.streamlit/config.toml`: Streamlit reads its settings from the folder it is started in.

    In a checkout it is the root of the project, in an installed package the package `dashboard`.
    """
    package = find_dashboard_script().parent
    return next((folder for folder in (package.parent, package) if (folder / ".streamlit").is_dir()), package)


def check_origin(text: str) -> str:
    """Return the origin of a site, such as `https://example.org`. Raises InvalidError for other text."""
    if not _ORIGIN_PATTERN.fullmatch(text):
        raise InvalidError(f"expected the origin of a site, such as https://example.org, not {text[:80]!r}")
    return text


def _wait_for_address(process: subprocess.Popen[bytes], port: int) -> str:
    """Return the address of the dashboard once the server answers.

    Raises InvalidError if the process ends or START_TIMEOUT_SECONDS pass.
    """
    end = time.monotonic() + START_TIMEOUT_SECONDS
    while time.monotonic() < end:
        if process.poll() is not None:
            raise InvalidError(f"the dashboard did not start (exit code {process.returncode})")
        if address := _find_address(port):
            return address
        time.sleep(HEALTH_CHECK_INTERVAL_SECONDS)
    raise InvalidError(f"the dashboard did not answer within {START_TIMEOUT_SECONDS:g} seconds")


def _find_address(port: int) -> str | None:
    """Return the address of a healthy Streamlit server, with its base path; None if it does not answer yet.

    Streamlit's settings of the user may give it a base path and a certificate.
    """
    for scheme in ("http", "https"):
        try:
            return _ask_for_address(scheme, port)
        except (http.client.HTTPException, ConnectionResetError):
            continue  # a server with a certificate closes a connection without TLS
        except OSError:
            return None
    return None


def _ask_for_address(scheme: str, port: int) -> str | None:
    """Return the address to which the root of a server leads; None if the server is not healthy.

    Raises OSError and HTTPException if it does not answer or speaks otherwise.
    """
    connection = http.client.HTTPConnection(LOOPBACK_ADDRESS, port, timeout=HEALTH_CHECK_TIMEOUT_SECONDS)
    if scheme == "https":
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE  # our own server, on this machine
        connection = http.client.HTTPSConnection(
            LOOPBACK_ADDRESS, port, timeout=HEALTH_CHECK_TIMEOUT_SECONDS, context=context
        )
    try:
        connection.request("HEAD", "/")
        answer = connection.getresponse()
        answer.read()
        base_path = (answer.getheader("Location") or "").rstrip("/")
        connection.request("GET", f"{base_path}/_stcore/health")
        is_healthy = connection.getresponse().status == http.client.OK
        return f"{scheme}://{LOOPBACK_ADDRESS}:{port}{base_path}" if is_healthy else None
    finally:
        connection.close()


WANTED_OPEN_FILES: Final = 4096
"""Open files that the process may have if the hard limit allows it."""
CHECK_INTERVAL_SECONDS: Final = 0.5
COLLECTED_FILES: Final = 64
"""Files opened since the last collection that start the next one: those of about 20 sessions. A collection takes 0.2 s.
They are an eighth of the limit if that is less."""
RESERVED_FILES: Final = 8
"""Fewer free files than these count as none: a query needs some."""
EXHAUSTED_SECONDS: Final = 30.0
"""Seconds without a free file after which the dashboard ends."""
NO_FILE_ERRORS: Final = (errno.EMFILE, errno.ENFILE)
FILE_ERROR_LOGGERS: Final = ("asyncio", "uvicorn.error")
"""Loggers that report a connection for which no file is free."""


def raise_open_file_limit() -> int:
    """Raise the soft limit of open files to `WANTED_OPEN_FILES`, or to the hard limit; return the limit that holds."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = WANTED_OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, WANTED_OPEN_FILES)
    if soft == resource.RLIM_INFINITY or soft >= limit:
        return WANTED_OPEN_FILES if soft == resource.RLIM_INFINITY else soft
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
    return limit


def count_open_files() -> int | None:
    """Return the number of descriptors of this process; None if not even one is free to count them with."""
    try:
        return sum(1 for _ in Path("/dev/fd").iterdir())
    except OSError as error:
        if error.errno not in NO_FILE_ERRORS:
            raise
        return None


def is_without_file_error(record: logging.LogRecord) -> bool:
    """Return whether a line of the log is about something else than a missing file; the watch reports those itself."""
    error = record.exc_info[1] if record.exc_info else None
    return not (isinstance(error, OSError) and error.errno in NO_FILE_ERRORS)


class OpenFileWatch:
    """Collects garbage when many files were opened, and says when none has been free for `EXHAUSTED_SECONDS`."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._step = min(COLLECTED_FILES, limit // 8)
        self._collect_from = self._step
        self._exhausted_since: float | None = None

    def check(self, now: float) -> bool:
        """Return whether files have been missing for too long at the time `now`, in seconds of a monotonic clock."""
        if self._is_over(self._collect_from):
            gc.collect()
            self._collect_from = (count_open_files() or self.limit) + self._step
        if not self._is_over(self.limit - RESERVED_FILES):
            self._exhausted_since = None
            return False
        gc.collect()
        self._exhausted_since = self._exhausted_since or now
        return now - self._exhausted_since >= EXHAUSTED_SECONDS

    def _is_over(self, number: int) -> bool:
        count = count_open_files()
        return count is None or count > number


def _watch_open_files(watch: OpenFileWatch) -> None:
    while not watch.check(time.monotonic()):
        time.sleep(CHECK_INTERVAL_SECONDS)
    sys.stderr.write(
        f"reroll: the dashboard ends: all {watch.limit} files that it may open are open; close some of its pages, or "
        f"allow more before you start it: ulimit -n {WANTED_OPEN_FILES}\n"
    )
    os._exit(1)


_start_lock: Final = threading.Lock()
_watchers: list[threading.Thread] = []


def watch_open_files() -> None:
    """Raise the limit and watch the open files of this process until it ends; further calls do nothing."""
    with _start_lock:
        if _watchers:
            return
        for name in FILE_ERROR_LOGGERS:
            logging.getLogger(name).addFilter(is_without_file_error)
        watch = OpenFileWatch(raise_open_file_limit())
        _watchers.append(threading.Thread(target=_watch_open_files, args=(watch,), daemon=True))
        _watchers[0].start()
