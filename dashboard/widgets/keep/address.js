/*
 * Tells the server the query of the address: a replay writes its ply and its what-if question there without asking the server. It
 * also tells what the answer to this question says.
 * `mount` is called when the fields of a note are opened.
 */

const REDRAWING_MILLISECONDS = 2000;

/**
 * Let a field of a note be saved before Escape closes the menu: a field tells the server what it holds when it loses the focus.
 * The button gets the focus, and once more when it is drawn anew with another number of notes.
 */
function saveField(event) {
  if (event.key !== "Escape" || !event.target.closest(".st-key-keep-fields")) return;
  const row = document.querySelector(".st-key-keep-row");
  const focusButton = () => document.activeElement?.matches("input, textarea, button") || row.querySelector("button")?.focus();
  event.target.blur();
  focusButton();
  const redrawing = new MutationObserver(focusButton);
  redrawing.observe(row, { childList: true, subtree: true });
  setTimeout(() => redrawing.disconnect(), REDRAWING_MILLISECONDS);
}

export default function mount({ data, setStateValue, setTriggerValue }) {
  addEventListener("keydown", saveField, true);
  const shown = { answer: "" };
  document.dispatchEvent(new CustomEvent("shown-answer", { detail: shown }));
  if (location.search !== data.known) setStateValue("search", location.search);
  if (shown.answer !== data.answer) setStateValue("answer", shown.answer);
  if (data.is_awaited) setTriggerValue("told", true);
}
