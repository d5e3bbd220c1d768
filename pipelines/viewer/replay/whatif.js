/*
 * The What if panel: a person at a ply chooses another move on the board, another player or other luck, and both
 * continuations are played beside the board. Nothing is played before a choice.
 */

import { findPlacement, middleOfSquares, nameAction, nameMover, namePlacement, readAlternatives } from "./alternatives.js";
import { createAnswerView, readWork } from "./answer.js";
import { createAimBar, createChooser, createPlacing, describeAiming, scrollToShape, showAimName } from "./choose.js";
import { createButton, html, setText } from "./draw.js";
import { createHeadline } from "./headline.js";
import { describeMove, describeQuietMove, drawMove, filledSquares, moveColour } from "./moves.js";
import { createRequests } from "./requests.js";
import { readDecision } from "./review.js";
import { CHANCE } from "./scene.js";
import { asRecord, asSeat, asText } from "./values.js";

const CONTINUATIONS = 1000;
const LOOK_MILLISECONDS = 140; // a person who steps quickly asks nothing
const POLL_MILLISECONDS = 250;
const PANEL_TABS = { move: "Another move", player: "Another player", luck: "Other luck" };
const MAX_LOOKS = 40;

/**
 * Create what a replay needs if somebody answers its questions.
 * @param {(request: object) => void} send gives a request to the page around the replay
 * @returns {{requests: object, createPanel: Function}} the result of `createRequests`, and what makes the panel
 */
export function createAsking(send) {
  const requests = createRequests(send);
  return { requests, createPanel: (game, stage, commands) => createWhatifPanel(game, stage, requests, commands) };
}

/**
 * @param {{zoom: object, changed: Function, close: Function | null, go: Function, watch: Function, link: Function}} commands `changed` after the panel
 *   wants another position on the board; `link` returns the address of the page What if for the query of a question. On this page
 *   nothing closes the panel, and the question or its answer stands above the game (`headline`)
 */
