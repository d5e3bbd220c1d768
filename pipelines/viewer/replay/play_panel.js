/*
 * The panel beside the board of a game by hand: the shapes and dice of the person who has to choose, hints, the button that takes
 * the last move back, and after the end the links that lead on.
 */

import { gameQuery } from "./address.js";
import { nameMover, readAlternatives, readChoice } from "./alternatives.js";
import { createAimBar, createAimButton, createChooser, createPlacing, describeAiming, scrollToShape, showAimName } from "./choose.js";
import { createButton, html, setText } from "./draw.js";
import { keyName } from "./keys.js";
import { describeMove, describeQuietMove, isPreparation } from "./moves.js";
import { formatNumber } from "./numbers.js";
import { areDiceChoices, createDicePicker } from "./play_dice.js";
import { asColour, CHANCE } from "./scene.js";
import { createSeatChip } from "./seats.js";
import { asCount, asList, asRecord, asText } from "./values.js";
import { isFinger } from "./zoom.js";

/**
 * Create the panel for one position.
 * @param {object} data the document of the game (pipelines/panel.py)
 * @param {{group: string, strategy: string}} memory what the person chose before: the shape, and who gives hints
 * @param {{choose: Function, takeBack: Function, goOn: Function, hint: Function, explain: Function, keep: Function, compare: Function, zoom: object}} commands
 */
