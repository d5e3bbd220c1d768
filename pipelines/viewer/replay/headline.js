/*
 * The headline of the page What if: a question with the button that asks it, and then what was asked and the answer.
 */

import { createButton, html, setText } from "./draw.js";
import { describeMove } from "./moves.js";

/**
 * Create the headline.
 * @param {Element} answer what was asked and the sentence on it, which stand here then
 * @param {Function} ask asks the question that is offered
 */
export function createHeadline(game, answer, ask) {
  const about = html("p", { class: "headline-about soft" }, "The game is played on many times with and without the change.");
  const question = html("h2");
  const button = createButton({ class: "go" }, ask, "");
  return {
    parts: [about, html("div", { class: "headline-ask in-row wrap" }, question, button), answer],
    /**
     * Offer a question about a ply.
     * @param {{moves: object[], offered: object | null, isForced: boolean}} choice the best `moves`, as far as they are known, and
     *   the one that is `offered`; `isForced` says that there is no choice, so that only the luck can be another one
     */
    show(step, { moves, offered, isForced }) {
      const who = game.seats[step.seat]?.name ?? "";
      const played = moves.find(({ action }) => action === step.notation)?.name ?? describeMove(game, step).text;
      const quote = (words) => (step.kind === "keep" ? `\u201c${words}\u201d` : words);
      const choice = offered ? `chosen ${quote(offered.name)} instead of ${quote(played)}` : `not chosen ${quote(played)}`;
      setText(question, isForced ? `What if the luck had been different from move ${step.ply + 1} on?` : `What if ${who} had ${choice}?`);
      setText(button, isForced ? "Play on with other luck" : "Play both branches");
      button.hidden = !offered && !isForced;
    },
  };
}
