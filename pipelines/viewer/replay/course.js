/*
 * The course of the scores: one line for each seat over the plies, with its own dashes and a label at its end.
 */

import { colourClass, createButton, html, roundToTenth, setText, svg } from "./draw.js";
import { roundStarts } from "./moves.js";
import { formatNumber, formatPercent, formatTenths, roundNumbersInRange } from "./numbers.js";
import { START } from "./scene.js";

const DASHES = ["", "7 4", "2 3", "10 3 2 3"];
export const COURSE = { least: 104, most: 190, top: 10, bottom: 20, left: 34, right: 74 };

/**
 * @param {object} game
 * @param {(at: number) => void} go called with the ply that a person points at
 */
export function createCourseView(game, go) {
  const plot = svg("svg", { class: "plot", role: "img", height: COURSE.least, "aria-label": describeCourse(game) });
  const note = html("small");
  const against = html("button", { type: "button", "aria-pressed": "false", title: "Each score less the average of all seats" }, "against the average");
  const kinds = html("div", { class: "kinds", role: "group", "aria-label": "What the course shows", hidden: true });
  for (const [kind, { name }] of Object.entries(COURSE_KINDS)) kinds.append(createButton({ "data-kind": kind }, () => showKind(kind), name));
  const head = html("div", { class: "course-head in-row apart" }, html("h2", {}, "Score course"), kinds, note, game.seats.length > 1 ? against : "");
  const node = html("section", { class: "course", "aria-label": "Score course" }, head, plot);
  const scores = [game.startScores, ...game.steps.map((step) => step.scores)];
  let review = null;
  let kind = "score";
  let isAgainst = false;
  let chart = null;
  let shownAt = START;

  followPointer(plot, (x) => { if (chart) go(chart.plyAt(x)); });
  against.addEventListener("click", () => {
    isAgainst = !isAgainst;
    showKind(kind);
  });

  /** Show the scores, or the values of a review. */
  function showKind(newKind) {
    kind = newKind;
    for (const button of kinds.children) button.setAttribute("aria-pressed", String(button.dataset.kind === kind));
    against.hidden = kind === "wins";
    against.setAttribute("aria-pressed", String(isAgainst));
    setText(note, kind === "score" ? (game.lowestWins ? "the lowest score wins" : "") : `${review.players} play on, with 95\u202f% intervals`);
    if (chart) draw(chart.width, chart.height);
  }
  showKind(kind);

  /** Return [value, half width] of all seats for the start and every ply; null where the review has no value yet. */
  function chartRows() {
    if (kind === "wins") return review.wins.map((row) => row && row.map(([value, half]) => [100 * value, 100 * half]));
    const rows = kind === "score" ? scores.map((row) => row.map((score) => [score, 0])) : review.scores;
    if (!isAgainst) return rows;
    return rows.map((row) => row && row.map(([value, half]) => [value - row.reduce((sum, [other]) => sum + other, 0) / row.length, half]));
  }

  function draw(width, height) {
    chart = drawCourseChart(game, chartRows(), width, height, { ...COURSE_KINDS[kind], mistakes: kind === "score" || !review ? [] : review.mistakes });
    plot.setAttribute("height", String(height));
    plot.setAttribute("viewBox", `0 0 ${width} ${height}`);
    plot.replaceChildren(...chart.nodes);
    plot.setAttribute("aria-label", kind === "score" ? describeCourse(game) : describeExpectedCourse(game, review, kind));
    chart.show(shownAt);
  }

  return {
    node,
    setReview(newReview) {
      const isFirst = !review;
      review = newReview?.problem ? null : newReview;
      kinds.hidden = !review;
      head.firstChild.hidden = Boolean(review);
      showKind(review ? (isFirst ? "wins" : kind) : "score");
    },
    get isReviewed() {
      return Boolean(review);
    },
    /** Pixels of the height above the least height. */
    get spare() {
      return chart ? chart.height - COURSE.least : 0;
    },
    /** Draw for the available width, with up to `spare` pixels above the least height. */
    resize(spare) {
      const width = Math.round(plot.clientWidth || plot.parentElement.clientWidth);
      const height = Math.round(Math.max(COURSE.least, Math.min(COURSE.most, COURSE.least + spare)));
      if (!width || (chart?.width === width && chart.height === height)) return;
      draw(width, height);
    },
    show(at) {
      shownAt = at;
      chart?.show(at);
    },
  };
}

