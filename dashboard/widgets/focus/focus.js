/*
 * Bring a part of the page into view and give it the keyboard focus, once for every new turn. The part is a container with
 * a key, to which Streamlit gives the class st-key-<key>. Without that class nothing happens.
 */
const SETTLING_MILLISECONDS = 150; // other parts of the page are drawn at the same time and move what is below them
const done = new WeakMap();

/** Hide the frame of the focus, which means nothing to somebody with a mouse or a finger, until a key is pressed. */
function hideFrame(element) {
  element.style.outline = "none";
  addEventListener("keydown", () => element.style.removeProperty("outline"), { once: true, capture: true });
}

export default function showPart({ data, parentElement }) {
  const { target, turn } = data ?? {};
  if (!turn || done.get(parentElement) === turn) return undefined;
  done.set(parentElement, turn);
  setTimeout(() => {
    const part = document.querySelector(`.st-key-${CSS.escape(String(target))}`);
    if (!part) return;
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const shown = (data.peeks && part.querySelector("h3")) || part;
    shown.scrollIntoView({ behavior: calm ? "auto" : "smooth", block: shown.clientHeight > innerHeight ? "start" : "nearest" });
    const focused = part.querySelector('[role="region"][tabindex]') ?? part.querySelector("input, button");
    if (focused && !document.querySelector(":focus-visible")) hideFrame(focused);
    focused?.focus({ preventScroll: true });
  }, SETTLING_MILLISECONDS);
  return undefined;
}
