/*
 * Two continuations of one position side by side: the original and the changed branch, stepped together.
 */

import { COURSE, followPointer } from "./course.js";
import { colourClass, createButton, html, roundToTenth, setText, svg } from "./draw.js";
import { isPreparation, moverAt } from "./moves.js";
import { formatNumber, roundNumbersInRange } from "./numbers.js";
import { createPosition, readScene, START } from "./scene.js";
import { createStageView } from "./stage.js";
import { asCount, asList, asNumber, asRecord, asSeat, asText, isWithin } from "./values.js";

/**
 * Read a pair of continuations.
 * @param {unknown} raw the response to `watch`
 */
export function readContinuations(raw) {
  const pair = asRecord(raw);
  const games = [pair.base, pair.changed].map(readScene);
  const ply = isWithin(pair.ply, 0, 1e9) ? pair.ply : 0;
  const problem = games.map((game) => game.problem).find(Boolean) ?? "";
  return { games, ply, seat: asSeat(pair.seat, games[0].seats.length) ?? 0, number: asCount(pair.number), n: asCount(pair.n), names: asList(pair.names, 2).map((name) => asText(name, 60)), difference: asNumber(pair.difference), problem };
}

/**
 * Return the moments at which both games are shown: [ply of the first, ply of the second]. The first moment is the position
 * before the fork. Rounds begin together; within a round, the shorter game waits at its last ply.
 */
function pairMoments([first, second], ply) {
  const moments = [[ply - 1, ply - 1]];
  const rounds = [first, second].map((game) => {
    const own = new Map();
    game.steps.forEach((step, at) => {
      if (at >= ply) own.set(step.round, [...(own.get(step.round) ?? []), at]);
    });
    return own;
  });
  const numbers = [...new Set([...rounds[0].keys(), ...rounds[1].keys()])].sort((a, b) => a - b);
  for (const round of numbers) {
    const plies = rounds.map((own) => own.get(round) ?? []);
    const count = Math.max(plies[0].length, plies[1].length);
    for (let index = 0; index < count; index += 1) {
      const last = moments.at(-1);
      moments.push(plies.map((own, side) => own[Math.min(index, own.length - 1)] ?? last[side]));
    }
  }
  return moments;
}

/** Create the view of a pair. `about.names` are the headings of the branches. */
export function createPairView(pair, about) {
  const moments = pairMoments(pair.games, pair.ply);
  const sides = pair.games.map((game, side) => createPairSide(game, pair.seat, about.names[side]));
  const course = createPairCourse(pair, moments, about.names);
  const title = html("p", { class: "pair-title soft", "aria-live": "polite" });
  const node = html("section", { class: "pair in-column", "aria-label": "One continuation on both branches" }, html("div", { class: "pair-head in-row wrap apart" }, title, about.tools ?? ""), html("div", { class: "pair-sides" }, ...sides.map((side) => side.node)), course.node);
  const view = {
    node,
    at: START,
    last: moments.length - 2,
    rounds: moments.flatMap(([at], index) => (index > 1 && pair.games[0].steps[at]?.round !== pair.games[0].steps[moments[index - 1][0]]?.round ? [index - 1] : [])),
    turnEnds: moments.flatMap((plies, index) => (index > 0 && plies.some((at, side) => at !== moments[index - 1][side] && !isPreparation(pair.games[side].steps[at])) ? [index - 1] : [])),
    isPreparation: (at) => moments[at + 1].every((ply, side) => ply === START || isPreparation(pair.games[side].steps[ply])),
    /** Go to a moment; -1 is the position before the fork. */
    go(target, isCalm) {
      const isForward = target === view.at + 1;
      view.at = target;
      moments[target + 1].forEach((at, side) => sides[side].show(at, isForward && isCalm));
      course.show(target);
      setText(title, view.describe(target));
    },
    describe(target) {
      const plies = moments[target + 1];
      const step = pair.games.map((game, side) => game.steps[plies[side]]).find(Boolean);
      if (target === START) return "Before the fork: both branches are the same.";
      const ends = target === view.last ? " \u00b7 the end" : "";
      return `Round ${step.round + 1}, step ${target + 1} of ${moments.length - 1} after the fork${ends}`;
    },
    goToRatio: (ratio) => Math.max(START, Math.min(view.last, Math.round(ratio * (moments.length - 1)) - 1)),
    layout(room) {
      const isNarrow = room.width < 720;
      node.toggleAttribute("data-narrow", isNarrow);
      const width = isNarrow ? room.width : (room.width - 20) / 2;
      for (const side of sides) side.layout({ ...room, width, isPhone: room.isPhone });
      course.resize(room.width);
    },
    onPoint: (go) => course.onPoint((ratio) => go(view.goToRatio(ratio))),
  };
  return view;
}

