/*
 * Learning from mistakes: the board goes to each slip, hides the better move, and lets a person try one; then it says how good that is.
 * A lesson is one decision that somebody has kept: until one has tried, it hides what was played, too.
 */

import { findPlacement, nameAction, nameMover, readAlternatives } from "./alternatives.js";
import { createAimBar, createChooser, createPlacing, describeAiming, scrollToShape, showAimName } from "./choose.js";
import { createButton, html, setText } from "./draw.js";
import { describeMove, describeQuietMove, drawMove, moveColour } from "./moves.js";
import { formatTenths } from "./numbers.js";
import { CLASSES, readDecision } from "./review.js";
import { asRecord, asText, countSolved } from "./values.js";
import { formatLoss } from "./verdict.js";

/** Return the function that creates the panel, which asks with `ask` (see ask.js). */
export const createLearning = (ask) => (game, stage, commands) => createLearnPanel(game, stage, ask, commands);

/**
 * Create the panel.
 * @param {Function} ask see ask.js
 * @param {{zoom: object, go: Function, changed: Function, value: Function, close: Function, next: Function | null, whose: Element}} commands `go` shows a ply; `changed` after
 *   the panel wants another position on the board; `value` values the likely moves at a ply of a review; `close` leaves the panel; `next` opens the next lesson; `whose` is
 *   the choice of the player whose slips are asked, which stands in the panel while it is open
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
  let leftOut = 0; // slips that are not asked, because the win was nearly decided
  const found = new Set(); // slips that a person has solved
  const home = commands.whose.parentNode;
  let trying = null;
  let tries = []; // the moves that a person has tried here, each with the squares of its outline

  const at = () => slips[place];
  const step = () => game.steps[at()];

  /** Return the name of the move that was played, which tells it from the better ones. */
  const namePlayed = () => decision.moves.find(({ action }) => action === step().notation)?.name ?? describeMove(game, step()).text;

  /** Go to one of the slips and hide what would have been better. */
  async function goTo(newPlace) {
    trying?.abort();
    [place, seen, groupIndex, isShown, tries] = [newPlace, null, 0, false, []];
    decision = decisions.get(at());
    setText(title, isLesson ? nameLesson(countSolved(asText(told.collection, 100))) : `Learn from mistakes \u00b7 ${slips.toSorted((a, b) => a - b).indexOf(at()) + 1} of ${slips.length}`);
    const move = describeMove(game, step());
    const mover = nameMover(game, step().seat, moveColour(game, step()));
    const played = isLesson ? [`${mover} is to move (move ${step().ply + 1}). Find a good move.`] : [`${mover} played `, ...(move.cells.length ? [drawMove(move.cells), " "] : []), html("b", {}, namePlayed()), ` (move ${step().ply + 1}). Find a better move.`];
    subject.replaceChildren(...played);
    const others = leftOut ? ` Not asked: ${leftOut} ${leftOut === 1 ? "slip" : "slips"} with the win nearly decided.` : "";
    setText(words, isLesson ? asText(told.text, 1000) : `Each slip gets more playouts, and the review takes their values.${others}`);
    words.hidden = !words.textContent;
    setText(message, "");
    setText(barMessage, isLesson ? "Find a good move." : `${namePlayed()} was played. Find a better move.`);
    render();
    commands.go(at());
    if (!isLesson) commands.value(at());
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
    if (!await isValued(name)) return;
    if (action === step().notation) return void (decision.better ? sayJudgement(action, name, decision) : reveal(`${name}: right, no better move is known.`));
    if (action === decision.better) return void solve(`${name}: right, this is the better move${describeGain()}.`);
    say(`${name} \u2026`);
    trying?.abort();
    trying = new AbortController();
    const response = await ask("judge", { ply: step().ply, action, against: decision.better || step().notation }, { signal: trying.signal });
    if (response.isAborted || !isOpen) return;
    if (response.error) {
      say(asText(response.error, 300));
      return void chooser.aimAt(null);
    }
    sayJudgement(action, name, readDecision(asRecord(response.decision), game, measure));
  }

  /** Wait until the likely moves have the values that an answer gives them, too, and tell whether the same slip is still shown. */
  async function isValued(name) {
    const wanted = at();
    if (isLesson) return true;
    if (name) say(`${name} \u2026`);
    await commands.value(wanted);
    return isOpen && wanted === at();
  }

  /** Say how good a move is, and show the best one if the move is not bad. */
  function sayJudgement(action, name, { judged: kind, points, wins, isByPoints }) {
    const { placement } = findPlacement(action, seen);
    if (placement) tries = [...tries.filter((other) => other.squares !== placement.squares), { squares: placement.squares, label: placement.squares[0], mark: "try" }];
    const loss = formatLoss(isByPoints ? points : null, isByPoints ? null : wins); // by what the class goes
    const last = placement ? tries.slice(-1) : [];
    if (kind === "good" && loss) return void solve(`${name}: good; it gives away ${loss} against ${nameBetter()}.`, last);
    if (kind === "best" || kind === "good") return void solve(`${name}: as good as ${nameBetter()}.`, last);
    if (kind === "unclear") return void reveal(`${name}: perhaps as good as ${nameBetter()}, there are not enough playouts to tell.`, last);
    const { singular } = CLASSES[kind];
    commands.changed();
    say(`${name}: not as good. This ${singular} would give away ${loss}. Try another move.`);
    chooser.aimAt(null);
  }

  function solve(text, kept = []) {
    if (isLesson) setText(title, nameLesson(countSolved(asText(told.collection, 100), `${game.run} ${game.gameId} ${step().ply}`)));
    else found.add(at());
    reveal(text, kept);
  }

  function nameLesson(solved) {
    return `${asText(told.title, 100) || "Lesson"}${solved ? ` \u00b7 ${solved} solved` : ""}`;
  }

  function nameBetter() {
    const best = decision.better || step().notation;
    return decision.moves.find(({ action }) => action === best)?.name ?? nameAction(best, seen);
  }

  /** ": it wins 65 of 100 games instead of 31, with 92.1 points instead of 81.4"; empty if the values of both moves are not known. */
  function describeGain() {
    const [better, played] = [decision.better, step().notation].map((wanted) => decision.moves.find(({ action }) => action === wanted));
    if (!better?.wins || !played?.wins || !better.score || !played.score) return "";
    const [wins, instead] = [better, played].map((move) => Math.round(100 * move.wins[0]));
    return `: it wins ${wins} of 100 games instead of ${instead}, with ${formatTenths(better.score[0])} points instead of ${formatTenths(played.score[0])}`;
  }

  async function show() {
    if (!await isValued("")) return;
    reveal(decision.better ? `${nameBetter()} was better${describeGain()}.` : "No better move is known.");
  }

  /** Show the better moves on the board, and say why; in a lesson also what was played. Of the tries only those `kept` stay, which were good. */
  function reveal(text, kept = []) {
    [isShown, tries] = [true, kept];
    const isEnd = !isLesson && place === slips.length - 1;
    say(`${text} ${describePlayed()}${isEnd ? ` You found ${found.size} of ${slips.length}.` : ""}`);
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
    /** Whether the decision at a step is asked or answered, on the position before it. */
    isAsking: (index) => isOpen && index === at(),
    /** Take the decisions of a review whose moves have got values. */
    follow(review) {
      if (!isOpen || isLesson) return;
      decisions = review.decisions;
      decision = decisions.get(at()) ?? decision;
    },
    /** Whether a lesson is open that hides what was played. */
    get isBlind() {
      return isOpen && isLesson && !isShown;
    },
    /** Return the decision of a lesson that is open and solved, at its step; null elsewhere. */
    solvedAt: (at) => (isOpen && isLesson && isShown ? (decisions.get(at) ?? null) : null),
    /** The outlines of the moves that were tried at the decision that is open. */
    get tries() {
      return isOpen ? tries : [];
    },
    /** Return the move that a solved decision at a step has as its answer; null elsewhere. */
    answerAt: (index) => (isOpen && isShown && index === at() ? decision.better || step().notation : null),
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
    /** Begin with the first slip, or with the one at a ply and then the others in a circle. Other slips with the win nearly decided are left out. */
    open(review, from) {
      const open = review.mistakes.filter((at) => at === from || !review.decisions.get(at).isNearlyDecided);
      const asked = open.length ? open : review.mistakes;
      const first = Math.max(0, asked.indexOf(from));
      slips = [...asked.slice(first), ...asked.slice(0, first)];
      leftOut = review.mistakes.length - asked.length;
      found.clear();
      subject.before(commands.whose);
      [decisions, measure, isOpen, isLesson] = [review.decisions, review.measure, true, false];
      node.hidden = false;
      return goTo(0);
    },
    close() {
      trying?.abort();
      isOpen = isShown = false;
      node.hidden = true;
      home.append(commands.whose);
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
