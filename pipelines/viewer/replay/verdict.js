/*
 * The verdict: what the review says about the current ply, its progress, and buttons for the next slip or lucky roll.
 */

import { createButton, html, setText } from "./draw.js";
import { formatPercent, formatPoints, formatPointsHalf, formatShareHalf, formatTenths, formatWins } from "./numbers.js";
import { betterNumber, CLASSES, MARKED_CLASSES, MEASURES, plyMark } from "./review.js";
import { CHANCE, START } from "./scene.js";
import { createSeatChip } from "./seats.js";
import { isFinger } from "./zoom.js";

/** @param {Element} whose the choice of the player whose slips the buttons go to */
export function createVerdictView(game, commands, whose) {
  const words = html("p", { class: "verdict-words", "aria-live": "polite" });
  const mistakes = createJumpButtons("slip", "M", commands.mistakeBack, commands.mistakeOn, "Slips: inaccuracies, mistakes and blunders");
  const rolls = createJumpButtons("roll", "N", commands.rollBack, commands.rollOn, "Lucky and unlucky rolls");
  const progress = createProgressView();
  const measures = createMeasureSwitch(commands.judge);
  const learn = commands.learn ? createButton({ class: "learn", title: "Go from slip to slip and find a better move" }, commands.learn, "Learn from mistakes") : "";
  const tools = html("div", { class: "jumps in-row" }, progress.node, mistakes.node, rolls.node, learn, whose);
  const node = html("section", { class: "review-verdict in-row wrap apart", "aria-label": "Review of this move", hidden: true }, words, tools);
  tools.hidden = measures.node.hidden = mistakes.node.hidden = true;
  let review = null;
  let shownText = "";
  words.addEventListener("click", (event) => {
    if (!commands.tryMove || !event.target.closest("a") || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    commands.tryMove(node.dataset.better);
  });
  return {
    node,
    /** The buttons, and those that choose a measure, which may stand elsewhere. */
    tools,
    measures: measures.node,
    /** The buttons that go from slip to slip, at the head of the others or elsewhere. */
    jump: mistakes.node,
    setReview(newReview) {
      review = newReview;
      node.hidden = !review;
      tools.hidden = measures.node.hidden = mistakes.node.hidden = !review || Boolean(review.problem);
      if (!review || review.problem) return;
      progress.show(review);
      measures.show(review.measure);
      mistakes.showCount(review.mistakes.length, "slip");
      if (learn) learn.hidden = !review.isDone || !review.mistakes.length;
      rolls.showCount(review.largeRolls.length, "roll", "luck: ");
      rolls.node.hidden = !review.largeRolls.length;
    },
    /** While the game plays by itself, screen readers do not read every verdict. */
    setQuiet(isQuiet) {
      words.setAttribute("aria-live", isQuiet ? "off" : "polite");
    },
    /**
     * @param {(ply: number, action: string) => string | null} whatif returns the address of the what-if of an action
     * @param {object[]} moves those of the list, whose numbers the board shows
     */
    show(at, step, whatif, moves) {
      if (!review) return;
      node.dataset.better = review.decisions?.get(at)?.better ?? "";
      const parts = review.problem ? [review.problem] : verdictParts(game, review, at, step, whatif, moves);
      // An unfinished review is shown many times: unchanged words are not set again, because screen readers would repeat them.
      const text = `${at} ${parts.map((part) => part.textContent ?? part).join("")}`;
      if (text !== shownText) words.replaceChildren(...parts);
      shownText = text;
    },
  };
}

/** Create the progress bar of a review; it is hidden when the review is complete. */
function createProgressView() {
  const bar = html("progress", { max: 1, value: 0, "aria-label": "Review" });
  const text = html("span");
  const node = html("div", { class: "progress in-row soft" }, bar, text);
  return {
    node,
    show({ done, steps, isDone }) {
      node.hidden = isDone;
      bar.max = Math.max(1, steps);
      bar.value = done;
      setText(text, done ? `reviewing, ${Math.floor((100 * done) / Math.max(1, steps))}\u202f%` : "preparing the review");
    },
  };
}

/** Create two buttons that choose what choices are judged by. */
function createMeasureSwitch(judge) {
  const buttons = Object.entries(MEASURES).map(([measure, name]) => createButton({ "data-measure": measure }, () => judge(measure), name));
  return {
    node: html("div", { class: "measures in-row soft", role: "group", "aria-label": "Judge choices by" }, html("span", { "aria-hidden": "true" }, "by"), ...buttons),
    show(measure) {
      for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.measure === measure));
    },
  };
}

/** Create two arrow buttons around a count. */
function createJumpButtons(what, key, back, on, title) {
  const createArrow = (glyph, label, command) => createButton({ "aria-label": label, title: label }, command, glyph);
  const label = html("span", { title });
  const before = createArrow("\u2039", `Previous ${what} (Shift+${key})`, back);
  const after = createArrow("\u203a", `Next ${what} (${key})`, on);
  return {
    node: html("div", { class: "jump in-row soft", role: "group", "aria-label": title }, before, label, after),
    showCount(number, noun, lead = "") {
      setText(label, `${lead}${number || "no"} ${noun}${number === 1 ? "" : "s"}`);
      for (const button of [before, after]) button.disabled = number === 0;
    },
  };
}