/** Create the buttons that choose another continuation, by its number, and lead back to the game. */
export function createPairTools(about, close) {
  const tools = html("div", { class: "pair-tools", role: "group", "aria-label": "Which continuation" });
  for (const [place, name] of about.choices) tools.append(createButton({ "aria-pressed": String(place === about.number) }, () => about.watch(place), name));
  const number = html("input", { type: "number", min: 1, max: about.n, value: about.number + 1, "aria-label": "Number of the continuation", title: `Any of the ${about.n} continuations, by its number` });
  number.addEventListener("change", () => about.watch(Math.max(1, Math.min(about.n, Math.trunc(Number(number.value)))) - 1));
  tools.append(html("label", { class: "in-row soft" }, "number", number, `of ${about.n.toLocaleString("en")}`));
  tools.append(createButton({ class: "back", title: "Back to the game (Esc)" }, close, "Back to the game"));
  return tools;
}

function createPairSide(game, seat, name) {
  const stage = createStageView(game);
  const position = createPosition(game);
  const score = html("span", { class: "pair-score" });
  const caption = html("p", { class: "pair-caption" });
  const final = (game.steps.at(-1)?.scores ?? game.startScores)[seat];
  const node = html("div", { class: "pair-side in-column" }, html("header", {}, html("h3", {}, name), html("span", { class: "pair-final soft" }, `${game.seats[seat].name} ends with ${formatNumber(final)}`), score), caption, stage.node);
  return {
    node,
    show(at, isCalm) {
      const touched = position.go(at);
      const step = game.steps[at];
      stage.show(position, touched, at, step, isCalm);
      stage.putFirst(moverAt(game, at));
      setText(score, formatNumber((step?.scores ?? game.startScores)[seat]));
      setText(caption, step?.caption ?? "The game has not begun.");
    },
    layout: (room) => stage.layout(room),
  };
}

/** The scores of one seat on both branches, on one axis. */
function createPairCourse(pair, moments, names) {
  const rows = pair.games.map((game, side) => moments.map((plies) => (game.steps[plies[side]]?.scores ?? game.startScores)[pair.seat]));
  const all = rows.flat();
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const plot = svg("svg", { class: `plot pair-plot ${colourClass(pair.games[0].seats[pair.seat].colour)}`, role: "img", height: 104, "aria-label": `Score of ${pair.games[0].seats[pair.seat].name}: ${names.map((name, side) => `${name} from ${rows[side][0]} to ${rows[side].at(-1)}`).join("; ")}.` });
  const node = html("section", { class: "course", "aria-label": "Scores on both branches" }, html("h2", {}, `Score of ${pair.games[0].seats[pair.seat].name}`), plot);
  const besideLines = Math.max(COURSE.right + 20, 14 + PIXELS_PER_LETTER * Math.max(...names.map((name) => name.length))); // the names
  let width = 0;
  const x = (index) => roundToTenth(COURSE.left + (index / Math.max(1, moments.length - 1)) * (width - COURSE.left - besideLines));
  const y = (score) => roundToTenth(84 - ((score - low) / (high - low || 1)) * 74);
  const rule = svg("path", { class: "rule", d: "M0 4V84" });
  return {
    node,
    resize(newWidth) {
      if (newWidth === width) return;
      width = newWidth;
      const right = width - besideLines;
      const grid = svg("g", { class: "grid" });
      for (const tick of roundNumbersInRange(low, high)) grid.append(svg("path", { d: `M${COURSE.left} ${y(tick)}H${right}` }), svg("text", { class: "up", x: COURSE.left - 7, y: y(tick) }, formatNumber(tick)));
      const lines = rows.map((row, side) => svg("path", { class: `score-line ${side ? "" : "base"}`, d: row.map((score, index) => `${index ? "L" : "M"}${x(index)} ${y(score)}`).join(""), "stroke-dasharray": side ? null : "2 4" }));
      const ends = rows.map((row) => y(row.at(-1)));
      const gap = 13;
      if (Math.abs(ends[0] - ends[1]) < gap) ends[ends[0] < ends[1] || (ends[0] === ends[1] && rows[0].at(-1) > rows[1].at(-1)) ? 1 : 0] = Math.min(ends[0], ends[1]) + gap;
      const labels = names.map((name, side) => svg("g", { class: "end" }, svg("text", { class: side ? "" : "base", x: right + 8, y: ends[side] }, name)));
      plot.setAttribute("viewBox", `0 0 ${width} 104`);
      plot.replaceChildren(grid, ...lines, ...labels, rule);
    },
    show: (at) => rule.setAttribute("transform", `translate(${x(at + 1)} 0)`),
    /** Call a function with the place, from 0 to 1, at which a person points. */
    onPoint: (listener) => followPointer(plot, (x) => listener((x - COURSE.left) / (width - COURSE.left - besideLines))),
  };
}

const PIXELS_PER_LETTER = 7.5; // of the names beside the lines
