/*
 * Zoom: larger boards, which scroll in a window of their own; by buttons and keys, by two fingers, or by a tap where several
 * places lie under a finger.
 */

import { createButton, html } from "./draw.js";

const STEPS = [0.6, 0.8, 1, 1.25, 1.5, 2, 2.5, 3.2, 4];
const CLOSE = 2.5; // the zoom after a tap, unless the width of a board fits with less
const FINGER_SIDE = 30; // pixels of a square that a finger hits
const FRAME_PIXELS = 32; // beside a board: the padding of its card and of the window

/** Whether people point with a finger. */
export const isFinger = () => matchMedia("(pointer: coarse)").matches;

/**
 * Create the zoom of a stage.
 * @param {{zoom: number}} memory holds the zoom, also for the stage that replaces this one; 1 is the normal size
 * @param {{layout: Function, told?: Function}} listeners `layout` lays out the stage; `told` gets the zoom that a button or key chose
 */
export function createZoom(stage, memory, { layout, told = () => {} }, signal) {
  const { scroller } = stage;
  let pinch = null;
  scroller.prepend(html("div", { class: "whole-board" }, createButton({ title: "Show the whole board (\u2212)" }, () => set(1), "Whole board")));

  /** Set the zoom; the part of the board at a point of the screen stays there. */
  function set(zoom, place = memory.zoom > 1 ? findMiddle() : findLead()) {
    memory.zoom = zoom;
    layout();
    moveTo(place, place);
  }

  function findMiddle() {
    const { left, top } = scroller.getBoundingClientRect();
    return findPlace(left + scroller.clientWidth / 2, top + scroller.clientHeight / 2);
  }

  /** Return the middle of the board that people look at: of several, that of the player who moves. */
  function findLead() {
    const { left, top, width, height } = stage.lead.node.getBoundingClientRect();
    return stage.views.length > 1 ? findPlace(left + width / 2, top + height / 2) : findMiddle();
  }

  /** Return the board at a point of the screen, or else the first one, and the point on it. */
  function findPlace(x, y) {
    const isAt = ({ left, right, top, bottom }) => x >= left && x <= right && y >= top && y <= bottom;
    const { node } = stage.views.find((view) => isAt(view.node.getBoundingClientRect())) ?? stage.views[0];
    const matrix = node.getScreenCTM(); // null while something else is shown in place of the boards
    return { x, y, node, point: matrix && new DOMPoint(x, y).matrixTransform(matrix.inverse()) };
  }

  /** Scroll the window until the place on a board is at a point of the screen. */
  function moveTo({ node, point }, { x, y }) {
    if (!point) return;
    const now = point.matrixTransform(node.getScreenCTM());
    scroller.scrollBy({ left: now.x - x, top: now.y - y, behavior: "instant" });
  }

  function step(count) {
    const next = count > 0 ? STEPS.find((zoom) => zoom > memory.zoom + 0.01) : STEPS.findLast((zoom) => zoom < memory.zoom - 0.01);
    if (next) set(next);
    told(memory.zoom);
  }

  const readFingers = ([a, b]) => ({ x: (a.clientX + b.clientX) / 2, y: (a.clientY + b.clientY) / 2, span: Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY) });

  stage.node.addEventListener("touchstart", (event) => {
    pinch = null;
    if (event.touches.length !== 2) return;
    event.preventDefault(); // the page neither scrolls nor grows
    const { x, y, span } = readFingers(event.touches);
    pinch = { place: findPlace(x, y), span, zoom: memory.zoom };
  }, { signal, passive: false });
  stage.node.addEventListener("touchmove", (event) => {
    if (!pinch || event.touches.length !== 2) return;
    event.preventDefault();
    const fingers = readFingers(event.touches);
    memory.zoom = Math.max(1, Math.min(STEPS.at(-1), (pinch.zoom * fingers.span) / pinch.span));
    layout();
    moveTo(pinch.place, fingers);
  }, { signal, passive: false });
  stage.node.addEventListener("touchend", () => { pinch = null; }, { signal });

  return {
    get value() {
      return memory.zoom;
    },
    larger: () => step(1),
    smaller: () => step(-1),
    /** Zoom in around a finger, so that it hits single squares; return false if the squares of the board are large enough. */
    closeIn({ clientX, clientY }, view) {
      if (memory.zoom > 1 || view.side >= FINGER_SIDE) return false;
      const fit = (scroller.clientWidth - FRAME_PIXELS) / view.node.getBoundingClientRect().width;
      set(fit * view.side >= FINGER_SIDE ? Math.min(fit, CLOSE) : CLOSE, findPlace(clientX, clientY));
      return true;
    },
    /** Show the whole board again after a choice; who points with a mouse keeps the size. */
    leave() {
      if (memory.zoom > 1 && isFinger()) set(1);
    },
  };
}