export function createPlayPanel(game, stage, data, memory, commands) {
  const seen = data.look ? readAlternatives(game, data.look) : null;
  if (seen) {
    const colour = asColour(data.colour, "ink");
    seen.colour = colour === "ink" || colour === "muted" ? null : colour;
  }
  const groups = seen?.groups ?? [];
  const nameOfGroup = ({ piece, die, isStruck }) => `${die} ${isStruck} ${piece}`;
  let groupIndex = findGroup();
  let isChoosing = false;
  let isTaken = data.isProposal === true; // a move was made whose answer is not shown
  let hinted = null;

  const title = html("h2", {});
  const subject = html("p", { class: "subject soft" });
  const scores = game.steps.at(-1)?.scores ?? game.startScores;
  const scoreLine = html("p", { class: "score-line" }, ...scores.map((score, seat) => html("span", { title: game.seats[seat].name }, createSeatChip(game, seat), formatNumber(score))));
  const choices = html("div", { class: "choices in-column" });
  const message = html("p", { class: "play-message", role: "status" });
  const barMessage = html("p", { class: "play-message", role: "status" }); // on phones, where the panel may be out of sight
  const adviser = html("select", { "aria-label": "Strategy that gives the hint", title: "Who gives the hint" }, ...data.advisers.map(({ name, about }) => html("option", { value: name, title: about, selected: name === memory.strategy }, name)));
  adviser.addEventListener("change", () => { memory.strategy = adviser.value; });
  const hint = createAimButton("Hint", "What this strategy would do, and why (H). The game notes that you looked.", askHint);
  const createTakeBack = () => createAimButton("Take back", "Take your last move back (U). Once it is answered, the game notes this.", commands.takeBack, "take-back");
  const takeBack = createTakeBack();
  const notes = html("p", { class: "note" }, describeAids(asCount(data.hints), asCount(data.undos)));
  const tools = html("div", { class: "play-tools in-row wrap apart" }, html("div", { class: "hint in-row soft" }, hint, html("span", {}, "by"), adviser));
  const node = html("aside", { class: "whatif-panel play-panel in-column", "aria-label": "Your move" }, html("header", { class: "in-row apart" }, title, takeBack), subject, scoreLine, choices, message, tools, notes);
  const bar = createAimBar();
  const chooser = createChooser(game, stage, { changed: showAim, chosen: ({ action, name }) => take(action, name), missed: explainMiss }, commands.zoom);
  const picker = seen && areDiceChoices(seen.others, game.steps.at(-1)?.dice ?? []) ? createDicePicker(game.steps.at(-1).dice, seen.others, (action, kept) => take(action, kept ? `keep ${kept}` : "keep nothing")) : null;

  stage.node.addEventListener("click", explainNoPlace);

  /** Return the shape that was chosen last, if it still fits, or else the largest; one that costs a strike comes last. */
  function findGroup() {
    const same = groups.findIndex((group) => nameOfGroup(group) === memory.group);
    if (same >= 0) return same;
    const worth = ({ cells, isStruck }) => cells.length - (isStruck ? 100 : 0);
    return groups.reduce((best, group, index) => (worth(group) > worth(groups[best]) ? index : best), 0);
  }

  function take(action, name) {
    if (!isChoosing) return;
    isChoosing = false;
    isTaken = true;
    showTakeBack();
    say(`${name} \u2026`);
    commands.zoom.leave();
    commands.choose(action);
  }

  function askHint() {
    say(`${adviser.value} \u2026`);
    commands.zoom.leave(); // its place is in sight
    commands.hint(adviser.value);
  }

  function say(text) {
    for (const words of [message, barMessage]) setText(words, text);
    showAim();
  }

  /** Say why the shape may not lie where a person has clicked; the nearest legal places stay marked. */
  async function explainMiss(squares) {
    const { piece } = groups[groupIndex];
    const owner = game.seats[seen.seat]?.name ?? "";
    if (!squares) return void say(`Not here: ${owner} places on the marked board.`);
    const { why } = await commands.explain(squares);
    if (!isChoosing) return;
    const what = piece ? `${piece} does not fit here` : "Not here";
    say(asText(why) ? `${what}: ${asText(why, 200)}.` : "No legal place here; the legal ones are marked.");
  }

  /** Say that nothing can be placed on the board, where a person has clicked on it. */
  function explainNoPlace(event) {
    if (isChoosing && !groups.length && event.target.closest?.(".board")) say(picker ? "No square matches these dice: choose the dice to keep, and throw the others." : "No piece can be placed now: choose beside the board.");
  }

  const canTakeBack = () => isTaken || (isChoosing && data.canUndo === true);

  function showTakeBack() {
    takeBack.hidden = !isChoosing && !isTaken;
    takeBack.setAttribute("aria-disabled", String(!canTakeBack()));
  }

  function selectGroup(index) {
    groupIndex = (index + groups.length) % groups.length;
    memory.group = nameOfGroup(groups[groupIndex]);
    render();
  }

  function render() {
    chooser.offer(isChoosing ? seen : null, isChoosing ? (groups[groupIndex] ?? null) : null);
    choices.replaceChildren(...(isChoosing ? renderChoices() : []));
    bar.replaceChildren(...(isChoosing && groups.length ? [barMessage, ...renderPlacing()] : isTaken ? [createTakeBack()] : []));
    tools.hidden = !isChoosing;
    showTakeBack();
    showAim();
    showHintOnBoard();
    requestAnimationFrame(() => scrollToShape(choices, bar));
  }

  function renderChoices() {
    const parts = [];
    if (picker) parts.push(html("p", { class: "note" }, "Choose the dice to keep, and throw the others again:"), picker.node);
    if (picker && groups.length) parts.push(html("p", { class: "note" }, "Or stop here and place:"));
    if (groups.length) parts.push(...renderPlacing(), html("p", { class: "note" }, describeAiming(Boolean(groups[0].piece), "play")));
    if (!picker && seen.others.length) parts.push(renderOthers());
    return parts;
  }

  const renderPlacing = () => createPlacing(chooser, groups, groupIndex, selectGroup, "Play", "Make this move");

  function renderOthers() {
    const list = html("div", { class: "options", role: "group", "aria-label": "Choices" });
    for (const { action, kind } of seen.others) {
      const text = describeQuietMove({ kind, notation: action });
      list.append(createButton({}, () => take(action, text), html("span", {}, text)));
    }
    return list;
  }

  function showAim() {
    bar.hidden = !chooser.aim && !barMessage.textContent && !bar.querySelector(".shapes, .take-back");
    for (const place of [choices, bar]) showAimName(place, chooser);
  }

  /** Show the move of a hint on the board or on the dice; return it in words. */
  function showHinted(action) {
    let name = action;
    hinted = null;
    groups.forEach((group, index) => {
      const placement = group.placements.find((candidate) => candidate.action === action);
      if (!placement) return;
      [hinted, groupIndex] = [{ group, placement }, index];
      name = `play ${placement.name}`;
    });
    const kept = picker && seen.others.find((option) => option.action === action);
    if (kept) {
      picker.keep(action);
      name = kept.dice.length ? `keep ${kept.dice.join(" ")} and throw the others` : "throw all dice again";
    }
    render();
    if (hinted) chooser.aimAt(hinted.placement);
    return name;
  }

  /** Outline the place of the hint, which stays visible while the pointer moves. */
  function showHintOnBoard() {
    const isHere = isChoosing && hinted?.placement && groups[groupIndex] === hinted.group;
    stage.showGhosts(isHere ? [hinted.placement] : []);
  }

  function whoseMove() {
    const seat = seen && game.seats[seen.seat];
    if (!seat) return "";
    const isNamed = seat.strategy && seat.strategy !== "me";
    return data.people.length > 1 ? `${isNamed ? seat.strategy : seat.name}, choose a move` : "Your move";
  }

  return {
    node,
    bar,
    /** Whose move it is; empty if nobody has to choose. */
    call: whoseMove(),
    get isChoosing() {
      return isChoosing && chooser.isActive;
    },
    /** Show the choices of the position. */
    open() {
      isChoosing = Boolean(seen);
      isTaken = data.isProposal === true;
      setText(title, this.call || (isTaken ? `You play ${describeMove(game, game.steps.at(-1)).text}` : "The game is over"));
      setText(subject, isTaken ? describeWaiting() : seen ? `${nameMover(game, seen.seat, seen.colour)} \u00b7 ${seen.total.toLocaleString("en")} legal move${seen.total === 1 ? "" : "s"}` : "");
      say("");
      render();
    },
    /** Show that the board is not at the last position, or that something is being waited for. */
    close(text, button = null) {
      isChoosing = isTaken = false;
      setText(title, text);
      setText(subject, "");
      render();
      if (button) choices.replaceChildren(button);
    },
    say,
    /** Show what a strategy would do. */
    showHint(action, strategy) {
      say(`${strategy} would ${showHinted(action)}.`);
    },
    /** Add the reason for the hint, or show the `better` move in its place, unless something else has been said since. */
    showReason(reason, better) {
      if (!isChoosing || !/ would .*\.$/.test(message.textContent)) return;
      if (better) showHinted(better);
      say(better ? reason : `${message.textContent} ${reason}`);
    },
    turnAim: chooser.turn,
    /** Return the command of a key; null if the key has none here. */
    commandOfKey(event, quarterTurns) {
      if (!(isChoosing || isTaken) || event.ctrlKey || event.metaKey || event.altKey) return null;
      const key = keyName(event);
      if (key === "u" || key === "Backspace") return canTakeBack() ? commands.takeBack : null;
      if (data.isProposal && (key === "Enter" || key === " ") && !event.composedPath()[0].matches?.("button, a")) return commands.goOn;
      if (!isChoosing) return null;
      if (key === "h") return askHint;
      if (picker && /^[1-9]$/.test(key)) return () => picker.toggle(Number(key) - 1);
      if (picker && key === "t") return picker.throwOthers;
      return chooser.commandOfKey(event, { turns: quarterTurns, selectNext: (count) => selectGroup(groupIndex + count) });
    },
    destroy() {
      stage.node.removeEventListener("click", explainNoPlace);
      chooser.destroy();
    },
  };
}

