/*
 * The answer to a what-if question: a sentence, both branches and their difference as intervals, and the progress.
 */

import { colourClass, createButton, html, roundToTenth, setText, svg } from "./draw.js";
import { formatNumber, formatSigned, formatTenths, roundNumbersInRange } from "./numbers.js";
import { createSeatChip } from "./seats.js";
import { areNumbers, asCount, asList, asNumber, asRecord, asSeat, asText, isWithin } from "./values.js";

const PLOT = { width: 272, row: 32, left: 6, right: 6 };

/** Read an interval [estimate, low, high]; null if there are too few games for one. */
const readInterval = (raw) => (areNumbers(raw, 3) ? { estimate: raw[0], low: raw[1], high: raw[2] } : null);

/**
 * Read the state of the work on a question.
 * @param {unknown} raw the response to `play`, `poll` or `stop`
 */
export function readWork(game, raw) {
  const work = asRecord(raw);
  const answer = asRecord(work.answer);
  const rows = asList(answer.seats, game.seats.length).map(asRecord);
  const isAnswer = rows.length === game.seats.length && isWithin(answer.n, 1, 1e9);
  return {
    isOver: work.over === true,
    isStopped: work.stopped === true,
    problem: asText(work.error, 300) || asText(work.failure, 300),
    seconds: asNumber(work.seconds),
    address: asRecord(work.address),
    answer: !isAnswer
      ? null
      : {
          n: answer.n,
          total: Math.max(answer.n, asCount(answer.total)),
          seat: asSeat(answer.seat, game.seats.length) ?? 0,
          decision: asText(answer.decision, 20),
          logged: areNumbers(answer.logged, game.seats.length) ? answer.logged : null,
          rows: rows.map(({ base, changed, score, win }) => ({ base: readInterval(base), changed: readInterval(changed), score: readInterval(score), win: readInterval(win) })),
          players: asList(answer.players, game.seats.length).map((pair) => asList(pair, 2).map((name) => asText(name, 80))),
        },
  };
}

const formatInterval = ({ low, high }) => `${formatTenths(low, true)} to ${formatTenths(high, true)}`;

/** "Player 2 scores 3.2 points fewer", "No clear difference so far". */
function answerSentence(game, { seat, decision, rows, n }, isOver) {
  const { score } = rows[seat];
  if (!score || n < 10) return "Too few games so far.";
  if (decision === "more" || decision === "fewer") {
    const points = formatTenths(Math.abs(score.estimate));
    const isGood = (decision === "more") !== game.lowestWins;
    const worth = game.lowestWins ? `, which is ${isGood ? "better" : "worse"}` : "";
    return `${game.seats[seat].name} scores ${points} point${points === "1.0" ? "" : "s"} ${decision}${worth}.`;
  }
  return score.low === 0 && score.high === 0 ? `${game.seats[seat].name} scores the same.` : isOver ? "No clear difference." : "No clear difference so far.";
}

/** Say how often the seat wins, in games of 100. */
function winSentence({ seat, rows }) {
  const { win } = rows[seat];
  if (!win) return "";
  const [estimate, low, high] = [win.estimate, win.low, win.high].map((share) => Math.round(100 * share));
  const range = `(${formatSigned(low)} to ${formatSigned(high)} of 100)`;
  if (win.low === 0 && win.high === 0) return "It wins as often.";
  if (win.low <= 0 && win.high >= 0) return `It wins about as often ${range}.`;
  return `It wins ${Math.abs(estimate) || "less than 1"} of 100 games ${estimate > 0 || win.low > 0 ? "more" : "fewer"} ${range}.`;
}

/** Draw both branches and, below them, their difference; every interval is a bar with its estimate as a dot. */
function drawAnswerPlot(game, answer, changedName) {
  const { base, changed, score } = answer.rows[answer.seat];
  if (!base || !changed || !score) return "";
  const hasLogged = answer.logged !== null;
  const branches = [
    [hasLogged ? "what happened" : "as played", base, "base"],
    [changedName, changed, "changed"],
  ];
  const height = 3 * PLOT.row + 74;
  const node = svg("svg", { class: `answer-plot ${colourClass(game.seats[answer.seat].colour)}`, viewBox: `0 0 ${PLOT.width} ${height}`, role: "img", "aria-label": describeAnswerPlot(branches, score) });
  drawIntervals(node, branches, 0, null);
  const top = 2 * PLOT.row + 46;
  node.append(svg("path", { class: "divider", d: `M0 ${top - 12}H${PLOT.width}` }));
  drawIntervals(node, [["difference", score, "difference"]], top, 0);
  return node;
}

/** Draw intervals in rows below each other, with an axis below them; `fixed` is a value that must be visible. */
function drawIntervals(node, rows, top, fixed) {
  const values = rows.flatMap(([, { low, high }]) => [low, high]).concat(fixed ?? []);
  let [least, most] = [Math.min(...values), Math.max(...values)];
  const spare = Math.max(0.5, (most - least) * 0.1);
  [least, most] = [least - spare, most + spare];
  const x = (value) => roundToTenth(PLOT.left + ((value - least) / (most - least)) * (PLOT.width - PLOT.left - PLOT.right));
  const floor = top + rows.length * PLOT.row + 6;
  if (fixed !== null) node.append(svg("path", { class: "zero", d: `M${x(fixed)} ${top + 15}V${floor}` }));
  rows.forEach(([name, { estimate, low, high }, kind], index) => {
    const y = top + index * PLOT.row + 22;
    const number = kind === "difference" ? formatTenths(estimate, true) : formatTenths(estimate);
    node.append(
      svg("text", { class: "name", x: PLOT.left, y: y - 12 }, name),
      svg("text", { class: "value", x: PLOT.width - PLOT.right, y: y - 12 }, number),
      svg("path", { class: `interval ${kind}`, d: `M${x(low)} ${y}H${x(high)}` }),
      kind === "base" ? svg("rect", { class: "estimate base", x: x(estimate) - 4, y: y - 4, width: 8, height: 8 }) : svg("circle", { class: `estimate ${kind}`, cx: x(estimate), cy: y, r: 4.5 }),
    );
  });
  node.append(svg("path", { class: "axis", d: `M${PLOT.left} ${floor}H${PLOT.width - PLOT.right}` }));
  for (const tick of roundNumbersInRange(least, most)) {
    node.append(svg("path", { class: "axis", d: `M${x(tick)} ${floor}v3` }), svg("text", { class: "tick", x: x(tick), y: floor + 10 }, fixed === null ? formatNumber(tick) : formatSigned(tick)));
  }
}

