/*
 * Help: the keys of the replay, and the dialog that shows them.
 */

import { createButton, html } from "./draw.js";

export const HELP = [
  ["\u2190 \u2192", "previous move, next move"],
  ["Wheel", "over the board: previous move, next move; beside it the page scrolls"],
  ["Home End", "start, last move"],
  ["Shift+\u2190 Shift+\u2192", "previous turn, next turn, without its throws"],
  ["PageUp PageDown", "previous round, next round"],
  ["Space", "play, pause"],
  ["> <", "faster, slower"],
  ["1 2 3 4", "the next move of player 1, 2, 3, 4"],
  ["+ \u2212", "larger, smaller"],
  ["F", "turn the board, or show the next seat first"],
  ["L", "copy a link to this move"],
  ["?", "this help"],
];
export const NO_MOVES_HELP = HELP.filter(([keys]) => !keys.startsWith("1 2"));
export const WHATIF_HELP = [["W", "what if it had gone differently from here?"]];
export const MOVES_HELP = [
  ["1 2 3 4 5", "choose one of the best moves; without them, or with Shift: the next move of that player"],
  ["G", "show or hide the best moves on the board"],
];
export const PLAY_ON_HELP = [["B", "play on from here: take a seat at this position"]];
export const CHOICE_HELP = [
  ["Enter", "What if: choose another move with the keys, then try it"],
  ["\u2190 \u2191 \u2192 \u2193", "What if: move the shape to another legal place"],
  ["R P", "What if: turn the shape, the next shape"],
  ["Esc", "leave the choice, the two continuations, What if"],
];
export const REVIEW_HELP = [
  ["M Shift+M", "the next, the previous slip: an inaccuracy, a mistake or a blunder"],
  ["N Shift+N", "the next, the previous lucky or unlucky roll"],
];
export const LEARN_HELP = [["S", "Learn from mistakes: show the better move"]];
export const PAIR_HELP = HELP.filter(([keys]) => !/^(1 2|F$|L$|\+)/.test(keys));

export function createHelpDialog() {
  const close = createButton({ "aria-label": "Close help" }, () => dialog.close(), "Close");
  const keys = html("dl");
  const heading = html("h2", { tabindex: -1 }, "Keys");
  const dialog = html(
    "dialog",
    { class: "help-dialog", "aria-label": "Keys" },
    heading,
    keys,
    html("p", {}, "Swipe over the boards to step. Click or drag along the score course, or click a move in the list, to jump."),
    close,
  );
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close(); // the backdrop
  });
  return {
    node: dialog,
    toggle(rows) {
      if (dialog.open) return dialog.close();
      keys.replaceChildren(...rows.map(([key, does]) => html("div", {}, html("dt", {}, ...key.split(" ").map((name) => html("kbd", {}, name))), html("dd", {}, does))));
      dialog.showModal();
      heading.focus(); // the browser gives it to the button at the end, which scrolls the first keys away
    },
  };
}