/** Call a function with the place of the pointer, in pixels from the left of a plot, when a person presses or drags it. */
export function followPointer(plot, point) {
  const pointAt = (event) => point(event.clientX - plot.getBoundingClientRect().left);
  plot.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    plot.setPointerCapture(event.pointerId);
    pointAt(event);
  });
  plot.addEventListener("pointermove", (event) => { if (plot.hasPointerCapture(event.pointerId)) pointAt(event); });
}

function describeCourse(game) {
  const last = game.steps.at(-1)?.scores ?? game.startScores;
  const ends = game.seats.map(({ name }, seat) => `${name} from ${game.startScores[seat]} to ${last[seat]}`);
  return `Scores over ${game.steps.length} moves: ${ends.join("; ")}.`;
}

/** Describe what the playouts expect at the start and at the last ply that has a value. */
function describeExpectedCourse(game, review, kind) {
  const rows = (kind === "wins" ? review.wins : review.scores).filter(Boolean);
  if (!rows.length) return "No position has a value yet.";
  const text = (value) => (kind === "wins" ? formatPercent(value) : formatTenths(value));
  const ends = game.seats.map(({ name }, seat) => `${name} from ${text(rows[0][seat][0])} to ${text(rows.at(-1)[seat][0])}`);
  return `${COURSE_KINDS[kind].name} over ${rows.length - 1} moves: ${ends.join("; ")}.`;
}

const COURSE_KINDS = {
  score: { name: "Score", unit: "" },
  expected: { name: "Expected score", unit: "" },
  wins: { name: "Win chance", unit: "\u202f%", most: 100 },
};

/**
 * Draw the chart for a width and a height in pixels.
 * @param {([number, number][] | null)[]} rows for the start and every ply: [value, half width of the band] of all seats
 * @param {{unit: string, most?: number, mistakes: number[]}} options `most`: the fixed top of the axis
 */
function drawCourseChart(game, rows, width, height, { unit, most, mistakes }) {
  const plies = game.steps.length;
  const left = COURSE.left + 4 * unit.length;
  const right = width - COURSE.right;
  const floor = height - COURSE.bottom;
  const known = rows.filter(Boolean);
  const all = known.flat();
  const low = most ? 0 : all.reduce((least, [value, half]) => Math.min(least, value - half), 0);
  const high = most ?? all.reduce((top, [value, half]) => Math.max(top, value + half), low + 1);
  const x = (at) => roundToTenth(left + ((at + 1) / Math.max(1, plies)) * (right - left));
  const y = (score) => roundToTenth(floor - ((Math.max(low, Math.min(high, score)) - low) / (high - low || 1)) * (floor - COURSE.top));

  const grid = svg("g", { class: "grid" });
  for (const tick of roundNumbersInRange(low, high)) {
    grid.append(svg("path", { d: `M${left} ${y(tick)}H${right}` }), svg("text", { class: "up", x: left - 7, y: y(tick) }, formatNumber(tick) + unit));
  }
  for (const [round, at] of roundTicks(game, right - left)) {
    grid.append(svg("path", { class: "tick", d: `M${x(at - 1)} ${floor}v4` }), svg("text", { class: "along", x: x(at - 1), y: floor + 12 }, round));
  }
  const hasBands = known.some((row) => row.some(([, half]) => half > 0));
  const bands = game.seats.flatMap(({ colour }, seat) => (hasBands ? [svg("path", { class: `band ${colourClass(colour)}`, d: bandPath(rows, seat, x, y) })] : []));
  const lines = game.seats.map(({ colour }, seat) =>
    svg("path", {
      class: `score-line ${colourClass(colour)}`,
      d: rows.map((row, index) => (row ? `${rows[index - 1] ? "L" : "M"}${x(index - 1)} ${y(row[seat][0])}` : "")).join(""),
      "stroke-dasharray": DASHES[seat % DASHES.length] || null,
    }),
  );
  const marks = mistakes.filter((at) => rows[at + 1]).map((at) => {
    const { seat } = game.steps[at];
    return svg("circle", { class: `slip ${colourClass(game.seats[seat]?.colour ?? "ink")}`, cx: x(at), cy: y(rows[at + 1][Math.max(0, seat)][0]), r: 3 });
  });
  const rule = svg("path", { class: "rule", d: `M0 ${COURSE.top - 6}V${floor}` });
  const dots = game.seats.map(({ colour }) => svg("circle", { class: `dot ${colourClass(colour)}`, r: 4 }));
  return {
    width,
    height,
    nodes: [grid, ...(known.length ? drawEndLabels(game, known.at(-1).map(([value]) => value), right, y, height) : []), ...bands, ...lines, ...marks, rule, ...dots],
    plyAt: (px) => Math.max(START, Math.min(plies - 1, Math.round(((px - left) / (right - left)) * plies) - 1)),
    show(at) {
      rule.setAttribute("transform", `translate(${x(at)} 0)`);
      const row = rows[at + 1];
      dots.forEach((dot, seat) => {
        dot.toggleAttribute("hidden", !row);
        if (row) dot.setAttribute("transform", `translate(${x(at)} ${y(row[seat][0])})`);
      });
    },
  };
}

