/*
 * Requests of the replay to the page around it, one after the other: the next is sent when the last is answered. A request that
 * is not answered is sent again under the same id, and the page does what it asks once.
 */

import { asRecord } from "./values.js";

const ANSWER_SECONDS = 30;
const REPEAT_SECONDS = 3; // a server that draws its page anew forgets the requests that wait for their turn

/**
 * @param {(request: object) => void} send gives a request to the page
 * @returns {{ask: Function, receive: Function, isAwaited: Function, destroy: Function}}
 */
export function createRequests(send) {
  const prefix = Math.random().toString(36).slice(2, 10); // an answer to a replay that is gone must not be taken
  const waiting = [];
  let serial = 0;
  let current = null;

  function sendNext() {
    if (current || !waiting.length) return;
    current = waiting.shift();
    current.timer = setTimeout(() => finish({ error: "The server has not answered. Try again." }), 1000 * ANSWER_SECONDS);
    current.repeat = setInterval(sendCurrent, 1000 * REPEAT_SECONDS);
    sendCurrent();
  }

  const sendCurrent = () => send({ id: current.id, kind: current.kind, ...current.fields });

  function stopTimers() {
    clearTimeout(current?.timer);
    clearInterval(current?.repeat);
  }

  function finish(response) {
    const { resolve } = current;
    stopTimers();
    current = null;
    resolve(response);
    sendNext();
  }

  return {
    /** Ask the page; the promise gives the response. A response with `error` says what went wrong. */
    ask(kind, fields = {}) {
      serial += 1;
      const id = `${prefix}-${serial}`;
      return new Promise((resolve) => {
        waiting.push({ id, kind, fields, resolve, timer: 0, repeat: 0 });
        sendNext();
      });
    },
    /** Take a response; responses to other requests are ignored. */
    receive(raw) {
      const response = asRecord(raw);
      if (current && response.id === current.id) finish(response);
    },
    /** Whether a response answers the request that is being waited for. */
    isAwaited: (raw) => Boolean(current) && asRecord(raw).id === current.id,
    destroy() {
      stopTimers();
      waiting.length = 0;
    },
  };
}
