"""A running dashboard refuses requests of other sites and machines, and an exported replay shows hostile text as text."""

from __future__ import annotations

import http.client
import re
import shutil
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import duckdb
import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from typer.testing import CliRunner
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol

from pipelines.cli import app

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from playwright.sync_api import Browser, Page, Response
    from websockets.sync.client import ClientConnection

    from pipelines.runs.library import Library

MAX_UPLOAD_BYTES: Final = 200 << 20
"""Bytes of an upload: `maxUploadSize` in .streamlit/config.toml."""
LISTENING_STATE: Final = "0A"
HOSTILE_NAME: Final = (
    "</script><script>alert(1)</script><!--<img src=//x.example/ onerror=alert(2)>\"'\u2028&amp; ${alert(3)}"
)


def address_port(address: str) -> int:
    return urlsplit(address).port or 0


def request_websocket(address: str, origin: str | None = None, host: str | None = None) -> int:
    """Request the websocket that all pages use; return the HTTP status."""
    connection = http.client.HTTPConnection("127.0.0.1", address_port(address), timeout=30)
    headers = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "MDEyMzQ1Njc4OWFiY2RlZg==",
        **({"Host": f"{host}:{address_port(address)}"} if host else {}),
        **({"Origin": origin} if origin else {}),
    }
    try:
        connection.request("GET", "/_stcore/stream", headers=headers)
        return connection.getresponse().status
    finally:
        connection.close()


def request_status(
    address: str, method: str, path: str, headers: Mapping[str, str], body: bytes = b""
) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", address_port(address), timeout=30)
    try:
        connection.request(method, path, body=body, headers=dict(headers))
        return connection.getresponse().status
    finally:
        connection.close()


def test_its_own_page_is_accepted(shared_dashboard_address: str) -> None:
    for name in ("127.0.0.1", "localhost"):
        assert (
            request_websocket(
                shared_dashboard_address, f"http://{name}:{address_port(shared_dashboard_address)}", name
            )
            == http.client.SWITCHING_PROTOCOLS
        )


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "https://127.0.0.1.evil.example", "null", "file://"]
)
def test_a_page_of_another_site_is_refused(shared_dashboard_address: str, origin: str) -> None:
    assert request_websocket(shared_dashboard_address, origin) == http.client.FORBIDDEN


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "127.0.0.1@evil.example"])
def test_a_site_whose_name_resolves_to_this_machine_is_refused(
    shared_dashboard_address: str, host: str
) -> None:
    """DNS rebinding: the browser treats the site and the server as one origin, so only the host name shows the attack."""
    named = f"{host}:{address_port(shared_dashboard_address)}"
    assert (
        request_websocket(shared_dashboard_address, f"http://{named}", host)
        == http.client.MISDIRECTED_REQUEST
    )
    for path in ("/", "/scores.json?rulesets=bloxx-3p", "/_stcore/health", "/static/x.js"):
        status = request_status(shared_dashboard_address, "GET", path, {"Host": named})
        assert status == http.client.MISDIRECTED_REQUEST


def test_nothing_but_a_browser_controls_the_pages(shared_dashboard_address: str) -> None:
    for path in ("interact", "mcp"):  # interfaces of Streamlit for programs, which are off by default
        status = request_status(
            shared_dashboard_address,
            "POST",
            f"/_stcore/agent/{path}",
            {"Content-Type": "application/json"},
            b"{}",
        )
        assert status in {http.client.FORBIDDEN, http.client.BAD_REQUEST}


def start_session(socket: ClientConnection) -> str:
    """Let the server run a page; return the identifier of the new session."""
    request = BackMsg()
    request.rerun_script.query_string = ""
    socket.send(request.SerializeToString())
    while True:
        message = ForwardMsg()
        message.ParseFromString(socket.recv(timeout=60, decode=False))
        if message.WhichOneof("type") == "new_session":
            return message.new_session.initialize.session_id


