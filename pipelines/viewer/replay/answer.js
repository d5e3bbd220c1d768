/*
 * The answer to a what-if question: a sentence, both branches and their difference as intervals, and the progress.
 */

import { colourClass, createButton, html, roundToTenth, setText, svg } from "./draw.js";
import { formatNumber, formatSigned, roundNumbersInRange } from "./numbers.js";
import { WATCHED } from "./pair.js";
import { readAnswerValues } from "./review.js";
import { createSeatChip } from "./seats.js";
import { areNumbers, asCount, asList, asRecord, asSeat, asText, isWithin } from "./values.js";

const PLOT = { width: 272, row: 32, left: 6, right: 6 };

/** Read an interval with its text; null if there are too few games for one. */
function readBar(raw) {
  const { interval, text } = asRecord(raw);
  return areNumbers(interval, 3) ? { estimate: interval[0], low: interval[1], high: interval[2], text: asText(text, 60) } : null;
}

/**
 * Read the state of the work on a question.
 * @param {unknown} raw the response to `play`, `more`, `poll` or `stop`
 */
export function readWork(game, raw) {
  const work = asRecord(raw);
  const answer = asRecord(work.answer);
  const bars = asRecord(answer.bars);
  return {
    isOver: work.over === true,
    isStopped: work.stopped === true,
    problem: asText(work.error, 300) || asText(work.failure, 300),
    query: asText(work.query, 4000),
    mayAskMore: work.mayAskMore === true,
    answer: !isWithin(answer.n, 1, 1e9)
      ? null
      : {
          n: answer.n,
          total: Math.max(answer.n, asCount(answer.total)),
          seat: asSeat(answer.seat, game.seats.length) ?? 0,
          condition: asText(answer.condition, 200),
          sentence: asText(answer.sentence, 600),
          basis: asText(answer.basis, 600),
          branches: asList(answer.branches, 2).map((name) => asText(name, 60)),
          base: readBar(bars.base),
          changed: readBar(bars.changed),
          difference: readBar(bars.difference),
          values: readAnswerValues(answer.values),
          rows: asList(answer.rows, game.seats.length).map((row) => asList(row, 3).map((text) => asText(text, 120))),
        },
  };
}

/** Draw both branches and, below them, their difference; every interval is a bar with its estimate as a dot. */
function drawAnswerPlot(game, answer) {
  const { base, changed, difference } = answer;
  if (!base || !changed || !difference) return "";
  const branches = [
    [answer.branches[0] ?? "", base, "base"],
    [answer.branches[1] ?? "", changed, "changed"],
  ];
  const height = 3 * PLOT.row + 74;
  const words = branches.map(([name, { text }]) => `${name}: mean final score ${text}`);
  const node = svg("svg", { class: `answer-plot ${colourClass(game.seats[answer.seat].colour)}`, viewBox: `0 0 ${PLOT.width} ${height}`, role: "img", "aria-label": `${words.join("; ")}; difference ${difference.text}; 95 % intervals.` });
  drawIntervals(node, branches, 0, null);
  const top = 2 * PLOT.row + 46;
  node.append(svg("path", { class: "divider", d: `M0 ${top - 12}H${PLOT.width}` }));
  drawIntervals(node, [["difference in points", difference, "difference"]], top, 0);
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
  rows.forEach(([name, { estimate, low, high, text }, kind], index) => {
    const y = top + index * PLOT.row + 22;
    node.append(
      svg("text", { class: "name", x: PLOT.left, y: y - 12 }, name),
      svg("text", { class: "value", x: PLOT.width - PLOT.right, y: y - 12 }, text),
      svg("path", { class: `interval ${kind}`, d: `M${x(low)} ${y}H${x(high)}` }),
      kind === "base" ? svg("rect", { class: "estimate base", x: x(estimate) - 4, y: y - 4, width: 8, height: 8 }) : svg("circle", { class: `estimate ${kind}`, cx: x(estimate), cy: y, r: 4.5 }),
    );
  });
  node.append(svg("path", { class: "axis", d: `M${PLOT.left} ${floor}H${PLOT.width - PLOT.right}` }));
  for (const tick of roundNumbersInRange(least, most)) {
    node.append(svg("path", { class: "axis", d: `M${x(tick)} ${floor}v3` }), svg("text", { class: "tick", x: x(tick), y: floor + 10 }, fixed === null ? formatNumber(tick) : formatSigned(tick)));
  }
}

/** Create the view of the answer. `commands` are `stop`, `more` and `watch`; `isQuestion` says that what was asked and the sentence stand in the headline of a page. */
export function createAnswerView(game, commands, isQuestion) {
  const sentence = html("p", { class: "answer-sentence", role: "status" });
  const condition = html("p", { class: "answer-condition" });
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
  const node = html("section", { class: "answer", "aria-label": "Answer", hidden: true }, ...(isQuestion ? [] : [condition, sentence]), plot, basis, state, watch, details, link);
  return {
    node,
    figure: plot,
    condition,
    sentence,
    /** Hide the answer, because the page asks nothing any more. */
    clear() {
      node.hidden = true;
      setText(sentence, "");
    },
    /** @param {{question: string, link: string | null}} about what was asked */
    show(work, about) {
      node.hidden = false;
      const { answer } = work;
      const given = work.problem ? "" : answer?.condition ?? "";
      setText(condition, isQuestion ? `${about.question} ${given && `${given}:`}` : given);
      setText(sentence, work.problem || (answer ? answer.sentence : work.isStopped ? "Stopped before the first games were done." : "Playing the first games \u2026"));
      sentence.toggleAttribute("data-problem", Boolean(work.problem));
      plot.replaceChildren(answer ? drawAnswerPlot(game, answer) : "");
      setText(basis, [isQuestion ? "" : about.question, answer?.basis ?? ""].join(" ").trim());
      bar.hidden = stop.hidden = work.isOver || Boolean(work.problem);
      stopped.hidden = !work.isStopped;
      bar.value = answer ? answer.n / answer.total : 0;
      more.hidden = !answer || !work.isOver || !work.mayAskMore;
      watch.hidden = details.hidden = !answer;
      others.replaceChildren(...(answer ? otherRows(game, answer) : []));
      link.hidden = !about.link;
      if (about.link) link.href = about.link;
    },
  };
}

function otherRows(game, answer) {
  const head = html("tr", {}, ...[html("span", { class: "unseen" }, "player"), "score", "change"].map((name) => html("th", { scope: "col" }, name)));
  const rows = answer.rows.map(([strategies, score, change], seat) =>
    html("tr", {}, html("th", { scope: "row", title: strategies }, createSeatChip(game, seat), html("span", { class: "unseen" }, game.seats[seat].name)), html("td", {}, score), html("td", {}, change)),
  );
  return [html("thead", {}, head), html("tbody", {}, ...rows)];
}