const describeWaiting = () => (isFinger() ? "The answer follows in a moment; a tap on the board does not wait." : "The answer follows in a moment. U takes the move back, Enter does not wait.");

/** "2 hints and 1 move taken back, noted in the game." */
function describeAids(hints, undos) {
  const count = (number, word, more = "") => (number ? [`${number} ${word}${number === 1 ? "" : "s"}${more}`] : []);
  const parts = [...count(hints, "hint"), ...count(undos, "move", " taken back")];
  return parts.length ? `${parts.join(" and ")}, noted in the game.` : "";
}

/** Create the links that lead on from a finished game, and the comparison of its moves with those of a strategy. */
export function createAfterwards(game, data, commands) {
  const link = (text, page, query, kind = "") => {
    const url = new URL(page, location.href);
    url.search = new URLSearchParams(query).toString();
    return html("a", { href: url.href, target: "_self", class: kind }, text);
  };
  const kept = asText(data.kept, 200);
  const results = asText(data.results, 1000);
  const { again } = data;
  const other = { ...again, seed: String(Math.floor(Math.random() * 1e6)) };
  const adviser = html("select", { "aria-label": "Strategy to compare with" }, ...data.advisers.map(({ name, about }) => html("option", { value: name, title: about, selected: name === "greedy" }, name)));
  const result = html("div", { class: "compared", role: "status" });
  const compare = createAimButton("Compare", "What this strategy would have done in your place, move by move", async () => {
    result.replaceChildren("\u2026");
    result.replaceChildren(...describeComparison(game, await commands.compare(adviser.value), kept, link));
    result.closest(".play")?.toggleAttribute("data-compared", true);
  });
  const keep = createButton({ class: "primary" }, commands.keep, "Keep this game");
  const state = html("p", { role: "status" }, ...(kept ? ["Kept in your library as ", html("b", {}, kept), "."] : ["This game is not in your library."]));
  const node = html(
    "div",
    { class: "afterwards" },
    state,
    results ? html("p", {}, results) : "",
    html(
      "div",
      { class: "finish-actions" },
      ...(kept ? [link("Replay", "replay", gameQuery(kept, 0), "primary"), link("Review", "replay", { ...gameQuery(kept, 0), review: "1" }), link("What if \u2026", "replay", { ...gameQuery(kept, 0, middleChoice(game, data.people)), whatif: 1 })] : [keep]),
      ...(game.steps.some(({ seat }) => seat === CHANCE) ? [link("Same dice again", "play", again), link("Other dice", "play", other)] : [link("Play again", "play", other)]),
    ),
    html("div", { class: "play-tools in-row wrap apart" }, html("div", { class: "hint in-row soft" }, compare, html("span", {}, "my moves with"), adviser)),
    result,
  );
  return { node, say: (text) => setText(state, text) };
}

