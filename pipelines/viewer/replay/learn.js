/*
 * Learning from mistakes: the board goes to each slip, hides the better move, and lets a person try one; then it says how good that is.
 * A lesson is one decision that somebody has kept: until one has tried, it hides what was played, too.
 */

import { nameAction, nameMover, readAlternatives } from "./alternatives.js";
import { createAimBar, createChooser, createPlacing, describeAiming, scrollToShape, showAimName } from "./choose.js";
import { createButton, html, setText } from "./draw.js";
import { describeMove, describeQuietMove, drawMove, moveColour } from "./moves.js";
import { CLASSES, readDecision } from "./review.js";
import { asRecord, asText } from "./values.js";
import { formatLoss } from "./verdict.js";

/** Return the function that creates the panel, which asks with `ask` (see ask.js). */
export const createLearning = (ask) => (game, stage, commands) => createLearnPanel(game, stage, ask, commands);

/**
 * Create the panel.
 * @param {Function} ask see ask.js
 * @param {{zoom: object, go: Function, changed: Function, close: Function, next: Function | null}} commands `go` shows a ply; `changed` after the panel wants
 *   another position on the board; `close` leaves the panel; `next` opens the next lesson
 */
function createLearnPanel(game, stage, ask, commands) {
  const title = html("h2");
  const subject = html("p", { class: "subject" });
  const words = html("p", { class: "note" });
  const choices = html("div", { class: "choices in-column" });
  const message = html("p", { class: "play-message", role: "status" });
  const steps = html("div", { class: "learn-steps in-row wrap" });
  const barMessage = html("p", { class: "play-message", role: "status" }); // on phones, where the panel may be out of sight
  const close = createButton({ class: "close", "aria-label": "Close Learn from mistakes", title: "Close (Esc)" }, commands.close, "\u00d7");
  const node = html("aside", { class: "whatif-panel learn-panel in-column", "aria-label": "Learn from mistakes", hidden: true }, html("header", { class: "in-row apart" }, title, close), subject, words, message, choices, steps);
  const bar = createAimBar();
  const chooser = createChooser(game, stage, { changed: () => showAim(), chosen: ({ action, name }) => tryMove(action, name) }, commands.zoom);
  let slips = []; // the plies to learn from
  let place = 0; // which of them is shown
  let decision = null;
  let measure = "win";
  let seen = null; // the legal moves, null while they are unknown
  let groupIndex = 0;
  let isOpen = false;
  let isShown = false; // whether the better move is shown
  let isLesson = false;
  let told = {}; // the title and the text of a lesson
  let trying = null;

  const at = () => slips[place];
  const step = () => game.steps[at()];

  /** Return the name of the move that was played, which tells it from the better ones. */
  const namePlayed = () => decision.moves.find(({ action }) => action === step().notation)?.name ?? describeMove(game, step()).text;

  /** Go to one of the slips and hide what would have been better. */
  async function goTo(newPlace) {
    trying?.abort();
    [place, seen, groupIndex, isShown] = [newPlace, null, 0, false];
    decision = decisions.get(at());
    setText(title, isLesson ? asText(told.title, 100) || "Lesson" : `Learn from mistakes \u00b7 ${place + 1} of ${slips.length}`);
    const move = describeMove(game, step());
    const mover = nameMover(game, step().seat, moveColour(game, step()));
    const played = isLesson ? [`${mover} is to move (move ${step().ply + 1}). Find a good move.`] : [`${mover} played `, ...(move.cells.length ? [drawMove(move.cells), " "] : []), html("b", {}, namePlayed()), ` (move ${step().ply + 1}). Find a better move.`];
    subject.replaceChildren(...played);
    setText(words, isLesson ? asText(told.text, 1000) : "");
    words.hidden = !words.textContent;
    setText(message, "");
    setText(barMessage, isLesson ? "Find a good move." : `${namePlayed()} was played. Find a better move.`);
    render();
    commands.go(at());
    const wanted = at();
    const response = await ask("look", { ply: step().ply });
    if (wanted !== at() || !isOpen) return;
    if (response.error) return void say(asText(response.error, 300));
    seen = readAlternatives(game, response);
    seen.colour = moveColour(game, step());
    if (!isShown) render();
    commands.changed();
  }

  let decisions = new Map();

  function render() {
    const isChoosing = isOpen && !isShown && Boolean(seen);
    chooser.offer(isChoosing ? seen : null, isChoosing ? (seen.groups[groupIndex] ?? null) : null);
    choices.replaceChildren(...(isChoosing ? renderChoices() : []));
    bar.replaceChildren(...(isOpen ? [barMessage, ...(isChoosing && seen.groups.length ? renderPlacing() : []), html("div", { class: "learn-steps in-row wrap" }, ...renderSteps())] : []));
    bar.hidden = !isOpen;
    steps.replaceChildren(...renderSteps());
    showAim();
    requestAnimationFrame(() => scrollToShape(choices, bar));
  }

  function renderSteps() {
    const kind = isShown ? "primary" : "";
    if (isShown && isLesson && commands.next) return [createButton({}, commands.close, "Finish"), createButton({ class: kind }, commands.next, "Next lesson")];
    if (isLesson && !isShown) return [createButton({ title: "Show the best move (S)" }, show, "Show it")];
    const on = place === slips.length - 1 ? createButton({ class: kind }, commands.close, "Finish") : createButton({ class: kind, title: "The next slip (M)" }, () => goTo(place + 1), isShown ? "Next slip" : "Skip");
    return isShown ? [on] : [createButton({ title: "Show the better move (S)" }, show, "Show it"), on];
  }

  function say(text) {
    for (const line of [message, barMessage]) setText(line, text);
  }

  function renderChoices() {
    const parts = seen.groups.length ? [...renderPlacing(), html("p", { class: "note" }, describeAiming(Boolean(seen.groups[0].piece), "try"))] : [];
    if (!seen.others.length) return parts;
    const list = html("div", { class: "options", role: "group", "aria-label": "Choices" });
    for (const { action, kind } of seen.others) {
      const text = describeQuietMove({ kind, notation: action });
      const isPlayed = !isLesson && action === step().notation;
      list.append(createButton({ disabled: isPlayed }, () => tryMove(action, text), html("span", {}, text), isPlayed ? html("small", {}, "played") : ""));
    }
    return [...parts, list];
  }

  const renderPlacing = () => createPlacing(chooser, seen.groups, groupIndex, selectGroup, "Try", "Try this move");

  function selectGroup(index) {
    groupIndex = (index + seen.groups.length) % seen.groups.length;
    render();
  }

  function showAim() {
    for (const row of [choices, bar]) showAimName(row, chooser, { played: isLesson ? "" : step()?.notation });
  }

  /** Say how good a move is that a person has tried. */
  async function tryMove(action, name) {
    commands.zoom.leave();
    if (action === step().notation && !isLesson) return void say(`${name} is the move that was played. Find a better one.`);
    if (action === step().notation) return void (decision.better ? sayJudgement(name, decision) : reveal(`${name}: right, no better move is known.`));
    if (action === decision.better) return void reveal(`${name}: right, this is the better move.`);
    say(`${name} \u2026`);
    trying?.abort();
    trying = new AbortController();
    const response = await ask("judge", { ply: step().ply, action }, { signal: trying.signal });
    if (response.isAborted || !isOpen) return;
    if (response.error) {
      say(asText(response.error, 300));
      return void chooser.aimAt(null);
    }
    sayJudgement(name, readDecision(asRecord(response.decision), game, measure));
  }

  /** Say how good a move is, and show the best one if the move is not bad. */
  function sayJudgement(name, { judged: kind, points, wins }) {
    if (kind === "best" || kind === "good") return void reveal(`${name}: as good as ${nameBetter()}.`);
    if (kind === "unclear") return void reveal(`${name}: perhaps as good as ${nameBetter()}, there are not enough playouts to tell.`);
    const { singular } = CLASSES[kind];
    say(`${name}: not as good. This ${singular} would give away ${formatLoss(points, wins)}. Try another move.`);
    chooser.aimAt(null);
  }

  function nameBetter() {
    const best = decision.better || step().notation;
    return decision.moves.find(({ action }) => action === best)?.name ?? nameAction(best, seen);
  }

  function show() {
    reveal(decision.better ? `${nameBetter()} was better.` : "No better move is known.");
  }

  /** Show the better moves on the board, and say why; in a lesson also what was played. */
  function reveal(text) {
    isShown = true;
    say(isLesson ? `${text} ${describePlayed()}` : text);
    render();
    commands.changed();
    for (const row of [steps, bar.lastChild]) row.lastChild.focus({ preventScroll: true }); // one of them is hidden
  }

  function describePlayed() {
    const { judged, points, wins, better } = decision;
    const text = namePlayed();
    if (!better) return `${text} was played.`;
    return CLASSES[judged].glyph ? `${text} was played: this ${CLASSES[judged].singular} gave away ${formatLoss(points, wins)}.` : `${text} was played.`;
  }

  return {
    node,
    bar,
    get isOpen() {
      return isOpen;
    },
    /** Whether the better move and the verdict on the one that was played are hidden. */
    get isHiding() {
      return isOpen && !isShown;
    },
    /** Whether a lesson is open that hides what was played. */
    get isBlind() {
      return isOpen && isLesson && !isShown;
    },
    /** Return the decision of a lesson that is open and solved, at its step; null elsewhere. */
    solvedAt: (at) => (isOpen && isLesson && isShown ? (decisions.get(at) ?? null) : null),
    /** Open a lesson: `raw` is JSON data, with its decision. Return whether it belongs to this game. */
    openLesson(raw) {
      told = asRecord(raw);
      const { ply } = asRecord(told.decision);
      const at = game.steps.findIndex((other) => other.ply === ply);
      if (at < 0) return false;
      [slips, decisions, measure, isOpen, isLesson] = [[at], new Map([[at, readDecision(told.decision, game, "win")]]), "win", true, true];
      node.hidden = false;
      goTo(0);
      return true;
    },
    /** Begin with the first slip, or with the one at a ply and then the others in a circle. */
    open(review, from) {
      const first = Math.max(0, review.mistakes.indexOf(from));
      slips = [...review.mistakes.slice(first), ...review.mistakes.slice(0, first)];
      [decisions, measure, isOpen, isLesson] = [review.decisions, review.measure, true, false];
      node.hidden = false;
      return goTo(0);
    },
    close() {
      trying?.abort();
      isOpen = isShown = false;
      node.hidden = true;
      render();
    },
    turnAim: chooser.turn,
    /** Return the command of a key while the panel is open; null if the key has none here. */
    commandOfKey(event, quarterTurns) {
      if (!isOpen || event.ctrlKey || event.metaKey || event.altKey) return null;
      if (event.key === "Escape" && !chooser.aim) return commands.close;
      if (event.key === "s" && !isShown) return show;
      if (event.key === "m" && place < slips.length - 1) return () => goTo(place + 1);
      if (event.key === "M" && place > 0) return () => goTo(place - 1);
      return chooser.commandOfKey(event, { turns: quarterTurns, selectNext: (count) => selectGroup(groupIndex + count) });
    },
    destroy() {
      trying?.abort();
      chooser.destroy();
    },
  };
}
