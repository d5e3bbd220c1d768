/*
 * The current ply: its round and number, its caption, and the dice.
 */

import { drawDie } from "./dice.js";
import { html, setText } from "./draw.js";
import { describeNext, describePlace, describeResult } from "./moves.js";
import { CHANCE } from "./scene.js";

export function createMomentView(game) {
  const place = html("p", { class: "place" });
  const caption = html("p", { class: "caption" });
  const said = html("p", { class: "comment unseen" }); // for screen readers and on phones: others see it in the list of moves
  const words = html("div", { class: "words", "aria-live": "polite", "aria-atomic": "true" }, place, caption, said);
  const dice = html("div", { class: "dice", role: "group", "aria-label": "Dice" });
  const hasDice = game.steps.some((step) => step.dice.length);
  const longest = Math.max(0, ...game.steps.map((step) => step.caption.length));
  let shownDice = null;
  const told = html("div", { class: "told" }, words);
  const node = html("section", { class: "moment in-row apart", "aria-label": "This move" }, told, hasDice ? dice : "");
  return {
    node,
    /** The part with the words, which has room for more of them beside the dice. */
    told,
    /** Reserve room for the longest caption, so that the parts below do not move from ply to ply. */
    resize(width, isPhone) {
      const room = width - (hasDice && !isPhone ? 300 : 0);
      node.style.setProperty("--lines", String(Math.max(1, Math.min(2, Math.ceil((longest * 8) / room)))));
    },
    /** `isToMove` says that the boards show the position before the ply, `isBlind` that nobody may read what was played, and `call` who chooses now. */
    show(at, step, { comment = "", isToMove = false, isBlind = false, call = "" } = {}) {
      const isEnd = at === game.steps.length - 1 && Boolean(game.ranks);
      setText(place, isEnd ? `${describePlace(game, at)} \u00b7 ${describeResult(game)}` : describePlace(game, at));
      const what = !step ? "The game has not begun." : isToMove ? describeNext(game, step, isBlind) : step.caption;
      setText(caption, call ? `${what} ${call}.` : what);
      setText(said, isBlind ? "" : comment);
      const shown = isToMove ? game.steps[at - 1] : step;
      dice.toggleAttribute("data-rolled", shown?.seat === CHANCE);
      const newDice = shown?.dice ?? [];
      if (newDice === shownDice) return;
      shownDice = newDice;
      dice.replaceChildren(...newDice.map(drawDie));
    },
    /** While the game plays by itself, screen readers do not read every ply. */
    setQuiet(isQuiet) {
      words.setAttribute("aria-live", isQuiet ? "off" : "polite");
    },
  };
}

