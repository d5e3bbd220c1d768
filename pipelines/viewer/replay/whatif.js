/*
 * The What if panel: a person at a ply chooses another move on the board, another player, another rule or other luck, and both
 * continuations are played beside the board. Nothing is played before a choice.
 */

import { findPlacement, middleOfSquares, nameAction, nameMover, readAlternatives } from "./alternatives.js";
import { createAnswerView, readWork } from "./answer.js";
import { createAimBar, createChooser, createPlacing, describeAiming, scrollToShape, showAimName } from "./choose.js";
import { createButton, html, setText } from "./draw.js";
import { describeMove, describeQuietMove, drawMove, filledSquares, moveColour } from "./moves.js";
import { readDecision } from "./review.js";
import { CHANCE } from "./scene.js";
import { asCount, asList, asRecord, asSeat, asText } from "./values.js";

const LOOK_MILLISECONDS = 140; // a person who steps quickly asks nothing
const AGAIN_MILLISECONDS = 3000; // after which a busy server is asked again
const PANEL_TABS = { move: "Move", player: "Player", rule: "Rule", luck: "Luck" };
const MAX_LOOKS = 40;
const REST_HINT = "Choose a best move, or a shape or square of your own.";

/**
 * Return the function that makes the panel of a replay whose questions somebody answers.
 * @param {Function} ask see ask.js
 */
export const createAsking = (ask) => (game, stage, commands) => createWhatifPanel(game, stage, ask, commands);

/**
 * @param {{zoom: object, changed: Function, valued: Function, close: Function, go: Function, watch: Function, many: Function, name: Function, replay: Function, isGuest: boolean}} commands
 *   `changed` after the panel wants another position on the board; `valued` when the moves at a ply have got values; `many` returns the address of the same question in many games;
 *   `name` writes a question into the address; `replay` returns the address of a game
 */
