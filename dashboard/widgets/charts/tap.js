/*
 * A finger chooses a bin with one tap. Plotly selects what the pointer lies over, and learns that from movements of a mouse; a
 * finger has none before it taps, so the first tap would only show the text of the bin.
 */
export default function chooseWithOneTap() {
  const listeners = new AbortController();
  addEventListener("touchstart", move, { capture: true, passive: true, signal: listeners.signal });
  return () => listeners.abort();
}

function move({ target, changedTouches: [{ clientX, clientY }] }) {
  if (target.closest(".js-plotly-plot")) target.dispatchEvent(new MouseEvent("mousemove", { bubbles: true, clientX, clientY }));
}