function describeAnswerPlot(branches, score) {
  const parts = branches.map(([name, { estimate, low, high }]) => `${name}: mean final score ${formatTenths(estimate)}, 95 % interval ${formatTenths(low)} to ${formatTenths(high)}`);
  return `${parts.join("; ")}; difference ${formatTenths(score.estimate, true)}, ${formatInterval(score)}.`;
}

/** Create the view of the answer. `commands` are `stop`, `more` and `watch`. */
export function createAnswerView(game, commands) {
  const sentence = html("p", { class: "answer-sentence", role: "status" });
  const basis = html("p", { class: "answer-basis" });
  const plot = html("div", { class: "answer-figure" });
  const bar = html("progress", { max: 1, value: 0, "aria-label": "Games played" });
  const stop = createButton({ class: "stop" }, commands.stop, "Stop");
  const more = createButton({ class: "more" }, commands.more, "More games");
  const stopped = html("span", { class: "stopped" }, "Stopped.");
  const state = html("div", { class: "answer-state" }, bar, stop, stopped, more);
  const watch = html("div", { class: "watch", role: "group", "aria-label": "Watch one continuation on both branches" }, html("span", {}, "Watch both:"));
  for (const [place, name, title] of WATCHED) watch.append(createButton({ title, "data-place": place }, () => commands.watch(place), name));
  const others = html("table", { class: "answer-others" });
  const details = html("details", {}, html("summary", {}, "Every player"), others);
  const link = html("a", { class: "all-numbers", target: "_self", href: "#" }, "All numbers on the page What if");
  const node = html("section", { class: "answer", "aria-label": "Answer", hidden: true }, sentence, plot, basis, state, watch, details, link);
  return {
    node,
    clear: () => { node.hidden = true; },
    /** @param {{question: string, changedName: string, link: string | null}} about what was asked */
    show(work, about) {
      node.hidden = false;
      const { answer } = work;
      setText(sentence, work.problem || (answer ? answerSentence(game, answer, work.isOver) : work.isStopped ? "Stopped before the first games were done." : "Playing the first games \u2026"));
      node.toggleAttribute("data-problem", Boolean(work.problem));
      plot.replaceChildren(answer ? drawAnswerPlot(game, answer, about.changedName) : "");
      setText(basis, answer ? describeBasis(game, answer, about.question) : about.question);
      bar.hidden = stop.hidden = work.isOver || Boolean(work.problem);
      stopped.hidden = !work.isStopped;
      bar.value = answer ? answer.n / answer.total : 0;
      more.hidden = !answer || !work.isOver || answer.n >= MOST_GAMES;
      watch.hidden = details.hidden = !answer;
      others.replaceChildren(...(answer ? otherRows(game, answer) : []));
      link.hidden = !about.link;
      if (about.link) link.href = about.link;
    },
  };
}

export const MOST_GAMES = 100000;
export const WATCHED = [
  ["worst", "largest loss", "The continuation in which the change cost the most"],
  ["middle", "typical", "The continuation in the middle of all"],
  ["best", "largest gain", "The continuation in which the change gained the most"],
];

function describeBasis(game, answer, question) {
  const { score } = answer.rows[answer.seat];
  const lowest = game.lowestWins ? " Fewer points win." : "";
  if (!score) return `${question} n = ${answer.n}.`;
  const pairs = answer.logged ? "games with other luck, compared with what happened" : "games on each branch, with the same luck";
  return `${question} ${formatTenths(score.estimate, true)} points (95 % interval ${formatInterval(score)}). ${winSentence(answer)} n = ${answer.n.toLocaleString("en")} ${pairs}.${describeSubstitutes(game, answer)}${lowest}`;
}

/** Name the players whose strategy was replaced on both branches. */
function describeSubstitutes(game, { players }) {
  const base = (name) => name.split(":")[0];
  const names = game.seats.flatMap(({ name, strategy }, seat) => (players[seat]?.[0] && strategy && base(players[seat][0]) !== base(strategy) ? [`${players[seat][0]} plays on for ${name}`] : []));
  return names.length ? ` On both branches ${names.join(" and ")}.` : "";
}

function otherRows(game, answer) {
  const head = html("tr", {}, ...["", "score", "change", "95 %"].map((text) => html("th", { scope: "col" }, text)));
  const rows = answer.rows.map(({ changed, score }, seat) =>
    html(
      "tr",
      {},
      html("th", { scope: "row", title: answer.players[seat]?.join(" \u2192 ") ?? "" }, createSeatChip(game, seat), html("span", { class: "unseen" }, game.seats[seat].name)),
      html("td", {}, changed ? formatTenths(changed.estimate) : ""),
      html("td", {}, score ? formatTenths(score.estimate, true) : ""),
      html("td", {}, score ? formatInterval(score) : ""),
    ),
  );
  return [html("thead", {}, head), html("tbody", {}, ...rows)];
}
