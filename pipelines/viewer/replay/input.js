/*
 * Input: keys, swipes, the wheel, and changes of the address.
 */

import { commandOfKey } from "./keys.js";

export const active = { root: null }; // of several replays on a page, the one that takes the keys and writes the address
const TYPING_SELECTOR = "input:not([type=range], [type=checkbox]), textarea, select, [contenteditable]:not([contenteditable=false]), dialog";
const WHEEL_PIXELS = 50; // how far the wheel turns for a step
const SWIPE_PIXELS = 40;
const isZoomed = (node) => Boolean(node.closest("[data-zoomed]"));

/**
 * Handle keys, swipes, the wheel and changes of the address.
 * @param {{commands: object, dialog: Element, area: Element, followAddress?: Function, activate: Function, isActive: Function, first: Function}} parts
 *   `first(event)` may return a command that comes before those of the replay
 */
export function listenToInput(root, { commands, dialog, area, followAddress, activate, isActive, first }, signal) {
  root.addEventListener("pointerdown", (event) => {
    activate();
    if (!event.target.closest("input, select, [role=listbox], dialog, a, summary")) root.focus({ preventScroll: true });
  }, { signal });
  // A click must not focus a button, because the space bar would press it again: the replay gets the focus, also from buttons of the page.
  root.addEventListener("mousedown", (event) => {
    if (event.target.closest("button")) event.preventDefault();
  }, { signal });
  document.addEventListener("click", ({ detail, target }) => {
    if (detail && isActive() && target.closest?.("main button:not([aria-haspopup])")) root.focus({ preventScroll: true }); // a key has detail 0
  }, { signal });
  root.addEventListener("focusin", activate, { signal });
  document.addEventListener("keydown", (event) => {
    const from = event.composedPath()[0];
    const isInside = event.composedPath().includes(root);
    const isOnPage = from === document.body || from === document.documentElement;
    if (event.defaultPrevented || !(isInside || (isOnPage && isActive()))) return;
    if (dialog?.open) {
      if (event.key === "?") dialog.close();
      return;
    }
    if (from.matches?.(TYPING_SELECTOR)) return;
    if (event.key === " " && from.matches?.("button, input")) return;
    const command = first(event) ?? commandOfKey(event, commands);
    if (!command) return;
    event.preventDefault();
    command();
  }, { signal });
  addEventListener("popstate", () => { if (isActive()) followAddress?.(); }, { signal });
  listenToSwipes(area, commands, signal);
  listenToWheel(area, commands, signal);
}

function listenToSwipes(area, commands, signal) {
  let from = null;
  area.addEventListener("pointerdown", (event) => {
    const isSwipe = event.pointerType !== "mouse" && event.isPrimary && event.target.closest(".stage");
    from = isSwipe && !isZoomed(event.target) ? event : null; // a finger scrolls zoomed boards
  }, { signal });
  area.addEventListener("pointercancel", () => { from = null; }, { signal });
  addEventListener("pointerup", (event) => {
    if (!from || event.pointerId !== from.pointerId) return;
    const across = event.clientX - from.clientX;
    const along = event.clientY - from.clientY;
    from = null;
    if (Math.abs(across) < SWIPE_PIXELS || Math.abs(across) < 2 * Math.abs(along)) return;
    if (across < 0) commands.next();
    else commands.previous();
  }, { signal });
}

/** The wheel steps over a board. At the start and at the end it scrolls the page, so that nobody is caught on a board. */
function listenToWheel(area, commands, signal) {
  let turned = 0;
  area.addEventListener("wheel", (event) => {
    const isOnBoard = event.target.closest?.(".board");
    if (!isOnBoard || isZoomed(event.target) || event.ctrlKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) return;
    const pixels = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY : WHEEL_PIXELS * Math.sign(event.deltaY);
    if (!commands.canWheel(Math.sign(pixels))) return;
    event.preventDefault();
    turned = Math.sign(turned) === Math.sign(pixels) ? turned + pixels : pixels;
    if (Math.abs(turned) < WHEEL_PIXELS) return;
    turned = 0;
    commands.wheel(Math.sign(pixels));
  }, { signal, passive: false });
}
