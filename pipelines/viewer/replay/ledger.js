/*
 * The ledger: how luck and choices add up to the result of every seat, and how good its choices were.
 */

import { html } from "./draw.js";
import { formatNumber, formatPercent, formatPointsHalf, formatShareHalf, formatTenths } from "./numbers.js";
import { CLASS_NAMES, CLASSES, LEDGER_PARTS } from "./review.js";
import { CHANCE } from "./scene.js";
import { createSeatChip } from "./seats.js";

/**
 * Create the view of the ledger, which begins with the moments that decided the game.
 * @param {(index: number) => void} go opens a step
 * @param {boolean} isGuest says that the board is a part of another page, which tells the moments itself
 */
export function createLedgerView(game, go, isGuest) {
  const node = html("section", { class: "ledger", "aria-label": "Ledger", hidden: true });
  return {
    node,
    setReview(review) {
      node.hidden = !review || Boolean(review.problem);
      node.replaceChildren(...(node.hidden ? [] : [...(isGuest ? [] : storyParts(game, review, go)), ...ledgerParts(game, review)]));
    },
  };
}

/** The moments that decided the game, each with a button that opens it. */
function storyParts(game, review, go) {
  if (!review.story.length) return [];
  const moments = review.story.map(({ index, text }) => {
    const open = html("button", { type: "button" }, `Move ${index + 1}`);
    open.addEventListener("click", () => go(index));
    return html("li", {}, open, html("span", {}, text));
  });
  return [html("h2", {}, "The game in short"), html("ol", { class: "story" }, ...moments)];
}

function ledgerParts(game, review) {
  const isMiddle = (part) => part > 0 && part < 4;
  const figure = (text, half) => [text, half ? html("small", {}, ` ${half}`) : ""];
  const score = ([value, half], part) => figure(half === 0 && value === Math.round(value) ? formatNumber(value) : formatTenths(value, isMiddle(part)), formatPointsHalf(half));
  const share = ([value, half], part) => figure(formatPercent(value, isMiddle(part)), formatShareHalf(half));
  const counts = review.counts.map((own) => CLASS_NAMES.map((name) => own[name]));
  const { points, wins } = review.ledgers ?? {};
  const tables = html(
    "div",
    { class: "ledger-tables" },
    points && !isNoise(points) ? createLedgerTable(game, "Points", LEDGER_PARTS, points, score) : "",
    wins && !isAnything(wins) && !isNoise(wins) ? createLedgerTable(game, "Share of the win", LEDGER_PARTS, wins, share) : "",
    createLedgerTable(game, review.isDone ? "Choices" : "Choices judged so far", CLASS_NAMES, counts, (count) => [String(count || "\u00b7")]),
  );
  return [html("h2", {}, "Where the results came from"), tables, ...describeUnclear(points, wins).map((text) => html("p", {}, text)), ...ledgerNotes(game, review)];
}

/** Say of each account that has no table why it has none. */
function describeUnclear(points, wins) {
  const noise = "not clear. What luck and choices added differs clearly from 0 for no player.";
  const wide = "Share of the win: not clear. The intervals of what luck and choices added over all these moves are as wide as the whole win. The course of the win chance shows where it changed.";
  return [points && isNoise(points) ? `Points: ${noise}` : "", wins && (isAnything(wins) ? wide : isNoise(wins) ? `Share of the win: ${noise}` : "")].filter(Boolean);
}

/** Whether an account of shares says nothing: half of an interval is as wide as the whole win. */
const isAnything = (rows) => rows.some((row) => row.some(([, half]) => half >= 1));

/** Whether luck, own choices and those of others differ clearly from 0 for nobody. */
const isNoise = (rows) => rows.every((row) => row.slice(1, -1).every(isUnclear));
const isUnclear = ([value, half]) => Math.abs(value) <= half && half > 0;

/** Create a table with a row for each seat. */
function createLedgerTable(game, title, columns, rows, text) {
  const isChoices = columns === CLASS_NAMES;
  const heads = columns.map((name) => {
    const glyph = isChoices ? CLASSES[name].glyph : "";
    return html("th", { scope: "col", title: isChoices ? CLASSES[name].plural : null }, glyph ? html("span", { class: `badge ${name}` }, html("b", {}, glyph), html("span", { class: "unseen" }, ` ${name}`)) : name);
  });
  const body = rows.map((row, seat) =>
    html(
      "tr",
      {},
      html("th", { scope: "row", title: game.seats[seat].strategy || null }, createSeatChip(game, seat), html("span", { class: "unseen" }, game.seats[seat].name)),
      ...row.map((value, part) => html("td", { "data-unclear": !isChoices && part > 0 && isUnclear(value) }, ...text(value, part))),
    ),
  );
  return html("table", { class: isChoices ? "choices" : null }, html("caption", {}, title), html("thead", {}, html("tr", {}, html("td", {}), ...heads)), html("tbody", {}, ...body));
}

function ledgerNotes(game, review) {
  const sum = game.lowestWins
    ? "Points: start \u2212 luck \u2212 own choices \u2212 others = result, because the lowest score wins. Share of the win: start + luck + own choices + others = result. + is good for the player everywhere: in points it means fewer of them."
    : "start + luck + own choices + others = result. + is good for the player.";
  const rolls = game.steps.some((step) => step.seat === CHANCE)
    ? ` A roll is marked if it changed a player\u2019s share of the win by ${formatPercent(review.large)} or more, and by more than half the width of the interval of this change.`
    : "";
  const sums = review.ledgers
    ? [`${sum} Start: the final score that is expected before the first move if ${review.players} play. Own choices: what the choices of the player added, compared with those of ${review.players}. Grey numbers do not differ clearly from 0.`]
    : ["The accounts of points and shares appear when all positions have values."];
  return [
    ...sums.map((text) => html("p", {}, text)),
    html("p", {}, describeClasses(review)),
    html("p", {}, `${review.playouts} playouts of every position; up to ${review.duel} of every choice and as many of the best other option, on the same luck. \u00b1 is half a 95\u202f% interval; the intervals of sums are cautious.${rolls}`),
  ];
}

/** Say what the classes of choices rest on. */
function describeClasses(review) {
  const points = review.spread ? `${[6, 3, 1.5].map((part) => formatTenths(review.spread / part)).join(", ").replace(/,([^,]*)$/, " or$1")} points (a sixth, a third, two thirds of the spread of the final scores)` : "a sixth, a third or two thirds of the spread of the final scores";
  const losses = review.measure === "win" ? `5, 10 or 20\u202f% of the win; where no choice lost as much, because nearly all playouts had the same winner, at least ${points}` : points;
  return `A choice is called an inaccuracy, a mistake or a blunder only if the whole interval of its loss is at least ${losses}. It is called best only if the whole interval lies below a negligible loss.`;
}