function createWhatifPanel(game, stage, requests, commands) {
  const looks = new Map();
  const valued = new Map(); // by ply, the decision with its best moves, or why there is none
  let answered = []; // the answers about other moves, the newest last
  const isQuestion = !commands.close;
  const head = isQuestion ? "" : html("header", {}, html("h2", {}, "What if \u2026"), createButton({ class: "close", "aria-label": "Close What if", title: "Close (Esc)" }, commands.close, "\u00d7"));
  const subject = html("p", { class: "subject" });
  const tabs = html("div", { class: "tabs", role: "group", "aria-label": "What changes?" });
  const choices = html("div", { class: "choices" });
  const own = html("input", { type: "checkbox" });
  const ownLabel = html("label", { class: "own", hidden: true }, own, html("span"));
  const answer = createAnswerView(game, { stop, more, watch }, isQuestion);
  const headline = createHeadline(game, answer, () => (offered ? tryMove(offered.action) : play({}, "other luck", CONTINUATIONS)));
  const node = html("aside", { class: "whatif-panel", "aria-label": "What if", hidden: true }, head, answer.node, subject, tabs, choices, ownLabel);
  const bar = createAimBar();
  const chooser = createChooser(game, stage, { changed: () => showAim(), chosen: (group, placement) => playMove(placement.action, namePlacement(group, placement)) }, commands.zoom);
  let isOpen = false;
  let tab = "move";
  let at = 0;
  let seen = null; // the alternatives at this ply, null while they are unknown
  let groupIndex = 0;
  let asked = null; // the last question
  let offered = null; // the best move that was not made
  let changedSeat = null; // the seat of a question that the page has asked
  let lookTimer = 0;
  let pollTimer = 0;

  for (const [name, text] of Object.entries(PANEL_TABS)) tabs.append(createButton({ "data-tab": name }, () => showTab(name), text));
  own.addEventListener("change", () => { if (asked?.change) play(asked.change, asked.name, CONTINUATIONS); });

  const step = () => game.steps[at];
  const actorName = () => (step().seat === CHANCE ? "the dice" : nameMover(game, step().seat, moveColour(game, step())));

  /** Show the panel for a ply. */
  function showPly(newAt) {
    if (!isOpen) return;
    const target = Math.max(0, newAt);
    const isNew = target !== at || !seen;
    if (isNew) [at, seen] = [target, looks.get(target) ?? null];
    clearTimeout(lookTimer);
    lookTimer = setTimeout(seen ? valueMoves : look, LOOK_MILLISECONDS);
    if (isNew) offerFirst();
    else render();
  }

  /** Offer the shape of the move that was asked about here, which the board shows, or else that of the move that was played. */
  function offerFirst() {
    const tried = tab === "move" ? triedHere() : null;
    offerMove(tried ?? step().notation, Boolean(tried));
  }

  /** Return the action that was asked about at this ply; null if there is none, or if the question failed. */
  const triedHere = () => (asked?.at === at && !asked.isStopped && !asked.work?.problem ? (asked.change?.action ?? null) : null);

  async function look() {
    const wanted = at;
    const response = await requests.ask("look", { ply: game.steps[wanted].ply });
    if (response.error) {
      if (wanted === at) choices.replaceChildren(html("p", { class: "note" }, response.error));
      return;
    }
    keepLook(wanted, response);
    if (asked?.at === wanted) showAgain(); // the move now has its name
    if (wanted !== at || !isOpen) return;
    seen = looks.get(wanted);
    offerFirst();
    commands.changed();
    return valueMoves();
  }

  /** Ask for the values of the best moves, until they are known. Those of a review rest on other players than an answer. */
  async function valueMoves() {
    const wanted = at;
    if (valued.has(wanted) || seen.seat === CHANCE || seen.total < 2) return;
    const { decision, over, failure, error } = await requests.ask("value", { ply: step().ply });
    if (decision || over || error) valued.set(wanted, { decision: decision ?? null, problem: asText(failure, 300) || asText(error, 300) });
    else if (wanted === at && isOpen) lookTimer = setTimeout(valueMoves, POLL_MILLISECONDS);
    if (wanted === at && isOpen) commands.changed();
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
    subject.replaceChildren("Instead of ", ...(move.cells.length ? [drawMove(move.cells), " "] : []), html("b", {}, move.text), ` (${actorName()}, move ${step().ply + 1})`);
    for (const button of tabs.children) button.setAttribute("aria-pressed", String(button.dataset.tab === tab));
    const offered = tab === "move" && seen ? (seen.groups[groupIndex] ?? null) : null;
    chooser.offer(seen, offered);
    choices.replaceChildren(...(seen ? { move: renderMoves, player: renderPlayers, luck: renderLuck }[tab]() : [html("p", { class: "note" }, "Looking \u2026")]));
    bar.replaceChildren(...(seen && tab === "move" ? renderPlacing() : []));
    bar.hidden = !bar.firstChild;
    ownLabel.hidden = !seen?.quick.length || tab === "luck";
    if (seen?.quick.length) setText(ownLabel.lastChild, describeQuick(game, seen.quick));
    showAim();
    requestAnimationFrame(() => scrollToShape(choices, bar));
  }

  /** Until a question is asked, offer the one about the best move that was not made; where there is none, that about the luck. */
  function showOffer(moves) {
    if (!answer.node.hidden) return;
    const isForced = step().seat === CHANCE || seen?.total === 1;
    offered = isForced ? null : (moves.find(({ action }) => action !== step().notation) ?? null);
    headline.show(step(), { moves, offered, isForced });
  }

  const renderPlacing = () => (seen.total > 1 && seen.groups.length ? createPlacing(chooser, seen.groups, groupIndex, selectGroup, "Try", "Play both branches") : []);

  function renderMoves() {
    if (seen.total === 1) return [html("p", { class: "note" }, "There was no other legal move. Choose another player or other luck, or step to another move.")];
    const parts = renderPlacing();
    if (parts.length) parts.push(html("p", { class: "note" }, describeAiming(Boolean(seen.groups[0].piece), "try")));
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
    for (const { name, title: words, isSlow } of seen.strategies) strategies.append(createButton({ title: words }, () => play({ seat: Number(seat.value), strategy: name }, name, CONTINUATIONS), html("span", {}, name), isSlow ? html("small", {}, "slow") : ""));
    const other = html("input", { type: "text", placeholder: "or type one: noisy:sigma=3", "aria-label": "A strategy with its parameters", maxlength: 200 });
    other.addEventListener("change", () => { if (other.value.trim()) play({ seat: Number(seat.value), strategy: other.value.trim() }, other.value.trim(), CONTINUATIONS); });
    return [html("label", { class: "field" }, "From this move on,", seat), html("p", { class: "note" }, "is played by:"), strategies, html("div", { class: "field" }, other)];
  }

  function renderLuck() {
    const go = createButton({ class: "go" }, () => play({}, "other luck", CONTINUATIONS), "Play on with other dice");
    return [html("p", { class: "note" }, "The same players play on from this position with other dice. The result is compared with what happened."), seen.quick.length ? html("p", { class: "note" }, "One of them is slow: the first answer takes a while.") : "", go];
  }

  function selectGroup(index) {
    groupIndex = (index + seen.groups.length) % seen.groups.length;
    render();
  }

  function showAim() {
    for (const place of [choices, bar]) showAimName(place, chooser, { played: step().notation, tried: triedHere() });
  }

  function playMove(action, name) {
    if (action === step().notation) return answer.show({ isOver: true, problem: `${name} is the move that was played: there is nothing to try. Choose another one.` }, { question: "", link: null });
    play({ action }, name, CONTINUATIONS);
  }

  /** Ask a question and follow its answer until it is complete. */
  async function play(change, name, n) {
    commands.zoom.leave();
    const question = begin({ change, name, at });
    show(await requests.ask("play", { ply: step().ply, change, n, own: own.checked }), question);
  }

  /**
   * Follow the answer to a question that the page has asked.
   * @param {unknown} raw the `ply`, the `query` of the address, the change in words (`text`), and of a change of one kind the
   *   `action`, or the `seat` and the `strategy`, or `luck`
   */
  function follow(raw) {
    if (!raw) {
      asked = null;
      clearTimeout(pollTimer);
      answer.clear();
      return commands.changed();
    }
    const { ply, query, text, action, strategy, seat, luck } = asRecord(raw);
    const target = game.steps.findIndex((candidate) => candidate.ply === ply);
    if (target < 0 || !isOpen || (asked && asked.response?.query === query)) return undefined;
    changedSeat = asSeat(seat, game.seats.length);
    tab = luck === true ? "luck" : asText(strategy) ? "player" : "move";
    const change = luck === true ? {} : asText(action) ? { action: asText(action, 200) } : asText(strategy) && changedSeat !== null ? { seat: changedSeat, strategy: asText(strategy, 200) } : null;
    const question = begin({ change, name: change?.strategy ?? change?.action ?? (luck === true ? "other luck" : "changed"), at: target, words: asText(text, 300) });
    commands.go(target);
    offerFirst();
    return continueWith("poll", question);
  }

  const continueWith = async (kind, question) => show(await requests.ask(kind), question);

  /** Make a question the last one that was asked, and show that its first games are being played. */
  function begin(question) {
    asked = question;
    clearTimeout(pollTimer);
    commands.changed();
    answer.show({ isOver: false, answer: null }, { question: describeQuestion(question), link: null });
    showAim();
    scrollToAnswer();
    return question;
  }

  /** Scroll the panel as far as the answer needs to be in view; on phones the page, so that the boards stay in view above its figure. */
  function scrollToAnswer() {
    const isPhone = stage.node.clientWidth < 600;
    if (!isQuestion || !isPhone) (isPhone || isQuestion ? answer.figure : answer.node).scrollIntoView({ block: "nearest" });
    if (isQuestion) answer.sentence.scrollIntoView({ block: "nearest" });
  }

  function describeQuestion({ change, name, at: index, words = "" }) {
    const where = `Move ${game.steps[index].ply + 1}:`;
    if (!change) return `${where} what if ${words}?`;
    if (change.strategy) return `${where} ${game.seats[change.seat].name} played by ${name} from here on.`;
    if (change.action === undefined) return `${where} other luck from here on.`;
    const played = describeMove(game, game.steps[index]).text;
    const instead = nameChange({ change, name, at: index });
    return instead === played ? `${where} ${instead}, but laid another way.` : `${where} ${instead} instead of ${played}.`;
  }

  function show(response, question) {
    if (question !== asked) return; // another question was asked meanwhile
    question.response = response;
    const work = readWork(game, response);
    if (question.isStopped) work.isOver = work.isStopped = true;
    const isFirst = !question.work?.answer;
    question.work = work;
    showAgain();
    showAim();
    if (work.isOver && work.answer?.values.base.wins && question.change?.action) keepAnswer(question, work.answer);
    if (isFirst && work.answer) scrollToAnswer();
    if (!work.isOver && !work.problem && isOpen) pollTimer = setTimeout(() => continueWith("poll", question), POLL_MILLISECONDS);
  }

  /** Keep what an answer says of the best moves, whose values rest on fewer games. */
  function keepAnswer({ at: index, change: { action } }, { condition, values }) {
    answered = [...answered.filter((other) => other.at !== index || other.action !== action), { at: index, action, players: condition.toLowerCase(), ...values }];
    commands.changed();
  }

  function showAgain() {
    if (asked.work) answer.show(asked.work, { question: describeQuestion(asked), link: commands.link(asked.work.query) });
  }

  /** Return the name of the changed branch: that of the move, once the board is known. */
  const nameChange = ({ change, name, at: index }) => (name === change?.action ? nameAction(name, looks.get(index)) : name);

  /** End the answer here; what is being computed is no longer waited for. */
  function stop() {
    if (!asked || asked.isStopped) return;
    asked.isStopped = true;
    clearTimeout(pollTimer);
    show(asked.response ?? {}, asked);
    requests.ask("stop");
  }

  function more() {
    if (asked?.work?.answer) continueWith("more", begin({ ...asked, work: null, isStopped: false }));
  }

  async function watch(place) {
    const question = asked;
    const pair = await requests.ask("watch", typeof place === "number" ? { number: place } : { place });
    if (question !== asked || !isOpen) return;
    if (pair.error) answer.show({ ...question.work, problem: pair.error }, { question: describeQuestion(question), link: null });
    else commands.watch(pair, { place, watch });
  }

  return {
    node,
    bar,
    headline: isQuestion ? headline.parts : null,
    showOffer,
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
      clearTimeout(pollTimer);
      chooser.offer(null, null);
      if (!asked?.work?.isOver) stop();
    },
    showPly,
    /** Take the alternatives at the ply at which the page opens, so that nothing has to be asked for them. */
    takeLook(raw) {
      const index = game.steps.findIndex((candidate) => candidate.ply === asRecord(raw).ply);
      if (index >= 0 && !looks.has(index)) keepLook(index, asRecord(raw));
    },
    follow,
    /** Return the `decision` with its best moves that is known at a ply, if there was a choice, or the `problem`; null if they are being valued. */
    valueAt(index, measure) {
      const isForced = looks.get(index)?.total === 1;
      const { decision, problem } = valued.get(index) ?? {};
      const answers = answered.filter(({ at: place, players }) => place === index && players === asText(decision?.players, 300).toLowerCase());
      return isForced || valued.has(index) ? { decision: decision && readDecision(asRecord(decision), game, measure, answers), problem } : null;
    },
    /** Return the action that the last question at a ply was about, if it was about one. */
    askedAt: (index) => (isOpen && asked?.at === index ? asked.change?.action : null),
    /** Return the address of the question whose answer is shown at a ply; null without one. */
    addressAt: (index) => (isOpen && asked?.at === index && asked.work?.answer ? commands.link(asked.work.query) : null),
    tryMove,
    turnAim: chooser.turn,
    /** Return the command of a key while the panel is open; null if the key has none here. */
    commandOfKey(event, quarterTurns) {
      if (!isOpen || event.ctrlKey || event.metaKey || event.altKey) return null;
      if (event.key === "Escape" && commands.close && !chooser.aim) return commands.close;
      return chooser.commandOfKey(event, { turns: quarterTurns, selectNext: (count) => selectGroup(groupIndex + count), near: playedMiddle });
    },
    destroy() {
      clearTimeout(lookTimer);
      clearTimeout(pollTimer);
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

/** Format a probability as a percent with one decimal. */
const formatShare = (share) => `${(100 * share).toFixed(1)}\u202f%`;
