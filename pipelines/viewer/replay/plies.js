/*
 * The move list: every ply by round. A click on a ply goes to it. Where players throw several times before a move, a turn is
 * one row; the throws of the current turn are shown, too.
 */

import { html, setText } from "./draw.js";
import { describeMove, drawMove, hasGain, hasThrows, isPreparation, roundStarts, seatGain, turnEnds } from "./moves.js";
import { formatNumber, formatSigned } from "./numbers.js";
import { plyMark } from "./review.js";
import { CHANCE, START } from "./scene.js";
import { createSeatChip } from "./seats.js";

const LEAST_ROUND = 52; // pixels of a heading and a row

/**
 * @param {object} game
 * @param {(at: number) => void} go called with the ply that a person chooses
 */
export function createPliesView(game, go) {
  const prefix = `ply-${Math.random().toString(36).slice(2, 8)}-`; // ids must differ from those of a second replay on the page
  const isByTurns = hasThrows(game);
  const rows = game.steps.map((step, at) => createPlyRow(game, at, `${prefix}${at}`));
  const ends = turnEnds(game);
  const turnOf = game.steps.map((_, at) => ends.find((end) => end >= at) ?? game.steps.length);
  const groups = roundStarts(game).map((from, index, starts) => {
    const own = rows.slice(from, starts[index + 1] ?? rows.length);
    const { round } = game.steps[from];
    const node = html("div", { class: "round", role: "group", "aria-label": `Round ${round + 1}` }, html("h3", { "aria-hidden": "true" }, `Round ${round + 1}`), ...own);
    return { node, own };
  });
  const list = html("div", { class: "rows", role: "listbox", tabindex: "0", "aria-label": "Moves", "data-turns": isByTurns }, ...groups.map(({ node }) => node));
  const filter = html("select", { "aria-label": "Show moves of" }, html("option", { value: "" }, "all moves"));
  game.seats.forEach(({ name }, seat) => filter.append(html("option", { value: seat }, name)));
  if (game.steps.some((step) => step.seat === CHANCE)) filter.append(html("option", { value: CHANCE }, "the dice"));
  const slipOption = html("option", { value: "slips" }, "slips");
  let slips = []; // the plies of the slips that a review lists
  let current = null;

  list.addEventListener("click", (event) => {
    const at = rows.indexOf(event.target.closest?.('[role="option"]'));
    if (at >= 0) go(at);
  });
  list.addEventListener("keydown", (event) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    let at = current === null ? START : rows.indexOf(current);
    do at += step;
    while (rows[at]?.hidden || (rows[at] && isFolded(at)));
    if (rows[at]) go(at);
  });
  filter.addEventListener("change", () => {
    showRows();
    scrollToCurrent();
  });

  function showRows() {
    list.toggleAttribute("data-filtered", filter.value !== "");
    rows.forEach((row, at) => {
      row.hidden = filter.value === "slips" ? !slips.includes(at) : filter.value !== "" && game.steps[at].seat !== Number(filter.value);
    });
    for (const { node, own } of groups) node.hidden = own.every((row) => row.hidden);
  }

  let openTurn = null;
  const isFolded = (at) => isByTurns && filter.value === "" && isPreparation(game.steps[at]) && turnOf[at] !== openTurn && !rows[at].hasAttribute("data-commented");

  /** Show the throws of one turn, and hide those of the turn before. */
  function openTurnOf(at) {
    const turn = at === START ? null : turnOf[at];
    if (!isByTurns || turn === openTurn) return;
    rows.forEach((row, index) => {
      if (turnOf[index] === openTurn || turnOf[index] === turn) row.toggleAttribute("data-open", turnOf[index] === turn);
    });
    openTurn = turn;
  }

  /** Scroll the list, and not the page, until the current ply is visible. */
  function scrollToCurrent() {
    if (!current || current.hidden) return;
    const top = current.offsetTop;
    const end = top + current.offsetHeight + 12;
    const room = list.clientHeight;
    if (top >= list.scrollTop + 28 && end <= list.scrollTop + room) return;
    // What people wrote on it may need the whole list; its beginning comes first.
    list.scrollTop = avoidLoneHeading(Math.min(top - 28, Math.max(top - room / 2.5, end - room)));
  }

  /** Return the place to scroll to, or the next round if only the heading of a round would stay in view above that. */
  function avoidLoneHeading(aim) {
    const ends = [...list.querySelectorAll(".round")].map((round) => round.offsetTop + round.offsetHeight);
    return ends.find((end) => end > aim && end - aim < LEAST_ROUND) ?? aim;
  }

  new ResizeObserver(scrollToCurrent).observe(list); // it gets its height after the boards have theirs

  return {
    /** Mark bad choices and lucky or unlucky rolls; null removes the marks. */
    setReview(review) {
      rows.forEach((row, at) => {
        row.querySelector(".ply-mark")?.remove();
        const mark = review && !review.problem ? plyMark(review, game, at) : null;
        const words = describeRow(game.steps[at]);
        setText(row.querySelector(".move-words"), playedName(review, game.steps[at], at) || describeMove(game, game.steps[at]).text);
        row.title = mark ? `${words} (${mark.words})` : words;
        if (!mark) return;
        const glyph = html("b", { "aria-hidden": "true" }, mark.glyph);
        row.querySelector(".after").before(html("span", { class: `ply-mark badge ${mark.kind}` }, glyph, html("span", { class: "unseen" }, mark.words)));
      });
      slips = review && !review.problem ? review.mistakes : [];
      if (review && !review.problem) filter.options[0].after(slipOption);
      else slipOption.remove();
      showRows();
    },
    /** Show below its move what people wrote on it, by ply. */
    setComments(comments) {
      rows.forEach((row, at) => {
        row.querySelector(".comment")?.remove();
        const words = comments.get(game.steps[at].ply);
        row.toggleAttribute("data-commented", Boolean(words));
        if (words) row.append(html("span", { class: "comment" }, words));
      });
      scrollToCurrent();
    },
    node: html("aside", { class: "plies in-column", "aria-label": "Moves" }, html("div", { class: "plies-head in-row apart" }, html("h2", {}, "Moves"), filter), list),
    show(at) {
      current?.removeAttribute("aria-selected");
      current = rows[at] ?? null;
      openTurnOf(at);
      current?.setAttribute("aria-selected", "true");
      if (current) list.setAttribute("aria-activedescendant", current.id);
      else {
        list.removeAttribute("aria-activedescendant");
        list.scrollTop = 0;
      }
      requestAnimationFrame(scrollToCurrent);
    },
  };
}

/** What a review calls the move of a ply, as in its list of best moves; empty if it does not name it. */
const playedName = (review, { notation }, at) => review?.decisions?.get(at)?.moves.find(({ action }) => action === notation)?.name ?? "";

/** The sentence on a ply, and its notation with all squares. */
const describeRow = (step) => (step.changes.length && step.notation !== step.caption ? `${step.caption} ${step.notation}` : step.caption);

function createPlyRow(game, at, id) {
  const step = game.steps[at];
  const score = step.seat === CHANCE ? "" : formatNumber(step.scores[step.seat]);
  const { text, cells } = describeMove(game, step);
  const gained = hasGain(game, at) ? html("span", { class: "gained" }, formatSigned(seatGain(game, at))) : "";
  return html(
    "div",
    { class: "ply", role: "option", id, title: describeRow(step), "data-kind": step.seat === CHANCE ? "chance" : isPreparation(step) ? "keep" : null },
    html("span", { class: "number soft" }, String(step.ply + 1)),
    createSeatChip(game, step.seat),
    html("span", { class: "notation" }, cells.length ? drawMove(cells) : "", html("span", { class: "move-words" }, text), gained),
    html("span", { class: "after" }, score),
  );
}