def test_an_upload_needs_the_token_of_the_page_and_has_a_limit(shared_dashboard_address: str) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", address_port(shared_dashboard_address), timeout=30)
    connection.request("GET", "/_stcore/health")
    cookie = connection.getresponse().getheader("Set-Cookie") or ""
    connection.close()
    token = cookie.partition("=")[2].partition(";")[0]
    assert "SameSite" in cookie
    assert token
    origin = {"Origin": shared_dashboard_address}
    valid_headers = {**origin, "Cookie": f"_streamlit_xsrf={token}", "X-Xsrftoken": token}
    stream = f"ws://127.0.0.1:{address_port(shared_dashboard_address)}/_stcore/stream"
    with connect(
        stream,
        origin=Origin(shared_dashboard_address),
        subprotocols=[Subprotocol("streamlit")],
        proxy=None,
        max_queue=None,  # unread messages do not keep anybody from closing the connection
    ) as page:
        path = f"/_stcore/upload_file/{start_session(page)}/1"
        for headers in (
            origin,
            {**origin, "Cookie": valid_headers["Cookie"]},
            {**valid_headers, "X-Xsrftoken": "2|00|00|0"},
        ):
            for method in ("PUT", "DELETE"):
                assert (
                    request_status(shared_dashboard_address, method, path, headers) == http.client.FORBIDDEN
                )
        assert (
            request_status(shared_dashboard_address, "PUT", "/_stcore/upload_file/nobody/1", valid_headers)
            == http.client.BAD_REQUEST
        )
        form = {**valid_headers, "Content-Type": "multipart/form-data; boundary=b"}
        body = b'--b\r\nContent-Disposition: form-data; name="f"; filename="../../a"\r\n\r\nx\r\n--b--\r\n'
        assert request_status(shared_dashboard_address, "PUT", path, form, body) == http.client.NO_CONTENT
        too_large = {**form, "Content-Length": str(MAX_UPLOAD_BYTES + 1)}
        assert (
            request_status(shared_dashboard_address, "PUT", path, too_large, body)
            == http.client.REQUEST_ENTITY_TOO_LARGE
        )


def test_a_broken_handshake_is_refused(shared_dashboard_address: str) -> None:
    stream = f"ws://127.0.0.1:{address_port(shared_dashboard_address)}/_stcore/stream/x"
    with (
        pytest.raises(InvalidStatus),
        connect(stream, origin=Origin(shared_dashboard_address), proxy=None),
    ):
        pass


