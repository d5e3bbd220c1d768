/*
 * The answer to a what-if question: its sheet, the progress, and what a person can do with it.
 */

import { createButton, html, setText } from "./draw.js";
import { parseSheet, replaceOpened } from "./sheet.js";
import { asCount, asRecord, asText, isWithin } from "./values.js";

const LEAST_SECONDS_LEFT = 2; // shorter times are over before they are read
const LEAST_SECONDS_TAKEN = 1; // the first games say little: their compiled game is loaded meanwhile
const LONGEST_SHEET = 1e7;

/**
 * Read the state of the work on a question.
 * @param {unknown} raw an answer to `whatif`
 */
export function readWork(raw) {
  const work = asRecord(raw);
  const n = asCount(work.n);
  const sheet = n ? parseSheet(asText(work.html, LONGEST_SHEET)) : null;
  return {
    problem: asText(work.error, 300),
    question: work.question ? asRecord(work.question) : null,
    query: asText(asRecord(work.question).query, 4000),
    sheet,
    verdict: sheet?.querySelector(".sheet-verdict")?.textContent ?? "",
    n,
    total: Math.max(n, asCount(work.total)),
    isOver: work.isOver === true || Boolean(work.error),
    isStopped: false,
    more: isWithin(work.more, 1, 1e9) ? work.more : null,
  };
}

/**
 * Create the view of the answer.
 * @param {{stop: Function, more: Function, watch: Function, save: Function}} commands `watch` gets the number of a continuation, `save` the name of a run
 * @param {boolean} isGuest says that the board is a part of another page: then all `parts` stand in the panel, and else below the board
 */
export function createAnswerView(commands, isGuest) {
  const says = html("p", { class: "answer-says", role: "status" });
  const [title, figure, words, watched, parts] = ["title", "figure", "words", "watched", "parts"].map((name) => html("div", { class: `sheet answer-${name}` }));
  const head = html("div", { class: "answer-head" }, title, says);
  const bar = html("progress", { max: 1, value: 0, "aria-label": "Games played" });
  const left = html("span", { class: "time-left soft" });
  const stop = createButton({ class: "stop" }, commands.stop, "Stop");
  const more = createButton({ class: "more" }, commands.more, "More games");
  const stopped = html("span", { class: "stopped soft" }, "Stopped.");
  const state = html("div", { class: "answer-state in-row wrap" }, bar, left, stop, stopped, more);
  const many = html("a", { class: "ask-many", target: "_self", href: "#" }, "Ask the same of many games");
  const saving = createSaving(commands.save);
  const below = html("div", { class: "answer-below", hidden: true }, parts, isGuest ? "" : saving.node);
  const all = createButton({ class: "all-numbers" }, () => below.scrollIntoView({ block: "start" }), "All numbers, below");
  const node = html("section", { class: "answer in-column", "aria-label": "Answer", hidden: true }, head, state, figure, words, watched, ...(isGuest ? [below] : [all, many]));
  let shown = null; // the sheet
  let verdict = ""; // of a whole answer
  let startedAt = 0;
  for (const part of [bar, stop, stopped, more, all, many]) part.hidden = true;
  watched.addEventListener("click", (event) => {
    const button = event.target.closest("[data-key]");
    if (button) commands.watch(Number(button.dataset.key));
  });

  function showSheet(sheet) {
    if (sheet === shown) return;
    shown = sheet;
    const places = [[title, ":scope > h2, .sheet-verdict"], [figure, "[data-part=branches]"], [words, ".sheet-words > *"], [watched, ".watched"]];
    for (const [place, parts] of places) place.replaceChildren(...(sheet?.querySelectorAll(parts) ?? []));
    replaceOpened(parts, ...(sheet?.querySelectorAll(":scope .sheet-body > :not(.sheet-words)") ?? []));
  }

  /** Say how long the other games will take, once it is known how long the first took. */
  function showTimeLeft({ n, total, isOver }) {
    if (!n) startedAt = performance.now();
    const taken = (performance.now() - startedAt) / 1000;
    const seconds = n && taken > LEAST_SECONDS_TAKEN ? (taken / n) * (total - n) : 0;
    setText(left, !isOver && seconds >= LEAST_SECONDS_LEFT ? `about ${Math.round(seconds)} s left` : "");
  }

  return {
    node,
    head,
    below,
    /** The sentence of a whole answer; empty until it is complete. */
    get verdict() {
      return verdict;
    },
    /** The continuations that the sheet names: [number, name] each. */
    get continuations() {
      return [...watched.querySelectorAll("[data-key]")].map((button) => [Number(button.dataset.key), button.textContent]);
    },
    /** Hide the answer, because nothing is asked any more. */
    clear() {
      node.hidden = below.hidden = true;
      showSheet(null);
      setText(says, "");
      verdict = "";
    },
    /** Say something in place of an answer. */
    say(text) {
      node.hidden = false;
      setText(says, text);
      says.classList.remove("unseen");
    },
    /**
     * @param {object} work the result of `readWork`
     * @param {string | null} address of the same question in many games
     */
    show(work, address) {
      node.hidden = false;
      below.hidden = all.hidden = !work.sheet;
      showSheet(work.sheet);
      setText(says, work.problem || work.verdict || (work.isStopped ? "Stopped before the first games were done." : "Playing the first games \u2026"));
      says.classList.toggle("unseen", Boolean(work.sheet) && !work.problem); // screen readers are told the verdict, which others see in the sheet
      verdict = work.isOver && !work.isStopped && !work.problem ? work.verdict : "";
      bar.hidden = stop.hidden = work.isOver;
      stopped.hidden = !work.isStopped;
      bar.value = work.n / (work.total || 1);
      more.hidden = !work.sheet || !work.isOver || work.more === null;
      showTimeLeft(work);
      saving.node.hidden = !work.isOver;
      saving.suggest(work.question);
      many.hidden = !address;
      if (address) many.href = address;
    },
  };
}

/** Create the form that keeps the continuations as a run. */
function createSaving(save) {
  const name = html("input", { type: "text", maxlength: 80, "aria-label": "Name of the run" });
  const button = html("button", { type: "submit" }, "Add to the library");
  const says = html("p", { role: "status" });
  const node = html("form", { class: "answer-saving", hidden: true }, html("p", { class: "note" }, "Both branches become games of a new run. Each game includes the moves before the fork."), html("div", {}, name, button), says);
  let suggested = "";
  node.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    setText(says, "Playing the games again to save them \u2026");
    says.replaceChildren(...(await save(name.value)));
    says.scrollIntoView({ block: "nearest" });
    button.disabled = false;
  });
  return {
    node,
    /** Suggest the name of a run for a question. */
    suggest(question) {
      const text = asText(question?.name, 80);
      if (text === suggested) return;
      name.value = suggested = text;
      setText(says, "");
    },
  };
}
