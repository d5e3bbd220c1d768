/*
 * A game by hand: the board, on which a person chooses the next move, and the steps that follow it.
 */

import { createButton, html, setText } from "./draw.js";
import { createFinishView } from "./finish.js";
import { createTitle, watchLayout } from "./frame.js";
import { createHelpDialog } from "./help.js";
import { listenToInput } from "./input.js";
import { createMomentView } from "./moment.js";
import { isPreparation, moverAt, turnEnds } from "./moves.js";
import { createAfterwards, createPlayPanel } from "./play_panel.js";
import { trackCommands } from "./player.js";
import { createPliesView } from "./plies.js";
import { createPosition, LIMITS, readScene, START } from "./scene.js";
import { createStageView } from "./stage.js";
import { updateTheme } from "./theme.js";
import { asList, asRecord, asText } from "./values.js";
import { createZoom } from "./zoom.js";

const PLAY_HELP = [
  ["Enter", "choose a place with the keys, then play it"],
  ["\u2190 \u2191 \u2192 \u2193", "move the shape to another legal place"],
  ["R P", "turn the shape, the next shape"],
  ["1 2 3 4 5 T", "keep a die or not, throw the others again"],
  ["H", "hint"],
  ["U \u232b", "take the last move back"],
  ["Esc", "choose no place; then \u2190 \u2192 look back"],
  ["End", "back to the move that is to be made"],
  ["+ \u2212 F", "larger, smaller, turn the board"],
  ["?", "this help"],
];
const FOLLOWING_MILLISECONDS = 2600; // the moves that follow a person's move take at most so long together
const MOST_STEP_MILLISECONDS = 650;
const TAKE_BACK_MILLISECONDS = 1500; // how long a move can be taken back before the others answer it

/** Matches while the pointer or the focus is on the button that takes a move back: then the others wait. */
const TAKING_BACK_SELECTOR = matchMedia("(hover: hover)").matches ? ".take-back:is(:hover, :focus-visible)" : ".take-back:focus-visible";

/**
 * Create the game inside an element. The address always holds the moves so far, and every request brings them; the server answers
 * with the document of the game (pipelines/panel.py).
 * @param {Function} request see ask.js
 * @param {Record<string, string>} again the query of the address of the same setup without moves
 */
