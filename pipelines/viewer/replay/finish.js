/*
 * The end of a game: who won and by how much, the final table, and what to do next. It is shown at the last ply only.
 */

import { colourClass, createButton, html } from "./draw.js";
import { describeResult } from "./moves.js";
import { formatNumber, formatOrdinal, formatPercent } from "./numbers.js";
import { createSeatChip } from "./seats.js";
import { asRecord, isWithin } from "./values.js";

/**
 * Read how close the finish was: the share of other games with a wider margin, and their number.
 * @returns {{share: number, n: number} | null} null if there are too few games
 */
export function readCloseness(raw) {
  const { share, n } = asRecord(raw);
  return Number.isFinite(share) && share >= 0 && share <= 1 && isWithin(n, 1, Number.MAX_SAFE_INTEGER) ? { share, n } : null;
}

const describeStanding = ({ beaten, n }) => `Better than ${formatPercent(beaten)} of the ${n.toLocaleString("en")} final scores under these rules in this run; equal scores count half`;

/** "A closer finish than 98 % of 600 games", or a wider one; near the middle it is a usual margin. */
function describeCloseness({ share, n }) {
  const games = `of ${n.toLocaleString("en")} games under these rules in this run`;
  if (share >= 0.75) return `A closer finish than ${formatPercent(share)} ${games}.`;
  if (share > 0.25) return `A usual margin: wider than ${formatPercent(1 - share)} ${games}.`;
  return `A wider margin than ${formatPercent(1 - share)} ${games}.`;
}

/**
 * Create the card of the end.
 * @param {{nextGame?: Function, review?: Function, whatif?: Function, start: Function}} commands those that are missing are not offered
 */
export function createFinishView(game, commands) {
  const node = html("section", { class: "finish in-column", "aria-label": "Result", hidden: true });
  if (!game.ranks || !game.steps.length) return { node, show() {}, setReview() {} };
  const order = game.seats.map((_, seat) => seat).sort((a, b) => game.ranks[a] - game.ranks[b] || a - b);
  const scores = game.steps.at(-1).scores;
  const rows = order.map((seat) =>
    html(
      "tr",
      { class: colourClass(game.seats[seat].colour), "data-winner": game.ranks[seat] === 1 },
      html("td", {}, `${game.ranks[seat] === 1 ? "\u2605 " : ""}${formatOrdinal(game.ranks[seat])}`),
      html("th", { scope: "row" }, createSeatChip(game, seat), html("span", {}, html("span", { class: "who" }, game.seats[seat].name), game.seats[seat].strategy ? html("span", { class: "by soft", title: game.seats[seat].strategy }, game.seats[seat].character) : "")),
      html("td", { class: "points-cell" }, html("b", {}, formatNumber(scores[seat])), game.standings ? html("small", { class: "standing", title: describeStanding(game.standings[seat]) }, `beats ${formatPercent(game.standings[seat].beaten)}`) : ""),
    ),
  );
  const basis = game.standings ? html("p", { class: "note" }, `beats: share of the ${game.standings[0].n.toLocaleString("en")} final scores under these rules in this run that are worse`) : "";
  const closeness = game.closeness ? html("p", { class: "closeness soft" }, describeCloseness(game.closeness)) : "";
  const button = (text, title, command, kind = "") => createButton({ class: kind, title }, command, text);
  const review = commands.review ? button("Review", "How much each choice lost, and how much luck changed the result", commands.review) : "";
  const actions = html(
    "div",
    { class: "finish-actions" },
    commands.nextGame ? button("Next game", "Open the next game of this run", commands.nextGame, "primary") : "",
    review,
    button("From the start", "Go to the start (Home)", commands.start),
  );
  node.append(html("h2", {}, describeResult(game)), closeness, html("table", {}, html("tbody", {}, ...rows)), basis, actions);
  return {
    node,
    /** Show the card at the last ply. */
    show(isLast) {
      node.hidden = !isLast;
    },
    /** A game with a review does not offer it again. */
    setReview(isReviewed) {
      if (review) review.hidden = isReviewed;
    },
  };
}