/** Return the band of a seat: along its upper edge and back along its lower edge, for every stretch of known values. */
function bandPath(rows, seat, x, y) {
  const stretches = [];
  rows.forEach((row, index) => {
    if (row && !rows[index - 1]) stretches.push([]);
    if (row) stretches.at(-1).push(index);
  });
  const edge = (stretch, side) => stretch.map((index) => `${x(index - 1)} ${y(rows[index][seat][0] + side * rows[index][seat][1])}`);
  return stretches.map((stretch) => `M${[...edge(stretch, 1), ...edge(stretch, -1).reverse()].join("L")}Z`).join("");
}

/** Draw labels at the ends of the lines, moved apart where they would overlap. */
function drawEndLabels(game, scores, right, y, height) {
  const ends = game.seats.map(({ name }, seat) => ({ name, seat, aim: y(scores[seat]) })).sort((a, b) => a.aim - b.aim);
  const gap = Math.min(13, (height - COURSE.bottom) / Math.max(1, ends.length));
  ends.forEach((end, index) => {
    end.at = index ? Math.max(end.aim, ends[index - 1].at + gap) : Math.max(end.aim, COURSE.top - 2);
  });
  let lowest = height - COURSE.bottom + 2;
  for (const end of ends.toReversed()) {
    end.at = Math.min(end.at, lowest);
    lowest = end.at - gap;
  }
  return ends.map(({ name, seat, aim, at }) =>
    svg(
      "g",
      { class: `end ${colourClass(game.seats[seat].colour)}` },
      svg("path", { d: `M${right + 3} ${aim}L${right + 10} ${at}h5` }),
      svg("text", { x: right + 18, y: at }, name.length > 9 ? `${name.slice(0, 8)}\u2026` : name),
    ),
  );
}

/** Return the rounds to label below the chart, as many as there is room for: [label, first ply]. */
function roundTicks(game, room) {
  const starts = roundStarts(game);
  const every = Math.ceil(starts.length / Math.max(1, Math.floor(room / 44)));
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((nice) => nice >= every) ?? every;
  const least = (24 / room) * game.steps.length; // plies between two labels that do not touch
  let labelled = -Infinity;
  return starts.flatMap((at, index) => {
    if (index % step || at - labelled < (index === step ? 1.6 : 1) * least) return [];
    labelled = at;
    return [[index ? String(game.steps[at].round + 1) : `round ${game.steps[at].round + 1}`, at]];
  });
}