function createWhatifPanel(game, stage, ask, commands) {
  const looks = new Map();
  const valued = new Map(); // by ply, the decision with its best moves, or why it has no values
  const head = html("header", { class: "in-row apart" }, html("h2", {}, "What if \u2026"), createButton({ class: "close", "aria-label": "Close What if", title: "Close (Esc)" }, commands.close, "\u00d7"));
  const subject = html("p", { class: "subject soft" });
  const tabs = html("div", { class: "tabs", role: "group", "aria-label": "What changes?" });
  const choices = html("div", { class: "choices in-column" });
  const own = html("input", { type: "checkbox" });
  const ownLabel = html("label", { class: "own", hidden: true }, own, html("span"));
  const [amount, seed] = [createNumberField("Continuations of each branch"), createNumberField("Seed: equal ones give equal luck")];
  const numbers = html("details", { class: "numbers" }, html("summary", {}, "Continuations and seed"), amount.label, seed.label);
  const answer = createAnswerView({ stop, more, watch, save }, commands.isGuest);
  const node = html("aside", { class: "whatif-panel in-column", "aria-label": "What if", hidden: true }, head, answer.node, subject, tabs, choices, ownLabel, numbers);
  const hint = html("p", { class: "note" });
  const bar = createAimBar();
  const chooser = createChooser(game, stage, { changed: () => showAim(), chosen: ({ action, name }) => playMove(action, name) }, commands.zoom);
  let isOpen = false;
  let tab = "move";
  let at = 0;
  let seen = null; // the alternatives at this ply, null while they are unknown
  let groupIndex = 0;
  let asked = null; // the last question
  let changedSeat = null; // the seat of a question of the address
  let lookTimer = 0;
  let asking = null; // what ends the last question
  let valuing = null; // the ply whose moves are being valued, what ends that, and the promise of its end

  for (const [name, text] of Object.entries(PANEL_TABS)) tabs.append(createButton({ "data-tab": name }, () => showTab(name), text));
  own.addEventListener("change", () => { if (asked?.change) play(asked.change); });
  for (const { input } of [amount, seed]) input.addEventListener("change", askWithNumbers);

  const step = () => game.steps[at];
  const actorName = () => (step().seat === CHANCE ? "the dice" : nameMover(game, step().seat, moveColour(game, step())));

  /** Show the panel for a ply. */
  function showPly(newAt) {
    if (!isOpen) return;
    const target = Math.max(0, newAt);
    const isNew = target !== at || !seen;
    if (isNew) [at, seen] = [target, looks.get(target) ?? null];
    clearTimeout(lookTimer);
    lookTimer = setTimeout(seen ? valueHere : look, LOOK_MILLISECONDS);
    if (isNew) offerFirst();
    else render();
  }

  /** Offer the shape of the move that was asked about here, which the board shows, or else that of the move that was played. */
  function offerFirst() {
    const tried = tab === "move" ? triedHere() : null;
    offerMove(tried ?? step().notation, Boolean(tried));
  }

  /** Return the action that was asked about at this ply, or null, also after a question that failed. */
  const triedHere = () => (asked?.at === at && !asked.isStopped && !asked.work.problem ? (asked.change?.action ?? null) : null);

  async function look() {
    const wanted = at;
    const response = await ask("look", { ply: game.steps[wanted].ply });
    if (response.error) {
      valued.set(wanted, { decision: null, problem: asText(response.error, 300) });
      if (wanted !== at) return;
      render();
      return commands.changed();
    }
    if (valued.get(wanted)?.problem) valued.delete(wanted); // somebody answers again
    keepLook(wanted, response);
    if (wanted !== at || !isOpen) return;
    seen = looks.get(wanted);
    offerFirst();
    commands.changed();
    return valueHere();
  }

  function valueHere() {
    if (seen.seat !== CHANCE && seen.total > 1) valueMoves(at);
  }

  /** Value the likely moves at a ply, once; another ply ends that. The promise is fulfilled when they are known. */
  function valueMoves(index) {
    if (valued.get(index)?.decision) return null;
    if (valuing?.index === index && !valuing.end.signal.aborted) return valuing.done;
    valuing?.end.abort();
    const end = new AbortController();
    valuing = { index, end, done: askValues(index, end.signal) };
    return valuing.done;
  }

  async function askValues(index, signal) {
    const { decision, error, isBusy } = await ask("value", { ply: game.steps[index].ply }, { signal });
    if (signal.aborted) return;
    if (isBusy) {
      await new Promise((resolve) => { setTimeout(resolve, AGAIN_MILLISECONDS); });
      if (!signal.aborted) await askValues(index, signal);
      return;
    }
    valuing = null;
    valued.set(index, { decision: decision ?? null, problem: asText(error, 300) });
    commands.valued();
  }

  function keepLook(index, response) {
    const found = readAlternatives(game, response);
    found.colour = moveColour(game, game.steps[index]);
    looks.set(index, found);
    if (looks.size > MAX_LOOKS) looks.delete(looks.keys().next().value);
  }

  function showTab(name) {
    tab = name;
    render();
    commands.changed();
  }

  function render() {
    const move = describeMove(game, step());
    subject.replaceChildren("Instead of ", ...(move.cells.length ? [drawMove(move.cells), " "] : []), html("b", {}, findPlacement(step().notation, seen).placement?.name ?? move.text), html("span", {}, ` (${actorName()}, move ${step().ply + 1})`));
    for (const button of tabs.children) button.setAttribute("aria-pressed", String(button.dataset.tab === tab));
    const offered = tab === "move" && seen ? (seen.groups[groupIndex] ?? null) : null;
    chooser.offer(seen, offered);
    choices.replaceChildren(...(seen ? { move: renderMoves, player: renderPlayers, rule: renderRules, luck: renderLuck }[tab]() : [html("p", { class: "note" }, valued.get(at)?.problem || "Looking \u2026")]));
    bar.replaceChildren(...(seen && tab === "move" ? renderPlacing() : []));
    bar.hidden = !bar.firstChild;
    ownLabel.hidden = !seen || tab === "luck" || (tab !== "move" && !seen.quick.length);
    if (seen) [amount.input.placeholder, seed.input.placeholder] = seen.usual;
    setText(ownLabel.lastChild, tab === "move" ? "The players of the game play on, not quick ones." : describeQuick(game, seen?.quick ?? []));
    showAim();
    requestAnimationFrame(() => scrollToShape(choices, bar));
  }

  const renderPlacing = () => (seen.total > 1 && seen.groups.length ? createPlacing(chooser, seen.groups, groupIndex, selectGroup, "Try", "Play it both ways") : []);

  function renderMoves() {
    if (seen.total === 1) return [html("p", { class: "note" }, "There was no other legal move. Choose another player, another rule or other luck, or step to another move.")];
    const parts = renderPlacing();
    if (parts.length) parts.push(hint);
    if (seen.others.length) parts.push(renderList());
    return parts;
  }

  function renderList() {
    const isRoll = seen.seat === CHANCE;
    const list = html("div", { class: "options", role: "group", "aria-label": isRoll ? "Rolls" : "Choices" });
    for (const { action, kind, share } of seen.others) {
      const isPlayed = action === step().notation;
      const text = describeQuietMove({ kind, notation: action });
      list.append(createButton({ disabled: isPlayed, title: isPlayed ? "This is what happened" : null }, () => playMove(action, text), html("span", {}, text), isPlayed ? html("small", {}, "played") : share === null ? "" : html("small", { title: "How often the dice show this" }, formatShare(share))));
    }
    return list;
  }

  function renderPlayers() {
    const seat = html("select", { "aria-label": "Player" }, ...game.seats.map(({ name, strategy }, index) => html("option", { value: index, selected: index === (changedSeat ?? Math.max(0, step().seat)) }, strategy ? `${name} (${strategy})` : name)));
    const strategies = html("div", { class: "options players", role: "group", "aria-label": "Played by" });
    for (const { name, title: words, isSlow } of seen.strategies) strategies.append(createButton({ title: words }, () => play({ seat: Number(seat.value), strategy: name }), html("span", {}, name), isSlow ? html("small", {}, "slow") : ""));
    const other = html("input", { type: "text", placeholder: "or type one: noisy:sigma=3", "aria-label": "A strategy with its parameters", maxlength: 200 });
    other.addEventListener("change", () => { if (other.value.trim()) play({ seat: Number(seat.value), strategy: other.value.trim() }); });
    return [html("label", { class: "field" }, "From this move on,", seat), html("p", { class: "note" }, "is played by:"), strategies, html("div", { class: "field" }, other)];
  }

  function renderRules() {
    const [, changedKey, changedValue] = /^([^=]*)=(.*)$/.exec(asked?.change?.option ?? "") ?? [];
    const rule = html("select", { "aria-label": "Option of the rules" }, ...seen.rules.map(({ key, title: words, now }) => html("option", { value: key, selected: key === changedKey }, `${words} (now ${now})`)));
    const value = html("input", { type: "text", "aria-label": "Its other value", maxlength: 200, value: changedValue ?? "" });
    const showNow = () => { value.placeholder = seen.rules[rule.selectedIndex]?.now ?? ""; };
    rule.addEventListener("change", showNow);
    showNow();
    const go = createButton({ class: "go" }, () => play({ option: `${rule.value}=${value.value.trim()}` }), "Play it both ways");
    return [html("label", { class: "field" }, "In the whole game,", rule), html("label", { class: "field" }, "had the value", value), go];
  }

  function renderLuck() {
    const go = createButton({ class: "go" }, () => play({}), "Play on with other dice");
    return [html("p", { class: "note" }, "The same players play on from this position with other dice. The result is compared with what happened."), seen.quick.length ? html("p", { class: "note" }, "One of them is slow: the first answer takes a while.") : "", go];
  }

  function selectGroup(index) {
    groupIndex = (index + seen.groups.length) % seen.groups.length;
    chooser.setPlacing(true);
    render();
  }

  function showAim() {
    if (seen?.groups.length) setText(hint, chooser.isResting ? REST_HINT : describeAiming(Boolean(seen.groups[0].piece), "try"));
    for (const place of [choices, bar]) showAimName(place, chooser, { played: step().notation, tried: triedHere() });
  }

  function playMove(action, name) {
    chooser.setPlacing(false);
    if (action === step().notation) return answer.say(`${name} is the move that was played: there is nothing to try. Choose another one.`);
    return play({ action });
  }

  /** Ask about another choice at this ply. */
  function play(change) {
    commands.zoom.leave();
    return pose({ ply: step().ply, change, own: own.checked, ...typedNumbers() }, { change, at, isOwn: true });
  }

  /** Return the number of continuations and the seed that are typed, or else the usual ones; without those that a browser cannot hold. */
  function typedNumbers() {
    const fields = [["n", amount.input], ["seed", seed.input]].filter(([, input]) => input.checkValidity() && (input.value || input.placeholder));
    return Object.fromEntries(fields.map(([name, input]) => [name, Number(input.value || input.placeholder)]));
  }

  /** Ask the last question again, with the numbers that are typed. */
  function askWithNumbers() {
    const query = asked?.work.query || asked?.query; // the latter until the first answer is there
    if (query) pose({ query, ...typedNumbers() }, { ...asked, query, isOwn: true, raw: null });
  }

  /** Ask the question of an address, unless it is asked already, or none. */
  function follow(query) {
    if (!isOpen || (query && asked?.work.query === query)) return undefined;
    if (query) return pose({ query }, { change: null, at, isOwn: false });
    asking?.abort();
    asked = null;
    answer.clear();
    return commands.changed();
  }

  /** Ask a question and show its answer until it is complete. Another question ends it. */
  async function pose(fields, question) {
    asking?.abort();
    asking = new AbortController();
    asked = { ...question, work: readWork({}), isStopped: false };
    const posed = asked;
    commands.changed();
    showAgain();
    showAim();
    scrollToAnswer();
    const last = await ask("whatif", fields, { signal: asking.signal, show: (raw) => show(raw, posed) });
    const isCutOff = Boolean(last.question) && last.isOver !== true; // the server has ended
    if (last.error || isCutOff) show({ ...posed.raw, error: last.error ?? "The answer was cut off. Ask again." }, posed);
  }

  function show(raw, question) {
    if (question !== asked || question.isStopped) return;
    const isNew = !question.raw;
    const isFirst = !question.work.n;
    question.raw = raw;
    question.work = readWork(raw);
    if (isNew && question.work.question && !question.isOwn) return showQuestion(question.work.question);
    if (isNew && raw.question === null) return follow("");
    if (isFirst && question.work.n && question.isOwn) commands.name(question.work.query, question.at);
    showAgain();
    showAim();
    if (isFirst && question.work.n) scrollToAnswer();
    return undefined;
  }

  /** Show the place and the change of a question of the address. */
  function showQuestion({ ply, action, strategy, seat, option, luck, quick, typed }) {
    const target = game.steps.findIndex((candidate) => candidate.ply === ply);
    if (target < 0) return;
    changedSeat = asSeat(seat, game.seats.length);
    tab = luck === true ? "luck" : asText(option) ? "rule" : asText(strategy) ? "player" : "move";
    [amount.input.value, seed.input.value] = asList(typed, 2).map((number) => asText(number));
    if (luck === true) asked.change = {};
    else if (asText(option)) asked.change = { option: asText(option, 300) };
    else if (asText(action)) [asked.change, own.checked] = [{ action: asText(action, 200) }, quick !== true];
    else if (asText(strategy) && changedSeat !== null) asked.change = { seat: changedSeat, strategy: asText(strategy, 200) };
    asked.at = target;
    commands.go(target);
    offerFirst();
  }

  /** Scroll the panel as far as the answer needs to be in view; on phones the page, so that the boards stay in view above it. */
  function scrollToAnswer() {
    const isPhone = stage.node.clientWidth < 600;
    (isPhone ? answer.head : answer.node).scrollIntoView({ block: "nearest" });
  }

  function showAgain() {
    const { work, isStopped } = asked;
    const shown = isStopped ? { ...work, isOver: true, isStopped } : work;
    answer.show(shown, commands.many(asText(work.question?.many, 4000)));
  }

  /** End the question, if its answer is not complete; what is done stays. */
  function stop() {
    if (!asked || asked.isStopped || asked.work.isOver) return;
    asking.abort();
    asked.isStopped = true;
    showAgain();
    showAim();
  }

  function more() {
    const { work } = asked;
    if (work.more) pose({ query: work.query, n: work.more }, { ...asked, isOwn: true, raw: null });
  }

  async function watch(number) {
    const question = asked;
    const pair = await ask("watch", { query: question.work.query, n: question.work.n, number });
    if (question !== asked || !isOpen) return;
    if (pair.error) answer.say(asText(pair.error, 300));
    else commands.watch(pair, { choices: answer.continuations, watch });
  }

  /** Keep the continuations as a run; return what is said of it. */
  async function save(name) {
    const { query, n, question } = asked.work;
    const { name: saved, games, error } = await ask("save", { query, n, name });
    if (error) return [asText(error, 300)];
    const link = html("a", { href: commands.replay(asText(saved, 200), question.ply), target: "_self" }, "Replay the first game from the fork");
    return [`Added ${asCount(games).toLocaleString("en")} games as ${asText(saved, 200)} in your library. `, link];
  }

  return {
    node,
    bar,
    get isOpen() {
      return isOpen;
    },
    /** True while the board shows the position before the ply, for a choice. */
    get isChoosing() {
      return isOpen && tab === "move" && chooser.isActive;
    },
    open(newAt) {
      isOpen = true;
      node.hidden = false;
      showPly(newAt);
    },
    close() {
      isOpen = false;
      node.hidden = bar.hidden = true;
      clearTimeout(lookTimer);
      valuing?.end.abort();
      chooser.offer(null, null);
      stop();
    },
    showPly,
    follow,
    /** Return the `decision` with its best moves that is known at a ply, if there was a choice, or the `problem`; null if they are being valued. */
    valueAt(index, measure) {
      const isForced = looks.get(index)?.total === 1;
      const { decision, problem } = valued.get(index) ?? {};
      return isForced || valued.has(index) ? { decision: decision && readDecision(asRecord(decision), game, measure), problem } : null;
    },
    valueMoves,
    isValuing: (index) => valuing?.index === index && !valuing.end.signal.aborted,
    /** The decisions whose likely moves are valued, as JSON data. */
    get decisions() {
      return [...valued.values()].map(({ decision }) => decision).filter(Boolean);
    },
    /** Return the action that the last question at a ply was about, if it was about one. */
    askedAt: (index) => (isOpen && asked?.at === index ? asked.change?.action : null),
    /** Return the sentence of the whole answer to a question about a ply; empty until it is complete. */
    verdictAt: (index) => (isOpen && asked?.at === Math.max(0, index) ? answer.verdict : ""),
    /** Tell whether the board shows the best moves, so that the legal places come only once a person places a shape. */
    setCovered: chooser.setCovered,
    below: commands.isGuest ? "" : answer.below,
    tryMove,
    turnAim: chooser.turn,
    /** Return the command of a key while the panel is open; null if the key has none here. */
    commandOfKey(event, quarterTurns) {
      if (!isOpen || event.ctrlKey || event.metaKey || event.altKey) return null;
      if (event.key === "Escape" && !chooser.aim) return commands.close;
      return chooser.commandOfKey(event, { turns: quarterTurns, selectNext: (count) => selectGroup(groupIndex + count), near: playedMiddle });
    },
    destroy() {
      clearTimeout(lookTimer);
      asking?.abort();
      valuing?.end.abort();
      chooser.destroy();
    },
  };

  /** Ask about a move by its notation. */
  function tryMove(action) {
    tab = "move";
    offerMove(action, true);
    return playMove(action, nameAction(action, seen));
  }

  /** Offer the shape of a move; one that is tried is on the board and in the row of the place, too. */
  function offerMove(action, isTried) {
    const { group, placement } = findPlacement(action, seen);
    groupIndex = Math.max(0, seen?.groups.indexOf(group) ?? 0);
    render();
    if (isTried && placement) chooser.aimAt(placement);
  }

  function playedMiddle() {
    const squares = filledSquares(game, step());
    return squares.length && seen.board ? middleOfSquares(seen.board, squares) : null;
  }
}

/** "greedy plays on for Player 4, whose strategy is slow." */
function describeQuick(game, quick) {
  const names = quick.map(([seat, name]) => `${name} for ${game.seats[seat]?.name ?? ""} (${game.seats[seat]?.strategy.split(":")[0] ?? ""})`);
  return `Let the slow strategies themselves play on. Otherwise a quick one does: ${names.join(", ")}.`;
}

/** Create a field of an integer; an empty one means the usual number. */
function createNumberField(words) {
  const input = html("input", { type: "number", min: 0, max: Number.MAX_SAFE_INTEGER, step: 1 });
  return { input, label: html("label", { class: "field" }, words, input) };
}

/** Format a probability as a percent with one decimal. */
const formatShare = (share) => `${(100 * share).toFixed(1)}\u202f%`;