export function createPlay(parent, request, again) {
  const root = html("section", { class: "replay play", tabindex: "-1", "aria-label": "Game" });
  const news = html("p", { class: "unseen", role: "status" });
  const body = html("div", {});
  root.append(body, news);
  parent.append(root);
  const setup = new URLSearchParams(again).toString();
  const memory = { group: "", strategy: "greedy", zoom: 1, turns: 0 };
  let table = null;
  let data = { moves: new URLSearchParams(location.search).get("moves") ?? "" };
  let isBusy = false;
  let isProposing = false; // a move has been sent to the server
  let isRegretted = false; // it was taken back before the server answered
  let former = null; // the moves without the last one, while nothing that follows it has been shown
  let answered = null; // the document with the answer of the others to a move that can still be taken back
  let timer = 0;

  async function ask(kind, fields = {}) {
    if (isBusy) return {};
    isBusy = true;
    const response = await request("play", { setup, kind, moves: data.moves, ...fields });
    isBusy = false;
    if (root.isConnected && response.scene) show(readDocument(response, again));
    if (response.error && !table) body.replaceChildren(html("p", { class: "problem", role: "alert" }, asText(response.error, 300)), createButton({}, () => ask(kind, fields), "Try again"));
    else if (response.error && !table.isOver) table.open(asText(response.error, 300));
    return response;
  }

  /** Ask about the position; meanwhile a move can be made. */
  const enquire = (kind, fields) => request("play", { setup, kind, moves: data.moves, ...fields });

  const commands = {
    async choose(action) {
      if (isBusy) return;
      [isProposing, isRegretted] = [true, false];
      const { error } = await ask("choose", { action });
      isProposing = false;
      if (error) return;
      if (isRegretted) commands.takeBack();
      else if (table.isOver) commands.goOn();
    },
    /** Take back the last move: without a trace, as long as nothing that follows it has been shown. */
    takeBack() {
      if (isBusy) return void (isRegretted = isProposing);
      clearTimeout(timer);
      const moves = former;
      former = answered = null;
      ask(moves === null ? "undo" : "resume", moves === null ? {} : { moves });
    },
    /** Show the answer of the others: the move counts. */
    goOn() {
      clearTimeout(timer);
      const shown = answered;
      former = answered = null;
      if (shown) present(shown);
      if (table.isOver && !data.kept) commands.keep(); // the result is shown before the game is saved
    },
    async keep() {
      table.saying("Saving this game \u2026");
      const { error } = await ask("keep");
      if (error) table.saying(asText(error, 300));
    },
    compare: (strategy) => ask("compare", { strategy }),
    async hint(strategy) {
      const { hint } = await ask("hint", { strategy });
      if (!hint) return;
      const hinted = table;
      table.showHint(asText(hint, 200), strategy);
      const { reason, better } = await enquire("value", { action: hint, strategy });
      if (table === hinted && reason) table.showReason(asText(reason, 400), asText(better, 200));
    },
    explain: (points) => enquire("why", { points }),
  };

  /** Show the move that a person has just made, and the answer of the others after a while. Until then the move does not count. */
  function propose(newData) {
    answered = newData;
    const scene = { ...newData.scene, ranks: [], steps: newData.scene.steps.slice(0, countSteps(data) + 1) };
    present({ ...newData, moves: data.moves, look: null, isProposal: true, scene });
    timer = setTimeout(goOnUnlessTakingBack, TAKE_BACK_MILLISECONDS);
  }

  function goOnUnlessTakingBack() {
    if (root.querySelector(TAKING_BACK_SELECTOR)) timer = setTimeout(goOnUnlessTakingBack, TAKE_BACK_MILLISECONDS);
    else commands.goOn();
  }

  function present(newData) {
    const before = table ? data : null;
    data = newData;
    const hadFocus = root.contains(root.getRootNode().activeElement);
    table?.destroy();
    table = createTable(body, root, data, before, memory, commands, news);
    if (hadFocus) root.focus({ preventScroll: true });
    updateTheme(root);
    writeAddress();
  }

  function writeAddress() {
    const url = new URL(location.href);
    if (!url.searchParams.has("seats")) return;
    if (data.moves) url.searchParams.set("moves", data.moves);
    else url.searchParams.delete("moves");
    if (url.href !== location.href) history.replaceState(history.state, "", url.href);
  }

  function show(newData) {
    const { steps } = newData.scene;
    const step = isProposing ? steps[countSteps(data)] : null;
    const isAnswered = step && step !== steps.at(-1);
    former = step && !(isAnswered && isPreparation(step)) ? data.moves : null; // a throw is shown at once
    if (isAnswered && former !== null) propose(newData);
    else present(newData);
  }

  ask("resume");
  return {
    setTheme: () => updateTheme(root),
    takeFocus: () => root.focus({ preventScroll: true }),
    destroy() {
      clearTimeout(timer);
      table?.destroy();
      root.remove();
    },
  };
}

const readDocument = (raw, again) => ({
  ...raw,
  again,
  scene: asRecord(raw.scene),
  moves: asText(raw.moves, 40000),
  people: asList(raw.people, LIMITS.seats),
  advisers: asList(raw.strategies, 40).map(asRecord).map(({ name, title }) => ({ name: asText(name, 60), about: asText(title, 200) })),
});