/** Return the verdict on a ply, as nodes and texts. */
function verdictParts(game, review, at, step, whatif, shownMoves) {
  if (at === START) return startVerdictParts(game, review);
  const isRoll = step.seat === CHANCE;
  const roll = review.rolls.get(at);
  if (isRoll) return roll?.points && roll.wins ? rollVerdictParts(game, review, roll, at) : [review.isDone ? "This roll has no value." : "This roll has no value yet."];
  const decision = review.decisions.get(at);
  if (!decision) return [review.isDone ? "There was only one action." : "This move is not judged yet."];
  const badge = createBadge(decision);
  const isByPoints = decision.isNearlyDecided && review.measure === "win";
  const settled = isByPoints ? ` (by points${describeDecided(decision)})` : "";
  const options = describeSearchedOptions(review, decision);
  if (!decision.better) return [badge, `${decision.judged === "best" ? `${describeFirst(decision, step.notation)} of ${options}${settled}.` : `${settled}: no better choice found among ${options}.`}`];
  const start = decision.judged === "best" ? `${NEARLY_BEST} of ${options}` : "";
  const lead = `${start}${settled}${start || settled || !CLASSES[decision.judged].glyph ? ": " : " "}`;
  const address = whatif(step.ply, decision.better);
  const words = decision.moves.find(({ action }) => action === decision.better)?.name || decision.better;
  const name = address ? html("a", { href: address, target: "_self", title: "What if this had been chosen?" }, words) : html("b", {}, words);
  const number = betterNumber(decision, shownMoves);
  const shown = number ? [" ", html("span", { class: "whole" }, "(", html("b", { class: "rank" }, String(number)), " on the board)")] : [];
  const other = CLASSES[decision.judged].glyph ? "better" : "compared with";
  return [badge, `${lead}${describeLoss(decision)}; ${other}: `, name, ...shown];
}

/** Say how the playouts decided the win; only where the rules determine the result, it is settled. */
function describeDecided({ wins, won, n }) {
  if (wins?.[1] === 0) return ", because the win was settled";
  return `; nearly decided${won && n ? `: ${[formatPercent(won[0]), formatShareHalf(won[1])].filter(Boolean).join(" ")} of ${n} playouts won` : ""}`;
}

const NEARLY_BEST = " or nearly so,";
/** Qualify "best" where another one of the best moves may be as good. */
const describeFirst = ({ moves }, played) => (moves.some(({ action, isBehind }) => action !== played && !isBehind) ? NEARLY_BEST : "");

/** "44", or "the 12 most promising of 44" if the review did not examine all options. */
const describeSearchedOptions = (review, decision) =>
  decision.options <= review.candidates || !review.candidates ? String(decision.options) : `the ${review.candidates} most promising of ${decision.options}`;

function describeLoss({ judged, points, wins }) {
  if (!points || !wins) return "too few playouts to know what it cost";
  const loss = formatLoss(points, wins);
  if (!loss) return "gave nothing away";
  return `${judged === "unclear" ? "perhaps gave away" : "gave away"} ${loss}`;
}

/** "3.2 ±0.8 points and 16 % ±4 of the win"; empty if nothing was lost. */
export const formatLoss = (points, wins) => [points?.[0] > 0 && formatPoints(points), wins?.[0] > 0 && formatWins(wins)].filter(Boolean).join(" and ");

function createBadge({ judged, playouts }) {
  const { glyph, singular } = CLASSES[judged];
  const words = judged === "unclear" && playouts ? "too close to call" : singular;
  return html("span", { class: `badge ${judged}` }, glyph ? html("b", { "aria-hidden": "true" }, glyph) : "", words);
}

function rollVerdictParts(game, review, roll, at) {
  const mark = plyMark(review, game, at);
  const name = mark ? `${mark.kind} for ${game.seats[roll.large].name}` : "";
  const badge = mark ? [html("span", { class: `badge ${mark.kind}` }, html("b", { "aria-hidden": "true" }, mark.glyph.slice(0, 1)), name), ". "] : [];
  const seats = roll.wins.map(([wins, half], seat) => {
    const [points, pointsHalf] = roll.points[seat];
    return html(
      "span",
      { class: "luck" },
      createSeatChip(game, seat),
      html("span", { class: "unseen" }, `${game.seats[seat].name}: `),
      html("span", {}, `${formatPercent(wins, true)} `, html("small", {}, formatShareHalf(half)), ` \u00b7 ${formatTenths(points, true)} `, html("small", {}, formatPointsHalf(pointsHalf)), " points"),
    );
  });
  return [...badge, "Luck: ", ...seats];
}

function startVerdictParts(game, review) {
  const counts = MARKED_CLASSES.toReversed().map((name) => [review.counts.reduce((sum, own) => sum + own[name], 0), CLASSES[name]]);
  const words = counts.filter(([count]) => count).map(([count, { singular, plural }]) => `${count} ${count === 1 ? singular : plural}`);
  const prefix = review.isDone ? "Reviewed" : "So far";
  const slips = review.mistakes.length;
  if (words.length) return [`${prefix}: ${slips} slip${slips === 1 ? "" : "s"} (${words.join(", ")}). ${isFinger() ? "Tap \u203a" : "Press M"} to go to the first.`];
  if (!review.isDone) return [review.done ? "The review values the positions first, then every choice." : "The review begins."];
  return [`${prefix}: no choice is clearly worse than the best.`];
}
