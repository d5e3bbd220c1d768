/*
 * How a board asks: by `fetch` on a page, by messages in a notebook. Both give a function `ask(kind, fields, { show, signal })`: its
 * promise gives the last answer, and `show` gets every answer while it grows. An answer with `error` says what went wrong; if the
 * `signal` has ended the question, `isAborted` is true.
 */

import { asList, asRecord } from "./values.js";

const NO_ANSWER = "The server has not answered. Try again.";
const NO_VALUE = "This move has no value here: it is not among the most promising ones. Try another move.";
const SILENT_MILLISECONDS = 15_000;
const PYTHON_LEFT = "Python no longer answers, because the kernel was restarted or shut down. Run the cell again.";
const NO_PYTHON = "Python has not answered for 15 seconds. It is busy, or the kernel was restarted: then run the cell again.";
const NEXT_MILLISECONDS = 200; // between two messages that ask for more of an answer that grows

/**
 * Ask the routes of a page.
 * @param {string} base the path of the dashboard, such as "" or "/games"
 * @param {object} always fields that every request has
 */
export function createFetchAsking(base, always = {}) {
  return async (kind, fields = {}, { show = null, signal = null } = {}) => {
    const request = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ ...always, ...fields }), signal };
    try {
      const response = await fetch(`${base}/board/${kind}`, request);
      const isGrowing = response.headers.get("content-type")?.startsWith("text/event-stream");
      return isGrowing ? await readEvents(response.body, show) : { ...asRecord(await response.json()), isBusy: response.status === 503 };
    } catch {
      return signal?.aborted ? { isAborted: true } : { error: NO_ANSWER };
    }
  };
}

/**
 * Answer from what a page holds, without a server: the legal moves of a lesson (`look`), and what the valued ones lose (`tries`).
 * @param {unknown} raw a lesson as JSON data
 */
export function createStoredAsking(raw) {
  const { look, tries } = asRecord(raw);
  const known = asRecord(tries);
  return async (kind, { ply = 0, action = "" } = {}) => {
    if (kind === "look") return asRecord(look);
    if (!Object.hasOwn(known, action)) return { error: NO_VALUE };
    const [judged, judged_by_points, nearly_decided, points, wins] = asList(known[action], 5);
    return { decision: { ply, judged, judged_by_points, nearly_decided, points, wins } };
  };
}

/** Read a stream of events that hold JSON data; return the data of the last one. */
async function readEvents(body, show) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  let last = {};
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const events = (text + part.value).split("\n\n");
    text = events.pop();
    for (const event of events) {
      last = asRecord(JSON.parse(event.replace(/^data: /, "")));
      show?.(last);
    }
  }
  return last;
}

/**
 * Ask by messages, which Python answers one by one.
 * @param {(message: object) => void} send gives a message to Python
 * @returns {{ask: Function, receive: Function}} `receive` takes the messages of Python
 */
export function createMessageAsking(send) {
  const prefix = Math.random().toString(36).slice(2, 10); // several views of a widget share its messages
  const waiting = new Map();
  let serial = 0;
  const watch = (id) => {
    const asked = waiting.get(id);
    if (!asked) return;
    clearTimeout(asked.timer);
    asked.timer = setTimeout(() => waiting.delete(id) && asked.resolve({ error: NO_PYTHON }), SILENT_MILLISECONDS);
  };
  const sendOrEnd = (id, message) => {
    try {
      send({ id, ...message });
    } catch {
      waiting.get(id)?.resolve({ error: PYTHON_LEFT }); // a notebook refuses messages to a kernel that is no longer there
      waiting.delete(id);
    }
  };
  return {
    ask: (kind, fields = {}, { show = null, signal = null } = {}) =>
      new Promise((resolve) => {
        serial += 1;
        const id = `${prefix}-${serial}`;
        waiting.set(id, { resolve, show });
        signal?.addEventListener("abort", () => {
          if (!waiting.delete(id)) return;
          sendOrEnd(id, { kind: "cancel" });
          resolve({ isAborted: true });
        });
        sendOrEnd(id, { kind, ...fields });
        watch(id);
      }),
    receive(raw) {
      const { id, answer, isLast } = asRecord(raw);
      const asked = waiting.get(id);
      if (!asked) return;
      watch(id);
      if (answer) asked.show?.(asRecord(answer));
      if (isLast !== true) {
        setTimeout(() => waiting.has(id) && sendOrEnd(id, { kind: "next" }), NEXT_MILLISECONDS);
        return;
      }
      waiting.delete(id);
      asked.resolve(asRecord(answer));
    },
  };
}