/** The ply of the choice in the middle of those that people made: there, another move changes most of what is seen. */
function middleChoice(game, people) {
  const own = game.steps.filter((step) => people.includes(step.seat) && !isPreparation(step));
  return own[Math.floor(own.length / 2)]?.ply ?? 0;
}

/** "greedy would have made 5 of your 9 choices", and the others as what-if questions. */
function describeComparison(game, raw, kept, link) {
  const { strategy, n, others, error } = asRecord(raw);
  if (error || !Array.isArray(others)) return [html("p", {}, asText(error, 300) || "There is no answer.")];
  const name = asText(strategy, 60);
  const rows = asList(others, 1000).map((value) => {
    const { ply, board, options } = asRecord(value);
    const [{ name: own }, { action, name: other }] = [0, 1].map((index) => readChoice(game, board, asList(options, 2)[index]));
    const words = `${own}; ${name}: ${other}`;
    return html("li", {}, html("span", { class: "number soft" }, String(ply + 1)), kept ? link(words, "replay", { ...gameQuery(kept, 0, ply), action }) : words);
  });
  const same = asCount(n) - rows.length;
  const sentence = `${name} would have made ${same} of your ${asCount(n)} choice${n === 1 ? "" : "s"}.`;
  const hint = rows.length && kept ? html("p", { class: "note" }, "A move leads to What if, which plays both on:") : "";
  return [html("p", {}, sentence), hint, html("ul", {}, ...rows)];
}