class AttackingSite(BaseHTTPRequestHandler):
    """A page that tries to read the dashboard in all ways that a browser has, and links to it."""

    target = ""
    page = """<!doctype html><title>evil</title><a href="DASHBOARD/scores?rulesets=bloxx-3p">a link</a>
<iframe src="DASHBOARD/scores?rulesets=bloxx-3p"></iframe><img src="DASHBOARD/favicon.png">
<script>
const target = "DASHBOARD", tried = {};
const note = (name, promise) => tried[name] = promise.then(answer => answer, () => "refused");
note("frame", new Promise(seen => document.querySelector("iframe").onload = event => {
  try { seen(event.target.contentDocument ? "empty" : "a page of another origin"); } catch { seen("a page of another origin"); } }));
note("image", new Promise((seen, no) => {
  const image = document.querySelector("img"); image.onload = () => seen("shown"); image.onerror = no; }));
note("script", new Promise((seen, no) => {
  const script = document.createElement("script"); script.src = `${target}/scores.json?rulesets=bloxx-3p`;
  script.onload = () => seen("ran"); script.onerror = no; document.head.append(script); }));
note("read", fetch(`${target}/scores.json?rulesets=bloxx-3p`).then(answer => answer.text()));
note("write", fetch(`${target}/scores.json`, { method: "POST", mode: "cors", body: "x" }).then(answer => answer.text()));
note("websocket", new Promise((seen, no) => {
  const socket = new WebSocket(`${target.replace("http", "ws")}/_stcore/stream`);
  socket.onopen = () => seen("open"); socket.onerror = no; }));
window.outcome = Promise.all(Object.entries(tried).map(async ([name, promise]) => [name, await promise]));
</script>"""

    def do_GET(self) -> None:
        self.send_response(http.client.OK)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(self.page.replace("DASHBOARD", self.target).encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def attacking_address(shared_dashboard_address: str) -> Iterator[str]:
    """A page of another site, and of another port of the same machine."""
    site = type("Site", (AttackingSite,), {"target": shared_dashboard_address})
    with ThreadingHTTPServer(("127.0.0.1", 0), site) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://{{host}}:{server.server_port}/"
        server.shutdown()


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_in_a_browser_another_site_gets_nothing_and_its_link_opens_the_page(
    browser: Browser, attacking_address: str, host: str
) -> None:
    """`localhost` is another site, and another port of `127.0.0.1` is another origin of the same site."""
    context = browser.new_context()
    page, statuses = context.new_page(), dict[str, int]()

    def note_status(response: Response) -> None:
        statuses[urlsplit(response.url).path] = response.status

    page.on("response", note_status)
    page.goto(attacking_address.format(host=host))
    outcome = dict(page.evaluate("window.outcome"))
    frame = outcome.pop("frame")
    assert frame == "a page of another origin"
    assert page.frames[1].evaluate("document.title") != "Scores"
    assert set(outcome.values()) == {"refused"}
    assert statuses["/scores"] == http.client.FORBIDDEN
    page.get_by_role("link").click()
    page.get_by_role("heading", name="Scores", exact=True).wait_for(timeout=60_000)
    context.close()


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="only Linux lists listening sockets in a file")
def test_it_listens_on_this_machine_only(shared_dashboard_address: str) -> None:
    listening = [
        local.rpartition(":")[0]
        for table in ("/proc/net/tcp", "/proc/net/tcp6")
        if Path(table).exists()
        for _, local, _, state, *_ in map(str.split, Path(table).read_text().splitlines()[1:])
        if state == LISTENING_STATE
        and int(local.rpartition(":")[2], 16) == address_port(shared_dashboard_address)
    ]
    assert listening == ["0100007F"]
    for other in {"127.0.0.2", *socket.gethostbyname_ex(socket.gethostname())[2]} - {"127.0.0.1"}:
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((other, address_port(shared_dashboard_address)), timeout=10)


def test_a_game_of_a_hostile_run_is_exported_as_harmless_text(
    library: Library, new_page: Callable[..., Page], tmp_path: Path
) -> None:
    path, page_file = tmp_path / "runs" / "three.duckdb", tmp_path / "game.html"
    path.parent.mkdir()
    shutil.copyfile(library.runs_folder / "three.duckdb", path)
    quoted = HOSTILE_NAME.replace("'", "''")
    with duckdb.connect(path) as connection:
        connection.execute(
            f"UPDATE run SET title = '{quoted}', command = '{quoted}'; UPDATE rulesets SET title = '{quoted}'; "  # noqa: S608
            f"UPDATE seats SET strategy = '{quoted}' WHERE strategy LIKE 'greedy%'; "
            f"UPDATE strategies SET strategy = '{quoted}', title = '{quoted}' WHERE strategy LIKE 'greedy%'"
        )
    result = CliRunner().invoke(app, ["export", str(path), "--game", "1", "--out", str(page_file)])
    assert result.exit_code == 0, result.output
    text = page_file.read_text(encoding="utf-8")
    assert len(re.findall(r"<script", text, re.IGNORECASE)) == len(
        re.findall(r"</script>", text, re.IGNORECASE)
    )
    page = new_page()
    page.goto(page_file.as_uri())
    page.locator("svg").first.wait_for()
    assert page.evaluate("document.images.length") == 0
    page_text = page.evaluate("document.body.innerText")
    assert HOSTILE_NAME.replace("\u2028", " ")[:40] in page_text.replace("\u2028", " ")
