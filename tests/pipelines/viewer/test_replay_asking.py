"""How a board asks by messages, and how the sheets of answers enter it: none of their texts can run or load anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from pipelines.report.charts import Histogram, ScoreSeries, make_distribution
from pipelines.report.sheet import Continuation, Continuations, Fact, Part, Passage, Sheet
from pipelines.report.show.html import write_sheet_html
from pipelines.report.table import Table
from pipelines.viewer.palette import CHOSEN_LOOK

if TYPE_CHECKING:
    from collections.abc import Callable


HOSTILE_TEXTS: Final = (
    "<script>window.broken = 1</script>",
    "<img src=x onerror='window.broken = 1'>",
    '"><svg onload="window.broken = 1">',
    "</section></div></script><script>window.broken = 1</script>",
    "<style>* { display: none }</style>",
    '<a href="javascript:window.broken = 1">click</a>',
    "&lt;script&gt;window.broken = 1&lt;/script&gt;",
    "{{ 7 * 7 }}{% raw %}",
    "\u0000\u202e<iframe srcdoc='<script>parent.broken = 1</script>'>",
)
HOSTILE_SHEETS: Final = (
    '<section class="sheet"><h2>kept</h2><script>window.broken = 1</script></section>',
    '<section class="sheet" onclick="window.broken = 1"><h2 onfocus="window.broken = 1" autofocus>kept</h2></section>',
    '<section class="sheet"><h2>kept</h2><img src=x onerror="window.broken = 1"></section>',
    '<section class="sheet"><h2>kept</h2><svg><animate onbegin="window.broken = 1" attributeName="x" dur="1s"/></svg></section>',
    '<section class="sheet"><h2>kept</h2><svg><script>window.broken = 1</script><use href="//evil.example/x#y"/></svg></section>',
    '<section class="sheet"><h2>kept</h2><iframe srcdoc="<script>parent.broken = 1</script>"></iframe></section>',
    '<section class="sheet"><h2>kept</h2><form action="//evil.example"><button formaction="javascript:1">x</button></form></section>',
    '<section class="sheet"><h2>kept</h2><a href="javascript:window.broken = 1">x</a><link rel="stylesheet" href="//evil.example"></section>',
    '<section class="sheet"><h2>kept</h2><p style="background: url(//evil.example)">x</p><video src="//evil.example" poster="//evil.example"></section>',
    '<section class="sheet"><h2>kept</h2><svg><foreignObject><body onload="window.broken = 1"></foreignObject></svg></section>',
    '<section class="sheet"><h2>kept</h2><template><script>window.broken = 1</script></template></section>',
    '<base href="//evil.example"><meta http-equiv="refresh" content="0;url=//evil.example"><section class="sheet"><h2>kept</h2></section>',
)
FOUND_SCRIPT: Final = """(() => {
  const section = parseSheet(given);
  document.body.replaceChildren(section);
  const nodes = [section, ...section.querySelectorAll("*")];
  return {
    title: section.querySelector("h2").textContent,
    tags: nodes.map((node) => node.localName),
    attributes: nodes.flatMap((node) => node.getAttributeNames()),
    text: section.textContent,
  };
})()"""


def make_sheet(text: str) -> Sheet:
    """Return a sheet that has the same text at every place."""
    scores = make_distribution([1, 2, 2, 3])
    series = ScoreSeries(text, text, scores, scores.n, None, CHOSEN_LOOK)
    return Sheet(
        kind=text,
        title=text,
        verdict=text,
        consequences=(text,),
        basis=text,
        warnings=(text,),
        parts=(
            Part("chart", Histogram([series], text, text, text), caption=text),
            Part("table", Table(text, (text,), ((text,),)), caption=text),
            Part(
                "continuations",
                Continuations(text, (text, text), (Continuation(text, 3, dict),), 0),
                "beside",
                text,
            ),
            Part("passage", Passage(text, ((text, text),)), "details"),
        ),
        facts=(Fact(text, text),),
        commands=(text,),
        address=text,
    )


def check_harmless(evaluate: Callable[..., Any], html: str) -> dict[str, Any]:
    """Put the HTML of a sheet into a page as a board does; return what is in it."""
    found: dict[str, Any] = evaluate("sheet", FOUND_SCRIPT, html)
    assert not {"script", "img", "iframe", "style", "a", "form", "use", "animate", "template", "link"} & set(
        found["tags"]
    )
    assert not [
        name for name in found["attributes"] if name.startswith("on") or name in {"href", "src", "style"}
    ]
    assert (
        evaluate("sheet", "new Promise((done) => setTimeout(() => done(window.broken ?? null), 50))") is None
    )
    return found


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_a_hostile_text_stays_text(evaluate: Callable[..., Any], text: str) -> None:
    found = check_harmless(evaluate, write_sheet_html(make_sheet(text), is_on_board=True))
    assert found["title"] == text.replace("\u0000", "")
    assert found["text"].count(found["title"]) > 10


@pytest.mark.parametrize("html", HOSTILE_SHEETS)
def test_html_that_no_template_of_ours_writes_does_nothing(evaluate: Callable[..., Any], html: str) -> None:
    assert check_harmless(evaluate, html)["title"] == "kept"


def test_what_is_no_sheet_is_nothing(evaluate: Callable[..., Any]) -> None:
    assert (
        evaluate("sheet", "given.map((text) => parseSheet(text))", ["", "<p>x</p>", "<section>"])
        == [None] * 3
    )


def test_the_numbers_of_continuations_are_keys_of_buttons(evaluate: Callable[..., Any]) -> None:
    html = write_sheet_html(make_sheet("plain"), is_on_board=True)
    script = "[...parseSheet(given).querySelectorAll('[data-key]')].map((one) => [one.dataset.key, one.textContent])"
    assert evaluate("sheet", script, html) == [["3", "plain"]]


def test_what_was_opened_stays_open_when_an_answer_grows(evaluate: Callable[..., Any]) -> None:
    script = """(() => {
      const place = document.createElement("div");
      const read = () => parseSheet(given).querySelectorAll("details");
      replaceOpened(place, ...read());
      place.children[1].open = true;
      replaceOpened(place, ...read());
      return [...place.children].map((node) => node.open);
    })()"""
    assert evaluate("sheet", script, write_sheet_html(make_sheet("plain"))) == [False, True]


MESSAGES_SCRIPT: Final = """(async () => {
  const [sent, shown] = [[], []];
  const messages = createMessageAsking((message) => sent.push(message));
  const stopping = new AbortController();
  const grown = messages.ask("whatif", { ply: 3 }, { show: ({ n }) => shown.push(n) });
  const left = messages.ask("whatif", { ply: 4 }, { signal: stopping.signal });
  const [first, second] = sent.map(({ id }) => id);
  messages.receive({ id: "of another view", answer: { n: 9 }, isLast: true });
  messages.receive({ id: first, answer: { n: 1 }, isLast: false });
  await new Promise((resolve) => setTimeout(resolve, 300));
  messages.receive({ id: first, answer: { n: 2 }, isLast: true });
  stopping.abort();
  messages.receive({ id: second, answer: { n: 3 }, isLast: true });
  const ends = [await grown, await left];
  return { sent: sent.map(({ id, ...rest }) => [[first, second].indexOf(id), rest]), shown, ends };
})()"""


def test_messages_ask_for_more_until_the_last_one_and_are_cancelled(evaluate: Callable[..., Any]) -> None:
    found = evaluate("ask", MESSAGES_SCRIPT)
    assert found["sent"] == [
        [0, {"kind": "whatif", "ply": 3}],
        [1, {"kind": "whatif", "ply": 4}],
        [0, {"kind": "next"}],
        [1, {"kind": "cancel"}],
    ]
    assert found["shown"] == [1, 2]
    assert found["ends"] == [{"n": 2}, {"isAborted": True}]


FETCH_SCRIPT: Final = """(async () => {
  const real = window.fetch;
  const answers = {
    whatif: ['data: {"n": 1, "text": "\u00e9"}\\n\\ndata: {"n": 2}\\n\\n', 200, "text/event-stream; charset=utf-8"],
    busy: ['{"error": "ask again"}', 503, "application/json"],
    broken: ["<html>", 200, "text/html"],
  };
  const [asked, shown] = [[], []];
  window.fetch = (address, { method, body, signal }) => {
    asked.push([method, address, body]);
    const [text, status, type] = answers[address.split("/").at(-1)] ?? [];
    if (text) return Promise.resolve(new Response(text, { status, headers: { "Content-Type": type } }));
    return new Promise((_, fail) => signal.addEventListener("abort", () => fail(signal.reason)));
  };
  const ask = createFetchAsking("/games", { run: "demo" });
  const last = await ask("whatif", { ply: 3 }, { show: ({ n, text }) => shown.push([n, text ?? ""]) });
  const stopping = new AbortController();
  const left = ask("endless", {}, { signal: stopping.signal });
  stopping.abort();
  const others = [await ask("busy"), await ask("broken"), await left];
  window.fetch = real;
  return { asked, shown, last, others };
})()"""


def test_a_page_reads_answers_and_says_why_there_is_none(evaluate: Callable[..., Any]) -> None:
    found = evaluate("ask", FETCH_SCRIPT)
    assert found["asked"][0] == ["POST", "/games/board/whatif", '{"run":"demo","ply":3}']
    assert (found["shown"], found["last"]) == ([[1, "\u00e9"], [2, ""]], {"n": 2})
    busy, broken, left = found["others"]
    assert busy == {"error": "ask again", "isBusy": True}
    assert broken == {"error": "The server has not answered. Try again."}
    assert left == {"isAborted": True}