/** Create all views of one document. `before` is the document that was shown, so that only what is new is stepped through. */
function createTable(body, root, data, before, memory, commands, news = null) {
  const game = readScene(data.scene);
  if (game.problem) {
    body.replaceChildren(html("p", { class: "problem", role: "alert" }, `This game cannot be shown. ${game.problem}`));
    return { open() {}, isOver: true, saying() {}, showHint() {}, showReason() {}, destroy() {} };
  }
  game.isInProgress = game.ranks === null;
  const last = game.steps.length - 1;
  const position = createPosition(game);
  const listeners = new AbortController();
  let current = START;
  let timer = 0;
  const moment = createMomentView(game);
  const stage = createStageView(game);
  stage.node.querySelectorAll(".cards > .seat").forEach((card, seat) => card.toggleAttribute("data-own", seat === asRecord(data.look).seat));
  const zoom = createZoom(stage, memory, { layout: () => layout() }, listeners.signal);
  const panel = createPlayPanel(game, stage, data, memory, { ...commands, zoom });
  const plies = createPliesView(game, look);
  const finish = createFinishView(game, { start: () => look(START) });
  const help = createHelpDialog();
  const main = html("div", { class: "main in-column" }, moment.node, stage.node, panel.bar);
  const side = html("div", { class: "side in-column" }, finish.node, panel.node, plies.node);
  const afterwards = game.ranks ? createAfterwards(game, data, commands) : null;
  if (afterwards) finish.node.append(afterwards.node);
  panel.node.hidden = game.ranks !== null;
  const track = { get at() { return current; }, last, rounds: [], turnEnds: turnEnds(game) };
  const keys = {
    ...trackCommands(() => track, (at) => look(Math.max(START, Math.min(last, at)))),
    canWheel: () => panel.isChoosing,
    wheel: (count) => panel.turnAim(count),
    larger: zoom.larger,
    smaller: zoom.smaller,
    turn() {
      memory.turns += 1;
      stage.turn();
      layout();
    },
    help: () => help.toggle(PLAY_HELP),
  };
  body.replaceChildren(createTitle(game, keys, "h1"), html("div", { class: "body" }, main, side), help.node);
  root.toggleAttribute("data-asking", !game.ranks);
  root.toggleAttribute("data-compared", false);

  function showStep(at, isFresh) {
    current = at;
    const step = game.steps[at];
    stage.show(position, position.go(at), at, step, isFresh);
    stage.putFirst((at === last ? asRecord(data.look).seat : null) ?? moverAt(game, at));
    moment.show(at, step, { call: at === last ? panel.call : "" });
    plies.show(at);
    finish.show(at === last && game.ranks !== null);
  }

  /** Look at any position; at the last one a move can be made. */
  function look(at) {
    clearTimeout(timer);
    showStep(at, false);
    if (at === last) return open();
    const back = createButton({ class: "go" }, () => look(last), "Back to the move");
    panel.close("You are looking back", back);
  }

  function open(message = "") {
    panel.open();
    if (message) panel.say(message);
  }

  /** Step through what has happened since the last choice, then let the person choose. */
  function follow(from) {
    const calm = !matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (!calm || from >= last) return arrive();
    panel.close("\u2026");
    const pace = Math.min(MOST_STEP_MILLISECONDS, FOLLOWING_MILLISECONDS / (last - from));
    const stepOn = (at) => {
      showStep(at, true);
      if (at >= last) return open();
      timer = setTimeout(() => stepOn(at + 1), pace);
    };
    stepOn(from + 1);
  }

  function arrive() {
    showStep(last, false);
    open();
  }

  listenToInput(root, {
    commands: keys,
    dialog: help.node,
    area: main,
    activate: () => {},
    isActive: () => true,
    first: (event) => (current < last && timer && !isModified(event) ? () => look(last) : panel.commandOfKey(event, stage.turns)),
  }, listeners.signal);
  stage.node.addEventListener("pointerdown", () => {
    if (data.isProposal) commands.goOn();
    else if (current < last) look(last);
  }, { signal: listeners.signal });
  const course = { spare: 0, resize() {} };
  const layout = watchLayout(root, { main, moment, stage, course, height: null, zoom: () => zoom.value, pair: () => null, mostAbove: 240 }, listeners.signal);
  for (let turn = 0; turn < memory.turns; turn += 1) stage.turn();
  plies.setReview(null);
  layout();
  follow(before ? Math.min(last, countSteps(before) - 1) : last);
  if (news) setText(news, describeNews(game, before));
  return {
    open,
    isOver: game.ranks !== null,
    saying: (text) => afterwards?.say(text),
    showHint: panel.showHint,
    showReason: panel.showReason,
    destroy() {
      clearTimeout(timer);
      panel.destroy();
      listeners.abort();
    },
  };
}

const countSteps = ({ scene }) => asList(asRecord(scene).steps, LIMITS.steps).length;
const isModified = (event) => event.ctrlKey || event.metaKey || event.altKey || event.key === "Shift" || event.key === "Tab";

/** What has happened since the last choice, for screen readers. */
function describeNews(game, before) {
  const from = before ? countSteps(before) : game.steps.length;
  const told = game.steps.slice(from).filter((step) => !isPreparation(step) || step === game.steps.at(-1)).map(({ caption }) => caption);
  return told.join(" ");
}
